"""`--count-as`: the same nest counted in other ways, and the counts of the PerDome paper."""

import json
from pathlib import Path
from typing import Any

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import LoopFacts
from analyzer.settings.options import AnalysisOptions, CountAs, SourceOptions

ROOT = Path(__file__).resolve().parents[3]
PERDOME = ROOT / "fixtures" / "c" / "perdome.c"
SIZE = 2560000
HEAD = "void f(int n, float *restrict a, const float *restrict b, const int *restrict p, double *restrict d) {\n"


def loops(path: Path, view: CountAs, text: str | None = None) -> list[LoopFacts]:
    facts = analyze_file(path, SourceOptions(), AnalysisOptions(count_as=view), ROOT, text)
    return [loop for function in facts.functions for loop in function.loops]


def counted(body: str, view: CountAs) -> dict[str, str]:
    """The counts of the first loop of a body that are not 0, as formulas; `~` before one that is not exact."""
    from models.expr import to_text

    counts = loops(Path("x.c"), view, f"{HEAD}{body}\n}}\n")[0].counts
    found = {name: getattr(counts, name) for name in counts.__struct_fields__}
    said = {k: ("" if c.exact else "~") + to_text(c.expr) for k, c in found.items() if c is not None}
    return {k: v for k, v in said.items() if v != "0"}


def number(count: Any) -> Any:
    from models.expr import evaluate, free_symbols

    assert count.exact
    return evaluate(count.expr, {s: SIZE for s in free_symbols(count.expr)})


def test_perdome_counts_as_the_paper_prints_them() -> None:
    """Its SA kernel per outer iteration: PowAdd 128 flops, VecAdd 1 flop on 12 bytes; the intensities 2, 1/12 and 1.7
    (129/76) need PowAdd's 8 bytes in each of eight inner iterations."""
    by_function = {loop.function: loop.counts for loop in loops(PERDOME, "references") if loop.depth == 0}
    for name, flops, moved in (("pow_add", 128, 64), ("vec_add", 1, 12), ("pow_add_and_vec_add_single", 129, 76)):
        counts = by_function[name]
        assert number(counts.flops_fp32) == flops * SIZE
        assert number(counts.bytes_loaded) + number(counts.bytes_stored) == moved * SIZE
        assert number(counts.operational_intensity) * moved == flops


def test_the_definitions_count_every_evaluation_and_unique_bytes() -> None:
    by_function = {loop.function: loop.counts for loop in loops(PERDOME, "definitions") if loop.depth == 0}
    counts = by_function["pow_add"]
    assert number(counts.bytes_loaded) + number(counts.bytes_stored) == (64 + 32) * SIZE
    assert number(counts.operational_intensity) * (36 + 4) == 128


FOR = "for (int i = 0; i < n; i++)"


@pytest.mark.parametrize(
    ("body", "view", "expected"),
    [
        (f"{FOR} a[i] = b[i] * b[i] + b[i];", "definitions", {"loads": "3*n", "stores": "n"}),
        (f"{FOR} a[i] = b[i] * b[i] + b[i];", "references", {"loads": "n", "stores": "n"}),
        (f"{FOR} a[i] += b[i];", "references", {"loads": "n", "stores": "n", "bytes_stored": "4*n"}),
        (f"{FOR} {{ a[i] = b[i]; if (b[i] > 0) a[i] = 0; }}", "references", {"loads": "n", "stores": "n"}),
        (f"{FOR} if (i < 3) a[i] = b[i]; else a[i] = 0;", "references", {"stores": "n"}),
        (f"{FOR} if (i > 3) a[i] = b[i];", "definitions", {"stores": "max(0, n - 4)"}),
        (f"{FOR} if (i > 3) a[i] = b[i] * 2;", "textual", {"stores": "n", "loads": "n", "flops_fp32": "n"}),
        (f"{FOR} a[i] = b[i] > 0 ? b[i] * 2 : b[i] / 3;", "textual", {"flops_fp32": "2*n", "loads": "3*n"}),
        (f"{FOR} {{ if (b[i] > 9) continue; a[i] = b[i] + 1; }}", "textual", {"flops_fp32": "n", "stores": "n"}),
        (f"{FOR} for (int j = 0; j < i; j++) a[j] += b[i];", "textual", {"flops_fp32": "n*(n - 1)/2"}),
        (f"{FOR} if (p[i] && p[n]) a[i] = 1;", "textual", {"loads": "2*n"}),
        ("int i = 0; while (p[i] > 0) { a[i] = 1; i++; }", "textual", {"loads": "~trip@2"}),
    ],
)
def test_views_of_one_nest(body: str, view: CountAs, expected: dict[str, str]) -> None:
    found = counted(body, view)
    assert {name: found.get(name) for name in expected} == expected


def answer_of(loop: LoopFacts) -> tuple[object, ...]:
    """What can be compared between two readings of a file: types of memory hold its syntax tree."""
    answer = loop.parallelism
    return answer.verdict, answer.reason, answer.assumptions, [(s.role, s.text) for s in answer.separated]


@pytest.mark.parametrize("view", ["textual", "references"])
def test_what_happens_is_the_same_in_every_view(view: CountAs) -> None:
    for name in ("stencils.c", "triangular.c", "indirect.c"):
        path = ROOT / "fixtures" / "c" / name
        for usual, other in zip(loops(path, "definitions"), loops(path, view), strict=True):
            assert answer_of(usual) == answer_of(other)
            for field in ("trip_count", "executions", "iterations", "footprint", "transfer_in", "transfer_out"):
                assert getattr(usual.counts, field) == getattr(other.counts, field), (usual.id, field)
            if view == "references":
                assert usual.counts.flops_fp64 == other.counts.flops_fp64
            assert usual.counts.stores is None or other.counts.stores is not None


def test_the_view_is_named_in_every_output(analyze: Any) -> None:
    ran = analyze(PERDOME, "-t", "gtx470", "--count-as", "references")
    assert ran.out.splitlines()[0].endswith("· counted as references")
    found = json.loads(analyze(PERDOME, "-f", "json", "--count-as", "references").out)
    assert found["options"]["count_as"] == "references"
    assert "counted as" not in analyze(PERDOME, "-t", "gtx470").out
    assert analyze(PERDOME, "--count-as", "guess").code == 2
