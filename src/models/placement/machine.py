"""The cost of a placement, by its definition: a machine that has a copy of every array in each place, valid or not.

A task needs what it reads to be valid where it runs; what is not is copied there, from the host where the host's copy
is valid, else from the place that has it, by way of the host. Then it stays valid, so all later readers there find it.
Whoever needs a part of an array pays for that part once; together the parts cost no more than the whole. A write makes
the copy where it happens the only valid one. At the end, what is read after the program is copied to the host.

    cost = sum of executions * time of every task where it is + sum of times * bytes / rate of every transfer

With branches the counts are expectations, each branch being taken anew with its weight every time it is reached.
"""

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct

from .chain import Part, Visit, Walk, by_array
from .program import HOST, Array, Place, Program, executions

AT_START = -1
AT_END = -2
LIMIT = 4096


class Move(Struct, frozen=True):
    """A copy of `bytes` of an array from one place to another: needed by task `before` (AT_END), last changed by task
    `after` (AT_START)."""

    source: int
    target: int
    bytes: float
    before: int
    after: int


Fetched: TypeAlias = tuple[int, int, float]
"""(place, task, bytes): the part that this task needs is valid there."""


class Copies(Struct, frozen=True):
    """Places where the whole array is valid, parts that are valid elsewhere, and who wrote it last."""

    valid: frozenset[int]
    fetched: frozenset[Fetched]
    writer: int


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
        parts: tuple[Part, ...] = self.parts.get(array, ())
        walk = Walk(_Step(self.arrays[array], placement, self.places), LIMIT)
        flow = walk.along(parts, {_start(self.arrays[array], len(self.places)): 1.0})
        for copies, p in flow.states.items():
            _, made = _fetch(copies, self.arrays[array], HOST, AT_END, self.arrays[array].bytes, self.places)
            if self.arrays[array].at_end:
                for move in made:
                    flow.add({move: 1.0}, p)
        return {move: n for move, n in flow.events.items() if n > 0}

    def seconds(self, move: Move) -> float:
        rate = self.places[move.target].to_rate if move.source == HOST else self.places[move.source].from_rate
        return move.bytes / rate


def _start(array: Array, places: int) -> Copies:
    """Contents that mean nothing are as good in one place as in any other."""
    valid = range(places) if array.at_start == "nowhere" else (HOST,)
    return Copies(frozenset(valid), frozenset(), AT_START)


class _Step:
    def __init__(self, array: Array, placement: Sequence[int], places: Sequence[Place]) -> None:
        self.array, self.placement, self.places = array, placement, places

    def __call__(self, visit: Visit, copies: Copies) -> tuple[Copies, tuple[Move, ...]]:
        place, use = self.placement[visit.task], visit.use
        needed = self.array.bytes if use.writes == "part" else use.reads
        moves: tuple[Move, ...] = ()
        if needed > 0:
            copies, moves = _fetch(copies, self.array, place, visit.task, needed, self.places)
        if use.writes != "no":
            copies = Copies(frozenset((place,)), frozenset(), visit.task)
        return copies, moves


def _fetch(
    copies: Copies, array: Array, place: int, task: int, needed: float, places: Sequence[Place]
) -> tuple[Copies, tuple[Move, ...]]:
    """Makes `needed` bytes of the array valid at `place`."""
    there = [f for f in copies.fetched if f[0] == place]
    if place in copies.valid or any(f[1] == task for f in there):
        return copies, ()
    present = sum(f[2] for f in there)
    missing = min(needed, array.bytes - present)
    source = HOST
    first: tuple[Move, ...] = ()
    if place == HOST:
        source = max(copies.valid, key=lambda p: (places[p].from_rate, -p))
    elif HOST not in copies.valid:
        copies, first = _fetch(copies, array, HOST, task, needed, places)
    complete = present + missing >= array.bytes
    fetched = copies.fetched - frozenset(there) if complete else copies.fetched | {(place, task, missing)}
    valid = copies.valid | {place} if complete else copies.valid
    move = Move(source, place, missing, task, copies.writer)
    return Copies(valid, fetched, copies.writer), (*first, move)
