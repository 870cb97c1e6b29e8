"""Invalidation: what is no longer known of variables and memory after a store, a call, or a merge of control flow."""

from collections.abc import Collection

from ..ir.nodes import Access, Anything, Declared, Loaded, Pointee, Rows, Variable
from ..ir.polynomials import Symbol
from ..source.ctypes import Array, Complex, CType, Floating, Integer, Pointer, Record, Unknown
from ..source.effective_types import are_apart, differ_in_type, hold_nothing_like, target_of
from ..source.held import held
from ..source.unit import Unit
from . import own_members, pointer_versions, stored_pointers
from .context import Context


def after_store(ctx: Context, access: Access) -> None:
    """A store through a pointer may change integers in memory and addressed variables (C11 6.5p7: not one
    of another type than char)."""
    sets_pointers = holds_pointers(ctx.unit, access.type)
    stored_pointers.overwritten(ctx, access, sets_pointers)
    if sets_pointers:
        pointer_versions.stored(ctx, access)
    ctx.reaching.define(access.place.line, access)
    own_members.overwritten(ctx, access)
    if isinstance(access.type, Floating | Complex):  # may still be another view of the same union
        ctx.loaded_slots = {
            slot: s for slot, s in ctx.loaded_slots.items() if slot[0] != access.object and not _of_floating(s)
        }
        return
    ctx.forget_memory()
    match access.object:
        case Declared(variable=variable) if isinstance(variable.type, Integer | Pointer):  # byte by byte, say
            ctx.values[variable.key] = ctx.initial(variable, access.place.line)
        case Anything():
            _addressed_like(ctx, access)
        case Pointee() | Rows():
            _presume(ctx, access)
            _kept_like(ctx, access)
        case _:
            pass


def _of_floating(s: Symbol) -> bool:
    return isinstance(s.origin, Loaded) and isinstance(s.origin.access.type, Floating)


def holds_pointers(unit: Unit, type_: CType) -> bool:
    """Whether there may be pointers in an object: of an undeclared type that is not used as a number, nobody knows."""
    known = unit.layouts
    made_of = (t for t in held(type_, known) if not (isinstance(t, Unknown) and t.opaque and t.name in unit.numeric))
    return any(isinstance(t, Pointer | Unknown) or (isinstance(t, Record) and t.key not in known) for t in made_of)


def _presume(ctx: Context, access: Access) -> None:
    """A pointer from outside may lead to a global variable, or to an integer that is read again and again; that it
    does not is noted for the loops around."""
    for (_, _, _, size), s in ctx.steady.items():
        if access.size in (1, size):
            for loop in ctx.loops:
                ctx.spared.setdefault(loop, {}).setdefault(s, access.place.line)
    for variable in ctx.globals.values():
        type_ = variable.type
        fits = isinstance(type_, Integer) and not type_.const and access.size in (1, type_.size)
        if fits and not variable.by_name and variable.name not in ctx.guesses:
            for loop in ctx.loops:
                ctx.presumed.setdefault(loop, {}).setdefault(variable.key, access.place.line)
            if not ctx.loops:  # no loop is there to presume it
                ctx.values[variable.key] = ctx.initial(variable, access.place.line)
        elif isinstance(type_, Pointer) and not ctx.loops and not variable.by_name and _may_be_pointer(access, type_):
            ctx.values[variable.key] = ctx.initial(variable, access.place.line)


def _may_be_pointer(access: Access, type_: Pointer) -> bool:
    """Whether a pointer that is stored may be a variable of a type: of one that leads to the same kind of thing."""
    kinds = (target_of(access.type) if isinstance(access.type, Pointer) else (), target_of(type_))
    return all(kinds) and not are_apart(*kinds)


def _kept_like(ctx: Context, access: Access) -> None:
    """Variables whose addresses stand in memory, and that a store through a pointer from there may have changed."""
    if isinstance(access.object, Rows):
        for variable in ctx.visible() if ctx.kept_addresses else ():
            if variable.key in ctx.kept_addresses and not _keeps_apart(ctx.unit, access.type, variable.type):
                ctx.values[variable.key] = ctx.initial(variable, access.place.line)


def inlined(ctx: Context, around: set[int], result: Variable | None) -> None:
    """At the end of a call that was followed: its own variables are no more. What is left are those `around`, the
    one with its result, and globals that it was the first to name."""
    inner = ctx.values.keys() - around
    inner -= {v.key for kept in (ctx.globals, ctx.statics) for v in kept.values()}
    inner -= {0 if result is None else result.key, *own_members.of(ctx, result)}
    for key in inner:
        del ctx.values[key]


def addressed(ctx: Context, line: int, given: bool = False, gets: Collection[int] = ()) -> None:
    """Variables that a call may have changed, or (not `given`) a message that comes: globals, and locals whose address
    was taken. `gets`: keys of those whose address the call gets: of others it does not know what is only lent."""
    for variable in exposed(ctx):
        knows = variable.key in gets or variable.key not in ctx.lent_keys
        if knows and (given or not variable.by_name):
            ctx.values[variable.key] = ctx.initial(variable, line, given)


def given_away(ctx: Context, line: int) -> None:
    """Variables that a library function may change: those whose address was taken, as an argument (`%n`) or for a
    stream in memory (`open_memstream`)."""
    for variable in exposed(ctx):
        if variable.name in ctx.unit.addressed if variable.scope in ("global", "static") else variable.addressed:
            ctx.values[variable.key] = ctx.initial(variable, line, given=True)


def _addressed_like(ctx: Context, access: Access) -> None:
    """Variables that a store through a pointer of unknown origin may have changed: none that the type of what is stored
    keeps apart, so that pointers stay where numbers are stored, or structures that hold none."""
    for variable in exposed(ctx):
        if not variable.by_name and not _keeps_apart(ctx.unit, access.type, variable.type):
            ctx.values[variable.key] = ctx.initial(variable, access.place.line)


def _keeps_apart(unit: Unit, stored: CType, type_: CType) -> bool:
    """Whether a store of one type changes no variable of the other one. What is stored as a whole is so as its members
    are, of which those of one byte are no more than that (C11 6.5p7: a character type alone may be anything)."""
    if not isinstance(stored, Record):
        return differ_in_type(stored, type_)
    parts = tuple(held(stored, unit.layouts))
    if any(isinstance(t, Unknown) or (isinstance(t, Record) and t.key not in unit.layouts) for t in parts):
        return False
    scalars = (t for t in parts if not isinstance(t, Record | Array))
    return hold_nothing_like(tuple(scalars), type_)


def after_independent(ctx: Context, line: int) -> None:
    """A call that does nothing which another iteration could tell may have changed memory, and locals of loops of which
    it knows the address, but no variable that all iterations see. (One that gets the address of such a variable is not
    taken for independent.)"""
    for variable in exposed(ctx):
        if variable.loops:
            ctx.values[variable.key] = ctx.initial(variable, line, given=True)
    ctx.forget_memory()


def exposed(ctx: Context) -> list[Variable]:
    """What is followed although a function that is not seen may change it: no constants of the function, none of the
    pointers that only get released, which nobody follows afterwards, and nothing of which no address is taken yet."""
    return [
        variable
        for variable in ctx.visible()
        if (_is_reached(ctx, variable) or variable.scope in ("global", "static"))
        and isinstance(variable.type, Integer | Pointer)
        and not (variable.type.const and variable.scope in ("local", "parameter"))
        and variable.name not in ctx.guesses
    ]


def _is_reached(ctx: Context, variable: Variable) -> bool:
    is_later = not variable.inlined and variable.name in ctx.unaddressed
    return variable.addressed and not variable.released and not is_later


def everything(ctx: Context, line: int) -> None:
    """Where control may come from anywhere: nothing is known of memory, nor of any variable that changes."""
    for variable in ctx.visible():
        if variable.name not in ctx.guesses:
            kept = ctx.unchanged.get(variable.key)
            ctx.values[variable.key] = kept if kept is not None else ctx.initial(variable, line)
    ctx.reaching.define(line)
    ctx.forget_memory()
    own_members.forgotten(ctx)
    stored_pointers.forgotten(ctx)
    ctx.pointer_version += 1
