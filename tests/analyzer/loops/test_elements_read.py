"""Functions that only read elements of an array, and others."""

from pathlib import Path

import pytest

from analyzer.loops.elements_read import does_more_than_read
from analyzer.settings.options import SourceOptions
from analyzer.source import load_unit

READS = ["s += list[i];", "s = x[list[i]] * list[0];", "for (i = 0; i < list[1]; i++) s++;", "s = i;"]
MORE = ["list[i] = 0;", "list[i]++;", "list[i] += 2;", "g(list);", "p = list;", "p = &list[2];", "s = *list;"]


def _asked(statement: str) -> bool:
    body = f"int s = 0, i, *p = 0; while (n--) {{ {statement} }} return s + !p;"
    text = f"int list[9], x[99]; void g(int *); int f(int n) {{ {body} }}"
    (function,) = load_unit(Path("t.c"), SourceOptions(), None, text).functions
    return does_more_than_read(function, "list")


@pytest.mark.parametrize("statement", READS)
def test_elements_are_only_read(statement: str) -> None:
    assert not _asked(statement)


@pytest.mark.parametrize("statement", MORE)
def test_something_else_is_done(statement: str) -> None:
    assert _asked(statement)
