"""The driver: what belongs to which file, and that every loop gets an entry."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from analyzer.driver.analysis import analyze_file
from analyzer.settings.options import AnalysisOptions, SourceOptions

from ...conftest import Analyze


def test_functions_of_a_project_header_are_counted_under_the_header(tmp_path: Path) -> None:
    header = "static inline void zero(int n, int *a) { for (int i = 0; i < n; i++) a[i] = 0; }\n"
    (tmp_path / "h.h").write_text(header)
    (tmp_path / "a.c").write_text('#include "h.h"\nvoid f(int n, int *a) { for (int i = 0; i < n; i++) zero(n, a); }\n')
    facts = analyze_file(tmp_path / "a.c", SourceOptions(), AnalysisOptions(), tmp_path)
    assert (facts.functions_total, facts.functions_analyzed) == (1, 1)
    (inside,) = facts.headers
    assert (inside.path, inside.functions_total, inside.functions_analyzed) == ("h.h", 1, 1)
    assert [loop.id for loop in inside.functions[0].loops] == [f"h.h:zero:1:{header.index('for') + 1}"]


def test_every_loop_of_a_macro_and_of_dead_code_is_listed(tmp_path: Path) -> None:
    text = (
        "#define BOTH(n, a) for (int i = 0; i < n; i++) a[i] = 0; for (int i = 0; i < n; i++) a[i] += 1\n"
        "void f(int n, int *a) {\n"
        "    BOTH(n, a);\n"
        "    return;\n"
        "    for (int i = 0; i < n; i++) a[i] = 2;\n"
        "}\n"
    )
    facts = analyze_file(tmp_path / "a.c", SourceOptions(), AnalysisOptions(), tmp_path, text)
    ids = [loop.id for loop in facts.functions[0].loops]
    assert ids == ["a.c:f:3:5", "a.c:f:3:5#2", "a.c:f:5:5"]


def test_an_error_of_ours_costs_one_function(tmp_path: Path, monkeypatch: Any) -> None:
    import analyzer.counts

    kept = analyzer.counts.count

    def fail_in_f(nest: Any, *rest: Any) -> Any:
        if nest.function.name == "f":
            raise RecursionError
        return kept(nest, *rest)

    monkeypatch.setattr(analyzer.counts, "count", fail_in_f)
    text = "void f(int *a) { for (;;) a[0]++; }\nvoid g(int *a) { for (int i = 0; i < 9; i++) a[i] = 0; }\n"
    facts = analyze_file(tmp_path / "a.c", SourceOptions(), AnalysisOptions(), tmp_path, text)
    assert facts.failed
    assert [d.rule for d in facts.diagnostics if d.level == "error"] == ["SRC900"]
    broken, fine = facts.functions
    assert broken.loops[0].parallelism.reason is not None
    assert broken.loops[0].parallelism.reason.code == "internal-error"
    assert fine.loops[0].parallelism.verdict.value == "yes"


def test_loops_that_never_run_get_an_answer(analyze: Any, source: Any) -> None:
    never = "for (int i = 0; i < 0; i++)"
    source(f"void f(int n, int *a) {{ {never} a[i] = a[i - 1] + 1; {never} a[i] = 2; }}\n")
    ran = analyze("a.c", "-t", "gtx470")
    assert ran.code == 0, ran.err
    assert "internal" not in ran.out


def test_headers_may_change_between_two_runs_of_a_process(analyze: Analyze, source: Callable[..., Path]) -> None:
    source('#include "h.h"\nvoid f(int n, double *a) { for (int i = 1; i < n; i++) a[i] = a[i - BACK]; }')
    source('#include "h.h"\nint g(void) { return BACK; }', "b.c")
    said = []
    for back in (0, 1):
        source(f"#define BACK {back}", "h.h")
        assert analyze("a.c", "b.c", "--no-cache", "-j", "1", "-f", "json=found.json").code == 0
        said.append(json.loads(Path("found.json").read_text(encoding="utf-8"))["files"][0]["loops"][0]["parallel"])
    assert said == ["yes", "no"]
