"""No time and no reason depends on what nobody can set: counters of loops, mean trip counts by their symbol.

`triangular_costs.c` holds nests of our own with the shapes of triangular solvers and updates, and is tested in every
run; all kernels of PolyBench/C 4.2.1 with constant sizes when BOATHULL_POLYBENCH names its folder."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analyzer.advise import Advice, Context, advise
from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import FunctionFacts
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.catalogue import find_device

FIXTURE = Path(__file__).resolve().parents[3] / "fixtures" / "c" / "triangular_costs.c"
CONTEXT = Context(find_device("xeon6248"), (find_device("h200"),), details=False)
OPEN = {"band": {"width"}, "siblings": {"few", "many"}}
"""The sizes that two of its functions leave to their callers."""
SUITE = os.environ.get("BOATHULL_POLYBENCH")
NAMED = re.compile(r"(?:^|, )([\w@.\->]+)(?=(?:, [\w@.\->]+)* (?:is|are) unknown)")


def advised(path: Path, source: SourceOptions) -> Iterator[tuple[FunctionFacts, dict[str, Advice]]]:
    for function in analyze_file(path, source, AnalysisOptions()).functions:
        yield function, advise(function, CONTEXT, {})


def unsettable(function: FunctionFacts, advice: dict[str, Advice]) -> list[str]:
    """The names in reasons that the loops around a loop change."""
    found = []
    for loop in function.loops:
        message = advice[loop.id].recommendation.message
        found += [f"{loop.id}: {n}" for n in NAMED.findall(message) if n in loop.changing or n.startswith("trip@")]
    return found


def untimed(advice: dict[str, Advice]) -> list[str]:
    return [key for key, each in advice.items() if not any(p.candidate == "host" and p.time for p in each.predictions)]


def test_nests_with_constant_sizes_have_a_time_for_every_loop() -> None:
    for function, advice in advised(FIXTURE, SourceOptions()):
        assert unsettable(function, advice) == []
        if function.function.name not in OPEN:
            assert untimed(advice) == []


def test_where_a_size_is_open_only_it_is_named() -> None:
    asked = {name: set[str]() for name in OPEN}
    for function, advice in advised(FIXTURE, SourceOptions()):
        if (name := function.function.name) in OPEN:
            asked[name].update(*(p.symbols for each in advice.values() for p in each.predictions))
    assert asked == OPEN


@pytest.mark.skipif(SUITE is None, reason="BOATHULL_POLYBENCH does not name the folder of PolyBench/C 4.2.1")
def test_every_kernel_of_polybench_has_a_host_time() -> None:
    folder = Path(SUITE or "")
    names = (folder / "utilities" / "benchmark_list").read_text().split()
    source = SourceOptions(("LARGE_DATASET", "POLYBENCH_USE_SCALAR_LB"), (), (str(folder / "utilities"),))
    timed = 0
    for name in names:
        for function, advice in advised(folder / name, source):
            assert unsettable(function, advice) == []
            if function.function.name.startswith("kernel_"):
                assert untimed(advice) == [], name
                timed += 1
    assert timed == len(names) == 30


def test_where_the_mean_of_a_divisor_is_zero_there_is_no_mean(analyze: Any, source: Any) -> None:
    """What stands in an `else` that is never entered has no entries, and nothing is divided by their number."""
    source(
        """void f(int n, float *restrict p) {
          for (int i = 0; i < n; i++) {
            if (n && 16) { } else { int t = 0; while (t++ < n) p[i + 1] += p[n - i]; }
          }
        }"""
    )
    ran = analyze("a.c", "-t", "h200")
    assert ran.code == 0, ran.err
    assert "internal error" not in ran.out
