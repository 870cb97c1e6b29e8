"""Members of structures that only one function can reach: their values are followed like those of its variables.

*Decides*: what a member of a local structure, or of one that is handed over by value, holds: a number, or a pointer to
known memory. Structures are copied member by member, into and out of functions that are followed, too.
*Errs toward* nothing known: of a structure whose address, or that of a member, is taken; of one that holds arrays,
since a pointer into one leads on to its neighbours; of what a loop changes, once it is entered.

    struct image to; to.w = from.w;                ->  to.w is from.w
    struct image to = {w, h, malloc(w * h)};       ->  to.data leads to that memory
    struct image to = made(w, h);                  ->  to.w is what `made` has put there
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise

from msgspec.structs import replace
from pycparser import c_ast

from ..ir import nodes as ir
from ..ir.polynomials import Poly, symbol
from ..source.ctypes import Array, CType, Integer, Member, Pointer, Record, Unknown
from ..source.held import held
from ..source.nodes import nodes
from ..source.unit import Unit
from . import syntax
from .context import Context, Typed
from .conversions import convert
from .values import Address, IntegerValue, Part, Value

_WHOLE = Part("", 0, 0)


def value(ctx: Context, access: ir.Access) -> Value | None:
    """What a read of memory gives, where it is of such a member. Example: see the module."""
    variable = _owner(ctx, access.object)
    key = None if variable is None else ctx.members.get(variable.key, {}).get(_part(access))
    return None if key is None else ctx.values.get(key)


def numbers(ctx: Context) -> tuple[tuple[Poly, str], ...]:
    """What integer members hold now that were read, or set, with their texts: `image.w`."""
    found: list[tuple[Poly, ir.Variable, str]] = []
    for s in ctx.own_slots.values():
        match s.origin:
            case ir.Loaded(access=ir.Access(object=ir.Declared(variable=variable), field=field)):
                found.append((symbol(s), variable, field))
            case _:
                pass
    for variable in {v.key: v for v in ctx.visible() if v.key in ctx.members}.values():
        for part, key in ctx.members[variable.key].items():
            match ctx.values.get(key):
                case IntegerValue(poly=poly, wraps=()):
                    found.append((poly, variable, part.field))
                case _:
                    pass
    named = ((poly, f"{v.name}{field}") for poly, v, field in found if field and ctx.lookup(v.name) == v)
    return tuple((poly, text) for poly, text in named if poly.constant is None)


def read_by_value(ctx: Context, loop: c_ast.Node) -> None:
    """Gives the sizes in structures names before a loop that hands them over by value: who gets a copy reads them by a
    name of its own. Example: `out.w` of `set(out, x, y)`."""
    for call in nodes(loop, c_ast.FuncCall):
        for given in call.args.exprs if call.args is not None else ():
            variable = ctx.lookup(given.name) if isinstance(given, c_ast.ID) else None
            if variable is None or _owner(ctx, ir.Declared(variable)) is None:
                continue
            whole = ir.Access(ir.Declared(variable), (), "", 0, variable.type, 0, variable.name, ctx.place(loop))
            for part, type_ in _scalars(ctx, variable.type, _WHOLE):
                read = _member(whole, part, type_)
                if isinstance(type_, Integer) and value(ctx, read) is None:
                    ctx.loaded(read, own=True)


def is_own(ctx: Context, access: ir.Access) -> bool:
    """Whether what is read there stays the same until the function itself changes it by the name of the structure."""
    return _owner(ctx, access.object) is not None and not (access.subscripts or access.volatile or access.atomic)


def overwritten(ctx: Context, access: ir.Access) -> None:
    """After a store, to anything."""
    match access.object:
        case ir.Declared(variable=variable) if isinstance(variable.type, Record):
            stored = _part(access) if access.size and not access.subscripts else None
            _forget(ctx, variable, stored)
        case _:
            pass


def keep(ctx: Context, access: ir.Access, given: Value | None, source: ir.Expression) -> None:
    """What was stored there is known, as far as it is a number by some name, or a pointer to known memory."""
    variable = _owner(ctx, access.object)
    if variable is None or not is_own(ctx, access) or access.bits:
        return
    if isinstance(access.type, Record):
        _copy(ctx, variable, _part(access), source)
    elif (kept := _followed(access.text, access.type, given)) is not None:
        ctx.values[_key(ctx, variable, _part(access))] = kept


def copied(ctx: Context, variable: ir.Variable, source: ir.Expression) -> None:
    """A structure that a call gets, or gives, is a copy of this one."""
    if isinstance(variable.type, Record):
        _copy(ctx, variable, _WHOLE, source)


def initialised(ctx: Context, variable: ir.Variable, init: c_ast.InitList, given: Mapping[int, Typed]) -> None:
    """A structure starts with the values in a list, by the `id` of their syntax."""
    for each, member in listed(ctx.unit, variable.type, init) if _owner(ctx, ir.Declared(variable)) else ():
        if isinstance(member.type, Integer | Pointer) and id(each) in given:
            part = Part(f".{member.name}", member.offset, member.type.size)
            converted = convert(ctx, given[id(each)], member.type, each).value
            if (kept := _followed(f"{variable.name}{part.field}", member.type, converted)) is not None:
                ctx.values[_key(ctx, variable, part)] = kept


def listed(unit: Unit, type_: CType, init: c_ast.InitList) -> Iterator[tuple[c_ast.Node, Member]]:
    """What a list gives the members of a structure, as far as it names or counts them."""
    layout = unit.layouts.get(type_.key) if isinstance(type_, Record) else None
    members = () if layout is None else layout.members
    if any(m.bit_width is not None for m in members) or not all(a.offset < b.offset for a, b in pairwise(members)):
        return
    at = 0
    for each in init.exprs:
        if isinstance(each, c_ast.NamedInitializer):
            names = [n.name if isinstance(n, c_ast.ID) else "" for n in each.name]
            at = next((k for k, m in enumerate(members) if names == [m.name]), len(members))
            each = each.expr
        in_braces = isinstance(each, c_ast.InitList)
        if at >= len(members) or in_braces != isinstance(members[at].type, Record):
            return  # without braces a structure takes as many values as it has members
        yield each, members[at]
        at += 1


def entered(ctx: Context, parts: tuple[c_ast.Node, ...]) -> None:
    """At the border of a loop: nothing is known of the structures that it changes."""
    if ctx.members or ctx.own_slots:
        for name in syntax.assigned_names(*parts).union(*map(syntax.names_with_changed_members, parts)):
            variable = ctx.lookup(name)
            if variable is not None and isinstance(variable.type, Record):
                _forget(ctx, variable, None)


def left(ctx: Context, loop: int) -> None:
    """Behind a loop: what was read in it first is of one of its iterations."""
    ctx.own_slots = {slot: s for slot, s in ctx.own_slots.items() if not _is_made_in(s.origin, loop)}


def _is_made_in(origin: ir.Origin, loop: int) -> bool:
    return isinstance(origin, ir.Loaded | ir.Computed) and loop in origin.loops


def forgotten(ctx: Context) -> None:
    """Nothing is known of any structure."""
    for known in ctx.members.values():
        for key in known.values():
            ctx.values.pop(key, None)
    ctx.own_slots.clear()


def of(ctx: Context, variable: ir.Variable | None) -> set[int]:
    """The keys of what is known of a variable's members."""
    return set() if variable is None else set(ctx.members.get(variable.key, {}).values())


# --- members


def _owner(ctx: Context, object_: ir.Object) -> ir.Variable | None:
    """The structure, where nobody but the function can reach it."""
    match object_:
        case ir.Declared(variable=ir.Variable(type=Record() as type_, scope="local" | "parameter") as variable):
            reached = variable.addressed or variable.name in ctx.members_addressed or variable.per_thread
            return None if reached or type_.volatile or not _is_followed(ctx, type_) else variable
        case _:
            return None


def _is_followed(ctx: Context, type_: Record) -> bool:
    """Whether all in it is known, and no array."""
    known: dict[str, bool] = ctx.unit.__dict__.setdefault("_followed_structures", {})
    if type_.key not in known:
        parts = tuple(held(type_, ctx.unit.layouts))
        records = (t.key for t in parts if isinstance(t, Record))
        odd = any(isinstance(t, Array | Unknown) for t in parts)
        known[type_.key] = not odd and all(key in ctx.unit.layouts for key in (type_.key, *records))
    return known[type_.key]


def _part(access: ir.Access) -> Part:
    return Part(access.field, access.offset, access.size)


def _key(ctx: Context, variable: ir.Variable, part: Part) -> int:
    """The key of a member among those of variables."""
    known = ctx.members.setdefault(variable.key, {})
    if part not in known:
        known[part] = ctx.key()
        ctx.member_keys.add(known[part])
    return known[part]


def _followed(name: str, type_: CType, given: Value | None) -> Value | None:
    """What a member by this name remembers of a value."""
    if isinstance(type_, Pointer) and type_.restrict:
        return None
    match given:
        case Address(object=ir.Allocated(name="") as made):
            return replace(given, object=replace(made, name=name))
        case IntegerValue(poly=poly):
            return given if all(_is_named(s.name, s.origin) for s in poly.symbols) else None
        case Address(object=ir.Allocated() | ir.Declared() | ir.Pointee() | ir.Text()):
            return given
        case _:
            return None


def _is_named(name: str, origin: ir.Origin) -> bool:
    """Whether a value has a name of its own: what a call gives is called by the member that holds it."""
    return not isinstance(origin, ir.Computed) or origin.meaning is not None or name.isidentifier()


def _forget(ctx: Context, variable: ir.Variable, stored: Part | None) -> None:
    """What shares a byte with a part of a structure, or all that is known of it."""
    for part, key in ctx.members.get(variable.key, {}).items():
        if stored is None or part.meets(stored):
            ctx.values.pop(key, None)
    for slot in [*ctx.own_slots]:
        object_, _, field, size = slot
        if isinstance(object_, ir.Declared) and object_.variable.key == variable.key:
            read = ctx.own_slots[slot].origin
            offset = read.access.offset if isinstance(read, ir.Loaded) else 0
            if stored is None or not isinstance(read, ir.Loaded) or Part(field, offset, size).meets(stored):
                del ctx.own_slots[slot]


def _copy(ctx: Context, variable: ir.Variable, to: Part, source: ir.Expression) -> None:
    if _owner(ctx, ir.Declared(variable)) is not None or variable.key in ctx.temporaries:
        for part, known in [*_parts(ctx, ir.unconverted(source))]:
            place = Part(to.field + part.field, to.offset + part.offset, part.size)
            ctx.values[_key(ctx, variable, place)] = known


def _parts(ctx: Context, source: ir.Expression) -> Iterator[tuple[Part, Value]]:
    """What the members of a structure hold that is copied, by their places in it: one that nobody knows, what is read
    there now."""
    match source:
        case ir.Use(variable=variable):
            for part, key in ctx.members.get(variable.key, {}).items():
                if (known := ctx.values.get(key)) is not None:
                    yield part, known
        case ir.Load(access=access) if not (access.volatile or access.atomic or access.bits):
            for part, type_ in _scalars(ctx, access.type, _WHOLE):
                read = _member(access, part, type_)
                held_there = value(ctx, read)
                if held_there is None and isinstance(type_, Integer):
                    held_there = ctx.loaded(read, own=is_own(ctx, read))
                if held_there is not None:
                    yield part, held_there
        case _:
            pass


def _scalars(
    ctx: Context, type_: CType, at: Part, around: frozenset[str] = frozenset()
) -> Iterator[tuple[Part, CType]]:
    """The numbers and pointers in a structure, and in those in it; `around`: the kinds of those that it is in."""
    if not isinstance(type_, Record) or type_.key in around:
        return
    layout = ctx.unit.layouts.get(type_.key)
    for m in layout.members if layout is not None else ():
        inside = Part(f"{at.field}.{m.name}", at.offset + m.offset, getattr(m.type, "size", 0) or 0)
        if isinstance(m.type, Record):
            yield from _scalars(ctx, m.type, inside, around | {type_.key})
        elif isinstance(m.type, Integer | Pointer) and m.bit_width is None and not m.type.volatile:
            yield inside, m.type


def _member(access: ir.Access, part: Part, type_: CType) -> ir.Access:
    """The access to a member of the structure that is accessed: `p->w` of `*p`."""
    name = part.field[1:]
    text = f"{access.text[1:]}->{name}" if access.text[:1] == "*" else f"{access.text}.{name}"
    field, offset = access.field + part.field, access.offset + part.offset
    return replace(access, field=field, offset=offset, type=type_, size=part.size, text=text)
