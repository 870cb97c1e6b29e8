"""`errno`: each thread has one (C11 7.5p2), and it is no result of a loop.

*Decides*: whether an expression is `errno`, as the C libraries define it: what a function of theirs leads to.
*Errs toward* no: a variable of that name is a variable.

    errno = EDOM;   is, to the compiler,   *__errno_location() = 33;
"""

from pycparser import c_ast

from ..ir.c_library import ERRNO
from ..source.unit import Unit


def is_errno(unit: Unit, node: c_ast.Node) -> bool:
    match node:
        case c_ast.UnaryOp(op="*", expr=c_ast.FuncCall(name=c_ast.ID(name=name), args=None)):
            return name in ERRNO and name not in unit.definitions
        case _:
            return False
