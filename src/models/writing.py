"""Times as text of the grammar of `expr.text`, as they are computed: without the normal form, which costs more.

A reader evaluates the text with doubles and gets the time for any sizes; a page does (JavaScript), tests do.
"""

from typing import Final

from .expr import Expr, Num, Sym, to_text
from .values import Tree, Value

SUM, PRODUCT, ATOM = 0, 1, 2
"""How strongly a text binds."""

Text = tuple[str, int]
Known = dict[int, tuple[object, Text]]
_WHOLE: Final = 2.0**53
_NEGATED: Final = "(-1)*"


def written(value: Value | Expr, known: Known | None = None) -> str:
    """The value as a formula; `known` keeps the texts of its parts, for other values that share them.

    Example: of `Tree("*", (2.5, Tree("+", (n, 1.0))))` it is `2.5*(n + 1)`."""
    return _text(value, {} if known is None else known)[0]


def _text(value: Value | Expr, known: Known) -> Text:
    if isinstance(value, float | int):
        return _number(value)
    if not isinstance(value, Tree):
        return to_text(value), ATOM if isinstance(value, Sym) else _strength(value)
    found = known.get(id(value))
    if found is None:
        found = known[id(value)] = (value, _joined(value.operation, [_text(part, known) for part in value.arguments]))
    return found[1]


def _strength(expr: Expr) -> int:
    return ATOM if isinstance(expr, Num) and isinstance(expr.value, int) and expr.value >= 0 else SUM


def _number(value: float) -> Text:
    text = str(int(value)) if value == int(value) and abs(value) < _WHOLE else repr(value)
    return text, ATOM if value >= 0 else SUM


def _joined(operation: str, parts: list[Text]) -> Text:
    if operation in ("max", "min"):
        return f"{operation}({', '.join(text for text, _ in parts)})", ATOM
    if operation == "if":
        (condition, _), (then, _), (otherwise, _) = parts
        return f"({then} if {condition} >= 0 else {otherwise})", ATOM
    if len(parts) == 1:
        return parts[0]
    if operation == "+":
        return "".join(_added(text) for text, _ in parts).removeprefix(" + ").lstrip(), SUM
    first = _bracketed(parts[0], PRODUCT)
    return first + operation + operation.join(_bracketed(part, ATOM) for part in parts[1:]), PRODUCT


def _added(text: str) -> str:
    """A part of a sum, with its sign: what is subtracted is a product with -1."""
    if text.startswith(_NEGATED):
        return f" - {text.removeprefix(_NEGATED)}"
    return f" + ({text})" if text.startswith("-") else f" + {text}"


def _bracketed(part: Text, least: int) -> str:
    text, strength = part
    return text if strength >= least else f"({text})"
