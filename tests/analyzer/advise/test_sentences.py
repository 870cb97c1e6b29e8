"""Reasons as sentences: what is asked of a size, and what is not."""

from typing import Any

import pytest

from analyzer.advise.unknown_sizes import called


@pytest.mark.parametrize(
    ("symbol", "words"),
    [
        ("n", "n"),
        ("g->n", "g->n"),
        ("n@12", "n@12"),  # as `--size` takes it
        ("trip@12", "the mean trip count of the loop in line 12"),
        ("(parity == 2) ? (a) : (b)@23", "`(parity == 2) ? a : b` (as of line 23)"),
        ("(up) ? ((height - 1) - y) : (y)@1099", "`up ? ((height - 1) - y) : y` (as of line 1099)"),
        ("f(n) / (s->m)", "`f(n) / s->m`"),
    ],
)
def test_sizes_in_words(symbol: str, words: str) -> None:
    assert called(symbol) == words


def message(analyze: Any, source: Any, text: str) -> str:
    """The reason of the only loop that is not folded into another one."""
    source(text)
    return str(analyze("a.c", "-t", "h200", "--no-cache", "-f", "concise").out.splitlines()[0])


def test_a_flag_is_not_taken_as_large_as_a_length(analyze: Any, source: Any) -> None:
    said = message(
        analyze,
        source,
        """\
void chosen(int n, int kind, float *restrict x, const float *restrict y) {
    for (int i = 0; i < n; i++)
        if (kind == 2) x[i] = y[i]; else x[i] = 0;
}
""",
    )
    assert "kind, n are unknown; with kind = 1, h200 wins at no size" in said
    assert "were they equal" not in said
    assert "all threads of xeon6248 win from n = " in said


def test_the_flag_is_said_beside_the_break_even(analyze: Any, source: Any) -> None:
    import json

    source(
        """\
void chosen(int n, int kind, float *restrict x, const float *restrict y) {
    for (int i = 0; i < n; i++)
        if (kind == 2) x[i] = y[i]; else x[i] = 0;
}
"""
    )
    made = json.loads(analyze("a.c", "-t", "h200", "--no-cache", "-f", "json").out)
    (point,) = made["files"][0]["loops"][0]["recommendation"]["break_even"]
    assert (point["symbol"], point["given"]) == ("n", {"kind": 1})
    given = analyze("a.c", "-t", "h200", "--no-cache", "--size", "kind=1", "-f", "json").out
    (alone,) = json.loads(given)["files"][0]["loops"][0]["recommendation"]["break_even"]
    assert (alone["value_likely"], alone["value_safe"]) == (point["value_likely"], point["value_safe"])


def test_a_size_is_taken_no_smaller_than_a_condition_asks(analyze: Any, source: Any) -> None:
    import json

    source(
        """\
void ends(double *restrict u, double *restrict v, int nx, int ny, int nz) {
    for (int k = 0; k < nz; k++)
        for (int i = 0; i < nx; i++) {
            u[k * ny * nx + i] = u[(k * ny + ny - 2) * nx + i];
            u[(k * ny + ny - 1) * nx + i] = u[(k * ny + 1) * nx + i];
            if (ny == 2) v[k * nx + i] = 0;
        }
}
"""
    )
    made = json.loads(analyze("a.c", "-t", "h200", "--no-cache", "-f", "json").out)
    outer = made["files"][0]["loops"][0]
    assert [(c["kind"], c["text"]) for c in outer["conditions"]] == [("at-least", "ny>=3")]
    assert "with ny = 3, and were the others equal" in outer["recommendation"]["reason"]["message"]


def test_a_size_that_data_grows_with_is_a_length(analyze: Any, source: Any) -> None:
    said = message(
        analyze,
        source,
        """\
void rows(int n, int m, int pitch, float *restrict x, const float *restrict y) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            x[i * pitch + j] = y[i * pitch + j];
}
""",
    )
    assert "m, n, pitch are unknown; were they equal, " in said


def test_what_pays_only_with_the_data_there_says_both(analyze: Any, source: Any) -> None:
    said = message(
        analyze,
        source,
        """\
void copy(int n, double *restrict x, const double *restrict y) {
    for (int i = 0; i < n; i++)
        x[i] = y[i];
}
""",
    )
    assert "h200 wins at no size if the data has to be copied, and from n = " in said
    assert " if it is there already; all threads" in said
