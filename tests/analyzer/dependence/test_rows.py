"""Rows of a linearised array whose length is a sum or a product of sizes, and rows that a loop allocates itself."""

from functools import cache

import pytest

from .answers import answers_of_all, summary

I, J = "for (int i = 0; i < n; i++)", "for (int j = 0; j < m; j++)"  # noqa: E741
NINE = "for (int i = 0; i < 9 * n; i++)"
EACH, PAIR = "for (int k = 0; k < 3; k++)", "for (int l = 0; l < 2; l++)"
TABLE = f"{EACH} {{ t[k] = malloc(m * 8); {J} t[k][j] = i - j; }}"
SUM, FREE = f"r[i] = 0; {J} r[i] += t[0][j] * t[1][j] - t[2][j];", f"{EACH} free(t[k]);"
TURNED = "for (int l = 0; l < m; l++) { double *w = t[0]; t[0] = t[1]; t[1] = w; }"
SWAPS = (
    "for (int j = 0; j < 64; j++) p[j] = i; for (int k = 0; k < m; k++) {"
    " for (int j = 1; j < 63; j++) e[j] = p[j - 1] + p[j + 1]; double *w = p; p = e; e = w; } r[i] = p[5];"
)
BYTES = "for (int k = 0; k < 8; k++) ((char *)t)[k] = ((char *)R)[k];"

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
    # new rows behind a table that is new itself
    f"{I} {{ double *t[3]; {TABLE} {SUM} {FREE} }}": "yes",
    f"{I} {{ double **t = malloc(24); {TABLE} {SUM} {FREE} free(t); }}": "yes",
    f"{I} {{ double *t[3] = {{0}}; if (m > 5) t[1] = malloc(8); free(t[1]); free(t[2]); r[i] = m; }}": "yes",
    f"{I} {{ double *t[3]; {TABLE} t[1] = R[0]; {SUM} }}": "unknown may-alias *",
    f"{I} {{ double *t[3]; {TABLE} t[1] = R[0]; r[i] = t[0][0]; {FREE} }}": "unknown side-effect",
    f"{I} {{ double **t = S; {TABLE} {SUM} }}": "unknown may-alias *",
    f"{I} {{ double **t = malloc(24), **u = m > 5 ? t : S; {TABLE} u[1] = R[0]; {SUM} }}": "unknown may-alias *",
    f"{I} {{ double **t = malloc(24), **u = (double **)(unsigned long)t; {TABLE} u[1] = a; {SUM} }}":
    "unknown may-alias *",
    f"{I} {{ double **t = malloc(24); unsigned long w = (unsigned long)t; double **u = (double **)w;"
    f" {TABLE} u[1] = R[0]; {SUM} }}": "unknown may-alias *",
    f"{I} {{ double **t = malloc(24); {TABLE} {BYTES} {SUM} }}": "unknown may-alias *",
    f"{I} {{ double *t[3]; {TABLE} {BYTES} {SUM} }}": "unknown may-alias *",
    f"{I} {{ double **t = malloc(24); {TABLE} S[7] = (double *)t; ((double **)S[7])[1] = R[0]; {SUM} }}":
    "unknown may-alias *",
    f"{I} {{ double **t = malloc(24); {TABLE} set(t + 1, R[0]); {SUM} }}": "unknown may-alias *",
    # new rows behind a table from before the loop, which each iteration sets first
    f"double *t[3]; {I} {{ {TABLE} {SUM} {FREE} }}": "yes",
    f"double **t = malloc(24); {I} {{ {TABLE} {SUM} {FREE} }}": "yes",
    f"double *t[3]; {I} {{ {TABLE} {TURNED} {SUM} {FREE} }}": "yes",
    f"double *t[3]; {I} {{ {TABLE} {SUM} }} return t[0][0] > t[1][0];": "yes last(t)",
    f"double *t[3]; {I} {{ if (b[i] > 0) {{ {TABLE} }} {SUM} {FREE} }}": "unknown side-effect",
    f"double *t[4]; t[0] = malloc(8); {I} {{ {TABLE.replace('t[k]', 't[k + 1]')} {SUM} }}": "unknown may-alias *",
    f"double *t[3]; {I} {{ {TABLE} t[1] = R[0]; {SUM} t[1][0] = i; }}": "unknown may-alias *",
    f"double *t[3], **u = t + 1; {I} {{ {TABLE} *u = R[0]; {SUM} t[1][0] = i; }}": "unknown may-alias *",
    f"double *t[3]; {I} {{ {TABLE} t[0] = realloc(t[0], m * 9); {SUM} }}": "unknown side-effect",
    f"static double *t[3]; {I} {{ {TABLE} {SUM} {FREE} }}": "unknown side-effect",
    f"double *t[3] = {{malloc(8), malloc(8), malloc(8)}}; {I} {{ {FREE} {TABLE} {SUM} }}": "no carried-dependence *",
    f"double *t[3]; {I} {{ {TABLE} S[i] = t[0]; {SUM} if (i > 0) S[i - 1][0] = i; }}": "no carried-dependence 1",
    # arrays that the iteration declares, behind pointers that it swaps
    f"{I} {{ double u[64], v[64], *p = u, *e = v; {SWAPS} }}": "yes",
    f"double v[64]; {I} {{ double u[64], *p = u, *e = v; {SWAPS} }}": "unknown may-alias *",
    f"{I} {{ static double v[64]; double u[64], *p = u, *e = v; {SWAPS} }}": "unknown may-alias *",
    f"{I} {{ double u[64], v[64], *p = u, *e = k > 3 ? v : a; {SWAPS} }}": "unknown may-alias *",
    f"double *p = a; {I} {{ double v[64], *e = v; {SWAPS} }}": "no carried-dependence 1",
    # tables that begin with pointers to several arrays
    f"double *const t[2] = {{r, a}}; {I} {PAIR} t[l][i] = i;": "yes rows-distinct(t)",
    f"double *t[2] = {{r, a}}; {I} t[0][i] = t[1][i + 1];": "yes rows-distinct(t)",
    f"double *t[2] = {{r, r + 4}}; {I} {PAIR} t[l][i] = i;": "unknown may-alias *",
    f"double *p = k > 3 ? r : a, *t[2] = {{r, p}}; {I} {PAIR} t[l][i] = i;": "unknown may-alias *",
    f"double *t[2] = {{R[0], R[k]}}; {I} {PAIR} t[l][i] = i;": "unknown may-alias *",
    f"double *t[2] = {{r, a}}, **u = t; show(&u); {I} {PAIR} t[l][i] = i;": "unknown may-alias *",
    f"double *t[2] = {{r, a}}, **u = k > 3 ? t : f(); u[1] = r; {I} {PAIR} t[l][i] = i;": "unknown may-alias *",
    f"double *t[2] = {{r, a}}, *u[2] = {{r, r}}; memcpy(t, u, 16); {I} {PAIR} t[l][i] = i;": "unknown may-alias *",
    f"double *t[2] = {{r, a}}; show(t); {I} {PAIR} t[l][i] = i;": "unknown may-alias *",
    f"double *t[3] = {{R[0], R[1], R[2]}}; {I} {{ if (m > 5) {{ {TABLE} }} {SUM} {FREE} }}": "unknown side-effect",
}


@cache
def found() -> dict[str, str]:
    return {c: summary(answers[0]) for c, answers in answers_of_all(CASES).items()}


@pytest.mark.parametrize("c", CASES)
def test_rows(c: str) -> None:
    assert found()[c].partition(" private(")[0] == CASES[c]
