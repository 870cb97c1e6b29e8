"""Which declarations are worth parsing: pycparser costs twelve times what the preprocessor does.

Parsed are the functions that have a loop or call MPI, those they call (to be inlined) down to a bounded depth, and
every type, constant, object and prototype that any of these names; besides, functions that may lead two pointers of a
loop into one array. Of the other functions only the list of calls is kept. Where the whole program is asked for, so are
the function it starts from, and those that lead to functions with loops.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct

from ..base.regex import regex
from .declarations import Declaration
from .one_array import tell_of_pointers

INLINE_DEPTH = 5
"""Levels of calls below a function with a loop whose callees are parsed."""

MOST_WRAPPERS = 64
"""Functions without a loop that lead to one with a loop: more of them, in one unit, are not parsed for their calls."""

MOST_OTHERS = 16_384
"""Characters of all functions without a loop: so much is parsed, so that calls of them can be followed."""

# Adjacent tokens that no C program has: a loop-free function with one of them is parsed, so that its error is found.
_SUSPICIOUS = regex(
    r"[=+\-*/%<>&|^!~(,]\s*[;}]|[\w)\]\"']\s*\}|\(\s*[,/%|^=]|[=*/%|^,]\s*\)"
    r"|\w\s+\w+\s+(?:=|\+|\()\s*\w*\s*;|\)\s*\w+\s*[;=]"
)

_LOOP_HEAD = regex(r"\b(?:for|while)\s*\(")


class Selection(Struct, frozen=True):
    """Indices of the declarations to parse whole, and of the functions of which only the head is needed."""

    whole: frozenset[int]
    heads: frozenset[int]


def select(
    declarations: Sequence[Declaration], is_own: Callable[[Declaration], bool], entry: str | None = None
) -> Selection:
    """Chooses by names: a name that occurs in a chosen declaration pulls in whatever declares it. `entry`: where the
    program starts, if the whole program is asked for."""
    declarers: dict[str, list[int]] = {}
    for index, declaration in enumerate(declarations):
        for name in declaration.names:
            declarers.setdefault(name, []).append(index)
    own = [i for i, d in enumerate(declarations) if d.is_function and is_own(d)]
    roots = [i for i in own if _is_root(declarations[i])]
    roots += [i for i in tell_of_pointers(declarations, own) if i not in roots]
    if entry is not None:
        roots += _leading(declarations, is_own, entry)
    roots += [i for i, d in enumerate(declarations) if not d.names and is_own(d) and d.text.strip("; \n")]
    roots += [i for i, d in enumerate(declarations) if d.names and not d.is_function and is_own(d) and _is_torn(d)]
    whole, heads = set(roots), set[int]()
    seen: set[str] = set()
    queue = [(index, INLINE_DEPTH) for index in roots]
    while queue:
        index, depth = queue.pop(0)
        new = (declarations[index].words & declarers.keys()) - seen
        seen |= new
        for found in sorted(i for name in new for i in declarers[name]):
            if found in whole:
                continue
            if declarations[found].is_function and depth == 0:
                heads.add(found)
                continue
            whole.add(found)
            queue.append((found, depth - 1 if declarations[found].is_function else depth))
    return Selection(frozenset(whole), frozenset(heads - whole))


def _leading(declarations: Sequence[Declaration], is_own: Callable[[Declaration], bool], entry: str) -> list[int]:
    """The entry, and functions without loops through which functions with loops are called."""
    others = [i for i, d in enumerate(declarations) if d.is_function and is_own(d) and not _is_root(d)]
    names = {name for d in declarations if d.is_function and is_own(d) and _is_root(d) for name in d.names}
    found: dict[int, None] = {}
    grown = True
    while grown and len(found) <= MOST_WRAPPERS:
        new = [i for i in others if i not in found and declarations[i].calls & names]
        found |= dict.fromkeys(new)
        names |= {name for i in new for name in declarations[i].names}
        grown = bool(new)
    if sum(declarations[i].end - declarations[i].start for i in others) <= MOST_OTHERS:
        return others
    starts = [i for i in others if entry in declarations[i].names]
    return list(dict.fromkeys((*starts, *(found if len(found) <= MOST_WRAPPERS else ()))))


def _is_torn(declaration: Declaration) -> bool:
    """What may be a function whose head is broken: it is parsed, so that its error is found."""
    text = declaration.text
    return text.count("(") != text.count(")") or _LOOP_HEAD.search(text) is not None


MARK = "__omp_"
"""Begins the names that stand for directives (`analyzer.races`)."""


def _is_root(declaration: Declaration) -> bool:
    body = declaration.code[declaration.body : declaration.end]
    named = "MPI_" in body or MARK in body
    return declaration.has_loop or named or not body.endswith("}") or _SUSPICIOUS.search(body) is not None
