"""How deep functions may call themselves while code is read: once or more per level of its nesting."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

FRAMES = 10_000
"""For code that is nested `loops.syntax.DEEPEST` levels deep, or a `switch` of `loops.statements.MOST_CASES`: an
`else if` takes seven frames."""


@contextmanager
def deep_recursion(frames: int = FRAMES) -> Iterator[None]:
    """Lets so many calls be under way at a time. Frames of Python functions are on the heap, so that depth costs memory
    only, and those that are called from C (by `any`, `sum`, `sorted`) take about a kilobyte of the stack each."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, frames))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
