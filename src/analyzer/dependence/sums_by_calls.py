"""Arrays that calls of the Basic Linear Algebra Subprograms add to in every iteration.

*Decides*: whether such a call adds to one place, the same in all iterations, that the loop uses for nothing else: a sum
of all iterations, of which each thread can have a part. What the old value is multiplied by has to be 1 for certain.
*Errs toward* no such sum.

    const double one = 1;  for (k...) dgemm_(.., &one, a + k*m, .., b, .., &one, c, ..);     ->  a sum in c
"""

from ..facts.loop import Assumption, Reason, Separated
from ..ir import blas
from ..ir.nodes import Address, Call, Expression, Object, Use, unconverted
from ..ir.reasons import AssumptionKind, ReasonCode
from ..memory.alias import c_text
from ..settings.options import AnalysisOptions
from ..source.ctypes import Pointer
from .finding import Finding, Problem
from .function_facts import Surroundings
from .old_values import factor_of_old
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
    target = call.arguments[found[0]]
    if not isinstance(unconverted(target).type, Pointer) or not _is_apart(call, target):
        return None
    adds = factor_of_old(around.function.body, call) == 1
    return changed[0] if adds and scope.repeats(target) and not scope.fresh(changed[0]) else None


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
