"""The same statement in other words."""

import copy

from pycparser import c_ast

from .scene import COUNTS, Rewrite, Scene, c, declaration
from .syntax import LOOPS, assigned, block, counted, effects, identifiers, jumps, reads_memory


def expanded(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """`x = x + e` for `x += e`."""
    if not isinstance(node, c_ast.Assignment) or node.op == "=" or effects(node.lvalue):
        return None
    target = node.lvalue
    if not isinstance(target, c_ast.ID) and not _simple(target, scene):
        return None
    return c_ast.Assignment("=", target, c_ast.BinaryOp(node.op[:-1], copy.deepcopy(target), node.rvalue))


def _simple(target: c_ast.Node, scene: Scene) -> bool:
    """`a[i][j]`: no memory but its own is read for it, not even pointers to rows."""
    levels = 0
    while isinstance(target, c_ast.ArrayRef):
        if reads_memory(target.subscript):
            return False
        target, levels = target.name, levels + 1
    if not isinstance(target, c_ast.ID):
        return False
    element = scene.scope.element(target.name)
    return levels < 2 or isinstance(element, c_ast.ArrayDecl)


def swapped(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """The branches of an `if` change places."""
    if not isinstance(node, c_ast.If):
        return None
    return c("if (!(X)) Y; else Z;", X=node.cond, Y=block(node.iffalse), Z=node.iftrue)


def as_switch(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """`switch (!(c))` for `if (c)`."""
    if not isinstance(node, c_ast.If) or jumps(node, c_ast.Break):
        return None
    text = "switch (!(X)) { case 0: Y; break; default: Z; break; }"
    return c(text, X=node.cond, Y=node.iftrue, Z=block(node.iffalse))


def as_ternary(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """`x = c ? e : f` for two assignments of one type, `x = c ? e : x` for one of a local scalar."""
    match node:
        case c_ast.If(
            cond=test,
            iftrue=c_ast.Compound(block_items=[c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=then)]),
            iffalse=None,
        ) if name in scene.scope.own and scene.scope.words(scene.scope.type(name)):
            otherwise: c_ast.Node = c_ast.ID(name)
        case c_ast.If(
            cond=test,
            iftrue=c_ast.Compound(block_items=[c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=then)]),
            iffalse=c_ast.Compound(block_items=[c_ast.Assignment(op="=", lvalue=c_ast.ID(name=n), rvalue=otherwise)]),
        ) if n == name and scene.scope.words(scene.scope.type(name)):
            pass
        case _:
            return None
    if effects(then) or effects(otherwise):
        return None
    kind = copy.deepcopy(scene.scope.type(name))
    kind.declname = None
    typed = [c_ast.Cast(c_ast.Typename(None, [], None, copy.deepcopy(kind)), x) for x in (then, otherwise)]
    return c_ast.Assignment("=", c_ast.ID(name), c_ast.TernaryOp(test, *typed))


def as_if(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """`if (c) x = e; else x = f;` for `x = c ? e : f;`."""
    match node:
        case c_ast.Assignment(op="=", lvalue=c_ast.Node() as x, rvalue=c_ast.TernaryOp(cond=t, iftrue=a, iffalse=b)):
            if effects(x):
                return None
            return c("if (T) { X = A; } else { X = B; }", T=t, X=x, A=a, B=b)
        case _:
            return None


def with_temporary(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """`{ T t = e; x = t; }` where T is the type of x."""
    if not isinstance(node, c_ast.Assignment) or node.op != "=" or effects(node.lvalue) or effects(node.rvalue):
        return None
    target, kind = node.lvalue, None
    if isinstance(target, c_ast.ID):
        kind = scene.scope.type(target.name)
    elif isinstance(target, c_ast.ArrayRef) and isinstance(target.name, c_ast.ID):
        kind = scene.scope.element(target.name.name)
    if kind is None or not scene.scope.words(kind):
        return None
    name = scene.fresh("t")
    return c_ast.Compound([declaration(name, kind, node.rvalue), c_ast.Assignment("=", target, c_ast.ID(name))])


def subscript_first(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """`{ int s = i + 1; a[s] = e; }`"""
    match node:
        case c_ast.Assignment(lvalue=c_ast.ArrayRef(subscript=c_ast.BinaryOp() as at) as target):
            names = {x.name for x in identifiers(at)}
            plain = all(scene.scope.integer(x, frozenset({"int"})) for x in names)
            if not plain or reads_memory(at) or effects(target) or effects(node.rvalue) or names & assigned(node):
                return None
            name = scene.fresh("s")
            target.subscript = c_ast.ID(name)
            return c_ast.Compound([declaration(name, scene.scope.type(min(names)), at), node]) if names else None
        case _:
            return None


def nested(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """A block of its own around a loop, an `if`, an assignment."""
    return c_ast.Compound([node]) if isinstance(node, (*LOOPS, c_ast.If, c_ast.Assignment)) else None


def beside_dead_code(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """What never runs stands in front of the body."""
    found = counted(node, scene.scope)
    if found is None:
        return None
    first = next((x for x in node.stmt.block_items if isinstance(x, c_ast.Assignment)), None)
    if first is None:
        return None
    node.stmt = c_ast.Compound([c("if (0) { X; }", X=copy.deepcopy(first)), *node.stmt.block_items])
    return node


def mirrored_condition(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """`b > a` for `a < b`, in an `if`."""
    turned = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}
    match node:
        case c_ast.If(cond=c_ast.BinaryOp(op=op, left=left, right=right)) if op in turned:
            if effects(node.cond):
                return None
            node.cond = c_ast.BinaryOp(turned[op], right, left)
            return node
        case _:
            return None


def split_condition(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """`if (a) if (b)` for `if (a && b)`."""
    match node:
        case c_ast.If(cond=c_ast.BinaryOp(op="&&", left=left, right=right), iftrue=then, iffalse=None):
            return c("if (X) { if (Y) Z; }", X=left, Y=right, Z=then)
        case _:
            return None


def product_first(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """The operands of `+` and `*` change places, where evaluating them does nothing else."""
    if isinstance(node, c_ast.BinaryOp) and node.op in ("+", "*") and not effects(node):
        return c_ast.BinaryOp(node.op, node.right, node.left)
    return None


STATEMENT_REWRITES = (
    Rewrite("expanded", expanded),
    Rewrite("swapped-if", swapped, keeps=COUNTS - {"int_ops"}),
    Rewrite("switch", as_switch, keeps=COUNTS - {"int_ops"}),
    Rewrite("ternary", as_ternary, keeps=COUNTS - {"fp_other"}),
    Rewrite("if", as_if),
    Rewrite("temporary", with_temporary),
    Rewrite("subscript-first", subscript_first),
    Rewrite("blocks", nested),
    Rewrite("dead-code", beside_dead_code),
    Rewrite("mirrored-if", mirrored_condition),
    Rewrite("split-if", split_condition),
    Rewrite("commuted", product_first, of="expression"),
)
