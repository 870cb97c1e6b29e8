"""Is what a read touches stored by earlier writes of the same iteration?

*Decides*: whether, at every point of a context, one of some writes happened and hit a target; one write alone, or
several together. It is asked by array privatisation (`dependence.private_arrays`, `first_private`), by transfers and by
species (`counts.covering`): they say when a write comes first (`Claim`), and never decide themselves.
*Method*: the counters of a write are solved from the equality of subscripts, one after the other (each with a constant
coefficient that divides the rest); bounds and conditions of the write must then follow from the context. Of several
writes, no point of the context may be outside of what all of them allow.
*Errs toward* not covered.

    target j - 1 for 1 <= j < m; writes: p[0], and p[k] for 1 <= k < j    ->  covered: at j = 1 by the first
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from ..ir.nodes import Quotient, Remainder
from ..ir.polynomials import ZERO, Poly, Symbol, number, symbol
from ..polyhedra.system import (
    Conjunction,
    Constraint,
    Feasibility,
    System,
    Work,
    at_least,
    either,
    equal,
    feasible,
    holds,
    proves,
)

MOST_TOGETHER = 16
"""Writes that cover a read together: those of a matrix of four rows and columns."""

MOST_OPEN = 4
"""Conditions of each that the read does not imply."""


class Claim(Struct, frozen=True):
    """What must hold for a write to be executed: `unknown` are its counters, to be chosen freely; `starts` are choices
    to try, the rest of which the subscripts decide: the counters of the same loops at the access to be covered."""

    indices: tuple[Poly, ...]
    conditions: Conjunction
    unknown: frozenset[Symbol] = frozenset()
    starts: tuple[Mapping[Symbol, Poly], ...] = ({},)


def one_earlier(claim: Claim, again: Sequence[Symbol], copies: Mapping[Symbol, Symbol]) -> Claim:
    """The claim of the write in an earlier iteration of the loop that `again[0]` counts; the loops inside it that are
    around both accesses count anew. `copies`: their counters at the write."""
    renamed = {c: symbol(copies[c]) for c in again}
    first = copies[again[0]]
    gap = at_least(symbol(again[0]) - symbol(first) - 1)
    conditions = (*(replace(c, value=c.value.substitute(renamed)) for c in claim.conditions), gap)
    just_before = {first: symbol(again[0]) - 1}
    same = {copies[c]: symbol(c) for c in again[1:]} | just_before
    starts = ({}, just_before, same) if len(again) > 1 else ({}, just_before)
    unknown = claim.unknown.union(copies[c] for c in again)
    return Claim(tuple(i.substitute(renamed) for i in claim.indices), conditions, unknown, starts)


def is_covered(context: System, target: tuple[Poly, ...], claims: Sequence[Claim], work: Work) -> bool:
    """Whether writes hit the target everywhere in `context`: one of them, or several together. Example: see the
    module."""
    found: dict[Conjunction, None] = {}
    for claim in claims:
        for given in _choices(target, claim):
            open_ = _open(context, target, claim, given, work)
            if not open_:
                return True
            if len(open_) <= MOST_OPEN:
                found[open_] = None
    outside = System()
    parts = [part for part in found if not _is_never(context, part, work)] if len(found) > 1 else []
    for part in parts[:MOST_TOGETHER]:
        outside += either(*(c for condition in part for c in _not(condition)))
    return len(parts) > 1 and feasible(context + outside, work) is Feasibility.EMPTY


def is_hit(context: System, target: tuple[Poly, ...], claim: Claim, work: Work) -> bool:
    """Whether counters can be chosen so that the write happens and hits the target, everywhere in `context`."""
    return any(
        all(_follows(context, c, work) for c in _demanded(context, target, claim, given))
        for given in _choices(target, claim)
    )


def _choices(target: tuple[Poly, ...], claim: Claim) -> Iterator[Mapping[Symbol, Poly]]:
    """The choices of counters to try."""
    yield from claim.starts
    yield from _digit_by_digit(target, claim)


def _digit_by_digit(target: tuple[Poly, ...], claim: Claim) -> Iterator[Mapping[Symbol, Poly]]:
    """The choice of counters for which two subscripts like `4*a + b` agree in each digit, but for the last one, which
    the rest decides; that of a number has the digits 7 / 4 and 7 % 4."""
    chosen: dict[Symbol, Poly] = {}
    for wanted, index in zip(target, claim.indices, strict=True):
        slopes = [(c, m[0]) for m, c in index.terms if len(m) == 1 and m[0] in claim.unknown and c > 1]
        left = (wanted - index.constant_term).constant
        for slope, counter in sorted(slopes, key=lambda each: -each[0]):
            alike = [m[0] for m, c in wanted.terms if len(m) == 1 and c == slope]
            if left is not None:
                chosen[counter], left = number(left // slope), left % slope
            elif len(alike) == 1:
                chosen[counter] = symbol(alike[0])
    if chosen:
        yield chosen


def _follows(context: System, c: Constraint, work: Work) -> bool:
    if holds(c) is False:  # of constant subscripts, most: one answer for all of them
        return feasible(context, work) is Feasibility.EMPTY
    return proves(context, c, work)


def _open(
    context: System, target: tuple[Poly, ...], claim: Claim, given: Mapping[Symbol, Poly], work: Work
) -> Conjunction:
    """What the read itself does not imply of the conditions under which a write reaches it; no more than are too
    many."""
    open_ = (c for c in _demanded(context, target, claim, given) if not _follows(context, c, work))
    return tuple(islice(open_, MOST_OPEN + 1))


def _is_never(context: System, conditions: Conjunction, work: Work) -> bool:
    """Whether one of the conditions never holds."""
    return any(feasible(context + System((c,)), work) is Feasibility.EMPTY for c in conditions)


def _not(c: Constraint) -> tuple[Conjunction, ...]:
    return ((at_least(c.value - 1),), (at_least(-c.value - 1),)) if c.equal else ((at_least(-c.value - 1),),)


def _demanded(
    context: System, target: tuple[Poly, ...], claim: Claim, given: Mapping[Symbol, Poly]
) -> Iterator[Constraint]:
    """What that choice of counters needs: that the write happens, and that it hits the target."""
    values = dict(given)
    for wanted, index in zip(target, claim.indices, strict=True):
        index = index.substitute(values)
        open_counters = sorted((s for s in index.symbols if s in claim.unknown), key=lambda s: s.key)
        if not open_counters:
            continue
        for s in open_counters:
            slope = index.coefficient(s).constant or 0
            solved = ((wanted - index.without(s)) * (1 if slope > 0 else -1)).divided_by(abs(slope)) if slope else None
            if solved is not None:
                values = {t: v.substitute({s: solved}) for t, v in values.items()} | {s: solved}
                break
    values |= {s: ZERO for s in claim.unknown if s not in values}
    values = {s: _closed(v, values) for s, v in values.items()}
    values |= _same_parts(context, claim, values)
    yield from (equal(w - i.substitute(values)) for w, i in zip(target, claim.indices, strict=True))
    yield from (Constraint(c.value.substitute(values), c.equal) for c in claim.conditions)


def _same_parts(context: System, claim: Claim, values: Mapping[Symbol, Poly]) -> dict[Symbol, Poly]:
    """Quotients and remainders of the claim that are those of the context once the choice is made: `l % 2` in both."""
    polys = (*claim.indices, *(c.value for c in claim.conditions))
    wanted = {s for p in polys for s in p.symbols if isinstance(s.origin, Quotient | Remainder)}
    known = {s.origin: s for c in context.constraints for s in c.value.symbols if wanted}
    found = {}
    for s in wanted:
        assert isinstance(s.origin, Quotient | Remainder)
        same = known.get(replace(s.origin, value=s.origin.value.substitute(dict(values))))
        if same is not None:
            found[s] = symbol(same)
    return found


def _closed(value: Poly, values: dict[Symbol, Poly]) -> Poly:
    """The value with counters that were chosen as 0 put in."""
    return value.substitute({s: v for s, v in values.items() if v == ZERO})


