"""Annotations of a loop in the source: pragmas, the macro it was expanded from, the user's comments."""

import re

from msgspec.structs import replace
from pycparser import c_ast

from ..base.places import Place
from ..ir import nodes as ir
from .context import Context


def annotated(ctx: Context, node: c_ast.Node, loop: ir.Loop) -> ir.Loop:
    """The loop with what stands around it."""
    expansion = ctx.unit.expansion(node)
    return replace(
        loop,
        pragmas=tuple((p.line, p.text) for p in ctx.unit.pragmas_above(node)),
        macro=expansion.macro if expansion else None,
        macro_line=expansion.line if expansion else 0,
        independent=_users_word(ctx, loop.place),
    )


def _users_word(ctx: Context, place: Place) -> str:
    """What `// analyze: independent` says of the loop: of several on one line it means the first."""
    if place.path != ctx.unit.path:
        return ""
    said = next((d for d in ctx.unit.directives if d.kind == "independent" and d.target == place.line), None)
    if said is None:
        return ""
    before = ctx.unit.source_lines[place.line - 1][: place.column - 1]
    return "" if re.search(r"\b(for|while|do)\b", before) else said.text or "independent"

