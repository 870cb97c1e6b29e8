"""Sums over a nest as a `Count`: the value, and low and high where weights decide.

The value keeps branch weights and unknown trip counts as symbols (`p@12`, `trip@14`) and takes exits as
never taken. `low` and `high` are the smallest and largest value over all weights in [0, 1]: a sum is linear
in each weight, so they lie at 0 or 1. An unknown trip count has no upper bound, so neither has `high`."""

from collections.abc import Iterable
from itertools import product

from msgspec.structs import replace

from models.expr import Expr, add, maximum, minimum, num

from ..facts.loop import Count
from ..ir.polynomials import Monomial, Poly, Symbol, number
from ..ir.symbols import WEIGHTS, Kind
from ..polyhedra.powers import Fractional
from ..polyhedra.signs import is_nonnegative
from ..polyhedra.summation import Piece
from .nest import Nest
from .scopes import MOST

CORNERS = 3
"""Weights whose ends are all combined; with more of them positive and negative parts are bounded apart."""


def scaled(pieces: Iterable[Piece], factor: Poly | int) -> list[Piece]:
    by = Fractional(factor if isinstance(factor, Poly) else number(factor))
    return [Piece(p.conditions, p.value * by) for p in pieces]


def combined(pieces: Iterable[Piece]) -> list[Piece]:
    """Pieces under the same conditions added up: what one branch adds to and the other takes away is gone."""
    groups: dict[frozenset[Poly], list[Piece]] = {}
    for piece in pieces:
        groups.setdefault(frozenset(piece.conditions), []).append(piece)
    sums = (
        group[0] if len(group) == 1 else Piece(group[0].conditions, Fractional.sum([p.value for p in group]))
        for group in groups.values()
    )
    return [piece for piece in sums if piece.value.poly.terms]


def count(nest: Nest, pieces: list[Piece], complete: bool = True, assumptions: tuple[str, ...] = ()) -> Count:
    """The sum of `pieces`; `complete` is false when something that was not counted could add to it."""
    nest.effort.spend(sum(1 + len(p.value.poly.terms) for p in pieces) // 2)
    pieces = combined(pieces)
    weights = _weights(nest, pieces)
    expr = value(nest, pieces)
    said = (*assumptions, *(_said(nest, s) for s in weights), *nest.assumed())
    if not weights:
        return Count(expr, exact=complete, assumptions=said, high=None, low=None if complete else expr)
    trips = [s for s in weights if s.kind is Kind.TRIP]
    low = _bound(nest, pieces, weights, lowest=True)
    high = _bound(nest, pieces, weights, lowest=False) if complete and not trips else None
    return Count(expr, low, high, exact=False, assumptions=said)


def value(nest: Nest, pieces: list[Piece]) -> Expr:
    """A combined sum with its weights as symbols; exits are never taken, and shares are whole."""
    return nest.once(("value", tuple(pieces)), lambda: _value(nest, pieces))


def _value(nest: Nest, pieces: list[Piece]) -> Expr:
    ends = {s: number(1) for s in _weights(nest, pieces) if s.kind in (Kind.EXIT, Kind.SHARE)}
    return nest.formulas.pieces(_at(pieces, ends))


def most(nest: Nest, pieces: list[Piece]) -> tuple[Expr | None, tuple[str, ...]]:
    """The largest value of a combined sum over all weights, None when there is none, and what it assumes."""
    weights = _weights(nest, pieces)
    said = (*(_said(nest, s) for s in weights), *nest.assumed())
    if any(s.kind is Kind.TRIP for s in weights):
        return None, said
    return _bound(nest, pieces, weights, lowest=False), said


def _weights(nest: Nest, pieces: list[Piece]) -> list[Symbol]:
    if not nest.scopes.weights.places:
        return []
    return sorted({s for p in pieces for s in p.value.poly.symbols if s.kind in WEIGHTS}, key=lambda s: s.number)


def _said(nest: Nest, weight: Symbol) -> str:
    weights = nest.scopes.weights
    if weight in weights.shared.values():
        return f"{weight.name}: the same for all that comes after {MOST} others (too-complex to be counted apart)"
    line = weights.places[weight].line
    match weight.kind:
        case Kind.BRANCH:
            return f"{weight.name}: how often the condition in line {line} holds"
        case Kind.TRIP:
            return f"{weight.name}: mean number of iterations of the loop in line {line}"
        case Kind.SHARE:
            return f"every iteration of the loop in line {line} is as long as the longest (too-complex to be counted)"
        case _:
            return f"no exit or longer step in line {line} ends the loop early"


def _at(pieces: list[Piece], values: dict[Symbol, Poly]) -> list[Piece]:
    if not values:
        return pieces
    return [Piece(p.conditions, Fractional(p.value.poly.substitute(values), p.value.over)) for p in pieces]


def _bound(nest: Nest, pieces: list[Piece], weights: list[Symbol], lowest: bool) -> Expr:
    """The smallest or largest value over the weights; unknown trip counts are 0 (they are only in `low`). Many arrays
    are used in the same places: their sums are bounded once."""
    return nest.once(("bound", tuple(pieces), lowest), lambda: _bounded(nest, pieces, weights, lowest))


def _bounded(nest: Nest, pieces: list[Piece], weights: list[Symbol], lowest: bool) -> Expr:
    nest.effort.spend(sum(2 + 2 * len(p.value.poly.terms) for p in pieces))
    pieces = _at(pieces, {s: number(0) for s in weights if s.kind is Kind.TRIP})
    free = [s for s in weights if s.kind is not Kind.TRIP]
    directions = _directions(nest, pieces, frozenset(free))
    fixed = {weight: number(int(rises != lowest)) for weight, rises in directions.items()}
    pieces = _at(pieces, fixed)
    free = [s for s in free if s not in fixed and any(s in p.value.poly.symbols for p in pieces)]
    if len(free) > CORNERS:
        return _apart(nest, pieces, free, lowest)
    corners = [
        nest.formulas.pieces(_at(pieces, {s: number(end) for s, end in zip(free, ends, strict=True)}))
        for ends in product((0, 1), repeat=len(free))
    ]
    return (minimum if lowest else maximum)(*corners)


def _directions(nest: Nest, pieces: list[Piece], weights: frozenset[Symbol]) -> dict[Symbol, bool]:
    """True for a weight with which the sum grows wherever the others are, False for one with which it falls; those of
    which neither is known are left out."""
    facts = nest.scopes.facts
    rises: dict[Symbol, bool] = dict.fromkeys(weights, True)
    falls: dict[Symbol, bool] = dict.fromkeys(weights, True)
    for piece in pieces:
        sign = _sign(piece.value.poly)
        if sign:  # every term grows, or falls, with each of its weights
            (falls if sign > 0 else rises).update(dict.fromkeys(weights & piece.value.poly.symbols, False))
            continue
        region = facts.also(*piece.conditions)
        for weight, slope in _slopes(piece.value.poly, weights).items():
            rises[weight] = rises[weight] and is_nonnegative(slope, region)
            falls[weight] = falls[weight] and is_nonnegative(-slope, region)
    return {weight: rises[weight] for weight in weights if rises[weight] or falls[weight]}


def _sign(poly: Poly) -> int:
    """1 where no term can be negative, -1 where none can be positive, 0 where that is not plain to see."""
    if any(s.low is None or s.low < 0 for s in poly.symbols):
        return 0
    signs = {c > 0 for _, c in poly.terms}
    return 0 if len(signs) > 1 else 1 if True in signs else -1


def _slopes(poly: Poly, weights: frozenset[Symbol]) -> dict[Symbol, Poly]:
    """What multiplies each weight; a weight occurs once in a monomial."""
    found: dict[Symbol, dict[Monomial, int]] = {}
    for monomial, c in poly.terms:
        for at, s in enumerate(monomial):
            if s in weights:
                found.setdefault(s, {})[(*monomial[:at], *monomial[at + 1 :])] = c
    return {s: Poly.of(terms) for s, terms in found.items()}


def _apart(nest: Nest, pieces: list[Piece], free: list[Symbol], lowest: bool) -> Expr:
    """A bound, not the smallest value: terms that add taken at weight 0, those that take away at 1 (or the
    reverse)."""
    chosen: list[Piece] = []
    mine = set(free)
    for piece in pieces:
        terms: dict[Monomial, int] = {}
        for monomial, c in piece.value.poly.terms:
            if mine.isdisjoint(monomial):
                terms[monomial] = terms.get(monomial, 0) + c
            elif (c < 0) == lowest:
                left = tuple(s for s in monomial if s not in mine)
                terms[left] = terms.get(left, 0) + c
        chosen.append(Piece(piece.conditions, Fractional(Poly.of(terms), piece.value.over)))
    return nest.formulas.pieces(chosen)


def total(nest: Nest, name: str) -> Count:
    """The count `name` of the whole nest, per entry."""
    pieces: list[Piece] = []
    for scope, tally in nest.tallies:
        n = tally.get(name)
        if n:
            pieces += scaled(scope.runs, n)
    return count(nest, pieces, complete=not nest.unknown, assumptions=tuple(nest.unknown))


def or_more(count: Count) -> Count:
    """The count as a lower bound: something that is not counted may add to it."""
    return replace(count, exact=False, low=count.expr if count.exact else count.low, high=None)


def plus(counts: Iterable[Count | None]) -> Count | None:
    """The sum of counts: exact when all are, unknown when one is."""
    values: list[Expr] = []
    found: list[Count] = []
    for c in counts:
        if c is None or c.expr is None:
            return None
        values.append(c.expr)
        found.append(c)
    value = add(num(0), *values)
    assumptions = tuple(dict.fromkeys(text for c in found for text in c.assumptions))
    if all(c.exact for c in found):
        return Count(value, assumptions=assumptions)
    lows = [v if c.exact else num(0) if c.low is None else c.low for c, v in zip(found, values, strict=True)]
    highs = [v if c.exact else c.high for c, v in zip(found, values, strict=True)]
    high = None if None in highs else add(num(0), *(h for h in highs if h is not None))
    return Count(value, add(num(0), *lows), high, False, assumptions)
