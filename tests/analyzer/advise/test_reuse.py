"""What passes below a cache, from the footprints of a nest: against a cache that is simulated access by access."""

from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path

import pytest

from analyzer.advise.reuse import passes
from analyzer.advise.workloads import workload_of
from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import LoopFacts
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models import extended
from models.catalogue import find_device
from models.expr import evaluate
from models.prediction import Prediction

N = 20
ELEMENT = 4

Access = tuple[str, int, bool]
"""Array, element, whether it is stored to."""


def row_product() -> Iterator[Access]:
    for i in range(N):
        for k in range(N):
            yield "a", i * N + k, False
            for j in range(N):
                yield from (("b", k * N + j, False), ("c", i * N + j, False), ("c", i * N + j, True))


def column_product() -> Iterator[Access]:
    for i in range(N):
        for j in range(N):
            for k in range(N):
                yield from (("a", i * N + k, False), ("b", k * N + j, False))
            yield "c", i * N + j, True


def stencil() -> Iterator[Access]:
    for i in range(1, N - 1):
        for j in range(1, N - 1):
            yield from (("x", (i + d) * N + j, False) for d in (-1, 0, 1))
            yield "c", i * N + j, True


HEAD = "void f(int n, const float *restrict a, const float *restrict b, float *restrict c)"
NESTS = {
    "row product": (
        "for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) for (int j = 0; j < n; j++)"
        " c[i * n + j] += a[i * n + k] * b[k * n + j];",
        row_product,
    ),
    "column product": (
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float s = 0;"
        " for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j]; c[i * n + j] = s; }",
        column_product,
    ),
    "stencil": (
        "for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)"
        " ((float (*)[n])c)[i][j] = x[i - 1][j] + x[i][j] + x[i + 1][j];",
        stencil,
    ),
}


def nest(loops: str) -> tuple[LoopFacts, ...]:
    head = HEAD.replace("const float *restrict a", "const float x[restrict n][n]") if "x[" in loops else HEAD
    code = f"{head} {{ {loops} }}"
    return analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), None, code).functions[0].loops


def simulated(accesses: Iterator[Access], elements: int) -> int:
    """Elements that come into a cache that evicts what was used longest ago, for loads and for stores, which fill a
    part of a line (write allocation)."""
    kept: OrderedDict[tuple[str, int], None] = OrderedDict()
    moved = 0
    for array, element, _ in accesses:
        place = (array, element)
        if place not in kept:
            moved += 1
            kept[place] = None
            if len(kept) > elements:
                kept.popitem(last=False)
        kept.move_to_end(place)
    return moved


@pytest.mark.parametrize("name", NESTS)
def test_what_passes_is_what_a_cache_of_that_size_moves(name: str) -> None:
    loops, run = NESTS[name]
    found = nest(loops)
    by_array = passes(found[0], found)
    assert set(by_array) == {array.name for array in found[0].arrays}
    depths = len(next(iter(by_array.values())))
    assert depths == len(found)
    totals = [
        tuple(sum(float(evaluate(p[depth][part], {"n": N})) for p in by_array.values()) / ELEMENT for part in (0, 1))
        for depth in range(depths)
    ]
    for depth, (held, moved) in enumerate(totals):
        room = int(held * 1.5) + 4
        assert depth == depths - 1 or room < totals[depth + 1][0]
        assert simulated(run(), room) == pytest.approx(moved, rel=0.12), (depth, room)


def test_footprints_that_follow_an_outer_loop_say_nothing() -> None:
    found = nest("for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) c[i * n + j] = a[j];")
    assert passes(found[0], found) == {}
    single = nest("for (int i = 0; i < n; i++) c[i] = a[i];")
    assert passes(single[0], single) == {}


def test_a_few_bytes_that_follow_an_outer_loop_are_in_every_cache() -> None:
    """`a[i]` and `a[j]` of two counters: two elements, or one where they meet, of four."""
    loops = (
        "for (int k = 0; k < n; k++) for (int i = 0; i < 4; i++)"
        " for (int j = 0; j < 4; j++) for (int l = 0; l < 2; l++) c[k] += a[i] * a[j] * b[k * 2 + l];"
    )
    found = nest(loops)
    (_, moved), (held, _), *_ = passes(found[0], found)["a"]
    assert evaluate(held, {"n": N}) == 4 * ELEMENT  # at most: no entry of the loop around touches more
    assert evaluate(moved, {"n": N}) == N * 4 * 4 * 4 * ELEMENT


def test_a_row_that_stays_in_the_cache_is_read_once() -> None:
    """A matrix product whose second factor fits no cache reads it once for each row: nothing else moves as much. A
    row of the result, which the first cache does not hold, passes in between: on Zen 4 that took 1.38 to 1.5 times as
    long as reading the factor alone."""
    found = nest(NESTS["row product"][0])
    workload = workload_of(found[0], found)
    assert workload is not None
    n = 4096
    p = extended.predict_host(workload, find_device("xeon6248"), sizes={"n": n})
    assert isinstance(p, Prediction)
    assert p.time is not None
    second_factor = n * (ELEMENT * n * n) / 15.21e9
    assert 1.2 * second_factor < p.time.likely < 1.5 * second_factor
