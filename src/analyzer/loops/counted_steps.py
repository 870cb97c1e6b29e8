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


def _steps(node: c_ast.Node) -> Counter[str]:
    """How often names are counted up at most; MANY for all that changes in another way, or more than once."""
    match node:
        case c_ast.If(cond=cond, iftrue=then, iffalse=otherwise) | c_ast.TernaryOp(
            cond=cond, iftrue=then, iffalse=otherwise
        ):
            return _in_turn(cond) + (_in_turn(then) | _in_turn(otherwise))
        case c_ast.For() | c_ast.While() | c_ast.DoWhile() | c_ast.Switch() | c_ast.Label():
            return Counter(dict.fromkeys(syntax.assigned_names(node), MANY))
        case c_ast.UnaryOp(op="++" | "p++", expr=c_ast.ID(name=name)):
            return Counter({name: 1})
        case c_ast.Assignment(op="+=", lvalue=c_ast.ID(name=name), rvalue=c_ast.Constant(value="1")):
            return Counter({name: 1})
        case c_ast.Assignment(
            op="=",
            lvalue=c_ast.ID(name=name),
            rvalue=c_ast.BinaryOp(op="+", left=c_ast.ID(name=old), right=c_ast.Constant(value="1")),
        ) if name == old:
            return Counter({name: 1})
        case c_ast.Assignment(lvalue=c_ast.ID(name=name), rvalue=value):
            return Counter({name: MANY}) + _in_turn(value)
        case c_ast.UnaryOp(op="--" | "p--", expr=c_ast.ID(name=name)):
            return Counter({name: MANY})
        case c_ast.Decl(name=str(name)):
            return Counter({name: MANY}) + _in_turn(node.init)  # another variable of this name, or set anew
        case _:
            total = Counter[str]()
            for child in node:
                total.update(_steps(child))
            return total


def _in_turn(node: c_ast.Node | None) -> Counter[str]:
    return Counter[str]() if node is None else _steps(node)
