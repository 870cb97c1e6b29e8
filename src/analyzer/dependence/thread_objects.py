"""Variables of which each thread has one of its own: `_Thread_local`, `#pragma omp threadprivate`.

*Decides*: whether a loop uses one only as scratch, which each iteration sets before it reads it and nobody reads later:
then the one of the thread serves, and no clause names it. One that all iterations share as it is, only read or element
by element, is that of the thread that comes to the loop: the others need a name for it. Anything else reads or leaves
the variable of another thread.
*Errs toward* refusing: memory of such a variable that the loop reaches by a pointer is that of one thread.

    static _Thread_local double t[8];  for (i...) { fill(t, x[i]);  y[i] = sum(t); }       ->  parallel
    static double t[8];  for (i...) the same, threadprivate(t)                             ->  scratch(t)
    static _Thread_local int k;  k = 3;  for (i...) y[i] = k;                              ->  the value of k in a local
    static _Thread_local double q[8];  for (i...) q[i] = x[i] * x[i];                      ->  a pointer to q
    static _Thread_local int k;  for (i...) k += x[i];                                     ->  unknown
"""

import re
from collections.abc import Iterator

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
    names = _led_to(scope)
    used = [use for s in statements(scope.loop.body) for use in _uses(s, names) if use[0].per_thread]
    if not used:
        return total
    elsewhere = {variable for variable, _, by_name in used if not by_name}
    lines = {variable: line for variable, line, _ in reversed(used)}
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
    if variable.inlined or variable.hidden or any(s.is_of(Declared(variable)) for s in total.separated):
        return False
    every = [e for s in statements(scope.loop.body) for e in evaluated(s)]
    if any(isinstance(e, Call) and not e.gives_a_value_alone for e in every):
        return False
    named_alone = isinstance(variable.type, Array)
    return named_alone or not any(isinstance(e, Address) and variable in _roots(e.object) for e in every)


def _problem(variable: Variable, line: int) -> Problem:
    message = f"each thread has a `{variable.name}` of its own: what one thread leaves there, the others do not see"
    return Problem(Reason(ReasonCode.SIDE_EFFECT, message, line))


def _led_to(scope: Scope) -> frozenset[str]:
    """Pointers that the loop itself sets to such variables, such as parameters of functions that it calls."""
    set_ = [s for s in statements(scope.loop.body) if isinstance(s, Assign) and isinstance(s.target, Variable)]
    led: set[int] = set()
    while True:
        more = {s.target.key for s in set_ if isinstance(s.target, Variable) and _leads(s.value, led)} - led
        if not more:
            break
        led |= more
    otherwise = {s.target.name for s in set_ if isinstance(s.target, Variable) and not _leads(s.value, led)}
    return frozenset(s.target.name for s in set_ if isinstance(s.target, Variable) and s.target.key in led) - otherwise


def _leads(value: Expression, led: set[int]) -> bool:
    """Whether a value is the address of such a variable, made of its name or of pointers that lead there."""
    named = any(isinstance(e, Address) and _is_per_thread(e.object) for e in walk(value))
    pointers = [e.variable.key for e in walk(value) if isinstance(e, Use) and isinstance(e.type, Pointer)]
    return (named or bool(pointers)) and all(key in led for key in pointers)


def _is_per_thread(x: Object | None) -> bool:
    match x:
        case Declared(variable=variable):
            return variable.per_thread
        case _:
            return False


def _uses(statement: Statement, names: frozenset[str]) -> Iterator[tuple[Variable, int, bool]]:
    """The variables that a statement uses or whose memory it uses, with the line, and whether it names them, or a
    pointer of these `names`."""
    if isinstance(statement, Assign):
        yield from _of_target(statement.target, statement.place.line, names)
    for e in evaluated(statement):
        match e:
            case Load(access=access):
                yield from _of_target(access, access.place.line, names)
            case Use(variable=variable):
                yield variable, statement.place.line, True
            case Address(object=x):
                yield from ((variable, statement.place.line, True) for variable in _roots(x))
            case _:
                pass


def _of_target(target: Variable | Access, line: int, names: frozenset[str]) -> Iterator[tuple[Variable, int, bool]]:
    match target:
        case Variable():
            yield target, line, True
        case Access(object=x, text=text):
            first = re.match(r"\W*(\w+)", text)
            for variable in _roots(x):
                yield variable, line, first is not None and (first[1] == variable.name or first[1] in names)


def _roots(x: Object | None) -> Iterator[Variable]:
    match None if x is None else root(x):
        case Declared(variable=variable) | Pointee(variable=variable):
            yield variable
        case _:
            pass
