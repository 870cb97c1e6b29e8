"""Rewrites of a whole file: every place where one can be applied, or those that chance chooses."""

import copy
import random
from collections.abc import Callable, Container, Sequence

from pycparser import c_ast

from .function_rewrites import FUNCTION_REWRITES
from .loop_rewrites import LOOP_REWRITES
from .memory_rewrites import MEMORY_REWRITES
from .scene import Mark, Rewrite, Scene
from .statement_rewrites import STATEMENT_REWRITES
from .syntax import Scope, replaced

REWRITES = (*LOOP_REWRITES, *STATEMENT_REWRITES, *MEMORY_REWRITES, *FUNCTION_REWRITES)


def rewritten(
    file: c_ast.FileAST,
    rewrites: Sequence[Rewrite],
    rng: random.Random | None = None,
    parallel: Container[Mark] = (),
) -> tuple[c_ast.FileAST, set[str]]:
    """A copy of the file after these rewrites, one after the other, at all places or (`rng`) at half of them; and the
    functions that they changed."""
    file, changed = copy.deepcopy(file), set[str]()
    for rewrite in rewrites:
        ext: list[c_ast.Node] = []
        for x in file.ext:
            if isinstance(x, c_ast.FuncDef):
                chosen = (lambda: rng.random() < 0.5) if rng else (lambda: True)
                scene = Scene(file, x, Scope(x, file), chosen, parallel, 100 * rewrites.index(rewrite))
                if _apply(rewrite, scene):
                    changed.add(x.decl.name)
                ext += scene.added
            ext.append(x)
        file = c_ast.FileAST(ext)
    return file, changed


def _apply(rewrite: Rewrite, scene: Scene) -> int:
    """At how many places."""
    if rewrite.of == "function":
        return int(bool(rewrite.change(scene)))  # type: ignore[call-arg,arg-type]
    places = 0

    def change(node: c_ast.Node) -> c_ast.Node:
        nonlocal places
        if not scene.chosen():
            return node
        new = rewrite.change(node, scene)  # type: ignore[call-arg,arg-type]
        places += new is not None
        return node if new is None else new

    scene.function.body = replaced(scene.function.body, change if rewrite.of == "expression" else _items(change))
    return places


def _items(change: Callable[[c_ast.Node], c_ast.Node]) -> Callable[[c_ast.Node], c_ast.Node]:
    """The change, of the statements of blocks only."""

    def blocks(node: c_ast.Node) -> c_ast.Node:
        if isinstance(node, c_ast.Compound) and node.block_items:
            node.block_items = [change(x) for x in node.block_items]
        return node

    return blocks
