"""Versions of the pointers in memory: two that are read from one place are one pointer, as long as the version of their
kind is the same.

*Method*: a clock goes on whenever pointers may be set; a store of a pointer to a number, a structure or a pointer is
none of another of these kinds (`source.effective_types`), for which it is taken off again; members of unions are of
any kind.

    s->row[k] = malloc(n);      ->  `s->row` leads to where it led: to pointers, while what is stored leads to numbers
"""

from ..ir.members import shares_bytes
from ..ir.nodes import Access
from ..source.ctypes import Pointer
from ..source.effective_types import TARGETS, target_of
from .context import Context


def stored(ctx: Context, access: Access) -> None:
    """After the store of a pointer, or of something that may hold pointers."""
    ctx.pointer_version += 1
    kind = target_of(access.type) if isinstance(access.type, Pointer) and not shares_bytes(access) else ""
    for other in TARGETS if kind else ():
        ctx.pointers_elsewhere[other] = ctx.pointers_elsewhere.get(other, 0) + (other != kind)


def version_of(ctx: Context, access: Access, type_: Pointer) -> int:
    """The version of a pointer of a type that is read. Example: see the module."""
    elsewhere = 0 if shares_bytes(access) else ctx.pointers_elsewhere.get(target_of(type_), 0)
    return ctx.pointer_version - elsewhere


def oldest(ctx: Context, clock: int) -> int:
    """The oldest version that pointers may have which nobody has set since the clock stood there."""
    return clock - max(ctx.pointers_elsewhere.values(), default=0)
