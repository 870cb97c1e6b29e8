"""What formulas of many objects behind many conditions cost, and what is said of a nest for which that is too much."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from analyzer import counts, idioms
from analyzer.counts import covering
from analyzer.counts.arrays import arrays as array_facts
from analyzer.counts.nest import build
from analyzer.driver import nest_facts as working_out
from analyzer.driver.analysis import analyze_file
from analyzer.driver.nest_facts import TOO_MUCH_WORK
from analyzer.facts.loop import NO_COUNTS, FunctionFacts
from analyzer.polyhedra import effort
from analyzer.polyhedra.effort import Effort, TooMuchWorkError
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.expr import evaluate

from ..c_text import functions, loops

SIZES = ", ".join(f"int m{k}" for k in range(40))
MONSTER = "\n".join(
    f"if (i > m{k % 40} || j < m{(k + 1) % 40} || i + j == {k}) a[i*n + j + {k}] = b[j];" for k in range(150)
)
TEXT = f"""
void monster(int n, double *a, const double *b, {SIZES}) {{
    for (int t = 0; t < n; t++) {{
        for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) {{ {MONSTER} }}
        for (int i = 0; i < n; i++) a[i] += b[i];
    }}
}}
void small(int n, double *a, const double *b) {{ for (int i = 0; i < n; i++) a[i] += b[i]; }}
"""


@pytest.fixture
def spent(monkeypatch: pytest.MonkeyPatch) -> list[Effort]:
    """The effort of every loop that is analysed, where a nest has a tenth of the steps, to be quick."""
    monkeypatch.setattr(effort, "MOST_STEPS", effort.MOST_STEPS // 10)
    found: list[Effort] = []

    def made(limit: int) -> Effort:
        found.append(Effort(limit))
        return found[-1]

    monkeypatch.setattr(effort, "Effort", made)
    return found


def analyzed(path: Path, text: str = TEXT) -> tuple[FunctionFacts, ...]:
    path.write_text(text, encoding="utf-8")
    return analyze_file(path, SourceOptions(), AnalysisOptions()).functions


def test_a_nest_that_takes_too_many_steps_says_so(tmp_path: Path, spent: list[Effort]) -> None:
    monster, small = analyzed(tmp_path / "monster.c")
    whole, rows, _, last = monster.loops
    for loop in (whole, rows):
        assert loop.counts == NO_COUNTS
        assert loop.arrays == ()
        assert loop.unclassified is not None
        assert (loop.unclassified.code, loop.unclassified.message) == ("too-complex", TOO_MUCH_WORK)
    assert last.counts == replace(small.loops[0].counts, executions=last.counts.executions)
    most = max(each.done - each.limit for each in spent)
    assert 0 < most < 2000  # no single question takes more than that
    assert sum(min(each.done, each.limit) for each in spent[:4]) <= effort.MOST_STEPS


def test_the_same_nest_is_given_up_at_the_same_place(tmp_path: Path, spent: list[Effort]) -> None:
    first = analyzed(tmp_path / "monster.c")
    done = [each.done for each in spent]
    spent.clear()
    functions.cache_clear()
    assert [[loop.counts for loop in f.loops] for f in analyzed(tmp_path / "monster.c")] == [
        [loop.counts for loop in f.loops] for f in first
    ]
    assert [each.done for each in spent] == done


def test_the_report_says_why_nothing_is_counted(tmp_path: Path, analyze: Any, spent: list[Effort]) -> None:
    path = tmp_path / "monster.c"
    path.write_text(TEXT, encoding="utf-8")
    ran = analyze(path, "-t", "gtx470", "-f", "json", "--no-cache")
    assert ran.code == 0
    assert spent
    whole = json.loads(ran.out)["files"][0]["loops"][0]
    assert whole["counts"]["iterations"] is None
    assert whole["class_reason"]["message"] == TOO_MUCH_WORK


def test_without_a_limit_the_same_nest_is_counted() -> None:
    function = functions(TEXT)["small"]
    ((loop, around),) = loops(function)
    tight = build(function, loop, around, Effort(60))
    with pytest.raises(TooMuchWorkError):
        array_facts(tight, {})
    assert array_facts(build(function, loop, around, Effort()), {})


# --- what is not done again and again


def test_pairs_of_touches_are_sampled_before_their_weights_are_multiplied(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    either = covering.either
    monkeypatch.setattr(covering, "either", lambda a, b: made.append((a, b)) or either(a, b))
    chain = " else ".join(f"if (b[i] == {k}) a[i] = {k};" for k in range(20))
    text = f"void f(int n, int *a, const int *b) {{ for (int i = 0; i < n; i++) {{ {chain} }} }}"
    function = functions(text)["f"]
    ((loop, around),) = loops(function)
    counts.arrays(build(function, loop, around), {})
    assert made == []  # no two arms of twenty are everywhere


@pytest.mark.parametrize(
    ("body", "exact"),
    [
        ("if (b[i]) a[i] = 1; else a[i] = 2;", True),
        ("if (b[i] && b[i+1]) a[i] = 1; else a[i] = 2;", True),
        ("if (b[i]) a[i] = 1; else if (b[i+1]) a[i] = 2;", False),
        ("if (b[i]) a[i] = 1; if (b[i+1]) a[i] = 2;", False),
        ("if (i < m) a[i] = 1; else a[i] = 2;", True),
    ],
)
def test_arms_that_are_everywhere_together_store_for_certain(body: str, exact: bool) -> None:
    text = f"void f(int n, int m, int *a, const int *b) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
    function = functions(text)["f"]
    ((loop, around),) = loops(function)
    stored = next(a for a in counts.arrays(build(function, loop, around), {}) if a.name == "a")
    assert stored.write_footprint.exact is exact


def test_a_section_of_many_ends_is_not_written_out() -> None:
    sizes = ", ".join(f"int m{k}" for k in range(100))
    body = " ".join(f"a[i + m{k}] = {k};" for k in range(100))
    function = functions(f"void f(int n, int *a, {sizes}) {{ for (int i = 0; i < n; i++) {{ {body} }} }}")["f"]
    ((loop, around),) = loops(function)
    (found,) = counts.arrays(build(function, loop, around), {})
    assert found.transfer_out.expr is None
    assert not found.footprint.exact
    assert found.footprint.high is not None
    assert evaluate(found.footprint.high, {"n": 10} | {f"m{k}": 1000 * k for k in range(100)}) == 4 * 10 * 100


def test_scalars_in_a_long_chain_are_followed() -> None:
    chain = " ".join(f"double t{k} = t{k - 1} + 1;" for k in range(1, 400))
    text = f"void f(int n, double *a, const double *b) {{ for (int i = 0; i < n; i++) {{ double t0 = b[i]; {chain} "
    function = functions(text + "a[i] = t399; } }")["f"]
    ((loop, around),) = loops(function)
    found = idioms.recognise(build(function, loop, around))
    assert [(each.idiom, each.code) for each in found] == [("stream", "a[i] = t399")]
    with pytest.raises(TooMuchWorkError):
        idioms.recognise(build(function, loop, around, Effort(1000)))


def test_a_formula_that_nobody_could_read_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "void f(int n, int m, double *a) { for (int i = 0; i < n; i++) if (i < m) a[i] = 0; }"
    (before,) = analyzed(tmp_path / "f.c", text)[0].loops
    assert before.counts.stores is not None
    monkeypatch.setattr(working_out, "LARGEST_FORMULA", 2)
    (found,) = analyzed(tmp_path / "f.c", text)[0].loops
    assert found.counts.stores is None
    assert found.unclassified is not None
    assert (found.unclassified.code, found.unclassified.message) == ("too-complex", TOO_MUCH_WORK)
