"""Operands of short-circuit reductions: `f = f || c[i] / b[i]` divides only until f is 1.

*Decides*: whether all of it may be evaluated in every iteration, as it is once the iterations run in any order, and
what that assumes. A division of integers needs a divisor that is never 0. An element needs to exist: it does where the
iteration reads it anyway, or where a declared length or the loop's bounds say so (`in-bounds`, else); where data alone
select the element, or the pointer that is followed to it, nothing says that there is one.
*Errs toward* that it may not: such an update is no reduction.
*Does not handle*: divisors that are not 0 for reasons outside of the statement and the conditions around it.

    f = f || c[i] == 3                     ->  under in-bounds(c)
    f = f || (b[i] != 0 && c[i] / b[i])    ->  under in-bounds(b), in-bounds(c)
    f = f || c[i] / b[i]                   ->  not: b[i] may be 0 in an iteration that the loop never gets to
    f = f || t[c[i]]                       ->  not: c[i] may be no index there
"""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from ..access.accesses import Guard, Occurrence, divides
from ..access.domains import domain, surroundings
from ..access.subscripts import extent_constraints
from ..facts.loop import Assumption, Reason
from ..ir.conditions import SWAPPED, Known, conjuncts, truth
from ..ir.members import element_part, row_part
from ..ir.nodes import (
    Access,
    Anything,
    Call,
    Computed,
    Convert,
    Declared,
    Entry,
    Expression,
    Literal,
    Load,
    Loaded,
    Operation,
    Rows,
    Use,
    nested_symbols,
    walk,
)
from ..ir.pointer_roots import root
from ..ir.polynomials import Poly, Symbol, number, symbol
from ..ir.reasons import AssumptionKind, ReasonCode
from ..ir.same import Location, location_of, same, same_place
from ..memory.alias import Overlap, member_text
from ..polyhedra.system import at_least, proves
from ..source.ctypes import Integer, Pointer
from .finding import Finding, Problem
from .scope import Scope


def speculated(scope: Scope, name: str, parts: Iterable[Expression]) -> Finding:
    """What it takes to evaluate all that updates of the accumulator `name` skip, or a problem where nothing does."""
    total = Finding()
    skipped = {id(e): e for part in parts for e in walk(part)}
    loads = {id(e.access) for e in skipped.values() if isinstance(e, Load)}
    for e in skipped.values():
        match e:
            case Load(access=access):
                total += _read(scope, name, access, loads)
            case Operation() if divides(e) and not _divides_safely(scope, e):
                divisor = _text(e.arguments[1])
                act, where = f"divides by {divisor}", f"where {divisor} may be 0"
                total += _problem(name, e.place.line, act, where)
            case Call(name=called, place=place, known=False):
                total += _problem(name, place.line, f"calls `{called}`", "where it may fail")
            case _:
                pass
    return total


def _problem(name: str, line: int, act: str, where: str) -> Finding:
    decided = f"whether line {line} {act} depends on `{name}`, as earlier iterations left it"
    message = f"{decided}: another order does so {where}"
    return Finding((Problem(Reason(ReasonCode.CARRIED_DEPENDENCE, message, line, (name, name), "*", (line, line))),))


# --- elements


def _read(scope: Scope, name: str, access: Access, skipped: set[int]) -> Finding:
    o = next((o for o in scope.occurrences if o.access is access), None)
    if o is None or _exists(o) or _read_anyway(scope, o, skipped):
        return Finding()
    if not _selected_by_data(scope, o) or _is_tested(o):
        return Finding(assumptions=frozenset({Assumption(AssumptionKind.IN_BOUNDS, member_text(access), o.line)}))
    return _problem(name, o.line, f"reads `{access.text}`", "where nothing says that it exists")


def _exists(o: Occurrence) -> bool:
    """Whether what is read surely lies in a declared array, in all iterations of the loops around."""
    inside = [c for s in o.access.subscripts for c in extent_constraints(s)]
    around = surroundings(o.loops, ())
    known = isinstance(o.access.object, Declared) and len(inside) == 2 * len(o.access.subscripts)
    return known and all(proves(around, c) for c in inside)


def _read_anyway(scope: Scope, o: Occurrence, skipped: set[int]) -> bool:
    """Whether the iteration touches the same element, whatever the accumulator says."""
    level = scope.level(o)
    around = {loop.key for loop in o.loops}
    return any(
        other.access.object == o.access.object
        and not other.test
        and not any(g.depth > level for g in other.guards)
        and around.issuperset(loop.key for loop in other.loops)
        and same_place(_again(scope, o, other), o.access)
        for other in scope.occurrences
        if id(other.access) not in skipped
    )


def _again(scope: Scope, o: Occurrence, other: Occurrence) -> Access:
    """The other access, with the same names for values that both read from places that the loop leaves alone."""

    def unchanged(access: Access) -> dict[Location, Symbol]:
        found = (s for sub in access.subscripts for s in sub.index.symbols)
        return {
            location_of(s.origin.access): s
            for s in found
            if isinstance(s.origin, Loaded) and scope.stored(s) is Overlap.DISTINCT
        }

    names = unchanged(o.access)
    here = {s: symbol(names[place]) for place, s in unchanged(other.access).items() if place in names}
    subscripts = tuple(replace(s, index=s.index.substitute(here)) for s in other.access.subscripts)
    return replace(other.access, subscripts=subscripts)


def _selected_by_data(scope: Scope, o: Occurrence) -> bool:
    """Whether nothing but data says which element it is. Where an array has a declared length, `in-bounds` names that;
    rows behind pointers that differ are as long as an inner loop walks them."""
    elements = element_part(o.access)
    if any(scope.varies(s) and _is_data(s) for sub in o.access.subscripts for s in nested_symbols(sub.index.symbols)):
        return not (isinstance(o.access.object, Declared) and all(sub.extent is not None for sub in elements))
    moving = any(scope.varies(s) for sub in row_part(o.access) for s in sub.index.symbols)
    walked = any(scope.counts_inside(s) for sub in elements for s in sub.index.symbols)
    return isinstance(root(o.access.object), Anything) or (moving and not walked)


def _is_data(s: Symbol) -> bool:
    return isinstance(s.origin, Loaded | Entry | Computed)


def _is_tested(o: Occurrence) -> bool:
    """Whether the condition around it looks at what selects it: `p[i] && p[i]->n`, `k[i] >= 0 && t[k[i]]`."""
    looked_at = [e for g in o.guards for e in walk(g.condition)]
    chosen = nested_symbols(s for sub in o.access.subscripts for s in sub.index.symbols)
    return any(_selects(e, o.access, chosen) for e in looked_at)


def _selects(e: Expression, access: Access, chosen: frozenset[Symbol]) -> bool:
    match e:
        case Load(access=read) if isinstance(read.type, Pointer):
            return isinstance(access.object, Rows) and read.object == access.object.base
        case Load(access=read):
            return any(isinstance(s.origin, Loaded) and same_place(s.origin.access, read) for s in chosen)
        case Use(value=value):
            return value is not None and any(s in chosen and _is_data(s) for s in value.symbols)
        case _:
            return False


# --- divisions


def _divides_safely(scope: Scope, division: Operation) -> bool:
    """Whether the divisor is not 0, whatever the accumulator holds."""
    divisor = division.arguments[1]
    at = next((d.at for d in scope.history.divisions if d.operation is division), None)
    if _is_nonzero(divisor):
        return True
    if at is None:
        return False
    value = polynomial(divisor)
    if value is not None:
        around = domain(at)
        if any(proves(around, at_least(side - 1), scope.work) for side in (value, -value)):
            return True
    return _is_steady(scope, divisor) and any(_excludes_zero(k, divisor) for g in at.guards for k in _known(g))


def _known(guard: Guard) -> Iterator[Known]:
    yield from conjuncts(guard.condition, guard.holds)


def _is_nonzero(divisor: Expression) -> bool:
    match divisor:
        case Literal(value=value):
            return value != 0
        case Convert(type=Integer(size=size), argument=inner):
            return isinstance(inner.type, Integer) and size >= inner.type.size and _is_nonzero(inner)
        case Operation(operator="|", arguments=arguments):
            return any(map(_is_nonzero, arguments))
        case _:
            return False


def polynomial(e: Expression) -> Poly | None:
    """The value, where it is one of what is known here."""
    match e:
        case Literal(value=int(value)):
            return number(value)
        case Use(value=value):
            return value
        case Convert(type=Integer(size=size), argument=inner) if isinstance(inner.type, Integer):
            return polynomial(inner) if size >= inner.type.size and inner.type.signed else None
        case Operation(operator="+" | "-" | "*" as operator, type=Integer(signed=True), arguments=(left, right)):
            a, b = polynomial(left), polynomial(right)
            if a is None or b is None:
                return None
            return a + b if operator == "+" else a - b if operator == "-" else a * b
        case _:
            return None


def _is_steady(scope: Scope, divisor: Expression) -> bool:
    """Whether the divisor is the same wherever the iteration looks at it."""
    for e in walk(divisor):
        match e:
            case Load(access=access):
                if any(scope.overlap(w.access, access).overlap is Overlap.SAME for w in scope.writes):
                    return False
            case Use(variable=variable) if variable.key in scope.assigned and e.value is None:
                return False
            case _:
                pass
    return True


def _excludes_zero(known: Known, divisor: Expression) -> bool:
    """Whether a condition says that the divisor is not 0: `b[i]`, `b[i] != 0`, `b[i] > 0`, `0 > b[i]`."""
    plain = truth(divisor)
    if same(truth(known.expression), plain):
        return known.holds
    match known.expression:
        case Operation(operator=relation, arguments=(left, right)) if relation in SWAPPED and known.holds:
            pass
        case _:
            return False
    if isinstance(left, Literal):
        left, right, relation = right, left, SWAPPED[relation]
    if not isinstance(right, Literal) or not same(truth(left), plain):
        return False
    return {">": right.value >= 0, ">=": right.value > 0, "<": right.value <= 0, "<=": right.value < 0}[relation]


def _text(e: Expression) -> str:
    match e:
        case Load(access=access):
            return f"`{access.text}`"
        case Use(variable=variable):
            return f"`{variable.name}`"
        case Convert(argument=inner):
            return _text(inner)
        case _:
            return "what"
