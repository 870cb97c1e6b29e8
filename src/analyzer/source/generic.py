"""Generic selections (C11 6.5.1.1): the expression that the type of another one selects.

*Decides*: which association of `_Generic` has the type of the controlling expression, as it is when its value is taken:
without qualifiers, arrays and functions as pointers.
*Errs toward* none, where a type is not known, or not to the last qualifier: enumerations, bit-fields, parts of a
structure as arrays or by their addresses (it may be `const`), `?:`, operations on integers that are longer than `int`,
arrays without a length and functions without a prototype, which are compatible with others.

    float *x;  _Generic(x, float *: f, double *: g)(x)      ->  f(x)
    _Generic(1 / 2, double: f, default: g)                  ->  g

Where all associations are one expression, but for a conversion to a pointer to `const`, the type does not matter: the
C library of C23 declares `strchr`, `memchr`, `bsearch` and their like so.
"""

from msgspec.structs import replace
from pycparser import c_ast

from .ctypes import Array, Complex, CType, Floating, Function, Integer, Pointer, Record, Unknown, Void, unqualified
from .nodes import alike
from .typing import Scope, expression_type, member_of


def selected(node: c_ast.GenericSelection, scope: Scope) -> c_ast.Node | None:
    """The expression that is evaluated; None where it cannot be told. Example: see the module."""
    wanted = _value_type(node.expr, scope)
    types = [(None if a.type is None else scope.type_of(a.type), a.expr) for a in node.associations]
    if not all(map(_is_certain, (wanted, *(type_ for type_, _ in types if type_ is not None)))):
        return _whatever_the_type([expression for _, expression in types], scope)
    otherwise = (expression for type_, expression in types if type_ is None)
    return next((expression for type_, expression in types if type_ == wanted), next(otherwise, None))


def _whatever_the_type(expressions: list[c_ast.Node], scope: Scope) -> c_ast.Node | None:
    """The expression that all of them are."""
    bare = [e.expr if isinstance(e, c_ast.Cast) else e for e in expressions]
    types = {_to_variable(expression_type(e, scope)) for e in expressions}
    is_one = len(types) == 1 and None not in types and all(alike(bare[0], e) for e in bare)
    return bare[0] if is_one else None


def _to_variable(type_: CType | None) -> Pointer | None:
    """A pointer as if it led to something that may be changed; None for anything else."""
    match type_:
        case Pointer(target=Void() as target):
            return replace(type_, target=replace(target, const=False))
        case Pointer(target=target):
            return replace(type_, target=unqualified(target))
        case _:
            return None


def _value_type(e: c_ast.Node, scope: Scope) -> CType:
    """The type of an expression after the conversion of an lvalue to its value (C11 6.3.2.1)."""
    found = expression_type(e, scope) if _is_plain(e, scope) else None
    match found:
        case Array(element=element):
            return Pointer(element, scope.abi.sizes["pointer"])
        case Function():
            return Pointer(found, scope.abi.sizes["pointer"])
        case Integer() | Floating():
            return replace(unqualified(found), atomic=False)
        case None:
            return Unknown("expression")
        case _:
            return unqualified(found)


def _is_plain(e: c_ast.Node, scope: Scope) -> bool:
    """Whether the type of an expression is known to the last qualifier."""
    match e:
        case c_ast.ID(name=name):  # no enumerator, which is no `int` where that is too small
            return scope.object_type(name) is not None
        case c_ast.Constant(value=text):
            return text[0] not in "LuU"
        case c_ast.Cast():
            return True
        case c_ast.FuncCall(name=c_ast.ID(name=name)):
            return not name.startswith("__")
        case c_ast.StructRef():
            member = member_of(e, scope)
            return member is not None and member.bit_width is None and not isinstance(member.type, Array)
        case c_ast.ArrayRef():
            return not isinstance(expression_type(e, scope), Array)
        case c_ast.UnaryOp(op="*", expr=inner):
            return not isinstance(expression_type(e, scope), Array | Function) and _is_plain(inner, scope)
        case c_ast.UnaryOp(op="&", expr=c_ast.ID() as inner):
            return _is_plain(inner, scope)
        case c_ast.UnaryOp(op="+" | "-", expr=inner):
            return _is_plain_operand(inner, scope)
        case c_ast.BinaryOp(op="+" | "-" | "*" | "/", left=left, right=right):
            return _is_plain_operand(left, scope) and _is_plain_operand(right, scope)
        case _:
            return False


def _is_plain_operand(e: c_ast.Node, scope: Scope) -> bool:
    """Whether it is floating, or an integer that `int` holds or that is `int` itself."""
    match expression_type(e, scope):
        case Floating():
            return _is_plain(e, scope)
        case Integer(name="char" | "signed char" | "unsigned char" | "short" | "unsigned short" | "int"):
            return _is_plain(e, scope)
        case _:
            return False


def chosen_in(parent: c_ast.Node, old: c_ast.Node, new: c_ast.Node) -> None:
    """Puts one node in the place of another one."""
    for name in parent.__slots__:
        match getattr(parent, name, None):
            case list() as listed:
                listed[:] = [new if each is old else each for each in listed]
            case value if value is old:
                setattr(parent, name, new)
            case _:
                pass


def _is_certain(type_: CType) -> bool:
    match type_:
        case Integer(name=name):
            return not name.startswith("enum ")
        case Pointer(target=target):
            return _is_certain(target)
        case Array(element=element, length=length):
            return isinstance(length, int) and _is_certain(element)
        case Function(result=result, parameters=parameters, variadic=variadic):
            return not (variadic and not parameters) and all(map(_is_certain, (result, *parameters)))
        case Floating() | Complex() | Record() | Void():
            return True
        case Unknown():
            return False
