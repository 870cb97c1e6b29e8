"""Our own comments in the source: `// analyze: ignore[RULE] reason`, `size N=4096`, `independent reason`, `holds
injective(place)`."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from typing import cast

from ..base.places import Place
from ..base.regex import regex
from ..settings.facts import Fact, FactKind
from .original import comments, logical_lines
from .unit import Directive, DirectiveKind

KINDS: tuple[DirectiveKind, ...] = ("ignore", "size", "independent", "holds")
OF_LOOPS = ("independent", "holds")
"""Those that stand above a loop, or on its line."""

_DIRECTIVE = regex(r"(?://|/\*)\s*analyze:\s*(\w+)\b(.*)\Z", re.DOTALL)


def read_directives(text: str, path: str = "", loops: Collection[int] = ()) -> tuple[Directive, ...]:
    """The directives of a source text, each with its line and that of the code it is about: its own line where there
    is code on it (of those about loops: a loop), else the next one with code. `loops`: lines with loops that macros
    make. A word that is nearly one of ours is an `unknown` directive."""
    if "analyze:" not in text:
        return ()
    found = [(match, word.line) for word in comments(text) if (match := _DIRECTIVE.match(word.text))]
    words = [word for group in logical_lines(text) for word in group.words] if found else []
    code, own = sorted({w.line for w in words}), {w.line for w in words if w.text in ("for", "while", "do")}
    directives = []
    for match, line in found:
        below = match[1] in OF_LOOPS and line not in own and line not in loops
        at = bisect_left(code, line + below)
        target = code[at] if at < len(code) else line
        if match[1] in KINDS:
            said = " ".join(match[2].rstrip().removesuffix("*/").split()).lstrip(",;:- ")
            directives.append(Directive(line, cast("DirectiveKind", match[1]), said, target, path))
        elif _looks_like_ours(match[1].lower()):
            directives.append(Directive(line, "unknown", match[1], target, path))
    return tuple(directives)


def facts_in(directives: Iterable[Directive]) -> Iterator[Fact]:
    """What directives say of loops."""
    for d in directives:
        if d.kind in OF_LOOPS:
            yield Fact(cast("FactKind", d.kind), d.text, Place(d.path, d.line, 1), d.path, None, d.target)


def _looks_like_ours(word: str) -> bool:
    import difflib

    return bool(difflib.get_close_matches(word, KINDS, n=1, cutoff=0.75))
