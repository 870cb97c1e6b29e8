"""Footprints where narrow variables may wrap, and of what only the test of a loop reads."""

from analyzer import counts
from analyzer.facts import Count
from models.expr import evaluate, free_symbols

from ..c_text import answers, functions, loops

C = """
struct part { int n; double *v; };
struct part many[9];
void wraps(int n, char *a) { unsigned char d = 1; for (int i = 3; i < n; i++) { d += 2; a[d] = 0; } }
void stays(char *a) { unsigned char d = 1; for (int i = 3; i < 9; i++) { d += 2; a[d] = 0; } }
void own(int n, char *a) { for (unsigned char i = 0; i < n; i++) a[i] = 0; }
void bound(struct part *p) { for (int i = 0; i < p->n; i++) p->v[i] = 1; }
void bounds(void) { for (int k = 0; k < 9; k++) for (int i = 0; i < many[k].n; i++) many[k].v[i] = 1; }
void second(struct part *p, int n) { for (int i = 0; i < n && i < p->n; i++) p->v[i] = 1; }
"""


def footprint(name: str, which: str, position: int = 0) -> Count:
    function = functions(C)[name]
    loop, around = loops(function)[position]
    found: Count | None = getattr(counts.count(function, loop, around, answers(function)), which)
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
