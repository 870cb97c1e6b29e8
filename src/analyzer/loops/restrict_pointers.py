"""Pointers that the function declares as `restrict`: what they promise, and for how long (C11 6.7.3.1).

*Decides*: on which of these pointers an access is based; whether two accesses are distinct by that in a loop.
*Method*: a pointer carries the `restrict` pointers that its value was made from (`values.Address.restricted`); an
access keeps those that are in scope. A promise is made for one execution of the block of the declaration: it holds
between all iterations of a loop in that block, and not between those of a loop around it, each of which makes its own.
*Errs toward* no promise: only the value that a declaration, or a call, gives the pointer is followed.

    for (j ...) {
        double *restrict p = g->d, *restrict q = h->d;    // j: the p of one iteration may be the q of another
        for (i ...) p[i] = q[i];                          // i: distinct
    }
"""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ..ir.nodes import Access, Variable
from ..source.ctypes import Pointer
from .values import Address

if TYPE_CHECKING:
    from .context import Context


def promise(ctx: "Context", variable: Variable) -> None:
    """What is computed from the first value of a `restrict` pointer is based on that pointer."""
    value, type_ = ctx.values[variable.key], variable.type
    if isinstance(value, Address) and isinstance(type_, Pointer) and type_.restrict and not variable.addressed:
        ctx.values[variable.key] = replace(value, restricted=(*value.restricted, variable))


def in_scope(ctx: "Context", pointers: tuple[Variable, ...]) -> tuple[Variable, ...]:
    """Those pointers whose block is being executed: `double *r; { double *restrict p = s->d; r = p; }` has left it."""
    scopes = [scope for frame in ctx.frames for scope in frame] if pointers else []
    return tuple(p for p in pointers if any(scope.get(p.name) is p for scope in scopes))


def common(a: Address, b: Address) -> tuple[Variable, ...]:
    """What a pointer is based on that is one of two."""
    return tuple(p for p in a.restricted if p in b.restricted)


def apart(a: Access, b: Access, loop: int) -> bool:
    """Whether two accesses in the loop with this key, at least one a write, are distinct in all of its iterations by
    what their pointers promise: each is based on one that the other is not based on."""
    first, second = ({p for p in each.restricted if loop not in p.loops} for each in (a, b))
    return bool(first - second) and bool(second - first)
