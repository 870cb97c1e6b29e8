"""Functions without loops whose text may say that two pointers lead into one array: they are worth parsing for that.

*Decides*: whether such a function gives one name twice to a function that leads to a loop (`smooth(v + 1, v, n)`),
gives it a name of the file that it uses itself (`step(grid + 1)`), or a pointer that begins with another one, or is set
to it (`double *w = v + 1; smooth(w, v, n)`), sets a pointer of the file (`next = store + 1`), or a member to where
another one leads (`s->inner = s->all + 1`, `s->old = p; s->new = p`), or writes a structure with one name twice in it
(`{v, v + 1}`).
*Errs toward* yes: names are compared, not what they mean.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from ..base.regex import regex
from .declarations import Declaration

_PLACE = regex(r"(?:\s*\([\w\s]+\*+\s*\))?[\s&(*]*([A-Za-z_]\w*)[)\s]*(?:[-+\[.].*)?\Z", re.DOTALL)
"""`v`, `v + 1`, `&v[3]`, `p->v`, `*v`; converted to a pointer, or in parentheses as macros write them."""
_LIST = regex(r"[=)]\s*\{([^{}]*)\}")
_NAMED = regex(r"\s*\.\s*\w+\s*=")
_END = r"\s*(?:[;,+\[)]|-(?!>))"
_SET = regex(rf"(?<![\w.>*])([A-Za-z_]\w*)\s*=\s*[&(]*\s*[A-Za-z_]\w*{_END}")
_BEGUN = regex(rf"\*\s*(?:const\s+)?([A-Za-z_]\w*)\s*=\s*[&(]*\s*[A-Za-z_]\w*(?:(?:->|\.)\w+)*{_END}")
"""A pointer with an initial value that is no call."""
_SET_MEMBER = regex(
    rf"(\w+)\s*(?:->|\.)\s*(\w+)\s*=\s*[&(]*\s*(?:(?P<var>[A-Za-z_]\w*)|\1\s*(?:->|\.)\s*(?P<member>\w+)){_END}"
)


def tell_of_pointers(declarations: Sequence[Declaration], own: Sequence[int]) -> list[int]:
    """Which of these functions may lead two pointers of a loop into one array. Example: see the module."""
    looped = [declarations[i] for i in own if declarations[i].has_loop]
    words = {name: d.words for d in looped for name in d.names}
    others = [i for i in own if not declarations[i].has_loop]
    for i in [*others, *reversed(others)]:  # through functions that only call them
        for name in declarations[i].names:
            reached = [words[called] for called in declarations[i].calls & words.keys()]
            if reached and name not in words:
                words[name] = frozenset[str]().union(*reached)
    used = frozenset[str]().union(*(d.words for d in looped))
    of_file = {name for d in declarations if not d.is_function for name in d.names} & used
    return [i for i in others if _tells(declarations[i], words, of_file, used)]


def _tells(
    function: Declaration, words: Mapping[str, frozenset[str]], of_file: set[str], used: frozenset[str]
) -> bool:
    body = function.code[function.body : function.end]
    if any(found[1] in of_file for found in _SET.finditer(body)) or _sets_members(body, used):
        return True
    called = function.calls & words.keys()
    begun = {found[1] for pattern in (_BEGUN, _SET) for found in pattern.finditer(body)} if called else set[str]()
    for name in called:
        for arguments in _arguments(body, name):
            places = _places(arguments)
            if _has_twice(places) or begun.intersection(places) or of_file.intersection(places) & words[name]:
                return True
    lists = _LIST.finditer(body) if called else ()
    return any(_has_twice(_places(_NAMED.sub("", found[1]).split(","))) for found in lists)


def _places(texts: Sequence[str]) -> list[str]:
    return [found[1] for text in texts if (found := _PLACE.match(text)) is not None]


def _has_twice(places: list[str]) -> bool:
    return len(set(places)) < len(places)


def _sets_members(body: str, used: frozenset[str]) -> bool:
    """Whether two members that loops use are set to one place, or one to where another one leads."""
    places = list[tuple[str, str]]()
    for found in _SET_MEMBER.finditer(body):
        if found["member"] != found[2] and {found["member"], found[2]} <= used:
            return True
        if found["var"] is not None and found[2] in used:
            places.append((found[1], found["var"]))
    return len(set(places)) < len(places)


def _arguments(body: str, name: str) -> Iterator[list[str]]:
    """The texts of the arguments of each call."""
    for call in re.finditer(rf"(?<![\w.>]){re.escape(name)}\s*\(", body):
        depth, start, found = 1, call.end(), []
        for mark in re.finditer(r"[(),]", body[call.end() :]):
            at = call.end() + mark.start()
            depth += {"(": 1, ")": -1, ",": 0}[mark[0]]
            if depth == 0 or (depth == 1 and mark[0] == ","):
                found.append(body[start:at])
                start = at + 1
            if depth == 0:
                break
        yield found
