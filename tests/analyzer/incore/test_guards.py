"""Conditions on loop counters: how often they hold, and what asking takes."""

from pathlib import Path

import pytest

from models.incore import Body

from .test_body import body


def of_loop(tmp_path: Path, statement: str) -> Body:
    text = f"""
    void f(int n, int m, int lo, int row, double *restrict a, double *restrict b) {{
        for (int i = 0; i < n; i++) {{ {statement} }}
    }}"""
    return body(tmp_path, text)


HELD = {
    "i > 0 && i < n - 1": 1.0,
    "i == 0 || i == n - 1": 0.0,
    "i % 2 == 0": 0.5,
    "i % 4 == 1": 0.25,
    "i < n / 2": 0.5,
    "i >= 3 * n / 4": 0.25,
    "i > lo": 0.5,
    "row > 3": 0.5,
    "i != lo": 0.5,
}


@pytest.mark.parametrize("condition", HELD)
def test_how_often_a_guard_holds(tmp_path: Path, condition: str) -> None:
    work = dict(of_loop(tmp_path, f"if ({condition}) b[i] = a[i] + 1;").work)
    assert work.get("add fp64", 0.0) == pytest.approx(HELD[condition], abs=0.02)
    assert "branch" not in work


ASKED = {
    "if (i > 0 && i < n - 1) b[i] = a[i];": 2,
    "if (i > 0 && row > 0) b[i] = a[i];": 1,
    "if (row > 0 && row < n) b[i] = a[i];": 0,
    "if (i > 0 || i == lo) b[i] = a[i];": 2,
    "for (int u = -1; u <= 1; u++) if (i + u >= 0 && i + u < n) b[i] += a[i + u];": 6,
    "int l = i > 0 ? i - 1 : 0; b[i] = a[l];": 2,
}


@pytest.mark.parametrize("statement", ASKED)
def test_what_asking_takes(tmp_path: Path, statement: str) -> None:
    assert dict(of_loop(tmp_path, statement).work).get("integer", 0) == ASKED[statement]


def test_a_condition_on_data_is_one_beside_a_guard(tmp_path: Path) -> None:
    work = dict(of_loop(tmp_path, "if (i > 0 && a[i] > 0) b[i] = a[i - 1] * a[i];").work)
    assert work["multiply fp64"] == 0.5
    assert work["branch"] == 0.5


def test_subscripts_that_stop_at_borders_are_places_of_each_unrolled_iteration(tmp_path: Path) -> None:
    inside = "int k = i + u < 0 ? 0 : i + u > n - 1 ? n - 1 : i + u; s += a[k];"
    found = of_loop(tmp_path, f"double s = 0; for (int u = -2; u <= 2; u++) {{ {inside} }} b[i] = s;")
    assert sum(a.number for a in found.accesses if a.kind == "load") == 5
