"""Variables that each iteration sets anew, and that only go up from there: cursors into what it fills.

*Decides*: which such variables select what an access touches, so that this is not before the element at which the
iteration, or the part of it that sets the variable, began. *Method*: every assignment in the body sets the variable to
a value of the iteration, or adds a number to it; the subscript is a value that it has somewhere, a number more, or
counts from a multiple of it. *Errs toward* none: a variable that others may set, a narrow one, one that begins alike in
all iterations, one that is only counted with.

    p = ptr[i]; for (...) if (x[k]) list[p++] = k;                                 ->  p
    p = ptr[i]; for (...) if (x[k]) memcpy(to + p++ * size, from, size);           ->  p
    for (k = first[i]; k <= last[i]; k++) { p = ptr[k]; while (...) list[p++] = k; }  ->  p, in parts
    p = ptr[i]; for (...) if (x[k]) list[--p] = k;                                 ->  none, it goes down
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from ..access.accesses import Occurrence
from ..ir.members import element_part
from ..ir.nodes import (
    Assign,
    Computed,
    Entry,
    Expression,
    Literal,
    Load,
    Loaded,
    Operation,
    Statement,
    Use,
    Variable,
    evaluated,
    is_use,
    loops,
    statements,
    unconverted,
)
from ..ir.polynomials import Poly, number, symbol
from ..ir.same import same_place
from ..source.ctypes import Integer
from .index_arrays import is_left_alone
from .scope import Scope

NARROWEST = 4
"""Bytes of a cursor: a signed one as wide as an `int` does not overflow; that an unsigned one does not is said wherever
it matters (`slices`)."""


class Reached(Struct, frozen=True):
    """What an access touches, in units of what a step of the variable moves on by: `place` of them. `in_parts`: an
    iteration may set the variable several times, so that it does not only go up."""

    variable: Variable
    unit: Poly
    place: Poly
    in_parts: bool


def reached(scope: Scope, o: Occurrence) -> Iterator[Reached]:
    """The variables that select the element of an access, or one behind it. Example: see the module."""
    elements = element_part(o.access)
    if len(elements) != 1 or not scope.supposing:
        return
    place = elements[0].index
    for variable, values in _cursors(scope).items():
        if _lies_between(o, place, values) and _is_set_first(scope, variable):
            yield Reached(variable, number(1), place, in_parts=False)
            continue
        for value in values:
            beyond = (place - value).constant
            above = beyond is not None and beyond >= 0
            unit = number(1) if above else _unit(scope, place, value)
            if unit is not None:
                yield Reached(variable, unit, place if above else value, not _is_set_first(scope, variable))
                break


def _lies_between(o: Occurrence, place: Poly, values: tuple[Poly, ...]) -> bool:
    """Whether a loop goes over what lies from one value to below a later one: `for (k = begin; k < p; k++) y[k] = 0;`
    behind `begin = ptr[i]; p = begin; ... p++;`."""
    for loop in o.loops:
        begin = place - symbol(loop.counter)
        if begin in values and loop.trip is not None and loop.counter not in begin.symbols:
            ends = (r.numerator + begin for r in loop.trip if r.denominator == 1)
            if any((end - value).constant in (0, -1) for end in ends for value in values if value != begin):
                return True
    return False


def _unit(scope: Scope, place: Poly, value: Poly) -> Poly | None:
    """What the value is multiplied by in a place that counts from there: `size` of `p*size + k`."""
    for s in sorted(value.symbols, key=lambda s: s.key):
        factor, times = place.coefficient(s), value.coefficient(s).constant
        if times == 1 and factor.terms and not any(map(scope.varies, factor.symbols)):
            rest = place - value * factor
            return factor if factor != number(1) and rest.symbols.isdisjoint(value.symbols) else None
    return None


def _cursors(scope: Scope) -> dict[Variable, tuple[Poly, ...]]:
    """The cursors of the loop, with the values that they have somewhere in it."""
    if scope.cursors is None:
        body = tuple(statements(scope.loop.body))
        made: dict[Variable, list[Assign]] = {}
        for s in body:
            if isinstance(s, Assign) and isinstance(s.target, Variable):
                made.setdefault(s.target, []).append(s)
        values = {v: dict[Poly, None]() for v in made if _goes_up(scope, v, made)}
        for use in (e for s in body for e in evaluated(s) if isinstance(e, Use)):
            if use.variable in values and use.value is not None:
                values[use.variable][use.value] = None
        for variable, known in values.items():
            for s in made[variable]:
                known |= dict.fromkeys(_starts(scope, s.value))
        scope.cursors = {v: tuple(each) for v, each in values.items() if any(_is_open(scope, p) for p in each)}
    return scope.cursors


def _starts(scope: Scope, value: Expression) -> Iterator[Poly]:
    """What a variable is set to: the value of another one, or what the loop reads and leaves alone."""
    match unconverted(value):
        case Use(value=Poly() as known):
            yield known
        case Load(access=access):
            used = (s for o in scope.occurrences for sub in o.access.subscripts for s in sub.index.symbols)
            for s in dict.fromkeys(used):
                read = s.origin.access if isinstance(s.origin, Loaded) else None
                if read is not None and same_place(read, access) and is_left_alone(scope, s):
                    yield symbol(s)
        case _:
            pass


def _is_open(scope: Scope, value: Poly) -> bool:
    """Whether nothing is known of a value but that the iteration made it: more is known of one that counts."""
    return any(isinstance(s.origin, Computed | Entry) and scope.varies(s) for s in value.symbols)


def _goes_up(scope: Scope, variable: Variable, made: Mapping[Variable, Sequence[Assign]]) -> bool:
    """Whether all assignments to the variable, of `made` in the loop, set it anew or add to it, and it is the only one
    of its name."""
    type_ = variable.type
    if not isinstance(type_, Integer) or type_.size < NARROWEST:
        return False
    if variable.addressed or variable.scope not in ("local", "parameter"):
        return False
    own = made[variable]
    alike = {v.key for v in made if v.name == variable.name and not v.inlined}
    steps = [s for s in own if _adds(s.value, variable)]
    sets = [s for s in own if s not in steps and not _shifts(scope, s, variable)]
    if alike != {variable.key} or not sets or not all(_sets_anew(scope, s, variable) for s in sets):
        return False
    return len(steps) > len(sets) or not all(s.induction for s in steps)  # not loops alone that count with it


def _is_set_first(scope: Scope, variable: Variable) -> bool:
    """Whether the first statement of the body that concerns the variable sets it, and no other one sets it anew."""
    sets = [s for s in statements(scope.loop.body) if isinstance(s, Assign) and s.target == variable]
    first = next((s for s in scope.loop.body if _concerns(s, variable)), None)
    return first is sets[0] and all(_adds(s.value, variable) or _shifts(scope, s, variable) for s in sets[1:])


def _concerns(statement: Statement, variable: Variable) -> bool:
    """Whether a statement sets the variable or reads it, or holds one that does."""
    for s in statements((statement,)):
        if isinstance(s, Assign) and s.target == variable:
            return True
        if any(isinstance(e, Use) and e.variable == variable for e in evaluated(s)):
            return True
    return False


def _sets_anew(scope: Scope, s: Statement, variable: Variable) -> bool:
    """Whether it gives the variable a value of the iteration, in which the one before has no part."""
    if not isinstance(s, Assign) or s.target != variable or scope.repeats(s.value):
        return False
    return all(e.variable != variable for e in evaluated(s) if isinstance(e, Use))


def _shifts(scope: Scope, s: Assign, variable: Variable) -> bool:
    """Whether it moves the beginning by what is the same in all iterations: `p = start[i]; p += offset;`."""
    match unconverted(s.value):
        case Operation(operator="+", arguments=(a, b)) if is_use(a, variable) and scope.repeats(b):
            return not any(s is each for inner in loops(scope.loop.body) for each in statements(inner.body))
        case _:
            return False


def _adds(value: Expression, variable: Variable) -> bool:
    """Whether it is the variable and a number more, in the type of the variable."""
    match unconverted(value):
        case Operation(operator="+", arguments=(a, b), type=Integer(size=size, signed=signed)):
            more, own = unconverted(b), variable.type
            alike = isinstance(own, Integer) and (size, signed) == (own.size, own.signed)
            return alike and is_use(a, variable) and isinstance(more, Literal) and more.value > 0
        case _:
            return False
