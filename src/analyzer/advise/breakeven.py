"""From which size on a device wins: solved on the exact formulas, not sampled.

The times are formulas in one unknown size n. With n doubling, the ratio of the two times settles; the answer is the
smallest n from which the device wins at every tried power of two above, found by bisection between the last one where
it does not and the first where it does. That is exact where the difference of the times changes its sign once, as it
does for the polynomials, minima and maxima of the models.
"""

from collections.abc import Callable
from dataclasses import dataclass

from models.expr import Expr, evaluate, free_symbols, substitute
from models.quantity import Quantity, Sizes

LARGEST_SIZE = 2**40


@dataclass(frozen=True, slots=True)
class BreakEven:
    """The smallest values of `symbol` from which the device likely and surely wins; None: at no size up to 2^40."""

    symbol: str
    likely: int | None
    safe: int | None


def break_even(host: Quantity, device: Quantity, sizes: Sizes, shortest_s: float) -> BreakEven | None:
    """Where `device` gets faster than `host` (times in seconds); None when not exactly one symbol is unknown.

    `shortest_s`: below this host time nothing is worth moving, whatever the formulas say."""
    unknown = sorted((host.symbols | device.symbols) - set(sizes))
    if len(unknown) != 1:
        return None
    symbol = unknown[0]
    likely = _at(host.likely, sizes), _at(device.likely, sizes)
    safe = _at(host.low, sizes), _at(device.high, sizes)

    def wins(pair: tuple[Expr, Expr]) -> Callable[[int], bool]:
        def test(n: int) -> bool:
            try:
                before, after = (float(evaluate(formula, {symbol: n})) for formula in pair)
            except (ZeroDivisionError, OverflowError):
                return False
            return before > after and before >= shortest_s

        return test

    return BreakEven(symbol, smallest(wins(likely)), smallest(wins(safe)))


def _at(formula: Expr, sizes: Sizes) -> Expr:
    used = free_symbols(formula) & set(sizes)
    return substitute(formula, {name: sizes[name] for name in used})


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
