"""Sums of polynomials over one counter: Faulhaber's sums of powers (Knuth, Concrete Mathematics, 6.78).

    sum of k^2 for 0 <= k < n     ->      (2*n^3 - 3*n^2 + n) / 6
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb, lcm

from msgspec import Struct

from ..ir.polynomials import ZERO, Poly, Symbol, number


class Fractional(Struct, frozen=True):
    """A polynomial with rational coefficients: `poly / over`."""

    poly: Poly
    over: int = 1

    @staticmethod
    def sum(values: "Sequence[Fractional]") -> "Fractional":
        if len(values) == 1:
            return values[0]
        common = lcm(*(v.over for v in values))
        return Fractional(Poly.sum(v.poly * (common // v.over) for v in values), common)

    def __add__(self, other: "Fractional") -> "Fractional":
        common = lcm(self.over, other.over)
        return Fractional(self.poly * (common // self.over) + other.poly * (common // other.over), common)

    def __sub__(self, other: "Fractional") -> "Fractional":
        return self + Fractional(-other.poly, other.over)

    def __mul__(self, other: "Fractional") -> "Fractional":
        return Fractional(self.poly * other.poly, self.over * other.over)


def between(value: Fractional, counter: Symbol, low: Poly, high: Poly) -> Fractional:
    """The sum of `value` for low <= counter < high, for high >= low: S(high) - S(low)."""
    if counter not in value.poly.symbols:
        return value * Fractional(high - low)
    factors: dict[int, dict[tuple[Symbol, ...], int]] = {}
    for monomial, c in value.poly.terms:
        others = tuple(s for s in monomial if s != counter)
        factor = factors.setdefault(len(monomial) - len(others), {})
        factor[others] = factor.get(others, 0) + c
    sums = []
    for power, factor in sorted(factors.items()):
        summed = powers(power, high) if low == ZERO else powers(power, high) - powers(power, low)
        sums.append(Fractional(Poly.of(factor), value.over) * summed)
    return Fractional.sum(sums)


def powers(exponent: int, below: Poly) -> Fractional:
    """0^p + 1^p + ... + (below - 1)^p as a polynomial in `below`."""
    coefficients = faulhaber(exponent)
    over = lcm(*(c.denominator for c in coefficients))
    total_ = ZERO
    for c in reversed(coefficients):
        total_ = total_ * below + number(int(c * over))
    return Fractional(total_, over)


@lru_cache(maxsize=64)
def faulhaber(exponent: int) -> tuple[Fraction, ...]:
    """Coefficients, constant first, of S_p(x) = sum of k^p for 0 <= k < x: `faulhaber(1)` is (0, -1/2, 1/2).

    From (x^(p+1) = sum over j <= p of C(p+1, j) S_j(x)), solved for S_p."""
    result = [Fraction(0)] * (exponent + 1) + [Fraction(1)]
    for j in range(exponent):
        for power, c in enumerate(faulhaber(j)):
            result[power] -= comb(exponent + 1, j) * c
    return tuple(c / (exponent + 1) for c in result)
