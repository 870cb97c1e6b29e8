"""Calls of which somebody sees the order, made under conditions that only a run of two iterations meets."""

from functools import cache

import pytest

from analyzer.facts.loop import Parallelism

from .answers import answers_of_all

OWN = "struct grid own = my_grid(k); for (int i = 0; i < n; i++) { "

SHOWN = [
    # in a list that each iteration looks up
    "for (int i = 0; i < n; i++) { struct link *w = my_lookup(i); "
    'while (w) { if (w->v > 3) printf("%g", w->v); w = w->next; } }',
    # as a structure says that a function returned
    OWN + 'if (own.idx[i] > 2) printf("%d", i); x[i] = 1; }',
]

NOT_SHOWN = [
    # the same text
    OWN + 'if (own.idx[i] > 2) printf("found"); x[i] = 1; }',
    # never, or once
    OWN + 'int v = own.idx[i]; if (v > 2 && v < 2) printf("%d", i); x[i] = 1; }',
    OWN + 'if (own.idx[i] > 2 && i == 3) printf("%d", i); x[i] = 1; }',
    # as what was counted before says, alone
    "int y = 0, i; for (i = 0; i < 1000; i++) y += my_lookup(i) != 0; "
    'for (i = 0; i < n; i++) { if (y > 2) printf("%d", i); x[i] = 1; }',
]


@cache
def all_() -> dict[str, list[Parallelism]]:
    return answers_of_all([*SHOWN, *NOT_SHOWN])


@pytest.mark.parametrize("c", SHOWN)
def test_two_iterations_make_such_a_call(c: str) -> None:
    found = all_()[c][0]
    assert found.verdict.value == "no"
    assert found.reason is not None
    assert found.reason.accesses == ("printf(...)", "printf(...)")


@pytest.mark.parametrize("c", NOT_SHOWN)
def test_nothing_is_said_where_the_order_does_not_show(c: str) -> None:
    assert all_()[c][-1].verdict.value != "no"
