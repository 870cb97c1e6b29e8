"""Syntax trees as a whole: all of their nodes, and questions that are answered once per tree."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import ref

from pycparser import c_ast


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
        found = answers.get(id(root))
        if found is None:
            found = answers[id(root)] = _Asked(root, forget), question(root)
            found[0].key = id(root)
        return found[1]

    return asked


def nodes(root: c_ast.Node) -> tuple[c_ast.Node, ...]:
    """The node and everything below it, in source order."""
    return (root, *_below(root))


@of_tree
def _below(root: c_ast.Node) -> tuple[c_ast.Node, ...]:
    """Without recursion."""
    found = []
    stack = list(root)
    stack.reverse()
    while stack:
        node = stack.pop()
        found.append(node)
        inner = list(node)
        inner.reverse()
        stack += inner
    return tuple(found)


def node_count(root: c_ast.Node) -> int:
    return 1 + len(_below(root))


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


def is_per_thread(node: c_ast.Decl) -> bool:
    """Whether every thread has an object of its own: `_Thread_local`, `__thread`, `thread_local` of C23."""
    return not {"_Thread_local", "thread_local"}.isdisjoint(node.storage or ())
