"""Conversions between C types, with what they do to known values."""

from collections.abc import Iterator

from msgspec.structs import replace
from pycparser import c_ast

from ..ir import c_library as library
from ..ir.arithmetic import integer
from ..ir.nodes import Address as IrAddress
from ..ir.nodes import Anything, Call, Convert, Data, Expression, Literal, Operation, Returned, unconverted
from ..ir.polynomials import number, symbol
from ..source.ctypes import Array, Complex, CType, Floating, Integer, Pointer, Unknown, Void
from ..source.features import is_of_c_library
from . import packed_triangles, rounded_values, scaled_values, values
from .address_arithmetic import quiet
from .c_text import c_text
from .context import Context, Typed
from .integers import modular, selected, truncated
from .values import NULL, Address, ChosenReal, Condition, IntegerValue, Real
from .wrapped_values import fits, surely_fits


def convert(ctx: Context, typed: Typed, type_: CType, node: c_ast.Node) -> Typed:
    """`typed` converted to `type_` as by assignment; `node` is where it happens, for names and messages."""
    match type_:
        case Integer():
            return _to_integer(ctx, typed, type_, node)
        case Floating() | Complex():
            return _to_floating(typed, type_)
        case Pointer(target=target):
            return _to_pointer(ctx, typed, type_, target, node)
        case _:
            return typed


def _to_integer(ctx: Context, typed: Typed, type_: Integer, node: c_ast.Node) -> Typed:
    if typed.type is type_ and isinstance(typed.value, IntegerValue) and type_.name != "_Bool":
        return typed
    if isinstance(typed.value, IntegerValue) and isinstance(typed.type, Integer | Unknown):
        value = _narrowed(ctx, typed.value, typed.type, type_, node)
        same = isinstance(typed.type, Integer) and (typed.type.size, typed.type.signed) == (
            type_.size,
            type_.signed,
        )
        expression = typed.expression if same else _wrapped(typed, type_)
        return Typed(expression, type_, value, typed.predicate, typed.wraps, within=typed.within)
    scaled = _of_real(ctx, typed.real, type_, node) if typed.real is not None else None
    if scaled is not None:
        return Typed(_wrapped(typed, type_), type_, scaled)
    made = packed_triangles.row(ctx, typed.expression, type_, node)
    made = made or rounded_values.rounded(ctx, typed, type_, c_text(node))
    if made is not None:
        return Typed(_wrapped(typed, type_), type_, made)
    if typed.predicate is not None:
        return Typed(_wrapped(typed, type_), type_, _truth_value(ctx, typed, type_, node))
    within = (typed.value,) if isinstance(typed.value, Address) else ()
    return Typed(_wrapped(typed, type_), type_, ctx.computed(c_text(node), ctx.place(node), type_), within=within)


def _of_real(ctx: Context, real: Real | ChosenReal, type_: Integer, node: c_ast.Node) -> IntegerValue | None:
    """A `double` that is made of integers, truncated."""
    if isinstance(real, Real):
        return scaled_values.truncated(ctx, real, type_, c_text(node))
    then, otherwise = (_of_real(ctx, each, type_, node) for each in (real.then, real.otherwise))
    if then is None or otherwise is None:
        return None
    return selected(ctx, real.condition, then, otherwise, c_text(node), ctx.place(node), type_)


def _truth_value(ctx: Context, typed: Typed, type_: Integer, node: c_ast.Node) -> IntegerValue:
    """What a comparison comes to, as a number: 1 where it holds, else 0."""
    condition = Condition.of(typed.expression, typed.predicate or Data(), typed.wraps)
    one, zero = IntegerValue(number(1)), IntegerValue(number(0))
    made = selected(ctx, condition, one, zero, c_text(node), ctx.place(node), type_)
    (unknown,) = made.poly.symbols
    kept = condition if condition.is_exact else None
    return IntegerValue(symbol(replace(unknown, low=0, high=1)), made.wraps, kept)


def _narrowed(ctx: Context, value: IntegerValue, old: CType, type_: Integer, node: c_ast.Node) -> IntegerValue:
    if type_.name == "_Bool":
        known = value.poly.constant
        if known is not None:
            return IntegerValue(number(int(known != 0)))
        same = isinstance(old, Integer) and old.name == "_Bool"
        return value if same else ctx.computed(c_text(node), ctx.place(node), type_)
    if isinstance(old, Integer) and _holds(old, type_):
        return value
    if isinstance(old, Integer) and not old.signed and type_.size <= old.size:
        value = modular(value, old)
    if surely_fits(value.poly, type_):
        return value
    if type_.size < ctx.unit.abi.sizes["int"]:
        return truncated(ctx, value, type_, c_text(node), ctx.place(node))
    return fits(value, type_, c_text(node), ctx.place(node))


def _holds(old: Integer, new: Integer) -> bool:
    """Whether every value of `old` is a value of `new`."""
    if old.signed == new.signed:
        return old.size <= new.size
    return not old.signed and old.size < new.size


def _wrapped(typed: Typed, type_: CType) -> "Convert | Literal":
    match typed.expression:
        case Literal(value=value) if isinstance(type_, Floating):
            return Literal(float(value), type_)
        case Literal(value=value) if isinstance(type_, Integer) and isinstance(value, int):
            return Literal(value, type_)
        case expression:
            return Convert(type_, expression)


def _to_floating(typed: Typed, type_: Floating | Complex) -> Typed:
    same = isinstance(typed.type, Floating) and isinstance(type_, Floating) and typed.type.size == type_.size
    real = scaled_values.as_double(typed, type_)
    return Typed(typed.expression if same else _wrapped(typed, type_), type_, real=real)


def _is_undeclared(ctx: Context, name: str) -> bool:
    """Whether a function comes from a header that is missing, so that what it gives is not known."""
    unknown = name not in ctx.unit.prototypes and name not in ctx.unit.definitions and ctx.lookup(name) is None
    return unknown and name.isidentifier() and not is_of_c_library(name) and not library.is_known(name)


def _to_pointer(ctx: Context, typed: Typed, type_: Pointer, target: CType, node: c_ast.Node) -> Typed:
    call = unconverted(typed.expression)
    if isinstance(call, Call) and call.made is None and _is_undeclared(ctx, call.name):
        given = Anything(call.name, ctx.key(), Returned(call.name, call.place))
        return Typed(replace(call, type=type_), type_, ctx.start_of(given, (), target))
    if typed.value == NULL:
        return Typed(typed.expression, type_, NULL)
    if len(typed.within) == 1 and (inside := _somewhere_in(ctx, typed.within[0], target, node)) is not None:
        return Typed(IrAddress(inside.object, type_, tuple(_quiet_parts(typed.expression))), type_, inside)
    if not isinstance(typed.value, Address):
        return Typed(typed.expression, type_)
    if isinstance(target, Void) or (isinstance(target, Unknown) and not target.opaque and target.size is None):
        return Typed(typed.expression, type_, typed.value)
    old = typed.type.target if isinstance(typed.type, Pointer) else None
    if isinstance(typed.type, Array):
        old = typed.type.element
    if isinstance(old, Void | Unknown) or old is None:
        old = typed.value.target
    if is_of_any(target) and isinstance(typed.value.target, Pointer):
        return Typed(typed.expression, type_, typed.value)  # where it leads, there are pointers of their own type
    pointer = values.retyped(typed.value, target, ctx.size_of(target), ctx.size_of(old))
    return Typed(typed.expression, type_, pointer)


def is_of_any(type_: CType) -> bool:
    """Whether it is `void *`, as which any pointer may be stored."""
    return isinstance(type_, Pointer) and isinstance(type_.target, Void)


def _quiet_parts(e: Expression) -> Iterator[Expression]:
    """What is evaluated for a place in memory, as a number: address arithmetic, of which pointers are no secret."""
    match e:
        case Convert(type=Integer(), argument=IrAddress(index=index)):
            yield from index
        case Convert(type=Integer(), argument=argument) if isinstance(argument.type, Pointer):
            yield argument
        case Operation(arguments=arguments):
            for argument in arguments:
                yield from _quiet_parts(argument)
        case _:
            yield quiet(e)


def _somewhere_in(ctx: Context, pointer: Address, target: CType, node: c_ast.Node) -> Address | None:
    """A pointer into the same object, so far behind as nobody knows: `(double *)(((uintptr_t)p + 63) & -64)`. Numbers
    of one type, which is aligned as it is large, lie a whole number of them apart; else bytes are counted. None where
    it is not known how large what the pointer leads to is."""
    size, old = ctx.size_of(target), ctx.size_of(pointer.target)
    of_one_type = isinstance(target, Integer | Floating) and isinstance(pointer.target, Integer | Floating)
    unit = size if of_one_type and size == old and size is not None else number(1)
    start = pointer if unit == old else values.retyped(pointer, Unknown("bytes", 1), unit, old)
    distance = ctx.computed(f"offset of {c_text(node)}", ctx.place(node), integer(ctx.unit.abi, "long"))
    moved = values.moved(start, distance, unit)
    return None if moved is None else values.retyped(moved, target, size, unit)
