"""Calls of functions that are not followed, written out as what their summaries say that they may do to memory.

    scale(m[i], by)    ->  for (k < 2) for (l < 2) m[i][k][l];   for (k < 2) for (l < 2) m[i][k][l] = (something);

Where not every call is sure to touch the whole section, the loops are such that may end early, so that nothing is shown
by the accesses in them. All reads stand before all stores. No count is exact.
"""

from collections.abc import Callable

from msgspec.structs import replace
from pycparser import c_ast

from ..ir import nodes as ir
from ..ir.polynomials import Poly, Symbol, number, symbol
from ..ir.symbols import program
from ..source.ctypes import Array, CType, Integer, Pointer, Record, Void
from ..source.unit import Definition
from . import effects, memory, operators, values
from . import invalidation as forgetting
from . import library_loops as blocks
from .c_text import c_text
from .context import Context, Typed
from .conversions import convert
from .effects import Span, Touch
from .inlining import leads_to_loops
from .values import Address, IntegerValue

NOTHING = blocks.NOTHING


def written_out(
    ctx: Context, definition: Definition, lowered: list[Typed], arguments: list[c_ast.Node], node: c_ast.FuncCall
) -> Typed | None:
    """What the call may do goes to `ctx.out`; its value is returned. None where its arguments lead nowhere known."""
    name, summary = definition.name, effects.summary(ctx.unit, definition, ctx.supposes)
    assert summary is not None
    if ctx.supposing and summary.stores_anywhere:
        return None  # that it is independent says more
    given = [_address(ctx, t, type_, a) for t, type_, a in zip(lowered, summary.parameters, arguments, strict=True)]
    places = [_starts(ctx, touch, given) for touch in summary.touches]
    if any(place is None for place in places):
        return None
    ctx.guesses.update(summary.guesses)
    place, text = ctx.place(node), c_text(node)
    for argument, written in zip(lowered, arguments, strict=True):
        blocks.evaluate_parts(ctx, argument, written)
    cost = ir.Call(name, (), Void(), place, closed=True, loops=leads_to_loops(ctx.unit, name))
    ctx.out.append(ir.Evaluate(cost, place, text))
    for at, test in summary.error_paths:
        ctx.out.append(operators.not_taken(ir.Opaque(test, ctx.int_type), at, test))
    for variable in filter(None, map(ctx.of_file, summary.variables)):
        ctx.out.append(_perhaps(ctx, node, ir.Evaluate(ir.Use(variable, variable.type), place, text)))
    for write in (False, True):
        for touch, start in zip(summary.touches, places, strict=True):
            if touch.write == write and start is not None and not _leads_nowhere(touch, lowered):
                _touch(ctx, touch, start, node)
    return _result(ctx, name, summary.result, node)


def _address(ctx: Context, argument: Typed, type_: CType, node: c_ast.Node) -> Address | None:
    """Where an argument leads, seen as the parameter sees it."""
    if not isinstance(type_, Pointer):
        return None
    found = memory.kept_value(ctx, convert(ctx, argument, type_, node).value)
    return found if isinstance(found, Address) else ctx.start_of(ir.Anything(c_text(node), ctx.key()), (), type_.target)


def _leads_nowhere(touch: Touch, lowered: list[Typed]) -> bool:
    """Whether the argument is a null pointer: no access is behind it."""
    return isinstance(touch.root, int) and ir.is_literal(lowered[touch.root].expression)


def _starts(ctx: Context, touch: Touch, given: list[Address | None]) -> Address | ir.Variable | None:
    """Where the root of a section is: a variable of the program, or what an argument leads to, as far as the subscripts
    of the section can count from there."""
    if isinstance(touch.root, str):
        variable = ctx.of_file(touch.root)
        return None if variable is None else Address(ir.Declared(variable), (), variable.type)
    address = given[touch.root]
    match address:
        case Address(object=ir.Declared(variable=variable), subscripts=(), offset=0) if not isinstance(
            variable.type, Array | Record
        ):
            return variable
        case _:
            return address


def _touch(ctx: Context, touch: Touch, start: Address | ir.Variable, node: c_ast.FuncCall) -> None:
    """Perhaps reads, or stores to, any element of a section."""
    place, text = ctx.place(node), c_text(node)
    if isinstance(start, ir.Variable):
        if touch.write:
            _store(ctx, touch, start, node)
        else:
            ctx.out.append(_perhaps(ctx, node, ir.Evaluate(ir.Use(start, start.type), place, text)))
        return
    used: list[ir.Access] = []

    def make(indices: tuple[Poly, ...]) -> ir.Statement:
        access = _access(ctx, touch, start, indices, node)
        used.append(access)
        value = ir.Opaque(NOTHING, access.type)
        return ir.Assign(access, value, place, text) if touch.write else ir.Evaluate(ir.Load(access), place, text)

    ctx.out.append(_over(ctx, node, touch, make))
    if touch.write:
        forgetting.after_store(ctx, used[0])


def _store(ctx: Context, touch: Touch, start: ir.Variable, node: c_ast.FuncCall) -> None:
    """A variable that the call gets the address of is set, or may be, or a part of it."""
    place, text, access = ctx.place(node), c_text(node), touch.access
    whole = access.offset == 0 and ctx.size_of(start.type) == number(access.size) and not any(map(_moves, touch.spans))
    value = ir.Opaque(NOTHING, start.type, () if whole else (ir.Use(start, start.type),))
    stored: ir.Statement = ir.Assign(start, value, place, text)
    if not (touch.sure and whole):
        stored = ir.Branch(ir.Opaque(NOTHING, ctx.int_type), ir.Data(), (stored,), (), place, text)
    ctx.out.append(stored)
    blocks.forget_scalar(ctx, start, place.line, given=True)


def _moves(span: Span) -> bool:
    """Whether a subscript may be another one than 0."""
    return span != (0, 0)


def _access(
    ctx: Context, touch: Touch, start: Address, indices: tuple[Poly, ...], node: c_ast.FuncCall
) -> ir.Access:
    """One element of a section."""
    found = touch.access
    inner = tuple(replace(s, index=index) for s, index in zip(found.subscripts, indices, strict=True))
    address, offset = start, found.offset
    if isinstance(touch.root, int):
        first, *rest = inner
        moved = values.moved(start, IntegerValue(first.index), first.stride)
        assert moved is not None  # the size of an element is a number
        address, inner = moved, tuple(rest)
        if inner and not values.counts_in(address, first.stride):
            return _in_bytes(ctx, touch, address, inner, node)
    address = replace(
        address,
        subscripts=(*address.subscripts, *inner),
        target=found.type,
        field=address.field + found.field,
        offset=address.offset + offset,
        structure=found.structure or address.structure,
    )
    access = memory.access_of(ctx, memory.Memory(address, found.type), node)
    return replace(access, text=_text(ctx, touch, node), volatile=False)


def _in_bytes(
    ctx: Context, touch: Touch, start: Address, inner: tuple[ir.Subscript, ...], node: c_ast.FuncCall
) -> ir.Access:
    """Behind a pointer that does not count in the rows of the section."""
    by = Poly.sum((number(touch.access.offset), *(s.index * s.stride for s in inner if s.stride is not None)))
    address = values.moved(values.in_bytes(start), IntegerValue(by), number(1))
    assert address is not None
    access = memory.access_of(ctx, memory.Memory(replace(address, target=touch.access.type), touch.access.type), node)
    return replace(access, text=_text(ctx, touch, node), volatile=False)


def _text(ctx: Context, touch: Touch, node: c_ast.FuncCall) -> str:
    if isinstance(touch.root, str):
        return f"{touch.root}[...]"
    return blocks.text_behind(node.args.exprs[touch.root])


# --- loops that may end early


def _over(
    ctx: Context, node: c_ast.FuncCall, touch: Touch, make: Callable[[tuple[Poly, ...]], ir.Statement]
) -> ir.Statement:
    """The statement for every element of a section: a loop for each subscript that is no number, and one more around
    those of which nothing is known."""
    spans = touch.spans
    if all(span is not None and span[0] == span[1] for span in spans):
        done = make(tuple(number(span[0]) for span in spans if span is not None))
        return done if touch.sure else _perhaps(ctx, node, done)
    keys: list[tuple[int, int | None]] = []
    indices: list[Poly] = []
    outside = len(ctx.loops)
    if any(span is None for span in spans):
        keys.append((ctx.key(), None))
        ctx.loops.append(keys[-1][0])
    for span in spans:
        indices.append(_index(ctx, node, span, keys))
    body = make(tuple(indices))
    del ctx.loops[outside:]
    for key, count in reversed(keys):
        body = _loop(ctx, node, key, count, body, touch.sure)
    return body


def _index(ctx: Context, node: c_ast.FuncCall, span: Span, keys: list[tuple[int, int | None]]) -> Poly:
    if span is None:
        return ctx.computed(f"{c_text(node.name)}()", ctx.place(node), ctx.int_type, given=True).poly
    low, high = span
    if low == high:
        return number(low)
    keys.append((ctx.key(), high - low + 1))
    ctx.loops.append(keys[-1][0])
    return number(low) + symbol(_counter(keys[-1][0]))


def _perhaps(ctx: Context, node: c_ast.FuncCall, done: ir.Statement) -> ir.Statement:
    """At most once."""
    return _loop(ctx, node, ctx.key(), 1, done)


def _counter(key: int) -> Symbol:
    return program(key, f"k{key}", ir.Counter(key), 0, None)


def _loop(
    ctx: Context, node: c_ast.FuncCall, key: int, count: int | None, body: ir.Statement, exact: bool = False
) -> ir.Loop:
    """At most so many iterations, if it is not `exact`; None: nobody knows."""
    place = ctx.place(node)
    return ir.Loop(
        key=key,
        counter=_counter(key),
        kind="for",
        place=place,
        end_line=place.line,
        trip=None if count is None else (ir.Ratio(number(count)),),
        exact_trip=exact,
        variable=None,
        first=None,
        last=None,
        step=None,
        body=(body,),
        inlined=True,
    )


def _result(ctx: Context, name: str, type_: CType, node: c_ast.FuncCall) -> Typed:
    """Nothing is known of the value."""
    place, text = ctx.place(node), c_text(node)
    if isinstance(type_, Void):
        return Typed(ir.Opaque(NOTHING, Void()), Void())
    temporary = ctx.temporary(type_, place)
    ctx.out.append(ir.Assign(temporary, ir.Opaque(f"{name}()", type_), place, text))
    value = ctx.computed(text, place, type_, given=True) if isinstance(type_, Integer) else None
    ctx.values[temporary.key] = value
    return Typed(ir.Use(temporary, type_, None if value is None else value.poly), type_, value)
