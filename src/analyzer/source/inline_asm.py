"""Inline assembly as a call of a function that nobody knows: it may do anything to memory and to its operands.

asm volatile("lock; addl %1,%0" : "+m"(x) : "r"(n) : "memory");
__boathull_asm(&(x), (n));
"""

from pycparser.c_lexer import Token

from .brackets import closing, split
from .tokens import token

ASM = "__boathull_asm"


def asm_call(tokens: list[Token], start: int, opening: int) -> tuple[list[Token], int]:
    """The statement that stands for the assembly whose keyword is at `start` and whose parenthesis is at `opening`, and
    the index behind it. The labels of `asm goto` become jumps that may be taken."""
    offset = tokens[start].column
    end = closing(tokens, opening)
    sections = split(tokens[opening + 1 : end], ":")
    outputs = [_operand(o, "&", offset) for o in split(sections[1], ",")] if len(sections) > 1 else []
    inputs = [_operand(o, "", offset) for o in split(sections[2], ",")] if len(sections) > 2 else []
    call = [token(ASM, offset), token("(", offset)]
    for position, operand in enumerate(o for o in outputs + inputs if o):
        call += [token(",", offset)] * (position > 0) + operand
    call.append(token(")", offset))
    labels = sections[4] if len(sections) > 4 else []
    statement: list[Token] = []
    for label in (t for t in labels if t.value != ","):
        words = ["if", "(", *call, ")", "goto", label, ";"]
        statement += [w if isinstance(w, Token) else token(w, offset) for w in words]
    return statement + call, end + 1


def _operand(tokens: list[Token], prefix: str, offset: int) -> list[Token]:
    """`[name] "constraint" (expression)` as an argument."""
    index = next((i for i, t in enumerate(tokens) if t.value == "("), None)
    if index is None:
        return []
    return [token(prefix, offset)] * bool(prefix) + tokens[index : closing(tokens, index) + 1]
