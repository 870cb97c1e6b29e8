"""The time line of a program before and after its loops have moved: loops in the order of execution, copies where they
are made. `timeline` is the picture that needs no script, `stretches` what the page draws to be looked into."""

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


class Stretch(Struct, frozen=True):
    """What takes so many seconds in a row. `label`: in a few words; `tip`: all that is said of it; `loop`: its id, None
    of a copy."""

    kind: str
    seconds: float
    label: str
    tip: str
    loop: str | None = None


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
    old, new = (sum(each.seconds for each in line) for line in (before, after))
    longest = max(old, new, 1e-30)
    lines = [Line("before", tuple(_bars(before, longest))), Line("after", tuple(_bars(after, longest)))]
    if 0 < new * ENLARGED_FROM <= longest:
        lines.append(Line(amounts.factor(longest / new), tuple(_bars(after, new))))
    return tuple(lines)


def stretches(program: ProgramEntry) -> dict[str, list[list[str | float | None]]]:
    """By line, kind, seconds, label, tip and loop of each stretch.

    Example: `{"before": [["host", 0.2, "step()", "p.c:5 step(): 200 ms", "p.c:step:5:1"]], "after": ...}`."""
    lines = {"before": _before(program), "after": _after(program)}
    return {name: [[s.kind, s.seconds, s.label, s.tip, s.loop] for s in line] for name, line in lines.items()}


def _before(program: ProgramEntry) -> Iterator[Stretch]:
    for p in program.sequence:
        if p.today_s is not None and p.time_s is not None:
            tip = f"{_place(p.loop)}: {amounts.time(float(p.today_s))}"
            yield Stretch("host", float(p.today_s), _function(p.loop), tip, p.loop)


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
            tip = f"{_place(p.loop)} on {visible(p.device)}: {amounts.time(float(p.time_s))}"
            yield Stretch(kind, float(p.time_s), _function(p.loop), tip, p.loop)
    yield from _copies(places.get(len(runs), ()))


def _copies(transfers: Iterable[TransferEntry]) -> Iterator[Stretch]:
    for t in transfers:
        often = "" if t.times == 1 else f" {amounts.amount(float(t.times))} times"
        said = f"copy of {t.array} from {t.from_} to {t.to}{often}: {amounts.time(float(t.time_s))}"
        yield Stretch("copy", float(t.time_s), visible(f"copy of {t.array}"), visible(said))


def _place(identity: str) -> str:
    path, function, line, *_ = identity.rsplit(":", 3)
    return visible(f"{path}:{line} {function}()")


def _function(identity: str) -> str:
    _, function, *_ = identity.rsplit(":", 3)
    return visible(f"{function}()")


def _bars(line: Iterable[Stretch], longest: float) -> Iterator[Bar]:
    at = 0.0
    for stretch in line:
        width = LENGTH * stretch.seconds / longest
        if width >= HALF_A_PART:
            yield Bar(stretch.kind, round(at, 1), round(width, 1), stretch.tip)
        at += width
