"""Calls: known library functions, allocation, visible functions inlined to a bounded depth, everything else kept."""

from collections.abc import Iterator
from functools import partial

from msgspec.structs import replace
from pycparser import c_ast

from models.expr.nodes import remembered

from ..base.places import Place
from ..ir import arithmetic, blas, library_memory
from ..ir import c_library as library
from ..ir import nodes as ir
from ..ir.c_library import ALLOCATORS
from ..ir.polynomials import number
from ..ir.reasons import AssumptionKind
from ..source.ctypes import Array, Complex, CType, Floating, Function, Integer, Pointer, Record, Unknown, Void, element
from ..source.held import held
from ..source.nodes import node_count, nodes
from ..source.unit import Definition, Unit
from . import (
    allocations,
    atomic_builtins,
    compiled_calls,
    expressions,
    hidden_allocations,
    memory,
    operators,
    own_members,
    parameters,
    returns,
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
    library_touches as touches,
)
from . import (
    restrict_pointers as restricted,
)
from .c_text import c_text
from .call_targets import bare, targets
from .call_targets import values as functions_of
from .confined_functions import changed_parameters
from .context import Context, Region, Typed
from .conversions import convert
from .inlining import has_constant, is_followed, is_foreign, is_summarised, leads_to_loops, visible, why_unseen
from .pure_functions import is_closed, is_pure, type_name
from .read_parameters import only_read
from .status_variables import is_status
from .steady_arguments import changing_loops, gets_moving_pointers
from .values import Address, IntegerValue


def call(ctx: Context, node: c_ast.FuncCall) -> Typed:
    """The value of a call; its effects are in the IR or the call is kept as unknown."""
    name = node.name.name if isinstance(node.name, c_ast.ID) else c_text(node.name)
    arguments = list(node.args.exprs) if node.args is not None else []
    known = ctx.unit.constant(node) if name.startswith("__builtin_") or name == "offsetof" else None
    if known is not None:
        type_ = arithmetic.integer(ctx.unit.abi, "unsigned long")
        return Typed(ir.Literal(known, type_), type_, IntegerValue(number(known)))
    if ctx.lookup(name) is None or not isinstance(node.name, c_ast.ID):
        definition = visible(ctx, name)
        if id(node) in ctx.not_followed:
            return _kept(ctx, name, [expressions.lower(ctx, a) for a in arguments], arguments, node)
        how = None if definition is None or ctx.loops else hidden_allocations.hidden(ctx.unit, definition)
        if how is not None:
            return _kept(ctx, name, [expressions.lower(ctx, a) for a in arguments], arguments, node, how == "new")
        if definition is not None and is_followed(ctx, definition, len(arguments), has_constant(node)):
            return _inline(ctx, definition, arguments, node)
        if definition is not None and is_summarised(ctx.unit, name, len(arguments), ctx.supposes):
            return _summarised(ctx, definition, arguments, node)
        block = library.block(name) if definition is None else None
        if block is not None:
            return _walking(ctx, name, block, arguments, node)
        touching = library_memory.touching(name) if definition is None else None
        if touching is not None:
            return _touching(ctx, name, touching, arguments, node)
        if definition is None and allocations.stores_memory(name, len(arguments)):
            return allocations.stored(ctx, arguments, node)
        operation = atomic_builtins.lowered(ctx, name, arguments, node) if definition is None else None
        if operation is not None:
            return operation
        if definition is None and ctx.unit.in_full and name in library_memory.PRINTING:
            return _printing(ctx, name, library_memory.PRINTING[name], arguments, node)
    is_pointer = not isinstance(node.name, c_ast.ID) or ctx.lookup(name) is not None
    if is_pointer and not any(syntax.has_effects(a, partial(is_pure, ctx.unit)) for a in (node.name, *arguments)):
        found = targets(ctx, node.name, len(arguments))
        if found is not None:
            return _one_of(ctx, found, node)
    return _kept(ctx, name, [expressions.lower(ctx, a) for a in arguments], arguments, node)


def _one_of(ctx: Context, names: tuple[str, ...], node: c_ast.FuncCall) -> Typed:
    """A call through a pointer that leads to one of these functions: which one, the pointer says."""
    pointer = expressions.lower(ctx, bare(node.name))
    place = ctx.place(node)
    if not isinstance(pointer.expression, ir.Use):
        kept = ctx.temporary(pointer.type, place)
        ctx.out.append(ir.Assign(kept, pointer.expression, place, c_text(node.name)))
        pointer = Typed(ir.Use(kept, pointer.type), pointer.type)
    return _choose(ctx, pointer.expression, names, node)


def _choose(ctx: Context, pointer: ir.Expression, names: tuple[str, ...], node: c_ast.FuncCall) -> Typed:
    first = c_ast.FuncCall(c_ast.ID(names[0], node.coord), node.args, node.coord)
    if len(names) == 1:
        return call(ctx, first)
    place, text = ctx.place(node), c_text(node)
    before = dict(ctx.values)
    with ctx.collect() as then:
        one = call(ctx, first)
        ctx.flush()
    after, ctx.values = ctx.values, dict(before)
    with ctx.collect() as otherwise:
        other = _choose(ctx, pointer, names[1:], node)
        ctx.flush()
    operators.join(ctx, after, ctx.values, place.line)
    condition = ir.Opaque("void", ctx.int_type, (pointer,))
    if isinstance(one.type, Void):
        then += _done(one.expression, place, text)
        otherwise += _done(other.expression, place, text)
        ctx.out.append(ir.Branch(condition, ir.Data(), tuple(then), tuple(otherwise), place, text))
        return Typed(ir.Opaque("void", Void()), Void())
    result = ctx.temporary(one.type, place)
    arms = (
        (*then, ir.Assign(result, one.expression, place, text)),
        (*otherwise, ir.Assign(result, convert(ctx, other, one.type, node).expression, place, text)),
    )
    ctx.out.append(ir.Branch(condition, ir.Data(), *arms, place, text))
    value = ctx.computed(text, place, one.type) if isinstance(one.type, Integer) else None
    ctx.values[result.key] = value
    return Typed(ir.Use(result, one.type, None if value is None else value.poly), one.type, value)


def _done(expression: ir.Expression, place: Place, text: str) -> Iterator[ir.Statement]:
    """A call without a value, as a statement; nothing where its body stands there already."""
    if isinstance(expression, ir.Call):
        yield ir.Evaluate(expression, place, text)


def _summarised(ctx: Context, definition: Definition, arguments: list[c_ast.Node], node: c_ast.FuncCall) -> Typed:
    """A call of a function that is not followed, but of which a summary says what it may do to memory."""
    from . import touches

    lowered = [expressions.lower(ctx, a) for a in arguments]
    done = touches.written_out(ctx, definition, lowered, arguments, node)
    return _kept(ctx, definition.name, lowered, arguments, node) if done is None else done


def _walking(ctx: Context, name: str, block: library.Block, arguments: list[c_ast.Node], node: c_ast.FuncCall) -> Typed:
    """A library function that walks over memory; its pointers and its length are address arithmetic."""
    with ctx.addressing():
        lowered = [expressions.lower(ctx, a) for a in arguments]
    done = blocks.written_out(ctx, name, block, lowered, arguments, node)
    return _kept(ctx, name, lowered, arguments, node) if done is None else done


def _touching(
    ctx: Context, name: str, touching: library_memory.Touching, arguments: list[c_ast.Node], node: c_ast.FuncCall
) -> Typed:
    """A library function that uses memory behind its pointers. What it only reads matters in loops: `atoi(argv[1])`
    before them is not worth a walk of unknown length."""
    arguments = _resumed(ctx, touching, arguments)
    lowered = [expressions.lower(ctx, a) for a in arguments]
    if not ctx.loops and not touching.writes:
        return _kept(ctx, name, lowered, arguments, node)
    done = touches.written_out(ctx, name, touching, lowered, arguments, node, _result_type(ctx, name, node))
    return _kept(ctx, name, lowered, arguments, node) if done is None else done


def _resumed(ctx: Context, touching: library_memory.Touching, arguments: list[c_ast.Node]) -> list[c_ast.Node]:
    """The arguments with the pointer that is meant by none. Example: `strtok_r(NULL, " ", &rest)` goes on at `rest`."""
    if not touching.resumes or len(arguments) != touching.arguments or touching.leads is None:
        return arguments
    kept = syntax.without_casts(arguments[touching.leads])
    is_null = ctx.unit.constant(syntax.without_casts(arguments[0])) == 0
    if is_null and isinstance(kept, c_ast.UnaryOp) and kept.op == "&":
        return [kept.expr, *arguments[1:]]
    return arguments


def _printing(
    ctx: Context, name: str, printing: library_memory.Printing, arguments: list[c_ast.Node], node: c_ast.FuncCall
) -> Typed:
    """A library function that writes text, with its reads of strings, which loops of unknown length would count."""
    lowered = [expressions.lower(ctx, a) for a in arguments]
    touches.read_what_is_printed(ctx, printing, lowered, arguments, node)
    return _kept(ctx, name, lowered, arguments, node)


def _kept(
    ctx: Context,
    name: str,
    lowered: list[Typed],
    arguments: list[c_ast.Node],
    node: c_ast.FuncCall,
    allocates: bool = False,
) -> Typed:
    result = _result_type(ctx, name, node)
    if name == library.COMPLEX_OF_PARTS and lowered and isinstance(part := lowered[0].type, Floating):
        result = Complex(part)
    text = c_text(node)
    if name.startswith("MPI_") and ctx.lookup(name) is None:
        from . import mpi_calls as messages

        if messages.is_known(name, len(lowered)):
            return messages.call(ctx, name, lowered, result, node)
    pointers = tuple(dict.fromkeys(t.value.object for t in lowered if isinstance(t.value, Address)))
    lowered = [_as_parameter(ctx, t, i, name, a) for i, (t, a) in enumerate(zip(lowered, arguments, strict=True))]
    expression = _expression(ctx, name, lowered, pointers, result, node)
    fresh = None
    by_name = _is_by_name(ctx, name, node)
    if allocates or name in ALLOCATORS or (by_name and allocations.is_said_to_allocate(ctx.unit, name)):
        fresh = ctx.start_of(made := allocations.new(ctx, name, node, lowered), (), _behind(result))
        expression = replace(expression, made=made)
    if name in ALLOCATORS:
        return Typed(expression, result, fresh)
    if expression.supposed is AssumptionKind.INDEPENDENT:
        forgetting.after_independent(ctx, expression.place.line)
        _set_variables(ctx, lowered, text, expression.place)
        return Typed(expression, result, fresh or _unfollowed(ctx, result, node))
    if expression.supposed is AssumptionKind.PURE and id(node) in ctx.getters:
        return Typed(expression, result, ctx.getters[id(node)])
    if expression.known or expression.closed:
        loops = changing_loops(ctx, lowered)
        return Typed(expression, result, _integer_result(ctx, result, text, expression.place, loops=loops))
    given = (_given(ctx, t, a) for t, a in zip(lowered, arguments, strict=True))
    expression = replace(expression, given=tuple(access for access in given if access is not None))
    _forget(ctx, name, lowered, expression, by_name)
    return Typed(expression, result, fresh or _unfollowed(ctx, result, node))


def _expression(
    ctx: Context,
    name: str,
    lowered: list[Typed],
    pointers: tuple[ir.Object, ...],
    result: CType,
    node: c_ast.FuncCall,
) -> ir.Call:
    """The call of a function that is not gone into, and what is known or supposed of it. `pointers`: what it gets the
    addresses of."""
    place = ctx.place(node)
    pure = ctx.lookup(name) is None and (is_pure(ctx.unit, name) or _only_sets_handler(ctx, name, node))
    unseen = "" if pure else why_unseen(ctx, name, len(lowered), node)
    computes = not pure and (_is_closed(ctx, name, node) or _is_of_vectors(ctx, name, lowered))
    supposed = None if pure or computes else suppositions.supposition(ctx, name, node)
    if supposed is AssumptionKind.INDEPENDENT and any(is_status(ctx, x) for x in pointers):
        pointers = tuple(x for x in pointers if not is_status(ctx, x))
        told = f"`{name}` says that something failed"
        ctx.out.append(operators.not_taken(ir.Opaque(told, ctx.int_type), place, told))
    by_name = _is_by_name(ctx, name, node)
    called = name if by_name or library.effect(name) is None else f"(*{name})"  # a pointer is no library function
    reads_own = supposed is AssumptionKind.PURE and gets_moving_pointers(ctx, lowered)
    definition = visible(ctx, name) if by_name and supposed is not None else None
    reads = only_read(ctx.unit, definition) if definition is not None else frozenset[int]()
    changed = _changed(name, lowered, reads)
    return ir.Call(
        called,
        tuple(map(_argument, lowered)),
        result,
        place,
        pointers,
        pure,
        unseen,
        closed=computes or supposed is not None,
        loops=leads_to_loops(ctx.unit, name),
        supposed=supposed,
        reads_own=reads_own and suppositions.said_of(ctx.unit, name) is None,
        read_only=tuple(x for x in pointers if x not in changed),
        foreign=is_foreign(ctx, name, node),
        changed=() if definition is None or definition.node is None else changed_parameters(definition.node),
    )


def _argument(given: Typed) -> ir.Expression:
    """What a call gets; by a pointer to a number that is `const`, what the variable holds."""
    match given.expression, given.type:
        case ir.Address(object=ir.Declared(variable=variable), index=()) as address, Pointer(
            target=Integer() | Floating() as target
        ) if target.const and isinstance(variable.type, Integer | Floating):
            return replace(address, index=(ir.Use(variable, variable.type),))
        case expression, _:
            return expression


def _is_by_name(ctx: Context, name: str, node: c_ast.FuncCall) -> bool:
    """Whether a function is called, not what a pointer of that name leads to."""
    return isinstance(node.name, c_ast.ID) and ctx.lookup(name) is None


def _forget(ctx: Context, name: str, lowered: list[Typed], call: ir.Call, by_name: bool) -> None:
    """What may be another value behind a call of which nothing is known, or that only changes memory."""
    keeps_values = call.foreign and by_name and _keeps_values(ctx, name)
    keeps_memory = keeps_values and _keeps_memory(ctx, name, lowered)
    if not keeps_memory:
        ctx.reaching.define(call.place.line)
        ctx.forget_memory()
    if not keeps_values:
        gets = {x.variable.key for x in call.pointers if isinstance(x, ir.Declared)}
        forgetting.addressed(ctx, call.place.line, True, gets)
        ctx.pointer_version += 1
    elif not (keeps_memory and _stores_nothing(name)):
        forgetting.given_away(ctx, call.place.line)


def _stores_nothing(name: str) -> bool:
    """Whether a library function that keeps memory keeps variables whose address was taken, too."""
    effect = library.effect(name)
    return effect is library.Effect.RELEASES or (effect is not None and effect.is_output)


def _only_sets_handler(ctx: Context, name: str, node: c_ast.FuncCall) -> bool:
    """Whether nobody asks which handler of errors there was before the call."""
    return name in library.HANDLER_SETTERS and ctx.unused is node and visible(ctx, name) is None


def _changed(name: str, lowered: list[Typed], reads: frozenset[int]) -> set[ir.Object]:
    """What a call may write to of what it gets: behind no pointer to what is `const`, nor what it only `reads`, by its
    code, or as a routine of the BLAS."""
    written = blas.written(name)
    given = ((k, t.value) for k, t in enumerate(lowered) if k not in reads and not _is_to_constant(t.type))
    return {x.object for k, x in given if isinstance(x, Address) and (written is None or k in written)}


def _keeps_values(ctx: Context, name: str) -> bool:
    """Whether it is a library function that changes no variable of which nobody took the address: not one of the
    program that has its name, here or in another file."""
    known = library.effect(name)
    type_ = ctx.unit.prototypes.get(name)
    pointers = (t.target for t in type_.parameters if isinstance(t, Pointer)) if isinstance(type_, Function) else ()
    own = any(isinstance(t, Record) and "file" not in t.key.lower() for t in pointers)
    if isinstance(type_, Function) and name in library.RANDOM:
        own = own or type_name(type_.result) != library.RANDOM[name]
    return known is not None and known.keeps_values and not own and name not in ctx.unit.defined_elsewhere


def _keeps_memory(ctx: Context, name: str, arguments: list[Typed]) -> bool:
    """Whether a library function that keeps variables keeps numbers in memory, too: none is among what it gets (`%n`),
    nor may a stream of the program end in memory. What it releases nobody reads."""
    numbers = (t.type.target for t in arguments if isinstance(t.type, Pointer))
    given = any(isinstance(n, Integer) and n.size > 1 and not n.const for n in numbers)
    released = library.effect(name) is library.Effect.RELEASES
    return (released or not given) and not _has_streams_in_memory(ctx.unit)


@remembered("_has_streams_in_memory")
def _has_streams_in_memory(unit: Unit) -> bool:
    return any(name in unit.source_text for name in library.STREAMS_IN_MEMORY)


def _is_to_constant(type_: CType) -> bool:
    return isinstance(type_, Pointer) and bool(getattr(element(type_.target), "const", False))


def _behind(pointer: CType) -> CType:
    return pointer.target if isinstance(pointer, Pointer) else Void()


def _unfollowed(ctx: Context, result: CType, node: c_ast.FuncCall) -> Address | IntegerValue | None:
    """What a call gives of which nothing is known."""
    if isinstance(result, Pointer):
        unknown = ir.Anything(c_text(node), ctx.key(), ir.Returned(_function_name(node), ctx.place(node)))
        return ctx.start_of(unknown, (), result.target)
    return _integer_result(ctx, result, c_text(node), ctx.place(node), given=True)


def _set_variables(ctx: Context, arguments: list[Typed], text: str, place: Place) -> None:
    """The variables of which a call gets the addresses may have been set."""
    for argument in arguments:
        match argument.value, argument.type:
            case Address(object=ir.Declared(variable=variable) as given), Pointer(
                target=Integer() | Floating() as target
            ) if variable.type == target and not target.const and not is_status(ctx, given):
                ctx.out.append(ir.Assign(variable, ir.Opaque(text, target), place, text))
            case _:
                pass


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
    return _is_by_name(ctx, name, node) and definition is not None and is_closed(ctx.unit, definition)


def _is_of_vectors(ctx: Context, name: str, arguments: list[Typed]) -> bool:
    """Whether the call is an operation of the processor on vectors in registers: without a pointer it reaches no
    memory."""
    types = [t.type for t in arguments]
    of_processor = name.startswith(("__builtin_ia32_", "__builtin_shuffle")) and ctx.lookup(name) is None
    return of_processor and any(map(arithmetic.is_vector, types)) and not any(map(arithmetic.is_pointer_like, types))


def _integer_result(
    ctx: Context, result: CType, text: str, place: Place, given: bool = False, loops: tuple[int, ...] | None = None
) -> IntegerValue | None:
    return ctx.computed(text, place, result, given, loops) if isinstance(result, Integer) else None


def _result_type(ctx: Context, name: str, node: c_ast.FuncCall) -> CType:
    prototype = ctx.unit.prototypes.get(name)
    if isinstance(prototype, Function):
        return prototype.result
    if ctx.lookup(name) is not None or not isinstance(node.name, c_ast.ID):
        type_ = suppositions.called_type(ctx, node)
        return Unknown(name) if type_ is None else type_.result
    if name in ALLOCATORS:
        return Pointer(Void(), ctx.unit.abi.sizes["pointer"])
    return _library_result(ctx, library.KNOWN[name].result) if library.is_known(name) else ctx.int_type


def _library_result(ctx: Context, name: str) -> CType:
    if name.endswith(" _Complex"):
        part = name.removesuffix(" _Complex")
        return Complex(Floating(part, ctx.unit.abi.sizes[part]))
    if name == "void":
        return Void()
    if name in ("float", "double", "long double"):
        return Floating(name, ctx.unit.abi.sizes[name])
    return arithmetic.integer(ctx.unit.abi, name)


def _as_parameter(ctx: Context, typed: Typed, i: int, name: str, node: c_ast.Node) -> Typed:
    """Arguments are converted to the types of a prototype where there is one."""
    prototype = ctx.unit.prototypes.get(name)
    if isinstance(prototype, Function) and i < len(prototype.parameters):
        return convert(ctx, typed, prototype.parameters[i], node)
    return typed


# --- inlining

def in_place(ctx: Context, node: c_ast.Assignment) -> bool:
    """`sum = added(sum, x)` of a helper that changes its copy of a structure and returns it, as what it does to `sum`
    itself: nothing else leads to the variable, so that nobody can tell."""
    match node:
        case c_ast.Assignment(
            op="=", lvalue=c_ast.ID(name=name), rvalue=c_ast.FuncCall(name=c_ast.ID(name=called), args=args) as made
        ) if args is not None and ctx.lookup(called) is None:
            variable, definition = ctx.lookup(name), visible(ctx, called)
        case _:
            return False
    if variable is None or variable.scope != "local" or variable.addressed or not isinstance(variable.type, Record):
        return False
    if definition is None or definition.node is None:
        return False
    given = [k for k, a in enumerate(args.exprs) if name in syntax.names_in(a)]
    if len(given) != 1 or not isinstance(args.exprs[given[0]], c_ast.ID):
        return False
    if not is_followed(ctx, definition, len(args.exprs), has_constant(made)):
        return False
    declaration = syntax.parameter_declarations(definition.node)[given[0]]
    same = parameters.parameter_type(ctx, declaration) == variable.type
    if not same or not _ends_by_returning(definition.node.body, declaration.name):
        return False
    _inline(ctx, definition, list(args.exprs), made, (given[0], variable))
    return True


def _ends_by_returning(body: c_ast.Compound, name: str) -> bool:
    """Whether a function ends by returning a variable, whose address nobody takes, and nowhere else."""
    last = body.block_items[-1] if body.block_items else None
    if not isinstance(last, c_ast.Return) or len(list(nodes(body, c_ast.Return))) != 1:
        return False
    again = any(d.name == name for d in nodes(body, c_ast.Decl))
    own = isinstance(last.expr, c_ast.ID) and last.expr.name == name
    return own and not again and name not in syntax.addressed_names(body)


def _inline(
    ctx: Context,
    definition: Definition,
    arguments: list[c_ast.Node],
    node: c_ast.FuncCall,
    updated: tuple[int, ir.Variable] | None = None,
) -> Typed:
    """What the function does. `updated`: the parameter of this number is another name of a variable (`in_place`)."""
    function = definition.node
    body = returns.body_of(function) if function is not None else None
    assert function is not None
    assert body is not None
    lowered = [expressions.lower(ctx, a) for a in arguments]
    given = zip(arguments, lowered, strict=True)
    functions = [functions_of(ctx, argument) if _is_function(of) else None for argument, of in given]
    settled = not ctx.deferred
    ctx.flush()
    around = set(ctx.values)
    ctx.inlined += node_count(body)
    compiled_calls.note_call(ctx, definition, node)
    place = ctx.place(node)
    result_type = _inlined_result(ctx, definition, node)
    if updated is not None:
        body, result_type = c_ast.Compound(body.block_items[:-1], body.coord), Void()
    returned = syntax.returned_expression(body) if not isinstance(result_type, Void) else None
    direct = returned is not None and not syntax.has_effects(returned, partial(is_pure, ctx.unit))
    is_kept = not (direct or isinstance(result_type, Void) or node is ctx.unused)
    result = ctx.temporary(result_type, place, function.decl.name) if is_kept else None
    saved = ctx.addressed, ctx.members_addressed, ctx.structures, ctx.labels, ctx.index_names, ctx.called_at
    rows_outside = ctx.row_names
    ctx.members_addressed |= syntax.names_with_addressed_members(function)
    ctx.called_at = place if not definition.own else ctx.called_at
    ctx.addressed = syntax.escaping_names(function, ctx.defines)
    ctx.structures = syntax.structures(function)
    ctx.labels = {n.name: ctx.place(n) for n in syntax.labels_used(body)}
    ctx.index_names, ctx.row_names = syntax.index_names(body), syntax.row_names(body)
    ctx.frames.append([{}])
    ctx.calls.append(definition.name)
    ctx.regions.append(Region("return", result))
    changed = syntax.assigned_names(body) | syntax.addressed_names(body) | syntax.names_with_changed_members(body)
    for k, (declaration, argument) in enumerate(zip(syntax.parameter_declarations(function), lowered, strict=True)):
        if updated is not None and updated[0] == k:
            ctx.frames[-1][-1][declaration.name] = updated[1]
            continue
        _bind(ctx, declaration, argument, node, same=settled and declaration.name not in changed)
        if (names := functions[k]) is not None:
            ctx.given_functions[ctx.frames[-1][-1][declaration.name].key] = names
    value = None
    if direct:
        assert returned is not None
        value = convert(ctx, expressions.lower(ctx, returned), result_type, node)
    else:
        statements.lower_list(ctx, syntax.items(body), tail=True)
    ctx.regions.pop()
    ctx.calls.pop()
    ctx.frames.pop()
    ctx.addressed, ctx.members_addressed, ctx.structures, ctx.labels, ctx.index_names, ctx.called_at = saved
    ctx.row_names = rows_outside
    forgetting.inlined(ctx, around, result)
    return _of_temporary(ctx, result, result_type) if value is None else value


def _of_temporary(ctx: Context, result: ir.Variable | None, result_type: CType) -> Typed:
    if result is None:
        return Typed(ir.Opaque("void", Void()), Void())
    value = ctx.values.get(result.key)
    poly = value.poly if isinstance(value, IntegerValue) else None
    return Typed(ir.Use(result, result_type, poly), result_type, value)


def _is_function(argument: Typed) -> bool:
    """Whether an argument is a function, or a pointer to one."""
    type_ = argument.type.target if isinstance(argument.type, Pointer) else argument.type
    return isinstance(type_, Function)


def _inlined_result(ctx: Context, definition: Definition, node: c_ast.FuncCall) -> CType:
    assert definition.node is not None
    type_ = ctx.unit.type_of(definition.node.decl)
    return type_.result if isinstance(type_, Function) else _result_type(ctx, definition.name, node)


def _named(ctx: Context, argument: ir.Expression) -> ir.Variable | None:
    """The variable that an argument is: a number, or a structure without arrays, which only its name could change."""
    match argument:
        case ir.Use(variable=variable) if isinstance(variable.type, Integer | Floating):
            return variable
        case ir.Load(access=ir.Access(object=ir.Declared(variable=variable), type=Record() as type_)) if (
            variable.type == type_ and variable.name not in ctx.members_addressed and not _holds_arrays(ctx, type_)
        ):
            return variable
        case _:
            return None


def _holds_arrays(ctx: Context, type_: Record) -> bool:
    return any(isinstance(t, Array) for t in held(type_, ctx.unit.layouts))


def _bind(ctx: Context, declaration: c_ast.Node, argument: Typed, node: c_ast.FuncCall, same: bool) -> None:
    """A parameter starts with the value of the caller's argument. One that the callee leaves as it is (`same`) is just
    another name for a variable that only the caller changes."""
    type_ = parameters.parameter_type(ctx, declaration)
    given = _named(ctx, argument.expression) if same else None
    own = given is not None and given.scope in ("local", "parameter") and not given.addressed
    if given is not None and own and given.type == type_:
        ctx.frames[-1][-1][declaration.name] = given
        return
    variable = ctx.declare(declaration.name, type_, "local", ctx.place(declaration))
    converted = convert(ctx, argument, type_, node)
    value = memory.kept_value(ctx, converted.value)
    if isinstance(value, Address) and isinstance(type_, Pointer):
        value = parameters.viewed_as(ctx, value, declaration, type_)
    ctx.values[variable.key] = value
    restricted.promise(ctx, variable)
    own_members.copied(ctx, variable, converted.expression)
    text = f"{declaration.name} = {c_text(node)}"
    ctx.out.append(ir.Assign(variable, converted.expression, ctx.place(node), text))
