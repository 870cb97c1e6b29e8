"""Lvalues: which variable or element of which object an expression names; reading and writing it."""

from collections.abc import Iterable
from itertools import pairwise
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace
from pycparser import c_ast

from ..base.places import Place
from ..ir import arithmetic
from ..ir import nodes as ir
from ..ir.polynomials import Poly, number
from ..source.ctypes import Array, CType, Floating, Function, Integer, Pointer, Record, Unknown, Void
from ..source.held import held
from ..source.unit import Unit
from . import constant_elements, own_arrays, own_members, pointer_versions, stored_pointers, values
from . import invalidation as forgetting
from . import restrict_pointers as restricted
from . import value_names as versions
from .c_text import c_text
from .context import Context, Typed
from .conversions import convert, is_of_any
from .value_depth import is_followed
from .values import Address, IntegerValue


class Memory(Struct, frozen=True):
    """An lvalue in memory. `index`: expressions evaluated to find the address; `bits` of a bit-field."""

    address: Address
    type: CType
    index: tuple[ir.Expression, ...] = ()
    bits: tuple[int, int] | None = None


Target: TypeAlias = ir.Variable | Memory


def variable_target(variable: ir.Variable) -> Target:
    """A scalar is a variable; arrays and structs live in memory."""
    if isinstance(variable.type, Array | Record):
        return Memory(Address(ir.Declared(variable), (), variable.type), variable.type)
    return variable


def dereference(ctx: Context, pointer: Typed, node: c_ast.Node) -> Target:
    """What a pointer points to: `*pointer`."""
    match pointer.type:
        case Pointer(target=target) | Array(element=target):
            pass
        case _:
            target = Unknown("?")
    address = pointer.value if isinstance(pointer.value, Address) else None
    if address is None:
        address = ctx.start_of(ir.Anything(c_text(node), ctx.key()), (), target)
    match address:
        case Address(object=ir.Declared(variable=variable), subscripts=()) if (
            address.offset == 0
            and not isinstance(variable.type, Array | Record)
            and _same_scalar(variable.type, target)
            and not (variable.per_thread and _is_older(ctx, pointer.expression))
        ):
            return variable
        case _:
            return Memory(address, target, address_parts(pointer.expression))


def _is_older(ctx: Context, pointer: ir.Expression) -> bool:
    """Whether a pointer was declared before the innermost loop: then it leads to the variable of one thread."""
    variables = (e.variable for e in ir.walk(pointer) if isinstance(e, ir.Use) and isinstance(e.type, Pointer))
    return bool(ctx.loops) and any(ctx.loops[-1] not in v.loops for v in variables)


def _same_scalar(own: CType, through: CType) -> bool:
    """Whether a pointer to a variable leads to the same values, and asks for no more than its name does: -1 is another
    number as `*(unsigned *)&k`, and `*(volatile int *)&n` is read from memory each time."""
    asks = [q for q in (arithmetic.is_volatile, arithmetic.is_atomic) if q(through) and not q(own)]
    match own, through:
        case Integer(size=size, signed=signed), Integer():
            return not asks and (size, signed) == (through.size, through.signed)
        case _:
            return not asks and type(own) is type(through) and getattr(own, "size", 0) == getattr(through, "size", 1)


def address_parts(expression: ir.Expression) -> tuple[ir.Expression, ...]:
    """What is evaluated to find an address: its subscripts, or the pointer itself."""
    match expression:
        case ir.Address(index=index):
            return index
        case ir.Convert(argument=argument):
            return address_parts(argument)
        case _:
            return (expression,)


def member(ctx: Context, base: Target, name: str, node: c_ast.Node) -> Target:
    """`base.name`; an unknown record gives memory of unknown type."""
    if isinstance(base, ir.Variable) and isinstance(base.type, Unknown) and base.name in ctx.structures:
        base = Memory(Address(ir.Declared(base), (), base.type), base.type)
    if not isinstance(base, Memory):
        ctx.guesses.add(name)
        address = ctx.start_of(ir.Anything(c_text(node), ctx.key()), (), Unknown(name))
        return Memory(address, Unknown(name))
    layout = ctx.unit.layouts.get(base.type.key) if isinstance(base.type, Record) else None
    found = layout.member(name) if layout else None
    if found is None:
        ctx.guesses.add(name)
        address = replace(base.address, field=f"{base.address.field}.{name}", target=Unknown(name))
        return Memory(address, Unknown(name), base.index)
    address = replace(
        base.address,
        field=f"{base.address.field}.{name}",
        offset=base.address.offset + found.offset,
        tail=base.address.tail + found.offset,
        target=found.type,
        structure=base.address.structure if base.address.field else _structure(ctx.unit, base.type),
    )
    type_ = _inherit_volatile(found.type, base.type)
    bits = None if found.bit_width is None else (found.bit_offset, found.bit_width)
    return Memory(address, type_, base.index, bits)


def _structure(unit: Unit, type_: CType) -> ir.Structure | None:
    if not isinstance(type_, Record):
        return None
    known: dict[str, ir.Structure] = unit.__dict__.setdefault("_structures", {})
    if type_.key not in known:
        inner = frozenset(t.key for t in held(type_, unit.layouts) if isinstance(t, Record))
        known[type_.key] = ir.Structure(type_.key, inner, _share_bytes(unit, inner))
    return known[type_.key]


def _share_bytes(unit: Unit, kinds: Iterable[str]) -> bool:
    """Whether two members of one of these structures begin at one byte."""
    layouts = (layout for key in kinds if (layout := unit.layouts.get(key)) is not None)
    pairs = ((a, b) for layout in layouts for a, b in pairwise(layout.members))
    return any(a.offset == b.offset and a.bit_width is None for a, b in pairs)


def _inherit_volatile(type_: CType, record: CType) -> CType:
    """The type of a member: of a volatile structure each is, and each element of an array (C11 6.5.2.3p4, 6.7.3p9)."""
    if not arithmetic.is_volatile(record) or isinstance(type_, Function | Void | Unknown):
        return type_
    if isinstance(type_, Array):
        return replace(type_, element=_inherit_volatile(type_.element, record))
    return replace(type_, volatile=True)


def decay(ctx: Context, array: Memory) -> Typed:
    """An array used as a value: a pointer to its first element."""
    assert isinstance(array.type, Array)
    element = array.type.element
    stride = ctx.size_of(element)
    address = replace(array.address, target=element)
    if stride is None:
        address = ctx.start_of(ir.Anything("array of unknown size", ctx.key()), (), element)
    else:
        extent = ctx.length_of(array.type.length)
        flexible = array.type.length is None and bool(address.field)
        if flexible or values.counts_in(address, ctx.size_of(array.type)):
            subscript = ir.Subscript(number(0), extent, stride)
            address = replace(address, subscripts=(*address.subscripts, subscript), tail=0)
        else:
            address = values.in_bytes(address)
    type_ = Pointer(element, ctx.unit.abi.sizes["pointer"])
    return Typed(ir.Address(address.object, type_, array.index), type_, address)


def access_of(ctx: Context, memory: Memory, node: c_ast.Node) -> ir.Access:
    size = ctx.size_of(memory.type)
    address = memory.address
    return ir.Access(
        object=address.object,
        subscripts=_in_fixed_units(address.subscripts) if ctx.loops else address.subscripts,
        field=address.field,
        offset=address.offset,
        type=memory.type,
        size=(size.constant or 0) if size is not None else 0,
        text=c_text(node),
        place=ctx.place(node),
        wraps=address.wraps,
        volatile=_has_volatile(ctx, memory.type),
        atomic=arithmetic.is_atomic(memory.type),
        bits=memory.bits,
        restricted=restricted.in_scope(ctx, address.restricted),
        structure=address.structure if address.field else None,
    )


def _in_fixed_units(subscripts: tuple[ir.Subscript, ...]) -> tuple[ir.Subscript, ...]:
    """With one subscript for those that count rows of a length that a loop may change: `v[i][j]` of `double (*v)[c]` is
    element i*c + j. So the subscripts of an array count in the same units in all iterations."""
    rows = next((k for k, s in enumerate(subscripts) if s.stride is not None and _is_made_in_loops(s.stride)), None)
    if rows is None:
        return subscripts
    unit = subscripts[-1].stride
    size = 0 if unit is None else unit.constant
    places = [s.index * s.stride for s in subscripts[rows:] if s.stride is not None and not s.row_pointer]
    index = Poly.sum(places).divided_by(size) if size and len(places) == len(subscripts) - rows else None
    if index is None:
        return tuple([replace(s, stride=None) for s in subscripts])
    return (*subscripts[:rows], ir.Subscript(index, None, unit))


def _is_made_in_loops(value: Poly) -> bool:
    """Whether a loop that is being lowered may change the value."""
    for s in ir.nested_symbols(value.symbols):
        match s.origin:
            case ir.Counter():
                return True
            case ir.Entry(loops=made) | ir.Computed(loops=made) | ir.Loaded(loops=made) if made:
                return True
            case _:
                pass
    return False


def _has_volatile(ctx: Context, type_: CType) -> bool:
    """Whether a value is volatile, or a member of it that is copied with it."""
    if isinstance(type_, Integer | Floating | Pointer):
        return type_.volatile
    return any(map(arithmetic.is_volatile, held(type_, ctx.unit.layouts)))


def read(ctx: Context, target: Target, node: c_ast.Node) -> Typed:
    """The value of an lvalue: a scalar's use, an array's decay, or a load."""
    if isinstance(target, ir.Variable):
        value = ctx.known(target)
        poly = value.poly if isinstance(value, IntegerValue) else None
        wraps = value.wraps if isinstance(value, IntegerValue) else ()
        if arithmetic.is_volatile(target.type):
            return _read_volatile_scalar(ctx, target, node)
        use = ir.Use(target, target.type, poly, ctx.atomic.get(node))
        return Typed(use, target.type, value, None, wraps)
    if isinstance(target.type, Array):
        return decay(ctx, target)
    if isinstance(target.type, Function):
        return Typed(ir.Address(None, target.type), target.type)
    access = access_of(ctx, target, node)
    load = ir.Load(access, target.index, ctx.atomic.get(node))
    return Typed(load, ctx.computed_in(target.type), _loaded_value(ctx, target, access))


def _read_volatile_scalar(ctx: Context, variable: ir.Variable, node: c_ast.Node) -> Typed:
    """A volatile scalar is memory: each read is an access whose order matters."""
    memory = Memory(Address(ir.Declared(variable), (), variable.type), variable.type)
    access = access_of(ctx, memory, node)
    load = ir.Load(access, (), ctx.atomic.get(node))
    return Typed(load, variable.type, _loaded_value(ctx, memory, access))


def _loaded_value(ctx: Context, memory: Memory, access: ir.Access) -> values.Value | None:
    known = own_members.value(ctx, access) or own_arrays.value(ctx, access) or stored_pointers.led_to(ctx, access)
    known = known or constant_elements.value(ctx, access)
    if known is not None:
        return known
    match memory.type:
        case Integer():
            return ctx.loaded(access, own=own_members.is_own(ctx, access))
        case Unknown(opaque=True, name=name) if name in ctx.unit.integral:
            return ctx.loaded(access, ctx.computed_in(memory.type))
        case Unknown(size=None):
            return ctx.computed(access.text, access.place, ctx.int_type)
        case Pointer() if not is_followed(access.object):
            return None
        case Pointer(target=target, restrict=restrict) as type_:
            rows = tuple(replace(s, stride=None, row_pointer=True) for s in access.subscripts)
            version = pointer_versions.version_of(ctx, access, type_)
            base = ir.Rows(access.object, access.field, len(rows), version, restrict)
            ctx.read_pointers.setdefault((base, rows), access.text)
            return ctx.start_of(base, rows, target)
        case _:
            return None


def kept_value(ctx: Context, value: values.Value | None) -> values.Value | None:
    """What a variable remembers of a value assigned to it."""
    return values.from_the_start(value, ctx.size_of(value.target)) if isinstance(value, Address) else value


def keep(ctx: Context, variable: ir.Variable, value: values.Value | None, line: int) -> None:
    """The variable has the value that is assigned to it, and the value the name of the variable."""
    kept = _held(ctx, variable, kept_value(ctx, value))
    ctx.values[variable.key] = versions.kept_as(ctx, variable, kept, line)


def _held(ctx: Context, variable: ir.Variable, value: values.Value | None) -> values.Value | None:
    """A pointer of which nothing is known but that the variable holds it from now on: one of two, say."""
    match value:
        case Address(object=ir.Anything(pointer=None) as unknown) if variable.scope == "local":
            return replace(value, object=replace(unknown, pointer=ctx.held_by(variable)))
        case _:
            return value


def write(ctx: Context, target: Target, typed: Typed, node: c_ast.Node, name: c_ast.Node, compound: str = "") -> Typed:
    """`target = typed`; `node` is the whole assignment, `name` the lvalue's syntax. Returns the converted value."""
    place = ctx.place(node)
    target = _as_declared(target)
    typed = convert(ctx, typed, target.type, node)
    if isinstance(target, ir.Variable) and not arithmetic.is_volatile(target.type):
        keep(ctx, target, typed.value, place.line)
        made = assigned(target, typed, place, c_text(node), compound)
        ctx.out.append(_assignment(target, _marked(ctx, made, name)))
        if target.scope in ("global", "static"):
            ctx.forget_memory()
        return typed
    if isinstance(target, ir.Variable):
        target = Memory(Address(ir.Declared(target), (), target.type), target.type)
    access = access_of(ctx, target, name)
    leads = _leads(typed.value) if isinstance(access.type, Pointer) else None
    note_address(ctx, typed.value)
    made = ir.Assign(access, typed.expression, place, c_text(node), target.index, compound, leads=leads)
    ctx.out.append(_marked(ctx, made, name))
    forgetting.after_store(ctx, access)
    kept = kept_value(ctx, typed.value)
    own_members.keep(ctx, access, kept, typed.expression)
    stored_pointers.keep(ctx, access, kept)
    return typed


def _marked(ctx: Context, made: ir.Assign, name: c_ast.Node) -> ir.Assign:
    return replace(made, within=ctx.atomic[name]) if name in ctx.atomic else made


def _as_declared(target: Target) -> Target:
    """A pointer that is stored as `void *`, of the type that it has where it stands: `*(void **)&rows[i] = p`."""
    match target:
        case Memory(address=Address(target=Pointer() as declared), type=type_) if is_of_any(type_):
            return replace(target, type=declared)
        case _:
            return target


def note_address(ctx: Context, stored: values.Value | None) -> None:
    """That the address of a variable stands in memory from now on."""
    match stored:
        case Address(object=ir.Declared(variable=variable)):
            ctx.kept_addresses.add(variable.key)
        case _:
            pass


def assigned(target: ir.Variable, typed: Typed, place: Place, text: str, compound: str = "") -> ir.Assign:
    """A variable gets a value; of a pointer that was read from memory, or that a call gave, with where that leads."""
    is_given = isinstance(target.type, Pointer) and isinstance(ir.unconverted(typed.expression), ir.Load | ir.Call)
    leads = _leads(typed.value) if is_given else None
    return ir.Assign(target, typed.expression, place, text, (), compound, leads=leads)


def _assignment(target: ir.Variable, made: ir.Assign) -> ir.Statement:
    """`x = c ? e : x` as `if (c) x = e`, which it is."""
    match made.value:
        case ir.Choice(operator="?:", condition=condition, predicate=predicate, then=then, otherwise=otherwise):
            arms = [() if _is(arm, target) else (replace(made, value=arm),) for arm in (then, otherwise)]
            one = bool(arms[0]) != bool(arms[1])
            return ir.Branch(condition, predicate, arms[0], arms[1], made.place, made.text) if one else made
        case _:
            return made


def _is(expression: ir.Expression, variable: ir.Variable) -> bool:
    return isinstance(expression, ir.Use) and expression.variable.key == variable.key


def _leads(value: values.Value | None) -> ir.Leads | None:
    """Where a pointer leads, as far as that can be said in bytes behind the start of something."""
    if not isinstance(value, Address) or any(s.stride is None and not s.row_pointer for s in value.subscripts):
        return None
    *rows, last = values.in_bytes(value).subscripts
    return ir.Leads(value.object, tuple(rows), last.index)
