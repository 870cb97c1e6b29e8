"""Pointers that are null, or lead to what a call has found: never to memory that the function keeps to itself."""

from functools import cache

import pytest

from .answers import answers_of_all, summary

OWN = "double *w = malloc(n * 8), *p = 0, *o = 0; struct grid *h = my_lookup(1), *j = my_lookup(2);"
SUMS = "for (int i = 1; i < n; i++) w[i] = s * p[i - 1];"

CASES = {
    f"{OWN} if (m) p = my_lookup(3); {SUMS}": "yes",
    f"{OWN} if (m) p = h->d; {SUMS}": "yes",
    f"{OWN} if (m) p = h->d; else p = j->d; {SUMS}": "yes",
    f"{OWN} p = b; if (m) p = h->d; {SUMS}": "yes",
    # the memory may be what is found
    f"{OWN} h->d = w; if (m) p = h->d; {SUMS}": "no carried-dependence 1",
    f"{OWN} j->d = w; if (m) p = h->d; {SUMS}": "unknown may-alias *",
    f"{OWN} g->d = w; if (m) p = my_lookup(3); {SUMS}": "unknown may-alias *",
    f"{OWN} p = w; if (m) p = h->d; {SUMS}": "unknown may-alias *",
    # found by two calls, or twice by one
    f"{OWN} w = 0; if (m) w = my_lookup(3); if (k) p = my_lookup(4); {SUMS}": "unknown may-alias *",
    f"{OWN} w = 0; if (m) w = h->d; if (k) p = j->d; {SUMS}": "unknown may-alias *",
    f"{OWN} w = 0; if (m) w = h->d; if (k) p = h->d; {SUMS}": "unknown may-alias *",
    f"{OWN} w = 0; for (int t = 0; t < 2; t++) {{ o = w; w = my_lookup(t); }} p = o; {SUMS}": "unknown may-alias *",
}


@cache
def found() -> dict[str, str]:
    return {c: summary(answers[-1]) for c, answers in answers_of_all(CASES).items()}


@pytest.mark.parametrize("c", CASES)
def test_found_pointers(c: str) -> None:
    assert found()[c].partition(" private(")[0] == CASES[c]
