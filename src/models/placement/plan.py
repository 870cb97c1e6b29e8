"""The answer to where the tasks of a program go: decisions, copies, totals, and what each would have said alone."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from .machine import AT_END, AT_START, Machine, Move
from .program import HOST, Place, Program, Task, check
from .search import search


class Decision(Struct, frozen=True):
    """`time_s`: of all executions where it is, copies apart; `alone`: the place that the task alone would choose,
    paying for copies of its own; `reason`: why it is elsewhere than that, empty where it is not."""

    task: str
    place: str
    executions: float
    time_s: float
    alone: str
    reason: str
    arrays: tuple[str, ...]


class Copy(Struct, frozen=True):
    """`times` copies of `bytes`, `seconds` in all. `after`: the task that wrote it (None: there at the start),
    `before`: the one that needs it first (None: the end of the program)."""

    array: str
    source: str
    target: str
    bytes: float
    times: float
    after: str | None
    before: str | None
    seconds: float


class Plan(Struct, frozen=True):
    """`before_s`: all on the host as today. `lower_s`: no placement takes less, `gap` = (after - lower) / after.
    `per_task_s`: if every task decided alone and paid for its own copies."""

    decisions: tuple[Decision, ...]
    copies: tuple[Copy, ...]
    before_s: float
    after_s: float
    lower_s: float
    per_task_s: float
    optimal: bool
    places: tuple[str, ...]

    @property
    def gap(self) -> float:
        return 0.0 if self.optimal or self.after_s == 0 else (self.after_s - self.lower_s) / self.after_s

    @property
    def speedup(self) -> float:
        return self.before_s / self.after_s if self.after_s > 0 else 1.0


def place(program: Program, places: Sequence[Place]) -> Plan:
    """The cheapest placement of `program` on `places`, the first of which is the host.

    Exact with one accelerator that has room for the program's arrays; else `gap` says how far from the best it may be.
    Each task has one place for the whole run. Not modelled: copies at the same time as computing, several tasks at the
    same time, throwing data out of a device's memory. InputError for a program that makes no sense.

    Example: three tasks on a device that all read one array of 28 bytes, over a link of 1 byte/s, pay 28 s once:

        a = Array("a", 28, at_end=False)
        readers = tuple(Task(f"t{i}", (100.0, 1.0), (Use("a", 28),)) for i in range(3))
        place(Program((a,), readers), (Place("host"), Place("gpu"))).after_s        # 31.0
    """
    check(program, tuple(places))
    found = search(program, places)
    machine = Machine(program, places)
    moves = [
        (name, move, times)
        for name in machine.parts
        for move, times in sorted(machine.moves(name, found.placement).items(), key=lambda m: (m[0].after, m[0].before))
    ]
    alone = [_alone(machine, task) for task, _ in machine.runs]
    return Plan(
        decisions=tuple(_decisions(machine, found.placement, alone, moves)),
        copies=tuple(_copy(machine, *move) for move in moves),
        before_s=sum(n * _today_s(task) for task, n in machine.runs),
        after_s=found.cost_s,
        lower_s=found.lower_s,
        per_task_s=sum(n * seconds for (_, n), (_, seconds) in zip(machine.runs, alone, strict=True)),
        optimal=found.optimal,
        places=tuple(p.name for p in places),
    )


def _copy(machine: Machine, array: str, m: Move, times: float) -> Copy:
    def at(number: int) -> str | None:
        return None if number in (AT_START, AT_END) else machine.runs[number][0].name

    return Copy(
        array=array,
        source=machine.places[m.source].name,
        target=machine.places[m.target].name,
        bytes=m.bytes,
        times=times,
        after=at(m.after),
        before=at(m.before),
        seconds=times * machine.seconds(m),
    )


def _decisions(
    machine: Machine, placement: Sequence[int], alone: Sequence[tuple[int, float]],
    moves: Iterable[tuple[str, Move, float]],
) -> Iterator[Decision]:  # fmt: skip
    empty = _finding_nothing(machine)
    copied: dict[tuple[int, str], float] = {}
    for array, m, times in moves:
        copied[m.before, array] = copied.get((m.before, array), 0.0) + times
    for number, ((task, n), p, (best, _)) in enumerate(zip(machine.runs, placement, alone, strict=True)):
        yield Decision(
            task=task.name,
            place=machine.places[p].name,
            executions=n,
            time_s=n * (task.times_s[p] or 0.0),
            alone=machine.places[best].name,
            reason=_reason(machine, number, p, alone[number], copied, empty),
            arrays=tuple(use.array for use in task.uses),
        )


def _today_s(task: Task) -> float:
    return task.host_s if task.today_s is None else task.today_s


def _alone(machine: Machine, task: Task) -> tuple[int, float]:
    """The place with the least time when the task pays for its own copies, and that time."""
    times = {HOST: task.host_s}
    for k in range(1, len(machine.places)):
        time_s = task.alone_s[k] if task.alone_s else _with_copies(machine, task, k)
        if time_s is not None:
            times[k] = time_s
    best = min(times, key=lambda k: (times[k], k))
    return best, times[best]


def _with_copies(machine: Machine, task: Task, place: int) -> float | None:
    time_s = task.times_s[place]
    if time_s is None:
        return None
    link = machine.places[place]
    for use in task.uses:
        size = machine.arrays[use.array].bytes
        needed = size if use.writes == "part" else use.reads
        time_s += link.latency_s + needed / link.to_rate if needed > 0 else 0.0
        time_s += link.latency_s + size / link.from_rate if use.writes != "no" else 0.0
    return time_s


def _reason(
    machine: Machine,
    number: int,
    place: int,
    alone: tuple[int, float],
    copied: dict[tuple[int, str], float],
    empty: set[tuple[int, str]],
) -> str:
    """Why a task is elsewhere than it would go alone."""
    task, times = machine.runs[number]
    if place == alone[0]:
        return ""
    here = machine.places[place].name
    if place == HOST:
        moved = machine.places[alone[0]].name
        return f"alone it would move to {moved}, but the data it shares with what stays would go back and forth"
    reads = [use.array for use in task.uses if use.reads > 0 and (number, use.array) not in empty]
    present = [name for name in reads if (number, name) not in copied]
    seldom = [name for name in reads if copied.get((number, name), times) <= times / 2]
    stay = f"alone it would stay on {machine.places[alone[0]].name}, but"
    if present:
        return f"{stay} {_listed(present)} {_is(present)} on {here} already"
    if seldom:
        often = max(copied[number, name] for name in seldom)
        return f"{stay} {_listed(seldom)} {_is(seldom)} copied {often:.3g} times for {times:.3g} executions"
    return f"{stay} loops on {here} use what it writes"


def _finding_nothing(machine: Machine) -> set[tuple[int, str]]:
    """(task, array) where the array holds nothing yet when the task first touches it."""
    first: dict[str, int] = {}
    for number, (task, _) in enumerate(machine.runs):
        for use in task.uses:
            first.setdefault(use.array, number)
    return {(n, name) for name, n in first.items() if machine.arrays[name].at_start == "nowhere"}


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _listed(names: Iterable[str]) -> str:
    *rest, last = names
    return f"{', '.join(rest)} and {last}" if rest else last
