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
        pragmas=_pragmas(ctx, loop.place),
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


def _pragmas(ctx: Context, place: Place) -> tuple[tuple[int, str], ...]:
    """`omp` and `acc` pragmas above the loop, with nothing but comments and blank lines between."""
    by_line = {p.line: p.text for p in ctx.unit.pragmas}
    source = ctx.unit.source_lines if place.path == ctx.unit.path else []
    found = []
    for line in range(place.line - 1, 0, -1):
        if line in by_line:
            found.append((line, by_line[line]))
        elif line > len(source) or not _says_nothing(source[line - 1]):
            break
    return tuple(reversed(found))


def _says_nothing(line: str) -> bool:
    """A blank line, a comment, or the continuation of a pragma."""
    text = line.strip()
    return not text or text.startswith(("//", "/*", "*")) or text.endswith("\\")
