"""A formula of sizes and counters as cases of polynomials, so that it can be summed and bounded over a region.

    max(0, n - i)*m     ->      n*m - i*m where n - i >= 0,     0 where i - n - 1 >= 0

The cases exclude each other and cover everything. *Does not handle*: quotients and remainders by what is no number, and
formulas of more than `MOST` cases.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from typing import assert_never

from msgspec import Struct

from models.expr import Add, Div, Expr, FloorDiv, Gcd, Max, Min, Mod, Mul, Num, Piecewise, Sym

from ..ir.polynomials import Poly, number
from ..polyhedra.powers import Fractional
from ..polyhedra.signs import Region, is_nonnegative
from ..polyhedra.summation import Atoms

MOST = 24


class NoCasesError(Exception):
    """The formula is no polynomial in a few cases."""


class Part(Struct, frozen=True):
    """`value` where every one of `conditions` is >= 0."""

    conditions: tuple[Poly, ...]
    value: Fractional


class Cases:
    """Turns formulas into cases. `values`: the polynomials of some of their names; every other name is a size, a
    symbol of its own. `region`: where the cases are asked for; those that it excludes are left out."""

    def __init__(self, values: Mapping[str, Poly], region: Region, atoms: Atoms) -> None:
        self._values = values
        self._everywhere = _Branch(region)
        self._atoms = atoms
        self._known: dict[Expr, list[Part]] = {}

    def of(self, expr: Expr) -> list[Part]:
        """Raises NoCasesError."""
        if expr not in self._known:
            self._known[expr] = self._of(expr)
        return self._known[expr]

    def _of(self, expr: Expr) -> list[Part]:
        match expr:
            case Num(value=value):
                return [Part((), _constant(value))]
            case Sym(name=name):
                return [Part((), Fractional(self._values[name]))]
            case Add(terms=parts):
                return self._added([self.of(part) for part in parts])
            case Mul(factors=parts):
                return reduce(self._product, map(self.of, parts))
            case Max(arguments=parts) | Min(arguments=parts):
                sign = 1 if isinstance(expr, Max) else -1
                return reduce(lambda a, b: self._extreme(a, b, sign), map(self.of, parts))
            case Div(numerator=above, denominator=Num(value=below)):
                return self._product(self.of(above), [Part((), _constant(Fraction(1) / Fraction(below)))])
            case FloorDiv(numerator=above, denominator=Num(value=int(below))) if below > 0:
                return [Part(p.conditions, Fractional(self._floor(p.value, below))) for p in self.of(above)]
            case Mod(numerator=above, denominator=Num(value=int(below))) if below > 0:
                return [
                    Part(p.conditions, Fractional(_whole(p.value) - self._floor(p.value, below) * below))
                    for p in self.of(above)
                ]
            case Piecewise(cases=cases, otherwise=otherwise):
                return self._piecewise(cases, otherwise)
            case Div() | FloorDiv() | Mod() | Gcd():
                raise NoCasesError(str(expr))
            case _:
                assert_never(expr)

    def _added(self, terms: list[list[Part]]) -> list[Part]:
        """The sum of all: first of those that are one polynomial everywhere, at once."""
        plain = [parts[0].value for parts in terms if _is_plain(parts)]
        others = [parts for parts in terms if not _is_plain(parts)]
        if plain:
            others.insert(0, [Part((), Fractional.sum(plain))])
        return reduce(lambda left, right: self._both(left, right, lambda a, b: a + b), others)

    def _product(self, left: list[Part], right: list[Part]) -> list[Part]:
        return self._both(left, right, lambda a, b: a * b)

    def _both(
        self, left: list[Part], right: list[Part], join: Callable[[Fractional, Fractional], Fractional]
    ) -> list[Part]:
        pairs = ((a, b) for a in left for b in right)
        found = [Part((*a.conditions, *b.conditions), join(a.value, b.value)) for a, b in pairs]
        return found if _is_plain(left) or _is_plain(right) else self._few(found)

    def _extreme(self, left: list[Part], right: list[Part], sign: int) -> list[Part]:
        """The larger (sign 1) or the smaller (-1) of the two."""
        found: list[Part] = []
        for a in left:
            for b in right:
                gap = (a.value - b.value).poly * sign  # its sign is that of the difference
                found.append(Part((*a.conditions, *b.conditions, gap), a.value))
                found.append(Part((*a.conditions, *b.conditions, -gap - 1), b.value))
        return self._few(found)

    def _piecewise(self, cases: tuple[tuple[Expr, Expr], ...], otherwise: Expr) -> list[Part]:
        if not cases:
            return self.of(otherwise)
        (condition, value), *others = cases
        found: list[Part] = []
        for test in self.of(condition):
            met = test.value.poly
            found += [Part((*test.conditions, met, *p.conditions), p.value) for p in self.of(value)]
            rest = self._piecewise(tuple(others), otherwise)
            found += [Part((*test.conditions, -met - 1, *p.conditions), p.value) for p in rest]
        return self._few(found)

    def _few(self, parts: list[Part]) -> list[Part]:
        """Without the conditions that always hold, and the cases that never do."""
        found: list[Part] = []
        for kept in filter(None, map(self._needed, parts)):
            if len(found) == MOST:
                raise NoCasesError(f"more than {MOST} cases")
            found.append(kept)
        return found

    def _needed(self, part: Part) -> Part | None:
        branch = self._everywhere
        for condition in dict.fromkeys(part.conditions):
            further = branch.where(condition)
            if further is None:
                return None
            branch = further
        return Part(branch.conditions, part.value)

    def _floor(self, value: Fractional, below: int) -> Poly:
        return self._atoms.floor(value.poly, below * value.over)


class _Branch:
    """A region under the conditions that it does not imply itself. Most of a formula's cases begin with the same ones,
    so that each is asked once after those before it."""

    __slots__ = ("_further", "_here", "_region", "conditions")

    def __init__(self, region: Region, conditions: tuple[Poly, ...] = ()) -> None:
        self.conditions = conditions
        self._region = region
        self._here = region.also(*conditions)
        self._further: dict[Poly, _Branch | None] = {}

    def where(self, condition: Poly) -> "_Branch | None":
        """The branch where this holds, too: itself where it always does, None where it never does."""
        if condition not in self._further:
            self._further[condition] = self._where(condition)
        return self._further[condition]

    def _where(self, condition: Poly) -> "_Branch | None":
        if is_nonnegative(-condition - 1, self._here):
            return None
        always = is_nonnegative(condition, self._here)
        return self if always else _Branch(self._region, (*self.conditions, condition))


def _is_plain(parts: list[Part]) -> bool:
    """Whether it is one polynomial everywhere."""
    return len(parts) == 1 and not parts[0].conditions


def _constant(value: int | Fraction | float) -> Fractional:
    exact = Fraction(value)
    return Fractional(number(exact.numerator), exact.denominator)


def _whole(value: Fractional) -> Poly:
    if value.over != 1:
        raise NoCasesError("a remainder of a fraction")
    return value.poly


