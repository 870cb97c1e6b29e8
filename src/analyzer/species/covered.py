"""Reads of values that the same work-unit has just written, by several writes or in earlier inner iterations.

*Decides*: whether every element that a read names in one iteration of the parallel loops was stored before in that
iteration. *Method*: each write, in each way in which it can come first (before it in the text; in an earlier iteration
of a loop around both), covers the points at which its own counters can be solved from the equality of subscripts;
what is left of the read's region goes to the next write, and must be empty in the end. Looks at what
`counts.covering` (one write, one place) leaves exposed.
*Errs toward* exposed: writes under conditions on data, and counters with another factor than 1 or -1, cover nothing.

    p[0] = 1;  for (j = 1; j < n; j++) p[j] = f(p[j - 1]);      ->   p[j - 1] is covered: at j = 1 by the first
"""

from collections.abc import Iterator

from ..counts.nest import Nest, Touch
from ..counts.shapes import is_regular, region_of
from ..ir.nodes import Loop
from ..ir.polynomials import Poly, Symbol, number, symbol
from ..ir.symbols import Kind, derived
from ..polyhedra.system import Feasibility, System, Work, at_least, feasible

BUDGET = 40
"""Eliminations spent on one read."""

ELIMINATION = 50
"""Steps (`polyhedra.effort`) that cost as much as one."""

Claim = tuple[Poly, ...]
"""The points at which all of these are >= 0."""


def without_covered(nest: Nest, reads: list[Touch], writes: list[Touch], chain: tuple[Loop, ...]) -> list[Touch]:
    """The reads that need values from outside of their iteration, as far as is known."""
    sure = [w for w in writes if _is_sure(nest, w)]
    return [r for r in reads if not sure or not _is_covered(nest, r, sure, frozenset(p.counter for p in chain))]


def _is_sure(nest: Nest, write: Touch) -> bool:
    _, sure = region_of(write)
    return sure and not write.scope.assumed and _has_formula(nest, write)


def _has_formula(nest: Nest, touch: Touch) -> bool:
    region, _ = region_of(touch)
    return all(is_regular(nest, s.index, region) for s in touch.access.subscripts)


def _is_covered(nest: Nest, read: Touch, writes: list[Touch], parallel: frozenset[Symbol]) -> bool:
    fitting = [w for w in writes if _same_layout(w, read)]
    if not fitting or not _has_formula(nest, read):
        return False
    nest.effort.spend(2 * len(fitting) * len(read.scope.counters))
    claims = tuple(dict.fromkeys(claim for w in fitting for claim in _claims(w, read, parallel)))
    region, _ = region_of(read)
    question = ("covered", region, claims)  # the members of one element are asked for alike
    if question not in nest.memo:
        context = (*nest.scopes.facts.constraints, *region.constraints)
        work = Work()
        nest.memo[question] = bool(claims) and _is_filled(context, claims, work)
        nest.effort.spend(work.done * ELIMINATION)
    return bool(nest.memo[question])


def _same_layout(write: Touch, read: Touch) -> bool:
    a, b = write.access, read.access
    strides = [s.stride for s in a.subscripts] == [s.stride for s in b.subscripts]
    return strides and a.offset == b.offset and a.size >= b.size


def _claims(write: Touch, read: Touch, parallel: frozenset[Symbol]) -> Iterator[Claim]:
    """Where the write has stored what the read wants, one claim per way of coming first."""
    shared = [c for c in write.scope.counters if c in read.scope.counters and c not in parallel]
    own = {c: derived(Kind.PRIMED, c, c.origin, f"{c.name}'", 0) for c in write.scope.counters if c not in parallel}
    if write.order < read.order:
        claim = _claim(write, read, own, {own[c]: symbol(c) for c in shared}, ())
        if claim is not None:
            yield claim
    for depth, c in enumerate(shared):
        same = {own[outer]: symbol(outer) for outer in shared[:depth]}
        claim = _claim(write, read, own, same, (symbol(c) - 1 - symbol(own[c]),), {own[c]: symbol(c) - 1})
        if claim is not None:
            yield claim


def _claim(
    write: Touch,
    read: Touch,
    own: dict[Symbol, Symbol],
    values: dict[Symbol, Poly],
    order: tuple[Poly, ...],
    otherwise: dict[Symbol, Poly] | None = None,
) -> Claim | None:
    """The points at which the write's counters, `values` to begin with, can be chosen so that it hits; counters that
    the subscripts leave open are chosen as in `otherwise`, or 0. None when there are none."""
    rename = {c: symbol(copy) for c, copy in own.items()}
    gaps = [
        r.index - w.index.substitute(rename)
        for r, w in zip(read.access.subscripts, write.access.subscripts, strict=True)
    ]
    if any(gap.constant for gap in gaps):  # `a[i][0]` and `a[i][1]`: what most differ in
        return None
    for position in range(len(gaps)):
        gap = gaps[position].substitute(values)
        open_counter = next((c for c in own.values() if gap.coefficient(c).constant in (1, -1)), None)
        if open_counter is not None:
            slope = gap.coefficient(open_counter).constant or 1
            solved = gap.without(open_counter) * -slope
            values = {c: v.substitute({open_counter: solved}) for c, v in values.items()} | {open_counter: solved}
    left = {c: (otherwise or {}).get(c, number(0)) for c in own.values() if c not in values}
    values = {c: v.substitute(left) for c, v in values.items()} | left
    hits = [gap.substitute(values) for gap in gaps]
    region, _ = region_of(write)
    happens = [c.substitute(rename).substitute(values) for c in region.constraints]
    claim = dict.fromkeys((*hits, *(-h for h in hits), *happens, *(o.substitute(values) for o in order)))
    if any((c.constant or 0) < 0 for c in claim):
        return None
    return tuple(c for c in claim if c.constant is None)


def _is_filled(context: Claim, claims: tuple[Claim, ...], work: Work) -> bool:
    """Whether the claims together hold every point of the context."""
    for at, claim in enumerate(claims):
        if _is_empty((*context, *claim), work):
            continue
        for condition in claim:
            left = (*context, -condition - 1)
            if not _is_empty(left, work) and not _is_filled(left, claims[at + 1 :], work):
                return False
            context = (*context, condition)
        return True
    return False


def _is_empty(context: Claim, work: Work) -> bool:
    if work.done > BUDGET:
        return False
    return feasible(System(tuple(at_least(c) for c in context)), work) is Feasibility.EMPTY
