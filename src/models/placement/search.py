"""The cheapest placement that can be found, and how much cheaper one could be at most.

One accelerator, room for everything and few enough traces of branches: the minimum cut is the answer. Where each array
is used by few tasks, eliminating one task after the other is (`elimination`), on any number of accelerators. Else a
search: it starts from the cuts for each accelerator alone, and for an ideal one that is as fast as the fastest of them
for each task, and moves single tasks, and all tasks of an array together, as long as the machine's cost falls. No
placement costs less than the cut for the ideal accelerator: every placement on several ones is, with all of them taken
for one and its faster links, no cheaper there; limits of memory, and copies of arrays left out, only add to it.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from .chain import Again, Fork, Part, Visit
from .cut import only_host_and, place_by_cut
from .elimination import cheapest
from .machine import Machine
from .program import HOST, Place, Program
from .segments import Segments, segments

EVALUATIONS = 20_000
"""Copies of one array that a search may work out."""

VISITS = 100_000
"""Tasks that the copies of all arrays may be followed through before tasks are eliminated."""


class Found(Struct, frozen=True):
    """`lower_s`: no placement costs less; equal to `cost_s` where the placement is the best there is."""

    placement: tuple[int, ...]
    cost_s: float
    lower_s: float
    optimal: bool


def search(program: Program, places: Sequence[Place]) -> Found:
    """A placement (place number per task) with its cost and a lower bound of any cost."""
    machine = Machine(program, places)
    everything_here = (HOST,) * len(machine.runs)
    if all(time_s is None for task, _ in machine.runs for time_s in task.times_s[1:]):  # nothing can move
        cost = machine.cost(everything_here)
        return Found(everything_here, cost, cost, True)
    found = segments(program)
    starts = [_only(k, place_by_cut(program, only_host_and(k, program), places[k], found)) for k in _devices(places)]
    fits = [s for s in starts if not _overfull(machine, s)]
    if len(places) == 2 and not found.left_out and fits:
        cost = machine.cost(fits[0])
        return Found(fits[0], cost, cost, True)
    users = {name: tuple(sorted(_visited(parts))) for name, parts in machine.parts.items()}
    unlimited = cheapest(machine, users, VISITS)
    if unlimited is not None and not _overfull(machine, unlimited):
        cost = machine.cost(unlimited)
        return Found(unlimited, cost, cost, True)
    ideal = _ideal(machine, places)
    best_case = place_by_cut(program, ideal, _ideal_link(places), found)
    lower_s = _relaxed_s(machine, ideal, _ideal_link(places), best_case, found)
    if unlimited is not None:
        lower_s = max(lower_s, machine.cost(unlimited))
    spread = tuple(_fastest(machine, n) if there else HOST for n, there in enumerate(best_case))
    known = (*starts, spread) if unlimited is None else (*starts, spread, unlimited)
    candidates = [everything_here, *(_emptied(machine, s) for s in known)]
    climb = _Climb(machine, users)
    placement = min((climb.from_(c) for c in dict.fromkeys(candidates)), key=machine.cost)
    cost = machine.cost(placement)
    return Found(placement, cost, min(lower_s, cost), cost <= lower_s * (1 + 1e-9))


def _devices(places: Sequence[Place]) -> range:
    return range(1, len(places))


def _only(place: int, there: Iterable[bool]) -> tuple[int, ...]:
    return tuple(place if moved else HOST for moved in there)


# --- the bound


def _ideal(machine: Machine, places: Sequence[Place]) -> list[tuple[float, float | None]]:
    """The fastest time of every task on any accelerator."""
    times = []
    for task, _ in machine.runs:
        known = [t for t in task.times_s[1:] if t is not None]
        times.append((task.host_s, min(known) if known else None))
    return times


def _ideal_link(places: Sequence[Place]) -> Place:
    links = places[1:]
    return Place(
        "ideal",
        max(p.to_rate for p in links),
        max(p.from_rate for p in links),
        min(p.latency_s for p in links),
    )


def _relaxed_s(
    machine: Machine,
    times_s: list[tuple[float, float | None]],
    link: Place,
    there: list[bool],
    found: Segments,
) -> float:
    """The cost of the cut on the ideal accelerator, without the arrays that `found` leaves out."""
    relaxed = Machine(machine.program, (Place("host"), link))
    placement = _only(1, there)
    total = sum(relaxed.transfers_s(name, placement) for name in relaxed.parts if name not in found.left_out)
    for (_, n), (host_s, device_s), moved in zip(machine.runs, times_s, there, strict=True):
        total += n * (device_s if moved and device_s is not None else host_s)
    return total


# --- memory


def _resident(machine: Machine, placement: Sequence[int]) -> dict[int, float]:
    """Bytes of the arrays that tasks on each accelerator touch: nothing is thrown out to make room."""
    touched: dict[int, set[str]] = {}
    for (task, _), place in zip(machine.runs, placement, strict=True):
        if place != HOST:
            touched.setdefault(place, set()).update(use.array for use in task.uses)
    return {place: sum(machine.arrays[name].bytes for name in names) for place, names in touched.items()}


def _overfull(machine: Machine, placement: Sequence[int]) -> list[int]:
    """Accelerators whose memory is too small for what the placement keeps there."""
    limits = [place.capacity_bytes for place in machine.places]
    return [
        place
        for place, held in _resident(machine, placement).items()
        if (limit := limits[place]) is not None and held > limit
    ]


def _emptied(machine: Machine, placement: tuple[int, ...]) -> tuple[int, ...]:
    """Without the tasks that gain least per byte that only they need, until the rest fits."""
    while overfull := _overfull(machine, placement):
        place = overfull[0]
        held = [n for n, p in enumerate(placement) if p == place]
        worst = min(held, key=lambda n: _gain_per_byte(machine, n, place))
        placement = (*placement[:worst], HOST, *placement[worst + 1 :])
    return placement


def _gain_per_byte(machine: Machine, number: int, place: int) -> float:
    task, times = machine.runs[number]
    there = task.times_s[place] or 0.0
    return times * (task.host_s - there) / max(1.0, sum(machine.arrays[u.array].bytes for u in task.uses))


def _fastest(machine: Machine, number: int) -> int:
    times = machine.runs[number][0].times_s
    return min((k for k in range(1, len(times)) if times[k] is not None), key=lambda k: times[k] or 0.0)


# --- climbing


class _Climb:
    """Moves tasks as long as that makes the program cheaper; remembers what copies of an array cost."""

    def __init__(self, machine: Machine, users: dict[str, tuple[int, ...]]) -> None:
        self.machine, self.users = machine, users
        self.is_limited = any(place.capacity_bytes is not None for place in machine.places)
        self.left = EVALUATIONS
        self.known: dict[tuple[str, tuple[int, ...]], float] = {}

    def from_(self, placement: tuple[int, ...]) -> tuple[int, ...]:
        least = 1e-12 * self._tasks_s(placement, range(len(placement)))  # what rounding could be
        groups = [(n,) for n in range(len(placement))] + [users for users in self.users.values() if len(users) > 1]
        improved = True
        while improved and self.left > 0:
            improved = False
            for group in groups:
                for place in range(len(self.machine.places)):
                    moved = self._moved(placement, group, place)
                    if moved != placement and self._gain(placement, moved, group) > least:
                        placement, improved = moved, True
        return placement

    def _moved(self, placement: tuple[int, ...], group: tuple[int, ...], place: int) -> tuple[int, ...]:
        runs = self.machine.runs
        can = {n for n in group if runs[n][0].times_s[place] is not None}
        return tuple(place if n in can else p for n, p in enumerate(placement))

    def _gain(self, before: tuple[int, ...], after: tuple[int, ...], group: tuple[int, ...]) -> float:
        if self.is_limited and _overfull(self.machine, after):
            return 0.0
        touched = list(dict.fromkeys(use.array for n in group for use in self.machine.runs[n][0].uses))
        gain = self._tasks_s(before, group) - self._tasks_s(after, group)
        touched = [name for name in touched if name in self.users]
        gain += sum(self._copies_s(name, before) - self._copies_s(name, after) for name in touched)
        return gain

    def _tasks_s(self, placement: tuple[int, ...], group: Iterable[int]) -> float:
        return sum(self.machine.runs[n][1] * (self.machine.runs[n][0].times_s[placement[n]] or 0.0) for n in group)

    def _copies_s(self, array: str, placement: tuple[int, ...]) -> float:
        key = (array, tuple(placement[n] for n in self.users[array]))
        if key not in self.known:
            self.left -= 1
            self.known[key] = self.machine.transfers_s(array, placement)
        return self.known[key]


def _visited(parts: tuple[Part, ...]) -> set[int]:
    found: set[int] = set()
    for part in parts:
        match part:
            case Visit(task=task):
                found.add(task)
            case Again(body=body):
                found |= _visited(body)
            case Fork(then=then, otherwise=otherwise):
                found |= _visited(then) | _visited(otherwise)
    return found
