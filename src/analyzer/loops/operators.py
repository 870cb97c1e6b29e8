"""Arithmetic, comparison, logical and conditional operators, with the values and predicates they yield."""

from msgspec.structs import replace
from pycparser import c_ast

from ..base.places import Place
from ..ir import arithmetic
from ..ir import nodes as ir
from ..ir.polynomials import number, symbol
from ..ir.reasons import AssumptionKind, ReasonCode
from ..ir.same import same
from ..source.ctypes import Array, CType, Floating, Integer, Pointer, Record, Unknown, Void
from ..source.rewrite import CONDITION_VALUE
from . import allocations, expressions, integers, memory, scaled_values, values
from . import pointer_distances as spans
from . import value_names as versions
from .address_arithmetic import COMPARISONS, quiet, settled
from .c_text import c_text
from .context import Context, End, Typed
from .conversions import convert
from .restrict_pointers import common
from .values import NULL, Address, Condition, IntegerValue, merge
from .wrapped_values import fits

UNKNOWN = Condition(ir.Data())
"""Nothing is known of it."""


def binary(ctx: Context, operator: str, left: Typed, right: Typed, node: c_ast.Node) -> Typed:
    """`left operator right` for every operator but `&&`, `||` and assignment."""
    if arithmetic.is_pointer_like(left.type) or arithmetic.is_pointer_like(right.type):
        return _pointer_arithmetic(ctx, operator, left, right, node)
    if arithmetic.is_vector(left.type) or arithmetic.is_vector(right.type):
        return of_vectors(left, right)
    if operator in COMPARISONS:
        return _comparison(ctx, operator, left, right, node)
    return _arithmetic(ctx, operator, left, right, node)


def of_vectors(*operands: Typed) -> Typed:
    """An operation on all elements of vectors at once, or what takes one of them: it only computes, but what that costs
    is not counted."""
    type_ = next(t.type for t in operands if arithmetic.is_vector(t.type))
    return Typed(ir.Opaque("vector arithmetic", type_, tuple(t.expression for t in operands)), type_)


def _arithmetic(ctx: Context, operator: str, left: Typed, right: Typed, node: c_ast.Node) -> Typed:
    place = ctx.place(node)
    if operator in ("<<", ">>"):
        type_ = arithmetic.promote(ctx.unit.abi, left.type)
        left = convert(ctx, left, type_, node)
        right = convert(ctx, right, arithmetic.promote(ctx.unit.abi, right.type), node)
    else:
        type_ = _balanced(ctx, left, right)
        left, right = convert(ctx, left, type_, node), convert(ctx, right, type_, node)
    if isinstance(type_, Record) or (isinstance(type_, Unknown) and not type_.opaque):
        message = f"arithmetic on `{getattr(type_, 'name', 'a struct')}` is not followed"
        ctx.out.append(ir.Refused(ReasonCode.UNPARSED, message, place))
    address = ctx.depth_of_address > 0
    expression = ir.Operation(operator, type_, (left.expression, right.expression), place, address)
    if not isinstance(type_, Integer):
        return Typed(expression, type_, real=scaled_values.combined(operator, left, right, type_))
    if isinstance(left.value, IntegerValue) and isinstance(right.value, IntegerValue):
        value = integers.combine(ctx, operator, left.value, right.value, type_, node)
    else:
        value = ctx.computed(c_text(node), place, type_)
    return Typed(expression, type_, value, within=_within(operator, left, right))


def _within(operator: str, left: Typed, right: Typed) -> tuple[Address, ...]:
    """The pointers that a place in memory, as a number, is made of; none of a remainder, or of `a ^ b`."""
    if operator not in ("+", "-", "&", "|", "<<", ">>"):
        return ()
    return tuple(dict.fromkeys((*left.within, *right.within)))


def _balanced(ctx: Context, left: Typed, right: Typed) -> CType:
    """The type in which two operands meet."""
    return _opaque(ctx, left.type, right.type) or arithmetic.usual(ctx.unit.abi, left.type, right.type)


def _opaque(ctx: Context, *types: CType) -> CType | None:
    """A type among these that nothing declares: data of it may be of any arithmetic type. In subscripts and loop
    control such a type stands for an integer."""
    known = (t for t in types if isinstance(t, Unknown) and t.opaque and not ctx.depth_of_address)
    return next(known, None)


def _comparison(ctx: Context, operator: str, left: Typed, right: Typed, node: c_ast.Node) -> Typed:
    place = ctx.place(node)
    type_ = _balanced(ctx, left, right)
    left, right = convert(ctx, left, type_, node), convert(ctx, right, type_, node)
    predicate: ir.Predicate = ir.Data()
    wraps: tuple[ir.Wrap, ...] = ()
    if isinstance(left.value, IntegerValue) and isinstance(right.value, IntegerValue):
        predicate = compare(operator, left.value, right.value)
        if ctx.in_test and operator in ("==", "!="):
            predicate = modulo(predicate, type_)
        wraps = merge(left.value.wraps, right.value.wraps)
    expression = ir.Operation(operator, type_, (left.expression, right.expression), place, ctx.depth_of_address > 0)
    value = _truth_value(predicate, wraps)
    return Typed(settled(expression), ctx.int_type, value, predicate, wraps, compared=(left, right))


def _truth_value(predicate: ir.Predicate, wraps: tuple[ir.Wrap, ...]) -> IntegerValue | None:
    """0 or 1 when the comparison is decided at analysis time; not where something in it may wrap (`n + 1 < n`)."""
    if wraps or not isinstance(predicate, ir.Compare) or predicate.value.constant is None:
        return None
    value = predicate.value.constant
    holds = {">=": value >= 0, "==": value == 0, "!=": value != 0}[predicate.relation]
    return IntegerValue(number(int(holds)))


def modulo(predicate: ir.Predicate, type_: CType) -> ir.Predicate:
    """An equality of two values of this type, which is one modulo 2^w where the type is unsigned."""
    if not isinstance(predicate, ir.Compare) or not isinstance(type_, Integer) or type_.signed:
        return predicate
    return replace(predicate, modulus=1 << 8 * type_.size)


def compare(operator: str, left: IntegerValue, right: IntegerValue) -> ir.Predicate:
    """The comparison as a polynomial against zero."""
    difference = left.poly - right.poly
    match operator:
        case "<":
            return ir.Compare(-difference - 1, ">=")
        case "<=":
            return ir.Compare(-difference, ">=")
        case ">":
            return ir.Compare(difference - 1, ">=")
        case ">=":
            return ir.Compare(difference, ">=")
        case "==":
            return ir.Compare(difference, "==")
        case _:
            return ir.Compare(difference, "!=")


def unary(ctx: Context, operator: str, operand: Typed, node: c_ast.Node) -> Typed:
    """`-x`, `+x`, `~x`, `!x`."""
    if arithmetic.is_vector(operand.type):
        return of_vectors(operand)
    place = ctx.place(node)
    address = ctx.depth_of_address > 0
    if operator == "!":
        predicate, wraps = truth(operand)
        denied = ir.Operation("!", operand.type, (operand.expression,), place, address)
        negated = ir.negate(predicate)
        return Typed(denied, ctx.int_type, _truth_value(negated, wraps), negated, wraps)
    type_ = _opaque(ctx, operand.type) or arithmetic.promote(ctx.unit.abi, operand.type)
    operand = convert(ctx, operand, type_, node)
    if operator == "+":
        return operand
    if isinstance(operand.expression, ir.Literal) and operator == "-":
        expression: ir.Expression = ir.Literal(-operand.expression.value, type_)
    else:
        expression = ir.Operation("neg" if operator == "-" else operator, type_, (operand.expression,), place, address)
    if not isinstance(type_, Integer):
        return Typed(expression, type_)
    if not isinstance(operand.value, IntegerValue) or operator not in ("-", "~"):
        return Typed(expression, type_, ctx.computed(c_text(node), place, type_))
    poly = -operand.value.poly if operator == "-" else -operand.value.poly - 1
    value = IntegerValue(poly, operand.value.wraps)
    return Typed(expression, type_, value if type_.signed else fits(value, type_, c_text(node), place))


def truth(typed: Typed) -> tuple[ir.Predicate, tuple[ir.Wrap, ...]]:
    """What is known of `typed != 0`, and under which conditions."""
    if typed.predicate is not None:
        return typed.predicate, typed.wraps
    if isinstance(typed.value, IntegerValue):
        kept = typed.value.truth
        return (kept.predicate, ()) if kept is not None else (ir.Compare(typed.value.poly, "!="), typed.value.wraps)
    return ir.Data(), ()


# --- pointers

def offset_pointer(ctx: Context, base: Typed, index: Typed, node: c_ast.Node) -> Typed:
    """`base + index` for a pointer or array `base`."""
    target: CType = Unknown("?")
    if isinstance(base.type, Pointer):
        target = base.type.target
    elif isinstance(base.type, Array):
        target = base.type.element
    type_ = Pointer(target, ctx.unit.abi.sizes["pointer"])
    index = convert(ctx, index, arithmetic.promote(ctx.unit.abi, index.type), node)
    value: Address | None = None
    if isinstance(base.value, Address) and isinstance(index.value, IntegerValue):
        size = number(1) if isinstance(target, Void) else ctx.size_of(target)
        value = values.moved(base.value, index.value, size)
    object_ = value.object if value is not None else None
    parts = (*memory.address_parts(base.expression), quiet(index.expression))
    kept = tuple(p for p in parts if not isinstance(p, ir.Literal))
    return Typed(ir.Address(object_, type_, kept), type_, value)


def _pointer_arithmetic(ctx: Context, operator: str, left: Typed, right: Typed, node: c_ast.Node) -> Typed:
    both = arithmetic.is_pointer_like(left.type) and arithmetic.is_pointer_like(right.type)
    if operator in COMPARISONS:
        return _pointer_comparison(ctx, operator, left, right, node)
    if operator == "-" and both:
        place, type_ = ctx.place(node), arithmetic.integer(ctx.unit.abi, "long")
        expression = ir.Operation("-", type_, (left.expression, right.expression), place, True)
        found = _distance(left, right) or _apart(ctx, left, right)
        return Typed(expression, type_, found or ctx.computed(c_text(node), place, type_))
    if operator in ("+", "-") and not both:
        pointer, count = (left, right) if arithmetic.is_pointer_like(left.type) else (right, left)
        if operator == "-":
            count = unary(ctx, "-", count, node) if isinstance(count.type, Integer) else count
        return offset_pointer(ctx, pointer, count, node)
    return Typed(ir.Opaque(c_text(node), left.type, (left.expression, right.expression)), left.type)


def _distance(left: Typed, right: Typed) -> IntegerValue | None:
    if not isinstance(left.value, Address) or not isinstance(right.value, Address):
        return None
    distance = values.displacement(left.value, right.value)
    return None if distance is None else IntegerValue(distance, merge(left.value.wraps, right.value.wraps))


def _apart(ctx: Context, left: Typed, right: Typed, forwards: bool = False) -> IntegerValue | None:
    """`left - right` of two pointers that came from outside and lead into one object, or else C does not say what this
    means (C11 6.5.6p9, 6.5.8p5): `q - p` elements lie between the two as they came, a size like any other.
    `forwards`: `right` is meant to be the larger one."""
    a, b = left.value, right.value
    if not isinstance(a, Address) or not isinstance(b, Address):
        return None
    first, second = _end(a), _end(b)
    if first is None or second is None:
        return None
    x, y = a.subscripts[-1], b.subscripts[-1]
    if x.stride is None or x.stride != y.stride:
        return None
    between = -spans.between(ctx, first, second, x.stride) if forwards else spans.between(ctx, second, first, x.stride)
    return IntegerValue(x.index - y.index + between, merge(a.wraps, b.wraps))


def _end(pointer: Address) -> End | None:
    """The pointer that this one was moved from: a parameter or global, or one that was read from memory."""
    plain = not (pointer.field or pointer.offset or pointer.tail) and bool(pointer.subscripts)
    rows = pointer.subscripts[:-1]
    if not plain or pointer.subscripts[-1].row_pointer or not all(s.row_pointer for s in rows):
        return None
    known = isinstance(pointer.object, ir.Rows) if rows else isinstance(pointer.object, ir.Pointee)
    return (pointer.object, rows) if known else None


def _pointer_comparison(ctx: Context, operator: str, left: Typed, right: Typed, node: c_ast.Node) -> Typed:
    expression = ir.Operation(
        operator,
        arithmetic.integer(ctx.unit.abi, "long"),
        (left.expression, right.expression),
        ctx.place(node),
        True,
    )
    distance = _distance(left, right)
    if distance is None and (operator not in ("==", "!=") or ctx.in_test):
        distance = _apart(ctx, left, right, forwards=operator not in (">", ">="))
    if distance is None:
        return Typed(expression, ctx.int_type, None, ir.Data())
    predicate = compare(operator, distance, IntegerValue(number(0)))
    return Typed(expression, ctx.int_type, _truth_value(predicate, distance.wraps), predicate, distance.wraps)


# --- && || ?:

def logical(ctx: Context, node: c_ast.BinaryOp) -> Typed:
    """`a && b`, `a || b`: the right side is evaluated only when the left does not decide."""
    left = expressions.sequenced(ctx, expressions.lower(ctx, node.left), node.left)
    if _decides(left, node.op):
        known = int(node.op == "||")
        return Typed(ir.Literal(known, ctx.int_type), ctx.int_type, IntegerValue(number(known)))
    saved = dict(ctx.values)
    with ctx.collect() as effects:
        right = expressions.lower(ctx, node.right)
    (p, wp), (q, wq) = truth(left), truth(right)
    joined: ir.Predicate = ir.All((p, q)) if node.op == "&&" else ir.Any((p, q))
    wraps = merge(wp, wq)
    place = ctx.place(node)
    zero, one = ir.Literal(0, ctx.int_type), ir.Literal(1, ctx.int_type)
    if effects:
        guard = p if node.op == "&&" else ir.negate(p)
        return _with_effects(
            ctx,
            node,
            left,
            (guard, wp),
            effects,
            right,
            saved,
            Typed(zero, ctx.int_type, None, joined, wraps),
        )
    then, otherwise = (right.expression, zero) if node.op == "&&" else (one, right.expression)
    asked = p if not wp else ir.Data()
    expression = ir.Choice(node.op, left.expression, asked, then, otherwise, ctx.int_type, place)
    return Typed(expression, ctx.int_type, None, joined, wraps)


def decided(condition: Typed) -> int | None:
    """The number that a condition is, whatever happens; None where that is not known, or only if nothing wraps."""
    value = condition.value
    return value.poly.constant if isinstance(value, IntegerValue) and not value.wraps else None


def _decides(left: Typed, operator: str) -> bool:
    """Whether the left side is a number that leaves nothing to ask."""
    known = decided(left)
    reads = any(isinstance(e, ir.Load | ir.Call) for e in ir.walk(left.expression))
    return known is not None and bool(known) == (operator == "||") and not reads


def _with_effects(
    ctx: Context,
    node: c_ast.BinaryOp,
    left: Typed,
    guard: tuple[ir.Predicate, tuple[ir.Wrap, ...]],
    effects: list[ir.Statement],
    right: Typed,
    before: dict[int, values.Value | None],
    result: Typed,
) -> Typed:
    """A right side with side effects becomes a branch that fills a temporary."""
    place, text = ctx.place(node), c_text(node)
    temporary = ctx.temporary(ctx.int_type, place)
    decided = ir.Assign(temporary, ir.Literal(int(node.op == "||"), ctx.int_type), place, text)
    filled = ir.Assign(temporary, right.expression, place, text)
    taken = (*effects, filled)
    then, otherwise = (taken, (decided,)) if node.op == "&&" else ((decided,), taken)
    predicate = ir.Data() if guard[1] else guard[0]
    if node.op == "||":
        predicate = ir.negate(predicate)
    ctx.out.append(ir.Branch(left.expression, predicate, then, otherwise, place, text))
    join(ctx, before, dict(ctx.values), place.line)
    return replace(result, expression=ir.Use(temporary, ctx.int_type))


def is_value_of_condition(arm: c_ast.Node) -> bool:
    """Whether an arm of `c ? a : b` stands for the condition itself: GNU's `c ?: b`."""
    return isinstance(arm, c_ast.ID) and arm.name == CONDITION_VALUE


def conditional(ctx: Context, node: c_ast.TernaryOp) -> Typed:
    """`c ? a : b`, and GNU's `c ?: b`, where the condition is evaluated once and is also the value."""
    if ctx.supposing and (taken := _beside_an_error(ctx, node)) is not None:
        return taken
    evaluated = len(ctx.out), len(ctx.deferred)
    condition = expressions.lower(ctx, node.cond)
    compared = condition.compared if (len(ctx.out), len(ctx.deferred)) == evaluated else ()
    once = is_value_of_condition(node.iftrue)
    if once:
        condition = expressions.kept(ctx, condition, node.cond)
    condition = expressions.sequenced(ctx, condition, node.cond)
    predicate, wraps = truth(condition)
    known = ir.Data() if wraps else predicate
    before = dict(ctx.values)
    with ctx.collect() as then_effects:
        then = condition if once else expressions.lower(ctx, node.iftrue)
    after_then, ctx.values = ctx.values, dict(before)
    with ctx.collect() as else_effects:
        otherwise = expressions.lower(ctx, node.iffalse)
    join(ctx, after_then, ctx.values, ctx.place(node).line)
    type_ = _common(ctx, then, otherwise)
    place, text = ctx.place(node), c_text(node)
    then = convert(ctx, _as_compared(then, () if then_effects else compared), type_, node)
    otherwise = convert(ctx, _as_compared(otherwise, () if else_effects else compared), type_, node)
    tested = Condition.of(condition.expression, predicate, wraps)
    then, otherwise = allocations.as_one(then, otherwise)
    value = merged(ctx, then.value, otherwise.value, type_, text, node, condition=tested)
    if then_effects or else_effects:
        temporary = ctx.temporary(type_, place)
        arms = (
            (*then_effects, ir.Assign(temporary, then.expression, place, text)),
            (*else_effects, ir.Assign(temporary, otherwise.expression, place, text)),
        )
        ctx.out.append(ir.Branch(condition.expression, known, *arms, place, text))
        ctx.values[temporary.key] = value
        return Typed(ir.Use(temporary, type_), type_, value)
    expression = ir.Choice("?:", condition.expression, known, then.expression, otherwise.expression, type_, place)
    return Typed(expression, type_, value, real=scaled_values.chosen(tested, then, otherwise, type_))


def _as_compared(arm: Typed, compared: tuple[Typed, ...]) -> Typed:
    """An arm that is written as what the condition compares has the value that it has there, followed or not:
    `(int)x < n ? (int)x : n`."""
    for operand in compared:
        known = isinstance(operand.value, IntegerValue) and isinstance(arm.value, IntegerValue)
        if known and operand.type == arm.type and same(operand.expression, arm.expression):
            return replace(arm, value=operand.value)
    return arm


def not_taken(
    condition: ir.Expression, place: Place, text: str, supposed: AssumptionKind = AssumptionKind.COLD
) -> ir.Branch:
    """A branch that is supposed not to be taken."""
    return ir.Branch(condition, ir.Data(), (), (), place, text, supposed)


def _beside_an_error(ctx: Context, node: c_ast.TernaryOp) -> Typed | None:
    """The value of the arm beside one that is supposed not to be taken: `ok ? (void) 0 : fail("not ok")`."""
    from .suppositions import not_taken as supposed_not_taken

    error = supposed_not_taken(ctx, node)
    if error is None or is_value_of_condition(node.iftrue):
        return None
    condition = expressions.sequenced(ctx, expressions.lower(ctx, node.cond), node.cond)
    ctx.out.append(not_taken(condition.expression, ctx.place(node), c_text(node.cond)))
    return expressions.lower(ctx, node.iffalse if error.arm is node.iftrue else node.iftrue)


def _common(ctx: Context, then: Typed, otherwise: Typed) -> CType:
    if isinstance(then.type, Integer | Floating) and isinstance(otherwise.type, Integer | Floating):
        return arithmetic.usual(ctx.unit.abi, then.type, otherwise.type)
    return otherwise.type if isinstance(then.type, Integer) else then.type


def merged(
    ctx: Context,
    a: values.Value | None,
    b: values.Value | None,
    type_: CType,
    name: str,
    node: c_ast.Node | None = None,
    line: int = 0,
    condition: Condition = UNKNOWN,
    held: ir.Held | None = None,
) -> values.Value | None:
    """What is known of a value that is `a` where the condition holds, else `b`. `held`: as the value of a variable."""
    if a == b:
        return a
    place = ctx.place(node) if node is not None else replace(ctx.definition.place, line=line)
    if isinstance(a, Address) and isinstance(b, Address) and values.displacement(a, b) is not None and a.subscripts:
        x, y = (IntegerValue(each.subscripts[-1].index, each.wraps) for each in (a, b))
        index = integers.selected(ctx, condition, x, y, name, place, arithmetic.integer(ctx.unit.abi, "long"))
        last = replace(a.subscripts[-1], index=index.poly)
        subscripts, wraps = (*a.subscripts[:-1], last), merge(a.wraps, b.wraps)
        return replace(a, subscripts=subscripts, wraps=wraps, restricted=common(a, b))
    known = a if isinstance(a, Address) else b
    if isinstance(known, Address) and isinstance(known.object, ir.Allocated) and NULL in (a, b):
        return known  # whatever is accessed is that memory
    if isinstance(known, Address) and not isinstance(type_, Integer):  # the other may be null or anything: one pointer
        return ctx.start_of(ir.Anything(name, ctx.key(), held), (), known.target)
    if isinstance(type_, Integer):
        if isinstance(a, IntegerValue) and isinstance(b, IntegerValue):
            return integers.selected(ctx, condition, a, b, name, place, type_)
        return ctx.computed(name, place, type_)
    return None


def join(
    ctx: Context,
    a: dict[int, values.Value | None],
    b: dict[int, values.Value | None],
    line: int,
    condition: Condition = UNKNOWN,
) -> None:
    """After two branches, the first taken where `condition` holds: what both know of a variable stays known, the rest
    becomes a value of its own."""
    result = dict(b)
    changed = values.differing(a, b)
    temporaries = [ctx.temporaries[k] for k in {**a, **b} if k in changed and k in ctx.temporaries] if changed else []
    for variable in (*ctx.visible(), *temporaries) if changed else ():
        if variable.key in changed:
            x, y = ctx.known(variable, a), ctx.known(variable, b)
            result[variable.key] = _merged_in(ctx, variable, x, y, line, condition) if x != y else x
    for key in changed & ctx.member_keys:
        if a.get(key) != b.get(key):
            result.pop(key, None)
    ctx.values = result


def _merged_in(
    ctx: Context,
    variable: ir.Variable,
    x: values.Value | None,
    y: values.Value | None,
    line: int,
    condition: Condition,
) -> values.Value | None:
    """What a variable holds that is x where the condition holds, else y, by the name of the variable. A pointer
    that only one of two branches has set is not read behind the other one (C11 6.3.2.1p2)."""
    unset = ctx.unset.get(variable.key)
    if isinstance(variable.type, Pointer) and unset is not None and unset in (x, y):
        return y if x == unset else x
    value = merged(ctx, x, y, variable.type, variable.name, None, line, condition, ctx.held_by(variable))
    made = value.poly.symbols if isinstance(value, IntegerValue) and variable.key not in ctx.temporaries else ()
    if not isinstance(value, IntegerValue) or len(made) != 1:
        return value
    (s,) = made
    name = versions.merged_as(ctx, variable, line, (x, y), s.number)
    origin = replace(s.origin, reason=name) if isinstance(s.origin, ir.Computed) else s.origin
    return replace(value, poly=symbol(replace(s, name=name, origin=origin)))
