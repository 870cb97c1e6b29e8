"""Accesses that go on by one element at a time, data deciding in which iterations: `if (a[i] > x) b[at++] = a[i];`.

*Decides* whether the subscript of an access is a variable that every change in its loop moves on by the same number:
what one thread touches one after the other are neighbours, whatever is left out in between.
*Does not handle* a variable that is also set, or moved in a loop inside of that one.
"""

from ..ir.nodes import (
    Assign,
    Computed,
    Literal,
    Operation,
    Use,
    Variable,
    loops,
    size_in_bytes,
    statements,
    unconverted,
)
from ..ir.polynomials import Symbol, symbol
from .nest import Nest, Touch


def fills(nest: Nest, touch: Touch) -> bool:
    """Whether an access goes from one element to the next one, or stays, along the innermost loop around it."""
    moving = [s for part in touch.access.subscripts for s in part.index.symbols if nest.variance.moves(s)]
    if len(moving) != 1 or not touch.scope.counters:
        return False
    last = touch.access.subscripts[-1]
    if last.stride != size_in_bytes(touch.access):
        return False
    return last.index.coefficient(moving[0]).constant in (1, -1) and _goes_by_ones(nest, touch, moving[0])


def _goes_by_ones(nest: Nest, touch: Touch, s: Symbol) -> bool:
    if not isinstance(s.origin, Computed) or not s.origin.loops:
        return False
    loop = next((each for each in loops((nest.loop,)) if each.key == s.origin.loops[-1]), None)
    if loop is None or loop.counter != touch.scope.counters[-1]:
        return False
    changes = [a for a in statements(loop.body) if isinstance(a, Assign) and isinstance(a.target, Variable)]
    counted = {v for a in changes if (v := _counted(a)) is not None}
    own = [v for v in counted if any(_counts_from(a, v, s) for a in changes)]
    return len(own) == 1 and all(_counted(a) == own[0] for a in changes if a.target == own[0])


def _counted(a: Assign) -> Variable | None:
    """The variable that the assignment moves on by one."""
    match unconverted(a.value):
        case Operation(operator="+" | "-", arguments=(Use(variable=v), Literal(value=1))) if v == a.target:
            return v
        case _:
            return None


def _counts_from(a: Assign, variable: Variable, s: Symbol) -> bool:
    match unconverted(a.value):
        case Operation(arguments=(Use(value=value), _)) if a.target == variable:
            return value == symbol(s)
        case _:
            return False
