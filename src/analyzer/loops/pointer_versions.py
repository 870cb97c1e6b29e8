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
from ..source.ctypes import Array, Pointer, Record
from ..source.effective_types import Target, all_apart, target_of, targets_in
from ..source.held import held
from .context import Context


def stored(ctx: Context, access: Access) -> None:
    """After the store of a pointer, or of something that may hold pointers."""
    ctx.pointer_version += 1
    kinds = _kinds(ctx, access)
    ctx.pointers_stored[kinds] = ctx.pointers_stored.get(kinds, 0) + 1


def _kinds(ctx: Context, access: Access) -> frozenset[Target]:
    """What the pointers lead to that are stored."""
    match access.type:
        case Pointer() as pointer if not shares_bytes(access):
            return frozenset({target_of(pointer)})
        case Record(key=key) as record if key in ctx.unit.layouts:
            parts = held(record, ctx.unit.layouts)
            return targets_in([part for part in parts if not isinstance(part, Record | Array)])
        case _:
            return frozenset({()})


def version_of(ctx: Context, access: Access, type_: Pointer) -> int:
    """The version of a pointer of a type that is read. Example: see the module."""
    kind = target_of(type_) if not shares_bytes(access) else ()
    return ctx.pointer_version - sum(n for others, n in ctx.pointers_stored.items() if all_apart(kind, others))


def oldest(ctx: Context, clock: int) -> int:
    """The oldest version that pointers may have which nobody has set since the clock stood there."""
    return clock - sum(ctx.pointers_stored.values())
