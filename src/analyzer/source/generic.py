"""Generic selections (C11 6.5.1.1): the expression that the type of another one selects.

*Decides*: which association of `_Generic` has the type of the controlling expression, as it is when its value is taken:
without qualifiers, arrays and functions as pointers.
*Errs toward* none, where a type is not known, or is one that several types are compatible with (enumerations).

    float *x;  _Generic(x, float *: f, double *: g)(x)      ->  f(x)
    _Generic(1 / 2, double: f, default: g)                  ->  g
"""

from collections.abc import Callable, Iterable

from msgspec.structs import replace
from pycparser import c_ast

from .ctypes import Array, Complex, CType, Floating, Function, Integer, Pointer, Record, Unknown, Void


def selected(
    node: c_ast.GenericSelection, controlling: CType | None, type_of: Callable[[c_ast.Node], CType], pointer_size: int
) -> c_ast.Node | None:
    """The expression that is evaluated; None where it cannot be told. Example: see the module."""
    wanted = None if controlling is None else _value_type(controlling, pointer_size)
    types = [(None if a.type is None else type_of(a.type), a.expr) for a in node.associations]
    if wanted is None or not all(map(_is_certain, (wanted, *(t for t, _ in types if t is not None)))):
        return None
    otherwise = (expression for type_, expression in types if type_ is None)
    return next((expression for type_, expression in types if type_ == wanted), next(otherwise, None))


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


def _is_certain(type_: CType) -> bool:
    match type_:
        case Integer(name=name):
            return not name.startswith("enum ")
        case Pointer(target=target):
            return _is_certain(target)
        case Array(element=element):
            return _is_certain(element)
        case Function(result=result, parameters=parameters):
            return _are_certain((result, *parameters))
        case Unknown():
            return False
        case Floating() | Complex() | Record() | Void():
            return True


def _are_certain(types: Iterable[CType]) -> bool:
    return all(map(_is_certain, types))
