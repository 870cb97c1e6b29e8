"""The findings of one part of the dependence analysis about one loop, merged into the verdict."""

from msgspec import Struct

from ..facts.loop import Assumption, Reason, Separated
from ..ir.reasons import ReasonCode


class Problem(Struct, frozen=True):
    """Why the loop is not parallel: `shown` when that is certain for some sizes and contents, else it merely could not
    be excluded. `of_contents`: only certain contents of memory show it: the user may know that they never occur."""

    reason: Reason
    shown: bool = False
    of_contents: bool = False
    only_if: str = ""
    """Which size has to be 0, or small, for it."""
    may_be_run: bool = False
    """A dependence that may exist: where it does, a run of the loop shows it (`witness.executed`)."""
    of_odd_sizes: bool = False
    """For sizes alone that nobody means: rows shorter than what is touched in them, ends without room between them."""
    ends_program: bool = False
    """A call that ends the program: a condition settles it (`cold`), unless something else is in the way."""


class Finding(Struct, frozen=True):
    """Problems, and what a positive answer would rest on."""

    problems: tuple[Problem, ...] = ()
    assumptions: frozenset[Assumption] = frozenset()
    separated: tuple[Separated, ...] = ()

    def __add__(self, other: "Finding") -> "Finding":
        return Finding(
            self.problems + other.problems,
            self.assumptions | other.assumptions,
            self.separated + other.separated,
        )


def problem(code: ReasonCode, message: str, line: int, shown: bool = False) -> Finding:
    return Finding((Problem(Reason(code, message, line), shown),))
