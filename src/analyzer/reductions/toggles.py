"""Truth values that some iterations turn over: `if (c) odd = !odd;`, whose value is that of `^` over all of them.

*Decides*: whether a variable holds 0 or 1 as a loop begins, and the loop does nothing with it but `v = !v`,
`v = 1 - v`, and `v ^= c` and `v = v != c` with another truth value c, as `x & 1` is one. Then `reduction(^:v)` gives
each thread a copy that begins with 0 and is turned over as well, and joins them.
*Errs toward* no: a value from before that is not written right in front of the loop, or may be reached otherwise.

    in = 0; for (...) if (crosses(i)) in = !in;              ->  yes
    in = 2; for (...) if (crosses(i)) in = !in;              ->  no: once turned over it is 0, twice 1
"""

from ..ir.blocks import in_front_of
from ..ir.conditions import is_truth
from ..ir.nodes import (
    Assign,
    Expression,
    Function,
    Literal,
    Loop,
    Operation,
    Statement,
    Use,
    Variable,
    is_use,
    statements,
    unconverted,
    uses,
    walk,
)
from ..source.ctypes import Integer

TRUTH = (0, 1)


def is_toggled(function: Function, loop: Loop, variable: Variable) -> bool:
    """Whether a variable is such a truth value. Example: see the module."""
    if not isinstance(variable.type, Integer) or variable.addressed or variable.scope not in ("local", "parameter"):
        return False
    touching = [s for s in statements(loop.body) if _touches(s, variable)]
    return all(_turns_over(s, variable) for s in touching) and _begins_as_truth(function, loop, variable)


def _touches(statement: Statement, variable: Variable) -> bool:
    return uses(statement, variable) or (isinstance(statement, Assign) and statement.target == variable)


def _turns_over(statement: Statement, variable: Variable) -> bool:
    match statement:
        case Assign(target=Variable() as target, value=value) if target == variable:
            pass
        case _:
            return False
    match unconverted(value):
        case Operation(operator="!", arguments=(it,)):
            return is_use(it, variable)
        case Operation(operator="-", arguments=(one, it)):
            return _is_one(one) and is_use(it, variable)
        case Operation(operator="^" | "!=" | "==", arguments=(a, b)):
            return any(_is_bit(x) and is_use(y, variable) for x, y in ((a, b), (b, a)) if not _reads(x, variable))
        case _:
            return False


def _is_one(value: Expression) -> bool:
    return isinstance(known := unconverted(value), Literal) and known.value == 1


def _is_bit(value: Expression) -> bool:
    """Whether it is 0 or 1."""
    match unconverted(value):
        case Operation(operator="&", arguments=(a, b)):
            return _is_one(a) or _is_one(b)
        case plain:
            return _is_one(plain) or is_truth(plain)


def _reads(value: Expression, variable: Variable) -> bool:
    return any(isinstance(e, Use) and e.variable == variable for e in walk(value))


def _begins_as_truth(function: Function, loop: Loop, variable: Variable) -> bool:
    """Whether the last statement in front of the loop that has to do with the variable sets it to 0 or 1."""
    before = reversed(in_front_of(function.body, loop))
    last = next((s for s in before if any(_touches(inner, variable) for inner in statements((s,)))), None)
    match last:
        case Assign(target=target, value=value) if target == variable:
            known = unconverted(value)
            return isinstance(known, Literal) and known.value in TRUTH
        case _:
            return False
