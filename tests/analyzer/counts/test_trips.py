"""Trip counts and iterations of loops in C, each against the same loop run in Python at many sizes."""

from collections.abc import Callable
from itertools import product

import pytest

from analyzer import counts
from analyzer.counts.nest import build
from analyzer.facts.loop import Counts
from models.expr import evaluate, free_symbols, parse

from ..c_text import answers, functions, loops

C = """
extern int other(int);
extern void fill(int *);
int total;
double A[1000];

void symbolic_step(int n, int s) { for (int i = 0; i < n; i += s) A[i] = 1; }
void symbolic_step_from(int n, int s) { for (int i = 3; i <= n; i += s) A[i] = 1; }
void symbolic_step_down(int n, int s) { int i = n; while (i > 0) { A[i] = 0; i -= s; } }
void pointer(int n, double *a) { for (double *p = a; p < a + n; p++) *p = 1; }
void pointer_step(int n, int s, char *a) { for (char *p = a; p < a + n; p += s) *p = 1; }
void pointer_until(unsigned n, unsigned char *a) {
    const unsigned char *end = a + n - n % 8;
    for (; a != end; a += 8) A[0] += *a;
}
void countdown(unsigned long n) { for (unsigned long i = n; i-- > 0;) A[i] = 1; }
void until_equal(int n) { for (int i = n; i != 0; i--) A[i] = 1; }
void both_bounds(int n, int m) { for (int i = 0; i < n && i < m; i++) A[i] = 1; }
void counting_while(int n) { int i = 0; while (i < n) { A[i] = 1; i += 2; } }
void counting_do(int n) { int i = 0; do { A[i] = 1; i++; } while (i < n); }
void clipped_below(int n) {
    for (int i = 0; i < n; i++) { int first = i < 2 ? 0 : i - 2; for (int j = first; j <= i; j++) A[j] += 1; }
}
void clipped_above(int n) {
    for (int i = 0; i < n; i++) { int last = i + 3; if (last > n) last = n; for (int j = i; j < last; j++) A[j] = 1; }
}
void clipped_both(int n, int m) {
    for (int i = 0; i < n; i++) {
        int first = i - m > 0 ? i - m : 0, last = i + m < n ? i + m : n - 1;
        for (int j = first; j <= last; j++) A[j] += 1;
    }
}
void bits(void) { for (unsigned i = 0x80; i > 0; i >>= 1) A[i] = 1; }
void powers(void) { for (int i = 1; i < 100; i *= 3) A[i] = 1; }
void halves(void) { int i = 16; do { A[i] = 0; i /= 2; } while (i != 1); }
void narrow(void) { for (unsigned char i = 1; i & 0xff; i <<= 1) A[i] = 1; }
void global_bound(void) { for (int i = 0; i < total; i++) A[i] = other(i); }
void address_taken(void) { int m; fill(&m); for (int i = 0; i < m; i++) A[i] = other(i); }

void longer_steps(int n, int *t) { for (int i = 2; i < n; i++) { if (t[i]) { i++; if (t[i]) i += 2; } t[i] = 0; } }
void continued(int n, int *t) {
    for (int i = n; i > 0; i--) { if (t[i]) { i--; if (t[i]) continue; A[i] = 2; } A[i] = 0; }
}
void back_and_forth(int n, int *t) { for (int i = 2; i < n; i++) { if (t[i]) i--; A[i] = 0; } }
void other_start(int n) { int s = other(n); for (int i = s > 0 ? 1 : 2; i < n; i++) A[i] = 1; }
void assigned(void) { for (int i = 0; i < total; i++) { A[i] = other(i); total--; } }
void stored(int n) { int m = n; int *p = &m; for (int i = 0; i < m; i++) *p = other(i); }
void powers_to(int n) { for (int i = 1; i < n; i *= 2) A[i] = 1; }
void doubled(int n) { int s = 1; for (int i = 0; i < n; i += s) { s *= 2; A[i] = 1; } }
void skipped(void) { for (int i = 0; i != 5; i += 2) A[i] = 1; }
"""


def counted(name: str) -> Counts:
    function = functions(C)[name]
    loop, around = loops(function)[0]
    return counts.count(build(function, loop, around), answers(function))


def span(*arguments: int) -> int:
    return len(range(*arguments))


def do_while(n: int) -> int:
    return max(1, n)


def clipped(low: Callable[[int], int], high: Callable[[int], int], n: int) -> int:
    return sum(max(0, high(i) - low(i) + 1) for i in range(n))


TRUTH: dict[str, tuple[str, Callable[..., int]]] = {
    "symbolic_step": ("n s", lambda n, s: span(0, n, s)),
    "symbolic_step_from": ("n s", lambda n, s: span(3, n + 1, s)),
    "symbolic_step_down": ("n s", lambda n, s: span(n, 0, -s)),
    "pointer": ("n", lambda n: n),
    "pointer_step": ("n s", lambda n, s: span(0, n, s)),
    "pointer_until": ("n", lambda n: n // 8),
    "countdown": ("n", lambda n: n),
    "until_equal": ("n", lambda n: n),
    "both_bounds": ("n m", min),
    "counting_while": ("n", lambda n: span(0, n, 2)),
    "counting_do": ("n", do_while),
    "clipped_below": ("n", lambda n: clipped(lambda i: max(0, i - 2), lambda i: i, n)),
    "clipped_above": ("n", lambda n: clipped(lambda i: i, lambda i: min(i + 3, n) - 1, n)),
    "clipped_both": ("n m", lambda n, m: clipped(lambda i: max(0, i - m), lambda i: min(i + m, n - 1), n)),
    "bits": ("", lambda: 8),
    "powers": ("", lambda: 5),
    "halves": ("", lambda: 4),
    "narrow": ("", lambda: 8),
    "global_bound": ("total", lambda total: total),
    "address_taken": ("m", lambda m: m),
}


@pytest.mark.parametrize("name", TRUTH)
def test_iterations_are_those_of_the_loop_run(name: str) -> None:
    found = counted(name).iterations
    assert found is not None
    assert found.expr is not None
    assert found.exact
    names, truth = TRUTH[name]
    symbols = {s.partition("@")[0]: s for s in free_symbols(found.expr)}
    assert symbols.keys() <= set(names.split())
    for values in product(range(1, 20), repeat=len(names.split())):
        known = {symbols[n]: v for n, v in zip(names.split(), values, strict=True) if n in symbols}
        assert evaluate(found.expr, known) == truth(*values), (name, values)


def test_a_step_of_any_size_makes_no_iteration_when_the_test_fails_at_once() -> None:
    found = counted("symbolic_step_from").trip_count
    assert found is not None
    assert found.expr is not None
    assert evaluate(found.expr, {"n": 2, "s": 0}) == 0


@pytest.mark.parametrize(("name", "bound"), [("global_bound", "total"), ("address_taken", "m")])
def test_a_bound_that_only_a_call_could_change_is_an_assumption(name: str, bound: str) -> None:
    found = counted(name).iterations
    assert found is not None
    assert f"bound-invariant({bound})" in found.assumptions


@pytest.mark.parametrize("name", ["assigned", "stored", "powers_to", "doubled", "skipped", "back_and_forth"])
def test_no_trip_count_is_made_up(name: str) -> None:
    assert counted(name).trip_count is None


@pytest.mark.parametrize(("name", "most"), [("longer_steps", "n - 2"), ("continued", "n")])
def test_steps_of_several_sizes_give_a_bound(name: str, most: str) -> None:
    found = counted(name).trip_count
    assert found is not None
    assert found.expr is not None
    assert not found.exact
    assert all(evaluate(found.expr, {"n": n}) == evaluate(parse(most), {"n": n}) for n in range(2, 9))


def test_a_start_that_data_selects_stays_a_symbol() -> None:
    function = functions(C)["other_start"]
    loop, _ = loops(function)[0]
    assert loop.trip is not None
    assert len(loop.trip) == 1
