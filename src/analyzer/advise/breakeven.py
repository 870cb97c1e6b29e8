"""From which size on a device wins: solved on the monotone pieces of the two times, not sampled.

Both times are curves over one size n (`models.curves`). Their pieces are quotients of polynomials; the largest n at
which the device does not win lies at a sign change of a difference of polynomials, and the break-even is the next size.
Where rounding of floats may have moved it by one, evaluating the times at the sizes around it decides.

Several sizes may be unknown: then they are taken as equal, where that makes sense, and each is solved for alone with
the others at a typical value, which is said.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct

from models.curves import LARGEST_SIZE, Line, NotACurveError, last_loss, sizes_of
from models.expr import Expr
from models.prediction import Room
from models.quantity import Quantity, Sizes
from models.values import Ends, Value, number, symbols_of

TYPICAL_SIZE = 1000
SMALLER_SIZES = (100, 10, 1)
MOST_SYMBOLS = 3
"""Of which each is solved for alone."""

FURTHEST = 1000
"""Sizes from where the curves meet to where the evaluated times do."""

Time: TypeAlias = Quantity | Ends


class BreakEven(Struct, frozen=True):
    """The smallest values of `symbol` from which the device likely and surely wins, for good; None: at no size whose
    data fits, and none up to 2^40. `given`: values that other sizes have. `resident_likely`, `resident_safe`: with the
    data on the device already (None also where nothing is copied). `fastest_likely`: from which on it is also faster
    than other ways to run the loop on the host (None also where that is no larger one)."""

    symbol: str
    likely: int | None
    safe: int | None
    given: tuple[tuple[str, int], ...] = ()
    resident_likely: int | None = None
    resident_safe: int | None = None
    fastest_likely: int | None = None


class Unsolved(Struct, frozen=True):
    """Why no break-even can be given: the times are no curves over the size."""

    symbol: str
    reason: str


def break_even(
    host: Time,
    device: Time,
    sizes: Sizes,
    shortest_s: float,
    moving: Time | None = None,
    line: Line | None = None,
    room: Room | None = None,
    details: bool = True,
    gain: float | None = None,
) -> BreakEven | Unsolved | None:
    """When `device` gets faster than `host` (times in seconds), all unknown sizes being equal; None without any, and
    where equal sizes make no sense (`last - first`).

    `symbol` names them (`n`, `n = m`). `shortest_s`: below this host time nothing is worth moving. `moving`: the part
    of the device's time that copies data. `line`: `Line(sizes)`, when several devices are asked for. `room`: sizes
    whose data does not fit do not count. `details`: with `resident_safe`, which only data formats have.
    `gain`: the ends of both times go together, and what is surely won is this part of each of their ratios; None: they
    are independent."""
    unknown = sorted((symbols_of(host) | symbols_of(device)) - set(sizes))
    line = line or Line(sizes)
    if not unknown or (len(unknown) > 1 and not line.once(host.likely, lambda: _grows_with_each(host.likely, sizes))):
        return None
    return _solved(" = ".join(unknown), line, host, device, shortest_s, moving, room, details=details, gain=gain)


def one_at_a_time(
    host: Time, device: Time, sizes: Sizes, shortest_s: float, moving: Time | None = None, room: Room | None = None,
    gain: float | None = None, largest: Mapping[str, int] = {},
) -> Iterator[BreakEven]:  # fmt: skip
    """The break-even of each of several unknown sizes, with the others at TYPICAL_SIZE, or less where they are enough
    by themselves. `largest`: what they can be at most, of those of which that is known."""
    unknown = sorted((symbols_of(host) | symbols_of(device)) - set(sizes))
    for name in unknown if 1 < len(unknown) <= MOST_SYMBOLS else ():
        for typical in (TYPICAL_SIZE, *SMALLER_SIZES):
            others = dict.fromkeys((other for other in unknown if other != name), typical)
            line = Line({**sizes, **others}, largest.get(name, LARGEST_SIZE))
            found = _solved(name, line, host, device, shortest_s, moving, room, tuple(others.items()), gain=gain)
            if not isinstance(found, BreakEven) or found.likely != 1:
                break
        if isinstance(found, BreakEven):
            yield found


def _solved(
    symbol: str,
    line: Line,
    host: Time,
    device: Time,
    shortest_s: float,
    moving: Time | None,
    room: Room | None,
    given: tuple[tuple[str, int], ...] = (),
    *,
    details: bool = True,
    gain: float | None = None,
) -> BreakEven | Unsolved:
    try:
        limit = _limit(line, room)
        likely = smallest(host.likely, device.likely, line, shortest_s, limit)
        if likely is None:
            safe = None  # nor does it surely win
        elif gain is None:
            safe = smallest(host.low, device.high, line, shortest_s, limit)
        else:
            safe = _together(host, device, gain, line, shortest_s, limit)
        near = sure = None
        if moving is not None:
            near = smallest(host.likely, _less(device.likely, moving.likely), line, shortest_s, limit)
        if moving is not None and details:
            sure = smallest(host.low, _less(device.high, moving.high), line, shortest_s, limit)
    except NotACurveError as error:
        return Unsolved(symbol, str(error))
    except (ZeroDivisionError, OverflowError):  # of a part that no size gives a value: a stride of 0, a power too large
        return Unsolved(symbol, "a part of a time has no value")
    return BreakEven(symbol, likely, safe, given, near, sure)


def _limit(line: Line, room: Room | None) -> int:
    """The largest size that is asked for: its data fits, and its variable can hold it."""
    return line.largest if room is None else min(line.largest, line.largest_fitting(room.needed, room.capacity))


def fastest_from(device: Time, others: Iterable[Time], line: Line, room: Room | None = None) -> int | None:
    """The smallest size from which `device` is likely faster than all of the others, too; 1 where there are none, None
    where it never is. Where that cannot be solved nothing is known against it: 1."""
    try:
        limit = _limit(line, room)
        found = [smallest(other.likely, device.likely, line, limit=limit) for other in others]
    except (NotACurveError, ZeroDivisionError, OverflowError):
        return 1
    known = [n for n in found if n is not None]
    return max(known, default=1) if len(known) == len(found) else None


def _together(host: Time, device: Time, gain: float, line: Line, shortest_s: float, limit: int) -> int | None:
    """The smallest size from which each end of the host's time is more than 1/gain times the same end of the other."""
    found = []
    for end in ("low", "likely", "high"):
        before = getattr(host, end) * gain
        shortest = shortest_s * gain if end == "likely" else 0.0
        found.append(smallest(before, getattr(device, end), line, shortest, limit))
    known = [n for n in found if n is not None]
    return max(known) if len(known) == len(found) else None


def _less(time: Value | Expr, part: Value | Expr) -> Value | Expr:
    """`time` without `part`, which is of the same kind, or a number."""
    return time - part  # type: ignore[operator]


def smallest(
    before: Value | Expr, after: Value | Expr, line: Line, shortest_s: float = 0.0, limit: int = LARGEST_SIZE
) -> int | None:
    """The smallest n >= 1 from which `after` < `before` up to `limit`, and `before` is at least `shortest_s`; None
    where there is none. NotACurveError where it cannot be solved.

    Example: `smallest(parse("n*n"), parse("50"), Line({}))` is 8."""

    def wins(n: int) -> bool:
        try:
            least = line.at(before, n)
            return least >= shortest_s and least > line.at(after, n)
        except (ZeroDivisionError, OverflowError):  # no time at this size: nothing is won there
            return False

    k, chosen = line.residues(before, after)
    loss = 0
    for r in chosen:
        last = last_loss(line.curve(before, (r, k)), line.curve(after, (r, k)), shortest_s, limit)
        if last >= limit:
            return None
        loss = max(loss, last - (last - r) % k)  # the largest size up to there that leaves this remainder
    found = _exact(loss + 1, limit, wins)
    return found if found <= limit else None


def _grows_with_each(time: Value | Expr, sizes: Sizes) -> bool:
    """Whether the time grows when all unknown sizes are doubled, and no size makes it shorter that alone is: not so
    where equal sizes leave nothing to do (`width - 2*radius`)."""
    unknown = sizes_of(time) - sizes.keys()
    equal = {**sizes, **dict.fromkeys(unknown, TYPICAL_SIZE)}
    doubled = {**sizes, **dict.fromkeys(unknown, 2 * TYPICAL_SIZE)}
    try:
        before = number(time, equal)
        alone = (number(time, {**equal, name: 2 * TYPICAL_SIZE}) for name in unknown)
        return number(time, doubled) > before and all(t >= before for t in alone)
    except (ZeroDivisionError, OverflowError):  # no time where all are equal: the question makes no sense
        return False


def _exact(n: int, limit: int, wins: Callable[[int], bool]) -> int:
    """`n`, or the size beside it that rounding hid. NotACurveError where it is far away, which must not be: there it
    would win for good. So where the times have no value (0/0). Rounding keeps the order of sizes: between one that
    loses and a larger one that wins it changes once."""
    if not wins(n):
        furthest = max(n, min(n + FURTHEST - 1, limit))
        if not wins(furthest):
            raise NotACurveError(f"rounding hides it near {n}")
        return _first(n, furthest, wins)
    step = 1
    while n - step >= 1 and wins(n - step):
        n, step = n - step, 2 * step
    return _first(max(n - step, 0), n, wins)


def _first(loses: int, wins_at: int, wins: Callable[[int], bool]) -> int:
    """The size that wins, and the one before does not, between one that does not (0: none is smaller) and one that
    does."""
    while wins_at - loses > 1:
        middle = (loses + wins_at) // 2
        loses, wins_at = (loses, middle) if wins(middle) else (middle, wins_at)
    return wins_at
