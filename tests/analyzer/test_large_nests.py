"""A nest that is too large to count is said to be so, and costs neither the run nor the loops inside it."""

from pathlib import Path
from typing import Any

import pytest

from analyzer.access.nest_limits import MOST_ACCESSES, MOST_DEEP, MOST_STATEMENTS
from analyzer.base.places import Place
from analyzer.counts.nest import prepare
from analyzer.counts.scopes import MOST, Scope
from analyzer.dependence import parallel
from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import NO_COUNTS, Count, LoopFacts, Verdict
from analyzer.ir.nodes import Data
from analyzer.ir.symbols import Kind
from analyzer.polyhedra.system import Work
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.expr import evaluate, free_symbols

from .c_text import answers, functions, loops


def test_counts_of_a_huge_nest_are_not_made_up(tmp_path: Path, analyze: Any) -> None:
    copies = "".join(f"  a[i] += b[{k}];\n" for k in range(MOST_STATEMENTS + 1))
    path = tmp_path / "huge.c"
    path.write_text(
        "void f(int n, int *restrict a, const int *restrict b) { for (int i = 0; i < n; i++) {\n"
        f"{copies}  for (int j = 0; j < 8; j++) a[i] += j;\n}} }}\n",
        encoding="utf-8",
    )
    huge, small = analyze_file(path, SourceOptions(), AnalysisOptions()).functions[0].loops
    assert huge.parallelism.verdict is Verdict.YES
    assert huge.counts == NO_COUNTS
    assert huge.unclassified is not None
    assert huge.unclassified.code == "too-complex"
    assert small.counts.trip_count is not None
    ran = analyze(path, "-t", "gtx470", "--size", "n=1000")
    assert ran.code == 0
    assert "too many to count" in " ".join(ran.out.split())


def refused(path: Path, text: str) -> list[LoopFacts]:
    """The loops of the first function, of which none is counted, and each says why."""
    path.write_text(text, encoding="utf-8")
    found = list(analyze_file(path, SourceOptions(), AnalysisOptions()).functions[0].loops)
    assert all(loop.counts == NO_COUNTS for loop in found)
    assert {loop.unclassified.code for loop in found if loop.unclassified is not None} == {"too-complex"}
    return found


def test_an_unrolled_stencil_of_thousands_of_accesses_is_not_counted(tmp_path: Path) -> None:
    terms = " + ".join(f"b[i + {k}]" for k in range(25))
    lines = "".join(f"a[101 * i + {k}] = {terms};\n" for k in range(MOST_ACCESSES // 25))
    head = "void f(int n, double *restrict a, const double *restrict b) { for (int i = 0; i < n; i++)"
    (loop,) = refused(tmp_path / "unrolled.c", f"{head} {{ {lines} }} }}")
    assert loop.parallelism.verdict is Verdict.YES
    assert loop.unclassified is not None
    assert "2600 accesses" in loop.unclassified.message


def test_nests_too_deep_are_said_to_be(tmp_path: Path) -> None:
    heads = "".join(f"for (int i{k} = 0; i{k} < n; i{k}++)\n" for k in range(MOST_DEEP + 1))
    found = refused(tmp_path / "deep.c", f"void f(int n, int *a) {{ {heads} a[i0] = 1; }}")
    assert len(found) == MOST_DEEP + 1
    for loop in found:
        assert loop.parallelism.verdict is Verdict.UNKNOWN
        assert loop.parallelism.reason is not None
        assert "17 loops inside each other" in loop.parallelism.reason.message


def test_the_deepest_nest_is_answered(tmp_path: Path) -> None:
    heads = "".join(f"for (int i{k} = 0; i{k} < 2; i{k}++)\n" for k in range(MOST_DEEP))
    path = tmp_path / "deep.c"
    path.write_text(f"void f(int *a) {{ {heads} a[i0] = 1; }}", encoding="utf-8")
    outer = analyze_file(path, SourceOptions(), AnalysisOptions()).functions[0].loops[0]
    assert outer.parallelism.verdict is Verdict.YES
    assert outer.counts.iterations is not None
    assert outer.counts.iterations.expr is not None
    assert evaluate(outer.counts.iterations.expr, {}) == 2**MOST_DEEP


def many_conditions(folder: Path, conditions: int) -> LoopFacts:
    """A loop with so many conditions on data, each with one store in either arm, and an inner loop of unknown length
    behind the last."""
    tests = "".join(f"  if (b[i] == {k}) a[i] = {k}; else c[i] = {k};\n" for k in range(conditions))
    path = folder / "conditions.c"
    path.write_text(
        "void f(int n, int *restrict a, int *restrict c, const int *restrict b, const int *restrict e) {\n"
        f"for (int i = 0; i < n; i++) {{\n{tests}  for (int j = 0; j < e[b[i]]; j++) a[i] += 1;\n}} }}\n",
        encoding="utf-8",
    )
    return analyze_file(path, SourceOptions(), AnalysisOptions()).functions[0].loops[0]


def stores(count: Count | None) -> tuple[int, int, Any]:
    """Number of symbols; the lowest value for 10 iterations, and the value when the inner loop never runs."""
    assert count is not None
    assert count.expr is not None
    assert count.low is not None
    names = free_symbols(count.expr)
    weights = {name: 0.5 if name.startswith("p@") else 0 for name in names if name != "n"}
    return len(names), evaluate(count.low, {"n": 10}), evaluate(count.expr, {"n": 10} | weights)


def test_up_to_a_limit_conditions_have_weights_of_their_own(tmp_path: Path) -> None:
    count = many_conditions(tmp_path, 20).counts.stores
    assert stores(count) == (2, 200, 200)  # n and the mean length of the inner loop: either arm stores


def test_conditions_beyond_the_limit_share_one_weight_and_leave_true_bounds(tmp_path: Path) -> None:
    found = many_conditions(tmp_path, MOST + 20).counts.stores
    number, low, value = stores(found)
    assert number < MOST
    assert low <= 10 * (MOST + 20)  # so many there are: every condition stores in either arm
    assert value == 10 * (MOST + 20)
    assert found is not None
    assert any("too-complex" in text for text in found.assumptions)


def test_formulas_do_not_grow_with_the_conditions(tmp_path: Path) -> None:
    few, many = (many_conditions(tmp_path, n).counts for n in (2 * MOST, 6 * MOST))
    assert few.loads is not None
    assert many.loads is not None
    assert len(str(many.loads.expr)) < 2 * len(str(few.loads.expr))


def test_dependences_of_a_nest_that_would_take_minutes_are_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    spent: list[Work] = []
    monkeypatch.setattr(parallel, "Work", lambda: spent.append(Work()) or spent[-1])
    sizes = ", ".join(f"int m{k}" for k in range(60))
    copies = "".join(f"if (i + m{k} < n && j*m{k} > {k}) a[i*m{k} + j] = b[i*m{k} + j];\n" for k in range(60))
    text = f"for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {{\n{copies}}}"
    found = answers(functions(f"void f(int n, double *a, double *b, {sizes}) {{ {text} }}")["f"])
    assert sum(work.done for work in spent) < 1.1 * parallel.MAX_WORK
    assert [a.verdict for a in found.values()] == [Verdict.UNKNOWN] * 2


def test_a_nest_whose_budget_ends_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "void f(int n, int m, int *a) { if (m >= n) for (int i = 0; i < n; i++) a[i] = a[i + m]; }"
    (found,) = answers(functions(text)["f"]).values()
    assert found.verdict is Verdict.YES
    monkeypatch.setattr(parallel, "MAX_WORK", 0)
    (found,) = answers(functions(text)["f"]).values()
    assert found.verdict is Verdict.UNKNOWN
    assert found.reason is not None
    assert found.reason.code == "too-complex"


def test_what_is_never_reached_behind_many_conditions_stays_so() -> None:
    function = functions("void f(int n, int *a) { for (int i = 0; i < n; i++) a[i] = 1; }")["f"]
    ((loop, around),) = loops(function)
    scopes = prepare(function, loop, around).scopes
    for line in range(MOST + 1):
        scopes.weights.at(Kind.BRANCH, Place("f.c", line))
    never = Scope((loop.counter,), (), ())
    assert scopes.when(never, Data(), loop.place, holds=True).runs == ()
