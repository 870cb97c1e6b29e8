"""Gives the chosen declarations to pycparser, one by one, so that a bad one loses only itself."""

import re
from collections.abc import Iterable

from msgspec import Struct
from pycparser import c_ast
from pycparser.c_lexer import Token
from pycparser.c_parser import CParser, ParseError

from ..base.regex import regex
from .tokens import TokenFeed, token

# Type names that the compiler knows without a declaration.
BUILTIN_TYPES = frozenset(
    """__builtin_va_list __uint128_t __int128_t _Float16 __fp16 __bf16 _Float32 _Float64 _Float128 _Float32x
    _Float64x __float80 __float128 _Decimal32 _Decimal64 _Decimal128""".split()  # noqa: SIM905
)

_AT = regex(r"^(?:.*?:)?(\d+):(\d+): (.*)$", re.DOTALL)


class Refusal(Struct, frozen=True):
    """`offset` is None where pycparser does not say."""

    message: str
    offset: int | None

    @property
    def where(self) -> str:
        """What goes behind "syntax not understood": ` before: {`, or what else the parser says, in brackets."""
        return f" {self.message}" if self.message.startswith("before") else f" ({self.message.lower()})"


class Parser:
    """pycparser with a typedef scope that outlives a declaration."""

    def __init__(self) -> None:
        self.typedefs: set[str] = set(BUILTIN_TYPES)
        self._parser = CParser(lexer=TokenFeed)

    def parse(self, tokens: list[Token]) -> list[c_ast.Node] | Refusal:
        """The syntax trees of one declaration (several for `int a, b;`)."""
        found = self._parsed(tokens)
        for item in tokens if isinstance(found, Refusal) else ():
            if item.type == "TYPEID":
                item.type = "ID"  # pycparser marks the tokens themselves: the next reading begins anew
        return found

    def _parsed(self, tokens: list[Token]) -> list[c_ast.Node] | Refusal:
        known = sorted({t.value for t in tokens if t.value in self.typedefs})
        feed = self._parser.clex
        feed.load([*_declare(known), *tokens])
        try:
            nodes: list[c_ast.Node] = self._parser.parse("").ext[len(known) :]
        except ParseError as error:
            return _refusal(str(error))
        except (ValueError, AssertionError, AttributeError, IndexError, TypeError) as error:
            return Refusal(f"the parser cannot read this ({error})", None)
        except RecursionError:
            return Refusal("expressions or blocks are nested too deeply", None)
        if any(isinstance(n, c_ast.FuncDef) and not isinstance(n.decl.type, c_ast.FuncDecl) for n in nodes):
            return Refusal("before: {", None)  # pycparser takes a body for any declarator
        self.typedefs.update(n.name for n in nodes if isinstance(n, c_ast.Typedef) and n.name)
        return nodes


def _declare(names: Iterable[str]) -> list[Token]:
    """`typedef int NAME;` for each name, at no place."""
    return [token(word, -1) for name in names for word in ("typedef", "int", name, ";")]


def _refusal(message: str) -> Refusal:
    match = _AT.match(message)
    if not match:
        return Refusal(message.strip(": "), None)
    return Refusal(match[3], int(match[2]))
