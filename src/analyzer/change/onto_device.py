"""What changes besides the directive where a loop runs on a device: pointers to members, and functions that go along.

A map clause names a pointer or an array. What the loop reaches through a member (`s->a`) gets a local pointer:

    double *s_a = s->a;

A function that the loop calls is declared for the device, its prototypes included.
*Refuses* a structure whose members the loop reaches in another way, too, where it does not go to the device.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from ..report.loop_entries import CalledEntry, LoopEntry, MapEntry
from .edits import Edit
from .form import Form
from .names import Names, as_name, occurrences
from .refused import RefusedError
from .text import Text, Token

MARKS: dict[Form, tuple[str, str]] = {
    "openmp-target": ("#pragma omp declare target", "#pragma omp end declare target"),
    "openacc": ("#pragma acc routine seq", ""),
}
"""What stands before, and behind, a function that a device has; kernels have copies of their own."""
END = Token("", 0)


class LocalPointer(Struct, frozen=True):
    """A variable in place of a member, and where the loop has that. `declaration`: a statement in C, empty where there
    is one already."""

    name: str
    member: str
    declaration: str = ""
    edits: tuple[Edit, ...] = ()


def declared_pointer(names: Names, m: MapEntry) -> LocalPointer:
    """A variable for the member of a map."""
    name = names.new(as_name(m.name))
    type_ = f"__typeof__(&({m.name})[0]) " if m.element is None else f"{m.element} *"
    return LocalPointer(name, m.name, f"{type_}{name} = {m.name};")


def local_pointers(
    text: Text, names: Names, maps: Iterable[MapEntry], first: int, stop: int, known: Mapping[str, str]
) -> list[LocalPointer]:
    """One for each map that is of no name, in the loop of these tokens. `known`: variables that lead there already, by
    member. RefusedError where the text of the loop has the member in other words."""
    found: list[LocalPointer] = []
    taken: set[int] = set()
    for m in sorted((m for m in maps if not m.name.isidentifier()), key=lambda m: len(m.name), reverse=True):
        places = [(k, end) for k, end in occurrences(text, m.name, first, stop) if k not in taken]
        if not places:
            raise RefusedError(f"`{m.name}` is written otherwise in the loop")
        made = LocalPointer(known[m.name], m.name) if m.name in known else declared_pointer(names, m)
        taken |= {k for k, _ in places}
        edits = tuple(Edit(text.tokens[k].begin, text.tokens[end - 1].end, made.name) for k, end in places)
        found.append(replace(made, edits=edits))
    mapped = {m.name for m in maps}
    gone = {edit.begin for each in found for edit in each.edits}
    for each in found:
        base = Text(each.member).tokens[0].text
        for k in range(first, stop):
            if text.is_at(k, base) and text.tokens[k].begin not in gone and base not in mapped:
                raise RefusedError(f"the loop uses `{base}` in other ways than by `{each.member}`")
    return found


def maps_of(loop: LoopEntry, pointers: Iterable[LocalPointer]) -> tuple[tuple[str, str], ...]:
    """Direction and item of each map: `a[0:n]`, `s`."""
    names = {each.member: each.name for each in pointers}
    found = loop.maps
    return tuple((m.direction, _item(names.get(m.name, m.name), m)) for m in found)


def _item(name: str, m: MapEntry) -> str:
    return name if m.length is None else f"{name}[{m.first}:{m.length}]"


def declared_for_device(text: Text, form: Form, functions: Iterable[CalledEntry]) -> Iterator[Edit]:
    """The marks around the functions of the file, where they are not there already."""
    before, behind = MARKS.get(form, ("", ""))
    if not before:
        return
    for called in functions:
        for first, stop in _declarations(text, called):
            begin, end = text.tokens[first].begin, text.tokens[stop - 1].end
            if _is_marked(text, begin, form):
                continue
            if not text.begins_line(begin) or text.line(text.tokens[first - 1].end) == text.line(begin):
                raise RefusedError(f"`{called.name}`, which it calls, does not begin a line")
            yield Edit(begin, begin, f"{before}{text.newline}")
            if behind:
                yield Edit(end, end, f"{text.newline}{behind}")


def _declarations(text: Text, called: CalledEntry) -> Iterator[tuple[int, int]]:
    """The prototypes of a function and its definition: first token, and the one behind."""
    last = text.at(called.line, called.column)
    depth = first = 0
    named = False
    for k, (here, following) in enumerate(pairwise([*text.tokens, END])):
        named |= not depth and here.text == called.name and following.text == "("
        depth += (here.text in "([{") - (here.text in ")]}")
        if not depth and here.text in (";", "}"):
            if named:
                yield first, k + 1
            if k >= last:
                return
            first, named = k + 1, False


def _is_marked(text: Text, begin: int, form: Form) -> bool:
    """Whether a directive has said so before."""
    before = [p for p in text.pragmas if p.end <= begin]
    if form == "openacc":
        behind = max((t.end for t in text.tokens if t.end <= begin), default=0)
        return any(p.end > behind and p.words.startswith("acc routine") for p in before)
    opened = sum(p.words == "omp declare target" for p in before)
    return opened > sum(p.words == "omp end declare target" for p in before)
