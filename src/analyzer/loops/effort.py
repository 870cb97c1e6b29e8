"""The work budget of lowering one function, in steps, so that the answer is the same on every machine.

A *step* is one expression or statement that is lowered. Reading a function once is always allowed (`once`: its syntax,
with what is written down several times because jumps become branches). Beyond that go the calls that are followed and
the loops that are gone through again; when they have taken `MOST_STEPS`, no call is followed any more, and what a loop
may change is taken to change. When they have taken that twice, no loop is gone through again.
"""

from msgspec import Struct
from pycparser import c_ast

from ..source.nodes import node_count, nodes, of_tree
from . import jumps, syntax

MOST_STEPS = 12_000
"""Beyond reading the function once. The most that any function of NPB or redis takes is 10 743; five of SQLite's 787
take more."""

LARGEST_GROWTH = 4
MOST_WRITTEN_OUT = 50_000
"""Syntax nodes of a function with its copies: refused above both, as no code seen is."""

MOST_COPIED = 6_000
"""Syntax nodes that follow a `switch` with a `return` in it, in all copies of them. Above it, the `return` stays what
it is: a way out of the function."""


class Effort(Struct):
    """The steps taken so far for one function."""

    once: int = 0
    steps: int = 0

    @property
    def is_spent(self) -> bool:
        return self.steps > self.once + MOST_STEPS

    @property
    def is_overspent(self) -> bool:
        return self.steps > self.once + 2 * MOST_STEPS


def is_too_large(body: c_ast.Node) -> bool:
    """Whether writing the jumps of a body as branches takes too many copies of what follows them."""
    size = written_out(body)
    return size > MOST_WRITTEN_OUT and size > LARGEST_GROWTH * node_count(body)


def is_copied(node: c_ast.Node, rest: list[c_ast.Node]) -> bool:
    """Whether what follows a `switch` is written down in each of its cases: where that is not too much."""
    copies = _copies(node)
    return copies == 1 or copies * _of_list(rest) <= MOST_COPIED


def is_all_copied(body: c_ast.Node) -> bool:
    """Whether that holds wherever a `return` asks for it."""
    blocks = (syntax.items(n) for n in nodes(body, c_ast.Compound))
    return not _has_switch(body) or all(_is_all_copied(block) for block in blocks)


def _is_all_copied(block: list[c_ast.Node]) -> bool:
    return all(is_copied(n, block[i + 1 :]) for i, n in enumerate(block))


def written_out(body: c_ast.Node) -> int:
    """Syntax nodes with their copies: a case that falls through holds what it falls into, and what follows a `switch`
    with a `return` in it stands in each of its cases.

    switch (x) { case 0: a(); case 1: b(); }           a(), b(), and b() again
    """
    return _of_statement(body) if _has_switch(body) else node_count(body)


@of_tree
def _has_switch(body: c_ast.Node) -> bool:
    return bool(nodes(body, c_ast.Switch))


@of_tree
def _of_statement(root: c_ast.Node) -> int:
    return _of_node(root)


def _of_node(root: c_ast.Node) -> int:
    match root:
        case c_ast.Compound():
            return 1 + _of_list(syntax.items(root))
        case c_ast.Switch(cond=cond):
            groups = jumps.cases(root) or [([], syntax.items(root.stmt))]
            return 1 + _of_node(cond) + sum(_of_statement(n) for labels, run in groups for n in (*labels, *run))
        case _:
            return 1 + sum([_of_node(n) for n in root])


def _of_list(block: list[c_ast.Node]) -> int:
    """Of statements in order, counted from the last to the first: no copy is made for it."""
    size = 0
    for node in reversed(block):
        copied = size * _copies(node)
        size = _of_statement(node) + (copied if copied <= MOST_COPIED else size)
    return size


def _copies(node: c_ast.Node | None) -> int:
    """How often what follows a statement is written down."""
    match node:
        case c_ast.If(iftrue=then, iffalse=otherwise):
            left = [jumps.ends_with_jump(arm, "return") for arm in (then, otherwise)]
            return _copies(otherwise if left[0] else then) if any(left) else 1
        case c_ast.Switch() if jumps.has_jump(node, "return"):
            return 1 + len(jumps.plain_cases(node) or ())
        case _:
            return 1
