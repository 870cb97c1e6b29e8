"""Polynomials and predicates as isl formulas over the variables of a nest and its parameters.

*Exact* when said; what is not affine is left out, so that a formula that is not exact holds in more points, never in
fewer. C's truncating `/` and `%` become an unknown of their own with its definition, case by case of the sign.
"""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from msgspec import Struct

from ..ir.nodes import All, Any, Compare, Data, Entry, Loaded, Loop, Predicate, Quotient, Remainder
from ..ir.polynomials import ZERO, Poly, Symbol, number, symbol
from ..ir.symbols import Kind, derived
from .names import Names


class Formula(Struct, frozen=True):
    """`text` in isl's syntax, empty for true. `exact`: it holds nowhere else."""

    text: str = ""
    exact: bool = True

    def __and__(self, other: "Formula") -> "Formula":
        texts = [f.text for f in (self, other) if f.text]
        return Formula(" and ".join(dict.fromkeys(texts)), self.exact and other.exact)


RELAXED = Formula(exact=False)


def either(formulas: Iterable[Formula]) -> Formula:
    """Where one of them holds."""
    found = list(formulas)
    exact = all(f.exact for f in found)
    if any(not f.text for f in found):
        return Formula(exact=exact)
    return Formula("(" + " or ".join(f"({f.text})" for f in found) + ")", exact)


Unknown: TypeAlias = tuple[str, str]
"""An unknown of its own, and the formula that defines it."""


class Affine(Struct, frozen=True):
    """An affine expression, and the unknowns in it."""

    text: str
    unknowns: tuple[Unknown, ...] = ()

    def formula(self, text: str) -> Formula:
        """A formula that holds this expression, its unknowns bound."""
        if not self.unknowns:
            return Formula(text)
        names = ", ".join(name for name, _ in self.unknowns)
        defined = " and ".join(definition for _, definition in self.unknowns)
        return Formula(f"(exists ({names} : {defined} and {text}))")


class Space:
    """The variables of the loops of a nest and everything invariant in it.

    A loop that steps by 1 has C's variable as its dimension; another one counts its iterations. The loops `around` are
    parameters in the same way. `varies` says of a symbol whether it may change while the nest runs: then it is in no
    formula. `symbols` collects the parameters, `products` those that stand for a product."""

    def __init__(
        self, loops: Iterable[Loop], varies: Callable[[Symbol], bool], around: Iterable[Loop] = ()
    ) -> None:
        self.names = Names()
        self.dimensions: dict[int, str] = {}
        self.counting: dict[str, Loop] = {}
        self.parameters: dict[str, Symbol | None] = {}
        self.products: dict[str, tuple[Symbol, ...]] = {}
        self.symbols: set[Symbol] = set()
        loops = tuple(loops)
        self._root = loops[0].key if loops else 0
        self._varies = varies
        self._images: dict[Symbol, Poly] = {}
        self._dims: dict[Symbol, str] = {}
        self._unknowns = 0
        for loop in around:
            self._shown(loop)
        for loop in loops:
            shown = self._shown(loop)
            name = self.names.of(("loop", shown.name), shown.name)
            self._dims[shown] = self.dimensions[loop.key] = name

    def _shown(self, loop: Loop) -> Symbol:
        """What stands for the counter of a loop from here on: C's variable, or a count under its name."""
        first = loop.first.substitute(self._images) if loop.first is not None else None
        steps = loop.variable is not None and first is not None and loop.step is not None and loop.step.constant == 1
        name = loop.variable if steps and loop.variable else f"{loop.variable or 'k'}_it"
        shown = derived(
            Kind.VARIABLE if steps else Kind.ITERATION, loop.counter, loop.counter.origin, name, None if steps else 0
        )
        self._images[loop.counter] = symbol(shown) - (first if steps and first is not None else ZERO)
        if not steps:
            self.counting[name] = loop
        return shown

    # --- expressions

    def affine(self, value: Poly) -> Affine | None:
        """The value as an affine expression; None when it is none, or changes with more than the loops."""
        parts: list[str] = []
        unknowns: dict[str, str] = {}
        for monomial, c in value.substitute(self._images).terms:
            if not monomial:
                parts.append(str(c))
                continue
            found = self._symbol(monomial[0]) if len(monomial) == 1 else self._product(monomial)
            if found is None:
                return None
            unknowns |= dict(found.unknowns)
            parts.append(found.text if c == 1 else f"{c}*{found.text}")
        return Affine(" + ".join(parts).replace("+ -", "- ") or "0", tuple(unknowns.items()))

    def text(self, value: Poly) -> str:
        """The value in the names of the dump, for a comment."""
        return value.substitute(self._images).text(lambda s: self._dims.get(s, s.name))

    def _symbol(self, s: Symbol) -> Affine | None:
        if s in self._dims:
            return Affine(self._dims[s])
        match s.origin:
            case Quotient(value=value, divisor=d, floor=floor):
                return self._divided(value, d, floor, remainder=False)
            case Remainder(value=value, divisor=d, floor=floor):
                return self._divided(value, d, floor, remainder=True)
            case _:
                return None if self._varies(s) else Affine(self._parameter(s))

    def _product(self, monomial: tuple[Symbol, ...]) -> Affine | None:
        """A product of invariants is a parameter of its own."""
        invariant = all(s not in self._dims and not self._varies(s) for s in monomial)
        if not invariant or any(isinstance(s.origin, Quotient | Remainder) for s in monomial):
            return None
        self.symbols.update(monomial)
        name = self.names.of(monomial, " * ".join(s.name for s in monomial))
        self.parameters.setdefault(name, None)
        self.products[name] = monomial
        return Affine(name)

    def _parameter(self, s: Symbol) -> str:
        """Two readings of one place that nothing changes in between are one parameter."""
        key: object = s
        match s.origin:
            case Loaded(access=access):
                key = (access.object, access.subscripts, access.field, s.origin.defined_before(self._root))
            case Entry(variable=variable, line=line):
                key = (variable.key, line, s.name)
            case _:
                pass
        self.symbols.add(s)
        name = self.names.of(("parameter", key), s.name)
        self.parameters.setdefault(name, s)
        return name

    def _divided(self, value: Poly, d: int, floor: bool, remainder: bool) -> Affine | None:
        inner = self.affine(value)
        if inner is None:
            return None
        self._unknowns += 1
        name, v = f"q{self._unknowns}", f"({inner.text})"
        down, up = f"floor({v}/{d})", f"-floor(-{v}/{d})"
        if remainder:
            down, up = f"{v} - {d}*{down}", f"{v} - {d}*({up})"
        cases = f"{name} = {down}" if floor else f"(({v} >= 0 and {name} = {down}) or ({v} < 0 and {name} = {up}))"
        return Affine(name, (*inner.unknowns, (name, cases)))

    # --- formulas

    def at_least_zero(self, value: Poly) -> Formula:
        found = self.affine(value)
        return RELAXED if found is None else found.formula(f"{found.text} >= 0")

    def holds(self, predicate: Predicate) -> Formula:
        """The predicate, as far as it is affine."""
        match predicate:
            case Compare(value=value, relation=">="):
                return self.at_least_zero(value)
            case Compare(value=value, relation=relation):
                found = self.affine(value)
                sign = "=" if relation == "==" else "!="
                return RELAXED if found is None else found.formula(f"{found.text} {sign} 0")
            case All(parts=parts):
                total = Formula()
                for part in parts:
                    total &= self.holds(part)
                return total
            case Any(parts=parts):
                return either(self.holds(part) for part in parts)
            case Data():
                return RELAXED

    def running(self, loop: Loop, once_more: bool = False) -> Formula:
        """The values of the loop's variable while its body runs, or with its last test (`once_more`)."""
        k = symbol(loop.counter)
        start = self.at_least_zero(k)
        if loop.trip is None:
            return start & RELAXED
        last = k - 1 if once_more else k
        inside = Formula()
        for ratio in loop.trip:
            inside &= self.at_least_zero(ratio.numerator - last * ratio.denominator - 1)
        if once_more or loop.at_least:
            always = self.at_least_zero(number(max(loop.at_least - 1, 0)) - k)
            inside = either((inside, always))
        return start & inside & Formula(exact=loop.exact_trip)

    def context(self, around: Iterable[Loop], under: Iterable[Predicate]) -> str:
        """What is known of the parameters inside these loops and conditions, and by their types, as a formula."""
        total = Formula()
        for known in (*map(self.running, around), *map(self.holds, under)):
            total &= known
        limits = [total.text] if total.text else []
        for name, factors in self.products.items():
            if all(s.low is not None and s.low >= 0 for s in factors):
                limits.append(f"{name} >= 0")
        for name, s in self.parameters.items():
            if s is not None and s.low is not None and abs(s.low) < LARGE:
                limits.append(f"{name} >= {s.low}")
            if s is not None and s.high is not None and abs(s.high) < LARGE:
                limits.append(f"{name} <= {s.high}")
        return " and ".join(limits)


LARGE = 1 << 20
"""Limits of wide types say nothing that matters here."""
