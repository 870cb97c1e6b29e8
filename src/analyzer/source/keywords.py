"""Keywords of C23, as C11 has them.

*Decides*: which words are keywords: those of C23 where the compiler says that it reads C23, as gcc does from version 15
on unless it is told otherwise. A text that declares one of them is older than that: there it stays a name.
*Does not handle*: `typeof_unqual`, decimal floating types.

    constexpr bool full = true;         ->  const _Bool full = 1;
    p = nullptr;                        ->  p = ((void *)0);
"""

from collections.abc import Container, Iterable, Iterator, Mapping

from pycparser.c_lexer import Token

from .listing import MacroEvent
from .tokens import token

FIRST_C23 = 202000
"""`__STDC_VERSION__` of compilers for what became C23 (202311); C17 has 201710."""

C11 = {
    "bool": ("_Bool",),
    "true": ("1",),
    "false": ("0",),
    "nullptr": ("(", "(", "void", "*", ")", "0", ")"),
    "constexpr": ("const",),
    "alignas": ("_Alignas",),
    "alignof": ("_Alignof",),
}


def keywords(macros: Mapping[str, list[MacroEvent]], declared: Container[str]) -> frozenset[str]:
    """The words that are keywords in a text. `declared`: names that it declares itself. Example: {"bool", ...}."""
    said = macros.get("__STDC_VERSION__")
    version = (said[-1].text or "").strip().rstrip("Ll") if said else ""
    if not version.isdigit() or int(version) < FIRST_C23 or any(word in declared for word in C11):
        return frozenset()
    return frozenset(C11)


def as_c11(tokens: Iterable[Token], words: Container[str]) -> Iterator[Token]:
    """The tokens, with others in place of these keywords. Example: see the module."""
    for each in tokens:
        if each.value in words:
            yield from (token(word, each.column) for word in C11[each.value])
        else:
            yield each
