"""Places that one iteration changes and the next one reads, behind calls that are not followed to their end."""

from functools import cache

import pytest

from analyzer.facts.loop import Parallelism

from .answers import answers_of_all

LOOP = "for (int i = 0; i < n; i++) "

# Each of the functions calls itself for some arguments, so that a call in it stays one that nobody looks into.
SHOWN = [
    # what is there says where the next one goes
    LOOP + "put(g, 7, idx[i]);",
    LOOP + "{ if (q[i] > 3) put(g, 7, idx[i]); x[i] = 1; }",
    # a number made from the one before
    LOOP + "mix(g, 7, idx[i]);",
]

NOT_SHOWN = [
    # in the opposite order it is the same: a sum, a largest one, a flag
    LOOP + "tally(g, 7, idx[i]);",
    LOOP + "largest(g, 7, idx[i]);",
    LOOP + "once(g, 7, idx[i]);",
    # copies do
    LOOP + "keep(g, 7, idx[i]);",
    # each its own, for some contents
    LOOP + "mix(&g[idx[i]], 7, i);",
    LOOP + "put(&g[i], 7, idx[i]);",
    # one iteration
    "for (int i = 0; i < 1; i++) put(g, 7, idx[i]);",
    # left at once
    LOOP + "{ put(g, 7, idx[i]); break; }",
]


@cache
def all_() -> dict[str, list[Parallelism]]:
    return answers_of_all([*SHOWN, *NOT_SHOWN])


@pytest.mark.parametrize("c", SHOWN)
def test_two_orders_show_it(c: str) -> None:
    found = all_()[c][0]
    assert found.verdict.value == "no"
    assert found.reason is not None
    assert found.reason.accesses == ("g->n", "g->n")


@pytest.mark.parametrize("c", NOT_SHOWN)
def test_nothing_is_said_where_the_order_does_not_show(c: str) -> None:
    assert all_()[c][0].verdict.value != "no"
