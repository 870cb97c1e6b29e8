"""Elements that a counter gives out: each thread takes a number that no other one gets.

*Decides*: whether two accesses are to the element of a number that was taken from a counter, so that two threads never
get to one element. *Method*: the number is set once, from a counter that nothing but such takings changes, each of
which adds something to it, atomically or in one critical section.
*Errs toward* no: counters in structures and arrays.

    #pragma omp atomic capture
    k = n++;                             list[k] = i;                                      ->  yes
    k = __sync_fetch_and_add(&n, 1);     list[k] = i;                                      ->  yes
"""

from ..ir.nodes import Anything, AtomicOperation, Expression, Literal, Operation, Use, Variable, unconverted
from ..ir.pointer_roots import root
from ..ir.polynomials import symbol
from .constructs import Role
from .recorded import Entered, Step
from .sharing import Definitions, home, variable_of
from .teams import Team, Together


def are_of_tickets(team: Team, together: Together, a: Step, b: Step) -> bool:
    """Whether two accesses select elements by numbers that two threads never both get. Example: see the module."""
    if a.occurrence.access.subscripts != b.occurrence.access.subscripts:
        return False
    taken = next((t for v in _selecting(team, a) if (t := _taken(team, v)) is not None), None)
    if taken is None or not all(_is_behind(taken, s) for s in (a, b)):
        return False
    loops = taken.occurrence.loops
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
        stores = [s for s in team.steps if s.occurrence.write and variable_of(s) == number]
        match _stored(stores[0]) if len(stores) == 1 else None:
            case Use(variable=counter, within=operation) if not team.locks(stores[0]):
                read = [s for s in team.steps if variable_of(s) == counter]
                within = {e.arm for e in stores[0].inside if e.construct.role in (Role.ATOMIC, Role.CRITICAL)}
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


def _taken(team: Team, number: Variable) -> Step | None:
    """The store of a number that is taken, if that is all that sets it."""
    stores = [s for s in team.steps if s.occurrence.write and variable_of(s) == number]
    if len(stores) != 1:
        return None
    within = next((e for e in reversed(stores[0].inside) if e.construct.role in (Role.ATOMIC, Role.CRITICAL)), None)
    match _stored(stores[0]):
        case Use(variable=counter, within=None) if within is not None and _gives_each_once(team, counter, within):
            return stores[0]
        case Use(variable=counter, within=AtomicOperation() as one) if _adds_each_time(team, counter, one):
            return stores[0]
        case _:
            return None


def _adds_each_time(team: Team, counter: Variable, operation: AtomicOperation) -> bool:
    """Whether a counter only goes up, atomically, and in an operation that gives what it was before."""
    stores = [s for s in team.steps if s.occurrence.write and variable_of(s) == counter]
    kept = all(s.occurrence.within is not None and _adds(s, counter) for s in stores)
    return kept and any(_is_done_by(s, operation) for s in stores)


def _is_done_by(s: Step, operation: AtomicOperation | None) -> bool:
    return operation is not None and s.occurrence.within == operation


def _gives_each_once(team: Team, counter: Variable, within: Entered) -> bool:
    """Whether a counter only goes up, in the construct itself once, and elsewhere where that keeps others out."""
    if within.construct.role is Role.ATOMIC and not within.construct.directive.has("capture"):
        return False
    stores = [s for s in team.steps if s.occurrence.write and variable_of(s) == counter]
    kept = all(any(_keep_apart(e, within) for e in s.inside) and _adds(s, counter) for s in stores)
    own = [s for s in stores if within.arm in s.arms]
    return kept and len(own) == 1 and own[0].conditions == within.conditions


def _keep_apart(x: Entered, y: Entered) -> bool:
    """Whether two threads are never in both at once."""
    if x.construct.role is not y.construct.role:
        return False
    return x.construct.role is Role.ATOMIC or x.construct.directive.argument == y.construct.directive.argument


def _adds(s: Step, counter: Variable) -> bool:
    """Whether it adds a number above 0."""
    match _stored(s):
        case Operation(operator="+", arguments=(x, y)):
            match unconverted(x), unconverted(y):
                case Use(variable=variable), Literal(value=int(more)):
                    return variable == counter and more > 0
    return False


def _stored(s: Step) -> Expression | None:
    return None if s.occurrence.stored is None else unconverted(s.occurrence.stored)


def _is_behind(store: Step, s: Step) -> bool:
    """Whether the same iteration has taken the number before."""
    loops, arms = store.occurrence.loops, [g.arm for g in store.conditions]
    around = s.occurrence.loops[: len(loops)]
    return store.at < s.at and around == loops and [g.arm for g in s.conditions][: len(arms)] == arms
