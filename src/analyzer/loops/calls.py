"""Calls: known library functions, allocation, visible functions inlined to a bounded depth, everything else kept."""

from functools import partial

from msgspec.structs import replace
from pycparser import c_ast

from ..base.places import Place
from ..ir import arithmetic
from ..ir import c_library as library
from ..ir import nodes as ir
from ..ir.polynomials import number
from ..source.ctypes import Complex, CType, Floating, Function, Integer, Pointer, Unknown, Void
from ..source.nodes import node_count
from ..source.unit import Definition
from . import (
    expressions,
    memory,
    parameters,
    statements,
    suppositions,
    syntax,
)
from . import (
    invalidation as forgetting,
)
from . import (
    library_loops as blocks,
)
from . import (
    restrict_pointers as restricted,
)
from .c_text import c_text
from .context import Context, Region, Typed
from .conversions import convert
from .inlining import ALLOCATORS, has_constant, is_followed, leads_to_loops, visible, why_unseen
from .pure_functions import is_closed, is_pure
from .values import Address, IntegerValue


def call(ctx: Context, node: c_ast.FuncCall) -> Typed:
    """The value of a call; its effects are in the IR or the call is kept as unknown."""
    name = node.name.name if isinstance(node.name, c_ast.ID) else c_text(node.name)
    arguments = list(node.args.exprs) if node.args is not None else []
    known = ctx.unit.constant(node) if name.startswith("__builtin_") else None
    if known is not None:
        type_ = arithmetic.integer(ctx.unit.abi, "unsigned long")
        return Typed(ir.Literal(known, type_), type_, IntegerValue(number(known)))
    if ctx.lookup(name) is None or not isinstance(node.name, c_ast.ID):
        definition = visible(ctx, name)
        if definition is not None and is_followed(ctx, definition, len(arguments), has_constant(node)):
            return _inline(ctx, definition, arguments, node)
        block = library.block(name) if definition is None else None
        if block is not None:
            return _walking(ctx, name, block, arguments, node)
    return _kept(ctx, name, [expressions.lower(ctx, a) for a in arguments], arguments, node)


def _walking(ctx: Context, name: str, block: library.Block, arguments: list[c_ast.Node], node: c_ast.FuncCall) -> Typed:
    """A library function that walks over memory; its pointers and its length are address arithmetic."""
    with ctx.addressing():
        lowered = [expressions.lower(ctx, a) for a in arguments]
    done = blocks.written_out(ctx, name, block, lowered, arguments, node)
    return _kept(ctx, name, lowered, arguments, node) if done is None else done


def _kept(ctx: Context, name: str, lowered: list[Typed], arguments: list[c_ast.Node], node: c_ast.FuncCall) -> Typed:
    result = _result_type(ctx, name, node)
    place, text = ctx.place(node), c_text(node)
    pure = is_pure(ctx.unit, name) and ctx.lookup(name) is None
    if name.startswith("MPI_") and ctx.lookup(name) is None:
        from . import mpi_calls as messages

        if messages.is_known(name, len(lowered)):
            return messages.call(ctx, name, lowered, result, node)
    pointers = tuple(dict.fromkeys(t.value.object for t in lowered if isinstance(t.value, Address)))
    lowered = [_as_parameter(ctx, t, i, name, a) for i, (t, a) in enumerate(zip(lowered, arguments, strict=True))]
    unseen = "" if pure else why_unseen(ctx, name, len(arguments), node)
    supposed = not pure and suppositions.is_pure(ctx, name, node)
    closed = not pure and (supposed or _is_closed(ctx, name, node) or _is_of_vectors(ctx, name, lowered))
    values, has_loops = tuple(t.expression for t in lowered), leads_to_loops(ctx.unit, name)
    expression = ir.Call(name, values, result, place, pointers, pure, unseen, closed, loops=has_loops)
    expression = replace(expression, supposed=True) if supposed else expression
    if name in ALLOCATORS:
        target: CType = result.target if isinstance(result, Pointer) else Void()
        fresh = ir.Allocated(name, place, tuple(ctx.counters), ctx.key())
        expression = replace(expression, made=fresh)
        return Typed(expression, result, ctx.start_of(fresh, (), target))
    if pure or closed:
        return Typed(expression, result, _integer_result(ctx, result, text, place))
    given = (_given(ctx, t, a) for t, a in zip(lowered, arguments, strict=True))
    expression = replace(expression, given=tuple(access for access in given if access is not None))
    ctx.reaching.define(place.line)
    ctx.forget_memory()
    forgetting.addressed(ctx, place.line, given=True)
    ctx.pointer_version += 1
    if isinstance(result, Pointer):
        unknown = ir.Anything(text, ctx.key(), ir.Returned(_function_name(node), place))
        return Typed(expression, result, ctx.start_of(unknown, (), result.target))
    return Typed(expression, result, _integer_result(ctx, result, text, place, given=True))


def _function_name(node: c_ast.FuncCall) -> str:
    """Of the function, or of the member that leads to it; empty where another expression does."""
    match node.name:
        case c_ast.ID(name=str(name)) | c_ast.StructRef(field=c_ast.ID(name=str(name))):
            return name
        case _:
            return ""


def _given(ctx: Context, argument: Typed, node: c_ast.Node) -> ir.Access | None:
    """The integer in memory of which an argument is the address, where the callee may write to it."""
    match node, argument.type, argument.value:
        case (
            c_ast.UnaryOp(op="&", expr=place),
            Pointer(target=Integer(const=False) as type_),
            Address(target=Integer()) as address,
        ):
            return memory.access_of(ctx, memory.Memory(address, type_), place)
        case _:
            return None


def _is_closed(ctx: Context, name: str, node: c_ast.FuncCall) -> bool:
    """Whether the call is of a visible function whose result depends on its arguments alone."""
    definition = visible(ctx, name)
    named = isinstance(node.name, c_ast.ID) and ctx.lookup(name) is None
    return named and definition is not None and is_closed(ctx.unit, definition)


def _is_of_vectors(ctx: Context, name: str, arguments: list[Typed]) -> bool:
    """Whether the call is an operation of the processor on vectors in registers: without a pointer it reaches no
    memory."""
    types = [t.type for t in arguments]
    of_processor = name.startswith(("__builtin_ia32_", "__builtin_shuffle")) and ctx.lookup(name) is None
    return of_processor and any(map(arithmetic.is_vector, types)) and not any(map(arithmetic.is_pointer_like, types))


def _integer_result(
    ctx: Context, result: CType, text: str, place: Place, given: bool = False
) -> IntegerValue | None:
    return ctx.computed(text, place, result, given) if isinstance(result, Integer) else None


def _result_type(ctx: Context, name: str, node: c_ast.FuncCall) -> CType:
    prototype = ctx.unit.prototypes.get(name)
    if isinstance(prototype, Function):
        return prototype.result
    variable = ctx.lookup(name)
    if variable is not None:
        match variable.type:
            case Pointer(target=Function(result=result)) | Function(result=result):
                return result
            case _:
                return Unknown(name)
    return _library_result(ctx, library.KNOWN[name].result) if library.is_known(name) else ctx.int_type


def _library_result(ctx: Context, name: str) -> CType:
    if name.endswith(" _Complex"):
        part = name.removesuffix(" _Complex")
        return Complex(Floating(part, ctx.unit.abi.sizes[part]))
    size = ctx.unit.abi.sizes[name]
    return Floating(name, size) if name in ("float", "double", "long double") else Integer(name, size, True)


def _as_parameter(ctx: Context, typed: Typed, i: int, name: str, node: c_ast.Node) -> Typed:
    """Arguments are converted to the types of a prototype where there is one."""
    prototype = ctx.unit.prototypes.get(name)
    if isinstance(prototype, Function) and i < len(prototype.parameters):
        return convert(ctx, typed, prototype.parameters[i], node)
    return typed


# --- inlining


def _inline(ctx: Context, definition: Definition, arguments: list[c_ast.Node], node: c_ast.FuncCall) -> Typed:
    function = definition.node
    assert function is not None
    lowered = [expressions.lower(ctx, a) for a in arguments]
    settled = not ctx.deferred
    ctx.flush()
    around = set(ctx.values)
    ctx.inlined += node_count(function.body)
    place = ctx.place(node)
    result_type = _inlined_result(ctx, definition, node)
    returned = syntax.returned_expression(function.body) if not isinstance(result_type, Void) else None
    direct = returned is not None and not syntax.has_effects(returned, partial(is_pure, ctx.unit))
    result = None if direct or isinstance(result_type, Void) else ctx.temporary(result_type, place)
    saved = ctx.addressed, ctx.labels, ctx.index_names, ctx.called_at
    ctx.called_at = place if not definition.own else ctx.called_at
    ctx.addressed = syntax.escaping_names(function, ctx.defines)
    ctx.labels = {n.name: ctx.place(n) for n in syntax.labels_used(function.body)}
    ctx.index_names = syntax.index_names(function.body)
    ctx.frames.append([{}])
    ctx.calls.append(definition.name)
    ctx.regions.append(Region("return", result))
    changed = syntax.assigned_names(function.body) | syntax.addressed_names(function.body)
    for declaration, argument in zip(syntax.parameter_declarations(function), lowered, strict=True):
        _bind(ctx, declaration, argument, node, same=settled and declaration.name not in changed)
    value = None
    if direct:
        assert returned is not None
        value = convert(ctx, expressions.lower(ctx, returned), result_type, node)
    else:
        statements.lower_list(ctx, syntax.items(function.body), tail=True)
    ctx.regions.pop()
    ctx.calls.pop()
    ctx.frames.pop()
    ctx.addressed, ctx.labels, ctx.index_names, ctx.called_at = saved
    forgetting.inlined(ctx, around, result)
    return _of_temporary(ctx, result, result_type) if value is None else value


def _of_temporary(ctx: Context, result: ir.Variable | None, result_type: CType) -> Typed:
    if result is None:
        return Typed(ir.Opaque("void", Void()), Void())
    value = ctx.values.get(result.key)
    poly = value.poly if isinstance(value, IntegerValue) else None
    return Typed(ir.Use(result, result_type, poly), result_type, value)


def _inlined_result(ctx: Context, definition: Definition, node: c_ast.FuncCall) -> CType:
    assert definition.node is not None
    type_ = ctx.unit.type_of(definition.node.decl)
    return type_.result if isinstance(type_, Function) else _result_type(ctx, definition.name, node)


def _bind(ctx: Context, declaration: c_ast.Node, argument: Typed, node: c_ast.FuncCall, same: bool) -> None:
    """A parameter starts with the value of the caller's argument. One that the callee leaves as it is (`same`) is just
    another name for a variable that only the caller changes."""
    type_ = parameters.parameter_type(ctx, declaration)
    match argument.expression:
        case ir.Use(variable=given) if (
            same and given.type == type_ and given.scope in ("local", "parameter") and not given.addressed
        ) and isinstance(type_, Integer | Floating):
            ctx.frames[-1][-1][declaration.name] = given
            return
        case _:
            pass
    variable = ctx.declare(declaration.name, type_, "local", ctx.place(declaration))
    converted = convert(ctx, argument, type_, node)
    value = memory.kept_value(ctx, converted.value)
    if isinstance(value, Address) and isinstance(type_, Pointer):
        value = parameters.viewed_as(ctx, value, declaration, type_)
    ctx.values[variable.key] = value
    restricted.promise(ctx, variable)
    text = f"{declaration.name} = {c_text(node)}"
    ctx.out.append(ir.Assign(variable, converted.expression, ctx.place(node), text))
