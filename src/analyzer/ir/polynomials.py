"""Integer polynomials over symbols: the values of subscripts, bounds and steps.

A `Poly` is a sum of monomials with integer coefficients, kept in one canonical order, so that equal values
compare equal. Example: with symbols i and n, `(i + 1) * n` is `Poly` of `{(i, n): 1, (n,): 1}`.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from operator import attrgetter
from typing import TypeAlias

from msgspec import Struct

from .symbols import Symbol as Symbol

Monomial: TypeAlias = tuple[Symbol, ...]


_key = attrgetter("key")


class _Once:
    """A property that is worked out once, and found without a call from then on: it is asked for millions of times."""

    def __init__(self, function: "Callable[[Poly], frozenset[Symbol]]") -> None:
        self._function = function
        self._name = function.__name__

    def __get__(self, poly: "Poly", owner: type) -> frozenset[Symbol]:
        found = poly.__dict__[self._name] = self._function(poly)
        return found


class Poly(Struct, frozen=True, cache_hash=True, dict=True):
    """A polynomial; build it with `number`, `symbol` and the operators, never by hand."""

    terms: tuple[tuple[Monomial, int], ...] = ()

    def __repr__(self) -> str:
        return f"Poly({self})"

    @staticmethod
    def of(terms: Mapping[Monomial, int]) -> "Poly":
        """In canonical order: by degree, then by the keys of the symbols; no two monomials are equal."""
        kept = [term for term in terms.items() if term[1]]
        if len(kept) < 2:
            return Poly(tuple(kept))
        ranked = sorted([(-len(term[0]), [s.key for s in term[0]], term) for term in kept])
        return Poly(tuple([term for _, _, term in ranked]))

    @staticmethod
    def sum(polynomials: "Iterable[Poly]") -> "Poly":
        """All added up at once: adding them one by one would sort a growing sum again and again."""
        terms: dict[Monomial, int] = {}
        for poly in polynomials:
            for monomial, c in poly.terms:
                terms[monomial] = terms.get(monomial, 0) + c
        return Poly.of(terms)

    def __add__(self, other: "Poly | int") -> "Poly":
        if isinstance(other, int):
            return self._plus_number(other)
        mine, its = self.terms, other.terms
        if not its or not its[0][0]:  # a number, of which the term is the only one
            return self._plus_number(its[0][1]) if its else self
        if not mine or not mine[0][0]:
            return other._plus_number(mine[0][1]) if mine else other
        terms = dict(mine)
        for monomial, coefficient in its:
            terms[monomial] = terms.get(monomial, 0) + coefficient
        return self._with(terms)

    def _with(self, terms: dict[Monomial, int]) -> "Poly":
        """`terms` began as the terms of this polynomial: without new monomials they are in order."""
        if len(terms) == len(self.terms):
            return Poly(tuple([term for term in terms.items() if term[1]]))
        return Poly.of(terms)

    def _plus_number(self, value: int) -> "Poly":
        """The constant term comes last, so adding a number needs no sorting."""
        if not value:
            return self
        if self.terms and not self.terms[-1][0]:
            total = self.terms[-1][1] + value
            return Poly((*self.terms[:-1], ((), total)) if total else self.terms[:-1])
        return Poly((*self.terms, ((), value)))

    def __neg__(self) -> "Poly":
        return Poly(tuple([(m, -c) for m, c in self.terms]))

    def __sub__(self, other: "Poly | int") -> "Poly":
        if isinstance(other, int):
            return self._plus_number(-other)
        mine, its = self.terms, other.terms
        if not its or not its[0][0]:
            return self._plus_number(-its[0][1]) if its else self
        if not mine or not mine[0][0]:
            return (-other)._plus_number(mine[0][1]) if mine else -other
        terms = dict(mine)
        for monomial, coefficient in its:
            terms[monomial] = terms.get(monomial, 0) - coefficient
        return self._with(terms)

    def __mul__(self, other: "Poly | int") -> "Poly":
        if isinstance(other, int):
            return self._scaled(other)
        mine, its = self.terms, other.terms
        if not its or not its[0][0]:
            return self._scaled(its[0][1]) if its else ZERO
        if not mine or not mine[0][0]:
            return other._scaled(mine[0][1]) if mine else ZERO
        if len(its) == 1:
            return self._times_term(*its[0])
        if len(mine) == 1:
            return other._times_term(*mine[0])
        terms: dict[Monomial, int] = {}
        for m1, c1 in mine:
            for m2, c2 in its:
                monomial = _product(m1, m2)
                terms[monomial] = terms.get(monomial, 0) + c1 * c2
        return Poly.of(terms)

    def _scaled(self, factor: int) -> "Poly":
        if factor == 1:
            return self
        return Poly(tuple([(m, c * factor) for m, c in self.terms])) if factor else ZERO

    def _times_term(self, more: Monomial, factor: int) -> "Poly":
        """The order of monomials is that of their products with one more, so nothing needs sorting."""
        return Poly(tuple([(_product(m, more), c * factor) for m, c in self.terms]))

    @property
    def constant(self) -> int | None:
        """The value, when it contains no symbol."""
        if not self.terms:
            return 0
        monomial, value = self.terms[0]
        return None if monomial else value

    @property
    def constant_term(self) -> int:
        return self.terms[-1][1] if self.terms and not self.terms[-1][0] else 0

    def distance(self, other: "Poly") -> int | None:
        """`other - self`, when that contains no symbol: `a[i + 4]` lies 4 behind `a[i]`."""
        mine, its = self.terms, other.terms
        here = mine[-1][1] if mine and not mine[-1][0] else 0
        there = its[-1][1] if its and not its[-1][0] else 0
        same = (mine[:-1] if here else mine) == (its[:-1] if there else its)
        return there - here if same else None

    @_Once
    def symbols(self) -> frozenset[Symbol]:
        return frozenset([s for m, _ in self.terms for s in m])

    @property
    def degree(self) -> int:
        return len(self.terms[0][0]) if self.terms else 0

    @property
    def is_affine(self) -> bool:
        return not self.terms or len(self.terms[0][0]) <= 1

    def coefficient(self, symbol: Symbol) -> "Poly":
        """What multiplies `symbol` to the first power: `(i*n + i + 1).coefficient(i)` is `n + 1`."""
        if self.is_affine:
            key = symbol.key
            for monomial, c in self.terms:
                if monomial and monomial[0].key == key:
                    return number(c)
            return ZERO
        terms: dict[Monomial, int] = {}
        for monomial, c in self.terms:
            if monomial.count(symbol) == 1:
                rest = tuple(s for s in monomial if s != symbol)
                terms[rest] = terms.get(rest, 0) + c
        return Poly.of(terms)

    def without(self, symbol: Symbol) -> "Poly":
        """The terms in which `symbol` does not occur."""
        return Poly(tuple([term for term in self.terms if symbol not in term[0]]))

    @property
    def sides(self) -> "tuple[Poly, Poly]":
        """What is added, and what is taken away from that: `n - 2*g` is n less 2*g."""
        added, taken = (Poly.of({m: sign * c for m, c in self.terms if sign * c > 0}) for sign in (1, -1))
        return added, taken

    def is_linear_in(self, symbols: Iterable[Symbol]) -> bool:
        """Whether every monomial holds at most one of `symbols`, to the first power."""
        if self.is_affine:
            return True
        wanted = set(symbols)
        return all(sum(s in wanted for s in m) <= 1 for m, _ in self.terms)

    def substitute(self, values: "Mapping[Symbol, Poly]") -> "Poly":
        if self.symbols.isdisjoint(values):
            return self
        total: dict[Monomial, int] = {}
        for monomial, c in self.terms:
            changed = [values[s] for s in monomial if s in values]
            if not changed:
                total[monomial] = total.get(monomial, 0) + c
                continue
            product = Poly(((tuple([s for s in monomial if s not in values]), c),))
            for value in changed:
                product = product * value
            for m, d in product.terms:
                total[m] = total.get(m, 0) + d
        return Poly.of(total)

    def divided_by(self, divisor: "int | Poly") -> "Poly | None":
        """The exact quotient by a number or a polynomial of one term, None where there is none:
        `(2*i*n + 4*n).divided_by(2*n)` is `i + 2`."""
        if isinstance(divisor, Poly):
            if len(divisor.terms) != 1:
                return None
            ((factors, divisor),) = divisor.terms
            left = {without_factors(m, factors): c for m, c in self.terms}
            terms = {m: c for m, c in left.items() if m is not None}
            return Poly.of(terms).divided_by(divisor) if len(terms) == len(self.terms) else None
        if divisor == 0 or any(c % divisor for _, c in self.terms):
            return None
        return Poly(tuple((m, c // divisor) for m, c in self.terms))

    def evaluate(self, values: Mapping[Symbol, int]) -> int:
        total = 0
        for monomial, c in self.terms:
            for s in monomial:
                c *= values[s]
            total += c
        return total

    def text(self, name: Callable[[Symbol], str] = lambda s: s.name) -> str:
        """C-like text: `2*i + n - 1`."""
        parts: list[str] = []
        for monomial, c in self.terms:
            factors = [name(s) if name(s).isidentifier() else f"({name(s)})" for s in monomial]
            if abs(c) != 1 or not factors:
                factors.insert(0, str(abs(c)))
            sign = "-" if c < 0 else "+"
            parts.append(f" {sign} {'*'.join(factors)}" if parts else ("-" if c < 0 else "") + "*".join(factors))
        return "".join(parts) or "0"

    def __str__(self) -> str:
        return self.text()


def without_factors(monomial: Monomial, factors: Monomial) -> Monomial | None:
    """The monomial divided by a product of symbols; None where one is missing."""
    left = list(monomial)
    for s in factors:
        if s not in left:
            return None
        left.remove(s)
    return tuple(left)


def _product(a: Monomial, b: Monomial) -> Monomial:
    if len(a) == 1 == len(b):
        return a + b if a[0].key <= b[0].key else b + a
    return tuple(sorted(a + b, key=_key)) if a and b else a or b


ZERO = Poly()


@lru_cache(maxsize=1024)
def number(value: int) -> Poly:
    return Poly((((), value),)) if value else ZERO


def symbol(s: Symbol) -> Poly:
    return Poly((((s,), 1),))


def as_poly(value: Poly | int) -> Poly:
    return value if isinstance(value, Poly) else number(value)
