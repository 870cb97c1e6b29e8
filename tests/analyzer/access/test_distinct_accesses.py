"""Accesses that stand for all that are alike; stores of two values do not stand for each other."""

from pathlib import Path

import pytest

from analyzer.access.accesses import distinct, occurrences
from analyzer.loops import lower_function
from analyzer.settings.options import SourceOptions
from analyzer.source import load_unit


@pytest.mark.parametrize(
    ("statements", "kept"),
    [
        (["a[i] = 1;", "a[i] = 1;"], [0]),
        (["a[i] = 1;", "a[i] = 2;"], [0, 1]),
        (["a[i] = 1;", "a[i] = 1;", "a[i] = 2;", "a[i] = 1;"], [0, 2]),
        (["a[i] = 1;", "a[i] = 2;", "a[i] = 3;"], [0, 1]),  # nothing is the same as both
        (["a[i] = n;", "a[i] = m;"], [0, 1]),
        (["a[i] = n + 1;", "a[i] = n + 1;"], [0]),
        (["a[i] = 1;", "a[i] = b[i];"], [0, 1]),
        (["a[i] = b[i];", "a[i] = 1;"], [0]),  # the first is not the same as anything
        (["if (b[i] > 0) a[i] = 1; else", "a[i] = 0;"], [0, 1]),
        (["if (b[i] > 0) a[i] = 1; else", "a[i] = 1;"], [0]),
        (["a[i] = 1;", "a[i + 1] = 1;"], [0, 1]),
    ],
)
def test_stores_that_stand_for_all(statements: list[str], kept: list[int]) -> None:
    body = "\n".join(statements)
    text = f"void f(int n, int m, double *a, double *b) {{ for (int i = 0; i < n; i++) {{\n{body} }} }}\n"
    unit = load_unit(Path("t.c"), SourceOptions(), None, text)
    found = [o for o in distinct(occurrences(lower_function(unit, unit.functions[0])).all) if o.write]
    assert [o.line - 2 for o in found] == kept
