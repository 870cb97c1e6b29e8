"""Functions that other files of the run define, to be read behind the file that calls them.

A call of a function in another file says nothing by itself. So the preprocessed text of that function goes behind that
of the caller's file, as if it had been included there, with what it names and the caller's file does not declare:
types, constants, tables, prototypes, functions in turn. Everything behind this step sees one unit.

*Decides*: which functions are borrowed: those that exactly one file of the run defines for others to call, and whose
text means the same in both places, name by name.
*Errs toward* not borrowed: the call then stays one of a function that is not looked into. So it is where a name means
something else in the two files, where a function that loops call changes variables of its own file, or static ones, or
assigns to a variable of the program (no clause at the loop could help), where its head is in the old style, and where
a header of its file is missing and a name may have come from there.
*Not handled*: more than one program in a run: the files that are given together are one, unless they define a function
twice.

    a.c: for (i...) y[i] = weight(x[i]);    b.c: double weight(double v) { return v > LIMIT ? 0 : table[(int)v]; }
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from msgspec import Struct

from models.expr.nodes import remembered

from ..base.regex import regex
from .declarations import KEYWORDS, Declaration
from .lexemes import IDENTIFIER, LEXEME, addressed_names
from .listing import Listing, Segment
from .replaceable import ALSO_INLINE, is_replaceable, says_no_return
from .same_meaning import (
    completing,
    declares_type,
    defining,
    is_opaque,
    is_own_variable,
    is_static,
    is_variable,
    means_the_same,
    parameter_names,
    texts,
)
from .unit import Abi, Elsewhere

MOST_CANDIDATES = 4
"""Files that may define one function: more are not read."""
LARGEST_FUNCTION = 20_000
"""Characters of a preprocessed function: what is larger is not followed either."""
MOST_DECLARATIONS = 2_000
"""That one function may need."""

_OLD_STYLE = regex(r"\)\s*[A-Za-z_][^()]*\Z")
_CHANGEABLE_STATIC = regex(r"\b(?:static|_Thread_local|__thread)\b(?!\s+(?:\w+\s+)*const\b[^;=*]*[;=])")
"""Also `static double const x`; not `static const char *p`, which may lead to another text."""
_LAST_EXIT = regex(r"[;{}]\s*(?:exit|_exit|_Exit|abort)\s*\([^(){};]*\)\s*;\s*\}\s*\Z")
_COMES_BACK = regex(r"\b(?:return|goto|longjmp|siglongjmp)\b")
_DECLARED_INSIDE = regex(r"\bextern\b")
_ASSIGNED = regex(
    r"(?<![\w.])(?<!->)([A-Za-z_]\w*)\s*(?:=(?!=)|[-+*/%&|^]=|<<=|>>=|\+\+|--)"
    r"|(?:\+\+|--)\s*([A-Za-z_]\w*)\b(?!\s*(?:\[|->|\.))"
)
_WORD = regex(r"[A-Za-z_]\w*")
_STEP = regex(r"\s*(?:\[(?:[^][]|\[[^][]*\])*\]|(?:\.|->)\s*\w+)")
_CHANGED = regex(r"\s*(?:=(?!=)|[-+*/%&|^]=|<<=|>>=|\+\+|--)")
_HANDED_ON = regex(
    r"(?:\+\+|--|(?:[^\w\]\s&]|\b(?:return|case|else|sizeof)|^)\s*&|(?:[^\w)\]\s]|\breturn|^)\s*\*)\Z"
)
"""Before a name: an increment, or `&` and `*` that are no operations of two operands."""
_REPLACED = "where it is said that another function may stand in for it"


class Text(Struct, frozen=True, dict=True):
    """A preprocessed file; `shown`: its path in reports. `packing`: the alignment of members in force at an offset;
    `incomplete`: a header is missing."""

    shown: str
    listing: Listing
    declarations: tuple[Declaration, ...]
    abi: Abi
    incomplete: bool
    packing: Callable[[int], int]

    @cached_property
    def by_name(self) -> dict[str, tuple[Declaration, ...]]:
        found: dict[str, list[Declaration]] = {}
        for declaration in self.declarations:
            for name in dict.fromkeys(declaration.names):
                found.setdefault(name, []).append(declaration)
        return {name: tuple(listed) for name, listed in found.items()}

    @cached_property
    def defining(self) -> "Defining":
        return Defining(self.by_name)

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset[str]().union(*(d.words for d in self.declarations))

    @cached_property
    def addressed(self) -> frozenset[str]:
        return addressed_names(self.listing.code)

    @cached_property
    def called(self) -> frozenset[str]:
        return frozenset[str]().union(*(d.calls for d in self.declarations if d.is_function))

    def defined(self, name: str) -> Declaration | None:
        """The one definition of a function in this file."""
        found = [d for d in self.by_name.get(name, ()) if d.is_function]
        return found[0] if len(found) == 1 else None


class Defining:
    """By name, the declarations that say what it is (`same_meaning.defining`), found when they are asked for."""

    def __init__(self, by_name: Mapping[str, tuple[Declaration, ...]]) -> None:
        self._by_name = by_name
        self._found: dict[str, tuple[Declaration, ...]] = {}

    def of(self, name: str) -> tuple[Declaration, ...]:
        if name not in self._found:
            self._found[name] = defining(name, self._by_name.get(name, ()))
        return self._found[name]

    def forget(self, name: str) -> None:
        """There is one more declaration of it."""
        self._found.pop(name, None)


class Piece(Struct, frozen=True):
    """A declaration of another file."""

    text: Text
    declaration: Declaration


class Loan(Struct, frozen=True):
    """What goes behind a file; and by name, why functions that other files define do not."""

    pieces: tuple[Piece, ...]
    refused: dict[str, Elsewhere]


def borrowed(
    home: Text,
    wanted: Iterable[str],
    depth: int,
    where: Callable[[str], Sequence[Text]],
    outside: Collection[str] = (),
) -> Loan:
    """What goes behind `home` so that the functions `wanted` can be followed, and those that they call, `depth` deep.
    `where`: the files that may define a function of a name; `outside`: those that no loop calls, which may change
    variables. Example: tests/analyzer/source/test_borrowed.py."""
    taken = _Taken(home)
    refused: dict[str, Elsewhere] = {}
    pending = [(name, depth) for name in sorted(wanted)]
    while pending:
        name, left = pending.pop(0)
        files = [text for text in where(name) if _is_defined_for_others(name, text)] if name in taken.known else []
        if not files or taken.is_defined(name):
            continue
        before = len(taken.pieces)
        why = _why_not(home, name, files, name in outside) or taken.take(name, files[0])
        if why:
            where_found = " and in ".join(text.shown for text in files)
            changes = any(_what_it_changes(name, text, certain=True) for text in files)
            ends = all(_ends_the_program(name, text, home) for text in files)
            refused[name] = Elsewhere(f"is defined in {where_found}, {why}", changes, ends)
        elif left > 1:
            bodies = (p.declaration for p in taken.pieces[before:] if p.declaration.is_function)
            pending += [(called, left - 1) for body in bodies for called in sorted(body.calls)]
    return Loan(tuple(taken.pieces), refused)


def extended(listing: Listing, pieces: Iterable[Piece]) -> Listing:
    """The listing with the pieces behind it; where they stand in their files is kept line by line."""
    code, segments = "", []
    for piece in pieces:
        home, first = piece.text.listing, piece.declaration.first
        at = home.segment(first)
        segments.append(Segment(len(listing.code) + len(code), at.path, home.line(first), True, at.entered_as))
        code += home.code[first : piece.declaration.end] + "\n"
    return listing.continued(code, tuple(segments))


def _is_defined_for_others(name: str, text: Text) -> bool:
    return any(d.is_function and not is_static(d) for d in text.by_name.get(name, ()))


def _the_one(name: str, text: Text) -> Declaration:
    found = text.defined(name)
    assert found is not None
    return found


def _why_not(home: Text, name: str, files: Sequence[Text], may_change: bool) -> str:
    """What keeps a function of these files from being read with `home`, whatever it names; empty where nothing does."""
    text = files[0]
    if len(files) > 1:
        return "and nothing says which is called"
    if _is_replaceable(name, home):
        return _REPLACED
    if text.abi != home.abi or home.packing(len(home.listing.code)):
        return "which is compiled in another way"
    return _why_not_alone(name, text, may_change)


def _why_not_alone(name: str, text: Text, may_change: bool = False) -> str:
    whole = text.defined(name)
    if whole is None:
        return "more than once"
    body = whole.code[whole.body : whole.end]
    if len(whole.text) > LARGEST_FUNCTION:
        return "and is too large to be looked into from here"
    if not is_static(whole) and _is_replaceable(name, text):
        return _REPLACED
    if _OLD_STYLE.search(whole.code[whole.start : whole.body].rstrip()) is not None:
        return "in the old style, without the types of its parameters in brackets"
    if "..." in whole.code[whole.start : whole.body]:
        return "and takes any number of arguments"
    if _DECLARED_INSIDE.search(body) is not None:
        return "and declares in itself what other files have"
    changed = "" if may_change else _what_it_changes(name, text)
    return f"where it changes {changed}" if changed else ""


def _why_not_with(needed: str, text: Text) -> str:
    """What keeps a function from being read elsewhere, in a name that it needs."""
    changed = _what_it_changes(needed, text)
    if changed:
        return f"where `{needed}` changes {changed}"
    return f"where `{needed}` means something else than here, or is known there only"


def _what_it_changes(name: str, text: Text, certain: bool = False) -> str:
    """Variables of which no thread could have its own, that a function of this file changes; empty where it seems to
    change none. `certain`: in its own text, not by handing on where they are."""
    whole = text.defined(name)
    if whole is None:
        return ""
    body = whole.code[whole.body : whole.end]
    if _CHANGEABLE_STATIC.search(body) is not None:
        return "static variables of its own"
    changed = _assigned_variable(body, text, {*parameter_names(whole), *_locals(whole)}, certain)
    return f"`{changed}`, a global variable" if changed else ""


def _ends_the_program(name: str, text: Text, home: Text) -> bool:
    """Whether a function does not come back, by the way that it ends: `failed = 1; report(); exit(1);`; or by what its
    declaration says."""
    if any(says_no_return(file.by_name.get(name, ())) for file in (text, home)):
        return True
    whole = text.defined(name)
    if whole is None:
        return False
    body = whole.code[whole.body : whole.end]
    return _LAST_EXIT.search(body) is not None and _COMES_BACK.search(body) is None


def _is_replaceable(name: str, text: Text) -> bool:
    """Whether a file says that the linker may take something else for a function."""
    return is_replaceable(name, text.by_name.get(name, ()), text.listing.pragmas, ALSO_INLINE)


def _assigned_variable(body: str, text: Text, own: Collection[str], certain: bool) -> str:
    """A variable of file scope that seems to be assigned as a whole, or of the file alone and assigned in any part, or
    handed on where it is not to be `certain`; `own`: names that the function has for itself. The loops that call such
    a function could only be changed together with it."""
    for before, after in _ASSIGNED.findall(body):
        name: str = before or after
        declared = () if name in own else text.by_name.get(name, ())
        if any(is_variable(d) for d in declared):
            return name
    of_file = sorted(_own_variables(body, text))
    return next((name for name in of_file if not _is_only_read(name, body, text, certain)), "")


@remembered("_names_outside")
def _names_outside(declaration: Declaration) -> frozenset[str]:
    """Words of a declaration that may be names of file scope: no members, and no parameters of a function."""
    lexemes = LEXEME.findall(declaration.text)
    parameters = set(parameter_names(declaration)) - set(declaration.names)
    if declaration.is_function:
        found = {w for before, w in pairwise((";", *lexemes)) if before not in (".", "->")} - parameters
    else:
        members = _members(lexemes) if "=" not in lexemes else set()
        found = set(lexemes) - members - parameters | set(declaration.names)
    return frozenset(w for w in found if IDENTIFIER.match(w)) - KEYWORDS


@remembered("_locals")
def _locals(function: Declaration) -> frozenset[str]:
    """Variables that a function declares before it names them, in its outermost block: `size_t index;`, not
    `struct index x;`."""
    lexemes = LEXEME.findall(function.text)
    depth = brackets = 0
    seen, found = set[str](), set[str]()
    for before, word, after in zip((";", *lexemes), lexemes, (*lexemes[1:], ";"), strict=False):
        depth += (word == "{") - (word == "}")
        brackets += (word == "(") - (word == ")")
        of_type = IDENTIFIER.match(before) is not None and (before not in KEYWORDS or before in _TYPES)
        outermost = depth == 1 and not brackets
        if outermost and of_type and after in (";", "=", "[", ",") and word not in seen:
            found.add(word)
        seen.add(word)
    return frozenset(found)


_TYPES = frozenset(("char", "short", "int", "long", "signed", "unsigned", "float", "double"))


def _members(lexemes: Sequence[str]) -> set[str]:
    """Words that are names of members of a structure wherever they stand: they end a declarator inside its braces."""
    braces = brackets = 0
    members, others = set[str](), set[str]()
    for before, word, after in zip((";", *lexemes), lexemes, (*lexemes[1:], ";"), strict=False):
        braces += (word == "{") - (word == "}")
        brackets += (word == "(") - (word == ")")
        ends = after in (";", ",", "[") and (before in ("*", ",") or IDENTIFIER.match(before) is not None)
        (members if braces > 0 and brackets == 0 and ends else others).add(word)
    return members - others


def _own_variables(body: str, text: Text) -> Iterator[str]:
    """Those of the file alone that may change and are named in a function."""
    for name in set(_WORD.findall(body)):
        if any(is_own_variable(d) for d in text.by_name.get(name, ())):
            yield name


def _is_only_read(name: str, body: str, text: Text, handed_on: bool) -> bool:
    """Whether each time that a function names a variable of its file, it takes a value of it: neither assigns to it or
    to what lies behind it, nor hands on where it is, unless that may be (`handed_on`)."""
    is_array = any("[" in d.text.partition("=")[0] for d in text.by_name[name])
    for found in re.finditer(rf"(?<![\w.])(?<!->){name}\b", body):
        before = body[: found.start()].rstrip()
        end = _end_of_path(body, found.end())
        if _CHANGED.match(body, end) or before.endswith(("++", "--")):
            return False
        if not handed_on and (_HANDED_ON.search(before) is not None or (is_array and end == found.end())):
            return False
    return True


def _end_of_path(body: str, at: int) -> int:
    """Behind the subscripts and members that follow a name."""
    while (step := _STEP.match(body, at)) is not None:
        at = step.end()
    return at


class _Taken:
    """What was borrowed so far. `known`: by name, the declarations that the unit has."""

    def __init__(self, home: Text) -> None:
        self.home = home
        self.known = dict(home.by_name)
        self.defining = Defining(self.known)
        self.pieces: list[Piece] = []
        self.verified: dict[str, set[str]] = {}
        """By file, the names that mean the same here with all that they need: functions of one file share headers."""

    def is_defined(self, name: str) -> bool:
        return any(d.is_function for d in self.known[name])

    def take(self, name: str, text: Text) -> str:
        """Borrows a function with all that it needs, or says what keeps it from that."""
        if not means_the_same(self.known[name], text.by_name[name]):
            return "where its declaration is another one"
        needed = _Needed(self, text)
        other = needed.all_of(_the_one(name, text))
        if other:
            return _why_not_with(other, text)
        for declaration in sorted(needed.found, key=lambda d: d.start):
            self.pieces.append(Piece(text, declaration))
            for declared in dict.fromkeys(declaration.names):
                self.known[declared] = (*self.known.get(declared, ()), declaration)
                self.defining.forget(declared)
        self.verified[text.shown] = needed.compared
        return ""


class _Needed:
    """What a function of another file names, looked up in both files."""

    def __init__(self, taken: _Taken, text: Text) -> None:
        self.taken, self.home, self.text = taken, taken.home, text
        self.found: dict[Declaration, None] = {}
        self.compared = set(taken.verified.get(text.shown, ()))
        self._before = len(self.compared)

    def all_of(self, function: Declaration) -> str:
        """A name of it, or of what that needs, that does not mean the same here; empty where all do. `found`: what is
        not declared here."""
        self.found[function] = None
        pending = [(function, True)]
        while pending:
            declaration, is_new = pending.pop()
            for word in sorted(_names_outside(declaration) - self._locals(declaration)):
                more = self._named(word, declaration, is_new)
                if more is None or self._are_too_many:
                    return word
                pending += more
        return ""

    def _locals(self, declaration: Declaration) -> set[str]:
        """Variables of a function; where a type has the name here, declarations might be read as something else."""
        own = _locals(declaration) if declaration.is_function else frozenset[str]()
        return {word for word in own if not any(map(declares_type, self.taken.known.get(word, ())))}

    @property
    def _are_too_many(self) -> bool:
        return len(self.found) + len(self.compared) - self._before > MOST_DECLARATIONS

    def _named(self, word: str, declaration: Declaration, is_new: bool) -> list[tuple[Declaration, bool]] | None:
        """What has to be looked at because of a word, and whether it is new here; None where it cannot be taken."""
        here, there = self.taken.defining.of(word), self.text.defining.of(word)
        if not there:
            return None if self._may_be_meant(word, declaration, here) else []
        if not here:
            is_used_as_tag = word in self.taken.known
            return self._new(word, there) if is_new or is_used_as_tag else None
        body = self._body(word, declaration, is_new)
        if word in self.compared:
            return body
        self.compared.add(word)
        if set(here) <= set(there):  # borrowed before
            return body
        members = () if self.home.incomplete else completing(word, here, there)
        same = bool(members or completing(word, there, here)) or means_the_same(here, there)
        if not same or not self._is_packed_alike(here, there):
            return None
        both = frozenset(texts(here))
        alike = ((d, False) for d in there if both.intersection(texts((d,))) and not self._is_of_system(d))
        return [*body, *self._members(members), *alike]

    def _members(self, declared: Sequence[Declaration]) -> list[tuple[Declaration, bool]]:
        """Of a structure that is known here by its name alone."""
        new = [d for d in declared if d not in self.found]
        self.found |= dict.fromkeys(new)
        return [(d, True) for d in new]

    def _may_be_meant(self, word: str, declaration: Declaration, here: tuple[Declaration, ...]) -> bool:
        """Whether a word that the other file does not declare may be a name of this one when it is read here."""
        if not here or is_opaque(word, declaration, here):
            return False
        is_called = declaration.is_function and word in declaration.calls
        return is_called or self.text.incomplete or any(declares_type(d) for d in here)

    def _new(self, word: str, there: tuple[Declaration, ...]) -> list[tuple[Declaration, bool]] | None:
        """Declarations that are not here yet."""
        is_of_system = all(self._is_of_system(d) for d in there)
        if word in self.home.called or (self.home.incomplete and not is_of_system and word in self.home.words):
            return None
        if any(self.text.packing(d.first) for d in there):
            return None
        if any(d.is_function for d in there) and _why_not_alone(word, self.text):
            return None
        new = [d for d in there if d not in self.found]
        self.found |= dict.fromkeys(new)
        return [(d, True) for d in new]

    def _is_packed_alike(self, here: Sequence[Declaration], there: Sequence[Declaration]) -> bool:
        """Whether one alignment of members is in force wherever the two files declare the members of a type."""
        own = self.home.listing.code
        first = {self.home.packing(d.first) if d.code is own else 0 for d in here if declares_type(d)}
        return first == {self.text.packing(d.first) for d in there if declares_type(d)}

    def _body(self, word: str, declaration: Declaration, is_new: bool) -> list[tuple[Declaration, bool]]:
        """The definition of a function that both files declare, and the other one defines, where it is called."""
        body = self.text.defined(word)
        is_called = is_new and declaration.is_function and word in declaration.calls
        if body is None or not is_called or body in self.found or self.taken.is_defined(word):
            return []
        if is_static(body) or _why_not_alone(word, self.text):
            return []
        self.found[body] = None
        return [(body, True)]

    def _is_of_system(self, declaration: Declaration) -> bool:
        """What a header of the system declares with the same words is the same."""
        return self.text.listing.segment(declaration.first).system
