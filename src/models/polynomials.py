"""Polynomials of one size with float coefficients: arithmetic, and where they change their sign.

Sign changes are found by splitting at the extremes, which are the sign changes of the derivative, and by bisection
within the monotone stretches: nothing is sampled. Where the signs of the coefficients allow one root only, bisection is
enough. Sizes are positive.
"""

from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

Polynomial: TypeAlias = tuple[float, ...]
"""Coefficients, the constant first; the last is not 0."""

ONE: Polynomial = (1.0,)


def sign_changes(p: Polynomial, start: int, end: int) -> list[int]:
    """Sizes n in start .. end - 1 with p >= 0 at one of n, n + 1 and p < 0 at the other, in order."""
    most = _variations(p) if len(p) > 1 else 0
    return [*_changes(p, start, end, most)] if most else []


@lru_cache(maxsize=1 << 14)
def _changes(p: Polynomial, start: int, end: int, most: int) -> tuple[int, ...]:
    """The same, of a polynomial with at most so many. Half of them are asked for again: times of one loop in several
    places, and their ends, have most of their parts in common."""
    turns = _turns(p, start, end) if most > 1 else []
    ends = [start, *(n for n in turns if start < n < end), end]
    found: list[int] = []
    for low, high in pairwise(ends):
        at_low = sign(p, low) >= 0
        if at_low == (sign(p, high) >= 0):
            continue
        if len(p) == 2:
            low, high = _around_crossing(p, low, high)
        while high - low > 1:
            middle = (low + high) // 2
            if (sign(p, middle) >= 0) == at_low:
                low = middle
            else:
                high = middle
        found.append(low)
    return tuple(found)


def _around_crossing(p: Polynomial, low: int, high: int) -> tuple[int, int]:
    """A shorter stretch of low .. high in which a straight line, which changes its sign there, does so: rounding keeps
    the order of its values, so that it is one place."""
    crossing = int(min(max(-p[0] / p[1], low), high))
    near, far = max(crossing - 1, low), min(crossing + 2, high)
    return (near, far) if (sign(p, near) >= 0) != (sign(p, far) >= 0) else (low, high)


def _variations(p: Polynomial) -> int:
    """How often the sign changes from one coefficient to the next: p has no more positive roots (Descartes' rule)."""
    if not p or min(p) >= 0 or max(p) <= 0:
        return 0
    signs = [c > 0 for c in p if c]
    return sum(a != b for a, b in pairwise(signs))


def _turns(p: Polynomial, start: int, end: int) -> list[int]:
    """Sizes around the places where p stops rising or falling."""
    if len(p) < 3:
        return []
    slope = tuple(k * c for k, c in enumerate(p))[1:]
    return sorted({m for n in sign_changes(slope, start, end) for m in (n, n + 1)})


def sign(p: Polynomial, n: int) -> float:
    """p(n), of which only the sign is exact but for rounding."""
    total = 0.0
    for c in reversed(p):
        total = total * n + c
    return total


def summed(a: Polynomial, b: Polynomial) -> Polynomial:
    """a + b."""
    if len(a) < len(b):
        a, b = b, a
    # what cancels but for rounding is nothing
    total = [0.0 if abs(s := x + y) <= 1e-14 * abs(x) else s for x, y in zip(a, b, strict=False)]
    total += a[len(b) :]
    while total and total[-1] == 0:
        total.pop()
    return tuple(total)


def multiplied(a: Polynomial, b: Polynomial) -> Polynomial:
    """a b."""
    if not a or not b:
        return ()
    if len(a) == 1:
        return tuple(a[0] * x for x in b) if a[0] != 1 else b
    if len(b) == 1:
        return tuple(b[0] * x for x in a) if b[0] != 1 else a
    total = [0.0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            total[i + j] += x * y
    return tuple(total)


def reduced(above: Polynomial, below: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Without common powers of n, a constant divisor, or a divisor that leaves nothing."""
    if not above:
        return (), ONE
    if below == ONE:
        return above, ONE
    shift = min(next(k for k, x in enumerate(p) if x) if p else 0 for p in (above, below))
    above, below = above[shift:], below[shift:]
    if len(below) == 1:
        return tuple(x / below[0] for x in above), ONE
    if 1 < len(below) <= len(above):
        quotient = _divided(above, below)
        if quotient is not None:
            return quotient, ONE
    return above, below


def _divided(above: Polynomial, below: Polynomial) -> Polynomial | None:
    rest, quotient = list(above), [0.0] * (len(above) - len(below) + 1)
    for k in reversed(range(len(quotient))):
        quotient[k] = rest[k + len(below) - 1] / below[-1]
        for j, y in enumerate(below):
            rest[k + j] -= quotient[k] * y
    size = max(map(abs, above))
    return tuple(quotient) if all(abs(x) <= 1e-13 * size for x in rest) else None
