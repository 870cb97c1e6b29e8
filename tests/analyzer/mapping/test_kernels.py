"""What the kernels of a mapping count: formulas worked out by hand."""

from pathlib import Path

import pytest

from analyzer.command.arguments import parse
from analyzer.command.planning import plan_of
from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import Kernel, LoopFacts
from analyzer.settings.config import settings
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.expr import known_value

C = """
void product(int n, int m, int l, double c[40][40], double a[40][40], double b[40][40]) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) c[i][j] *= 3;
    for (int k = 0; k < l; k++) for (int j = 0; j < m; j++) c[i][j] += a[i][k] * b[k][j];
  }
}
void rows(int n, int m, double a[40][40], double v[40], double w[40]) {
  for (int i = 0; i < n; i++) { v[i] = 0; for (int j = 0; j < m; j++) v[i] += a[i][j] * w[j]; }
}
void columns(int n, int m, double a[40][40], double v[40]) {
  for (int j = 0; j < m; j++) { v[j] = 0; for (int i = 0; i < n; i++) v[j] += a[i][j]; }
}
void triangle(int n, double a[40][40]) { for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) a[i][j] = 1; }
void both(int n, int m, double a[40][40], double t[40], double w[40], double y[40]) {
  for (int i = 0; i < n; i++) {
    t[i] = 0;
    for (int j = 0; j < m; j++) t[i] += a[i][j] * w[j];
    for (int j = 0; j < m; j++) y[j] += a[i][j] * t[i];
  }
}
void turned(int n, int m, double a[40][40], double b[40][40]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) b[j][i] = a[i][j];
}
void added(int n, int m, double a[40][40], double b[40][40]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) b[j][i] += a[i][j];
}
void diagonal(int n, int m, double a[40][40], double b[90][90]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) b[2 * j][3 * i] = a[i][j];
}
void alone(int n, double a[40]) { for (int i = 0; i < n; i++) a[i] = 1; }
"""
SIZES = {"n": 7, "m": 5, "l": 3}


@pytest.fixture(scope="module")
def outermost(tmp_path_factory: pytest.TempPathFactory) -> dict[str, LoopFacts]:
    path = tmp_path_factory.mktemp("kernels") / "a.c"
    path.write_text(C, encoding="utf-8")
    found = analyze_file(Path(path), SourceOptions(), AnalysisOptions(), path.parent)
    return {function.function.name: function.loops[0] for function in found.functions}


def kernel(loop: LoopFacts, text: str, way: int = 0, at: int = 0) -> Kernel:
    return next(k for k in loop.mappings[way][at] if k.text == text)


def numbers(found: Kernel) -> tuple[float | None, float | None]:
    """Threads and accesses."""
    return known_value(found.threads, SIZES), known_value(found.accesses, SIZES)


def coalescing(found: Kernel) -> dict[str, str]:
    return {array.name: array.coalescing for array in found.facts.arrays}


def test_a_thread_keeps_in_a_register_what_its_loops_do_not_move(outermost: dict[str, LoopFacts]) -> None:
    moved = "collapse i and j after exchanging j and k and fusing the 2 loops over j"
    found = kernel(outermost["product"], moved)
    assert numbers(found) == (7 * 5, 2 * 7 * 5 + 2 * 7 * 5 * 3)  # c once each way, a and b in every k
    assert coalescing(found) == {"c": "unit", "a": "broadcast", "b": "unit"}
    written = kernel(outermost["product"], "a thread for each i")
    assert numbers(written) == (7, 2 * 7 * 5 + 7 * 3 + 3 * 7 * 5 * 3)
    assert coalescing(written) == {"c": "strided(40)", "a": "strided(40)", "b": "broadcast"}


def test_what_a_tile_loads_serves_all_its_elements(outermost: dict[str, LoopFacts]) -> None:
    moved = "collapse i and j after exchanging j and k and fusing the 2 loops over j"
    tiled = kernel(outermost["product"], f"{moved}, 2 x 2 elements for each thread, tiles of a and b in shared memory")
    assert numbers(tiled) == (7 * 5 / 4, 2 * 7 * 5 + 2 * 7 * 5 * 3 / 2)


def test_the_class_that_is_reported_is_that_of_the_loop_as_written(outermost: dict[str, LoopFacts]) -> None:
    found = kernel(outermost["product"], "collapse i and j after exchanging j and k and fusing the 2 loops over j")
    assert str(found.facts.algorithm) != str(outermost["product"].algorithm)
    assert str(outermost["product"].algorithm).endswith("n x m|tile(1 x m)")


@pytest.mark.parametrize(
    ("function", "form", "patterns"),
    [
        ("rows", "a thread block for each i, its threads sum over j in a tree", {"a": "unit", "w": "unit"}),
        ("rows", "a column of 32 threads for each i, its threads sum over j in a tree", {"a": "strided(40)"}),
        ("columns", "a column of 32 threads for each j, its threads sum over i in a tree", {"a": "unit", "v": "unit"}),
        ("columns", "a thread block for each j, its threads sum over i in a tree", {"a": "strided(40)"}),
    ],
)
def test_threads_share_a_sum(
    function: str, form: str, patterns: dict[str, str], outermost: dict[str, LoopFacts]
) -> None:
    found = kernel(outermost[function], form)
    assert known_value(found.threads, SIZES) == 7 * 5  # all of them: there are fewer than a block has
    assert patterns.items() <= coalescing(found).items()


def test_a_sum_over_many_elements_is_not_a_tree(outermost: dict[str, LoopFacts]) -> None:
    assert not [k.text for k in outermost["product"].mappings[0][0] if k.text.startswith("a thread block for each i,")]


def test_a_triangle_has_as_many_threads_as_iterations(outermost: dict[str, LoopFacts]) -> None:
    assert numbers(kernel(outermost["triangle"], "collapse i and j"))[0] == 7 * 8 / 2


def test_a_divided_nest_counts_its_parts(outermost: dict[str, LoopFacts]) -> None:
    second = kernel(outermost["both"], "a thread for each j after exchanging j and i", way=1, at=1)
    assert numbers(second) == (5, 2 * 5 + 2 * 5 * 7)  # y once each way, a and t in every i
    assert not second.facts.parallelism.reductions
    atomic = kernel(outermost["both"], "a thread for each i; y updated atomically")
    assert atomic.facts.parallelism.reductions


def test_only_outermost_parallel_nests_are_mapped(outermost: dict[str, LoopFacts]) -> None:
    assert not outermost["alone"].mappings


def test_what_lies_apart_for_neighbours_goes_through_tiles(outermost: dict[str, LoopFacts]) -> None:
    found = kernel(outermost["turned"], "collapse i and j, tiles of b in shared memory")
    assert found.staged == ("b",)
    assert coalescing(found) == {"a": "unit", "b": "unit"}
    assert numbers(found) == (7 * 5, 7 * 5 + 3 * 7 * 5)  # of b to memory, to the tile and from there
    assert coalescing(kernel(outermost["turned"], "collapse i and j"))["b"] == "strided(40)"


@pytest.mark.parametrize(("function", "array"), [("added", "b"), ("diagonal", "b"), ("product", "a")])
def test_no_tiles_of_what_is_updated_or_apart_both_ways(
    function: str, array: str, outermost: dict[str, LoopFacts]
) -> None:
    assert not [k.text for k in outermost[function].mappings[0][0] if array in k.staged]


def test_nests_are_mapped_where_a_gpu_is_asked_for_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    asked = [plan_of(settings(parse(["a.c", *more]), tmp_path)).analysis.mapped for more in ([], ["-t", "h200"])]
    assert asked == [False, True]
    ways = (AnalysisOptions(), AnalysisOptions(mapped=False))
    mapped, other = (analyze_file(Path("a.c"), SourceOptions(), way, text=C).functions for way in ways)
    assert any(loop.mappings for function in mapped for loop in function.loops)
    assert not any(loop.mappings for function in other for loop in function.loops)
    counted = [[loop.counts for function in found for loop in function.loops] for found in (mapped, other)]
    assert counted[0] == counted[1]
