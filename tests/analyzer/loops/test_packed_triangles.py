"""Rows of packed triangles by square roots: as far as they are believed, a processor finds the right row."""

import math
from pathlib import Path
from random import Random

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import LoopFacts
from analyzer.loops.packed_triangles import MOST
from analyzer.settings.options import AnalysisOptions, SourceOptions

HEAD = "#include <math.h>\n#include <stddef.h>\nvoid f(long n, double *restrict q, const double *restrict v) {\n"
FORMS = {
    "(long)((sqrt(8.0*k + 1) - 1)/2)": MOST,
    "(long)(-.5 + sqrt(2*k + .25))": MOST,
    "(long)(0.5*(sqrt(1 + 8*k) - 1))": MOST,
    "(long)(sqrt(2*k + .25) - .5 + 1e-7)": 12_500_000_000_000,
    "(long)((sqrt(8.0*k + 1) - 1)/2 + 1e-5)": 1_250_000_000,
    "floor((sqrt(8.0*k + 1) - 1)/2)": MOST,
}
NONE = [
    "(long)((sqrtf(8.0f*k + 1) - 1)/2)",
    "(long)((sqrt(8.0f*k + 1) - 1)/2)",
    "(long)((sqrt(8.0*k + 2) - 1)/2)",
    "(long)((sqrt(8.0*k + 1) - 1)/2 - 1e-7)",
    "(long)((sqrt(8.0*k + 1) - 2)/2)",
    "(long)((sqrt((int)(8*k) + 1) - 1)/2)",
    "(long)((sqrt(8u*(unsigned)k + 1) - 1)/2)",
    "(long)((sqrt(v[k]*8 + 1) - 1)/2)",
    "(long)((1 - sqrt(8.0*k + 1))/2)",
    "(char)((sqrt(8.0*k + 1) - 1)/2) % 8",
]


def answer(row: str, folder: Path) -> LoopFacts:
    source = folder / "t.c"
    body = f"for (long k = 0; k < n*(n + 1)/2; k++) {{ long i = {row}, j = k - i*(i + 1)/2; q[i*n + j] = v[k]; }}"
    source.write_text(f"{HEAD}{body}\n}}\n", encoding="utf-8")
    (function,) = analyze_file(source, SourceOptions(), AnalysisOptions()).functions
    return function.loops[0]


@pytest.mark.parametrize("row", FORMS)
def test_a_row_is_known_however_it_is_written(row: str, tmp_path: Path) -> None:
    assert answer(row, tmp_path).parallelism.verdict.value == "yes"


@pytest.mark.parametrize("row", NONE)
def test_what_is_no_row_is_not_believed_to_be_one(row: str, tmp_path: Path) -> None:
    assert answer(row, tmp_path).parallelism.verdict.value != "yes"


@pytest.mark.parametrize(("row", "most"), FORMS.items())
def test_the_row_is_right_as_far_as_it_is_believed(row: str, most: int) -> None:
    random, largest = Random(7), (math.isqrt(8 * most) - 3) // 2
    rows = {*range(300), *range(largest - 300, largest + 1), *(random.randrange(largest) for _ in range(3000))}
    computed = eval(f"lambda k: {row.removeprefix('(long)')}", {"sqrt": math.sqrt, "floor": math.floor})
    for i in rows:
        begins = i * (i + 1) // 2
        for k in (begins, begins + 1, begins + i // 2, begins + i):
            if begins <= k <= begins + i and k < most:
                assert int(computed(k)) == i
