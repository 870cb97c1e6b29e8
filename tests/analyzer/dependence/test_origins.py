"""Sentences on pointers that may meet: where each comes from; and on exits: where they are."""

import json
from typing import Any

import pytest

SOURCE = """\
extern float *get(int);
struct s { float *a; float **rows; };
extern float *table;
void returned(int n, float *x) {
    float *p = get(1);
    for (int i = 0; i < n; i++) p[i] = x[i] + 1;
}
void kept(int n, struct s *q) {
    float *p = get(2);
    for (int i = 0; i < n; i++) p[i] = q->a[i] + 1;
}
void both(int n, struct s *q, int j) {
    float *p = get(3), *r = get(3);
    for (int i = 0; i < n; i++) p[i] = r[i] + 1;
}
void global(int n) {
    float *p = get(4);
    for (int i = 0; i < n; i++) p[i] = table[i] + 1;
}
"""


def reasons(analyze: Any, source: Any, text: str) -> dict[str, str]:
    source(text)
    made = json.loads(analyze("a.c", "--no-cache", "--assume", "none", "-f", "json").out)
    return {loop["function"]: loop["reason"]["message"] for loop in made["files"][0]["loops"] if loop["reason"]}


@pytest.fixture
def said(analyze: Any, source: Any) -> dict[str, str]:
    return reasons(analyze, source, SOURCE)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("returned", "what `get()` returned on line 5, the second through the parameter `x` (line 4)"),
        ("kept", "the second through a pointer loaded via the parameter `q` (line 8)"),
        ("both", "both through what `get()` returned on line 13"),
        ("global", "the second through the global pointer `table`"),
    ],
)
def test_each_pointer_says_where_it_comes_from(said: dict[str, str], function: str, words: str) -> None:
    assert "may be the same memory: " in said[function]
    assert said[function].endswith(words)


def test_what_comes_from_another_file_names_it(analyze: Any, source: Any) -> None:
    """A function of a header is read where it is called."""
    source("static inline float *first(int n) { float *p = (float *)get(n); return p; }\n", "t.h")
    found = reasons(
        analyze,
        source,
        'extern float *get(int);\n#include "t.h"\nvoid f(int n, float *x) {\n    float *p = first(1);\n'
        "    for (int i = 0; i < n; i++) p[i] = x[i] + 1;\n}\n",
    )
    assert "the first through what `get()` returned on line 1 of t.h, the second" in found["f"]


def test_an_exit_says_where_it_is(analyze: Any, source: Any) -> None:
    found = reasons(
        analyze,
        source,
        """\
int f(int n, int *restrict a, int *restrict b, int *restrict c) {
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] == 3) { k = b[i]; goto out; }
        c[b[i]] = c[k] + a[i];
        if (c[i] > 4) break;
    }
out:
    return k;
}
""",
    )
    assert "line 4" in found["f"] or "line 6" in found["f"]
    assert "before its last iteration" not in found["f"]
