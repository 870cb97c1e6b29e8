"""Variables of which each thread has one of its own: `_Thread_local`, `#pragma omp threadprivate`.

*Decides*: whether a loop uses one only as scratch, which each iteration sets before it reads it and nobody reads later:
then the one of the thread serves, and no clause names it. One that all iterations share as it is, only read or element
by element, is that of the thread that comes to the loop: the others need a name for it. Anything else reads or leaves
the variable of another thread.
One that the loop only reaches by pointers set before it is memory like any other, of one thread.
*Errs toward* refusing: where the loop reaches one by its name and by such a pointer.

    static _Thread_local double t[8];  for (i...) { fill(t, x[i]);  y[i] = sum(t); }       ->  parallel
    static double t[8];  for (i...) the same, threadprivate(t)                             ->  scratch(t)
    static _Thread_local int k;  k = 3;  for (i...) y[i] = k;                              ->  the value of k in a local
    static _Thread_local double q[8];  for (i...) q[i] = x[i] * x[i];                      ->  a pointer to q
    static _Thread_local int k;  for (i...) k += x[i];                                     ->  unknown
"""

from collections.abc import Iterable, Iterator

from ..facts.loop import Assumption, Reason, Separated
from ..ir.nodes import (
    Access,
    Address,
    Assign,
    Call,
    Declared,
    Expression,
    Load,
    Object,
    Pointee,
    Statement,
    Use,
    Variable,
    evaluated,
    parts,
    statements,
    walk,
)
from ..ir.pointer_roots import root
from ..ir.reasons import AssumptionKind, ReasonCode
from ..source.ctypes import Array, Pointer
from .finding import Finding, Problem
from .function_facts import Surroundings
from .private_arrays import private
from .scope import Scope
from .scratch import serves_as_scratch

COPIES = frozenset(("first", "last", "first_last"))
"""Roles of what each iteration could have a copy of."""


def of_threads(around: Surroundings, scope: Scope, total: Finding) -> Finding:
    """What is found of a loop, with what its variables of threads stand in the way of. Where only somebody later might
    read what iterations leave in one, nobody does on the condition `scratch`."""
    led = _led_to(scope)
    used = [use for s in statements(scope.loop.body) for use in _uses(s, led) if use[0].per_thread]
    if not used:
        return total
    elsewhere = {variable for variable, _, by_name in used if not by_name}
    named = {variable for variable, _, by_name in used if by_name}
    asked = (use for use in reversed(used) if use[0] in named or _has_copies(use[0], total))
    lines = {variable: line for variable, line, _ in asked}
    problems: list[Problem] = []
    needed: set[Assumption] = set()
    of_one: list[Separated] = []
    for variable, line in lines.items():
        found = None if variable in elsewhere else _as_scratch(around, scope, variable, line, total)
        if found is not None:
            needed |= found
        elif variable not in elsewhere and _is_shared_as_it_is(scope, variable, total):
            of_one.append(Separated("of_one", variable, variable.name))
        else:
            problems.append(_problem(variable, line))
    separated = tuple(s for s in total.separated if not any(s.is_of(Declared(v)) for v in lines))
    return Finding((*total.problems, *problems), total.assumptions | needed, (*separated, *of_one))


def _has_copies(variable: Variable, total: Finding) -> bool:
    return any(s.is_of(Declared(variable)) for s in total.separated)


def _as_scratch(
    around: Surroundings, scope: Scope, variable: Variable, line: int, total: Finding
) -> frozenset[Assumption] | None:
    """What it takes that each iteration sets what it reads in a variable, and nobody reads it later; None where that is
    not so."""
    x = Declared(variable)
    roles = {s.role for s in total.separated if s.is_of(x)}
    if roles == {"private"}:
        return frozenset()
    accesses = scope.accesses_to(x)
    is_read = any(not o.write for o in accesses)
    covered = private(scope, accesses) if is_read else None
    if covered is None and (roles == {"last"} or (is_read and roles <= COPIES and serves_as_scratch(around, scope, x))):
        covered = frozenset()
    if covered is None or not scope.supposing:
        return None
    return covered | {Assumption(AssumptionKind.SCRATCH, variable.name, line)}


def _is_shared_as_it_is(scope: Scope, variable: Variable, total: Finding) -> bool:
    """Whether all iterations may use one object under another name: none has a copy of it, none stores where it is or
    calls what may set it, and the function around the loop can name it."""
    if variable.inlined or variable.hidden or _has_copies(variable, total):
        return False
    every = [e for s in statements(scope.loop.body) for e in evaluated(s)]
    if any(isinstance(e, Call) and not e.gives_a_value_alone for e in every):
        return False
    named_alone = isinstance(variable.type, Array)
    return named_alone or not any(isinstance(e, Address) and variable in _roots(e.object) for e in every)


def _problem(variable: Variable, line: int) -> Problem:
    message = f"each thread has a `{variable.name}` of its own: what one thread leaves there, the others do not see"
    return Problem(Reason(ReasonCode.SIDE_EFFECT, message, line))


def _led_to(scope: Scope) -> frozenset[int]:
    """Keys of the pointers that the loop itself sets to such variables, and to nothing else, such as parameters of
    functions that it calls."""
    set_ = [s for s in statements(scope.loop.body) if isinstance(s, Assign) and isinstance(s.target, Variable)]
    led: set[int] = set()
    while True:
        more = {s.target.key for s in set_ if isinstance(s.target, Variable) and _leads(s.value, led)} - led
        if not more:
            break
        led |= more
    otherwise = {s.target.key for s in set_ if isinstance(s.target, Variable) and not _leads(s.value, led)}
    return frozenset(led) - otherwise


def _leads(value: Expression, led: set[int]) -> bool:
    """Whether a value is the address of such a variable, made of its name or of pointers that lead there."""
    named = any(isinstance(e, Address) and _is_per_thread(e.object) for e in walk(value))
    pointers = _pointers((value,), None)
    return (named or bool(pointers)) and pointers <= led


_FROM_MEMORY = 0
"""No key of a variable."""


def _pointers(expressions: Iterable[Expression], named: Variable | None) -> set[int]:
    """Keys of the pointers that they are made of, but for what is `named`, or read from that: none of what is read to
    select an element (`q[idx[i]]`)."""
    found = set[int]()
    for e in expressions:
        match e:
            case Use(variable=variable):
                found |= {variable.key} if isinstance(variable.type, Pointer) and variable != named else set()
            case Load(access=Access(type=Pointer(), object=x), index=index):
                found |= _pointers(index, named) if named in {*_roots(x)} else {_FROM_MEMORY}
            case Load():
                pass
            case _:
                found |= _pointers(parts(e), named)
    return found


def _is_per_thread(x: Object | None) -> bool:
    match x:
        case Declared(variable=variable):
            return variable.per_thread
        case _:
            return False


def _uses(statement: Statement, led: frozenset[int]) -> Iterator[tuple[Variable, int, bool]]:
    """The variables that a statement uses or whose memory it uses, with the line, and whether it does so by their
    names, or by pointers that the loop has `led` there."""
    line = statement.place.line
    if isinstance(statement, Assign):
        yield from _at(statement.target, statement.index, line, led)
    for e in evaluated(statement):
        match e:
            case Load(access=access, index=index):
                yield from _at(access, index, access.place.line, led)
            case Use(variable=variable):
                yield variable, line, True
            case Address(object=x, index=index):
                yield from ((variable, line, _pointers(index, variable) <= led) for variable in _roots(x))
            case _:
                pass


def _at(
    target: Variable | Access, index: tuple[Expression, ...], line: int, led: frozenset[int]
) -> Iterator[tuple[Variable, int, bool]]:
    match target:
        case Variable():
            yield target, line, True
        case Access(object=x):
            yield from ((variable, line, _pointers(index, variable) <= led) for variable in _roots(x))


def _roots(x: Object | None) -> Iterator[Variable]:
    match None if x is None else root(x):
        case Declared(variable=variable) | Pointee(variable=variable):
            yield variable
        case _:
            pass
