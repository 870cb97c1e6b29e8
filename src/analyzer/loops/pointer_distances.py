"""How far apart two pointers are of which nothing is known but that they lead into one object."""

from ..base.places import Place
from ..ir.invariance import computed_in
from ..ir.nodes import Computed, Loaded, Rows
from ..ir.polynomials import Poly, symbol
from .context import Context, End


def between(ctx: Context, first: End, last: End, unit: Poly) -> Poly:
    """`last - first` of two pointers as they came into the function or were read from memory, in elements of `unit`
    bytes. Of those read from memory it is another number in each iteration of a loop that may set them, or that
    reads others of them."""
    if (last, first, unit) in ctx.ranges:
        return -symbol(ctx.ranges[last, first, unit])
    if (first, last, unit) not in ctx.ranges:
        name = f"{_pointer_text(ctx, last)} - {_pointer_text(ctx, first)}"
        varying = tuple(k for k in ctx.loops if _moves(ctx, first, k) or _moves(ctx, last, k))
        origin = Computed(name, Place(ctx.unit.path, 0, 0), varying, given=True)
        ctx.ranges[first, last, unit] = ctx.new_symbol(name, origin)
    return symbol(ctx.ranges[first, last, unit])


def _pointer_text(ctx: Context, end: End) -> str:
    return ctx.read_pointers.get(end, str(end[0]))


def _moves(ctx: Context, end: End, loop: int) -> bool:
    """Whether a pointer from memory may be another one in each iteration of a loop."""
    object_, rows = end
    if not isinstance(object_, Rows):
        return False
    indices = [s.index for s in rows]
    reads = any(isinstance(s.origin, Loaded) for i in indices for s in i.symbols)
    return reads or loop in ctx.unsteady or any(computed_in(i, loop) for i in indices)
