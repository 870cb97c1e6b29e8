"""Pointers to new memory that were stored in memory: where they lead, as long as nothing may have changed them.

*Decides*: what the pointer in a place of memory leads to, where the function itself has just put it there.
*Method*: a place is known while `pointer_version` stays what it was, or moves on by stores that surely go elsewhere.
*Errs toward* nothing known: after a call that may set pointers, after a store of bytes, in a loop that may set one.

    s->x = malloc(n); s->y = malloc(n); ... s->x[i] = s->y[i];      ->  the first leads to the memory of the first call
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from msgspec.structs import replace

from ..base.regex import regex
from ..ir import nodes as ir
from ..ir.members import shares_bytes
from ..source.ctypes import Complex, Floating, Integer, Pointer
from .context import Context, slot_of
from .reaching_definitions import may_overlap
from .values import Address, Value

Values: TypeAlias = Mapping[int, Value | None]

_MEMBER = regex(r"[A-Za-z_]\w*(?:(?:->|\.)\w+)+")
"""The name of new memory that a member leads to."""


def led_to(ctx: Context, access: ir.Access) -> Value | None:
    """Where the pointer leads that is read there. Example: see the module."""
    key = ctx.stored_pointers.get(slot_of(access))
    return None if key is None or ctx.pointer_stamps[key] != ctx.pointer_version else ctx.values.get(key)


def keep(ctx: Context, access: ir.Access, given: Value | None) -> None:
    """After the store of a pointer: it is known if it leads to memory that the function got from an allocator."""
    match access.type, given:
        case Pointer(volatile=False), Address(object=ir.Allocated() as made) if not access.atomic:
            known = ctx.stored_pointers.get(slot_of(access))
            key = ctx.stored_pointers[slot_of(access)] = known or ctx.key()
            ctx.member_keys.add(key)
            ctx.pointer_places[key], ctx.pointer_stamps[key] = access, ctx.pointer_version
            own = known is None and not made.name and _MEMBER.fullmatch(access.text) and len(ctx.frames) == 1
            ctx.values[key] = replace(given, object=replace(made, name=access.text)) if own else given
        case _:
            pass


def overwritten(ctx: Context, access: ir.Access, sets_pointers: bool) -> None:
    """Before a store counts as one: what it may change is no longer known; the rest stays so."""
    for key in [*_known(ctx)]:
        if _may_change(access, ctx.pointer_places[key]):
            del ctx.values[key]
        elif sets_pointers:
            ctx.pointer_stamps[key] = ctx.pointer_version + 1


def known(ctx: Context) -> frozenset[int]:
    """The keys of the pointers that are known here."""
    return frozenset(_known(ctx))


def entered(ctx: Context, keys: frozenset[int]) -> None:
    """Where a loop begins that leaves these as they are, be it one that sets others."""
    ctx.pointer_stamps.update(dict.fromkeys(keys, ctx.pointer_version))


def are_kept(ctx: Context, keys: frozenset[int], before: Values, ends: Iterable[Values]) -> bool:
    """Whether an iteration leaves all of them as they were, to wherever it goes on."""
    kept = (values.get(key) == before.get(key) for values in ends for key in keys)
    return all(kept) and all(ctx.pointer_stamps[key] == ctx.pointer_version for key in keys)


def left(ctx: Context, before: Values) -> None:
    """Behind a loop that was entered with these values: what it may have set is not known."""
    for key in ctx.pointer_stamps:
        if key in ctx.values and (key not in before or ctx.values[key] != before[key]):
            del ctx.values[key]


def forgotten(ctx: Context) -> None:
    """Nothing is known of them."""
    for key in ctx.pointer_stamps:
        ctx.values.pop(key, None)


def _known(ctx: Context) -> Iterator[int]:
    return (k for k, v in ctx.pointer_stamps.items() if v == ctx.pointer_version and k in ctx.values)


def _may_change(store: ir.Access, place: ir.Access) -> bool:
    """Whether a store may change a pointer: not one of numbers to other memory (C11 6.5p7), but for bytes and for
    members of unions, nor one to memory that is new, where the pointer stands in other memory that has a name."""
    x, y = store.object, place.object
    if x == y:
        return may_overlap(store, place)
    if all(map(_is_named, (x, y))) and (isinstance(x, ir.Allocated) or isinstance(y, ir.Allocated)):
        return False
    of_numbers = isinstance(store.type, Integer | Floating | Complex) and store.size > 1
    return not of_numbers or shares_bytes(store)


def _is_named(x: ir.Object) -> bool:
    """Whether it is memory that was made here, a variable, or what a parameter led to when the function began."""
    match x:
        case ir.Allocated() | ir.Declared():
            return True
        case ir.Pointee(variable=variable):
            return variable.scope == "parameter"
        case _:
            return False
