"""The numbers in constant tables and variables.

*Decides*: what the elements of an array of integers hold at first that is initialised by a plain list of constants;
what an integer holds that is `const`, and initialised by a constant, or by one made of such integers.
*Errs toward* None: designators, rows of rows, texts, addresses, and what is longer than `MOST`.

    static const unsigned char digits[] = {1, 1, 0x02};     ->  (1, 1, 2)
    static const int WIDTH = 8, HALF = WIDTH / 2;           ->  8, 4
"""

from collections.abc import Callable

from pycparser import c_ast

from .constants import Names, converted
from .ctypes import CType, Integer
from .literals import Number

MOST = 1024
"""Elements of a table that is kept."""


def numbers(node: c_ast.Decl, constant: Callable[[c_ast.Node], int | None]) -> tuple[int, ...] | None:
    """The initialiser of a declaration. `constant`: the value of an expression, if it has one."""
    if not isinstance(node.type, c_ast.ArrayDecl) or isinstance(node.type.type, c_ast.ArrayDecl):
        return None
    if not isinstance(node.init, c_ast.InitList) or len(node.init.exprs) > MOST:
        return None
    if any(isinstance(e, c_ast.InitList | c_ast.NamedInitializer) for e in node.init.exprs):
        return None
    found = tuple(map(constant, node.init.exprs))
    return None if None in found else found  # type: ignore[return-value]


def value(node: c_ast.Decl, type_: CType | None, names: Names) -> Number | None:
    """What a variable holds as long as it lives."""
    if not isinstance(type_, Integer) or not type_.is_lasting or node.init is None:
        return None
    return converted(type_, node.init, names)
