"""C text as identifiers of isl, with a legend of what was renamed."""

import re
from collections.abc import Hashable

WORDS = """
and or not exists implies mod floor ceil floord ceild max min rat infty infinity NaN true false lex card domain
range source last under before any write read print typeof vertices ub lb sum pow sample codegen wrap unwrap
deltas poly lexmin lexmax coalesce cross dom ran identity zip curry convert schedule
"""
RESERVED = frozenset(WORDS.split())
"""Words that isl or iscc read as something else."""


class Names:
    """One identifier per key, close to the text it stands for; no two keys share one."""

    def __init__(self) -> None:
        self._given: dict[Hashable, str] = {}
        self._taken: dict[str, str] = {}

    def of(self, key: Hashable, text: str) -> str:
        """The identifier of `key`, whose C text is `text`. Example: `of(1, "g->n")` is `g_n`."""
        if key not in self._given:
            stem = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_") or "x"
            if stem in RESERVED or not (stem[0].isalpha() or stem[0] == "_"):
                stem = f"{stem}_" if stem in RESERVED else f"v{stem}"
            name, n = stem, 1
            while name in self._taken:
                n += 1
                name = f"{stem}_{n}"
            self._given[key], self._taken[name] = name, text
        return self._given[key]

    def renamed(self) -> list[tuple[str, str]]:
        """Identifier and C text of those that differ."""
        return [(name, text) for name, text in self._taken.items() if name != text]
