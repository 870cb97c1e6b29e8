"""Numbers of integer points by barvinok, for regions that closed forms do not count.

    number of points of { k1, k2, ... : every constraint >= 0 }   =   pieces with floors of sizes

*Decides*: the same as `summation.total` for a value free of counters. *Method*: the region as isl's text, a monomial of
sizes as one parameter (its factors do not matter to the count); `Set.card()` in a helper process; its quasi-polynomials
back as polynomials in sizes and in floors of them. *Source*: S. Verdoolaege et al., "Counting integer points in
parametric polytopes using Barvinok's rational functions", Algorithmica 48, 2007. *Errs toward* None: no barvinok here
(plain islpy has no `card`), a counter times a size, more than `PIECES` cases, the CPU time of a question exceeded.

    0 <= i < n, 0 <= j <= i/2 (floor)     ->      floor of (n + 1)^2 / 4, as n - floor(n/2) ...
"""

import json
import os
from collections.abc import Iterator
from fractions import Fraction
from functools import cache, lru_cache
from importlib.util import find_spec
from math import lcm
from typing import Any

from msgspec import Struct, field

from ..ir.nodes import Quotient, Remainder
from ..ir.polynomials import Monomial, Poly, Symbol, number
from . import helper
from .signs import Region, least, rounds_down

PIECES = 24
TERMS = 250
"""Cases of one count, and terms of all of them: a longer formula helps nobody and costs everybody."""


GAVE_UP = "barvinok"
"""Among the answers of a nest: one of its counts was too much, no other is tried."""


class NotAffineError(Exception):
    """The region is no set of affine constraints."""


def counted(region: Region, atoms: Any, facts: Region) -> list[tuple[tuple[Poly, ...], Poly, int]] | None:
    """The number of points as (conditions, numerator, denominator), to be added up; None when that is not known."""
    if GAVE_UP in atoms.answers:
        return None
    writer = _Writer(region)
    try:
        constraints = [writer.affine(c) for c in region.constraints]
    except NotAffineError:
        return None
    names = ", ".join(f"c{i}" for i in range(len(region.counters)))
    known = writer.known(facts)
    parameters = ", ".join(writer.parameters.values())
    body = " and ".join(f"{c} >= 0" for c in (*constraints, *known)) or "true"
    context = " and ".join(f"{c} >= 0" for c in known) or "true"
    answer = _asked(f"[{parameters}] -> {{ [{names}] : {body} }}; [{parameters}] -> {{ : {context} }}")
    if not answer:
        if answer is None:
            atoms.answers[GAVE_UP] = True
        return None
    reader = _Reader([Poly(((m, 1),)) for m in writer.parameters], atoms)
    return [reader.piece(piece) for piece in json.loads(answer)]


@lru_cache(maxsize=256)
def _asked(question: str) -> str | None:
    """The helper's answer; the loops of one nest ask the same question each."""
    return helper.ask(card, question) if is_here() else ""


@cache
def is_here() -> bool:
    """Whether the islpy that is installed has barvinok. Its package has a name of its own: loading it to see takes a
    tenth of a run over a short file."""
    found = find_spec("islpy")
    if found is None or found.origin is None:
        return False
    beside = os.listdir(os.path.dirname(os.path.dirname(found.origin)))
    return any(name.startswith("islpy_barvinok-") for name in beside)


# --- polynomials as isl's text


class _Writer(Struct):
    region: Region
    parameters: dict[Monomial, str] = field(default_factory=dict)

    def affine(self, poly: Poly) -> str:
        """Raises NotAffineError when a counter occurs with anything but a number."""
        return " + ".join(f"{c}{self._factor(m)}" for m, c in poly.terms) or "0"

    def _factor(self, monomial: Monomial) -> str:
        if not monomial:
            return ""
        if not any(self._moves(s) for s in monomial):
            return f"*{self.parameters.setdefault(monomial, f'p{len(self.parameters)}')}"
        if len(monomial) > 1:
            raise NotAffineError
        (only,) = monomial
        if only in self.region.counters:
            return f"*c{self.region.counters.index(only)}"
        return f"*{self._rounded(only)}"

    def _moves(self, s: Symbol) -> bool:
        match s.origin:
            case Quotient(value=value) | Remainder(value=value):
                return any(self._moves(inner) for inner in value.symbols)
            case _:
                return s in self.region.counters

    def _rounded(self, s: Symbol) -> str:
        match s.origin:
            case Quotient(value=value, divisor=d) | Remainder(value=value, divisor=d):
                if not rounds_down(s.origin, self.region):
                    raise NotAffineError
                text = self.affine(value)
                quotient = isinstance(s.origin, Quotient)
                return f"floor(({text})/{d})" if quotient else f"(({text}) mod {d})"
            case _:
                raise NotAffineError

    def known(self, facts: Region) -> list[str]:
        """What is certain of the parameters: sizes are not negative, counters around lie within their loops."""
        found = []
        for monomial, name in self.parameters.items():
            lows = [least(s) for s in monomial]
            if all(low is not None and (low >= 0 or len(lows) == 1) for low in lows):
                low = 1
                for each in lows:
                    low *= each or 0
                found.append(f"{name} - {low}")
        for fact in facts.constraints:
            if all(m in self.parameters for m, _ in fact.terms if m):
                found.append(self.affine(fact))
        return found


# --- in the helper process


def card(question: str) -> str:
    """The pieces of the number of points as JSON; empty where there is no barvinok, or too many pieces.

    Term ::= [numerator, denominator, [factor*]], factor ::= parameter | [divisor, [term*]] (a floor)"""
    try:
        import islpy as isl

        points: Any  # of plain islpy it has no `card`
        points, context = (isl.Set(text) for text in question.split(";"))
        number_of = points.card().gist_params(context).coalesce()
    except (ImportError, AttributeError):
        return ""
    except isl.Error:
        return ""
    pieces = [
        {"conditions": conditions, "terms": _terms(value)}
        for domain, value in number_of.get_pieces()
        for conditions in _conditions(domain)
    ]
    terms = sum(len(piece["terms"]) for piece in pieces)
    return json.dumps(pieces) if len(pieces) <= PIECES and terms <= TERMS else ""


def _conditions(domain: Any) -> Iterator[list[Any]]:
    """Per disjoint part of a domain: its constraints, each a list of terms that is >= 0."""
    for part in domain.make_disjoint().compute_divs().get_basic_sets():
        conditions = []
        for constraint in part.get_constraints():
            terms = _affine_terms(constraint, [constraint.get_div(i) for i in range(_divs(constraint))])
            conditions.append(terms)
            if constraint.is_equality():
                conditions.append([[-n, d, f] for n, d, f in terms])
        yield conditions


def _divs(of: Any) -> int:
    import islpy as isl

    found: int = of.dim(isl.dim_type.div)
    return found


def _affine_terms(of: Any, floors: list[Any]) -> list[Any]:
    """An affine expression or constraint over parameters and floors."""
    import islpy as isl

    terms = [[*_fraction(of.get_constant_val()), []]]
    for i in range(of.dim(isl.dim_type.param)):
        terms.append([*_fraction(of.get_coefficient_val(isl.dim_type.param, i)), [i]])
    for i, inside in enumerate(floors):
        terms.append([*_fraction(of.get_coefficient_val(isl.dim_type.div, i)), [_floor(inside)]])
    return [t for t in terms if t[0]]


def _floor(inside: Any) -> list[Any]:
    """floor(inside) as [divisor, terms with integer coefficients]."""
    terms = _affine_terms(inside, [inside.get_div(i) for i in range(_divs(inside))])
    divisor = lcm(*(d for _, d, _ in terms)) if terms else 1
    return [divisor, [[n * divisor // d, 1, f] for n, d, f in terms]]


def _terms(value: Any) -> list[Any]:
    """A quasi-polynomial, term by term."""
    import islpy as isl

    found: list[Any] = []

    def take(term: Any) -> None:
        factors: list[Any] = []
        for i in range(term.dim(isl.dim_type.param)):
            factors += [i] * term.get_exp(isl.dim_type.param, i)
        for i in range(term.dim(isl.dim_type.div)):
            if exponent := term.get_exp(isl.dim_type.div, i):
                factors += [_floor(term.get_div(i))] * exponent
        found.append([*_fraction(term.get_coefficient_val()), factors])

    value.foreach_term(take)
    return found


def _fraction(value: Any) -> tuple[int, int]:
    exact = Fraction(str(value))
    return exact.numerator, exact.denominator


# --- and back


class _Reader(Struct):
    parameters: list[Poly]
    atoms: Any

    def piece(self, piece: Any) -> tuple[tuple[Poly, ...], Poly, int]:
        over = lcm(*(d for _, d, _ in piece["terms"])) if piece["terms"] else 1
        conditions = tuple(self._sum(c, 1) for c in piece["conditions"])
        return conditions, self._sum(piece["terms"], over), over

    def _sum(self, terms: list[Any], over: int) -> Poly:
        total = number(0)
        for n, d, factors in terms:
            product = number(int(Fraction(n, d) * over))
            for factor in factors:
                product = product * (self.parameters[factor] if isinstance(factor, int) else self._floor(factor))
            total = total + product
        return total

    def _floor(self, factor: list[Any]) -> Poly:
        divisor, terms = factor
        found: Poly = self.atoms.floor(self._sum(terms, 1), divisor)
        return found
