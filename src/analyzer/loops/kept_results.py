"""Branches of loops that keep what a call said for behind the loop, and go on with the next iteration.

*Decides*: the `continue` of each branch that a result of a call decides about, and that does nothing but keep this
result, or a number, and give back what the iteration has: such a branch is an error path.
*Errs toward* none: what is kept may be what the loop is there for, if no call has said it.

    result = solve(i); if (result != OK) { free(w); status = result; continue; }        ->  this one
    found = a[i];      if (found != 0) { last = found; continue; }                      ->  none
"""

from pycparser import c_ast

from ..source.nodes import nodes, of_tree
from .c_text import c_text
from .leaving import results
from .syntax import assigned_names, declared_names, items

_GIVES_BACK = ("free", "destroy", "release", "close")


@of_tree
def ends(root: c_ast.Node) -> frozenset[int]:
    """`id` of the jumps that end such branches. Example: see the module."""
    said = results(root)
    if not said:
        return frozenset()
    changing = assigned_names(root) | declared_names(root)
    found = ((n, _result(n.cond, changing)) for n in nodes(root, c_ast.If))
    ended = (_end(n.iftrue, result, changing) for n, result in found if result in said)
    return frozenset(id(jump) for jump in ended if jump is not None)


def _result(test: c_ast.Node, changing: frozenset[str]) -> str | None:
    """The variable that a test compares with a constant, or asks whether it is not 0."""
    match test:
        case c_ast.BinaryOp(op="!=" | "<", left=c_ast.ID(name=str(name)), right=right) if _is_constant(right, changing):
            return name
        case c_ast.ID(name=str(name)):
            return name
        case _:
            return None


def _is_constant(value: c_ast.Node, changing: frozenset[str]) -> bool:
    match value:
        case c_ast.Constant() | c_ast.UnaryOp(op="-", expr=c_ast.Constant()):
            return True
        case c_ast.ID(name=name):
            return name not in changing
        case _:
            return False


def _end(branch: c_ast.Node | None, result: str | None, changing: frozenset[str]) -> c_ast.Node | None:
    run = items(branch)
    if len(run) < 2 or not isinstance(run[-1], c_ast.Continue):
        return None
    kept = [s for s in run[:-1] if _keeps(s, result, changing)]
    only = all(s in kept or _gives_back(s) for s in run[:-1])
    return run[-1] if kept and only else None


def _keeps(statement: c_ast.Node, result: str | None, changing: frozenset[str]) -> bool:
    match statement:
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(), rvalue=c_ast.ID(name=name)) if name == result:
            return True
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(), rvalue=value):
            return _is_constant(value, changing)
        case _:
            return False


def _gives_back(statement: c_ast.Node) -> bool:
    """Whether it is a call of a function that, by its name, releases what it gets."""
    name = c_text(statement.name).lower() if isinstance(statement, c_ast.FuncCall) else ""
    return any(word in name for word in _GIVES_BACK)
