"""The text report: every loop and reason in it, at most 80 columns, with and without colour and Unicode."""

import io
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from analyzer.report.amounts import formula
from analyzer.report.ascii import to_encoding
from analyzer.report.cleaning import cleaned
from analyzer.report.codec import from_json
from analyzer.report.concise import render as concise
from analyzer.report.formats import RENDERERS
from analyzer.report.formats import render as rendered
from analyzer.report.formula import Formula
from analyzer.report.next_step import next_step
from analyzer.report.text import Style, render

SAMPLES = {
    "jsonl": "jsonl",
    "sarif": "sarif",
    "markdown": "md",
    "csv": "csv",
    "github": "github.txt",
    "gitlab": "gitlab.json",
}

SOURCE = """
#include <stdio.h>
#define EACH(i) for (int i = 0; i < 64; i++)
double m[2048][2048], q[2048][2048];
void moves(void) {
  for (int i = 0; i < 2048; i++)
    for (int j = 0; j < 2048; j++)
      m[i][j] = q[i][j] * 2;
}
void sized(int n, float *restrict x, const float *restrict y) {
  for (int i = 0; i < n; i++) x[i] = y[i];
}
void scan(int n, float *x) { for (int i = 1; i < n; i++) x[i] += x[i - 1]; }
void prints(int n, float *x) { for (int i = 0; i < n; i++) printf("%f", x[i]); }
void small(float *x) { EACH(k) x[k] = 0; }
"""


@pytest.fixture
def saved(analyze: Any, source: Any, tmp_path: Path) -> Any:
    source(SOURCE)
    analyze("a.c", "-t", "gtx470", "-f", "json=saved.json")
    return from_json((tmp_path / "saved.json").read_text(encoding="utf-8"), "saved.json")


def test_every_loop_has_its_place_verdict_and_reason(saved: Any) -> None:
    text = render(saved)
    for loop in saved.files[0].loops:
        assert re.search(rf"^  {loop.line}:{loop.column} ", text, re.MULTILINE)
        if loop.recommendation.reason.code != "parent-better":
            assert f"[{loop.recommendation.reason.code}]" in text
    assert "host-parallel, all threads: 5.6x" in text
    assert "moves with the loop around it" in text
    assert "for k (macro EACH) × 64  host: no change\n" in text
    assert "2048x2048|element → 2048x2048|element" in text
    assert "33.6 MB in, 33.6 MB out" in text


def test_a_loop_too_small_by_itself_takes_one_line_in_its_nest(analyze: Any, source: Any, tmp_path: Path) -> None:
    source("""
    void rows(int n, float *restrict x, const float (*restrict y)[3]) {
      for (int i = 0; i < n; i++)
        for (int j = 0; j < 3; j++) x[i] += y[i][j];
    }
    void alone(float *restrict x) { for (int j = 0; j < 3; j++) x[j] = 0; }
    """)
    analyze("a.c", "-t", "gtx470", "-f", "json=b.json")
    text = render(from_json((tmp_path / "b.json").read_text(encoding="utf-8"), "b.json"))
    assert "for j × 3  too small by itself\n" in text
    assert "for j × 3  host: no change\n" in text


def test_totals_add_up(saved: Any) -> None:
    said = render(saved).partition("\nLoops ")[2].partition("\nFunctions ")[0]
    total, *parts = map(int, re.findall(r"\d+", re.sub(r"\([^)]*\)", "", said)))
    assert total == len(saved.files[0].loops) == sum(parts)


def test_what_is_not_modelled_is_grouped_with_places(saved: Any) -> None:
    lines = render(saved).splitlines()
    start = lines.index("cannot-model, by reason")
    assert lines[start + 1].split() == ["1", "side-effect", "a.c:14"]


def test_lines_fit_into_80_columns(saved: Any) -> None:
    assert max(map(len, render(saved).splitlines())) <= 80


def test_colour_only_adds_to_the_same_text(saved: Any) -> None:
    coloured = render(saved, Style(color=True))
    assert "\x1b[1;36m" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == render(saved)


def test_the_next_step_gives_the_missing_size(saved: Any) -> None:
    assert str(next_step(saved)) == "analyze a.c -t gtx470 --size n=VALUE decides loops whose size is unknown"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2*max(0, n - 2)", "2*(n - 2)"),
        ("max(0, n - 1)", "n - 1"),
        ("(4*n if n - 3 >= 0 else 0)", "4*n"),
        ("8*n + (8*n*m if min(n - 1, m - 1) >= 0 else 0)", "8*n*(m + 1)"),
        ("w*(h + max(0, h - 1))", "w*(2*h - 1)"),
        ("(h*w if h - 3 >= 0 else 0) + (h*w - 2 if h - 3 >= 0 else 0)", "2*h*w - 2"),
        ("9*max(0, h - 2)*max(0, h - 2)*w", "9*w*(h - 2)*(h - 2)"),
        ("max(0, max(0, n - 2)*m - 3)*q", "q*(m*(n - 2) - 3)"),
        ("(4*n if n >= 0 else 3)", "(4*n if n >= 0 else 3)"),
        ("max(n, m)", "max(n, m)"),
        ("n" * 40, "n" * 27 + "…"),
    ],
)
def test_formulas_to_read(text: str, expected: str) -> None:
    assert formula(Formula(text)) == expected


def test_signs_of_the_papers_become_ascii_where_they_must() -> None:
    assert to_encoding("a ∧ b → c × 3", "utf-8") == "a ∧ b → c × 3"
    assert to_encoding("a ∧ b → c × 3", "ascii") == "a ^ b -> c x 3"
    assert to_encoding("é", "ascii") == "?"


@pytest.mark.parametrize(
    ("terminal", "no_color", "coloured"), [(True, "", True), (True, "1", False), (False, "", False)]
)
def test_colour_needs_a_terminal_and_no_color_is_obeyed(
    source: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, terminal: bool, no_color: str, coloured: bool
) -> None:
    from analyzer.command.cli import main

    class Output(io.TextIOWrapper):
        def isatty(self) -> bool:
            return terminal

    raw = io.BytesIO()
    monkeypatch.chdir(source(SOURCE).parent)
    monkeypatch.setattr(sys, "stdout", Output(raw, encoding="ascii"))
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setenv("TERM", "xterm")
    assert main(["a.c", "-t", "gtx470"]) == 0
    text = raw.getvalue().decode("ascii")
    assert ("\x1b[" in text) == coloured
    assert "2048x2048|element -> 2048x2048|element" in text


@pytest.mark.parametrize(("columns", "widest"), [("40", 60), ("72", 72), ("80", 80), ("120", 100), ("400", 100)])
@pytest.mark.parametrize("terminal", [True, False])
def test_the_width_is_the_terminals_within_reason_and_80_in_a_pipe(
    saved: Any, monkeypatch: pytest.MonkeyPatch, columns: str, widest: int, terminal: bool
) -> None:
    from analyzer.command.cli import main

    class Output(io.TextIOWrapper):
        def isatty(self) -> bool:
            return terminal

    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", Output(raw, encoding="utf-8"))
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("NO_COLOR", "1")
    assert main(["--from-json", "saved.json"]) == 0
    assert raw.getvalue().decode("utf-8") == render(cleaned(saved), Style(width=widest if terminal else 80))


def test_the_committed_samples_belong_together() -> None:
    folder = Path(__file__).resolve().parents[3] / "reports"
    document = from_json((folder / "perdome.json").read_text(encoding="utf-8"), "perdome.json")
    assert render(document) == (folder / "perdome.txt").read_text(encoding="utf-8")
    assert concise(document) == (folder / "perdome.concise.txt").read_text(encoding="utf-8")
    for name, suffix in SAMPLES.items():
        text = (folder / f"perdome.{suffix}").read_bytes().decode("utf-8")
        assert rendered(document if RENDERERS[name].escapes else cleaned(document), name) == text, name


def test_what_is_said_of_several_places_is_said_once(analyze: Any, source: Any, tmp_path: Path) -> None:
    source("""#include "gone.h"
QUIET static int f(int x) { return x; }
QUIET static int g(int x) { return x; }
void h(int *a, int n) { for (int i = 0; i < n; i++) a[i] = f(i) + g(i); }
""")
    analyze("a.c", "-f", "json=saved.json")
    saved = from_json((tmp_path / "saved.json").read_text(encoding="utf-8"), "saved.json")
    assert sorted(d.line for d in saved.files[0].diagnostics) == [1, 2, 3]
    text = " ".join(render(saved).split())
    assert text.count("QUIET") == 1
    assert "2:1 note: QUIET: not declared here" in text
    assert "[SRC009], and 1 more place " in text


def test_copies_that_begin_with_the_old_value_have_their_clause(analyze: Any, source: Any, tmp_path: Path) -> None:
    source("""double t;
void f(double a[restrict 2048][2048], double *restrict b, int n) {
  for (int j = 0; j < 2048; j++) {
    for (int i = 0; i < n; i++) t = a[j][i];
    b[j] = t;
  }
}
""")
    analyze("a.c", "-t", "gtx470", "-f", "json=saved.json")
    saved = from_json((tmp_path / "saved.json").read_text(encoding="utf-8"), "saved.json")
    outer, inner = saved.files[0].loops
    assert outer.first_private == outer.last_private == ("t",)
    assert inner.first_private == inner.last_private == ("t",)  # for n = 0 the copies hold the old value
    assert "needs firstprivate(t) lastprivate(t)" in " ".join(render(saved).split())


def test_inductions_and_rewrites_are_needs(analyze: Any, source: Any, tmp_path: Path) -> None:
    source("""struct s { double sum; };
int f(double *restrict a, struct s *restrict q, int n, int k) {
  for (int i = 0; i < n; i++) { a[k] = i; k += 2; }
  for (int i = 0; i < n; i++) q->sum += a[i];
  return k;
}
""")
    analyze("a.c", "-t", "gtx470", "--size", "n=1e9", "-f", "json=saved.json")
    saved = from_json((tmp_path / "saved.json").read_text(encoding="utf-8"), "saved.json")
    text = " ".join(render(saved).split())
    after = "k_before + 2*(long long)(n > 0 ? n : 0)"
    assert f"needs k = k_before + 2*(long long)i (before the loop: k_before = k; after the loop: {after})" in text
    assert "needs a rewrite: use a local variable in place of `q->sum` in the loop" in text
    assert ", rewritten" in text
    assert "(1 of them after a rewrite)" in text


def test_sums_in_vectors_of_all_threads_name_the_pointers(analyze: Any, source: Any) -> None:
    """Typed as printed, clang 14 with -O1 would get the sum wrong without."""
    path = source("double f(const double *x, int n) {\n  double s = 0;\n  for (int i = 0; i < n; i++)\n    s += x[i];\n"
                  "  return s;\n}\n")  # fmt: skip
    assert "needs   simd reduction(+:s) firstprivate(x)\n" in analyze(path, "--size", "n=100000000").out
