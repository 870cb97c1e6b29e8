"""Calls that get the same in all iterations of a loop.

*Decides*: in which of the loops around a call its arguments may change. A function that only computes, or is supposed
to be pure, and so to read nothing that the loop writes, gives the same value in all iterations of the others.
*Method*: a pointer that is read from memory is taken to stay as it is in a loop (`Context.taken_to_stay`), until it
shows that the loop may set pointers in memory (`counted_loops`): then the loop is lowered again.
*Errs toward* changing: floating values.

    for (i = 0; i < columns(m); i++)        ->  none, as long as nothing in the loop sets m
    for (i = 0; i < length(s->x); i++)      ->  none, as long as no pointer is stored in the loop
"""

from ..ir import nodes as ir
from ..ir.invariance import is_invariant
from ..source.ctypes import Pointer
from .context import Context, Typed
from .values import Address, IntegerValue


def changing_loops(ctx: Context, arguments: list[Typed]) -> tuple[int, ...]:
    """The keys of the loops, from outside, up to the innermost one in which an argument may change."""
    steady = [all(_is_steady(ctx, argument, loop) for argument in arguments) for loop in ctx.loops]
    last = max((k for k, same in enumerate(steady) if not same), default=-1)
    return tuple(ctx.loops[: last + 1])


def gets_moving_pointers(ctx: Context, arguments: list[Typed]) -> bool:
    """Whether an argument is a pointer that is not the same in all iterations of the innermost loop."""
    pointers = (a for a in arguments if isinstance(a.type, Pointer))
    return any(not _is_steady(ctx, pointer, ctx.loops[-1]) for pointer in pointers)


def _is_steady(ctx: Context, argument: Typed, loop: int) -> bool:
    match argument.value:
        case IntegerValue(poly=poly):
            return is_invariant(poly, loop)
        case Address(object=object_, subscripts=subscripts):
            return _is_from_before(ctx, object_, loop) and all(is_invariant(s.index, loop) for s in subscripts)
        case _:
            return isinstance(argument.expression, ir.Literal)


def _is_from_before(ctx: Context, x: ir.Object, loop: int) -> bool:
    """Whether a name of an object means the same one in all iterations of a loop. (Keys count up.)"""
    match x:
        case ir.Declared(variable=variable):
            return loop not in variable.loops
        case ir.Anything(key=key):
            return key < loop
        case ir.Pointee() | ir.Text():
            return True
        case ir.Rows(base=base) if loop not in ctx.setting_pointers and _is_from_before(ctx, base, loop):
            ctx.taken_to_stay.add(loop)
            return True
        case _:
            return False
