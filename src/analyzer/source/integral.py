"""Undeclared types that can only be integers, or numbers: C lets nothing else be a subscript, or be multiplied.

*Decides*: of the names of types that nothing declares (their header is missing, as one that the build generates is),
which stand for an integer, and which for a number. *Method*: a variable of that type is part of a subscript, or an
operand of `%`, a shift or a bit operation, anywhere in the file; a variable, an element or a member of it is
multiplied, divided, negated or set to a floating-point number. *Errs toward* none: a type of which values are only
copied and added may be any.

    index_t i; for (i = 0; i < n; i++) x[i] = 0;     ->  index_t, an integer
    s->values[i] *= 2;                               ->  the type of these values, a number
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from pycparser import c_ast

from .ctypes import Array, CType, Layout, Pointer, Unknown
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


Made: TypeAlias = tuple[str, int]
"""An undeclared type, and how many pointers and arrays lead to it."""


def numeric_types(
    functions: Iterable[c_ast.Node], type_of: Callable[[c_ast.Node], CType], layouts: Mapping[str, Layout]
) -> frozenset[str]:
    """Those of the undeclared types that some function uses as numbers. Example: see the module."""
    members = _members(layouts)
    found: set[str] = set()
    for function in functions:
        declared = ((d.name, _made_of(type_of(d))) for d in nodes(function, c_ast.Decl) if d.name)
        variables = {name: made for name, made in declared if made is not None}
        for node in nodes(function) if variables or members else ():
            for base, depth in map(_place, _numbers(node)):
                match base:
                    case c_ast.ID(name=name):
                        made = variables.get(name)
                    case c_ast.StructRef(field=c_ast.ID(name=name)):
                        made = members.get(name)
                    case _:
                        made = None
                if made is not None and made[1] == depth:
                    found.add(made[0])
    return frozenset(found)


def _made_of(type_: CType) -> Made | None:
    depth = 0
    while isinstance(type_, Pointer | Array):
        type_, depth = type_.target if isinstance(type_, Pointer) else type_.element, depth + 1
    return (type_.name, depth) if isinstance(type_, Unknown) and type_.opaque else None


def _members(layouts: Mapping[str, Layout]) -> dict[str, Made]:
    """Members by their names: those of one type in all structures that have one of that name."""
    found: dict[str, set[Made | None]] = {}
    for layout in layouts.values():
        for member in layout.members:
            found.setdefault(member.name, set()).add(_made_of(member.type))
    return {name: made for name, types in found.items() if len(types) == 1 and (made := next(iter(types))) is not None}


def _numbers(node: c_ast.Node) -> Iterator[c_ast.Node]:
    """The parts of an expression that it proves to be numbers."""
    match node:
        case c_ast.BinaryOp(op="*" | "/", left=left, right=right):
            yield from _parts(left)
            yield from _parts(right)
        case c_ast.UnaryOp(op="-", expr=inner) | c_ast.Assignment(op="*=" | "/=", lvalue=inner):
            yield from _parts(inner)
        case c_ast.Assignment(op="=", lvalue=inner, rvalue=c_ast.Constant(type="float" | "double")):
            yield inner
        case _:
            pass


def _parts(node: c_ast.Node) -> Iterator[c_ast.Node]:
    match node:
        case c_ast.BinaryOp(op="+" | "-" | "*" | "/", left=left, right=right):
            yield from _parts(left)
            yield from _parts(right)
        case _:
            yield node


def _place(node: c_ast.Node) -> tuple[c_ast.Node, int]:
    """What is dereferenced, how often."""
    match node:
        case c_ast.ArrayRef(name=inner) | c_ast.UnaryOp(op="*", expr=inner):
            base, depth = _place(inner)
            return base, depth + 1
        case _:
            return node, 0
