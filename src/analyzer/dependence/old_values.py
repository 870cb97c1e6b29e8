"""What a call of the Basic Linear Algebra Subprograms does with the old value of what it writes.

*Decides*: by what it is multiplied before something is added: the factor that the call gets (`beta` of `dgemm_`), where
that is a number for certain, or 1 for those that always add.
*Errs toward* None: any factor.

    const double zero = 0;  dgemm_(.., &zero, c, &n);     ->  0: what was in c plays no part
"""

from ..ir import blas
from ..ir.nodes import (
    Access,
    Address,
    Assign,
    Call,
    Declared,
    Expression,
    Literal,
    Statement,
    Variable,
    evaluated,
    statements,
    unconverted,
)


def factor_of_old(body: tuple[Statement, ...], call: Call) -> int | float | None:
    """`body`: of the function that makes the call. Example: see the module."""
    found = blas.added_to(call.name)
    if found is None or any(k is not None and k >= len(call.arguments) for k in found):
        return None
    return 1 if found[1] is None else _number(body, call.arguments[found[1]])


def _number(body: tuple[Statement, ...], value: Expression) -> int | float | None:
    match unconverted(value):
        case Literal(value=known):
            return known
        case Address(object=Declared(variable=variable)):
            return _held(body, variable)
        case _:
            return None


def _held(body: tuple[Statement, ...], variable: Variable) -> int | float | None:
    """What a variable of the function is set to, once, if only functions that leave it alone get its address."""
    every = tuple(statements(body))
    made = [s for s in every if isinstance(s, Assign) and s.target == variable]
    stored = any(isinstance(s, Assign) and _is_in(s.target, variable) for s in every)
    inside = [e for s in every for e in evaluated(s)]
    given = [e for e in inside if isinstance(e, Call)]
    lent = sum(_is_address_of(e, variable) for c in given if _leaves_alone(c, variable) for e in c.arguments)
    named = sum(isinstance(e, Address) and e.object == Declared(variable) for e in inside)
    hidden = any(Declared(variable) in c.pointers and not _leaves_alone(c, variable) for c in given)
    if len(made) != 1 or variable.scope != "local" or stored or hidden or named > lent:
        return None
    first = unconverted(made[0].value)
    return first.value if isinstance(first, Literal) else None


def _is_in(target: Variable | Access, variable: Variable) -> bool:
    return isinstance(target, Access) and target.object == Declared(variable)


def _leaves_alone(call: Call, variable: Variable) -> bool:
    changed = blas.written(call.name)
    if changed is None:
        return Declared(variable) in call.read_only
    at = (k for k, e in enumerate(call.arguments) if _is_address_of(e, variable))
    return not changed.intersection(at)


def _is_address_of(e: Expression, variable: Variable) -> bool:
    inner = unconverted(e)
    return isinstance(inner, Address) and inner.object == Declared(variable)
