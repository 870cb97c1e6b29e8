"""Data of a type that nothing declares (its header is missing): subscripts count elements, whatever their size is."""

from pathlib import Path
from typing import Any

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import LoopFacts, Verdict
from analyzer.settings.options import AnalysisOptions, SourceOptions

PARAMETERS = "int n, int k, real_t *restrict a, real_t *b, real_t c[n][n], node *q, int *e"


def analysed(body: str) -> LoopFacts:
    text = f'#include "nowhere.h"\nvoid f({PARAMETERS}) {{ {body} }}\n'
    facts = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), text=text)
    return facts.functions[0].loops[0]


I = "for (int i = 0; i < n; i++)"  # noqa: E741
J = "for (int j = 0; j < n; j++)"


@pytest.mark.parametrize(
    ("body", "verdict", "distance"),
    [
        (f"{I} a[i] = b[i];", "yes", None),
        (f"{I} a[2 * i] = a[2 * i + 1];", "yes", None),
        (f"{I} {J} c[i][j] += 42;", "yes", None),
        (f"{I} q[i].x = i;", "yes", None),
        (f"real_t *v = malloc(n * sizeof(real_t)); {I} v[i] = i; b[0] = v[k];", "yes", None),
        ("for (int i = 1; i < n; i++) a[i] = a[i - 1];", "no", "1"),
        ("for (int i = 3; i < n; i++) a[i] = a[i - 3] + 1;", "no", "3"),
        (f"{I} q[i].x = q[i + 1].x;", "unknown", None),
        # other units than whole elements: nothing is known of bytes
        (f"{I} ((char *)a)[i] = a[i];", "unknown", None),
        (f"double *z = (double *)a; {I} z[i] = a[i + 3];", "unknown", None),
        # perhaps a sum of integers, or of floats
        (f"real_t s = 0; {I} s += a[i]; a[0] = s;", "unknown", None),
        (f"{I} a[0] += b[i];", "unknown", None),
        (f"{I} a[e[i]] += b[i];", "conditional", None),
    ],
)
def test_subscripts_count_elements(body: str, verdict: str, distance: str | None) -> None:
    answer = analysed(body).parallelism
    assert (answer.verdict.value, answer.reason.distance if answer.reason and distance else None) == (verdict, distance)


def test_bytes_are_formulas_in_its_size() -> None:
    loop = analysed(f"{I} a[i] = b[i];")
    counts = loop.counts
    size = "`sizeof(real_t)`"
    assert [str(c.expr) for c in (counts.loads, counts.read_footprint, counts.transfer_out) if c is not None] == [
        "n",
        f"n*{size}",
        f"n*{size}",
    ]
    assert counts.bytes_loaded is None
    assert str(loop.algorithm) == "n|element → n|element"
    assert {(array.element_type, array.coalescing) for array in loop.arrays} == {("real_t", "unit")}


def test_strides_are_in_elements() -> None:
    (array,) = analysed(f"{I} {J} c[j][i] = 0;").arrays
    assert array.coalescing == "strided(n)"


def test_arithmetic_of_it_is_neither_integer_nor_floating() -> None:
    counts = analysed(f"{I} a[i] = a[i] + 1;").counts
    assert (counts.flops_fp64, counts.int_ops, counts.fp_other, counts.complexity) == (None, None, None, None)
    counts = analysed(f"{I} a[i] = a[k + 1];").counts
    assert counts.int_ops is not None
    assert str(counts.int_ops.expr) == "0"


def test_no_time_is_made_up_for_it(analyze: Any, source: Any) -> None:
    source(f"#include \"nowhere.h\"\nvoid f({PARAMETERS}) {{ {I} a[i] = b[i] + 1; }}\n")
    ran = analyze("a.c", "-t", "gtx470")
    assert "real_t is declared nowhere" in " ".join(ran.out.split())
    assert "[unparsed]" in ran.out
    assert analysed(f"{I} a[i] = b[i] + 1;").parallelism.verdict is Verdict.YES


def test_arrays_that_nothing_declares_have_no_pace(analyze: Any, source: Any) -> None:
    """Nor a size of their elements, which steps of a walk are divided by."""
    source("chained(){for(;i<N;i++)a[i]=b[i]=c[i];}")
    ran = analyze("a.c", "-t", "h200")
    assert (ran.code, "cannot-model" in ran.out) == (0, True)
