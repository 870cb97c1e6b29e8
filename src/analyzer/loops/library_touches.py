"""Library functions that use memory as `ir.library_memory` says, written out as reads and stores of it.

    rand_r(&seed)                 ->  seed = (something made of seed);
    frexp(x, &e)                  ->  e = (something);
    snprintf(t, n, "%s", s)       ->  s[0] ..., then t[k] = (something) for at most n bytes
    qsort(a, n, sizeof *a, less)  ->  for (k = 0; k < n; k++) a[k];  for (k = 0; k < n; k++) a[k] = (something);
    strtod(s, &end)               ->  s[0] ..., then end = s + (something);

*Errs toward* not written out: a comparison that may do more than compare, a format that stores (`%n`), and a pointer
into the string that is stored anywhere but in a variable of the function.
"""

from pycparser import c_ast

from ..base.regex import regex
from ..ir import nodes as ir
from ..ir.c_library import Block
from ..ir.library_memory import Printing, Span, Touching, strings_of
from ..ir.polynomials import ZERO, Poly, number
from ..source.ctypes import CType, Floating, Integer, Pointer, Void
from . import library_loops as blocks
from . import memory, values
from .c_text import c_text
from .comparators import only_compares
from .context import Context, Typed
from .inlining import visible
from .library_loops import NOTHING
from .syntax import without_casts
from .values import Address, IntegerValue

_STORES = regex(r"%[-+ #0-9.*hlLqjzt]*n")
"""In a format: the number of characters so far goes to memory."""


def written_out(
    ctx: Context,
    name: str,
    touching: Touching,
    arguments: list[Typed],
    nodes: list[c_ast.Node],
    node: c_ast.Node,
    result: CType,
) -> Typed | None:
    """What the call does to memory goes to `ctx.out`; its value is returned. None where the call is not as it should
    be, or does something else as well."""
    if not _is_as_declared(ctx, touching, arguments, nodes):
        return None
    for argument, written in zip(arguments, nodes, strict=True):
        blocks.evaluate_parts(ctx, argument, written)
    read: list[ir.Expression] = []
    for span in (*touching.reads, *_strings(touching, arguments)):
        if not ir.is_literal(arguments[span.argument].expression):
            read += _read(ctx, _walk(ctx, span, arguments, nodes, node))
    given = (a.expression for a in arguments if isinstance(a.type, Integer | Floating))
    made = ir.Opaque(f"{name}()", result, (*given, *read))
    for span in touching.writes:
        if span.argument == touching.leads and (end := _pointer_given(arguments[span.argument])) is not None:
            inside = _inside(ctx, arguments[0], end.type, c_text(node), node)
            memory.write(ctx, end, inside, node, nodes[span.argument])
        elif not ir.is_literal(arguments[span.argument].expression):
            _store(ctx, _walk(ctx, span, arguments, nodes, node, writes=True), tuple(read))
    return _result(ctx, touching, arguments, made, node)


def read_what_is_printed(
    ctx: Context, printing: Printing, arguments: list[Typed], nodes: list[c_ast.Node], node: c_ast.Node
) -> None:
    """The strings that a function writes somewhere are read. Example: `s`, by `printf("%s", s)`."""
    strings = printing.strings
    if printing.format is not None:
        text = nodes[printing.format] if printing.format < len(nodes) else None
        behind = strings_of(text.value) if isinstance(text, c_ast.Constant) else ()
        strings = (*strings, *(printing.format + 1 + k for k in behind))
    for k in strings:
        if k < len(arguments) and isinstance(arguments[k].type, Pointer) and not isinstance(nodes[k], c_ast.Constant):
            _read(ctx, _walk(ctx, Span(k, "string"), arguments, nodes, node))


def _pointer_given(argument: Typed) -> ir.Variable | None:
    """The pointer of which a call gets the address, `&end`, if that is a variable of the function."""
    match argument.value:
        case Address(object=ir.Declared(variable=variable), subscripts=()) if variable.scope == "local":
            return variable if isinstance(variable.type, Pointer) else None
        case _:
            return None


def _is_as_declared(
    ctx: Context, touching: Touching, arguments: list[Typed], nodes: list[c_ast.Node]
) -> bool:
    count = len(arguments)
    if count < touching.arguments or (count > touching.arguments and not touching.variadic):
        return False
    if touching.leads is not None:
        end = arguments[touching.leads]
        if not ir.is_literal(end.expression) and _pointer_given(end) is None:
            return False
    if touching.format is not None:
        text = nodes[touching.format]
        if not isinstance(text, c_ast.Constant) or _STORES.search(text.value):
            return False
    if touching.compares is None:
        return True
    function = _designated(nodes[touching.compares])
    definition = visible(ctx, function.name) if isinstance(function, c_ast.ID) else None
    named = definition is not None and ctx.lookup(definition.name) is None
    return named and definition is not None and only_compares(ctx.unit, definition)


def _designated(pointer: c_ast.Node) -> c_ast.Node:
    """The function itself, of `f`, `&f` and `(int (*)(const void *, const void *))f`."""
    inner = without_casts(pointer)
    return inner.expr if isinstance(inner, c_ast.UnaryOp) and inner.op == "&" else inner


def _strings(touching: Touching, arguments: list[Typed]) -> list[Span]:
    """What a format reads: any pointer may be that of a string."""
    rest = range(touching.arguments, len(arguments))
    return [Span(k, "string") for k in rest if not isinstance(arguments[k].type, Integer | Floating)]


def _walk(
    ctx: Context,
    span: Span,
    arguments: list[Typed],
    nodes: list[c_ast.Node],
    node: c_ast.Node,
    writes: bool = False,
) -> blocks.Walk:
    """All units of a span."""
    at = span.argument
    side = blocks.side_of(ctx, arguments[at], nodes[at])
    length = _length(ctx, span, side, arguments)
    open_ = length is None or (writes and span.length != "one" and len(span.length) == 1)
    block = Block(len(arguments), () if writes else (at,), at if writes else None, None, "nothing", stops=open_)
    return blocks.walk_of(ctx, block, node, {at: side}, length)


def _length(ctx: Context, span: Span, side: blocks.Side, arguments: list[Typed]) -> IntegerValue | None:
    """Bytes; None: nobody knows."""
    if span.length == "one":
        size = ctx.size_of(side.address.target)
        return None if size is None or isinstance(side.address.target, Void) else IntegerValue(size)
    if isinstance(span.length, str):
        return None
    product, wraps = number(1), tuple[ir.Wrap, ...]()
    for k in span.length:
        factor = arguments[k].value
        if not isinstance(factor, IntegerValue):
            return None
        product, wraps = product * factor.poly, values.merge(wraps, factor.wraps)
    return IntegerValue(product, wraps)


def _read(ctx: Context, walk: blocks.Walk) -> list[ir.Expression]:
    """Reads all units; what is read, where it is a single one."""
    (at,) = walk.block.reads
    if walk.count is not None and walk.count.constant == 1:
        return [blocks.read_of(ctx, walk, at, ZERO)]
    place, text = ctx.place(walk.node), c_text(walk.node)

    def reading(k: Poly) -> list[ir.Statement]:
        return [ir.Evaluate(blocks.read_of(ctx, walk, at, k), place, text)]

    blocks.repeat(ctx, walk, reading)
    return []


def _store(ctx: Context, walk: blocks.Walk, read: tuple[ir.Expression, ...]) -> None:
    """Stores something that is made of what was read."""
    at = walk.block.writes
    assert at is not None
    place, text, variable = ctx.place(walk.node), c_text(walk.node), walk.sides[at].scalar
    if variable is not None:
        before = () if blocks.is_all_of(ctx, walk, variable) else (ir.Use(variable, variable.type),)
        value = ir.Opaque(NOTHING, variable.type, (*before, *read))
        ctx.out.append(ir.Assign(variable, value, place, text))
    else:
        value = ir.Opaque(NOTHING, walk.types[at], read)
        blocks.repeat(ctx, walk, lambda k: [ir.Assign(blocks.access_of(ctx, walk, at, k), value, place, text)])
    blocks.forget_after(ctx, walk, at, variable)


def _inside(ctx: Context, side: Typed, type_: CType, reason: str, node: c_ast.Node) -> Typed:
    """A pointer to some place in memory that a call got."""
    place, text, address = ctx.place(node), c_text(node), side.value
    if isinstance(address, Address) and isinstance(type_, Pointer):
        found = ctx.computed(text, place, ctx.int_type)
        inside = values.moved(address, found, ctx.size_of(address.target))
        return Typed(ir.Address(address.object, type_), type_, inside)
    unknown = ir.Anything(text, ctx.key(), ir.Returned(reason, place))
    target: CType = type_.target if isinstance(type_, Pointer) else Void()
    return Typed(ir.Address(unknown, type_), type_, ctx.start_of(unknown, (), target))


def _result(
    ctx: Context, touching: Touching, arguments: list[Typed], made: ir.Opaque, node: c_ast.Node
) -> Typed:
    place, text = ctx.place(node), c_text(node)
    if touching.inside is not None:
        ctx.out.append(ir.Evaluate(made, place, text))
        return _inside(ctx, arguments[touching.inside], made.type, made.reason, node)
    if isinstance(made.type, Integer | Floating):
        temporary = ctx.temporary(made.type, place)
        ctx.out.append(ir.Assign(temporary, made, place, text))
        value = ctx.computed(text, place, made.type, given=True) if isinstance(made.type, Integer) else None
        ctx.values[temporary.key] = value
        poly = None if value is None else value.poly
        return Typed(ir.Use(temporary, made.type, poly), made.type, value)
    ctx.out.append(ir.Evaluate(made, place, text))
    return Typed(ir.Opaque(NOTHING, Void()), Void())
