"""Conditions on what an atomic operation, or a critical section, gave to a thread and perhaps to no other one.

*Decides*: whether only one thread comes to two accesses, once, as the condition around both holds for one number of a
counter, or for whoever is the first to set a variable; whether that may be so.
*Errs toward* the second: elements of arrays, compare-and-swap, numbers that are compared with anything but a constant.

    if (__sync_add_and_fetch(&n, 1) == 5) last = i;              one thread
    if (!__atomic_exchange_n(&begun, 1, 5)) first = i;           one thread
    #pragma omp atomic capture
    k = n++;                     if (k > 5) late = i;            perhaps
"""

from collections.abc import Iterator

from ..access.accesses import Guard
from ..ir.nodes import Literal, Load, Operation, Use, Variable, unconverted, walk
from .recorded import Step
from .sharing import Definitions, is_automatic, variable_of
from .teams import Team, Together
from .tickets import ALONE, adds, is_behind, stored_by, stores_to, taken

_MOST_COPIES = 4
"""Of a number, from variable to variable."""


def are_of_one_pass(team: Team, together: Together, a: Step, b: Step, here: Definitions) -> bool:
    """Whether a condition around both lets one thread through, once. Example: see the module."""
    arms = {g.arm for g in b.conditions}
    return any(g.arm in arms and _lets_one_through(team, together, g, (a, b), here) for g in a.conditions)


def _lets_one_through(
    team: Team, together: Together, guard: Guard, both: tuple[Step, Step], here: Definitions
) -> bool:
    match _equal(guard):
        case (variable, int(number)):
            asked = _original(team, variable)
            store = taken(team, asked, adds, here) or (taken(team, asked, _sets, here) if number == 0 else None)
        case _:
            store = None
    if store is None or not all(is_behind(store, s) for s in both):
        return False
    return together.loop is None or together.loop in store.occurrence.loops


def _sets(s: Step, _: Variable) -> bool:
    """Whether it stores a number, which is not 0."""
    stored = stored_by(s)
    return isinstance(stored, Literal) and bool(stored.value)


def may_be_of_one_pass(team: Team, a: Step, b: Step) -> bool:
    """Whether what one thread got from an atomic operation may keep another one out, or may say that others have done
    what stands before the operation. Example: see the module."""
    return any(_may_be_let_in(team, g, x, y) for x, y in ((a, b), (b, a)) for g in x.conditions)


def _may_be_let_in(team: Team, guard: Guard, inside: Step, other: Step) -> bool:
    read = {e.variable for e in walk(guard.condition) if isinstance(e, Use)}
    given = [s for v in read for s in _sources(team, v, _MOST_COPIES) if _gives(team, s)]
    together = any(g.arm == guard.arm for g in other.conditions)
    return any((together and s.at < inside.at) or other.at < s.at for s in given)


def _equal(guard: Guard) -> tuple[Variable, int | float | None] | None:
    """The variable and the number that are equal where the condition holds."""
    match unconverted(guard.condition), guard.holds:
        case (Operation(operator="==", arguments=(x, y)), True) | (Operation(operator="!=", arguments=(x, y)), False):
            match unconverted(x), unconverted(y):
                case (Use(variable=v), Literal(value=value)) | (Literal(value=value), Use(variable=v)):
                    return v, value
        case (Operation(operator="!", arguments=(x,)), True) | (x, False):
            match unconverted(x):
                case Use(variable=v):
                    return v, 0
    return None


def _original(team: Team, variable: Variable) -> Variable:
    """The variable that this one is a copy of, or itself."""
    for _ in range(_MOST_COPIES):
        stores = stores_to(team, variable)
        match stored_by(stores[0]) if len(stores) == 1 else None:
            case Use(variable=other, type=variable.type, within=None) if not _is_alone(stores[0]):
                variable = other
            case _:
                break
    return variable


def _is_alone(s: Step) -> bool:
    return any(e.construct.role in ALONE for e in s.inside)


def _sources(team: Team, variable: Variable, copies: int) -> Iterator[Step]:
    for s in stores_to(team, variable) if copies else ():
        yield s
        for e in walk(s.occurrence.stored) if s.occurrence.stored is not None else ():
            if isinstance(e, Use) and e.variable != variable:
                yield from _sources(team, e.variable, copies - 1)


def _gives(team: Team, store: Step) -> bool:
    """Whether a variable of its own gets what a thread reads where it also stores to the place that it reads."""
    variable = variable_of(store)
    if variable is None or not is_automatic(variable):
        return False
    stored = [] if store.occurrence.stored is None else [*walk(store.occurrence.stored)]
    decisive = (e for g in store.conditions for e in walk(g.condition))  # of what a compare-and-swap has compared
    operations = {e.within for e in (*stored, *decisive) if isinstance(e, Use | Load)} - {None}
    names = {e.variable for e in stored if isinstance(e, Use)} - {variable}
    arms = {e.arm for e in store.inside if e.construct.role in ALONE}
    beside = [s for s in team.steps if s.occurrence.write and s.at != store.at]
    in_one = (arms & s.arms and variable_of(s) in names for s in beside)
    return any(in_one) or any(s.occurrence.within in operations for s in beside)
