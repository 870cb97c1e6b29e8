"""Iterations that touch strips of one length: what has to be small enough for none to reach into another one.

*Decides*: for two accesses at `c * x + rest`, where x counts the iterations of the loop and c is a number, conditions
under which both rests are in 0 .. c - 1, so that no two iterations meet. `at-most(e<=m)`: e, a size or offset that the
loop does not change, or any value of an index array that it uses, is not larger than m; `at-least(e>=0)`: nor below 0.
*Method*: the rest beyond what both have in common, at its largest and its smallest over the inner loops.
*Does not handle*: strips of a length that is no number.

    for (b = 0; b < boxes; b++) for (a = 0; a < atoms[b]; a++) f[64 * b + a] = 0;     ->  at-most(atoms<=64)
    *(double *)((char *)&site[i] + to) = *(double *)((char *)&site[i] + from);        ->  at-most(from<=56, to<=56)
"""

from math import gcd

from ..access.accesses import Occurrence
from ..access.domains import domain
from ..access.subscripts import byte_offset
from ..facts.loop import Assumption
from ..ir.nodes import Counter
from ..ir.polynomials import Poly, Symbol, number, symbol
from ..ir.reasons import AssumptionKind
from ..ir.symbols import Kind, derived
from ..polyhedra.loop_bounds import extremes
from ..polyhedra.system import Feasibility, System, at_least, feasible, proves
from .scope import Scope
from .size_names import of_values


def inside_strips(scope: Scope, source: Occurrence, sink: Occurrence) -> frozenset[Assumption] | None:
    """The conditions under which the two accesses, in rows that are the same, stay in the strips of their iterations;
    None where nobody can name them. Example: see the module."""
    places = [byte_offset(o.access) for o in (source, sink)]
    if None in places or not source.access.size or not sink.access.size:
        return None
    a, b = (place for place in places if place is not None)
    if not a.is_linear_in((scope.loop.counter,)) or not b.is_linear_in((scope.loop.counter,)):
        return None
    lengths = {place.coefficient(scope.loop.counter) for place in (a, b)}
    length = abs(next(iter(lengths)).constant or 0)
    if len(lengths) > 1 or not length:
        return None
    rests = [place.without(scope.loop.counter) for place in (a, b)]
    common = _common(scope, *rests)
    needed: set[Assumption] = set()
    for o, rest in zip((source, sink), rests, strict=True):
        for sign, end in ((-1, 0), (1, length - o.access.size)):
            found = _stays(scope, o, rest - common, sign, end)
            if found is None:
                return None
            needed |= found
    return frozenset(needed)


def _common(scope: Scope, a: Poly, b: Poly) -> Poly:
    """What two places have in common in all iterations."""
    mine, its = dict(a.terms), dict(b.terms)
    alike = {m: c for m, c in mine.items() if its.get(m) == c and not any(map(scope.varies, m))}
    return Poly.of(alike)


def _stays(scope: Scope, o: Occurrence, rest: Poly, sign: int, end: int) -> frozenset[Assumption] | None:
    """The conditions under which the rest of a place is never beyond that end of its strip (+1), or in front of it
    (-1)."""
    around = domain(o)
    if proves(around, at_least((number(end) - rest) * sign)):
        return frozenset()
    inner = tuple(loop for loop in o.loops if loop.key in scope.inner)
    ends = extremes(rest, inner, sign)
    if len(ends) != 1 or ends[0].given:
        return None
    if feasible(around + System((at_least((number(end) - ends[0].value) * sign),))) is Feasibility.EMPTY:
        return None  # the program says that it is larger
    text = _bound(scope, ends[0].value, sign, end)
    kind = AssumptionKind.AT_MOST if sign > 0 else AssumptionKind.AT_LEAST
    return None if text is None else frozenset({Assumption(kind, text, o.line)})


def _bound(scope: Scope, value: Poly, sign: int, end: int) -> str | None:
    """`value <= end`, or `value >= end` (-1), in C; None where a name in it means nothing before the loop, or nothing
    is small enough."""
    names = {s: _name(scope, s) for s in value.symbols}
    if None in names.values() or not names:
        return None
    end -= value.constant_term
    unit = gcd(*(factor for term, factor in value.terms if term))
    parts = Poly.of({term: factor // unit for term, factor in value.terms if term})
    if sign > 0 and end < unit:
        return None
    bound = f"<={end // unit}" if sign > 0 else f">={-(-end // unit)}"
    lone = next((name for s, name in names.items() if parts == symbol(s)), None)
    if lone is not None:
        return f"{lone}{bound}"
    images = {s: symbol(derived(Kind.VARIABLE, s, s.origin, name or "")) for s, name in names.items()}
    return f"{parts.substitute(images)}{bound}".replace(" ", "")


def _name(scope: Scope, s: Symbol) -> str | None:
    match s.origin:
        case Counter():
            return None
        case _:
            return of_values(scope, s) if scope.varies(s) else s.name
