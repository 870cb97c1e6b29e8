"""The time that is predicted for a form is that of the program in which somebody has written it."""

import json
from typing import Any

import pytest

HEAD = """#define N 1000
double a[N][N], b[N][N], c[N][N], x[N * N], y[N * N], z[N * N];
double exp(double), sqrt(double);
void f(void) {
"""

FORMS = {
    "interchange": (
        """for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                for (int k = 0; k < N; k++)
                    c[i][j] += a[i][k] * b[k][j];""",
        """for (int i = 0; i < N; i++)
            for (int k = 0; k < N; k++)
                for (int j = 0; j < N; j++)
                    c[i][j] += a[i][k] * b[k][j];""",
    ),
    "interchange of a sum": (
        """for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                double sum = 0;
                for (int k = 0; k < N; k++)
                    sum += a[i][k] * b[k][j];
                c[i][j] = sum;
            }""",
        """for (int i = 0; i < N; i++) {
            double sum_[N];
            for (int j = 0; j < N; j++)
                sum_[j] = 0;
            for (int k = 0; k < N; k++)
                for (int j = 0; j < N; j++)
                    sum_[j] += a[i][k] * b[k][j];
            for (int j = 0; j < N; j++)
                c[i][j] = sum_[j];
        }""",
    ),
    "distribution": (
        """for (int i = 1; i < N * N; i++) {
            x[i] = exp(y[i]);
            z[i] = 0.9 * z[i - 1] + x[i] * z[i - 1];
        }""",
        """for (int i = 1; i < N * N; i++)
            x[i] = exp(y[i]);
        for (int i = 1; i < N * N; i++)
            z[i] = 0.9 * z[i - 1] + x[i] * z[i - 1];""",
    ),
    "fusion": (
        """for (int i = 0; i < N * N; i++)
            x[i] = y[i] * 2;
        for (int i = 0; i < N * N; i++)
            z[i] = x[i] + y[i];""",
        """for (int i = 0; i < N * N; i++) {
            x[i] = y[i] * 2;
            z[i] = x[i] + y[i];
        }""",
    ),
}


def loops(analyze: Any, source: Any, text: str) -> list[dict[str, Any]]:
    source(f"{HEAD}{text}\n}}\n")
    listed: list[dict[str, Any]] = json.loads(analyze("a.c", "-f", "json").out)["files"][0]["loops"]
    return listed


@pytest.mark.parametrize("name", FORMS)
def test_the_form_takes_as_long_as_the_program_that_has_it(analyze: Any, source: Any, name: str) -> None:
    before, after = FORMS[name]
    (way,) = (w for w in loops(analyze, source, before)[0]["alternatives"] if w["kind"] == name.split()[0])
    written = [each for each in loops(analyze, source, after) if each["parent"] is None]
    for gain in way["gains"]:
        total = sum(_time(each, gain["candidate"]) for each in written)
        assert gain["after_s"]["likely"] == pytest.approx(total, rel=0.02), gain["candidate"]
        assert gain["speedup"]["likely"] == pytest.approx(gain["before_s"]["likely"] / gain["after_s"]["likely"])


def _time(loop: dict[str, Any], candidate: str) -> float:
    """On one thread where it cannot be divided."""
    times = {p["candidate"]: p["time_s"]["likely"] for p in loop["predictions"]}
    found: float = times.get(candidate, times["host"])
    return found


def test_a_form_that_gains_nothing_is_not_shown(analyze: Any, source: Any) -> None:
    row_sums = "for (int j = 0; j < N; j++) for (int i = 0; i < N; i++) x[0] += a[i][j];"
    assert not loops(analyze, source, row_sums)[0].get("alternatives")
    few = "for (int i = 0; i < 20; i++) x[i] = y[i]; for (int i = 0; i < 20; i++) z[i] = x[i];"
    assert not loops(analyze, source, few)[0].get("alternatives")


def test_without_sizes_an_exchange_is_told_without_a_gain(analyze: Any, source: Any) -> None:
    text = "} void g(int n, double m[n][n]) { for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) m[i][j] = 0;"
    (way,) = loops(analyze, source, text)[0]["alternatives"]
    assert way["kind"] == "interchange"
    assert "gains" not in way
