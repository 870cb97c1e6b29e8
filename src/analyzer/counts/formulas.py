"""Closed forms as formulas that people read: polynomials and pieces become `models.expr` with C names.

A counter of a surrounding loop is written with the loop's C variable (`i`, or `(i - first) / step`); a
condition that only cuts off an empty sum becomes `max(0, ...)`:

    n*m where n - 2 >= 0 and the value is 0 at n = 2      ->      max(0, n - 2) ...
"""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from models.expr import Expr, add, ceildiv, floordiv, maximum, minimum, mod, mul, num, piecewise, sym
from models.expr.nodes import remembered

from ..ir.formula_names import iteration, version
from ..ir.nodes import Computed, Counter, Entry, Loaded, Loop, Outermost, Quotient, Remainder, Share, Steps
from ..ir.polynomials import Monomial, Poly, Symbol, number, symbol
from ..ir.symbols import Kind, derived
from ..polyhedra.powers import Fractional
from ..polyhedra.signs import Region, is_nonnegative, larger, least, rounds_down
from ..polyhedra.summation import Atoms, Piece


class Formulas:
    """Turns symbols into formulas for one loop: `loops` are the surrounding loops by key, `facts` their
    bounds."""

    def __init__(self, atoms: Atoms, loops: Mapping[int, Loop], facts: Region) -> None:
        self.atoms = atoms
        self._loops = loops
        self.facts = facts
        self._names: dict[str, Symbol] = {}
        self._symbols: dict[Symbol, Expr] = {}
        self._polynomials: dict[Poly, Expr] = {}
        self._implied: dict[tuple[Poly, ...], tuple[Poly, ...]] = {}
        self._guarded: dict[tuple[tuple[Poly, ...], Fractional], Expr] = {}
        """The last four: what was found before. The counts of one nest share symbols, conditions and sums."""

    # --- symbols

    @property
    def names(self) -> Mapping[str, Symbol]:
        """Of the symbols that were written by their C text."""
        return self._names

    def symbol(self, s: Symbol) -> Expr:
        if s not in self._symbols:
            self._symbols[s] = self._symbol(s)
        return self._symbols[s]

    def _symbol(self, s: Symbol) -> Expr:
        if s in self.atoms.parts:
            kind, parts = self.atoms.parts[s]
            return (maximum if kind == "max" else minimum)(*(self.poly(p) for p in parts))
        match s.origin:
            case Counter(loop=key):
                return self._variable(key)
            case Quotient():
                return self._quotient(s.origin)
            case Remainder(value=value, divisor=divisor, floor=True):
                return mod(self.poly(value), divisor)
            case Remainder(value=value, divisor=divisor):
                return add(self.poly(value), mul(-divisor, self._quotient(s.origin)))
            case Computed(meaning=Steps(distance=distance, width=width)):
                return maximum(0, ceildiv(self.poly(distance), maximum(1, self.poly(width))))
            case Computed(loops=(), meaning=Share(value=value, divisor=divisor)):
                return floordiv(self.poly(value), self.poly(divisor))
            case Computed(meaning=Outermost()) if (known := larger(s, self.facts)) is not None:
                return self.poly(known)
            case Computed(meaning=Outermost(kind=kind, values=(a, b))):
                return (maximum if kind == "max" else minimum)(self.poly(a), self.poly(b))
            case Entry() | Loaded() | Computed():
                return sym(self._name(s))

    def _quotient(self, origin: Quotient | Remainder) -> Expr:
        inner, divisor = self.poly(origin.value), origin.divisor
        if rounds_down(origin, self.facts):
            return floordiv(inner, divisor)
        return piecewise([(inner, floordiv(inner, divisor))], mul(-1, floordiv(mul(-1, inner), divisor)))

    def _variable(self, key: int) -> Expr:
        """The counter of a surrounding loop in terms of its C variable: (variable - first) / step."""
        loop = self._loops.get(key)
        if loop is None or loop.variable is None or loop.first is None or loop.step is None:
            return sym(iteration(loop.place.line) if loop is not None else f"iteration#{key}")
        step = loop.step.constant
        if not step:
            return sym(iteration(loop.place.line))
        offset = add(sym(loop.variable), mul(-1, self.poly(loop.first)))
        return (
            mul(offset, step) if abs(step) == 1 else floordiv(mul(offset, 1 if step > 0 else -1), abs(step))
        )

    def _name(self, s: Symbol) -> str:
        """The C text of a symbol, with its line where two different values have the same text. Values that a variable
        keeps have its name (`loops.value_names`)."""
        plain = s.name.replace("`", "'") or "?"
        match s.origin:
            case Computed(reason=reason, place=place) if place.line and "@" not in plain:
                plain = plain if plain == reason and plain.isidentifier() else version(plain, place.line)
            case _:
                pass
        line = s.origin.access.place.line if isinstance(s.origin, Loaded) else s.number
        for name in (plain, version(plain, line), f"{plain}#{s.number}"):
            if self._names.setdefault(name, s) == s:
                return name
        return f"{plain}#{s.number}"

    # --- polynomials and pieces

    def poly(self, poly: Poly) -> Expr:
        found = self._polynomials.get(poly)
        if found is None:
            found = self._polynomials[poly] = add(num(0), *(self._term(m, c) for m, c in poly.terms))
        return found

    def _term(self, monomial: Monomial, factor: int) -> Expr:
        if len(monomial) == 1:
            return mul(factor, self.symbol(monomial[0]))
        return mul(factor, *(self.symbol(s) for s in monomial))

    def pieces(self, pieces: Iterable[Piece]) -> Expr:
        """The sum of the pieces, those with the same conditions together."""
        pieces = tuple(pieces)
        self.atoms.effort.spend(sum(1 + len(p.value.poly.terms) for p in pieces))
        if len(pieces) == 1:
            return self.guarded(self._needed(pieces[0].conditions), pieces[0].value)
        grouped: dict[frozenset[Poly], list[Fractional]] = {}
        order: dict[frozenset[Poly], tuple[Poly, ...]] = {}
        for piece in pieces:
            conditions = self._needed(piece.conditions)
            key = frozenset(conditions)
            order.setdefault(key, conditions)
            grouped.setdefault(key, []).append(piece.value)
        sums = {key: Fractional.sum(values) for key, values in grouped.items()}
        if len(sums) > 1:
            sums = _complemented(sums, order)
        return add(num(0), *(self.guarded(order[key], value) for key, value in sums.items()))

    def guarded(self, conditions: tuple[Poly, ...], value: Fractional) -> Expr:
        """`value` where every condition is >= 0, else 0. A condition that is a factor of the value becomes
        `max(0, condition)`."""
        key = (conditions, value)
        if key not in self._guarded:
            self._guarded[key] = self._guard(conditions, value)
        return self._guarded[key]

    def _guard(self, conditions: tuple[Poly, ...], value: Fractional) -> Expr:
        self.atoms.effort.spend(5 + len(conditions) + 2 * len(value.poly.terms))
        factors: list[Expr] = []
        left: list[Poly] = []
        poly = value.poly
        for condition in self._needed(conditions):
            single = _unit_symbol(condition)
            if single is None or single not in value.poly.symbols:  # the value does not depend on it
                left.append(condition)
                continue
            loosened = self._loosened(condition, single, value)
            if loosened is None:
                continue
            quotient = self._divided(poly, loosened, single)
            if quotient is None:
                left.append(loosened)
            else:
                poly = quotient
                factors.append(maximum(0, self.poly(loosened)))
        result = mul(*factors, self.poly(poly)) if factors else self.poly(poly)
        if value.over != 1:
            result = result / value.over
        if not left:
            return result
        return piecewise([(minimum(*(self.poly(c) for c in left)), result)], 0)

    def _needed(self, conditions: tuple[Poly, ...]) -> tuple[Poly, ...]:
        """The conditions without those that the others imply."""
        if not conditions:
            return conditions
        if conditions not in self._implied:
            left = self._implied[conditions] = self._without_implied(conditions)
            self._implied[left] = left  # none of them is implied by fewer others
        return self._implied[conditions]

    def _without_implied(self, conditions: tuple[Poly, ...]) -> tuple[Poly, ...]:
        kept = list(dict.fromkeys(conditions))
        for condition in tuple(kept):
            others = [c for c in kept if c != condition]
            if is_nonnegative(condition, self.facts.also(*others)):
                kept = others
        return tuple(kept)

    @staticmethod
    def _loosened(condition: Poly, single: Symbol, value: Fractional) -> Poly | None:
        """The condition without the sizes at which the value is 0 anyway: n - 1 >= 0 before n*(n - 1) says
        nothing (None), n - 2 >= 0 before n - 1 becomes n - 1 >= 0, and b - a - 1 >= 0 before b - a is b - a >= 0."""
        if (condition - symbol(single)).constant is None:
            just_before = symbol(single) - condition - 1
            return condition + 1 if _vanishes(value.poly, single, just_before) else condition
        low, first = least(single), -(condition - symbol(single)).constant_term
        if low is None:
            return condition
        while first > low and _vanishes(value.poly, single, number(first - 1)):
            first -= 1
        return None if first <= low else symbol(single) - first

    @staticmethod
    def _divided(poly: Poly, condition: Poly, single: Symbol) -> Poly | None:
        """`poly / condition`, if that is a polynomial: what is 0 where the condition is 0 is a multiple of
        it."""
        if not _vanishes(poly, single, symbol(single) - condition):
            return None
        factor = derived(Kind.FACTOR, single, single.origin, "factor", 0)
        moved = poly.substitute({single: symbol(factor) - (condition - symbol(single))})
        if any(factor not in m for m, _ in moved.terms):
            return None
        once = {_without_one(m, factor): c for m, c in moved.terms}
        return Poly.of(once).substitute({factor: condition})


@remembered("_unit_symbol")
def _unit_symbol(condition: Poly) -> Symbol | None:
    """A symbol that the condition contains once, alone, with factor 1."""
    for monomial, c in condition.terms:
        if len(monomial) == 1 and c == 1 and all(monomial[0] not in m for m, _ in condition.terms if m != monomial):
            return monomial[0]
    return None


def _vanishes(poly: Poly, s: Symbol, value: Poly) -> bool:
    """Whether a polynomial is 0 wherever `s` has this value. At one point that takes a fraction of the time, and most
    fail there."""
    if s not in poly.symbols:
        return not poly.terms
    point = {other: at for at, other in enumerate(poly.symbols | value.symbols, 2)}
    return not poly.evaluate({**point, s: value.evaluate(point)}) and not poly.substitute({s: value}).terms


Guards: TypeAlias = frozenset[Poly]


def _complemented(sums: dict[Guards, Fractional], order: dict[Guards, tuple[Poly, ...]]) -> dict[Guards, Fractional]:
    """The same sum without taking away again what was added where the opposite holds: 4 - (1 where c >= 0) is
    3 + (1 where -c - 1 >= 0). `order`: the guards of each value as they are written."""
    found = dict(sums)
    for guards in sums:
        value = found[guards]
        if not guards or any(c > 0 for _, c in value.poly.terms):
            continue
        condition = next((c for c in order[guards] if guards - {c} in found), None)
        if condition is None:
            continue
        del found[guards]
        others, opposite = guards - {condition}, guards - {condition} | {-condition - 1}
        order.setdefault(opposite, tuple(-c - 1 if c == condition else c for c in order[guards]))
        negative = Fractional(-value.poly, value.over)
        found[others] = found[others] + value
        found[opposite] = found[opposite] + negative if opposite in found else negative
    return found


def _without_one(monomial: Monomial, factor: Symbol) -> Monomial:
    at = monomial.index(factor)
    return (*monomial[:at], *monomial[at + 1 :])
