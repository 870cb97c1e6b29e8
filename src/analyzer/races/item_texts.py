"""Places that directives name: items of `depend`, and locks.

Where a task is made, or a lock is taken, the program with marks reads the first byte of each such place, and keeps it
in a mark of its own. So what is known of accesses is known of these places as well (`items`).

    #pragma omp task depend(out: a[i])      if (__omp_i7_0 = *(const char *)&(a[i]), !__omp_7) ; else
    omp_set_lock(&lock[k]);                 __omp_i8_0 = *(const char *)(&lock[k]), __omp_8=1;

An `iterator` with numbers for bounds stands for as many items as it has values (OpenMP 5.2 3.2.6).

*Errs toward* no place: names alone are compared as names, and what calls a function or has another `iterator` is left
out.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import product

from ..base.regex import regex
from ..source.selection import MARK
from .directive import Directive, constant

ITEM = f"{MARK}i"

_SIMPLE = regex(r"(?:\w+(?!\w*\s*\()|->|[][\s.*+%/()&-])+")
"""Names, numbers and operators; no call."""

_SECTION = regex(r"\[([^][:]*):[^][]*\]")


_ITERATOR = regex(r"\biterator\s*\(([^()]*)\)")
_ONE = regex(r"(?:[\w*]+\s+)*(\w+)\s*=\s*([^:]+):([^:]+)(?::([^:]+))?")
MOST_ITEMS = 64
"""Of one `iterator`."""


def items(directive: Directive) -> Iterator[tuple[str, str]]:
    """Each item without blanks, and what the task does to it; one of which an iterator makes nobody knows which ends
    with `[?]`."""
    for clause in directive.named("depend"):
        kind = clause.modifier.split(",")[-1].strip()
        iterated = _ITERATOR.search(clause.modifier)
        rounds = [dict[str, int]()] if iterated is None else _rounds(iterated[1])
        for item in clause.items:
            text = "".join(item.split())
            for values in rounds or ():
                yield _with(text, values), kind
            if rounds is None:
                yield f"{text}[?]", kind


def _rounds(listed: str) -> list[dict[str, int]] | None:
    """The values of the variables of an iterator: `k = 0 : 4` has four rounds. None where they are not known, or too
    many."""
    names: list[str] = []
    ranges: list[range] = []
    for part in listed.split(","):
        one = _ONE.fullmatch(part.strip())
        begin, end, step = (None, None, None) if one is None else map(constant, (one[2], one[3], one[4] or "1"))
        if one is None or begin is None or end is None or not step:
            return None
        names.append(one[1])
        ranges.append(range(begin, end, step))
    every = [dict(zip(names, values, strict=True)) for values in product(*(r[: MOST_ITEMS + 1] for r in ranges))]
    return every if len(every) <= MOST_ITEMS else None


def _with(text: str, values: Mapping[str, int]) -> str:
    return re.sub(r"[A-Za-z_]\w*", lambda name: str(values.get(name[0], name[0])), text)


def evaluations(key: int, directive: Directive) -> dict[str, str]:
    """By the names of their marks: what reads the places that a directive names.

    Example: `__omp_i7_0` and `*(const char *)&(a[i])` for `depend(out: a[i])`."""
    texts = (_SECTION.sub(lambda s: f"[{s[1] or 0}]", text) for text, _ in items(directive))
    return {
        f"{ITEM}{key}_{i}": f"*(const char *)&({text})"
        for i, text in enumerate(texts)
        if not text.isidentifier() and _SIMPLE.fullmatch(text)
    }


def kept(places: Mapping[str, str]) -> str:
    """Reads of places, each kept in its mark, before something else."""
    return "".join(f"{mark} = {read}, " for mark, read in places.items())


def of_lock(key: int, argument: str) -> dict[str, str]:
    """What reads the place of a lock; nothing where the argument calls a function."""
    return {f"{ITEM}{key}_0": f"*(const char *)({argument})"} if _SIMPLE.fullmatch(argument) else {}


def is_fixed(item: str) -> bool:
    """Whether it is an element with a number.

    >>> is_fixed("a[1][0]"), is_fixed("a[i]")
    (True, False)
    """
    base, *parts = item.split("[")
    return base.isidentifier() and all(part.removesuffix("]").isdigit() for part in parts)
