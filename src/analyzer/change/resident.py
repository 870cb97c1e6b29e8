"""Loops that run on the device whenever they run, with their data there already.

*Decides*: whether nothing of a loop is done on the host, whatever its sizes: neither under a condition that does not
hold, nor in its header, nor in front of it or behind it. Where data stays on the device around such a loop, the host
does not miss what it does.
*Errs toward* no.

    #pragma omp target teams distribute parallel for if(n > 2) map(...)    yes: nothing is done for other n
    for (i = 1; i < n - 1; i++)
    #pragma omp target teams distribute parallel for if(m > 0) map(...)    no: b is filled for other m, if there are any
    for (i = 0; i < n; i++) { b[i] = 0; for (j = 0; j < m; j++) b[i] += a[j]; }
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from models.expr import ExprSyntaxError, evaluate, free_symbols, parse

from ..report.loop_entries import LoopEntry, Number
from .chosen import is_in_scope
from .conditions import with_sections
from .text import Text
from .wanted import Wanted

_REWRITES = frozenset(("canonical-loop", "atomic"))
_OPERANDS = frozenset((")", "]"))


def resident(
    text: Text, loops: Sequence[LoopEntry], loop: LoopEntry, wanted: Wanted, sizes: Mapping[str, Number] | None
) -> Wanted | None:
    """What is written at a loop that stays on the device, or None where parts of it may run on the host. `loops`: all
    of the file; `sizes`: that every call of the function passes, of a loop that the program has there (None: it pays
    by itself)."""
    condition = with_sections(text, loop, None)
    if wanted.tested or wanted.pointers or (sizes is None and wanted.condition != condition):
        return None
    idle = {trip for each in _nested(text, loops, loop) if (trip := _trip(each)) is not None}
    positive = {_plain(p) for p in (loop.on_device.positive if loop.on_device is not None else ())}
    if not all(_is_known(text, loop, p, sizes or {}) for p in positive - idle):
        return None
    if any(not m.name.isidentifier() or _is_checked(text, loop, m.name) for m in loop.maps):
        return None
    if any(r.kind not in _REWRITES for r in loop.rewrites) or any(map(_reaches, _evaluated(loop))):
        return None
    if any(_header_reaches(text, each) for each in _nested(text, loops, loop)):
        return None
    return replace(wanted, condition=condition)


def _nested(text: Text, loops: Sequence[LoopEntry], loop: LoopEntry) -> Iterator[LoopEntry]:
    """The loop, and those that are the whole body of the one around them."""
    yield loop
    inside = [each for each in loops if each.parent == loop.id]
    body = text.closing(text.at(loop.line, loop.column) + 1) + 1
    while text.is_at(body, "{"):
        body += 1
    if len(inside) == 1 and text.is_at(body, "for") and text.at(inside[0].line, inside[0].column) == body:
        first = text.at(loop.line, loop.column)
        end = text.after(body)
        if all(text.is_at(k, "}") for k in range(end, text.after(first))):
            yield from _nested(text, loops, inside[0])


def _trip(loop: LoopEntry) -> str | None:
    """How often the loop runs, as a map would say it."""
    count = loop.trip_count
    if count is None or count.abridged is not None or count.expr is None:
        return None
    return _plain(re.sub(r"^max\(0, (.*)\)$", r"\1", count.expr.text))


def _is_known(text: Text, loop: LoopEntry, positive: str, sizes: Mapping[str, Number]) -> bool:
    """Whether a value is greater than 0 in every call."""
    try:
        value = parse(positive)
        names = free_symbols(value)
        known = all(name in sizes and is_in_scope(text, loop, name) for name in names)
        return known and bool(evaluate(value, {name: sizes[name] for name in names}) > 0)
    except (ExprSyntaxError, ArithmeticError):
        return False


def _plain(code: str) -> str:
    return code.replace("(long long)", "").replace(" ", "")


def _is_checked(text: Text, loop: LoopEntry, name: str) -> bool:
    """Whether the loop asks for a pointer before it uses what that leads to."""
    first = text.at(loop.line, loop.column)
    places = [k for k in range(first, text.after(first)) if text.is_at(k, name)]
    exact = all(m.exact or m.length is None for m in loop.maps if m.name == name)
    return not exact and any(not text.is_at(k + 1, "[", "->") for k in places)


def _evaluated(loop: LoopEntry) -> Iterator[str]:
    """What is worked out on the host: sections, and values of variables before the loop and behind it."""
    for m in loop.maps:
        yield from filter(None, (m.first, m.length))
    for each in loop.inductions:
        yield from filter(None, (each.start, each.step, each.after))
    for rewrite in loop.rewrites:
        yield from filter(None, (rewrite.trip, rewrite.before))


def _reaches(code: str) -> bool:
    """Whether C text reads memory."""
    return "[" in code or "->" in code or re.search(r"(^|[(,=+\-/%<>&|!~])\s*\*", code) is not None


def _header_reaches(text: Text, loop: LoopEntry) -> bool:
    """Whether the bounds of the loop are read from memory, as far as its text or its formulas tell."""
    if any(map(_reaches, filter(None, (loop.lower, loop.upper, loop.step)))):
        return True
    first = text.at(loop.line, loop.column)
    header = range(first + 2, text.closing(first + 1))
    return any(
        text.is_at(k, "[", "->") or (text.is_at(k, "*") and not _is_operand(text, k - 1)) or _is_macro(text, k)
        for k in header
    )


def _is_operand(text: Text, k: int) -> bool:
    word = text.tokens[k].text
    return word in _OPERANDS or re.match(r"\w", word) is not None


def _is_macro(text: Text, k: int) -> bool:
    """Whether a macro of the file that reads memory stands there."""
    return _reaches(text.macro(text.tokens[k].text) or "")
