"""Which declaration each name in a function means, and what can be named at its loops.

*Method*: C's scopes (C11 6.2.1) over the syntax tree of one function, once.

    int i; for (int k...) { int i; f(i); }        at the loop over k, `i` is the outer one; in its body, the inner one
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct, field
from pycparser import c_ast

from ..loops.syntax import LOOPS, is_once, parameter_declarations
from ..source.nodes import nodes

Scopes = Mapping[str, c_ast.Decl | None]
"""Names that are declared inside the function; None: as something else than a variable."""


class Names(Struct):
    """`meant`: by `id` of an identifier the declaration in the function that it means; those of the file are absent.
    `visible`: by `id` of a loop what is declared where it begins."""

    meant: dict[int, c_ast.Decl] = field(default_factory=dict)
    visible: dict[int, Scopes] = field(default_factory=dict)
    outside: set[int] = field(default_factory=set)
    """Identifiers that mean something of the file: a variable, a function, an enumerator."""


def names_of(function: c_ast.FuncDef) -> Names:
    """The names of one function. Example: see the module."""
    found = Names()
    known = {p.name: p for p in parameter_declarations(function) if isinstance(p, c_ast.Decl) and p.name}
    _walk(function.body, known, found)
    return found


def _walk(node: c_ast.Node, scope: dict[str, c_ast.Decl | None], found: Names) -> None:
    if isinstance(node, LOOPS) and not is_once(node):
        found.visible[id(node)] = dict(scope)
    match node:
        case c_ast.Compound() | c_ast.For():
            inner = dict(scope)
            for child in node:
                _walk(child, inner, found)
        case c_ast.StructRef(name=base):
            _walk(base, scope, found)
        case c_ast.Decl(name=name):
            if name is not None:
                scope[name] = None if isinstance(node.type, c_ast.FuncDecl) or "extern" in node.storage else node
            for child in node:
                _walk(child, scope, found)
        case c_ast.Typedef(name=name):
            scope[name] = None
        case c_ast.NamedInitializer(expr=value):
            _walk(value, scope, found)
        case c_ast.ID(name=name):
            declared = scope.get(name)
            if declared is not None:
                found.meant[id(node)] = declared
            else:
                found.outside.add(id(node))
        case _:
            for child in node:
                _walk(child, scope, found)


def identifiers(root: c_ast.Node | None) -> Iterator[c_ast.ID]:
    """Identifiers of variables and functions in a tree: neither members nor labels."""
    if root is None:
        return
    members = {id(n.field) for n in nodes(root, c_ast.StructRef)}
    yield from (n for n in nodes(root, c_ast.ID) if id(n) not in members)
