"""Generic selections (C11 6.5.1.1): the expression that the type of another one selects.

*Decides*: which association of `_Generic` has the type of the controlling expression, as it is when its value is taken:
without qualifiers, arrays and functions as pointers.
*Errs toward* none, where a type is not known, or not to the last qualifier: enumerations, bit-fields, parts of a
structure as arrays or by their addresses (it may be `const`), `?:`, operations on integers that are longer than `int`,
arrays without a length and functions without a prototype, which are compatible with others.

    float *x;  _Generic(x, float *: f, double *: g)(x)      ->  f(x)
    _Generic(1 / 2, double: f, default: g)                  ->  g
"""

from collections.abc import Callable

from msgspec.structs import replace
from pycparser import c_ast

from .ctypes import Array, Complex, CType, Floating, Function, Integer, Pointer, Record, Unknown, Void

TypeOf = Callable[[c_ast.Node], CType | None]


def selected(
    node: c_ast.GenericSelection, type_of: TypeOf, is_bit_field: Callable[[c_ast.StructRef], bool], pointer_size: int
) -> c_ast.Node | None:
    """The expression that is evaluated; None where it cannot be told. `type_of`: of expressions and names of types.
    Example: see the module."""
    found = type_of(node.expr) if _is_plain(node.expr, type_of, is_bit_field) else None
    wanted = None if found is None else _value_type(found, pointer_size)
    types = [(None if a.type is None else type_of(a.type), a.type is None, a.expr) for a in node.associations]
    if not _is_certain(wanted) or not all(is_default or _is_certain(type_) for type_, is_default, _ in types):
        return None
    otherwise = (expression for _, is_default, expression in types if is_default)
    return next((expression for type_, _, expression in types if type_ == wanted), next(otherwise, None))


def _is_plain(e: c_ast.Node, type_of: TypeOf, is_bit_field: Callable[[c_ast.StructRef], bool]) -> bool:
    """Whether the type of an expression is known to the last qualifier."""
    match e:
        case c_ast.ID():
            return True
        case c_ast.Constant(value=text):
            return text[0] not in "LuU"
        case c_ast.Cast():
            return True
        case c_ast.FuncCall(name=c_ast.ID(name=name)):
            return not name.startswith("__")
        case c_ast.StructRef():
            return not isinstance(type_of(e), Array) and not is_bit_field(e)
        case c_ast.ArrayRef():
            return not isinstance(type_of(e), Array)
        case c_ast.UnaryOp(op="*", expr=inner):
            return not isinstance(type_of(e), Array | Function) and _is_plain(inner, type_of, is_bit_field)
        case c_ast.UnaryOp(op="&", expr=c_ast.ID()):
            return True
        case c_ast.UnaryOp(op="+" | "-", expr=inner):
            return _is_computed_plainly((inner,), type_of, is_bit_field)
        case c_ast.BinaryOp(op="+" | "-" | "*" | "/", left=left, right=right):
            return _is_computed_plainly((left, right), type_of, is_bit_field)
        case _:
            return False


def _is_computed_plainly(
    operands: tuple[c_ast.Node, ...], type_of: TypeOf, is_bit_field: Callable[[c_ast.StructRef], bool]
) -> bool:
    """Whether the operands are floating, or integers that `int` holds or that are `int` themselves."""
    for operand in operands:
        match type_of(operand):
            case Floating():
                pass
            case Integer(name="char" | "signed char" | "unsigned char" | "short" | "unsigned short" | "int"):
                pass
            case _:
                return False
        if not _is_plain(operand, type_of, is_bit_field):
            return False
    return True


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


def _value_type(type_: CType, pointer_size: int) -> CType:
    """After the conversion of an lvalue to its value (C11 6.3.2.1)."""
    match type_:
        case Array(element=element):
            return Pointer(element, pointer_size)
        case Function():
            return Pointer(type_, pointer_size)
        case Integer() | Floating():
            return replace(type_, volatile=False, atomic=False, const=False)
        case Pointer():
            return replace(type_, volatile=False, const=False, restrict=False)
        case Record():
            return replace(type_, volatile=False, const=False)
        case _:
            return type_


def _is_certain(type_: CType | None) -> bool:
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
        case Unknown() | None:
            return False
