"""Elements that a counter gives out: each thread takes a number that no other one gets.

*Decides*: whether two accesses are to the element of a number that was taken from a counter, so that two threads never
get to one element. *Method*: the number is set once, from a counter that nothing but such takings changes, each of
which adds something to it, atomically or in one critical section.
*Errs toward* no: counters in structures and arrays.

    #pragma omp atomic capture
    k = n++;                             list[k] = i;                                      ->  yes
    k = __sync_fetch_and_add(&n, 1);     list[k] = i;                                      ->  yes
"""

from collections.abc import Callable

from ..ir.nodes import Anything, AtomicOperation, Expression, Literal, Operation, Use, Variable, unconverted
from ..ir.pointer_roots import root
from ..ir.polynomials import symbol
from ..source.ctypes import Integer
from .constructs import Role
from .recorded import Entered, Step
from .sharing import Definitions, home, variable_of
from .teams import Team, Together

ALONE = (Role.ATOMIC, Role.CRITICAL)
"""Constructs in which a thread may take a number."""
_WIDE = 4
"""Bytes of a number that is not expected to begin anew."""


def are_of_tickets(team: Team, together: Together, a: Step, b: Step, here: Definitions) -> bool:
    """Whether two accesses select elements by numbers that two threads never both get. Example: see the module."""
    if a.occurrence.access.subscripts != b.occurrence.access.subscripts:
        return False
    store = next((t for v in _selecting(team, a) if (t := taken(team, v, adds, here)) is not None), None)
    if store is None or not all(is_behind(store, s) for s in (a, b)):
        return False
    loops = store.occurrence.loops
    return together.loop is None or together.loop in loops


def are_of_one_value(team: Team, together: Together, a: Step, b: Step, here: Definitions) -> bool:
    """Whether two threads may select one element, as both read the number from one variable that others may change
    later: `k = next;` atomically, then `list[k]`, then `next++;`."""
    x, y = a.occurrence.access, b.occurrence.access
    if together.loop not in team.threads or x.subscripts != y.subscripts or x.object != y.object:
        return False
    if isinstance(root(x.object), Anything):
        return False
    for number in _selecting(team, a):
        stores = stores_to(team, number)
        match stored_by(stores[0]) if len(stores) == 1 else None:
            case Use(variable=counter, within=operation) if not team.locks(stores[0]):
                read = [s for s in team.steps if variable_of(s) == counter]
                within = {e.arm for e in stores[0].inside if e.construct.role in ALONE}
                written = [s for s in read if s.occurrence.write]
                changed = any(within & s.arms or _is_done_by(s, operation) for s in written)
                return not changed and all(home(team, s, here) == "all" for s in read)
    return False


def _selecting(team: Team, s: Step) -> list[Variable]:
    """The variable that alone selects the element."""
    for subscript in s.occurrence.access.subscripts:
        names = {x.name.partition("@")[0].strip("(<") for x in subscript.index.symbols}
        alone = len(subscript.index.symbols) == 1 and all(
            (subscript.index - symbol(x)).constant is not None for x in subscript.index.symbols
        )
        read = (variable_of(r) for r in team.steps if r.at < s.at and not r.occurrence.write)
        if alone:
            return list(dict.fromkeys(v for v in read if v is not None and v.name in names))
    return []


def taken(
    team: Team, number: Variable, changes: Callable[[Step, Variable], bool], here: Definitions
) -> Step | None:
    """The store of a number that is taken from a counter which all threads share, if that is all that sets it, and if
    nothing is done to the counter but what is said, where the number is taken and elsewhere, with others kept out."""
    stores = stores_to(team, number)
    if len(stores) != 1 or not _is_wide(number):
        return None
    within = next((e for e in reversed(stores[0].inside) if e.construct.role in ALONE), None)
    match stored_by(stores[0]):
        case Use(variable=counter) if not _is_wide(counter) or not _is_shared(team, counter, here):
            changed = False
        case Use(variable=counter, within=AtomicOperation() as one):
            changed = _is_changed_by(team, counter, one, changes)
        case Use(variable=counter) if within is not None:
            changed = _is_changed_in(team, counter, within, changes)
        case _:
            changed = False
    return stores[0] if changed else None


def stores_to(team: Team, variable: Variable) -> list[Step]:
    """All that sets a variable, by its name."""
    return [s for s in team.steps if s.occurrence.write and variable_of(s) == variable]


def _is_wide(variable: Variable) -> bool:
    """Whether it is taken to count without beginning anew."""
    return isinstance(variable.type, Integer) and variable.type.size >= _WIDE


def _is_shared(team: Team, counter: Variable, here: Definitions) -> bool:
    """Whether all threads count with the variable itself, none with a copy of its own."""
    return all(home(team, s, here) == "all" for s in team.steps if variable_of(s) == counter)


def _is_changed_by(
    team: Team, counter: Variable, operation: AtomicOperation, changes: Callable[[Step, Variable], bool]
) -> bool:
    """Whether all that is done to a counter are such changes, atomically, one of them by the operation."""
    stores = stores_to(team, counter)
    kept = all(s.occurrence.within is not None and changes(s, counter) for s in stores)
    return kept and any(_is_done_by(s, operation) for s in stores)


def _is_done_by(s: Step, operation: AtomicOperation | None) -> bool:
    return operation is not None and s.occurrence.within == operation


def _is_changed_in(team: Team, counter: Variable, within: Entered, changes: Callable[[Step, Variable], bool]) -> bool:
    """Whether all that is done to a counter are such changes: in the construct itself once, and elsewhere where that
    keeps others out."""
    if within.construct.role is Role.ATOMIC and not within.construct.directive.has("capture"):
        return False
    stores = stores_to(team, counter)
    kept = all(any(_keep_apart(e, within) for e in s.inside) and changes(s, counter) for s in stores)
    own = [s for s in stores if within.arm in s.arms]
    return kept and len(own) == 1 and own[0].conditions == within.conditions


def _keep_apart(x: Entered, y: Entered) -> bool:
    """Whether two threads are never in both at once."""
    if x.construct.role is not y.construct.role:
        return False
    return x.construct.role is Role.ATOMIC or x.construct.directive.argument == y.construct.directive.argument


def adds(s: Step, counter: Variable) -> bool:
    """Whether it adds a number above 0."""
    match stored_by(s):
        case Operation(operator="+", arguments=(x, y)):
            match unconverted(x), unconverted(y):
                case Use(variable=variable), Literal(value=int(more)):
                    return variable == counter and more > 0
    return False


def stored_by(s: Step) -> Expression | None:
    return None if s.occurrence.stored is None else unconverted(s.occurrence.stored)


def is_behind(store: Step, s: Step) -> bool:
    """Whether the same iteration has taken the number before."""
    loops, arms = store.occurrence.loops, [g.arm for g in store.conditions]
    around = s.occurrence.loops[: len(loops)]
    return store.at < s.at and around == loops and [g.arm for g in s.conditions][: len(arms)] == arms
