"""How the variables of a loop are declared, as C that declares a parameter or another variable of their types.

*Decides*: for each variable from before the loop that its own text names, the type with the name in it: without storage
class and value. *Errs toward* None: types that have no name, and arrays whose rows have no constant length.

    static double A[100][80];       ->  double A[100][80]
    const vector *restrict v        ->  const vector *restrict v
"""

import copy

from pycparser import c_ast

from ..source.ctypes import Array, CType, Floating, Integer, Pointer, Record
from ..source.nodes import nodes
from .site import Site


def declaration(site: Site, name: str) -> str | None:
    """Example: see the module."""
    declared = site.visible.get(name)
    if declared is not None:
        return _of_tree(site, declared)
    type_ = site.unit.globals_.get(name)
    return None if type_ is None else _of_type(type_, name)


def _of_tree(site: Site, declared: c_ast.Decl) -> str | None:
    from pycparser.c_generator import CGenerator

    if any(isinstance(n, c_ast.Struct | c_ast.Union) and n.decls is not None for n in nodes(declared.type)):
        return None
    dimensions = [n.dim for n in nodes(declared.type, c_ast.ArrayDecl)]
    own = dimensions[1:] if isinstance(declared.type, c_ast.ArrayDecl) else dimensions
    if any(d is None or site.unit.constant(d) is None for d in own):
        return None
    bare = copy.copy(declared)
    bare.storage, bare.init, bare.funcspec, bare.align = [], None, [], []
    if isinstance(declared.type, c_ast.ArrayDecl):
        known = declared.type.dim is not None and site.unit.constant(declared.type.dim) is not None
        bare.type = c_ast.ArrayDecl(declared.type.type, declared.type.dim if known else None, [])
    return " ".join(CGenerator().visit(bare).split())


def _of_type(type_: CType, name: str) -> str | None:
    match type_:
        case Integer(name=base) | Floating(name=base):
            return f"{'const ' if type_.const else ''}{base} {name}"
        case Record(kind=kind, key=key) if key.isidentifier():
            return f"{kind} {key} {name}"
        case Array(element=element, length=int(length)):
            return _of_type(element, f"{name}[{length}]")
        case Pointer(target=Integer() | Floating() | Record() as target):
            return _of_type(target, f"*{name}")
        case _:
            return None
