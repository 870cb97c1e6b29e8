"""The value of constant expressions, in C's arithmetic: `~0u >> 1`, `sizeof(struct s)`, `FLAG | 2`."""

from collections.abc import Callable
from struct import pack, unpack
from typing import Protocol

from pycparser import c_ast

from .ctypes import CType, Integer, Layout, Pointer, Record
from .layout import alignment_of, size_of
from .literals import Number, character_constant, integer, integer_constant, wrap
from .unit import Abi


class Names(Protocol):
    """What constant expressions may refer to."""

    abi: Abi
    layouts: dict[str, Layout]

    def enumerator(self, name: str) -> int | None: ...
    def held(self, name: str) -> Number | None:
        """What a constant object holds, where such objects are constants."""
    def type_of(self, node: c_ast.Node) -> CType: ...
    def expression_type(self, node: c_ast.Node) -> CType | None: ...


_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "/": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "%": lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1),
}
_COMPARISON: dict[str, Callable[[int, int], bool]] = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


def promoted(type: Integer, abi: Abi) -> Integer:
    """Integer promotion: what is narrower than `int` becomes `int`."""
    return integer("int", abi) if type.size < abi.sizes["int"] else type


def common_type(left: Integer, right: Integer, abi: Abi) -> Integer:
    """C's usual arithmetic conversions for two integers."""
    left, right = promoted(left, abi), promoted(right, abi)
    if left.size != right.size:
        return left if left.size > right.size else right
    return left if not left.signed else right


def evaluate(node: c_ast.Node | None, names: Names) -> Number | None:
    """The value of a constant expression, or None if it is not one (as far as this evaluator follows)."""
    match node:
        case c_ast.Constant(value=text) if text.endswith("'"):
            return character_constant(text, names.abi)
        case c_ast.Constant(value=text):
            return integer_constant(text, names.abi)
        case c_ast.ID(name=name):
            if (held := names.held(name)) is not None:
                return held
            value = names.enumerator(name)
            return None if value is None else _enumerator(value, names.abi)
        case c_ast.UnaryOp():
            return _unary(node, names)
        case c_ast.BinaryOp():
            return _binary(node, names)
        case c_ast.Cast(to_type=to_type, expr=inner):
            return converted(names.type_of(to_type), inner, names)
        case c_ast.TernaryOp(cond=cond, iftrue=then, iffalse=otherwise):
            return _chosen(evaluate(cond, names), evaluate(then, names), evaluate(otherwise, names), names)
        case c_ast.FuncCall(name=c_ast.ID(name="offsetof" | "__builtin_offsetof"), args=args):
            return _offset_of(args.exprs[0], args.exprs[1], names)
        case _:
            return None


def _chosen(condition: Number | None, then: Number | None, otherwise: Number | None, names: Names) -> Number | None:
    """Of the type that both have in common (C11 6.5.15p5)."""
    chosen = None if condition is None else then if condition.value else otherwise
    if chosen is None or then is None or otherwise is None:
        return chosen
    type_ = common_type(then.type, otherwise.type, names.abi)
    return Number(wrap(chosen.value, type_), type_)


def _enumerator(value: int, abi: Abi) -> Number:
    name = "int" if wrap(value, integer("int", abi)) == value else "long"
    return Number(value, integer(name, abi))


def converted(target: CType, inner: c_ast.Node, names: Names) -> Number | None:
    """What a constant expression becomes in an object of a type. Example: of 300 in an `unsigned char`, 44."""
    if isinstance(inner, c_ast.Constant) and inner.type in ("double", "float") and isinstance(target, Integer):
        try:
            known = float(inner.value.rstrip("fFlL"))
            known = unpack("f", pack("f", known))[0] if inner.value[-1] in "fF" else known
            return Number(wrap(int(known != 0) if target.name == "_Bool" else int(known), target), target)
        except (ValueError, OverflowError):
            return None
    value = evaluate(inner, names)
    if value is None:
        return None
    match target:
        case Integer(name="_Bool"):
            return Number(int(value.value != 0), target)
        case Integer():
            return Number(wrap(value.value, target), target)
        case Pointer(size=size):
            address = Integer("unsigned long", size, False)
            return Number(wrap(value.value, address), address)
        case _:
            return None


def _unary(node: c_ast.UnaryOp, names: Names) -> Number | None:
    if node.op in ("sizeof", "_Alignof"):
        return _measure(node, names)
    operand = evaluate(node.expr, names)
    if operand is None:
        return None
    kind = promoted(operand.type, names.abi)
    match node.op:
        case "-":
            return Number(wrap(-operand.value, kind), kind)
        case "+":
            return Number(operand.value, kind)
        case "~":
            return Number(wrap(~operand.value, kind), kind)
        case "!":
            return Number(int(not operand.value), integer("int", names.abi))
        case _:
            return None


def _measure(node: c_ast.UnaryOp, names: Names) -> Number | None:
    typed = isinstance(node.expr, c_ast.Typename)
    measured = names.type_of(node.expr) if typed else names.expression_type(node.expr)
    if measured is None:
        return None
    if node.op == "_Alignof":
        size: int | None = alignment_of(measured, names.layouts, names.abi)
    else:
        size = size_of(measured, names.layouts)
    return None if size is None else Number(size, Integer("unsigned long", names.abi.sizes["pointer"], False))


def _binary(node: c_ast.BinaryOp, names: Names) -> Number | None:
    abi = names.abi
    left = evaluate(node.left, names)
    if left is None:
        return None
    int_type = integer("int", abi)
    if node.op in ("&&", "||") and bool(left.value) == (node.op == "||"):
        return Number(int(node.op == "||"), int_type)
    right = evaluate(node.right, names)
    if right is None:
        return None
    if node.op in ("&&", "||"):
        return Number(int(bool(right.value)), int_type)
    if node.op in ("<<", ">>"):
        return _shift(node.op, left, right.value, abi)
    kind = common_type(left.type, right.type, abi)
    a, b = wrap(left.value, kind), wrap(right.value, kind)
    if node.op in _COMPARISON:
        return Number(int(_COMPARISON[node.op](a, b)), int_type)
    if node.op in ("/", "%") and b == 0:
        return None
    return Number(wrap(_ARITHMETIC[node.op](a, b), kind), kind) if node.op in _ARITHMETIC else None


def _shift(operator: str, left: Number, count: int, abi: Abi) -> Number | None:
    kind = promoted(left.type, abi)
    if not 0 <= count < 8 * kind.size:
        return None
    return Number(wrap(left.value << count if operator == "<<" else left.value >> count, kind), kind)


def _offset_of(type_node: c_ast.Node, designator: c_ast.Node, names: Names) -> Number | None:
    offset = 0
    current: CType | None = names.type_of(type_node)
    for step in _steps(designator):
        if not isinstance(step, str) or not isinstance(current, Record) or current.key not in names.layouts:
            return None
        member = names.layouts[current.key].member(step)
        if member is None:
            return None
        offset, current = offset + member.offset, member.type
    return Number(offset, Integer("unsigned long", names.abi.sizes["pointer"], False))


def _steps(designator: c_ast.Node) -> list[str | None]:
    """The member names of `a.b.c`; None for a subscript, which this evaluator does not follow."""
    match designator:
        case c_ast.ID(name=name):
            return [name]
        case c_ast.StructRef(name=inner, field=field):
            return [*_steps(inner), field.name]
        case _:
            return [None]
