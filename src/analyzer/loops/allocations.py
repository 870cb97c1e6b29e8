"""Calls that give new memory: of the C library, by result or through a pointer, and functions that the user names.

*Decides*: which calls lead to memory that nothing else leads to; `posix_memalign` is written out as the assignment that
it is where it succeeds: whoever goes on when it fails uses no pointer that was not set.
*Errs toward* no allocation: what the user says of a function is not believed where its body is seen to return something
that was there before, and says nothing of what else the function does.

    posix_memalign((void **)&a, 64, n * 8);     ->  a = aligned_alloc(64, n * 8);
    a = pool_get(n);                            ->  with `--alloc pool_get` new memory, from a call that is not seen
"""

from collections.abc import Sequence

from msgspec.structs import replace
from pycparser import c_ast

from ..ir import nodes as ir
from ..ir.c_library import THROUGH_A_POINTER
from ..ir.polynomials import Poly
from ..source.ctypes import CType, Function, Pointer, Void
from ..source.nodes import nodes
from ..source.unit import Unit
from . import expressions, memory, syntax
from .c_text import c_text
from .context import Context, Typed
from .values import Address, IntegerValue

_ALLOCATES = "aligned_alloc"


def stores_memory(name: str, arguments: int) -> bool:
    """Whether a library function stores a pointer to new memory where its first argument says."""
    return name == THROUGH_A_POINTER and arguments == 3


def stored(ctx: Context, arguments: list[c_ast.Node], node: c_ast.FuncCall) -> Typed:
    """What `posix_memalign` does; its value is not known."""
    place, text = ctx.place(node), c_text(node)
    at, *given = [expressions.lower(ctx, a) for a in arguments]
    target = memory.dereference(ctx, at, node)
    type_, made = Pointer(Void(), ctx.unit.abi.sizes["pointer"]), new(ctx, _ALLOCATES, node, given)
    values = tuple(t.expression for t in given)
    call = ir.Call(_ALLOCATES, values, type_, place, made=made)
    memory.write(ctx, target, Typed(call, type_, ctx.start_of(made, (), type_.target)), node, arguments[0])
    status = ctx.temporary(ctx.int_type, place)
    value = ctx.computed(text, place, ctx.int_type, given=True)
    ctx.out.append(ir.Assign(status, ir.Opaque(f"{THROUGH_A_POINTER}()", ctx.int_type, values), place, text))
    ctx.values[status.key] = value
    return Typed(ir.Use(status, ctx.int_type, value.poly), ctx.int_type, value)


def new(ctx: Context, name: str, node: c_ast.Node, arguments: Sequence[Typed] = ()) -> ir.Allocated:
    """The memory that this call gives: another one each time that it is made."""
    size = None if ctx.loops else _size(name, arguments)
    return ir.Allocated(name, ctx.place(node), tuple(ctx.counters), ctx.key(), size=size)


def _size(name: str, arguments: Sequence[Typed]) -> Poly | None:
    """How many bytes a function of the C library gives. (What wraps on the way is no size that there is.)"""
    values = [a.value.poly if isinstance(a.value, IntegerValue) else None for a in arguments]
    match name, values:
        case ("malloc" | "alloca" | "__builtin_alloca" | "valloc"), [size]:
            return size
        case "calloc", [number, each] if number is not None and each is not None:
            return number * each
        case ("aligned_alloc" | "memalign" | "realloc"), [_, size]:
            return size
        case _:
            return None


def as_one(a: Typed, b: Typed) -> tuple[Typed, Typed]:
    """Two alternatives, of which both give new memory, as giving the same: `clear ? calloc(n, m) : malloc(n * m)`; or
    of which one gives none: there is no other memory to get to then, as through `n ? malloc(n) : NULL`."""
    first, second = (_made(x.expression) for x in (a, b))
    if first is None or second is None:
        if second is not None and ir.is_null(a.expression):
            return replace(a, value=b.value), b
        if first is not None and ir.is_null(b.expression):
            return a, replace(b, value=a.value)
        return a, b
    one = first if first.size == second.size else replace(first, size=None)
    value = replace(a.value, object=one) if isinstance(a.value, Address) else a.value
    then, otherwise = _making(a.expression, one), _making(b.expression, one)
    return replace(a, expression=then, value=value), replace(b, expression=otherwise, value=value)


def _made(e: ir.Expression) -> ir.Allocated | None:
    """The new memory that an expression gives, if it is a call that does."""
    call = ir.unconverted(e)
    return call.made if isinstance(call, ir.Call) else None


def _making(e: ir.Expression, made: ir.Allocated) -> ir.Expression:
    match e:
        case ir.Convert(argument=argument):
            return replace(e, argument=_making(argument, made))
        case ir.Call():
            return replace(e, made=made)
        case _:
            return e


def is_said_to_allocate(unit: Unit, name: str) -> bool:
    """Whether the user says so of a function, and nothing is seen to the contrary."""
    type_ = unit.prototypes.get(name)
    returns = not isinstance(type_, Function) or isinstance(type_.result, Pointer)
    return returns and is_named_allocator(unit, name) and not why_no_allocator(unit, name)


def is_named_allocator(unit: Unit, name: str) -> bool:
    return any(f.kind == "alloc" and f.text == name and f.path in (None, unit.path) for f in unit.facts)


def why_no_allocator(unit: Unit, name: str) -> str:
    """What the code shows against a function that is said to give new memory; empty where it shows nothing."""
    type_ = unit.prototypes.get(name)
    if isinstance(type_, Function) and not isinstance(type_.result, Pointer):
        return "" if any(map(_hands_out, type_.parameters)) else "it does not return a pointer"
    definition = unit.definitions.get(name)
    if definition is None or definition.node is None:
        return ""
    own = {d.name for d in nodes(definition.node.body, c_ast.Decl) if "static" not in d.storage}
    for statement in nodes(definition.node.body, c_ast.Return):
        old = _there_before(statement.expr, own)
        if old is not None:
            return f"it returns `{c_text(old)}` (line {unit.place(statement).line})"
    return ""


def _hands_out(parameter: CType) -> bool:
    """Whether a pointer may be stored through it: `void **`."""
    return isinstance(parameter, Pointer) and isinstance(parameter.target, Pointer)


def _there_before(returned: c_ast.Node | None, own: set[str | None]) -> c_ast.Node | None:
    """What of a returned value is memory that the function did not make: a parameter, a global, part of one."""
    match returned:
        case c_ast.Cast(expr=inner):
            return _there_before(inner, own)
        case c_ast.TernaryOp(iftrue=then, iffalse=otherwise):
            return _there_before(then, own) or _there_before(otherwise, own)
        case c_ast.ID(name=name):
            return None if name in own else returned
        case c_ast.UnaryOp(op="&") | c_ast.ArrayRef() | c_ast.StructRef():
            return returned if nodes(returned, c_ast.StructRef) or set(syntax.names_in(returned)) - own else None
        case _:
            return None
