"""Names for new variables that nobody in a file has, and names exchanged in C texts."""

import re
from collections.abc import Mapping

from ..base.regex import regex
from .edits import Edit, edited
from .text import Text

_WORD = regex(r"[A-Za-z_]\w*")


class Names:
    """All identifiers of a file, and those that were given since."""

    def __init__(self, text: str) -> None:
        self._taken = set(_WORD.findall(text))

    def new(self, wanted: str) -> str:
        """`wanted`, or the first of `wanted2`, `wanted3` ... that is not taken; it is then.

        >>> names = Names("int it;"); names.new("it"), names.new("trip")
        ('it2', 'trip')
        """
        name, number = wanted, 2
        while name in self._taken:
            name, number = f"{wanted}{number}", number + 1
        self._taken.add(name)
        return name


def as_name(code: str) -> str:
    """A part of a name that tells this C text. Example: `q_sum` of `q->sum`."""
    return re.sub(r"\W+", "_", code).strip("_")


def exchanged(code: str, names: Mapping[str, str]) -> str:
    """The text with other names for variables: not of members, and not in strings.

    >>> exchanged("s.i + i", {"i": "i_before"})
    's.i + i_before'
    """
    text = Text(code)
    edits = [
        Edit(token.begin, token.end, names[token.text])
        for k, token in enumerate(text.tokens)
        if token.text in names and not text.is_at(k - 1, ".", "->")
    ]
    return edited(code, edits)


def mentions(code: str, name: str) -> bool:
    """Whether a C text names a variable."""
    text = Text(code)
    return any(t.text == name and not text.is_at(k - 1, ".", "->") for k, t in enumerate(text.tokens))


def occurrences(text: Text, code: str, first: int, stop: int) -> list[tuple[int, int]]:
    """The runs of tokens from `first` to before `stop` that are this expression: first token, and the one behind. Not
    where it is a part of another one: a member of something else, an operand of a postfix operator that binds more.

    Example: `q->sum` in `p.q->sum + q->sum` is only the second one."""
    parts = [t.text for t in Text(code).tokens]
    found = []
    for k in range(first, stop - len(parts) + 1):
        here = [t.text for t in text.tokens[k : k + len(parts)]]
        if here == parts and _is_whole(text, k, parts):
            found.append((k, k + len(parts)))
    return found


def _is_whole(text: Text, k: int, parts: list[str]) -> bool:
    if text.is_at(k - 1, ".", "->"):
        return False
    # no product: nobody multiplies by a pointer
    return parts[0] != "*" or not text.is_at(k + len(parts), "[", ".", "->", "++", "--")
