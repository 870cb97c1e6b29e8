"""Arrays that calls of the Basic Linear Algebra Subprograms add to in every iteration.

*Decides*: whether such a call adds to one place, the same in all iterations, that the loop uses for nothing else: a sum
of all iterations, of which each thread can have a part. What the old value is multiplied by has to be 1 for certain.
*Errs toward* no such sum.

    const double one = 1;  for (k...) dgemm_(.., &one, a + k*m, .., b, .., &one, c, ..);     ->  a sum in c
"""

from ..facts.loop import Assumption, Reason, Separated
from ..ir import blas
from ..ir.nodes import (
    Address,
    Assign,
    Call,
    Declared,
    Expression,
    Literal,
    Object,
    Statement,
    Use,
    Variable,
    evaluated,
    statements,
    unconverted,
)
from ..ir.reasons import AssumptionKind, ReasonCode
from ..memory.alias import c_text
from ..settings.options import AnalysisOptions
from ..source.ctypes import Pointer
from .finding import Finding, Problem
from .function_facts import Surroundings
from .scope import Scope


def summed(around: Surroundings, scope: Scope, call: Call) -> Object | None:
    """The memory that a call adds to; None where it does something else. Example: see the module."""
    x = _added_to(around, scope, call)
    if x is None or scope.accesses_to(x):
        return None
    others = (c.call for c in (*scope.history.calls, *scope.history.supposed) if x in c.call.pointers)
    return x if all(_added_to(around, scope, other) == x for other in others) else None


def _added_to(around: Surroundings, scope: Scope, call: Call) -> Object | None:
    found = blas.added_to(call.name)
    changed = [x for x in call.pointers if x not in call.read_only]
    if found is None or found[0] >= len(call.arguments) or len(changed) != 1:
        return None
    target, factor = call.arguments[found[0]], None if found[1] is None else call.arguments[found[1]]
    if not isinstance(unconverted(target).type, Pointer) or not _is_apart(call, target):
        return None
    one = factor is None or _is_one(around.function.body, factor)
    return changed[0] if one and scope.repeats(target) and not scope.fresh(changed[0]) else None


def _is_apart(call: Call, target: Expression) -> bool:
    """Whether no other pointer that it gets leads to where it stores."""
    given = [unconverted(e) for e in call.arguments if isinstance(unconverted(e).type, Pointer)]
    leads = [e.variable if isinstance(e, Use) else e.object if isinstance(e, Address) else None for e in given]
    own = leads[given.index(unconverted(target))]
    return None not in leads and leads.count(own) == 1 and len(set(leads)) == len(call.pointers)


def sums_by_calls(around: Surroundings, scope: Scope, options: AnalysisOptions) -> Finding:
    """What it needs that they are: partial sums, and another order of additions."""
    total = Finding()
    for calling in scope.history.supposed:
        x = summed(around, scope, calling.call)
        if x is None:
            continue
        name, line = c_text(x), calling.call.place.line
        if options.strict_fp:
            message = f"`{name}` sums floating-point values: another order gives another rounding"
            return Finding((Problem(Reason(ReasonCode.FP_ORDER, message, line), True),))
        separated = Separated("reduction", x, name, "+", array=True, reorders_fp=True)
        total += Finding((), frozenset({Assumption(AssumptionKind.FP_REORDER, name, line)}), (separated,))
    return total


def _is_one(body: tuple[Statement, ...], value: Expression) -> bool:
    match unconverted(value):
        case Literal(value=known):
            return known == 1
        case Address(object=Declared(variable=variable)):
            return _holds_one(body, variable)
        case _:
            return False


def _holds_one(body: tuple[Statement, ...], variable: Variable) -> bool:
    """Whether a variable of the function is set to 1, once, and only functions that leave it alone get its address."""
    made = [s for s in statements(body) if isinstance(s, Assign) and s.target == variable]
    given = [
        e
        for s in statements(body)
        for e in evaluated(s)
        if isinstance(e, Call) and Declared(variable) in e.pointers and Declared(variable) not in e.read_only
    ]
    one = len(made) == 1 and isinstance(first := unconverted(made[0].value), Literal) and first.value == 1
    return one and variable.scope == "local" and all(_leaves_alone(c, variable) for c in given)


def _leaves_alone(call: Call, variable: Variable) -> bool:
    changed = blas.written(call.name)
    if changed is None:
        return False
    at = (k for k, e in enumerate(call.arguments) if _is_address_of(e, variable))
    return not changed.intersection(at)


def _is_address_of(e: Expression, variable: Variable) -> bool:
    inner = unconverted(e)
    return isinstance(inner, Address) and inner.object == Declared(variable)
