"""Syntax trees as a whole: all of their nodes, and questions that are answered once per tree."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import TypeVar
from weakref import WeakValueDictionary, ref

from pycparser import c_ast

KINDS = tuple(k for k in vars(c_ast).values() if isinstance(k, type) and issubclass(k, c_ast.Node))
"""The classes of all nodes."""


class _Asked(ref[c_ast.Node]):
    """A tree that was asked about, which says when the tree is gone. (A `WeakKeyDictionary` takes ten times as long to
    find an answer.)"""

    __slots__ = ("key",)
    key: int


Tree = TypeVar("Tree", bound=c_ast.Node)
Answer = TypeVar("Answer")


def of_tree(question: Callable[[Tree], Answer]) -> Callable[[Tree], Answer]:
    """The same question, answered once per tree: trees do not change once they are parsed, and what is called in many
    places is asked about in each. An answer lives as long as its tree, which therefore must not be in it."""
    answers: dict[int, tuple[_Asked, Answer]] = {}

    def forget(gone: _Asked) -> None:
        del answers[gone.key]

    @wraps(question)
    def asked(root: Tree) -> Answer:
        try:
            return answers[id(root)][1]
        except KeyError:
            pass
        found = answers[id(root)] = _Asked(root, forget), question(root)
        found[0].key = id(root)
        return found[1]

    return asked


class _Walk:
    """What lies below a node, in source order: a tree is walked once, and what lies below one of its nodes is a part of
    that."""

    __slots__ = ("__weakref__", "kinds", "order", "spans")

    def __init__(self, root: c_ast.Node) -> None:
        self.order: list[c_ast.Node] = []
        self.spans: dict[int, tuple[int, int]] = {}
        self.kinds: defaultdict[type[c_ast.Node], list[int]] = defaultdict(list)
        order, kinds = self.order, self.kinds
        stack: list[c_ast.Node | int] = [*root][::-1]
        at = 0
        while stack:
            node = stack.pop()
            if isinstance(node, int):  # the end of what lies below the node at this position
                if at - node > _SMALL:
                    self.spans[id(order[node])] = node + 1, at
                continue
            kinds[node.__class__].append(at)
            inner = [*node]
            if inner:
                stack.append(at)
                stack += inner[::-1]
            order.append(node)
            at += 1
        self.spans[id(root)] = 0, at

    def below(self, node: c_ast.Node, kinds: tuple[type[c_ast.Node], ...]) -> list[c_ast.Node]:
        start, end = self.spans[id(node)]
        if not kinds:
            return self.order[start:end]
        of_kind = [self.kinds[k] for k in kinds if k in self.kinds]
        found = [i for p in of_kind for i in p[bisect_left(p, start) : bisect_left(p, end)]]
        return [self.order[i] for i in (found if len(of_kind) < 2 else sorted(found))]


_SMALL = 8
"""Nodes below one that is not found in the walk of a larger tree, and has none of its own: that costs more than walking
them again."""

_walks: WeakValueDictionary[int, _Walk] = WeakValueDictionary()
"""By `id` of a node: a walk that it stands in. A walk holds its nodes, and the tree that was walked holds the walk."""


@of_tree
def _walked(root: c_ast.Node) -> _Walk:
    made = _Walk(root)
    for key in made.spans:
        _walks[key] = made
    return made


def nodes(root: c_ast.Node, *kinds: type[c_ast.Node]) -> list[c_ast.Node]:
    """The node and everything below it, in source order; `kinds`: those that are of one of these classes."""
    walk = _walks.get(id(root))
    if walk is None:
        few = _few(root)
        if few is not None:
            return [n for n in few if n.__class__ in kinds] if kinds else few
        walk = _walked(root)
    found = walk.below(root, kinds)
    return [root, *found] if not kinds or type(root) in kinds else found


def _few(root: c_ast.Node) -> list[c_ast.Node] | None:
    """The node and everything below it, where that is little; most of what is asked about is an operand."""
    found = [root]
    stack = [*root][::-1]
    while stack:
        if len(found) > _SMALL:
            return None
        node = stack.pop()
        found.append(node)
        inner = [*node]
        if inner:
            stack += inner[::-1]
    return found


def node_count(root: c_ast.Node) -> int:
    return len(nodes(root))


@of_tree
def depth(root: c_ast.Node) -> int:
    """How many nodes lie on the longest way down."""
    deepest = 0
    stack = [(root, 1)]
    while stack:
        node, level = stack.pop()
        deepest = max(deepest, level)
        stack += [(below, level + 1) for below in node]
    return deepest


def alike(one: c_ast.Node, other: c_ast.Node) -> bool:
    """Whether two nodes are the same code, wherever they stand."""
    if type(one) is not type(other) or any(getattr(one, n) != getattr(other, n) for n in one.attr_names):
        return False
    below, beside = [*one], [*other]
    return len(below) == len(beside) and all(map(alike, below, beside))


def is_per_thread(node: c_ast.Decl) -> bool:
    """Whether every thread has an object of its own: `_Thread_local`, `__thread`, `thread_local` of C23."""
    return not {"_Thread_local", "thread_local"}.isdisjoint(node.storage or ())


@of_tree
def identifiers(root: c_ast.Node) -> frozenset[str]:
    """The names that are used or declared in a tree, members among them."""
    used = (n.name for n in nodes(root, c_ast.ID))
    return frozenset((*used, *(n.name for n in nodes(root, c_ast.Decl) if n.name is not None)))


def declarations(tree: c_ast.Node | None) -> Iterator[c_ast.Decl]:
    """The declarations in a tree, parameters among them."""
    return (n for n in nodes(tree, c_ast.Decl) if isinstance(n, c_ast.Decl)) if tree is not None else iter(())


def single_statements(function: c_ast.FuncDef) -> dict[int, c_ast.Node]:
    """Statements by `id`, without those whose value a block in an expression (`({ ...; value; })`) has."""
    found: dict[int, c_ast.Node] = {id(function.body): function.body}
    for node in nodes(function):
        parts: Sequence[c_ast.Node | None] = ()
        match node:
            case c_ast.Compound(block_items=block):
                parts = block or () if id(node) in found else (block or ())[:-1]
            case c_ast.Case(stmts=parts) | c_ast.Default(stmts=parts):
                parts = parts or ()
            case c_ast.If(iftrue=then, iffalse=otherwise):
                parts = (then, otherwise)
            case c_ast.Label(stmt=inner) | c_ast.Switch(stmt=inner):
                parts = (inner,)
            case c_ast.For(stmt=inner) | c_ast.While(stmt=inner) | c_ast.DoWhile(stmt=inner):
                parts = (inner,)
            case _:
                pass
        found |= {id(p): p for p in parts if p is not None}
    return found
