"""Rows of a linearised array whose length is a sum or a product of sizes, and rows that a loop allocates itself."""

from functools import cache

import pytest

from .answers import answers_of_all, summary

I, J = "for (int i = 0; i < n; i++)", "for (int j = 0; j < m; j++)"  # noqa: E741
NINE = "for (int i = 0; i < 9 * n; i++)"

CASES = {
    # index: every column provably in its row
    f"{NINE} {{ int h = m - 2, w = k - 2; for (int y = 0; y < h; y++) for (int j = 0; j < w; j++)"
    " r[(i * h + y) * w + j] = i - j; }": "yes",
    "for (int i = 0; i < n * k; i++) for (int j = 0; j < m * k; j++) r[i * (m * k) + j] = i - j;": "yes",
    f"{I} for (int j = m - 2; j >= 0; j--) r[i * (m - 1) + j] = i - j;": "yes",
    # a column more than there are
    f"{I} for (int j = 0; j < m * k + 1; j++) r[i * (m * k) + j] = i - j;": "unknown non-affine-access *",
    f"{I} for (int j = 0; j < m; j++) r[i * (m - 1) + j] = i - j;": "no carried-dependence *",
    # new rows
    f"{I} {{ R[i] = malloc(m * 8); {J} R[i][j] = i - j; }}": "yes",
    f"{I} {{ R[i] = malloc(m * 8); {J} R[i][j] = R[0][j]; }}": "no carried-dependence *",
    f"{I} {{ R[0] = malloc(m * 8); {J} R[0][j] = i - j; }}": "yes last(R[0])",
    f"{I} {{ R[i] = a; {J} R[i][j] = i - j; }}": "unknown may-alias *",
    f"{I} {{ R[i] = malloc(m * 8); S[i] = R[0]; {J} R[i][j] = i - j; }}": "no carried-dependence *",
}


@cache
def found() -> dict[str, str]:
    return {c: summary(answers[0]) for c, answers in answers_of_all(CASES).items()}


@pytest.mark.parametrize("c", CASES)
def test_rows(c: str) -> None:
    assert found()[c].partition(" private(")[0] == CASES[c]
