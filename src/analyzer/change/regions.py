"""Where data stays on the device: one region around a loop that runs several loops there, one after the other.

*Decides*: the outermost loop around changed ones whose other code neither touches what they change on the device, nor
touches what they use if it changes that itself; with one condition for the region and all loops in it, since what runs
on the host in between would use old values.
*Refuses* loops in it whose change tests something where they begin, and conditions that the loop around changes.

    for (t...) { for (i...) b[i] = f(a, i);  for (i...) a[i] = b[i]; }

    #pragma omp target data map(tofrom: a[0:n], b[0:n])          above the loop over t
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..ir.c_library import is_known
from ..report.loop_entries import LoopEntry, MapEntry
from .conditions import above_zero, all_of
from .directive import Directive
from .edits import Edit
from .form import Form, family
from .names import Names, mentions
from .onto_device import LocalPointer, declared_pointer, maps_of
from .text import Text, UnreadableError
from .wanted import Wanted

_SETS = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"))
_CONTROL = frozenset(("if", "for", "while", "switch", "return", "sizeof"))


class Region(Struct, frozen=True):
    """The loop that the data stays for, the loops in it that run on the device, and when they do."""

    around: LoopEntry
    members: tuple[str, ...]
    condition: str | None


def regions(text: Text, loops: Sequence[LoopEntry], changed: Mapping[str, Wanted]) -> Iterator[Region]:
    """`loops`: all of the file; `changed`: what is written at which, by id. Example: see the module."""
    by_id = {loop.id: loop for loop in loops}
    taken: set[str] = set()
    for loop in loops:
        members = tuple(key for key in changed if loop.id in _around(by_id, key) and key not in taken)
        first = text.at(loop.line, loop.column) if members else 0
        if not members or not _may_begin(text, first) or loop.id in changed or loop.is_parallel:
            continue
        if loop.on_device is None or loop.on_device.refused is not None:
            continue
        try:
            condition = _condition(text, loop, [changed[key] for key in members])
            stays = condition is not None and _stays(text, loop, [by_id[key] for key in members])
        except UnreadableError:
            continue
        if stays:
            taken |= set(members)
            yield Region(loop, members, condition or None)


def _may_begin(text: Text, first: int) -> bool:
    """Whether lines may stand in front of token `first`: it begins a line, and stands in a block."""
    return text.begins_line(text.tokens[first].begin) and text.is_at(first - 1, ";", "{", "}")


def _around(by_id: Mapping[str, LoopEntry], key: str) -> Iterator[str]:
    parent = by_id[key].parent
    while parent is not None and parent in by_id:
        yield parent
        parent = by_id[parent].parent


def _condition(text: Text, loop: LoopEntry, members: Sequence[Wanted]) -> str | None:
    """When all of them run on the device, "" for always; None where that is not one question."""
    if any(member.tested for member in members):
        return None
    conditions = (member.staying for member in members if member.staying is not None)
    asked = dict.fromkeys(c for condition in conditions for c in condition.split(" && "))
    asked |= dict.fromkeys(above_zero(c) for c in (loop.on_device.positive if loop.on_device is not None else ()))
    first = text.at(loop.line, loop.column)
    moved = {
        text.tokens[k].text
        for k in range(first, text.after(first))
        if text.tokens[k].text.isidentifier()
        and (text.is_at(k + 1, *_SETS) or text.is_at(k - 1, "++", "--", "&") or text.declares(k))
    }
    if any(mentions(c, name) for c in asked for name in (*moved, *filter(None, (loop.variable,)))):
        return None
    return all_of(asked) if asked else ""


def _stays(text: Text, loop: LoopEntry, members: Sequence[LoopEntry]) -> bool:
    """Whether the rest of the loop leaves alone what is on the device."""
    first = text.at(loop.line, loop.column)
    begins = [text.at(m.line, m.column) for m in members]
    inside = {k for begin in begins for k in range(begin, text.after(begin))}
    rest = [k for k in range(first, text.after(first)) if k not in inside]
    names = {text.tokens[k].text for k in rest}
    names |= {word for name in names for word in Text(text.macro(name) or "").words}
    if any(_calls(text, k) or _leaves(text, k) or _is_hidden(text, k) for k in rest):
        return False
    maps = loop.maps
    if any(_exceeds(maps, m) for member in members for m in member.maps):
        return False
    return not any(_base(m) in names for m in maps if m.direction != "to" or _uses(text, rest, _base(m)))


def _exceeds(maps: Sequence[MapEntry], part: MapEntry) -> bool:
    """Whether a loop takes all of what the region has a part of."""
    return part.length is None and any(m.name == part.name and m.length is not None for m in maps)


def _base(m: MapEntry) -> str:
    return Text(m.name).tokens[0].text


def _leaves(text: Text, k: int) -> bool:
    """Whether token k goes elsewhere than on in the loop, or behind it."""
    return text.is_at(k, "return", "goto")


def _is_hidden(text: Text, k: int) -> bool:
    """Whether token k is a statement of one name: a macro that does anything."""
    alone = text.is_at(k + 1, ";") and text.is_at(k - 1, ";", "{", "}", ")", "else")
    return alone and text.tokens[k].text.isidentifier() and text.tokens[k].text not in ("break", "continue")


def _uses(text: Text, rest: Sequence[int], name: str) -> bool:
    """Whether the code has it otherwise than to read a member: nobody asks what for."""
    return any(text.is_at(k, name) and not text.is_at(k + 1, "->", ".") for k in rest)


def _calls(text: Text, k: int) -> bool:
    """Whether token k is the name of a function that is called, and of which is not known what it does."""
    name = text.tokens[k].text
    called = text.is_at(k + 1, "(") and name.isidentifier() and name not in _CONTROL
    return called and not is_known(name)


def above(text: Text, region: Region, pointers: Sequence[LocalPointer], form: Form) -> Edit:
    """The directive above the loop that the data stays for."""
    begin = text.tokens[text.at(region.around.line, region.around.column)].begin
    pad = text.indentation(begin)
    directive = Directive(
        "data" if form == "openacc" else "target data",
        condition=region.condition,
        family=family(form),
        maps=maps_of(region.around, pointers),
    )
    lines = [*(f"{pad}{p.declaration}" for p in pointers), *directive.lines(pad)]
    return Edit(begin - len(pad), begin - len(pad), "".join(f"{line}{text.newline}" for line in lines))


def pointers_of(names: Names, region: Region) -> tuple[LocalPointer, ...]:
    """Variables for members that stay on the device, which the loops in the region use, too."""
    maps = region.around.maps
    return tuple(declared_pointer(names, m) for m in maps if not m.name.isidentifier())


def in_region(wanted: Wanted, region: Region, pointers: Sequence[LocalPointer]) -> Wanted:
    """What is written at a loop of a region: under its condition, by its variables."""
    return replace(wanted, condition=region.condition, pointers=tuple((p.member, p.name) for p in pointers))
