"""Functions for which the linker may take another definition than the one in the file: weak ones, aliases.

    __attribute__((weak)) void on_sample(int i) {}      a default, for those who define no `on_sample` of their own
    #pragma weak on_sample
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
_RENAMING = frozenset(("weak", "redefine_extname"))
"""Pragmas that say so."""


def is_replaceable(
    name: str, declarations: Iterable[Declaration], pragmas: Iterable[PragmaLine], words: frozenset[str] = WEAK
) -> bool:
    """Whether the declarations of a function, or a pragma, say that another definition may stand in for it."""
    heads = (d.code[d.start : d.body] if d.is_function else d.text for d in declarations)
    if any(not words.isdisjoint(_WORD.findall(head)) for head in heads):
        return True
    return any(said[0] in _RENAMING and name in said[1:] for p in pragmas if (said := p.text.split()))
