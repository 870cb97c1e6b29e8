"""Counts that wrapping variables, pointers of unknown origin, exits and the last test of a loop make uncertain."""

from analyzer import counts
from analyzer.counts.nest import build
from analyzer.facts.loop import Count
from models.expr import evaluate, free_symbols, num

from ..c_text import answers, functions, loops

C = """
struct part { int n; double *v; };
struct part many[9];
void wraps(int n, char *a) { unsigned char d = 1; for (int i = 3; i < n; i++) { d += 2; a[d] = 0; } }
void stays(char *a) { unsigned char d = 1; for (int i = 3; i < 9; i++) { d += 2; a[d] = 0; } }
void hashed(unsigned n, int *a) { for (unsigned i = 0; i < n; i++) a[i * 1073741824u / 65536] = 0; }
void shifted(unsigned n, unsigned m, int *a) { for (unsigned i = 0; i < n; i++) a[i + m] = 0; }
void small(int *a) { for (unsigned i = 0; i < 99; i++) if (i < 4) a[i * 1073741824u / 65536] = 0; }
void own(int n, char *a) { for (unsigned char i = 0; i < n; i++) a[i] = 0; }
void bound(struct part *p) { for (int i = 0; i < p->n; i++) p->v[i] = 1; }
void bounds(void) { for (int k = 0; k < 9; k++) for (int i = 0; i < many[k].n; i++) many[k].v[i] = 1; }
void against_wide(unsigned long n, int *a) { for (signed char i = 0; i < n / 2; i++) a[i] = 1; }
void turned(int n, int m, double *P, double *Q) {
    double *p = P, *q = Q;
    for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) q[j] = p[j + 1]; p = q; }
}
void swapped(int n, int m, double **r) {
    for (int t = 0; t < m; t++) {
        for (int i = 0; i < n; i++) r[0][i] = r[1][i];
        double *first = r[0]; r[0] = r[1]; r[1] = first;
    }
}
void left(long n, int m, double *a) {
    for (int i = 0; i < n; i++) for (int j = 3; j < 10; j++) if (j > i) return;
    for (int k = 3; k < m; k++) a[k] = 0;
}
void skipped(int n, int *a, int *b) {
    for (int r = 0; r != n; r++) {
        if (a[r] >= 1) { if (a[r] >= 2) continue; b[r] = 1; }
        for (int u = 0; u < n; u++) b[u] = 2;
    }
}
void even(int n, int *a) {
    for (int i = 0; i < n; i++) { if (i % 2 == 0) continue; for (int j = 0; j < n; j++) a[j] = i; }
}
void guarded(int n, int m, double *a) {
    for (int i = 0; i < n; i++) a[i] = 0;
    if (m > 3) for (int i = 0; i < n; i++) a[i] = 1;
    if (m > 4) return;
    for (int i = 0; i < n; i++) a[i] = 2;
}
void second(struct part *p, int n) { for (int i = 0; i < n && i < p->n; i++) p->v[i] = 1; }
"""


def footprint(name: str, which: str, position: int = 0) -> Count:
    function = functions(C)[name]
    loop, around = loops(function)[position]
    found: Count | None = getattr(counts.count(build(function, loop, around), answers(function)), which)
    assert found is not None
    return found


def value(count: Count, **sizes: int) -> object:
    assert count.expr is not None
    return evaluate(count.expr, {s: sizes[s.rpartition(">")[2]] for s in free_symbols(count.expr)})


def test_a_narrow_variable_that_may_wrap_makes_the_footprint_a_bound() -> None:
    found = footprint("wraps", "write_footprint")
    assert not found.exact
    assert value(found, n=10) == 7


def test_a_narrow_variable_that_stays_in_range_keeps_it_exact() -> None:
    found = footprint("stays", "write_footprint")
    assert found.exact
    assert value(found) == 6
    assert footprint("own", "write_footprint").exact


def test_arithmetic_that_wraps_soon_makes_the_footprint_a_bound() -> None:
    found = footprint("hashed", "write_footprint")
    assert not found.exact
    assert value(found, n=10) == 40


def test_arithmetic_that_is_taken_not_to_wrap_or_cannot_keeps_it_exact() -> None:
    found = footprint("shifted", "write_footprint")
    assert found.exact
    assert value(found, n=10, m=3) == 40
    assert footprint("small", "write_footprint").exact


def test_the_bound_is_read_even_when_no_iteration_runs() -> None:
    found = footprint("bound", "read_footprint")
    assert found.exact
    assert value(found, n=0) == 4
    assert value(found, n=3) == 4 + 8
    inner = footprint("bounds", "read_footprint", 1)
    assert inner.exact


def test_what_the_last_test_of_a_conjunction_reads_is_not_known() -> None:
    loads = footprint("second", "loads")
    assert not loads.exact


def test_a_narrow_loop_variable_against_a_wide_bound_is_assumed_not_to_wrap() -> None:
    assert "no-overflow(i)" in footprint("against_wide", "trip_count").assumptions
    assert "no-overflow(i)" not in footprint("stays", "trip_count").assumptions


def test_pointers_of_unknown_origin_may_lead_to_the_same_memory() -> None:
    assert not footprint("turned", "footprint", 1).exact
    assert footprint("turned", "loads", 1).exact


def test_rows_whose_pointers_the_nest_stores_are_other_rows_later() -> None:
    assert not footprint("swapped", "write_footprint").exact
    assert footprint("swapped", "write_footprint", 1).exact
    assert footprint("swapped", "loads").exact


def test_a_loop_behind_one_that_may_return_is_entered_once_at_most() -> None:
    found = footprint("left", "executions", 2)
    assert not found.exact
    assert (value(found), found.low) == (1, num(0))


def test_a_loop_under_a_condition_is_entered_once_at_most() -> None:
    assert footprint("guarded", "executions").exact
    for position in (1, 2):
        found = footprint("guarded", "executions", position)
        assert not found.exact
        assert (value(found), found.low) == (1, num(0))


def test_executions_know_what_is_left_before() -> None:
    assert not footprint("skipped", "executions", 1).exact
    odd = footprint("even", "executions", 1)
    assert odd.exact
    assert [value(odd, n=n) for n in range(6)] == [0, 0, 1, 1, 2, 2]
