"""Object-like macros whose value is an integer: they are what programs call their sizes."""

from collections.abc import Callable, Mapping

from ..base.regex import regex
from .listing import MacroEvent

_NUMBER = regex(r"\s*\(*\s*(-?)\s*(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9]\d*)[uUlL]*\s*\)*\s*\Z")
_EXPRESSION = regex(r"[\w\s()+\-*/%<>=!&|^~?:]+\Z")
_NAME = regex(r"[A-Za-z_]\w*")
_DEEPEST = 200
_LONGEST = 2000
_MOST_DIGITS = 64


def integer_macros(
    macros: Mapping[str, list[MacroEvent]],
    is_own: Callable[[MacroEvent], bool],
    evaluate: Callable[[str], int | None],
) -> dict[str, int]:
    """Value of each object-like macro of the project that is an integer constant expression, as last defined.

    `evaluate` gives the value of the C text of an expression without names."""
    found: dict[str, int] = {}
    known: dict[str, str | None] = {}
    for name, events in macros.items():
        last = events[-1]
        if last.text is None or last.text.startswith("(") or not is_own(last):
            continue
        value = _value(last.text, macros, evaluate, known)
        if value is not None:
            found[name] = value
    return found


def _value(
    text: str,
    macros: Mapping[str, list[MacroEvent]],
    evaluate: Callable[[str], int | None],
    known: dict[str, str | None],
) -> int | None:
    number = _NUMBER.match(text)
    if number and len(number[2]) <= _MOST_DIGITS:
        digits = number[2]
        base = 8 if digits[0] == "0" and len(digits) > 1 and digits[1] in "01234567" else 0
        return int(number[1] + digits, base)
    expanded = _expand(text, macros, _DEEPEST, known)
    if expanded is None or not _EXPRESSION.match(expanded):
        return None
    return evaluate(expanded)


def _expand(
    text: str, macros: Mapping[str, list[MacroEvent]], depth: int, known: dict[str, str | None]
) -> str | None:
    """The text with every name replaced by what it stands for; None if a name is no object-like macro. `known`: what
    names stand for that were looked at already, each once."""
    if depth == 0 or len(text) > _LONGEST:
        return None
    pieces: list[str] = []
    position = 0
    for match in _NAME.finditer(text):
        if match.start() and text[match.start() - 1].isdigit():
            continue
        name = match[0]
        if name not in known:
            events = macros.get(name)
            body = events[-1].text if events else None
            known[name] = None  # while it is looked at: one that leads to itself stands for nothing
            known[name] = None if body is None or body.startswith("(") else _expand(body, macros, depth - 1, known)
        inner = known[name]
        if inner is None:
            return None
        pieces += [text[position : match.start()], inner]
        position = match.end()
    return "".join(pieces) + text[position:] if sum(map(len, pieces)) < _LONGEST else None
