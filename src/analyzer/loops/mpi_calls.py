"""Calls to MPI: what each argument is, and what the call may change. Nothing else changes, unlike by an unknown call.

The numbers of processes and ranks get one symbol per communicator, `P` and `rank` for MPI_COMM_WORLD and `P(row)` for
`row`, so that `n / np`, a loop over `np` and the stages of a broadcast speak of the same number. A communicator is
known by the value of its handle: a variable that gets another one is another communicator.
"""

from collections.abc import Iterator

from pycparser import c_ast

from ..base.places import Place
from ..ir import nodes as ir
from ..ir.mpi_signatures import ROLES, STORES
from ..ir.polynomials import Poly, Symbol, symbol
from ..ir.symbols import program
from ..source.ctypes import Array, CType, Integer, Pointer, Record, Unknown
from . import invalidation as forgetting
from .c_text import c_text
from .context import Context, Typed
from .values import Address, IntegerValue, Value

WORLD, SELF = "MPI_COMM_WORLD", "MPI_COMM_SELF"
_PREDEFINED: dict[object, str] = {
    "ompi_mpi_comm_world": WORLD,
    "boathull_mpi_comm_world": WORLD,
    "ompi_mpi_comm_self": SELF,
    "boathull_mpi_comm_self": SELF,
    0x44000000: WORLD,
    0x44000001: SELF,
}
"""By the variable whose address the handle is, or by MPICH's number."""


def is_known(name: str, arguments: int) -> bool:
    return name in ROLES and len(ROLES[name]) == arguments


def call(ctx: Context, name: str, arguments: list[Typed], result: CType, node: c_ast.FuncCall) -> Typed:
    """A call to an MPI function of the table: kept with what is known of its arguments; what it stores is changed."""
    roles, place = ROLES[name], ctx.place(node)
    written = [c_text(a) for a in node.args.exprs] if node.args is not None else []
    values: list[ir.Known] = [_known(ctx, *each) for each in zip(roles, arguments, written, strict=True)]
    ctx.flush()
    for typed in arguments:
        _read(ctx, typed.value, place, c_text(node))
    for position, (role, typed) in enumerate(zip(roles, arguments, strict=True)):
        if role not in STORES:
            continue
        if isinstance(typed.value, Address):
            made = _stored(ctx, name, role, typed.value, values, c_text(node), place)
            values[position] = made or values[position]
        elif not isinstance(typed.value, IntegerValue):  # MPI_STATUS_IGNORE, MPI_IN_PLACE are numbers
            _store_anywhere(ctx, place)
    if "later" in roles:
        _store_anywhere(ctx, place)
    pointers = tuple(dict.fromkeys(t.value.object for t in arguments if isinstance(t.value, Address)))
    expressions = tuple(t.expression for t in arguments)
    given = tuple(a for r, t in zip(roles, arguments, strict=True) for a in _received(r, t.value, place))
    expression = ir.Call(name, expressions, result, place, pointers, values=tuple(values), given=given)
    value = ctx.computed(c_text(node), place, result) if isinstance(result, Integer) else None
    return Typed(expression, result, value)


def _known(ctx: Context, role: str, typed: Typed, text: str) -> ir.Known:
    """An integer as a polynomial, a communicator, or the object that a handle or pointer leads to."""
    if role == "comm":
        return communicator(ctx, typed.value, text)
    match typed.value:
        case IntegerValue(poly=poly):
            return poly
        case Address(object=object_):
            return object_
        case _:
            return None


def _read(ctx: Context, value: Value | None, place: Place, text: str) -> None:
    """A scalar whose address MPI gets is read there: no other statement says so."""
    match value:
        case Address(object=ir.Declared(variable=v), field="") if not isinstance(v.type, Array | Record):
            ctx.out.append(ir.Evaluate(ir.Use(v, v.type, None), place, text))
        case _:
            pass


# --- what a call stores


def _received(role: str, value: Value | None, place: Place) -> Iterator[ir.Access]:
    """What a call may set through an argument: any part of the object, since how much arrives is not looked at."""
    if (role in STORES or role == "later") and isinstance(value, Address):
        yield ir.Access(value.object, (), "", 0, Unknown("received"), 0, "", place)


def _stored(
    ctx: Context, name: str, role: str, address: Address, values: list[ir.Known], text: str, place: Place
) -> ir.Known:
    """Changes the variable or memory behind an argument; what it now holds, where that is of use."""
    variable = address.object.variable if isinstance(address.object, ir.Declared) else None
    if variable is None or address.field or isinstance(variable.type, Array | Record):
        _store_to_memory(ctx, address, place)
        return None
    value, made = _new_value(ctx, name, role, variable, values, text, place)
    ctx.values[variable.key] = value
    ctx.out.append(ir.Assign(variable, ir.Opaque("void", variable.type), place, text))
    return made


def _store_to_memory(ctx: Context, address: Address, place: Place) -> None:
    if isinstance(address.object, ir.Declared | ir.Allocated):
        ctx.reaching.define(place.line)
        ctx.forget_memory()
        ctx.pointer_version += 1
    else:
        _store_anywhere(ctx, place)


def _store_anywhere(ctx: Context, place: Place) -> None:
    ctx.reaching.define(place.line)
    ctx.forget_memory()
    forgetting.addressed(ctx, place.line)
    ctx.pointer_version += 1


def _new_value(
    ctx: Context, name: str, role: str, variable: ir.Variable, values: list[ir.Known], text: str, place: Place
) -> tuple[Value | None, ir.Known]:
    comm = values[0] if values else None
    if isinstance(comm, ir.Communicator) and role in ("size", "rank"):
        return IntegerValue(symbol(comm.size if role == "size" else comm.rank)), None
    if isinstance(variable.type, Pointer):
        handle = ctx.start_of(ir.Anything(variable.name, ctx.key(), ir.Held(variable)), (), variable.type.target)
        if role == "newcomm":
            made = _made(ctx, name, variable.name, values)
            ctx.communicators[_key(handle)] = made
            return handle, made
        return handle, handle.object
    if not isinstance(variable.type, Integer):
        return None, None
    new = ctx.computed(f"{variable.name} of {text}" if role == "newcomm" else variable.name, place, variable.type)
    if role == "newcomm":
        ctx.communicators[_key(new)] = _made(ctx, name, variable.name, values)
    return new, new.poly


# --- communicators


def communicator(ctx: Context, value: Value | None, text: str) -> ir.Communicator:
    """The communicator behind a handle; of a handle that is not followed, one of its own."""
    key = _key(value)
    if key not in ctx.communicators:
        name = _PREDEFINED.get(key, text)
        moves = isinstance(value, Address) and isinstance(value.object, ir.Anything)
        ctx.communicators[key] = _predefined(ctx, name) if name == WORLD else _new(ctx, name, moves=moves)
    return ctx.communicators[key]


def _key(value: Value | None) -> object:
    match value:
        case Address(object=ir.Declared(variable=variable)) if variable.name in _PREDEFINED:
            return variable.name
        case Address(object=object_, subscripts=subscripts, field=field):
            return (object_, subscripts, field)
        case IntegerValue(poly=poly):
            return poly if poly.constant is None else poly.constant
        case None:
            return object()


def _predefined(ctx: Context, name: str) -> ir.Communicator:
    size, rank = _free(ctx, "P", name), _free(ctx, "rank", name)
    return ir.Communicator(name, _symbol(ctx, size, 1, ()), _symbol(ctx, rank, 0, ()))


def _free(ctx: Context, short: str, name: str) -> str:
    """`P`, unless that is the name of a parameter or global variable here."""
    taken = any(v.name == short and v.scope != "local" for v in ctx.visible())
    return f"{short}({name})" if taken else short


def _new(
    ctx: Context, name: str, split: "tuple[ir.Communicator, Poly, Poly] | None" = None, *, moves: bool = True
) -> ir.Communicator:
    """`moves`: it may be another one in each iteration of the loops around this place."""
    loops = tuple(ctx.loops) if moves else ()
    return ir.Communicator(name, _symbol(ctx, f"P({name})", 1, loops), _symbol(ctx, f"rank({name})", 0, loops), split)


def _symbol(ctx: Context, name: str, low: int, loops: tuple[int, ...]) -> Symbol:
    return program(ctx.key(), name, ir.Computed(name, Place("", 0), loops), low, (1 << 31) - 1)


def _made(ctx: Context, function: str, name: str, values: list[ir.Known]) -> ir.Communicator:
    """What Comm_split, Comm_dup ... make of their first argument."""
    parent = values[0]
    match function, values[1:3]:
        case "MPI_Comm_dup", _ if isinstance(parent, ir.Communicator):
            return parent
        case "MPI_Comm_split", [Poly() as color, Poly() as key] if isinstance(parent, ir.Communicator):
            return _new(ctx, name, (parent, color, key))
        case _:
            return _new(ctx, name)
