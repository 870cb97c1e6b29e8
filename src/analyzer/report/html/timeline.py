"""The time line of a program before and after its loops have moved: loops in the order of execution, copies where they
are made."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from ...base import amounts
from ..cleaning import visible
from ..program_entries import ProgramEntry, TransferEntry

LENGTH = 1000
"""Of the longest line; what is shorter than HALF_A_PART of it is not drawn."""
HALF_A_PART = 0.5
ENLARGED_FROM = 5
"""So many times shorter than before, the time after is shown once more, as long as the line is."""

Stretch = tuple[str, float, str]
"""Kind, seconds, what it is."""


class Bar(Struct, frozen=True):
    """One stretch, in parts of LENGTH; `kind`: host, threads, target, copy."""

    kind: str
    start: float
    width: float
    tip: str


class Line(Struct, frozen=True):
    label: str
    bars: tuple[Bar, ...]


def timeline(program: ProgramEntry) -> tuple[Line, ...]:
    """`before`, `after`, and `after` enlarged where little is left of the time."""
    before, after = list(_before(program)), list(_after(program))
    old, new = (sum(seconds for _, seconds, _ in line) for line in (before, after))
    longest = max(old, new, 1e-30)
    lines = [Line("before", tuple(_bars(before, longest))), Line("after", tuple(_bars(after, longest)))]
    if 0 < new * ENLARGED_FROM <= longest:
        lines.append(Line(amounts.factor(longest / new), tuple(_bars(after, new))))
    return tuple(lines)


def _before(program: ProgramEntry) -> Iterator[Stretch]:
    for p in program.sequence:
        if p.today_s is not None and p.time_s is not None:
            yield "host", float(p.today_s), f"{_place(p.loop)}: {amounts.time(float(p.today_s))}"


def _after(program: ProgramEntry) -> Iterator[Stretch]:
    """A copy stands before the first run of the loop that needs it, else after the last of the one that wrote it."""
    runs = [p.loop for p in program.sequence]
    places: dict[int, list[TransferEntry]] = {}
    for t in program.transfers:
        if t.before_loop in runs:
            at = runs.index(t.before_loop)
        elif t.after_loop in runs:
            at = len(runs) - runs[::-1].index(t.after_loop)
        else:
            at = len(runs)
        places.setdefault(at, []).append(t)
    for at, p in enumerate(program.sequence):
        yield from _copies(places.get(at, ()))
        if p.today_s is not None and p.time_s is not None:
            kind = {"target": "target", "host-threads": "threads"}.get(p.candidate, "host")
            yield kind, float(p.time_s), f"{_place(p.loop)} on {visible(p.device)}: {amounts.time(float(p.time_s))}"
    yield from _copies(places.get(len(runs), ()))


def _copies(transfers: Iterable[TransferEntry]) -> Iterator[Stretch]:
    for t in transfers:
        often = "" if t.times == 1 else f" {amounts.amount(float(t.times))} times"
        said = f"copy of {t.array} from {t.from_} to {t.to}{often}: {amounts.time(float(t.time_s))}"
        yield "copy", float(t.time_s), visible(said)


def _place(identity: str) -> str:
    path, function, line, *_ = identity.rsplit(":", 3)
    return visible(f"{path}:{line} {function}()")


def _bars(stretches: Iterable[Stretch], longest: float) -> Iterator[Bar]:
    at = 0.0
    for kind, seconds, tip in stretches:
        width = LENGTH * seconds / longest
        if width >= HALF_A_PART:
            yield Bar(kind, round(at, 1), round(width, 1), tip)
        at += width
