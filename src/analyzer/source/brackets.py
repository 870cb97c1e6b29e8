"""Finding one's way in a list of tokens by its brackets."""

from collections.abc import Sequence

from pycparser.c_lexer import Token

_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


def closing(tokens: Sequence[Token], index: int) -> int:
    """Index of the bracket that closes the one at `index` (the last index if nothing does)."""
    depth = 0
    for position in range(index, len(tokens)):
        value = tokens[position].value
        if value in _OPENING:
            depth += 1
        elif value in _CLOSING:
            depth -= 1
            if depth <= 0:
                return position
    return len(tokens) - 1


def split(tokens: Sequence[Token], separator: str) -> list[list[Token]]:
    """The parts between separators that stand outside of brackets: `a, f(b, c)` is two parts."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for item in tokens:
        depth += (item.value in _OPENING) - (item.value in _CLOSING)
        if depth == 0 and item.value == separator:
            parts.append([])
        else:
            parts[-1].append(item)
    return parts


def find(tokens: Sequence[Token], index: int, wanted: frozenset[str]) -> int:
    """Index of the first token of `wanted` outside of brackets, from `index` on; the length if there is none."""
    depth = 0
    for position in range(index, len(tokens)):
        value = tokens[position].value
        if depth == 0 and value in wanted:
            return position
        depth += (value in _OPENING) - (value in _CLOSING)
        if depth < 0:
            return position
    return len(tokens)
