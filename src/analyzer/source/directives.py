"""Our own comments in the source: `// analyze: ignore[RULE] reason`, `size N=4096`, `independent reason`."""

import re
from bisect import bisect_left
from typing import cast

from .original import comments, logical_lines
from .unit import Directive, DirectiveKind

KINDS: tuple[DirectiveKind, ...] = ("ignore", "size", "independent")
_DIRECTIVE = re.compile(r"(?://|/\*)\s*analyze:\s*(\w+)\b(.*)\Z", re.DOTALL)


def read_directives(text: str) -> tuple[Directive, ...]:
    """The directives of a source text, each with its line and that of the code it is about: its own line where there
    is code on it (for `independent`: a loop), else the next one with code. A word that is nearly one of ours is an
    `unknown` directive."""
    if "analyze:" not in text:
        return ()
    found = [(match, word.line) for word in comments(text) if (match := _DIRECTIVE.match(word.text))]
    words = [word for group in logical_lines(text) for word in group.words] if found else []
    code, loops = sorted({w.line for w in words}), {w.line for w in words if w.text in ("for", "while", "do")}
    directives = []
    for match, line in found:
        below = match[1] == "independent" and line not in loops
        at = bisect_left(code, line + below)
        target = code[at] if at < len(code) else line
        if match[1] in KINDS:
            said = " ".join(match[2].rstrip().removesuffix("*/").split()).lstrip(",;:- ")
            directives.append(Directive(line, cast("DirectiveKind", match[1]), said, target))
        elif _looks_like_ours(match[1].lower()):
            directives.append(Directive(line, "unknown", match[1], target))
    return tuple(directives)


def _looks_like_ours(word: str) -> bool:
    import difflib

    return bool(difflib.get_close_matches(word, KINDS, n=1, cutoff=0.75))
