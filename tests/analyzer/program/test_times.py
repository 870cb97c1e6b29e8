"""What the file pass found of a loop is used again where the sizes that the loop mentions are the same."""

from pathlib import Path

import pytest
from msgspec.structs import asdict, replace

from analyzer.base.amounts import time
from analyzer.driver.run import Input, Plan, Result, analyse
from analyzer.program import Answer, Outline, answer, times
from analyzer.program.gains import EXACT
from analyzer.settings.options import AnalysisOptions, SourceOptions
from analyzer.sizes.values import parse_size
from models.expr import evaluate

from .placed import CONTEXT

FIXED = """static double x[4000][40];
int main(void) {
  for (int t = 0; t < 50; t++)
    for (int i = 0; i < 4000; i++)
      for (int j = 0; j < 40; j++) x[i][j] = 2.0 * x[i][j] + 1.0;
  return x[1][1] > 0.5;
}
"""
PASSED = """static double x[90000];
static void scale(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 2.0 * a[i]; }
static void same(double *a, int unused) { for (int i = 0; i < 500 + 0 * unused; i++) a[i] += 1.0; }
static void nest(double *a, int n) {
  for (int i = 0; i < n; i++) for (int j = 0; j < 300; j++) a[300 * i + j] += 1.0;
}
int main(void) { scale(x, 90000); scale(x, 7); same(x, 3); nest(x, 300); return x[1] > 0.5; }
"""


CACHED = """static double x[1000], y[1000], s[500];
int main(void) {
  for (int t = 0; t < 3000; t++)
    for (int j = 1; j < 500; j++) {
      s[j] = s[j - 1] * 0.5 + x[j];
      for (int i = 0; i < 1000; i++) y[i] = y[i] * s[j] + x[i];
    }
  return y[1] > 0.5;
}
"""
"""The innermost loop finds its data in the caches."""


def analysed(folder: Path, text: str, *sizes: str) -> Result:
    (folder / "p.c").write_text(text, encoding="utf-8")
    plan = Plan(
        SourceOptions(entry="main"), AnalysisOptions(), CONTEXT, tuple(parse_size(s) for s in sizes), root=folder
    )
    return analyse(Input(folder / "p.c"), plan)


def alone(outlines: tuple[Outline, ...]) -> tuple[Outline, ...]:
    return tuple(replace(o, advised=None) for o in outlines)


@pytest.mark.parametrize(
    ("text", "sizes"),
    [(FIXED, ()), (CACHED, ()), (PASSED, ()), (PASSED, ("nest:n=20",)), (PASSED, ("n=300",))],
)
def test_the_answer_is_the_same_as_when_every_model_is_asked_again(
    tmp_path: Path, text: str, sizes: tuple[str, ...]
) -> None:
    result = analysed(tmp_path, text, *sizes)
    assert any(o.advised is not None and o.advised.loops for o in result.outlines)
    found = answer(result.outlines, CONTEXT, result.given)
    again = answer(alone(result.outlines), CONTEXT, result.given)
    assert isinstance(found, Answer)
    assert isinstance(again, Answer)
    assert asdict(again.gain) == pytest.approx(asdict(found.gain))
    assert without_ends(found) == without_ends(again)


def without_ends(found: Answer) -> Answer:
    """They are quotients, which are rounded otherwise where a time is that of a part."""
    loops = tuple(replace(each, ends=EXACT, today_ends=EXACT) for each in found.loops)
    return replace(found, loops=loops, gain=EXACT)


def test_no_model_is_asked_again_at_the_same_sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("asked again")

    result = analysed(tmp_path, FIXED)
    monkeypatch.setattr(times, "advise", refuse)
    monkeypatch.setattr(times, "predictions", refuse)
    assert isinstance(answer(result.outlines, CONTEXT, result.given), Answer)
    with pytest.raises(AssertionError, match="asked again"):
        answer(alone(result.outlines), CONTEXT, result.given)


def test_what_earlier_executions_left_in_the_caches_counts_in_the_program_verdict_and_report_alike(
    tmp_path: Path,
) -> None:
    result = analysed(tmp_path, CACHED)
    outer, _, inner = result.files[0].loops
    found = answer(result.outlines, CONTEXT, result.given)
    assert isinstance(found, Answer)
    whole, inside = (next(p for p in loop.predictions if p.candidate == "host") for loop in (outer, inner))
    assert whole.time_s is not None
    assert inside.all_executions_s is not None
    assert inside.time_s is not None
    everything = whole.time_s.likely  # the loops around have work of their own
    assert found.before_s == pytest.approx(everything, rel=0.02)
    assert inside.all_executions_s.likely == pytest.approx(everything, rel=0.02)
    each = inside.all_executions_s.likely / (3000 * 499)
    assert each == pytest.approx(inside.time_s.likely)  # data that fits is there for the first execution, too
    assert time(each) in inner.recommendation.reason.message


def test_a_size_that_a_call_passes_counts(tmp_path: Path) -> None:
    result = analysed(tmp_path, PASSED, "scale:n=7")
    found = answer(result.outlines, CONTEXT, result.given)
    assert isinstance(found, Answer)
    large, small = (p.today_s for p in found.loops if p.function == "scale")
    assert large is not None
    assert small is not None
    assert large > 50 * small


NESTS = """void sides(int n, int m, double a[n][m]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = 2.0 * a[i][j];
}
void corner(int n, double *a) {
  for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) a[i * n + j] = 2.0 * a[i * n + j];
}
int main(void) { return 0; }
"""


def test_an_outline_has_means_and_none_of_the_code_they_are_taken_over(tmp_path: Path) -> None:
    facts = {o.name: o.facts for o in analysed(tmp_path, NESTS).outlines}
    loops = {name: of.loops for name, of in facts.items() if of is not None}
    assert all(loop.outermost is None and not loop.changing for of in loops.values() for loop in of)
    often = loops["corner"][1].counts.iterations
    assert often is not None
    assert often.expr is not None
    assert evaluate(often.expr, {"n": 9}) == 5
