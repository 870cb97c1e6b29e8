"""The cost of a placement, by its definition: a machine that has a copy of every array in each place, valid or not.

A write makes the copy where it happens the only valid one. Until the next write, whoever needs an array elsewhere, or a
part of it, needs a copy of it there: either the whole is copied once, and is there for all, or every reader's part is
copied for that reader, once, and stays; whichever is cheaper. Between two accelerators the way is by the host, which
has a copy then as well. At the end, what is read after the program is copied to the host.

    cost = sum of executions * time of every task where it is + sum over all copies of latency + bytes / rate

With branches the counts are expectations, each branch being taken anew with its weight every time it is reached.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from .chain import Visit, Walk, by_array
from .program import HOST, Array, Place, Program, executions

AT_START = -1
AT_END = -2
ANYWHERE = -1
"""The place of contents that mean nothing: they are as good in one place as in any other."""
LIMIT = 4096


class Move(Struct, frozen=True):
    """A copy of `bytes` of an array from one place to another: needed first by task `before` (AT_END), last changed by
    task `after` (AT_START)."""

    source: int
    target: int
    bytes: float
    before: int
    after: int


class Need(Struct, frozen=True):
    """A task needs so many bytes of the array at `place`."""

    place: int
    task: int
    bytes: float


class Copies(Struct, frozen=True):
    """Where the last write was and by whom, and what was needed elsewhere since."""

    place: int
    writer: int
    needs: frozenset[Need]


class Machine:
    """Executes a program for placements (one place number per task, in order)."""

    def __init__(self, program: Program, places: Sequence[Place]) -> None:
        self.program, self.places = program, places
        self.arrays = {array.name: array for array in program.arrays}
        self.parts = by_array(program.body)
        self.runs = tuple(executions(program.body))

    def cost(self, placement: Sequence[int]) -> float:
        """Seconds of the whole program; infinite where a task cannot run where it is put."""
        return self.tasks_s(placement) + sum(self.transfers_s(name, placement) for name in self.parts)

    def tasks_s(self, placement: Sequence[int]) -> float:
        total = 0.0
        for (task, times), place in zip(self.runs, placement, strict=True):
            time_s = task.times_s[place]
            total += float("inf") if time_s is None else times * time_s
        return total

    def transfers_s(self, array: str, placement: Sequence[int]) -> float:
        """Seconds spent on copies of one array."""
        return sum(n * self.seconds(move) for move, n in self.moves(array, placement).items())

    def moves(self, array: str, placement: Sequence[int]) -> dict[Move, float]:
        """The copies of one array that happen, each with how often."""
        described = self.arrays[array]

        def step(visit: Visit, copies: Copies) -> tuple[Copies, tuple[Copies, ...]]:
            place, use = placement[visit.task], visit.use
            needed = described.bytes if use.writes == "part" else use.reads
            if needed > 0:
                copies = _needing(copies, place, visit.task, needed)
            if use.writes == "no":
                return copies, ()
            return Copies(place, visit.task, frozenset()), (copies,)

        start = Copies(ANYWHERE if described.at_start == "nowhere" else HOST, AT_START, frozenset())
        flow = Walk(step, LIMIT).along(self.parts.get(array, ()), {start: 1.0})
        for copies, p in flow.states.items():
            last = _needing(copies, HOST, AT_END, described.bytes) if described.at_end else copies
            flow.add({last: 1.0}, p)
        found: dict[Move, float] = {}
        for copies, n in flow.events.items():
            for move in self._made(described, copies) if n > 0 else ():
                found[move] = found.get(move, 0.0) + n
        return found

    def _made(self, array: Array, copies: Copies) -> Iterator[Move]:
        """The copies between one write and the next."""
        for place in sorted({need.place for need in copies.needs}):
            needs = sorted((n for n in copies.needs if n.place == place), key=lambda n: (n.task == AT_END, n.task))
            source = HOST if place != HOST else copies.place
            whole = Move(source, place, array.bytes, needs[0].task, copies.writer)
            each = [Move(source, place, min(n.bytes, array.bytes), n.task, copies.writer) for n in needs]
            yield from (whole,) if self.seconds(whole) <= sum(map(self.seconds, each)) else each

    def seconds(self, move: Move) -> float:
        link = self.places[move.target if move.source == HOST else move.source]
        return link.latency_s + move.bytes / (link.to_rate if move.source == HOST else link.from_rate)


def _needing(copies: Copies, place: int, task: int, needed: float) -> Copies:
    """With the task's need, unless the array is there."""
    if copies.place in (ANYWHERE, place):
        return copies
    more = {Need(place, task, needed)}
    if HOST not in (copies.place, place):
        more.add(Need(HOST, task, needed))
    return Copies(copies.place, copies.writer, copies.needs | more)
