"""What a core does in an iteration, for loops whose operations, accesses and dependence cycles are counted by hand."""

from pathlib import Path

import pytest

from analyzer.advise.averages import averaged
from analyzer.advise.bodies import bodies
from analyzer.driver.analysis import analyze_file
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.incore import Body


def body(tmp_path: Path, text: str, loop: int = 0) -> Body:
    """Of one of the loops of the only function."""
    source = tmp_path / "a.c"
    source.write_text(text, encoding="utf-8")
    (function,) = analyze_file(source, SourceOptions(), AnalysisOptions(), tmp_path).functions
    loops = averaged(function.loops)
    by_id = {each.id: each for each in loops}
    outermost = next(each for each in loops if each.parent is None)
    return bodies(outermost, tuple(by_id[i] for i in outermost.nest))[loop]


WAYS = {
    "a sum": ("s += a[i];", {"add fp64": 1}),
    "a sum of products: the product is ready before": ("s += a[i] * b[i];", {"add fp64": 1}),
    "Horner": ("s = s * x + a[i];", {"fused fp64": 1}),
    "first order, in a register": ("a[i + 1] = x * a[i] + b[i];", {"fused fp64": 1}),
    "two iterations at a time": ("a[i + 2] = x * a[i] + b[i];", {"fused fp64": 0.5}),
    "through a division": ("a[i + 1] = b[i] / (x + a[i]);", {"add fp64": 1, "divide fp64": 1}),
    "nothing waits": ("a[i] = x * b[i] + a[i];", {}),
    "a scalar of its own": ("double t = a[i]; b[i] = t * t;", {}),
    "two values in turn": ("double t = s * x + u; u = s; s = t;", {"fused fp64": 1}),
    "the largest": ("if (a[i] > s) s = a[i];", {"compare": 1}),
    "integers": ("k = k * 3 + 1; m[i] = k;", {"integer-multiply": 1, "integer": 1}),
    "a remainder, by the reciprocal": ("k = (k + m[i]) % 65521;", {"integer-multiply": 2, "integer": 3}),
    "a quotient by a power of two, of what may be negative": ("k = k / 4 + m[i];", {"integer": 4}),
    "a list": ("k = m[k];", {"load m": 1}),
    "an index into a sum": ("s += a[m[i]];", {"add fp64": 1}),
}


@pytest.mark.parametrize("name", WAYS)
def test_the_longest_cycle_of_an_iteration(tmp_path: Path, name: str) -> None:
    statement, way = WAYS[name]
    text = f"""
    double f(int n, double x, double *restrict a, double *restrict b, int *restrict m) {{
        double s = 0, u = 1;
        int k = 0;
        for (int i = 0; i < n; i++) {{ {statement} }}
        return s + u + k;
    }}"""
    assert dict(body(tmp_path, text).way) == way


def test_a_store_that_may_change_it_sends_a_value_through_memory(tmp_path: Path) -> None:
    text = """
    void f(int n, double *a, double *b) {
        for (int i = 0; i < n; i++) { a[i + 1] = 2 * a[i] + 1; b[i] = 0; }
    }"""
    assert dict(body(tmp_path, text).way) == {"forward": 1, "fused fp64": 1}
    assert dict(body(tmp_path, text.replace("double *b", "double *restrict b")).way) == {"fused fp64": 1}
    assert dict(body(tmp_path, text.replace("double *b", "int *b")).way) == {"fused fp64": 1}  # of another type


def test_an_access_counts_once_and_a_place_that_stays_not_at_all(tmp_path: Path) -> None:
    text = """
    void f(int n, const double *restrict a, const double *restrict x, double *restrict b) {
        for (int i = 0; i < n; i++) b[i] = a[i] * a[i] + a[i + 1] * x[0];
    }"""
    found = body(tmp_path, text)
    assert [(a.kind, a.pace, a.number) for a in found.accesses] == [("load", "unit", 2), ("store", "unit", 1)]
    assert dict(found.work) == {"fused fp64": 1, "multiply fp64": 1}


PACES = {
    "b[i] = a[2 * i];": "apart",
    "b[i] = a[2 * i] + a[2 * i + 1];": "unit",
    "b[i] = a[n * i];": "apart",
    "b[i] = a[m[i]];": "scattered",
    "b[i] = a[n - i];": "unit",
}


@pytest.mark.parametrize("statement", PACES)
def test_how_far_neighbours_are_apart(tmp_path: Path, statement: str) -> None:
    text = f"""
    void f(int n, const double *restrict a, double *restrict b, const int *restrict m) {{
        for (int i = 0; i < n; i++) {{ {statement} }}
    }}"""
    found = body(tmp_path, text)
    assert next(a.pace for a in found.accesses if a.kind == "load" and a.width == 8) == PACES[statement]


def test_a_short_loop_is_unrolled_and_a_long_one_is_not(tmp_path: Path) -> None:
    text = """
    void f(int n, const double *restrict a, double *restrict b) {
        for (int i = 0; i < n; i++) {
            double s = 0;
            for (int j = 0; j < 4; j++) s += a[4 * i + j];
            b[i] = s;
        }
    }"""
    assert dict(body(tmp_path, text).work) == {"add fp64": 4}
    assert dict(body(tmp_path, text.replace("j < 4", "j < 40")).work) == {}
    assert dict(body(tmp_path, text.replace("j < 4", "j < 40"), 1).work) == {"add fp64": 1}


def test_long_sums_are_no_matter_of_recursion(tmp_path: Path) -> None:
    terms = " + ".join(f"a[i + {k}]" for k in range(400))
    found = body(tmp_path, f"void f(int n, const double *restrict a, double *restrict b) "
                           f"{{ for (int i = 0; i < n; i++) b[i] = {terms}; }}")  # fmt: skip
    assert dict(found.work) == {"add fp64": 399}


def test_branches_count_as_often_as_they_are_taken_but_both_sides_in_vectors(tmp_path: Path) -> None:
    text = """
    void f(int n, const double *restrict a, double *restrict b) {
        for (int i = 0; i < n; i++)
            if (a[i] > 0) b[i] = a[i] / 3; else b[i] = a[i] * 5 + 1;
    }"""
    found = body(tmp_path, text)
    assert dict(found.work) == {"branch": 0.5, "compare fp64": 1, "divide fp64": 0.5, "fused fp64": 0.5}
    assert dict(found.masked) == {"compare fp64": 1, "divide fp64": 1, "fused fp64": 1}
