"""Places that directives name: items of `depend`, and locks that an expression selects.

Where a task is made, or a lock is taken, the program with marks reads the first byte of each such place, and keeps it
in a mark of its own. So what is known of accesses is known of these places as well (`items`).

    #pragma omp task depend(out: a[i])      if (__omp_i7_0 = *(const char *)&(a[i]), !__omp_7) ; else
    omp_set_lock(&lock[k]);                 __omp_i8_0 = *(const char *)(&lock[k]), __omp_8=1;

*Errs toward* no place: names alone are compared as names, and what calls a function or has an `iterator` is left out.
"""

import re
from collections.abc import Iterator

from ..source.selection import MARK
from .directive import Directive

ITEM = f"{MARK}i"

_SIMPLE = re.compile(r"(?:\w+(?!\w*\s*\()|->|[][\s.*+%/()&-])+")
"""Names, numbers and operators; no call."""

_SECTION = re.compile(r"\[([^][:]*):[^][]*\]")


def items(directive: Directive) -> Iterator[tuple[str, str]]:
    """Each item without blanks, and what the task does to it; one that an iterator makes several of ends with `[?]`."""
    for clause in directive.named("depend"):
        several = "[?]" if "iterator" in clause.modifier else ""
        kind = clause.modifier.split(",")[-1].strip()
        yield from (("".join(item.split()) + several, kind) for item in clause.items)


def evaluations(key: int, directive: Directive) -> dict[str, str]:
    """By the names of their marks: what reads the places that a directive names.

    Example: `__omp_i7_0` and `*(const char *)&(a[i])` for `depend(out: a[i])`."""
    texts = (_SECTION.sub(lambda s: f"[{s[1] or 0}]", text) for text, _ in items(directive))
    return {
        f"{ITEM}{key}_{i}": f"*(const char *)&({text})"
        for i, text in enumerate(texts)
        if not text.isidentifier() and _SIMPLE.fullmatch(text)
    }


def selected_lock(key: int, argument: str) -> dict[str, str]:
    """What reads the place of a lock; nothing where the argument is the address of a variable, or calls a function."""
    if argument.removeprefix("&").strip().isidentifier() and argument.startswith("&"):
        return {}
    return {f"{ITEM}{key}_0": f"*(const char *)({argument})"} if _SIMPLE.fullmatch(argument) else {}
