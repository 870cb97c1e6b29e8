"""Annotations of a loop in the source: pragmas, the macro it was expanded from, what the user says of it."""

from collections.abc import Iterator

from msgspec.structs import replace
from pycparser import c_ast

from ..base.places import Place
from ..ir import nodes as ir
from ..settings.facts import Fact
from ..source.nodes import nodes
from ..source.unit import Unit
from . import syntax
from .context import Context


def annotated(ctx: Context, node: c_ast.Node, loop: ir.Loop) -> ir.Loop:
    """The loop, of which the variable is known, with what stands around it and what is said of it elsewhere."""
    expansion = ctx.unit.expansion(node)
    said = list(_facts(ctx, node, loop))
    word = next((fact for fact in said if fact.kind == "independent"), None)
    return replace(
        loop,
        pragmas=tuple((p.line, p.text) for p in ctx.unit.pragmas_above(node)),
        macro=expansion.macro if expansion else None,
        macro_line=expansion.line if expansion else 0,
        independent=word.text or "independent" if word is not None else "",
        said_by=word.source if word is not None else "",
        holding=tuple(fact.text for fact in said if fact.kind == "holds"),
    )


def _facts(ctx: Context, node: c_ast.Node, loop: ir.Loop) -> Iterator[Fact]:
    """What the user says of the loop: what is said of a line means its first loop."""
    function = ctx.calls[-1] if ctx.calls else ctx.definition.name
    for fact in ctx.unit.facts:
        meant = fact.is_of(loop.place.path, function) and fact.loop in (None, loop.variable, loop.place.line)
        if meant and (not isinstance(fact.loop, int) or _is_first(ctx.unit, node, loop.place)):
            yield fact


def _is_first(unit: Unit, node: c_ast.Node, place: Place) -> bool:
    """Whether no other loop stands before it on its line, or in the macro that makes both."""
    known: dict[tuple[str, int], int] = unit.__dict__.setdefault("_first_loops", {})
    if not known:
        trees = (d.node for d in unit.functions if d.node is not None)
        for each in (n for tree in trees for n in nodes(tree, *syntax.LOOPS) if not syntax.is_once(n)):
            at = unit.place(each)
            known[at.path, at.line] = min(_offset(each), known.get((at.path, at.line), _offset(each)))
    return _offset(node) == known.get((place.path, place.line))


def _offset(node: c_ast.Node) -> int:
    return node.coord.column if node.coord is not None else 0
