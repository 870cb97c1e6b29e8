"""Function parameters: their adjusted types, and what is known of them on entry."""

from functools import partial

from msgspec.structs import replace
from pycparser import c_ast

from ..polyhedra.poly import number
from ..source.ctypes import Array, CType, Function, Pointer
from . import expressions, ir, syntax
from .closed import is_pure
from .context import Context
from .rendering import c_text
from .values import Address, IntegerValue


def parameter_type(ctx: Context, declaration: c_ast.Node) -> CType:
    """The type of a parameter: an array becomes a pointer to its element, a function a pointer to it."""
    size = ctx.unit.abi.sizes["pointer"]
    match ctx.unit.type_of(declaration):
        case Array(element=element) as array:
            measure(ctx, array, again=True)
            return Pointer(element, size, _is_restrict_array(declaration))
        case Function() as function:
            return Pointer(function, size)
        case Pointer() as pointer:
            measure(ctx, pointer, again=True)
            return pointer
        case type_:
            return type_


def _is_restrict_array(declaration: c_ast.Node) -> bool:
    """`double a[restrict n]`."""
    inner = getattr(declaration, "type", None)
    return isinstance(inner, c_ast.ArrayDecl) and "restrict" in (inner.dim_quals or [])


def declare_parameter(ctx: Context, declaration: c_ast.Node) -> ir.Variable:
    """A parameter of the function that is analysed: a symbol, or a pointer to memory of its own."""
    type_ = parameter_type(ctx, declaration)
    variable = ctx.declare(declaration.name or "", type_, "parameter", ctx.place(declaration))
    value = ctx.initial(variable)
    if isinstance(value, Address) and isinstance(type_, Pointer):
        value = viewed_as(ctx, value, declaration, type_)
    ctx.values[variable.key] = value
    return variable


def viewed_as(ctx: Context, pointer: Address, declaration: c_ast.Node, type_: Pointer) -> Address:
    """A parameter declared `a[N][M]` says how long its outermost dimension is."""
    declared = ctx.unit.type_of(declaration)
    extent = ctx.length_of(declared.length) if isinstance(declared, Array) else None
    if extent is None or not pointer.subscripts or pointer.tail:
        return pointer
    last = pointer.subscripts[-1]
    if last.extent is not None or last.row_pointer or last.index != number(0):
        return pointer
    return replace(pointer, subscripts=(*pointer.subscripts[:-1], replace(last, extent=extent)))


def measure(ctx: Context, type_: CType, again: bool = False) -> None:
    """Evaluates the lengths of arrays that are no constants: variable-length arrays where they are declared, and
    lengths that a missing header would have defined. `again`: a declaration in a loop measures anew each time."""
    match type_:
        case Array(element=element, length=length):
            unmeasured = isinstance(length, c_ast.Node) and (again or id(length) not in ctx.array_lengths)
            if unmeasured and ctx.unit.constant(length) is None:
                with ctx.addressing():
                    typed = expressions.lower(ctx, length)
                if isinstance(typed.value, IntegerValue):
                    ctx.array_lengths[id(length)] = typed.value.poly
                if syntax.has_effects(length, partial(is_pure, ctx.unit)):  # `double w[next(&state)]`
                    ctx.out.append(ir.Evaluate(typed.expression, ctx.place(length), c_text(length)))
            measure(ctx, element, again)
        case Pointer(target=target) if isinstance(target, Array):
            measure(ctx, target, again)
        case _:
            pass
