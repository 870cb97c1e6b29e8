"""Exits that contents of memory decide about, and such that only seem to be decided."""

from functools import cache

import pytest

from analyzer.facts.loop import Parallelism

from .answers import answers_of_all

I = "for (int i = 0; i < n; i++)"  # noqa: E741
LIST = "struct link *p = my_lookup(0); while (p) {{ {} p = p->next; }}"

DECIDED = [
    # an element that is stored to as the loop is left
    f"{I} if (x[k] == b[i]) {{ x[k] = 0; break; }}",
    f"{I} if (b[i] == s) {{ b[i] = 0; return 1; }}",
    # what the iteration before has read
    f"{I} {{ double y = b[i]; if (y <= s) return 1; s = y; }}",
    # nodes that the loop gets to one by one
    LIST.format("if (p->v == s) return 1;"),
    LIST.format("double y = p->v; if (y > s) break; a[k++] = y;"),
    "struct link *p = my_lookup(0); while (p) { if (my_alloc(p->v)) break; p = my_lookup(p->v); }",
    # conditions in one another
    f"{I} if (k ? b[i] > s : b[i] >= s) break;",
    f"{I} if (b[i] != 3 && b[i] != 2) break;",
    f"{I} if (c[i + 1].n == c[0].n || my_lookup(i)) break;",
]

NOT_DECIDED = [
    # never left, or always with the first iteration
    f"{I} {{ x[i] = 1; if (b[i] == 3 && b[i] != 3) break; }}",
    f"{I} {{ x[i] = 1; if (k ? s > 1 : s >= 1) break; }}",
    # a bound
    f"{I} {{ x[i] = 1; if (i == k) break; }}",
]


@cache
def all_() -> dict[str, list[Parallelism]]:
    return answers_of_all([*DECIDED, *NOT_DECIDED])


@pytest.mark.parametrize("c", DECIDED)
def test_contents_decide_whether_there_is_a_next_iteration(c: str) -> None:
    assert all_()[c][0].verdict.value == "no"


@pytest.mark.parametrize("c", NOT_DECIDED)
def test_nothing_is_said_of_exits_that_no_contents_decide(c: str) -> None:
    assert all_()[c][0].verdict.value == "unknown"
