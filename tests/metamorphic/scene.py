"""Where a rewrite happens, what it promises, and the small pieces of C that rewrites put together."""

import copy
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pycparser import c_ast, c_parser

from .syntax import Scope, replaced, walk

Mark: TypeAlias = tuple[str, int]
"""The name of a function, and the place of a loop among the loops in it."""


@dataclass
class Scene:
    """One function of one file. `parallel`: marks of the loops whose order is said not to matter; `fresh` names are
    used nowhere else; `added` are functions and types that the rewrite puts before this one."""

    file: c_ast.FileAST
    function: c_ast.FuncDef
    scope: Scope
    chosen: Callable[[], bool] = lambda: True
    parallel: Container[Mark] = ()
    made: int = 0
    added: list[c_ast.Node] = field(default_factory=list)

    def fresh(self, stem: str) -> str:
        self.made += 1
        return f"{stem}_{self.function.decl.name}_{self.made}"


Local: TypeAlias = Callable[[c_ast.Node, Scene], c_ast.Node | None]
"""The statement or expression that replaces this one; None where the rewrite has nothing to say."""
Whole: TypeAlias = Callable[[Scene], bool]
"""Changes a function in place; whether it did."""

COUNTS = frozenset(
    (
        *("trip_count", "iterations", "int_ops", "fp_other", "flops_fp32", "flops_fp64", "fma_fp32", "fma_fp64"),
        *("loads", "stores", "bytes_loaded", "bytes_stored", "footprint", "read_footprint", "write_footprint"),
    )
)
MOVED = frozenset({"loads", "stores", "bytes_loaded", "bytes_stored"})


@dataclass(frozen=True)
class Rewrite:
    """`keeps`: the counts that stay the same, where sizes are at least `least`. `weaker`: a loop that carries a
    dependence may lose it (its iterations are fewer and larger), so that `no` may become `yes`. `forgets`: the kind of
    assumption that can no more be made, so that a `yes` that rests on it may become `no`."""

    name: str
    change: Local | Whole
    of: Literal["statement", "expression", "function"] = "statement"
    keeps: frozenset[str] = COUNTS
    weaker: bool = False
    least: int = 0
    forgets: str = ""


def c(text: str, **parts: c_ast.Node) -> c_ast.Node:
    """The expression or statement of a C text in which names stand for these parts."""
    source = f"void f(void) {{ {text if text.endswith((';', '}')) else text + ';'} }}"
    items = c_parser.CParser().parse(source).ext[0].body.block_items
    found = items[0] if len(items) == 1 else c_ast.Compound(items)
    return filled(found, parts)


def filled(node: c_ast.Node, parts: dict[str, c_ast.Node]) -> c_ast.Node:
    """The tree with names exchanged for copies of parts; the first use of a part is the part itself, so that loops
    keep their marks."""
    used: set[str] = set()

    def change(x: c_ast.Node) -> c_ast.Node:
        if not (isinstance(x, c_ast.ID) and x.name in parts):
            return x
        part = parts[x.name]
        if x.name not in used:
            used.add(x.name)
            return part
        return copy.deepcopy(part)

    for x in walk(node):
        x.coord = None
    return replaced(node, change)


def declaration(name: str, type: c_ast.Node, init: c_ast.Node | None = None) -> c_ast.Decl:
    """`type name = init;`"""
    shape = copy.deepcopy(type)
    inner = shape
    while not isinstance(inner, c_ast.TypeDecl):
        inner = inner.type
    inner.declname, inner.quals = name, []
    return c_ast.Decl(name, [], [], [], [], shape, init, None)


def pointer(to: c_ast.Node) -> c_ast.PtrDecl:
    return c_ast.PtrDecl([], copy.deepcopy(to))


def number(value: int) -> c_ast.Constant | c_ast.UnaryOp:
    return c_ast.Constant("int", str(value)) if value >= 0 else c_ast.UnaryOp("-", c_ast.Constant("int", str(-value)))
