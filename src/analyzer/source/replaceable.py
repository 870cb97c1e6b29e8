"""What the heads of functions say: that the linker may take another definition than the one in the file (weak ones,
aliases), or that a function does not come back.

    __attribute__((weak)) void on_sample(int i) {}      a default, for those who define no `on_sample` of their own
    #pragma weak on_sample
    void stop(const char *) __attribute__((noreturn));
"""

from collections.abc import Iterable

from ..base.regex import regex
from .declarations import Declaration
from .listing import PragmaLine

_WORD = regex(r"[A-Za-z_]\w*")
WEAK = frozenset(("weak", "__weak__", "alias", "__alias__", "ifunc", "__ifunc__"))
"""Words in the declarations of a function that another definition may stand in for."""
ALSO_INLINE = WEAK | {"inline", "__inline", "__inline__", "asm", "__asm__"}
"""Those for which another file may see another function of the name."""
_NO_RETURN = frozenset(("noreturn", "__noreturn__", "_Noreturn"))
_RENAMING = frozenset(("weak", "redefine_extname"))
"""Pragmas that say so."""


def is_replaceable(
    name: str, declarations: Iterable[Declaration], pragmas: Iterable[PragmaLine], words: frozenset[str] = WEAK
) -> bool:
    """Whether the declarations of a function, or a pragma, say that another definition may stand in for it."""
    if _says_one_of(words, declarations):
        return True
    return any(said[0] in _RENAMING and name in said[1:] for p in pragmas if (said := p.text.split()))


def says_no_return(declarations: Iterable[Declaration]) -> bool:
    """Whether the declarations of a function say that it never comes back."""
    return _says_one_of(_NO_RETURN, declarations)


def _says_one_of(words: frozenset[str], declarations: Iterable[Declaration]) -> bool:
    heads = (d.code[d.start : d.body] if d.is_function else d.text for d in declarations)
    return any(not words.isdisjoint(_WORD.findall(head)) for head in heads)
