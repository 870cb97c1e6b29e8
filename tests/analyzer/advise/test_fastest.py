"""A target is advised only where it is, at some size, the fastest place: not for winning over one thread alone."""

import json
from typing import Any

import pytest

from analyzer.change.chosen import rounded

FEW = """double largest(int n, const double *x) {
    double m = 0;
    for (int i = 0; i < n; i++) m = x[i] > m ? x[i] : m;
    return m;
}
"""
"""Copying takes longer than reading with all threads."""

MANY = """void pull(int n, const double *restrict x, double *restrict f) {
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = 0; j < n; j++) s += (x[j] - x[i]) / ((x[j] - x[i]) * (x[j] - x[i]) + 0.001);
        f[i] = s;
    }
}
"""
"""n*n operations on n elements."""

PAIRS = """void pull(int n, int m, const double *restrict x, const double *restrict y, double *restrict f) {
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = 0; j < m; j++) s += (y[j] - x[i]) / ((y[j] - x[i]) * (y[j] - x[i]) + 0.001);
        f[i] = s;
    }
}
"""


def outermost(analyze: Any, source: Any, text: str, *options: str) -> dict[str, Any]:
    source(text)
    ran = analyze("a.c", "-t", "h200", "-f", "json", "--no-cache", *options)
    assert ran.code == 0, ran.err
    loop: dict[str, Any] = json.loads(ran.out)["files"][0]["loops"][0]
    return loop


def times(loop: dict[str, Any]) -> dict[str, float]:
    return {p["candidate"]: p["time_s"]["likely"] for p in loop["predictions"] if "time_s" in p}


def test_all_threads_are_advised_where_they_are_always_faster(analyze: Any, source: Any) -> None:
    loop = outermost(analyze, source, FEW)
    found = loop["recommendation"]
    assert (found["verdict"], found["candidate"]) == ("depends", "host-threads")
    assert "all threads" in found["reason"]["message"]
    assert "are faster at every size), and from" in found["reason"]["message"]
    assert loop["change"]["directive"].startswith("#pragma omp parallel for")
    for size in (10**4, 10**6, 10**8):
        known = times(outermost(analyze, source, FEW, "--size", f"n={size}"))
        assert known["host-threads"] < known["target"]


@pytest.mark.parametrize("text", [MANY, PAIRS], ids=["one size", "two sizes"])
def test_a_target_is_advised_from_where_nothing_is_faster(analyze: Any, source: Any, text: str) -> None:
    loop = outermost(analyze, source, text)
    found = loop["recommendation"]
    assert (found["verdict"], found["candidate"]) == ("depends", "target")
    assert "over all threads" in found["reason"]["message"]
    assert found["break_even"]
    assert any("fastest_likely" in point for point in found["break_even"])
    for point in found["break_even"]:
        first = point.get("fastest_likely", point["value_likely"])
        assert first >= point["value_likely"]
        given = [f"{name}={value}" for name, value in point.get("given", {}).items()]
        for size, wins in ((first, True), (first - 1, False)):
            sizes = [f"{point['symbol']}={size}", *given]
            known = times(outermost(analyze, source, text, *(word for one in sizes for word in ("--size", one))))
            assert (known["target"] < min(known["host-threads"], known["host"])) is wins


def test_the_change_begins_where_nothing_is_faster(analyze: Any, source: Any) -> None:
    loop = outermost(analyze, source, MANY)
    (point,) = loop["recommendation"]["break_even"]
    directive = loop["change"]["directive"]
    assert directive.startswith("#pragma omp target")
    assert f"if(n >= {rounded(point['fastest_likely'])})" in directive


def test_no_size_contradicts_it(analyze: Any, source: Any) -> None:
    """Ranges may overlap at a size, which is no contradiction."""
    (point,) = outermost(analyze, source, MANY)["recommendation"]["break_even"]
    contrary = {8 * point["fastest_likely"]: ("host", "host-parallel"), point["value_likely"] // 2: ("offload",)}
    for size, verdicts in contrary.items():
        assert outermost(analyze, source, MANY, "--size", f"n={size}")["recommendation"]["verdict"] not in verdicts
