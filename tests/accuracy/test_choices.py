"""Which way of running a kernel was chosen, and how its version is written."""

from pathlib import Path

import pytest
from tests.clauses.answers import answers

from .choices import Choice, gains, judged
from .versions import WAYS, version

TEXT = """double f(int n, const double *a, double *b)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        b[i] = a[i];
    for (int i = 0; i < n; i++)
        s += a[i];
    for (int i = 1; i < n; i++)
        for (int j = i; j < n; j++)
            b[i * n + j] = b[j] + b[i * n - n + j];
    return s;
}
"""


def test_choices_by_hand() -> None:
    right = Choice("a", "tune", {}, {"host": 2.0, "threads": 1.0}, {"host": 3.0, "threads": 1.0})
    wrong = Choice("b", "tune", {}, {"host": 1.0, "threads": 1.2}, {"host": 3.0, "threads": 1.0})
    near = Choice("c", "tune", {}, {"host": 1.0, "threads": 1.04}, {"host": 1.0, "threads": 0.9})
    assert (right.chosen, right.best, right.is_right, right.regret) == ("threads", "threads", True, 0)
    assert (wrong.chosen, wrong.best, wrong.is_right) == ("threads", "host", False)
    assert near.is_right
    found = judged([right, wrong])
    assert (found.number, found.right, found.host, found.threads) == (2, 0.5, 0.5, pytest.approx(0.1))
    assert found.regret == pytest.approx(0.1)
    assert found.gain == pytest.approx((1.5 + 3.6) / 2)  # 2 against 3, 1 / 1.2 against 3


def test_gains_leave_out_what_is_too_short() -> None:
    long = Choice("a", "tune", {}, {"host": 2.0, "threads": 1.0}, {"host": 3.0, "threads": 1.0})
    short = Choice("b", "tune", {}, {"host": 1e-7, "threads": 1e-6}, {"host": 1e-7, "threads": 1e-9})
    assert gains([long, long, short]) == (pytest.approx(2 / 3), pytest.approx(2 / 3))


def test_versions_have_the_printed_pragmas(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(TEXT)
    said = answers([source])["a.c"]
    made = {way: version(TEXT, said, "f", way) for way in WAYS}
    assert made["host"] == TEXT

    def pragmas(text: str | None) -> list[str]:
        return [line for line in (text or "").splitlines() if line.startswith("#pragma")]

    assert pragmas(made["vector"]) == ["#pragma omp simd reduction(+: s)"]
    assert pragmas(made["threads"]) == [
        "#pragma omp parallel for",
        "#pragma omp parallel for simd reduction(+: s)",
        "#pragma omp parallel for",
    ]
    assert version(TEXT.replace("b[i * n - n + j]", "b[j - 1]"), (), "f", "threads") is None
