"""Undeclared types that can only be integers: C lets nothing else be a subscript, or be shifted.

*Decides*: of the names of types that nothing declares (their header is missing, as one that the build generates is),
which stand for an integer. *Method*: a variable of that type is part of a subscript, or an operand of `%`, a shift or a
bit operation, anywhere in the file. *Errs toward* none: a type of which values are only copied and added may be any.

    index_t i; for (i = 0; i < n; i++) x[i] = 0;     ->  index_t
"""

from collections.abc import Callable, Iterable, Iterator

from pycparser import c_ast

from .ctypes import CType, Unknown
from .nodes import nodes

OF_INTEGERS = frozenset(("%", "<<", ">>", "&", "|", "^"))


def integral_types(functions: Iterable[c_ast.Node], type_of: Callable[[c_ast.Node], CType]) -> frozenset[str]:
    """Those of the undeclared types that some function uses as integers, given the types of declarations. Example: see
    the module."""
    found: set[str] = set()
    for function in functions:
        variables = dict(_declared(nodes(function, c_ast.Decl), type_of))
        used = nodes(function) if variables else ()
        found |= {variables[name] for node in used for name in _integers(node) if name in variables}
    return frozenset(found)


def _declared(function: Iterable[c_ast.Node], type_of: Callable[[c_ast.Node], CType]) -> Iterator[tuple[str, str]]:
    """Variables of undeclared types, none of them pointers or arrays."""
    for node in function:
        match node:
            case c_ast.Decl(name=str(name), type=c_ast.TypeDecl(type=c_ast.IdentifierType())):
                type_ = type_of(node)
                if isinstance(type_, Unknown) and type_.opaque:
                    yield name, type_.name
            case _:
                pass


def _integers(node: c_ast.Node) -> Iterator[str]:
    """The variables that an expression proves to be integers."""
    match node:
        case c_ast.ArrayRef(subscript=subscript):
            yield from _operands(subscript)
        case c_ast.BinaryOp(op=op, left=left, right=right) if op in OF_INTEGERS:
            yield from _operands(left)
            yield from _operands(right)
        case _:
            pass


def _operands(node: c_ast.Node) -> Iterator[str]:
    """Variables that an arithmetic expression consists of."""
    match node:
        case c_ast.ID(name=name):
            yield name
        case c_ast.BinaryOp(op="+" | "-" | "*" | "/", left=left, right=right):
            yield from _operands(left)
            yield from _operands(right)
        case c_ast.UnaryOp(op="-" | "+" | "~" | "++" | "--" | "p++" | "p--", expr=inner):
            yield from _operands(inner)
        case _:
            pass
