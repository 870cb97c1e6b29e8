"""Long initializer tables: their length matters, their values do not, and parsing them would dominate the run."""

from pycparser.c_lexer import Token

from .brackets import closing, split
from .tokens import token

LONG = 2000
"""Tokens from which on an initializer is left out."""

_ARITHMETIC = frozenset(
    """char short int long float double signed unsigned const static volatile extern _Bool int8_t int16_t int32_t
    int64_t uint8_t
    uint16_t uint32_t uint64_t size_t""".split()  # noqa: SIM905
)


def without_long_table(tokens: list[Token]) -> list[Token]:
    """The declaration without its initializer, if that is long and its length can be told without parsing it.

    `int t[] = {1, 2, ... }` becomes `int t[N];`. Anything else is given back as it is."""
    start = next((i for i, t in enumerate(tokens) if t.value == "="), None)
    if start is None or len(tokens) - start < LONG or tokens[start + 1].value != "{":
        return tokens
    end = closing(tokens, start + 1)
    if end + 1 >= len(tokens) or tokens[end + 1].value != ";":
        return tokens
    head, tail = tokens[:start], tokens[end + 1 :]
    empty = next((i for i in range(len(head) - 1) if head[i].value == "[" and head[i + 1].value == "]"), None)
    if empty is None:
        return head + tail
    elements = [e for e in split(tokens[start + 2 : end], ",") if e]
    flat = any(e[0].value != "{" for e in elements)
    simple = sum(t.value == "[" for t in head) == 1 and all(t.value in _ARITHMETIC for t in head[: empty - 1])
    if (flat and not simple) or any(e[0].value in ("[", ".") for e in elements):
        return tokens
    return [*head[: empty + 1], token(str(len(elements)), head[empty].column), *head[empty + 1 :], *tail]
