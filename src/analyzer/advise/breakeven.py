"""From which size on a device wins: solved on the exact formulas, not sampled.

The times are formulas in one unknown size n. With n doubling, the ratio of the two times settles; the answer is the
smallest n from which the device wins at every tried power of two above, found by bisection between the last one where
it does not and the first where it does. That is exact where the difference of the times changes its sign once, as it
does for the polynomials, minima and maxima of the models.
"""

from collections.abc import Callable

from msgspec import Struct

from models.expr import Expr, as_function, evaluate
from models.quantity import Quantity, Sizes

LARGEST_SIZE = 2**40
TYPICAL_SIZE = 1000


class BreakEven(Struct, frozen=True):
    """The smallest values of `symbol` from which the device likely and surely wins; None: at no size up to 2^40."""

    symbol: str
    likely: int | None
    safe: int | None


def break_even(host: Quantity, device: Quantity, sizes: Sizes, shortest_s: float) -> BreakEven | None:
    """Where `device` gets faster than `host` (times in seconds), all unknown sizes being equal; None without any, or
    where equal sizes make no sense (`last - first`).

    `symbol` names them (`n`, `n = m`). `shortest_s`: below this host time nothing is worth moving."""
    unknown = sorted((host.symbols | device.symbols) - set(sizes))
    if not unknown:
        return None
    if len(unknown) > 1 and not _grows_with_each(host.likely, unknown, sizes):
        return None
    times = [as_function(formula, sizes) for formula in (host.likely, device.likely, host.low, device.high)]
    try:
        for time in times:
            time(LARGEST_SIZE)
    except ZeroDivisionError:  # where all sizes are equal the nest is empty: that says nothing of other shapes
        return None
    except OverflowError:
        pass
    likely, safe = _wins(times[0], times[1], shortest_s), _wins(times[2], times[3], shortest_s)
    return BreakEven(" = ".join(unknown), smallest(likely), smallest(safe))


def _grows_with_each(formula: Expr, unknown: list[str], sizes: Sizes) -> bool:
    """Whether no size makes the time shorter when it alone is doubled."""
    equal = {**sizes, **dict.fromkeys(unknown, TYPICAL_SIZE)}
    try:
        before = evaluate(formula, equal)
        return all(evaluate(formula, {**equal, name: 2 * TYPICAL_SIZE}) >= before for name in unknown)
    except (ZeroDivisionError, OverflowError):
        return False


def _wins(
    before: Callable[[int], float], after: Callable[[int], float], shortest_s: float
) -> Callable[[int], bool]:
    def test(n: int) -> bool:
        try:
            host_s = before(n)
            return host_s >= shortest_s and host_s > after(n)
        except (ZeroDivisionError, OverflowError):
            return False

    return test


def smallest(holds: Callable[[int], bool]) -> int | None:
    """The smallest n >= 1 from which `holds` is true for good. Example: `smallest(lambda n: n * n > 50)` is 8."""
    if not holds(LARGEST_SIZE):
        return None
    above = LARGEST_SIZE
    while above > 1 and holds(above // 2):
        above //= 2
    below = above // 2  # does not hold there, or is 0
    while above - below > 1:
        middle = (above + below) // 2
        if holds(middle):
            above = middle
        else:
            below = middle
    return above
