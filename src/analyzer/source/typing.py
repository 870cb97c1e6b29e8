"""Types of expressions, as far as `sizeof expr` and `typeof(expr)` need them."""

from typing import Protocol

from pycparser import c_ast

from .constants import common_type, promoted
from .ctypes import Array, Complex, CType, Floating, Function, Integer, Layout, Member, Pointer, Record
from .literals import character_constant, integer, integer_constant
from .unit import Abi


class Scope(Protocol):
    abi: Abi
    layouts: dict[str, Layout]

    def enumerator(self, name: str) -> int | None: ...
    def object_type(self, name: str) -> CType | None: ...
    def type_of(self, node: c_ast.Node) -> CType: ...
    def block_type(self, node: c_ast.Compound) -> CType | None: ...


def expression_type(node: c_ast.Node | None, scope: Scope) -> CType | None:
    """The C type of an expression; None where something in it is not known."""
    match node:
        case c_ast.ID(name=name):
            found = scope.object_type(name)
            return integer("int", scope.abi) if found is None and scope.enumerator(name) is not None else found
        case c_ast.Constant():
            return _constant_type(node, scope.abi)
        case c_ast.Cast(to_type=target) | c_ast.CompoundLiteral(type=target):
            return scope.type_of(target)
        case c_ast.ArrayRef(name=base):
            return _target(expression_type(base, scope))
        case c_ast.StructRef():
            member = member_of(node, scope)
            return None if member is None else member.type
        case c_ast.UnaryOp():
            return _unary_type(node, scope)
        case c_ast.BinaryOp():
            return _binary_type(node, scope)
        case c_ast.Assignment(lvalue=left):
            return expression_type(left, scope)
        case c_ast.TernaryOp(iftrue=then, iffalse=otherwise):
            return _joined(expression_type(then, scope), expression_type(otherwise, scope), scope.abi)
        case c_ast.FuncCall(name=called):
            return _result(expression_type(called, scope))
        case c_ast.ExprList(exprs=exprs) if exprs:
            return expression_type(exprs[-1], scope)
        case c_ast.Compound():
            return scope.block_type(node)
        case _:
            return None


def _constant_type(node: c_ast.Constant, abi: Abi) -> CType | None:
    match node.type:
        case "float" | "double" | "long double":
            return Floating(node.type, abi.sizes[node.type])
        case "string":
            return None if "\\" in node.value else Array(Integer("char", 1, abi.char_signed), len(node.value) - 1)
        case _ if node.value.endswith("'"):
            number = character_constant(node.value, abi)
        case _:
            number = integer_constant(node.value, abi)
    return None if number is None else number.type


def _target(type_: CType | None) -> CType | None:
    match type_:
        case Pointer(target=inner) | Array(element=inner):
            return inner
        case _:
            return None


def _result(type_: CType | None) -> CType | None:
    called = _target(type_) if isinstance(type_, Pointer) else type_
    return called.result if isinstance(called, Function) else None


def member_of(node: c_ast.StructRef, scope: Scope) -> Member | None:
    """The member of a structure that is named; None where that is not known."""
    base = expression_type(node.name, scope)
    record = _target(base) if node.type == "->" else base
    if not isinstance(record, Record) or record.key not in scope.layouts:
        return None
    return scope.layouts[record.key].member(node.field.name)


def _unary_type(node: c_ast.UnaryOp, scope: Scope) -> CType | None:
    abi = scope.abi
    if node.op in ("sizeof", "_Alignof"):
        return Integer("unsigned long", abi.sizes["pointer"], False)
    inner = expression_type(node.expr, scope)
    match node.op:
        case "*":
            return _target(inner)
        case "&":
            return None if inner is None else Pointer(inner, abi.sizes["pointer"])
        case "!":
            return integer("int", abi)
        case "+" | "-" | "~":
            return promoted(inner, abi) if isinstance(inner, Integer) else inner
        case _:
            return inner


def _binary_type(node: c_ast.BinaryOp, scope: Scope) -> CType | None:
    if node.op in ("<", ">", "<=", ">=", "==", "!=", "&&", "||"):
        return integer("int", scope.abi)
    left, right = expression_type(node.left, scope), expression_type(node.right, scope)
    if node.op in ("<<", ">>"):
        return promoted(left, scope.abi) if isinstance(left, Integer) else None
    if isinstance(left, Pointer | Array) and isinstance(right, Pointer | Array):
        return integer("long", scope.abi)
    return _joined(left, right, scope.abi)


def _joined(left: CType | None, right: CType | None, abi: Abi) -> CType | None:
    """The type of an operation on two values."""
    for pointer in (left, right):
        if isinstance(pointer, Array):
            return Pointer(pointer.element, abi.sizes["pointer"])
        if isinstance(pointer, Pointer):
            return pointer
    match left, right:
        case Integer(), Integer():
            return common_type(left, right, abi)
        case Floating(), Floating():
            return left if left.size >= right.size else right
        case (Complex(part=part), Floating() as other) | (Floating() as other, Complex(part=part)):
            return Complex(part if part.size >= other.size else other)
        case Complex(), Complex():
            return left if left.size >= right.size else right
        case (Floating() | Complex(), Integer()):
            return left
        case (Integer(), Floating() | Complex()):
            return right
        case Record(), Record():
            return left
        case _:
            return None
