"""Variables that each iteration sets anew, and that only go up from there: cursors into what it fills.

*Decides*: which such variable selects what an access touches, so that this is not before the element at which the
iteration began. *Method*: the first statement of the body that concerns the variable sets it, and all others add a
number to it. *Errs toward* none: a variable that others may set, a narrow one, one that begins alike in all iterations
or counts those of an inner loop, so that more is known of its values.

    p = ptr[i]; for (...) if (x[k]) list[p++] = k;          ->  p
    p = ptr[i]; for (...) if (x[k]) list[--p] = k;          ->  none, it goes down
"""

from collections.abc import Iterator

from ..access.accesses import Occurrence
from ..access.subscripts import element_part
from ..ir.nodes import (
    Assign,
    Expression,
    Literal,
    Load,
    Operation,
    Statement,
    Use,
    Variable,
    evaluated,
    is_use,
    statements,
    unconverted,
)
from ..source.ctypes import Integer, Pointer
from .scope import Scope

NARROWEST, WIDE = 4, 8
"""Bytes of a signed cursor, which does not overflow, and of an unsigned one, which does not come round by steps."""


def cursor(scope: Scope, o: Occurrence) -> Variable | None:
    """The variable that selects the element of an access, or one behind it. Example: see the module."""
    elements = element_part(o.access)
    if len(elements) != 1:
        return None
    for index in _index(scope, o):
        use = _not_before(index)
        if use is None or use.value is None or any(map(scope.counts_inside, use.value.symbols)):
            continue
        beyond = (elements[0].index - use.value).constant
        if beyond is not None and beyond >= 0 and _goes_up(scope, use.variable):
            return use.variable
    return None


def _index(scope: Scope, o: Occurrence) -> Iterator[Expression]:
    """The expressions in the subscripts of an access."""
    for s in statements(scope.loop.body):
        if o.write and isinstance(s, Assign) and s.target is o.access:
            yield from (e for e in s.index if not isinstance(e.type, Pointer))
        for read in () if o.write else evaluated(s):
            if isinstance(read, Load) and read.access is o.access:
                yield from (e for e in read.index if not isinstance(e.type, Pointer))


def _not_before(index: Expression) -> Use | None:
    """The variable of `p` and `p + 1`."""
    match unconverted(index):
        case Use() as use:
            return use
        case Operation(operator="+", arguments=(a, b)):
            base, more = unconverted(a), unconverted(b)
            return base if isinstance(base, Use) and isinstance(more, Literal) and more.value >= 0 else None
        case _:
            return None


def _goes_up(scope: Scope, variable: Variable) -> bool:
    type_ = variable.type
    if not isinstance(type_, Integer) or type_.size < (NARROWEST if type_.signed else WIDE):
        return False
    if variable.addressed or variable.scope not in ("local", "parameter"):
        return False
    body = scope.loop.body
    first = next((k for k, s in enumerate(body) if _concerns(s, variable)), None)
    if first is None or not _sets_anew(scope, body[first], variable):
        return False
    made = [s for s in statements(body) if isinstance(s, Assign) and isinstance(s.target, Variable)]
    alike = {s.target.key for s in made if isinstance(s.target, Variable) and s.target.name == variable.name}
    steps = [s for s in made if s.target == variable and s is not body[first]]
    return alike == {variable.key} and bool(steps) and all(_adds(s.value, variable) for s in steps)


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


def _adds(value: Expression, variable: Variable) -> bool:
    """Whether it is the variable and a number more, in the type of the variable."""
    match unconverted(value):
        case Operation(operator="+", arguments=(a, b), type=Integer(size=size, signed=signed)):
            more, own = unconverted(b), variable.type
            alike = isinstance(own, Integer) and (size, signed) == (own.size, own.signed)
            return alike and is_use(a, variable) and isinstance(more, Literal) and more.value > 0
        case _:
            return False
