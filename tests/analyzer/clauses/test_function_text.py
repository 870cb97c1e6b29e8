"""Statements in the text of a function."""

import pytest

from analyzer.base.places import Place
from analyzer.clauses.function_text import FunctionText

LINES = (
    "int unused;",
    "void f(int *p, int n) {",
    "    if (*p) (*p)++;",
    "    for (int i = 0; i < n; i++) p[i] += 2; p[0] = 5;",
    "    x = (y += 2, 3);",
    "#define p q",
    "    return;  /* p */",
    "}",
)


def statement(line: int, column: int) -> tuple[str, int] | None:
    found = FunctionText(LINES, 2, len(LINES)).statement(Place("a.c", line, column))
    return None if found is None else (" ".join(w.text for w in found.words), found.at)


@pytest.mark.parametrize(
    ("line", "column", "expected"),
    [
        (3, 15, ("( * p ) ++", 2)),
        (4, 33, ("p [ i ] += 2", 0)),
        (4, 44, ("p [ 0 ] = 5", 0)),
        (7, 5, ("return", 0)),
        (5, 10, None),  # behind `x = (`
        (3, 10, None),  # in the header of the `if`
        (6, 9, None),  # in a directive
        (7, 17, None),  # in a comment
        (1, 5, None),  # before the function
        (3, 14, ("( * p ) ++", 1)),
    ],
)
def test_the_statement_around_a_word(line: int, column: int, expected: tuple[str, int] | None) -> None:
    assert statement(line, column) == expected
