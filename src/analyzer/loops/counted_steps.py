"""Variables that an iteration counts up by one at most, on whichever path: how often is known no better.

*Decides*: which variables a part of a loop adds one to at most once, by what it says.
*Errs toward* none: where an inner loop counts, or a jump leads back, and for steps other than one.

    if (x[j] > 0) list[n++] = j;                ->  n
    if (x[j] > 0) n++; else { k++; n += 1; }    ->  n, k
    if (x[j] > 0) n++; if (y[j] > 0) n++;       ->  none
"""

from collections import Counter

from pycparser import c_ast

from ..source.nodes import of_tree
from . import syntax

MANY = 2


def once_at_most(*parts: c_ast.Node | None) -> frozenset[str]:
    """The names of the variables. Example: see the module."""
    total = Counter[str]()
    for part in parts:
        if part is not None:
            total.update(_steps_of(part))
    return frozenset(name for name, often in total.items() if often == 1)


@of_tree
def _steps_of(part: c_ast.Node) -> Counter[str]:
    return _steps(part)


def _steps(node: c_ast.Node | None) -> Counter[str]:
    """How often names are counted up at most; MANY for all that changes in another way, or more than once."""
    total = Counter[str]()
    if node is not None:
        _add_steps(node, total)
    return total


def _add_steps(node: c_ast.Node, total: Counter[str]) -> None:
    match node:
        case c_ast.If(cond=cond, iftrue=then, iffalse=otherwise) | c_ast.TernaryOp(
            cond=cond, iftrue=then, iffalse=otherwise
        ):
            _add_steps(cond, total)
            total.update(_steps(then) | _steps(otherwise))
        case c_ast.For() | c_ast.While() | c_ast.DoWhile() | c_ast.Switch() | c_ast.Label():
            total.update(dict.fromkeys(syntax.assigned_names(node), MANY))
        case c_ast.UnaryOp(op="++" | "p++", expr=c_ast.ID(name=name)):
            total[name] += 1
        case c_ast.Assignment(op="+=", lvalue=c_ast.ID(name=name), rvalue=c_ast.Constant(value="1")):
            total[name] += 1
        case c_ast.Assignment(
            op="=",
            lvalue=c_ast.ID(name=name),
            rvalue=c_ast.BinaryOp(op="+", left=c_ast.ID(name=old), right=c_ast.Constant(value="1")),
        ) if name == old:
            total[name] += 1
        case c_ast.Assignment(lvalue=c_ast.ID(name=name), rvalue=value):
            total[name] += MANY
            _add_steps(value, total)
        case c_ast.UnaryOp(op="--" | "p--", expr=c_ast.ID(name=name)):
            total[name] += MANY
        case c_ast.Decl(name=str(name)):
            total[name] += MANY  # another variable of this name, or set anew
            if node.init is not None:
                _add_steps(node.init, total)
        case _:
            for child in node:
                _add_steps(child, total)
