"""C expressions to IR expressions: one case per node of the syntax tree; what is not listed is `Opaque`."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TypeAlias

from msgspec.structs import replace
from pycparser import c_ast

from ..ir import arithmetic
from ..ir import nodes as ir
from ..ir.endings import ends_program
from ..ir.polynomials import number
from ..ir.reasons import ReasonCode
from ..source.ctypes import Array, Complex, CType, Floating, Function, Integer, Pointer, Record, Unknown, Void
from ..source.layout import size_of
from . import calls, memory, operators, own_arrays, own_members, parameters, statements, suppositions, syntax
from .c_text import c_text
from .context import Context, Typed
from .conversions import convert
from .errno import is_errno
from .memory import Memory, Target
from .status_variables import leaves_status
from .values import Address, IntegerValue

Node: TypeAlias = c_ast.Node
VALUES = (
    c_ast.ID,
    c_ast.Constant,
    c_ast.BinaryOp,
    c_ast.UnaryOp,
    c_ast.TernaryOp,
    c_ast.FuncCall,
    c_ast.Cast,
    c_ast.ArrayRef,
    c_ast.StructRef,
    c_ast.Compound,
)


def lower(ctx: Context, node: Node) -> Typed:
    """The value of an expression; its side effects go to `ctx.out` (post-increments: at the next sequence point)."""
    ctx.effort.steps += 1
    match node:
        case c_ast.Constant():
            return _constant(ctx, node)
        case c_ast.ID():
            return _identifier(ctx, node)
        case c_ast.ArrayRef() | c_ast.StructRef():
            return _read(ctx, node)
        case c_ast.UnaryOp():
            return _unary(ctx, node)
        case c_ast.BinaryOp(op="&&" | "||"):
            return operators.logical(ctx, node)
        case c_ast.BinaryOp(op="*") if "0" in (getattr(node.left, "value", ""), getattr(node.right, "value", "")):
            return _times_zero(ctx, node)
        case c_ast.BinaryOp():
            return operators.binary(ctx, node.op, lower(ctx, node.left), lower(ctx, node.right), node)
        case c_ast.Assignment():
            return assign(ctx, node)
        case c_ast.TernaryOp():
            return operators.conditional(ctx, node)
        case c_ast.FuncCall():
            return calls.call(ctx, node)
        case c_ast.Cast():
            return _cast(ctx, node)
        case c_ast.ExprList():
            return _comma(ctx, node)
        case c_ast.CompoundLiteral():
            return memory.read(ctx, target(ctx, node), node)
        case c_ast.InitList():
            return Typed(
                ir.Opaque("initialiser list", Void(), tuple(lower(ctx, e).expression for e in node.exprs)),
                Void(),
            )
        case c_ast.NamedInitializer():
            return lower(ctx, node.expr)
        case c_ast.Typename():
            return Typed(ir.Opaque(c_text(node), Void()), Void())
        case c_ast.Compound():
            return _statement_expression(ctx, node)
        case _:
            return _unlisted(ctx, node)


def _times_zero(ctx: Context, node: c_ast.BinaryOp) -> Typed:
    """`0 * (to - from)`, by which macros check that two pointers are of one type: it does not say that they lead into
    one object."""
    known = dict(ctx.ranges)
    product = operators.binary(ctx, node.op, lower(ctx, node.left), lower(ctx, node.right), node)
    ctx.ranges = known
    return product


def _unlisted(ctx: Context, node: Node) -> Typed:
    text = c_text(node)
    ctx.out.append(ir.Refused(ReasonCode.IRREGULAR_CONTROL_FLOW, f"`{text}` is not understood", ctx.place(node)))
    return Typed(ir.Opaque(text, Unknown("?")), Unknown("?"))


def _statement_expression(ctx: Context, node: c_ast.Compound) -> Typed:
    """GNU's `({ ...; value; })`: the last statement's value, kept in a temporary that outlives the block."""
    block = syntax.items(node)
    ctx.flush()
    with ctx.scope():
        for statement in block[:-1]:
            statements.lower(ctx, statement)
        last = block[-1] if block else None
        if last is None or not isinstance(last, VALUES):
            if last is not None:
                statements.lower(ctx, last)
            return Typed(ir.Opaque("void", Void()), Void())
        return kept(ctx, lower(ctx, last), node)


def _constant(ctx: Context, node: c_ast.Constant) -> Typed:
    value, type_ = ctx.literal(node)
    if value is None:
        place = ctx.place(node)
        assert isinstance(type_, Pointer)
        return Typed(ir.Address(ir.Text(place), type_), type_, ctx.start_of(ir.Text(place), (), type_.target))
    known = IntegerValue(number(value)) if isinstance(value, int) else None
    return Typed(ir.Literal(value, type_), type_, known)


def _identifier(ctx: Context, node: c_ast.ID) -> Typed:
    variable = ctx.lookup(node.name)
    if variable is None:
        if node.name in ctx.unit.constants:
            value = ctx.unit.constants[node.name]
            return Typed(ir.Literal(value, ctx.int_type), ctx.int_type, IntegerValue(number(value)))
        if _is_function(ctx, node.name):
            type_ = ctx.unit.prototypes.get(node.name, Function(ctx.int_type))
            return Typed(ir.Address(None, type_), type_)
        return memory.read(ctx, target(ctx, node), node)
    held = ctx.lasting_value(variable)
    if held is not None:
        return Typed(ir.Literal(held, variable.type), variable.type, IntegerValue(number(held)))
    return memory.read(ctx, target(ctx, node), node)


def _read(ctx: Context, node: c_ast.ArrayRef | c_ast.StructRef) -> Typed:
    """What is read from memory, or is an element of a vector (`((four)v)[0]`)."""
    match node:
        case c_ast.ArrayRef(name=c_ast.Cast(to_type=to) as vector, subscript=subscript) if (
            arithmetic.is_vector(ctx.unit.type_of(to))
        ):
            return operators.of_vectors(lower(ctx, vector), lower(ctx, subscript))
        case _:
            return memory.read(ctx, target(ctx, node), node)


def _is_function(ctx: Context, name: str) -> bool:
    hidden = name in ctx.unit.constants or ctx.lookup(name) is not None
    return not hidden and (name in ctx.unit.prototypes or ctx.defines(name))


def target(ctx: Context, node: Node) -> Target:
    """The lvalue that an expression names."""
    match node:
        case c_ast.ID(name=name):
            variable = ctx.lookup(name) or ctx.undeclared(name)
            if variable.scope in ("global", "static") and isinstance(variable.type, Array | Pointer):
                with ctx.collect():  # lengths of arrays that live as long as the program are constants (C11 6.7.6.2)
                    parameters.measure(ctx, variable.type)
            return memory.variable_target(variable)
        case c_ast.ArrayRef(name=name, subscript=subscript):
            return _element(ctx, node, name, subscript)
        case c_ast.StructRef(name=name, type="->", field=field):
            return memory.member(ctx, memory.dereference(ctx, lower(ctx, name), name), field.name, node)
        case c_ast.StructRef(name=name, field=field):
            return memory.member(ctx, target(ctx, name), field.name, node)
        case c_ast.UnaryOp(op="*", expr=inner):
            return memory.dereference(ctx, lower(ctx, inner), node)
        case c_ast.CompoundLiteral():
            return _compound_literal(ctx, node)
        case _:
            return _of_value(ctx, node)


def _of_value(ctx: Context, node: Node) -> Target:
    """A value used where an lvalue is wanted, such as a member of a returned struct: memory of its own."""
    typed = lower(ctx, node)
    temporary = ctx.temporary(typed.type, ctx.place(node))
    ctx.values[temporary.key] = typed.value
    ctx.out.append(ir.Evaluate(typed.expression, ctx.place(node), c_text(node)))
    return memory.variable_target(temporary)


def _element(ctx: Context, node: Node, name: Node, subscript: Node) -> Target:
    base = lower(ctx, name)
    with ctx.addressing():
        index = lower(ctx, subscript)
        if not arithmetic.is_pointer_like(base.type) and arithmetic.is_pointer_like(index.type):
            base, index = index, base
        pointer = operators.offset_pointer(ctx, _followed(ctx, base), index, node)
    return memory.dereference(ctx, pointer, node)


def _followed(ctx: Context, pointer: Typed) -> Typed:
    """A pointer of which nothing is known leads to what its variable may hold."""
    match pointer:
        case Typed(value=None, expression=ir.Use(variable=variable), type=Pointer(target=target)):
            held = ir.Anything(variable.name, ctx.key(), ir.Held(variable))
            return replace(pointer, value=ctx.start_of(held, (), target))
        case _:
            return pointer


def _compound_literal(ctx: Context, node: c_ast.CompoundLiteral) -> Target:
    type_ = ctx.unit.type_of(node.type)
    variable = ctx.temporary(type_, ctx.place(node))
    initialise(ctx, variable, node.init)
    return memory.variable_target(variable)


def initialise(ctx: Context, variable: ir.Variable, init: Node) -> None:
    """`type name = init`."""
    if isinstance(variable.type, Array | Record) and isinstance(init, c_ast.InitList | c_ast.Constant):
        ctx.initialised.add(variable.key)
        parts = tuple(_leaves(init)) if isinstance(init, c_ast.InitList) else ()
        listed: list[ir.Expression] = []
        given: dict[int, Typed] = {}
        for part in parts:
            typed = given[id(part)] = lower(ctx, part)
            listed.append(typed.expression)
            ctx.out.append(ir.Evaluate(typed.expression, ctx.place(init), c_text(part)))
            _note_pointer(ctx, variable, typed)
        if isinstance(init, c_ast.InitList) and parts == tuple(init.exprs):
            ctx.listed[variable] = tuple(listed)
        if isinstance(init, c_ast.InitList):
            own_members.initialised(ctx, variable, init, given)
            own_arrays.initialised(ctx, variable, init, given)
        return
    while isinstance(init, c_ast.InitList):
        if not init.exprs:
            return
        init = init.exprs[0]
    with _quiet(ctx, None, variable.name):
        typed = lower(ctx, init)
    destination = memory.variable_target(variable)
    name = c_ast.ID(variable.name, init.coord)
    if isinstance(destination, ir.Variable):
        converted = convert(ctx, typed, variable.type, c_ast.Assignment("=", name, init, init.coord))
        memory.keep(ctx, variable, converted.value, ctx.place(init).line)
        text = f"{variable.name} = {c_text(init)}"
        ctx.out.append(memory.assigned(destination, converted, ctx.place(init), text))
    else:
        memory.write(ctx, destination, typed, init, name)


def note_pointers(ctx: Context, variable: ir.Variable, init: Node) -> None:
    """Where the pointers in an initialiser lead, as far as that is not the value of the variable."""
    for part in _leaves(init):
        _note_pointer(ctx, variable, lower(ctx, part))


def _note_pointer(ctx: Context, variable: ir.Variable, typed: Typed) -> None:
    memory.note_address(ctx, typed.value)
    if not isinstance(typed.type, Integer | Floating | Complex | Function) and not ir.is_literal(typed.expression):
        leads = typed.value.object if isinstance(typed.value, Address) else None
        ctx.initial_pointers.append((variable, leads))


def _leaves(init: Node) -> Iterator[Node]:
    """The values in an initialiser, those in lists inside of it among them."""
    match init:
        case c_ast.InitList(exprs=parts):
            for part in parts:
                yield from _leaves(part)
        case c_ast.NamedInitializer(expr=inner):
            yield from _leaves(inner)
        case _:
            yield init


def assign(ctx: Context, node: c_ast.Assignment, discard: bool = False) -> Typed:
    """`a = b`, `a += b` ...; the value is kept in a temporary when it is used and `a` is in memory."""
    operator = node.op[:-1]
    if discard and calls.in_place(ctx, node):
        return Typed(ir.Opaque("void", Void()), Void())
    if discard and (suppositions.leaves_flag(ctx, node) or leaves_status(ctx, node)):
        outcome, text = lower(ctx, node.rvalue), f"{c_text(node.lvalue)} changes"
        ctx.out.append(operators.not_taken(outcome.expression, ctx.place(node), text))
        return Typed(ir.Opaque("void", Void()), Void())
    if discard and not operator and is_errno(ctx.unit, node.lvalue):
        return _unused(ctx, node.rvalue)
    if operator:
        destination = target(ctx, node.lvalue)
        old = memory.read(ctx, destination, node.lvalue)
        with _quiet(ctx, old.type, node.lvalue):
            typed = operators.binary(ctx, operator, old, lower(ctx, node.rvalue), node)
    else:
        with _quiet(ctx, None, node.lvalue):
            typed = lower(ctx, node.rvalue)
        destination = target(ctx, node.lvalue)
    if not discard and isinstance(destination, Memory):
        typed = kept(ctx, convert(ctx, typed, destination.type, node), node)
    result = memory.write(ctx, destination, typed, node, node.lvalue, operator)
    if isinstance(destination, ir.Variable) and not discard:
        return memory.read(ctx, destination, node.lvalue)
    return result


def _quiet(ctx: Context, type_: CType | None, name: Node | str) -> AbstractContextManager[None]:
    """Moving a pointer, and computing a variable that only serves subscripts, is address arithmetic."""
    name = name.name if isinstance(name, c_ast.ID) else name
    quiet = isinstance(type_, Pointer) or name in ctx.index_names
    return ctx.addressing() if quiet else nullcontext()


def kept(ctx: Context, typed: Typed, node: Node) -> Typed:
    """A value used twice is evaluated once, into a temporary."""
    if isinstance(typed.expression, ir.Literal | ir.Use):
        return typed
    temporary = ctx.temporary(typed.type, ctx.place(node))
    ctx.values[temporary.key] = typed.value
    ctx.out.append(ir.Assign(temporary, typed.expression, ctx.place(node), c_text(node)))
    poly = typed.value.poly if isinstance(typed.value, IntegerValue) else None
    return replace(typed, expression=ir.Use(temporary, typed.type, poly))


def sequenced(ctx: Context, condition: Typed, node: Node) -> Typed:
    """A condition before its own side effects: `v++ > m` compares what v was, whatever else is done with it then."""
    stepped = {s.target.key for s in ctx.deferred if isinstance(s, ir.Assign) and isinstance(s.target, ir.Variable)}
    expression = condition.expression
    if any(isinstance(e, ir.Use) and e.variable.key in stepped for e in ir.walk(expression)):
        temporary = ctx.temporary(condition.type, ctx.place(node))
        ctx.values[temporary.key] = condition.value
        ctx.out.append(ir.Assign(temporary, expression, ctx.place(node), c_text(node), selects=True))
        condition = replace(condition, expression=ir.Use(temporary, condition.type))
    ctx.flush()
    return condition


def _unary(ctx: Context, node: c_ast.UnaryOp) -> Typed:
    match node.op:
        case "&":
            return _address_of(ctx, node)
        case "*":
            return memory.read(ctx, target(ctx, node), node)
        case "++" | "--" | "p++" | "p--":
            return step(ctx, node)
        case "sizeof" | "_Alignof":
            return _size_of(ctx, node)
        case _:
            return operators.unary(ctx, node.op, lower(ctx, node.expr), node)


def _address_of(ctx: Context, node: c_ast.UnaryOp) -> Typed:
    if isinstance(node.expr, c_ast.ID) and _is_function(ctx, node.expr.name):
        return _identifier(ctx, node.expr)  # `&f` is `f` (C11 6.3.2.1p4)
    place = target(ctx, node.expr)
    size = ctx.unit.abi.sizes["pointer"]
    if isinstance(place, ir.Variable):
        pointer = Pointer(place.type, size)
        object_ = ir.Declared(place)
        return Typed(ir.Address(object_, pointer), pointer, Address(object_, (), place.type))
    pointer = Pointer(place.type, size)
    address = replace(place.address, target=place.type)
    return Typed(ir.Address(address.object, pointer, place.index), pointer, address)


def step(ctx: Context, node: c_ast.UnaryOp, discard: bool = False) -> Typed:
    """`++x`, `x++`, `--x`, `x--`. A used post-increment takes effect after the expression."""
    operator, post = node.op[-1], node.op[0] == "p" and not discard
    destination = target(ctx, node.expr)
    old = memory.read(ctx, destination, node.expr)
    one = Typed(ir.Literal(1, ctx.int_type), ctx.int_type, IntegerValue(number(1)))
    with _quiet(ctx, old.type, node.expr):
        new = operators.binary(ctx, operator, old, one, node)
    if isinstance(destination, Memory) and not discard:
        old, new = (kept(ctx, old, node), new) if post else (old, kept(ctx, new, node))
        if post:
            with _quiet(ctx, old.type, node.expr):
                new = operators.binary(ctx, operator, old, one, node)
    before = len(ctx.out)
    result = memory.write(ctx, destination, new, node, node.expr, operator)
    if post and isinstance(destination, ir.Variable):
        ctx.deferred.extend(ctx.out[before:])
        del ctx.out[before:]
        return old
    if post:
        return old
    return memory.read(ctx, destination, node.expr) if isinstance(destination, ir.Variable) else result


def _size_of(ctx: Context, node: c_ast.UnaryOp) -> Typed:
    type_ = arithmetic.integer(ctx.unit.abi, "unsigned long")
    known = ctx.unit.constant(node)
    if known is not None:
        return Typed(ir.Literal(known, type_), type_, IntegerValue(number(known)))
    if isinstance(node.expr, c_ast.Typename):
        measured = ctx.unit.type_of(node.expr)
        parameters.measure(ctx, measured, node.expr)
    else:
        measured = type_without_effects(ctx, node.expr)
        if isinstance(measured, Array) and size_of(measured, ctx.unit.layouts) is None:
            measured = _type_of_operand(ctx, node.expr)  # of an array of variable length it is evaluated
    size = ctx.size_of(measured)
    if size is None:
        return Typed(ir.Opaque(c_text(node), type_), type_, ctx.computed(c_text(node), ctx.place(node), type_))
    expression = ir.Literal(size.constant or 0, type_) if size.constant is not None else ir.Opaque(c_text(node), type_)
    return Typed(expression, type_, IntegerValue(size))


def type_without_effects(ctx: Context, node: Node) -> CType:
    """The type of an unevaluated operand: an array stays an array."""
    saved = dict(ctx.values)
    with ctx.collect():
        type_ = _type_of_operand(ctx, node)
    ctx.values = saved
    return type_


def _type_of_operand(ctx: Context, node: Node) -> CType:
    is_place = isinstance(node, c_ast.ID | c_ast.ArrayRef | c_ast.StructRef)
    if is_place or (isinstance(node, c_ast.UnaryOp) and node.op == "*"):
        return target(ctx, node).type
    return lower(ctx, node).type


def _bare_address(expression: ir.Expression) -> bool:
    """An address that nothing is evaluated for: thrown away, it does not escape."""
    return isinstance(expression, ir.Address) and not expression.index


def _cast(ctx: Context, node: c_ast.Cast) -> Typed:
    type_ = ctx.unit.type_of(node.to_type)
    parameters.measure(ctx, type_, node.to_type)
    typed = lower(ctx, node.expr)
    if isinstance(type_, Void):
        return Typed(typed.expression, type_)
    if isinstance(type_, Integer) and isinstance(typed.type, Floating):
        written = ir.Convert(type_, typed.expression, written=True)
        return replace(convert(ctx, typed, type_, node), expression=written)
    converted = convert(ctx, typed, type_, node)
    if isinstance(converted.expression, ir.Convert) and converted.expression is not typed.expression:
        return replace(converted, expression=replace(converted.expression, written=True))
    return converted


def _comma(ctx: Context, node: c_ast.ExprList) -> Typed:
    for part in node.exprs[:-1]:
        discard(ctx, part)
    return lower(ctx, node.exprs[-1])


def discard(ctx: Context, node: Node) -> None:
    """An expression as a statement: only its effects and its cost matter."""
    match node:
        case c_ast.Assignment():
            assign(ctx, node, discard=True)
        case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
            step(ctx, node, discard=True)
        case c_ast.ExprList():
            for part in node.exprs:
                discard(ctx, part)
        case c_ast.Cast(to_type=to_type, expr=inner) if isinstance(ctx.unit.type_of(to_type), Void):
            discard(ctx, inner)
        case c_ast.ID(name=name) if name in ctx.unit.constants and ctx.lookup(name) is None:
            pass
        case c_ast.ID(name=name) if ctx.lookup(name) is None:  # a macro of a missing header: not for its value
            discard(ctx, c_ast.FuncCall(node, None, node.coord))
        case _:
            ctx.unused = node
            _unused(ctx, node)
    ctx.flush()


def _unused(ctx: Context, node: Node) -> Typed:
    typed = lower(ctx, node)
    if typed.expression == ir.Opaque("void", Void()) and ends_program(ctx.out):  # of a function that never returns
        return typed
    if not isinstance(typed.expression, ir.Literal | ir.Use) and not _bare_address(typed.expression):
        ctx.out.append(ir.Evaluate(typed.expression, ctx.place(node), c_text(node)))
    return Typed(ir.Opaque("void", Void()), Void())
