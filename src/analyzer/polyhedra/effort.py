"""How much work the formulas of one nest may take, in steps: no clock has a part in it, so that every machine gives up
at the same place.

A step is about what making and looking at one polynomial costs: a few microseconds. Whoever goes through many says so.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct


class TooMuchWorkError(Exception):
    """The steps are spent: what was asked for is not worked out."""


MOST_STEPS = 200_000
"""Steps for class, idioms and counts of one nest, all its loops together: more than any nest of the development corpora
takes (a loop of redis, 315 statements with 140 objects behind conditions on sizes, takes 170 000)."""


class Effort(Struct):
    """Steps `done` so far, of at most `limit`.

    Example: `Effort(limit=100).spend(101)` raises TooMuchWorkError."""

    limit: int = 1 << 62
    done: int = 0

    def spend(self, steps: int) -> None:
        self.done += steps
        if self.done > self.limit:
            raise TooMuchWorkError


class Shared(Struct):
    """What is `left` for the loops of one nest, in the order in which they stand in the text.

    Example: of 100 steps, `Shared(100).spending(alone=False)` lends 50 to the outermost of several loops."""

    left: int

    @contextmanager
    def spending(self, alone: bool) -> Iterator[Effort]:
        """The effort that one loop may make: half of what is left, so that none takes all from those after it; for one
        that is `alone`, all of it."""
        effort = Effort(self.left if alone else self.left // 2)
        try:
            yield effort
        finally:
            self.left = max(0, self.left - effort.done)
