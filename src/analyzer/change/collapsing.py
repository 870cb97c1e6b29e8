"""How many loops of a nest a directive may take for one.

*Decides*: the loops from the chosen one inwards that are the whole body of the one around them, parallel without
conditions, with headers that OpenMP takes and bounds that the loops around them do not move.
*Errs toward* 1.

    for (i...) for (j = 0; j < m; j++) c[i][j] = 0;        ->  2
    for (i...) for (j = 0; j < i; j++) c[i][j] = 0;        ->  1: a triangle
"""

from collections.abc import Sequence

from ..report.loop_entries import LoopEntry
from .text import Text, UnreadableError


def collapsed(text: Text, loops: Sequence[LoopEntry], outermost: LoopEntry) -> int:
    """`loops`: all of the file. Example: see the module."""
    count, loop, moving = 1, outermost, {outermost.variable}
    while (inner := _only_one(text, loops, loop)) is not None and _joins(text, inner, outermost, moving):
        count, loop, moving = count + 1, inner, {*moving, inner.variable}
    return count


def _only_one(text: Text, loops: Sequence[LoopEntry], loop: LoopEntry) -> LoopEntry | None:
    """The loop that is the body."""
    inside = [each for each in loops if each.parent == loop.id]
    if len(inside) != 1:
        return None
    try:
        first, inner = text.at(loop.line, loop.column), text.at(inside[0].line, inside[0].column)
        body = text.closing(first + 1) + 1
        while text.is_at(body, "{") and text.closing(body) == text.after(inner):
            body += 1
    except UnreadableError:
        return None
    return inside[0] if body == inner and text.is_at(first, "for") else None


def _joins(text: Text, inner: LoopEntry, outermost: LoopEntry, moving: set[str | None]) -> bool:
    plain = inner.parallel == "yes" and not inner.rewrites and not inner.inductions and not inner.last_private
    sums = {(r.operator, r.variable) for r in outermost.reductions}
    if not plain or inner.expansion is not None or any((r.operator, r.variable) not in sums for r in inner.reductions):
        return False
    first = text.at(inner.line, inner.column)
    if not text.is_at(first, "for"):
        return False
    header = {t.text for t in text.tokens[first + 2 : text.closing(first + 1)]}
    moves = inner.variable in moving or bool(header & moving) or any(_is_macro(text, word) for word in header)
    return not moves and "!=" not in header  # which OpenACC does not take


def _is_macro(text: Text, word: str) -> bool:
    """Whether a macro with parameters, or of more than a number, may name what moves."""
    defined = text.macro(word)
    return defined is not None and any(part.isidentifier() for part in defined.replace("(", " ").split())
