"""`#pragma omp threadprivate`: variables of which each thread has one of its own.

    #pragma omp threadprivate(seed, work)      ->  seed, work
"""

from collections.abc import Iterable

from ..base.regex import regex

_THREAD_PRIVATE = regex(r"omp\s+threadprivate\s*\(([^()]*)\)")


def thread_private(pragmas: Iterable[str]) -> frozenset[str]:
    """The names in such directives; `pragmas`: what follows the word `#pragma`. Example: see the module."""
    lists = (found[1] for text in pragmas if (found := _THREAD_PRIVATE.match(text.strip())))
    return frozenset(name.strip() for names in lists for name in names.split(",") if name.strip())
