"""Which calls stay calls: as gcc -O3 decides, by size, by how often a function is called, and by `inline`."""

from pathlib import Path

import pytest

from analyzer.loops.compiled_calls import LARGEST, LARGEST_DECLARED_INLINE, LARGEST_WITH_LOOPS, stays_call
from analyzer.settings.options import SourceOptions
from analyzer.source import load_unit

from ..c_text import functions, loops


def text(operations: int, kind: str, calls: int, loop: str = "") -> str:
    """A function with so many operations that is called so often."""
    sums = "".join("s = s + x;" for _ in range(operations))
    caller = "void g%d(int n, double *a) { for (int i = 0; i < n; i++) a[i] = f(a[i]); }"
    called = "".join(caller % k for k in range(calls))
    return f"{kind} double f(double x) {{ double s = 0; {sums} {loop} return s; }}\n{called}"


LOOP = "for (int i = 0; i < 9; i++) s = s + x;"  # with three operations


@pytest.mark.parametrize(
    ("operations", "kind", "calls", "loop", "stays"),
    [
        (LARGEST, "static", 2, "", False),
        (LARGEST + 1, "static", 2, "", True),
        (LARGEST + 1, "static", 1, "", False),
        (LARGEST + 1, "", 1, "", True),
        (LARGEST + 1, "static inline", 2, "", False),
        (LARGEST_DECLARED_INLINE + 1, "static inline", 2, "", True),
        (LARGEST_WITH_LOOPS - 3, "static", 2, LOOP, False),
        (LARGEST_WITH_LOOPS, "static", 2, LOOP, True),
        (LARGEST_WITH_LOOPS, "static", 1, LOOP, False),
    ],
)
def test_by_size_and_number_of_calls(operations: int, kind: str, calls: int, loop: str, stays: bool) -> None:
    unit = load_unit(Path("snippet.c"), SourceOptions(), text=text(operations, kind, calls, loop))
    assert stays_call(unit, unit.definitions["f"]) is stays


@pytest.mark.parametrize(("operations", "calls"), [(LARGEST, 0), (LARGEST + 1, 1)])
def test_a_loop_knows_the_calls_that_stay_in_it(operations: int, calls: int) -> None:
    found = functions(text(operations, "static", 2))
    ((loop, _),) = loops(found["g0"])
    assert [call.name for call in loop.compiled_calls] == ["f"] * calls
