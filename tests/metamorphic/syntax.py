"""What rewrites ask of syntax trees: who is named and assigned, which jumps leave, what counts from where to where."""

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pycparser import c_ast

LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)
INTEGERS = {"int", "long", "short", "unsigned", "signed", "char"}


def walk(node: c_ast.Node) -> Iterator[c_ast.Node]:
    """The node and everything in it, in the order of the text."""
    yield node
    for _, child in node.children():
        yield from walk(child)


def block(statement: c_ast.Node | None) -> c_ast.Compound:
    if isinstance(statement, c_ast.Compound):
        statement.block_items = statement.block_items or []
        return statement
    return c_ast.Compound([] if statement is None or isinstance(statement, c_ast.EmptyStatement) else [statement])


def replaced(node: c_ast.Node, change: Callable[[c_ast.Node], c_ast.Node]) -> c_ast.Node:
    """The tree, changed in place, with every node exchanged by `change`, inner ones first."""
    for slot in type(node).__slots__:
        if slot in ("coord", "__weakref__"):
            continue
        held = getattr(node, slot)
        if isinstance(held, c_ast.Node):
            setattr(node, slot, replaced(held, change))
        elif isinstance(held, list) and held and isinstance(held[0], c_ast.Node):
            setattr(node, slot, [replaced(x, change) for x in held])
    return change(node)


def identifiers(node: c_ast.Node) -> Iterator[c_ast.ID]:
    """Uses of variables and functions; names of members are none."""
    if isinstance(node, c_ast.ID):
        yield node
    for name, child in node.children():
        if not (isinstance(node, c_ast.StructRef) and name == "field"):
            yield from identifiers(child)


def substituted(node: c_ast.Node, name: str, value: c_ast.Node) -> c_ast.Node:
    """The tree, changed in place, with a variable exchanged for an expression."""
    fields = {id(x.field) for x in walk(node) if isinstance(x, c_ast.StructRef)}

    def change(x: c_ast.Node) -> c_ast.Node:
        hit = isinstance(x, c_ast.ID) and x.name == name and id(x) not in fields
        return copy.deepcopy(value) if hit else x

    return replaced(node, change)


def declared(node: c_ast.Node) -> set[str]:
    return {x.name for x in walk(node) if isinstance(x, c_ast.Decl) and x.name}


def _root(target: c_ast.Node) -> str | None:
    """The variable that an assignment to this changes: not what a pointer or array leads to."""
    match target:
        case c_ast.ID(name=name):
            return str(name)
        case c_ast.StructRef(type=".", name=inner):
            return _root(inner)
        case c_ast.ArrayRef(name=c_ast.StructRef(type=".") as inner):
            return _root(inner)
        case _:
            return None


def assigned(node: c_ast.Node) -> set[str]:
    """Variables that the tree assigns or takes the address of."""
    found: set[str | None] = set()
    for x in walk(node):
        if isinstance(x, c_ast.Assignment):
            found.add(_root(x.lvalue))
        elif isinstance(x, c_ast.UnaryOp) and x.op in ("++", "--", "p++", "p--", "&"):
            found.add(_root(x.expr))
    return {x for x in found if x is not None}


def effects(node: c_ast.Node) -> bool:
    """Whether evaluating it does anything but to give a value."""
    return any(
        isinstance(x, (c_ast.Assignment, c_ast.FuncCall))
        or (isinstance(x, c_ast.UnaryOp) and x.op in ("++", "--", "p++", "p--"))
        for x in walk(node)
    )


def reads_memory(node: c_ast.Node) -> bool:
    return any(
        isinstance(x, (c_ast.ArrayRef, c_ast.StructRef)) or (isinstance(x, c_ast.UnaryOp) and x.op == "*")
        for x in walk(node)
    )


def jumps(body: c_ast.Node, kind: type[c_ast.Node]) -> bool:
    """Whether a `break` or `continue` in the body belongs to the loop around it."""
    inner = LOOPS if kind is c_ast.Continue else (*LOOPS, c_ast.Switch)
    if isinstance(body, kind):
        return True
    return any(jumps(child, kind) for _, child in body.children() if not isinstance(child, inner))


def leaves(body: c_ast.Node) -> bool:
    """Whether control can come in or go out anywhere but at the two ends."""
    anywhere = (c_ast.Return, c_ast.Goto, c_ast.Label, c_ast.Case, c_ast.Default)
    return (
        jumps(body, c_ast.Break) or jumps(body, c_ast.Continue) or any(isinstance(x, anywhere) for x in walk(body))
    )


class Scope:
    """The types of a function's variables; names that are declared with several types have none."""

    def __init__(self, function: c_ast.FuncDef, file: c_ast.FileAST) -> None:
        self.own: dict[str, c_ast.Node | None] = {}
        parameters = function.decl.type.args
        self.parameters = [p for p in parameters.params if isinstance(p, c_ast.Decl)] if parameters else []
        inner = [x for x in walk(function.body) if isinstance(x, c_ast.Decl) and x.name]
        for d in (*self.parameters, *inner):
            other = d.name in self.own and repr(self.own[d.name]) != repr(d.type)
            self.own[d.name] = None if other else d.type
        self.outer = {d.name: d.type for d in file.ext if isinstance(d, c_ast.Decl) and d.name}
        self.typedefs = {d.name: d.type for d in file.ext if isinstance(d, c_ast.Typedef)}
        self.taken = {_root(x.expr) for x in walk(function.body) if isinstance(x, c_ast.UnaryOp) and x.op == "&"}

    def type(self, name: str) -> c_ast.Node | None:
        """The type of a variable, None where it is not plain."""
        return self.own[name] if name in self.own else self.outer.get(name)

    def resolved(self, t: c_ast.Node | None) -> c_ast.Node | None:
        """The type behind names of types, as far as it is an arithmetic one."""
        for _ in range(10):
            match t:
                case c_ast.TypeDecl(type=c_ast.IdentifierType(names=[name])) if name in self.typedefs:
                    t = self.typedefs[name]
                case _:
                    return t
        return t

    def words(self, t: c_ast.Node | None) -> set[str]:
        """`{"unsigned", "int"}`; nothing for what is no arithmetic type."""
        match self.resolved(t):
            case c_ast.TypeDecl(type=c_ast.IdentifierType(names=names)):
                return set(names)
            case _:
                return set()

    def integer(self, name: str, words: frozenset[str] | None = None) -> bool:
        """Whether it is a plain integer variable (of exactly this type)."""
        found = self.words(self.type(name))
        return found == words if words is not None else bool(found) and found <= INTEGERS

    def element(self, name: str) -> c_ast.Node | None:
        """What `name[i]` is, for a pointer or an array."""
        match self.type(name):
            case c_ast.PtrDecl(type=inner) | c_ast.ArrayDecl(type=inner):
                return inner
            case _:
                return None


@dataclass(frozen=True)
class Counted:
    """`for (name = lower; name relation upper; name += step)` whose body leaves `name` and what `upper` names alone."""

    loop: c_ast.For
    name: str
    lower: c_ast.Node
    relation: str
    upper: c_ast.Node
    step: int
    own: bool
    """The variable is declared in the loop."""

    @property
    def range(self) -> range | None:
        """The values of the variable, where they are known."""
        low, high = constant(self.lower), constant(self.upper)
        if low is None or high is None or self.relation not in ("<", "<="):
            return None
        return range(low, high + (self.relation == "<="), self.step) if self.step > 0 else None


def constant(node: c_ast.Node) -> int | None:
    """The value of an expression of literals."""
    match node:
        case c_ast.Constant(type="int", value=text) if text.isdigit() and not text.startswith("0" * 2):
            return int(text, 8) if len(text) > 1 and text[0] == "0" else int(text)
        case c_ast.BinaryOp(op=op, left=left, right=right) if op in "+-*":
            x, y = constant(left), constant(right)
            return None if x is None or y is None else {"+": x + y, "-": x - y, "*": x * y}[op]
        case _:
            return None


def counted(node: c_ast.Node, scope: Scope) -> Counted | None:
    """The loop as a counted one, if it is one."""
    match node:
        case c_ast.For(
            init=c_ast.DeclList(decls=[c_ast.Decl(name=name, init=c_ast.Node() as lower)])
            | c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=lower),
            cond=c_ast.BinaryOp(op=relation, left=c_ast.ID(name=tested), right=upper),
        ) if tested == name and relation in ("<", "<=", ">", ">="):
            pass
        case _:
            return None
    step = _step(node.next, name)
    fixed = {name} | {x.name for x in identifiers(upper)}
    if step is None or fixed & assigned(node.stmt) or name in scope.taken or not scope.integer(name):
        return None
    if name in {x.name for x in identifiers(upper)} | {x.name for x in identifiers(lower)}:
        return None
    if effects(upper) or effects(lower) or reads_memory(upper) or (step > 0) != (relation in ("<", "<=")):
        return None
    return Counted(node, name, lower, relation, upper, step, isinstance(node.init, c_ast.DeclList))


def _step(update: c_ast.Node | None, name: str) -> int | None:
    match update:
        case c_ast.UnaryOp(op="++" | "p++", expr=c_ast.ID(name=n)) if n == name:
            return 1
        case c_ast.UnaryOp(op="--" | "p--", expr=c_ast.ID(name=n)) if n == name:
            return -1
        case c_ast.Assignment(op="+=", lvalue=c_ast.ID(name=n), rvalue=by) if n == name:
            return constant(by) or None
        case c_ast.Assignment(op="-=", lvalue=c_ast.ID(name=n), rvalue=by) if n == name:
            step = constant(by)
            return -step if step else None
        case _:
            return None
