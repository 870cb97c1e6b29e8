"""Times as text of the grammar of `expr.text`, as they are computed: without the normal form, which costs more.

A reader evaluates the text with doubles and gets the time for any sizes; a page does (JavaScript), tests do.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

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


class Shared(Struct, frozen=True):
    """`texts` of several values, in which `#3` stands for the fourth of `parts`; parts are written in earlier ones."""

    texts: tuple[str, ...]
    parts: tuple[str, ...]


def shared(values: Sequence[Value | Expr]) -> Shared:
    """The values as formulas in which long parts that they have in common are written once: the times of one loop at
    several devices are made of the same counts, and written out each would be as long as all of them.

    Example: of `n*m*k/a + 1.5` and `n*m*k/a + 2.5` the texts are "`#0` + 1.5" and "`#0` + 2.5", were `n*m*k/a` longer
    than WORTH_SHARING."""
    writing = _Sharing()
    places = [writing.place(value) for value in values]
    for place in places:
        writing.uses[place] += 1
    return Shared(tuple(writing.text(place)[0] for place in places), tuple(writing.parts))


WORTH_SHARING = 24
"""Characters of a text that is shorter to refer to."""


class _Sharing:
    """Values by what they are, each once: `places` has the number of each, `nodes` its operation and parts, or its text
    where it has none. Built from the leaves up, so that a part is before what it is a part of."""

    def __init__(self) -> None:
        self.places: dict[object, int] = {}
        self.nodes: list[tuple[str, tuple[int, ...]] | Text] = []
        self.uses: Counter[int] = Counter()
        self.parts: list[str] = []
        self._known: Known = {}
        self._seen: dict[int, tuple[object, int]] = {}
        self._texts: dict[int, Text] = {}

    def place(self, value: Value | Expr) -> int:
        seen = self._seen.get(id(value))
        if seen is None:
            seen = self._seen[id(value)] = (value, self._new(value))
        return seen[1]

    def _new(self, value: Value | Expr) -> int:
        if not isinstance(value, Tree):
            leaf = _text(value, self._known)
            return self._kept(leaf, leaf, ())
        parts = tuple(map(self.place, value.arguments))
        return parts[0] if len(parts) == 1 else self._kept((value.operation, parts), (value.operation, parts), parts)

    def _kept(self, key: object, node: tuple[str, tuple[int, ...]] | Text, parts: tuple[int, ...]) -> int:
        place = self.places.setdefault(key, len(self.nodes))
        if place == len(self.nodes):
            self.nodes.append(node)
            self.uses.update(parts)
        return place

    def text(self, place: int) -> Text:
        """Of a value, after the uses of all are known."""
        found = self._texts.get(place)
        if found is None:
            operation, parts = self.nodes[place]
            found = (operation, parts) if isinstance(parts, int) else _joined(operation, [self.text(p) for p in parts])
            if self.uses[place] > 1 and len(found[0]) > WORTH_SHARING:
                self.parts.append(found[0])
                found = (f"`#{len(self.parts) - 1}`", ATOM)
            self._texts[place] = found
        return found


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
