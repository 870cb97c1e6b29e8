"""Versions of the pointers in memory: two that are read from one place are one pointer, as long as the version of their
kind is the same.

*Method*: a clock goes on whenever pointers may be set; a store of a pointer to a number, a structure or a pointer is
none of another kind or type (`source.effective_types`), for which it is taken off again; members of unions are of
any kind.

    s->row[k] = malloc(n);      ->  `s->row` leads to where it led: to pointers, while what is stored leads to numbers
    m->s[i].cells = c;          ->  `m->s` leads to where it led: to another structure
"""

from ..ir.members import shares_bytes
from ..ir.nodes import Access
from ..source.ctypes import Pointer
from ..source.effective_types import Target, are_apart, target_of
from .context import Context


def stored(ctx: Context, access: Access) -> None:
    """After the store of a pointer, or of something that may hold pointers."""
    ctx.pointer_version += 1
    kind = _kind(access, access.type)
    if kind:
        ctx.pointers_stored[kind] = ctx.pointers_stored.get(kind, 0) + 1


def version_of(ctx: Context, access: Access, type_: Pointer) -> int:
    """The version of a pointer of a type that is read. Example: see the module."""
    kind = _kind(access, type_)
    return ctx.pointer_version - sum(n for other, n in ctx.pointers_stored.items() if are_apart(kind, other))


def oldest(ctx: Context, clock: int) -> int:
    """The oldest version that pointers may have which nobody has set since the clock stood there."""
    return clock - sum(ctx.pointers_stored.values())


def _kind(access: Access, type_: object) -> Target:
    return target_of(type_) if isinstance(type_, Pointer) and not shares_bytes(access) else ()
