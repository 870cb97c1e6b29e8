"""Function parameters: their adjusted types, and what is known of them on entry."""

from functools import partial

from msgspec.structs import replace
from pycparser import c_ast

from ..ir import nodes as ir
from ..ir.polynomials import number
from ..source.ctypes import Array, CType, Function, Pointer
from ..source.nodes import nodes
from . import expressions, syntax
from .c_text import c_text
from .context import Context
from .pure_functions import is_pure
from .values import Address, IntegerValue


def parameter_type(ctx: Context, declaration: c_ast.Node) -> CType:
    """The type of a parameter: an array becomes a pointer to its element, a function a pointer to it."""
    size = ctx.unit.abi.sizes["pointer"]
    match ctx.unit.type_of(declaration):
        case Array(element=element) as array:
            measure(ctx, array, declaration)
            return Pointer(element, size, _is_restrict_array(declaration))
        case Function() as function:
            return Pointer(function, size)
        case Pointer() as pointer:
            measure(ctx, pointer, declaration)
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


def measure(ctx: Context, type_: CType, written: c_ast.Node | None = None) -> None:
    """Evaluates the lengths of arrays that are no constants: of variable-length arrays, and lengths that a missing
    header would have defined. `written`: the declarator or type name that stands here; the lengths in it are measured
    anew each time, those of a typedef or of `typeof(x)` stay what they were at their declaration (C11 6.7.8p3)."""
    match type_:
        case Array(element=element, length=length):
            if isinstance(length, c_ast.Node) and (id(length) not in ctx.array_lengths or _holds(written, length)):
                _measure_length(ctx, length)
            measure(ctx, element, written)
        case Pointer(target=target):
            measure(ctx, target, written)
        case _:
            pass


def _holds(written: c_ast.Node | None, length: c_ast.Node) -> bool:
    return written is not None and any(node is length for node in nodes(written))


def _measure_length(ctx: Context, length: c_ast.Node) -> None:
    if ctx.unit.constant(length) is not None:
        return
    with ctx.addressing():
        typed = expressions.lower(ctx, length)
    ctx.array_lengths[id(length)] = typed.value.poly if isinstance(typed.value, IntegerValue) else None
    # `double w[next(&state)]`; `double w[t[3]]` and `double w[last]` read what a loop may have set; in a loop an
    # earlier iteration may have set what the length is made of
    reads = any(isinstance(e, ir.Load | ir.Use) for e in ir.walk(typed.expression))
    if ctx.loops or reads or syntax.has_effects(length, partial(is_pure, ctx.unit)):
        ctx.out.append(ir.Evaluate(typed.expression, ctx.place(length), c_text(length)))
