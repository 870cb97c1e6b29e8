"""Library functions that walk over memory, written out as the loops that they are (`ir.c_library.BLOCKS` says which).

    memcpy(d, s, n * sizeof *s)    ->  for (k = 0; k < n; k++) d[k] = s[k];
    memset(&x, 0, sizeof x)        ->  x = 0;
    memmove(d, s, n)               ->  all reads, then all writes: the two may overlap
    strlen(s)                      ->  for (k = 0; k <= strlen(s); k++) s[k] != 0;
    strcpy(d, "abc")               ->  for (k = 0; k < 4; k++) d[k] = "abc"[k];
    memcmp(a, b, n)                ->  for (k = 0; k < n; k++) a[k] != b[k];      -- at most n

*Unit*: an element, where all pointers have one type and the length is a multiple of its size; the whole, where the
length is the size of what one of them points to; else bytes. Bytes that may hold anything have a type of their own
(`BYTES`), which no rule of C about types keeps apart from others. In the test of a loop the number of units is left
open. A part of a scalar variable that is set leaves it with a value that depends on the one before.
"""

from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace
from pycparser import c_ast

from ..ir import arithmetic
from ..ir import nodes as ir
from ..ir.c_library import Block
from ..ir.polynomials import Poly, number, symbol
from ..ir.symbols import program
from ..source.ctypes import Array, CType, Floating, Integer, Pointer, Record, Unknown, unqualified
from ..source.literals import letters_of
from . import invalidation as forgetting
from . import memory, values
from .c_text import c_text
from .context import Context, Typed
from .conversions import convert
from .values import Address, IntegerValue

BYTES = "bytes"
WHOLE_STRING = 1 << 40
"""Bytes behind its beginning that may decide how long a string is: a store to any of them may change that."""
NOTHING = "void"
"""The reason of an `Opaque` that costs nothing."""


class Side(Struct, frozen=True):
    """One pointer argument: where it points, and how C writes its elements."""

    address: Address
    text: str

    @property
    def scalar(self) -> ir.Variable | None:
        """The variable whose address it is."""
        match self.address:
            case Address(object=ir.Declared(variable=variable), subscripts=(), offset=0) if not isinstance(
                variable.type, Record
            ):
                return variable
            case _:
                return None


class Walk(Struct, frozen=True):
    """A call to write out: `count` units of `size` bytes, at most so many unless `exact`; None: nobody knows.
    `types`: of the units, by argument."""

    block: Block
    node: c_ast.Node
    sides: Mapping[int, Side]
    types: Mapping[int, CType]
    size: int
    count: Poly | None
    exact: bool
    wraps: tuple[ir.Wrap, ...]


def written_out(
    ctx: Context, name: str, block: Block, arguments: list[Typed], nodes: list[c_ast.Node], node: c_ast.Node
) -> Typed | None:
    """What the call does goes to `ctx.out`; its value is returned. None where it has other arguments than the function
    that the name stands for."""
    if len(arguments) != block.arguments:
        return None
    sides = {i: side_of(ctx, arguments[i], nodes[i]) for i in block.pointers}
    length = _length(ctx, block, sides, arguments, node)
    walk = walk_of(ctx, block, node, sides, length)
    for argument, written in zip(arguments, nodes, strict=True):
        evaluate_parts(ctx, argument, written)
    if block.writes is None:
        repeat(ctx, walk, lambda k: [_compared(ctx, walk, k)])
    else:
        _fill(ctx, walk, arguments)
    return _result(ctx, name, walk, arguments, length)


def side_of(ctx: Context, pointer: Typed, node: c_ast.Node) -> Side:
    text = c_text(node)
    address = pointer.value
    if not isinstance(address, Address):
        target = pointer.type.target if isinstance(pointer.type, Pointer) else Unknown("?")
        address = ctx.start_of(ir.Anything(text, ctx.key()), (), target)
    if isinstance(address.target, Array) and not address.subscripts:  # `&buffer` leads to the elements of buffer
        decayed = memory.decay(ctx, memory.Memory(address, address.target)).value
        assert isinstance(decayed, Address)
        address = decayed
    return Side(address, text_behind(node))


def text_behind(argument: c_ast.Node) -> str:
    """How what a function touches behind an argument is written (`memory.access_text` reads it): `(row[i])[...]`."""
    text = c_text(argument)
    return f"{text if text.isidentifier() else f'({text})'}[...]"


def _length(
    ctx: Context, block: Block, sides: Mapping[int, Side], arguments: list[Typed], node: c_ast.Node
) -> IntegerValue | None:
    """Bytes, from an argument or to the end of a string; None: until two strings differ, or the like."""
    size_type = arithmetic.integer(ctx.unit.abi, "unsigned long")
    if block.length is not None:
        value = convert(ctx, arguments[block.length], size_type, node).value
        return value if isinstance(value, IntegerValue) else None
    if block.stops:
        return None
    argument = node.args.exprs[block.reads[0]]
    letters = letters_of(argument.value) if isinstance(argument, c_ast.Constant) else None
    if letters is not None:
        return IntegerValue(number(letters + 1))
    start = sides[block.reads[0]].address
    string = memory.access_of(ctx, memory.Memory(start, _byte(unqualified(start.target))), node)
    text = f"strlen({c_text(argument)})"
    end = ctx.loaded(replace(string, size=WHOLE_STRING, text=text), size_type)
    return IntegerValue(end.poly + 1)


def evaluate_parts(ctx: Context, argument: Typed, node: c_ast.Node) -> None:
    """What is evaluated once, before the walk: the parts of an address, a length."""
    expression = argument.expression
    is_pointer = isinstance(argument.type, Pointer) or arithmetic.is_pointer_like(argument.type)
    for part in memory.address_parts(expression) if is_pointer else (expression,):
        if not isinstance(part, ir.Literal | ir.Address):
            ctx.out.append(ir.Evaluate(part, ctx.place(node), c_text(node), addressing=True))


# --- units


def walk_of(
    ctx: Context, block: Block, node: c_ast.Node, sides: Mapping[int, Side], length: IntegerValue | None
) -> Walk:
    bytes_ = None if length is None else length.poly
    wraps = () if length is None else length.wraps
    targets = {i: unqualified(side.address.target) for i, side in sides.items()}
    whole = _whole(ctx, block, targets, bytes_)
    if whole is not None:
        types, size = whole
        assert bytes_ is not None
        count = bytes_.divided_by(size)
    else:
        types, size, count = {i: _byte(t) for i, t in targets.items()}, 1, bytes_
    if ctx.in_test:  # how often it walks in all is not a product of two numbers of iterations
        count = None
    return Walk(block, node, sides, types, size, count, not block.stops, wraps)


def _whole(
    ctx: Context, block: Block, targets: Mapping[int, CType], length: Poly | None
) -> tuple[dict[int, CType], int] | None:
    """Units larger than bytes: types by argument, and the size."""
    if length is None or block.stops:
        return None
    sizes = [0 if (size := ctx.size_of(t)) is None else size.constant or 0 for t in targets.values()]
    if len(set(targets.values())) == 1 and sizes[0] and length.divided_by(sizes[0]) is not None:
        return dict(targets), sizes[0]
    if length.constant and length.constant in sizes:
        return dict.fromkeys(targets, Unknown(BYTES, length.constant)), length.constant
    return None


def _byte(type_: CType) -> CType:
    return type_ if isinstance(type_, Integer) and type_.size == 1 else Unknown(BYTES, 1)


# --- the walk


def repeat(ctx: Context, walk: Walk, make: Callable[[Poly], list[ir.Statement]], exact: bool = True) -> None:
    """The statements once, or in a loop over the units."""
    if walk.count is not None and walk.count.constant == 1:
        ctx.out += make(number(0))
        return
    key = ctx.key()
    counter = program(key, f"k{key}", ir.Counter(key), 0, None)
    place = ctx.place(walk.node)
    loop = ir.Loop(
        key=key,
        counter=counter,
        kind="for",
        place=place,
        end_line=place.line,
        trip=None if walk.count is None else (ir.Ratio(walk.count),),
        exact_trip=walk.exact and exact and walk.count is not None,
        variable=None,
        first=None,
        last=None,
        step=None,
        body=tuple(make(symbol(counter))),
        wraps=walk.wraps,
        inlined=True,
    )
    ctx.out.append(loop)


def access_of(ctx: Context, walk: Walk, side: int, k: Poly) -> ir.Access:
    """The k-th unit of one side."""
    found, type_ = walk.sides[side], walk.types[side]
    address = found.address
    if type_ != unqualified(address.target):
        address = values.retyped(address, type_, number(walk.size), ctx.size_of(address.target))
    moved = values.moved(address, IntegerValue(k), number(walk.size))
    assert moved is not None
    access = memory.access_of(ctx, memory.Memory(moved, type_), walk.node)
    return replace(access, text=found.text, volatile=False, atomic=False)


def read_of(ctx: Context, walk: Walk, side: int, k: Poly) -> ir.Expression:
    variable = walk.sides[side].scalar
    return ir.Load(access_of(ctx, walk, side, k)) if variable is None else ir.Use(variable, variable.type)


def _compared(ctx: Context, walk: Walk, k: Poly) -> ir.Statement:
    """One comparison per byte: of two sides, or with the byte looked for (the terminating one, too)."""
    reads = [read_of(ctx, walk, i, k) for i in walk.block.reads]
    other = reads[1] if len(reads) > 1 else ir.Literal(0, ctx.int_type)
    place = ctx.place(walk.node)
    return ir.Evaluate(ir.Operation("!=", ctx.int_type, (reads[0], other), place), place, c_text(walk.node))


def _fill(ctx: Context, walk: Walk, arguments: list[Typed]) -> None:
    """Copies, or sets. Where the two may overlap, all is read before anything is written."""
    block, place, text = walk.block, ctx.place(walk.node), c_text(walk.node)
    target, source = block.writes, block.reads[0] if block.reads else None
    assert target is not None
    variable = walk.sides[target].scalar
    part = variable is not None and not is_all_of(ctx, walk, variable)
    apart = source is not None and (block.overlaps or block.pads or part)

    def read(k: Poly) -> ir.Expression:
        if source is None:
            return _repeated_byte(walk, arguments[1] if block.arguments > 2 else None)
        return read_of(ctx, walk, source, k)

    if apart:
        repeat(ctx, walk, lambda k: [ir.Evaluate(read(k), place, text)], exact=not block.pads)
    if part:
        assert variable is not None
        before = ir.Use(variable, variable.type)
        ctx.out.append(ir.Assign(variable, ir.Opaque(NOTHING, variable.type, (before,)), place, text))
    else:
        unknown = ir.Opaque(NOTHING, walk.types[target])

        def store(k: Poly) -> list[ir.Statement]:
            place_written = variable or access_of(ctx, walk, target, k)
            return [ir.Assign(place_written, unknown if apart else read(k), place, text)]

        repeat(ctx, walk, store)
    forget_after(ctx, walk, target, variable)


def is_all_of(ctx: Context, walk: Walk, variable: ir.Variable) -> bool:
    """Whether the walk is one step over the whole variable."""
    once = walk.count is not None and walk.count.constant == 1
    return once and ctx.size_of(variable.type) == number(walk.size)


def _repeated_byte(walk: Walk, byte: Typed | None) -> ir.Expression:
    """What `memset` stores: known for a constant."""
    type_ = next(iter(walk.types.values()))
    known = 0 if byte is None else byte.value.poly.constant if isinstance(byte.value, IntegerValue) else None
    if known == 0:
        return ir.Literal(0.0 if isinstance(type_, Floating) else 0, type_)
    if known is not None and isinstance(type_, Integer):
        return ir.Literal(int.from_bytes(bytes([known % 256]) * walk.size, "big", signed=type_.signed), type_)
    return ir.Opaque(NOTHING, type_)


def forget_after(ctx: Context, walk: Walk, target: int, variable: ir.Variable | None) -> None:
    """What is known of memory and variables after the walk."""
    place = ctx.place(walk.node)
    if variable is not None:
        forget_scalar(ctx, variable, place.line)
        return
    forgetting.after_store(ctx, access_of(ctx, walk, target, number(0)))


def forget_scalar(ctx: Context, variable: ir.Variable, line: int, given: bool = False) -> None:
    """What is known of a variable that was set through its address; `given`: see `ir.Entry`."""
    ctx.values[variable.key] = ctx.initial(variable, line, given)
    if variable.scope in ("global", "static"):
        ctx.forget_memory()


# --- the value


def _result(
    ctx: Context, name: str, walk: Walk, arguments: list[Typed], length: IntegerValue | None
) -> Typed:
    place, text = ctx.place(walk.node), c_text(walk.node)
    match walk.block.result:
        case "nothing":
            return Typed(ir.Opaque(NOTHING, ctx.int_type), ctx.int_type)
        case "first":
            address = walk.sides[0].address
            return Typed(ir.Address(address.object, arguments[0].type), arguments[0].type, address)
        case "inside":
            found = ctx.computed(text, place, arithmetic.integer(ctx.unit.abi, "unsigned long"))
            address = walk.sides[0].address
            inside = values.moved(address, found, ctx.size_of(address.target))
            argument = ir.Address(address.object, arguments[0].type)
            type_ = arguments[0].type
            return Typed(ir.Call(name, (argument,), type_, place, (address.object,), True), type_, inside)
        case "length":
            type_ = arithmetic.integer(ctx.unit.abi, "unsigned long")
            known = ctx.computed(text, place, type_) if length is None or walk.block.stops else None
            value = known or IntegerValue(length.poly - 1 if length else number(0))
            return Typed(ir.Call(name, (), type_, place, (), True), type_, value)
        case "int":
            type_ = ctx.int_type
            return Typed(ir.Call(name, (), type_, place, (), True), type_, ctx.computed(text, place, type_))
