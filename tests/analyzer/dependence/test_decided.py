"""Loops that two ways to go on show to be left as data say, pointers that walk, and such that only seem so."""

from functools import cache

import pytest

from analyzer.facts.loop import Parallelism

from .answers import answers_of_all

WALK = "struct link *p = my_lookup(0); for (; p; p = p->next) {{ {} }}"

DECIDED = [
    # masks, equalities of two things that are read, several conditions in one another
    "int i; for (i = 0; i < n; i++) { if ((idx[i] & 12) == 4) break; q[i] = 1; }",
    "int i; for (i = 0; i < n; i++) { if (idx[i] == c[i].n && q[i] == idx[k]) break; x[i] = 1; }",
    "int i; for (i = 0; i < n; i++) { if (idx[i] & m) { if (q[i] != k) break; } x[i] = 1; }",
    # several exits under one condition
    "int i; for (i = 0; i < n; i++) if (idx[i] == k) { if (i == 0) return 1; if (q[i] > 20) return 2; break; }",
    # a list, by its end and by what is in it
    WALK.format("if ((int)p->v == k) break; p->v = 3;"),
    WALK.format("if (my_lookup(p->v)) return 1; p->v = k;"),
    # the result of a call, tested with the next iteration
    "int i; void *e = 0; for (i = 0; !e && i < n; i++) e = my_lookup(idx[i]);",
    "int i; void *e = 0; for (i = 0; i < n && !e; i++) { e = my_lookup(i); g->n++; }",
    "while (k < n) { k = my_lookup(k) ? k + idx[k] : k + 1; if (k * k == 49) break; }",
    # what was set step by step before the loop
    "m = k + 1; m = m * 2; int i; for (i = 0; i < n; i++) { if (idx[i] & 12 && m == 6) break; x[i] = 2; }",
    # what one of two branches sets
    "int y, i; if (m > 4) y = 1; else y = 2; for (i = 0; i < n; i++) { if (idx[i] & 12 && y == 1) break; x[i] = 2; }",
    "int y, i; if (m > 4) y = 1; else y = 2; for (i = 0; i < n; i++) { if (idx[i] & 12 && y == 2) break; x[i] = 2; }",
    # by what a constant table holds
    "int i; for (i = 0; i < n; i++) { if (SHUFFLED[idx[i] & 3] == 2) break; x[i] = 2; }",
    # beside a volatile place, which may hold anything
    "int i; for (i = 0; i < n; i++) { if (port) k++; if (idx[i] == k) break; x[i] = 2; }",
    # beside assertions
    "int i; for (i = 0; i < n; i++) { if (c[i].n < 0 || q[i] == 3) exit(1); if (q[i] > 3 && idx[i] == m) break; "
    "x[i] = 2; }",
    # a number computed from what is read, against constants of the function's own
    "double w[3] = {1.5, 2.5, 7}, e; int i; for (i = 0; i < 3; i++) { e = (a[i] - w[i]) / w[i]; "
    "if (fabs(e) > 1e-9) { ok = 0; break; } x[i] = 2; }",
    "double w[] = {1.5, -2.5, 4, 8, 16}, e; int i; for (i = 0; i < n; i++) { e = a[i] - w[i]; if (e != 0) break; "
    "e = b[i] - w[i]; if (e != 0) break; x[i] = 2; }",
    # in the last of several branches
    "if (k == 64 && m == 64) n = 0; else if (k == 128 && m == 32) n = 1; else if (k == 512 && m == 256) "
    "{ int i; for (i = 0; i < n; i++) { if (idx[i] == m) break; x[i] = k; } }",
    # in the first of two iterations
    "int i; for (i = 0; i < 2; i++) { struct link *w = my_lookup(i); "
    "while (w) { if (w->v == k) return 1; w = w->next; } if (ok) return 0; }",
    # under a condition around the loop
    "if (k > 3 && m == k + 1) { int i; for (i = 0; i < n; i++) { if (idx[i] == m) break; x[i] = k; } }",
]

NOT_DECIDED = [
    # never, or always with the first iteration
    "int i; for (i = 0; i < n; i++) { unsigned char y = idx[i]; if (y > 300) break; x[i] = 2; }",
    "int i; for (i = 0; i < n; i++) { if ((idx[i] & 12) == 3) break; x[i] = 2; }",
    "int i; for (i = 0; i < n; i++) { if (idx[i] > 5 && idx[i] < 3) break; x[i] = 2; }",
    "int i; for (i = 0; i < n; i++) { if (q[k] & m) break; x[i] = 2; }",
    # in the last iteration
    "int i; for (i = 0; i < n; i++) { x[i] = 2; if (i == n - 1 && idx[i] & 12) break; }",
    # what stands around the loop contradicts it
    "if (k >= 0) return 0; int i; for (i = 0; i < n; i++) { if (idx[i] == k && k > 3) break; x[i] = 2; }",
    "if (m == 7) { int i; for (i = 0; i < n; i++) { if (idx[i] == m && m != 7) break; x[i] = 2; } }",
    # what the function stored before
    "int y = 0, i; for (i = 0; i < n; i++) { if (idx[i] & 12 && y) break; x[i] = 2; }",
    "int w[9] = {0}, i; for (i = 0; i < 9; i++) { if (w[i] & 12) break; x[i] = 2; }",
    "double w[9] = {1, 2, 3}; int i; for (i = 0; i < 3; i++) { if (w[i] > 5) break; x[i] = 2; }",
    "double w[9] = {8}, e; w[0] = w[1] = w[2] = 3; int i; for (i = 0; i < 3; i++) "
    "{ e = w[i] - 3; if (e > 0) break; x[i] = 2; }",
    # of a value that was computed, and changed where it came from
    "double e, f; int i; for (i = 0; i < n; i++) { f = 0; e = a[i] * f; f = 1; if (e != 0) break; x[i] = 2; }",
    "double e, f; int i; for (i = 0; i < n; i++) { e = a[i]; f = e; if (e != f) break; x[i] = 2; }",
    "g->n = 0; int i; for (i = 0; i < n; i++) { if (idx[i] & 12 && g->n) break; x[i] = 2; }",
    # what a variable was before it got another value
    "m = k; k = 0; if (m == 2) { int i; for (i = 0; i < n; i++) { if (idx[i] & 12 && k) break; x[i] = 2; } }",
    "m = k + 1; m = m * 2; int i; for (i = 0; i < n; i++) { if (idx[i] & 12 && m == 5) break; x[i] = 2; }",
    # what is set on the way out of the function, or on another way to the loop
    "int y = 0, i; if (m > 4) { y = 1; goto out; } for (i = 0; i < n; i++) { if (idx[i] & 12 && y) break; x[i] = 2; } "
    "out: ;",
    "int y = 0, i; switch (m) { case 1: y = 1; return 3; case 2: y = 0; break; default: return 1; } "
    "for (i = 0; i < n; i++) { if (idx[i] & 12 && y) break; x[i] = 2; }",
    "int y, i; if (m > 4) y = 1; else y = 2; if (m < 3) for (i = 0; i < n; i++) { if (idx[i] & 12 && y == 1) break; "
    "x[i] = 2; }",
    # what a constant table does not hold, or only where nothing of it is
    "int i; for (i = 0; i < n; i++) { if (SHUFFLED[idx[i] & 3] == 5) break; x[i] = 2; }",
    "int i; for (i = 0; i < n; i++) { if (idx[i] > 3 && SHUFFLED[idx[i]] == 2) break; x[i] = 2; }",
    # behind an assertion that ends the program then
    "int i; for (i = 0; i < n; i++) { if (q[i] > 3) exit(1); if (q[i] > 3 && idx[i] == m) break; x[i] = 2; }",
    # by a volatile place alone
    "int i; for (i = 0; i < n; i++) { if (port) break; x[i] = 2; }",
    # bits that the member does not have
    "int i; for (i = 0; i < n; i++) { if (c[i].lo > 15) break; x[i] = 2; }",
]

LIST = "struct link *p; int y = 0, i; for (p = my_lookup(0); p; p = p->next) "

REACHED = [
    # what an earlier loop counted, or found
    LIST + "y++; for (i = 0; i < n; i++) { if (idx[i] & 12 && y > 1) break; x[i] = 2; }",
    LIST + "if (my_lookup(y)) y = 3; for (i = 0; i < n; i++) { if (idx[i] & 12 && y == 3) break; x[i] = 2; }",
    "int y = 0, i; while (idx[y]) y++; for (i = 0; i < y; i++) { if (q[i] == k) break; x[i] = 1; }",
    # in memory of the function's own
    "int w[3], i; for (i = 0; i < 3; i++) w[i] = my_lookup(i) != 0; "
    "for (i = 0; i < 3; i++) { if (w[i] && my_lookup(i)) break; x[i] = 1; }",
    # in a structure that was cleared, and of which another member was set
    "struct cell w; memset(&w, 0, sizeof w); w.n = k; int i; "
    "for (i = 0; i < n; i++) { if (idx[i] & 12 && w.n && !w.x) break; a[i] = 1; }",
    # behind an exit of the function, in a loop that has another loop before it
    "struct link *p; int y = 0, i, j; for (j = 0; j < m; j++) { for (p = my_lookup(j); p; p = p->next) y++; "
    "if (y > 3) return 1; for (i = 0; i < n; i++) { if (idx[i] == y && my_lookup(i)) break; x[i] = 1; } }",
]

NOT_REACHED = [
    # what an earlier loop never found, or cannot have counted
    LIST + "if (my_lookup(y)) y = 3; for (i = 0; i < n; i++) { if (idx[i] & 12 && y == 2) break; x[i] = 2; }",
    LIST + "y += 2; for (i = 0; i < n; i++) { if (idx[i] & 12 && y == 3) break; x[i] = 2; }",
    LIST + "y++; for (i = 0; i < n; i++) { if (p && idx[i] & 12) break; x[i] = 2; }",
    # what the function stored before
    "int i; g->n = m; if (m < 3) for (i = 0; i < n; i++) { if (idx[i] & 12 && g->n > 3) break; x[i] = 2; }",
    "int w[3], i; for (i = 0; i < 3; i++) w[i] = my_lookup(i) != 0; "
    "for (i = 0; i < 3; i++) { if (w[i] == 2 && my_lookup(i)) break; x[i] = 1; }",
    "struct cell w; memset(&w, 0, sizeof w); w.x = 1; int i; "
    "for (i = 0; i < n; i++) { if (idx[i] & 12 && w.n) break; a[i] = 1; }",
    "struct cell w = c[k]; int i; w.x = 1; for (i = 0; i < n; i++) { if (idx[i] & 12 && w.x > 1) break; a[i] = 1; }",
    # only where the function has ended
    LIST + "y++; if (y > 3) return 1; for (i = 0; i < n; i++) { if (q[i] & 12 && y > 3) break; x[i] = 2; }",
]

CLEARED = "int y = 0, i; for (i = 0; i < 1000; i++) y += my_lookup(i) != 0; "

FROM_ANYWHERE = [
    # a structure that another function returned, or that was copied
    "struct grid own = my_grid(k); int i; for (i = 0; i < own.n; i++) { if (own.idx[i] == k) break; x[i] = 2; }",
    "struct grid own = *g; int e = 0, i; for (i = 0; e == 0 && i < own.n; i++) { e = my_lookup(i) != 0; x[i] = 2; }",
    # a list after a walk that is too long to be followed
    "struct link *w = my_lookup(0); int i; for (i = 0; i < 1000; i++) if (idx[i]) w = w->next; "
    "for (; w; w = w->next) { if (my_lookup(w->v)) break; w->v = 1; }",
    # compared with what was added up before
    CLEARED + "for (i = 0; i < n; i++) { int t = idx[i]; if (t == y) break; x[i] = t; }",
]

NOT_FROM_ANYWHERE = [
    # by what was supposed, alone
    CLEARED + "for (i = 0; i < n; i++) { if (y) break; x[i] = y; }",
    CLEARED + "for (i = 0; i < n; i++) { int t = y * 2; if (t > 4 && i > 1) break; x[i] = t; }",
    "struct grid own = my_grid(k); int i; for (i = 0; i < own.n; i++) { if (own.idx[0] == k) break; x[i] = 2; }",
    # by a counter that another loop has set
    CLEARED + "for (i = y; i < n; i *= 3) x[i] = y;",
]

WALKS = [
    "struct link *p = my_lookup(0); int i; for (i = 0; i < n; i++) { while (p->next && p->next->v < b[i]) "
    "p = p->next; a[i] = p->v; }",
    "struct link *p = my_lookup(0); int i; for (i = 0; i < n; i++) { if (idx[i] & 4) p = p->next; a[i] = p->v; }",
]

NO_WALKS = [
    # set anew before it is read
    "struct link *p; int i; for (i = 0; i < n; i++) { p = my_lookup(i); if (idx[i] & 4) p = p->next; a[i] = p->v; }",
    # never moved
    "struct link *p = my_lookup(0); int i; for (i = 0; i < n; i++) { if ((idx[i] & 4) == 2) p = p->next; a[i] = 1; }",
]


@cache
def all_() -> dict[str, list[Parallelism]]:
    shown = (*DECIDED, *REACHED, *FROM_ANYWHERE, *WALKS)
    return answers_of_all([*shown, *NOT_DECIDED, *NOT_REACHED, *NOT_FROM_ANYWHERE, *NO_WALKS])


@pytest.mark.parametrize("c", [*DECIDED, *WALKS])
def test_two_ways_to_go_on_show_it(c: str) -> None:
    found = all_()[c][0]
    assert found.verdict.value == "no"
    assert found.reason is not None
    assert found.reason.accesses is not None


@pytest.mark.parametrize("c", [*NOT_DECIDED, *NO_WALKS])
def test_nothing_is_said_of_what_no_contents_make_so(c: str) -> None:
    assert all_()[c][0].verdict.value != "no"


@pytest.mark.parametrize("c", [*REACHED, *FROM_ANYWHERE])
def test_it_is_shown_behind_other_loops(c: str) -> None:
    found = all_()[c][-1]
    assert found.verdict.value == "no"
    assert found.reason is not None
    assert found.reason.accesses is not None


@pytest.mark.parametrize("c", [*NOT_REACHED, *NOT_FROM_ANYWHERE])
def test_nothing_is_said_of_what_the_function_does_not_get_to(c: str) -> None:
    assert all_()[c][-1].verdict.value != "no"


def test_a_list_that_another_loop_has_walked_is_at_its_end() -> None:
    walked = "struct link *p = my_lookup(0); while (p) p = p->next; "
    loop = "int i; for (i = 0; i < n; i++) { if (p && idx[i] & 12) break; x[i] = 2; }"
    assert all_of(walked + loop)[1].verdict.value != "no"


def all_of(c: str) -> list[Parallelism]:
    return answers_of_all([c])[c]


@pytest.mark.parametrize("c", WALKS)
def test_a_pointer_that_walks_is_named(c: str) -> None:
    reason = all_()[c][0].reason
    assert reason is not None
    assert reason.accesses == ("p", "p")
