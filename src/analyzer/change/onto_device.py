"""What changes besides the directive where a loop runs on a device: pointers to members, and functions that go along.

A map clause names a pointer or an array. What the loop reaches through a member (`s->a`) gets a local pointer:

    double *s_a = s->a;

A function that the loop calls is declared for the device, its prototypes included.
*Refuses* a structure whose members the loop reaches in another way, too, where it does not go to the device.
"""

import re
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
    """Says of the functions of the file that a device has them, where that is not said already; kernels of CUDA have
    copies of their own. A list of names is the form of `declare target` that every version of OpenMP has."""
    for called in functions:
        match form:
            case "openmp-target":
                first, stop = next(_declarations(text, called))
                if not _is_on_target(text, called.name, text.tokens[first].begin):
                    yield _line_behind(text, text.tokens[stop - 1].end, f"#pragma omp declare target({called.name})")
            case "openacc":
                for first, _ in _declarations(text, called):
                    begin = text.tokens[first].begin
                    if not _is_routine(text, begin):
                        yield _line_before(text, begin, "#pragma acc routine seq", called.name, first)
            case _:
                return


def _line_behind(text: Text, end: int, line: str) -> Edit:
    """A line of its own behind what ends there, whatever else stands behind that."""
    rest = text.text[end:].partition("\n")[0].strip()
    return Edit(end, end, f"{text.newline}{line}{text.newline if rest else ''}")


def _line_before(text: Text, begin: int, line: str, name: str, first: int) -> Edit:
    if not text.begins_line(begin) or text.line(text.tokens[first - 1].end) == text.line(begin):
        raise RefusedError(f"`{name}`, which it calls, does not begin a line")
    return Edit(begin, begin, f"{line}{text.newline}")


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


def _is_on_target(text: Text, name: str, begin: int) -> bool:
    """Whether the function is named by a directive, or stands between two."""
    every = [p for p in text.pragmas if p.words.startswith(("omp declare target", "omp begin declare target"))]
    if any(name in re.findall(r"\w+", p.words.partition("target")[2]) for p in every):
        return True
    opened = sum(p.end <= begin and "(" not in p.words for p in every)
    return opened > sum(p.end <= begin and p.words == "omp end declare target" for p in text.pragmas)


def _is_routine(text: Text, begin: int) -> bool:
    behind = max((t.end for t in text.tokens if t.end <= begin), default=0)
    return any(behind < p.end <= begin and p.words.startswith("acc routine") for p in text.pragmas)
