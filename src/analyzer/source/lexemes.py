"""The lexemes of C as regular expressions."""

from ..base.regex import regex

STRING = r'"(?:[^"\\\n]|\\.)*"'
CHARACTER = r"'(?:[^'\\\n]|\\.)*'"
WORD = (
    rf"(?:L|u8|u|U)?(?:{STRING}|{CHARACTER})"
    r"|[^\W\d][\w$]*|\$[\w$]*"
    r"|\.?\d(?:[eEpP][+-]|[\w.]|'(?=\w))*"
    r"|\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|[-+*/%&|^<>=!]=|&&|\|\||##"
    r"|\S"
)
"""One preprocessing token: a string, a character, an identifier, a number, a punctuator."""

LEXEME = regex(WORD)
IDENTIFIER = regex(r"[^\W\d][\w$]*\Z")
STRUCTURE = regex(rf"[{{}};]|{STRING}|{CHARACTER}")
"""What cuts a text into declarations."""

_OPENING = r"\b(?:__attribute__|__attribute|__asm__|__asm|asm|__declspec|_Alignas)\s*\("
ATTRIBUTE = rf"{_OPENING}(?:[^()]++|\((?:[^()]++|\([^()]*+\))*+\))*+\)"
"""An attribute or assembler name, its brackets nested no deeper than in `__attribute__((nonnull(1)))`."""
_ATTRIBUTE = regex(rf"{_OPENING}|\[\[")
_BRACKET = regex(r"[()]")

_TEXTS = regex(rf"{STRING}|{CHARACTER}")


def without_texts(code: str) -> str:
    """The code with what stands in strings and characters taken out.

    >>> without_texts("fail(\"particle %d (type %d)\", i, 'x')")
    'fail("", i, "")'
    """
    return _TEXTS.sub('""', code) if '"' in code or "'" in code else code


_ADDRESSED = regex(r"&\s*\(*\s*([A-Za-z_]\w*+)(?!\s*(?:\[|->))")


def addressed_names(code: str) -> frozenset[str]:
    """The names behind every `&`, be it one of two operands: to scalars of other names no pointer leads. (`&p[3]` and
    `&p->x` are addresses of other objects.)

    >>> sorted(addressed_names("p = &a; q = b & c; r = d && e; s = &v[3];"))
    ['a', 'c', 'e']
    """
    return frozenset(_ADDRESSED.findall(code))


def without_attributes(text: str) -> str:
    """The text with attributes and assembler names blanked out."""
    if "__a" not in text and "asm" not in text and "[[" not in text and "_Alignas" not in text and "__decl" not in text:
        return text
    pieces: list[str] = []
    position = 0
    while (match := _ATTRIBUTE.search(text, position)) is not None:
        pieces.append(text[position : match.start()])
        position = _after_bracket(text, match.end()) if match[0][-1] == "(" else text.find("]]", match.end()) + 2
        if position < match.end():
            return "".join(pieces)
    return " ".join([*pieces, text[position:]])


def _after_bracket(text: str, start: int) -> int:
    """Offset behind the parenthesis that closes the one before `start`; 0 if nothing does."""
    depth = 1
    for match in _BRACKET.finditer(text, start):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            return match.end()
    return 0
