"""The cost of transfers as a sum over segments: one definition of an array, and who reads it until the next one.

Whatever happened before, right after a write the array is valid in one place, where the writer ran. So the copies
between two writes depend on nothing but where the writer and the readers in between are, and the program's cost is the
sum over all segments of how often each occurs. A write of a part reads what was there: it ends one segment as a reader
and begins the next.
"""

from typing import TypeAlias

from msgspec import Struct

from .chain import Part, TooManyStatesError, Visit, Walk, by_array
from .program import Array, Program

HOST_NODE = -1
"""Stands for the host where a definition is the program's start, or a reader its end."""
NOWHERE = -2
LIMIT = 256

Readers: TypeAlias = frozenset[tuple[int, float]]
"""(task, bytes it needs)"""


class Segment(Struct, frozen=True):
    array: str
    writer: int
    readers: Readers


class Segments(Struct, frozen=True):
    """`times` by segment; `left_out`: arrays whose branches make too many different segments."""

    times: dict[Segment, float]
    left_out: tuple[str, ...]


_State: TypeAlias = tuple[int, Readers]


def segments(program: Program) -> Segments:
    """All segments of a program, with how often each occurs."""
    arrays = {array.name: array for array in program.arrays}
    found: dict[Segment, float] = {}
    left_out: list[str] = []
    for name, parts in by_array(program.body).items():
        try:
            made = _of_array(arrays[name], parts)
        except TooManyStatesError:
            left_out.append(name)
            continue
        for (writer, readers), times in made.items():
            if writer != NOWHERE and readers and times > 0:
                found[Segment(name, writer, readers)] = times
    return Segments(found, tuple(left_out))


def _of_array(array: Array, parts: tuple[Part, ...]) -> dict[_State, float]:
    def step(visit: Visit, state: _State) -> tuple[_State, tuple[_State, ...]]:
        writer, readers = state
        needed = array.bytes if visit.use.writes == "part" else visit.use.reads
        if needed > 0:
            readers = readers | {(visit.task, needed)}
        if visit.use.writes == "no":
            return (writer, readers), ()
        return (visit.task, frozenset()), ((writer, readers),)

    start: _State = (HOST_NODE if array.at_start == "host" else NOWHERE, frozenset())
    flow = Walk(step, LIMIT).along(parts, {start: 1.0})
    for (writer, readers), p in flow.states.items():
        last = readers | {(HOST_NODE, array.bytes)} if array.at_end else readers
        flow.add({(writer, last): 1.0}, p)
    return flow.events
