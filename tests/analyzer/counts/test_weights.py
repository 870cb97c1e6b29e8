"""Conditions on data, exits and unknown trip counts: the weights in a count, and its lowest and highest value."""

import pytest

from analyzer import counts
from analyzer.counts.nest import build
from analyzer.facts.loop import Condition, Count, Counts
from models.expr import evaluate, free_symbols

from ..c_text import answers, functions, loops

C = """
#define N 100
#include <math.h>
int a[N], b[N], c[N], start[N + 1];
float f[N], g[N];
double x[N], y[N];
struct mesh { int n; double *v; } mesh;

void one_branch(void) { for (int i = 0; i < N; i++) if (b[i] > 0) a[i] = c[i]; }
void two_branches(void) { for (int i = 0; i < N; i++) if (b[i] > 0) a[i] = c[i]; else a[i] = 1; }
void short_circuit(void) { for (int i = 0; i < N; i++) if (b[i] > 0 && c[i] > 0) a[i] = 1; }
void either_way(void) { for (int i = 0; i < N; i++) a[i] = b[i] > 0 ? c[i] : a[i]; }
void nested(void) { for (int i = 0; i < N; i++) if (b[i] > 0) { if (c[i] > 0) a[i] = 1; } }
void affine_branch(int n) { for (int i = 0; i < n; i++) if (i >= 3) a[i] = 1; }
int search(void) { for (int i = 0; i < N; i++) if (a[i] == 7) return i; return -1; }
double rows(int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        for (int j = start[i]; j < start[i + 1]; j++) s += x[j];
    return s;
}
void unknown_call(void) { extern void other(double *); for (int i = 0; i < N; i++) { other(x); y[i] = 2.0 * x[i]; } }
void member_bound(void) { for (int i = 0; i < mesh.n; i++) mesh.v[i] = 0; }

void precisions(void) { for (int i = 0; i < N; i++) { g[i] = f[i] * 2.0f + 1.0f; y[i] = x[i] / 3.0 - f[i]; } }
void fused(void) { for (int i = 0; i < N; i++) y[i] = x[i] * y[i] + x[i] * 2.0; }
void functions_(void) { for (int i = 0; i < N; i++) y[i] = sqrt(x[i]) + exp(x[i]) + fabs(x[i]) + pow(x[i], 3); }
void negated(void) { for (int i = 0; i < N; i++) y[i] = -x[i]; }
void addresses(void) { for (int i = 0; i < N / 2; i++) a[2 * i + 1] = b[i + 50] + 1; }
void casts(void) { for (int i = 0; i < N; i++) { y[i] = (double)a[i]; b[i] = (int)x[i]; } }
void implied(void) { for (int i = 0; i < N; i++) { y[i] = a[i]; b[i] = x[i]; } }
void compound(void) { for (int i = 0; i < N; i++) a[b[i]] += c[i]; }
"""


def counted(name: str, which: int = 0) -> Counts:
    function = functions(C)[name]
    loop, around = loops(function)[which]
    return counts.count(build(function, loop, around), answers(function))


def triple(count: Count | None) -> tuple[object, object, object]:
    """(value with every weight at 1/2, low, high)."""
    assert count is not None
    assert count.expr is not None
    weights = dict.fromkeys(free_symbols(count.expr), 0.5)
    low = None if count.low is None else evaluate(count.low, {})
    high = None if count.high is None else evaluate(count.high, {})
    return evaluate(count.expr, weights), low, high


@pytest.mark.parametrize(
    ("name", "loads", "stores"),
    [
        ("one_branch", (150, 100, 200), (50, 0, 100)),
        ("short_circuit", (150, 100, 200), (50, 0, 100)),
        ("nested", (150, 100, 200), (25, 0, 100)),
    ],
)
def test_a_condition_on_data_has_a_weight(name: str, loads: object, stores: object) -> None:
    found = counted(name)
    assert (triple(found.loads), triple(found.stores)) == (loads, stores)
    assert found.loads is not None
    assert not found.loads.exact


def test_what_both_branches_do_is_exact() -> None:
    found = counted("two_branches")
    assert found.stores is not None
    assert (found.stores.exact, triple(found.stores)[0]) == (True, 100)
    assert triple(found.loads) == (150, 100, 200)
    assert counted("either_way").loads == Count(counted("two_branches").trip_count.expr * 2)  # type: ignore[union-attr, operator]


def test_an_affine_condition_is_exact() -> None:
    stores = counted("affine_branch").stores
    assert stores is not None
    assert stores.exact
    assert stores.expr is not None
    assert [evaluate(stores.expr, {"n": n}) for n in (0, 2, 3, 4, 10)] == [0, 0, 0, 1, 7]


def test_conditions_are_listed_with_their_weight() -> None:
    nested = functions(C)["nested"]
    loop, around = loops(nested)[0]
    line = loop.place.line
    assert counts.conditions(build(nested, loop, around)) == (Condition(line, 0.5), Condition(line, 0.5))
    branch = functions(C)["affine_branch"]
    affine, around = loops(branch)[0]
    assert counts.conditions(build(branch, affine, around)) == ()


def test_an_early_exit_makes_every_count_a_bound() -> None:
    found = counted("search")
    for count in (found.trip_count, found.iterations, found.loads):
        assert triple(count) == (100, 0, 100)
        assert count is not None
        assert not count.exact


def test_an_unknown_trip_count_is_a_symbol_of_its_line() -> None:
    outer, inner = counted("rows"), counted("rows", 1)
    assert outer.flops_fp64 is not None
    assert outer.flops_fp64.expr is not None
    line = loops(functions(C)["rows"])[1][0].place.line
    assert free_symbols(outer.flops_fp64.expr) == {"n", f"trip@{line}"}
    assert (outer.flops_fp64.exact, outer.flops_fp64.high) == (False, None)
    assert inner.trip_count is not None
    assert inner.trip_count.expr is not None
    # alone the inner loop has a formula: both ends are sizes when it starts
    values = {"start[i]": 3, "start[i + 1]": 10, "i": 0}
    assert evaluate(inner.trip_count.expr, values) == 7


def test_an_unknown_call_may_add_anything() -> None:
    found = counted("unknown_call")
    assert found.flops_fp64 is not None
    assert triple(found.flops_fp64)[:2] == (100, 100)
    assert (found.flops_fp64.exact, found.flops_fp64.high) == (False, None)


def test_a_member_bound_is_written_as_in_c() -> None:
    trip = counted("member_bound").trip_count
    assert trip is not None
    assert trip.expr is not None
    assert free_symbols(trip.expr) == {"mesh.n"}


# --- operations


def exact(count: Count | None) -> object:
    assert count is not None
    assert count.exact
    assert count.expr is not None
    return evaluate(count.expr, {})


def test_flops_by_precision_after_promotion() -> None:
    found = counted("precisions")
    assert (exact(found.flops_fp32), exact(found.flops_fp64)) == (200, 200)
    assert (exact(found.fma_fp32), exact(found.fma_fp64)) == (100, 0)


def test_an_addition_fuses_one_product() -> None:
    found = counted("fused")
    assert (exact(found.flops_fp64), exact(found.fma_fp64)) == (300, 100)


def test_library_functions_by_their_table() -> None:
    found = counted("functions_")
    assert exact(found.flops_fp64) == 100 * (1 + 30 + 2 + 3)
    assert exact(found.fp_other) == 100


def test_negation_is_no_flop() -> None:
    found = counted("negated")
    assert (exact(found.flops_fp64), exact(found.fp_other)) == (0, 100)


def test_subscript_arithmetic_is_not_counted() -> None:
    found = counted("addresses")
    assert (exact(found.int_ops), exact(found.trip_count)) == (50, 50)


def test_a_compound_assignment_evaluates_its_subscript_once() -> None:
    found = counted("compound")
    assert (exact(found.loads), exact(found.stores)) == (300, 100)
    assert exact(found.bytes_loaded) == 1200


def test_a_written_cast_counts_and_an_implied_conversion_does_not() -> None:
    assert exact(counted("casts").fp_other) == 200
    assert exact(counted("implied").fp_other) == 0


def test_a_value_in_memory_may_be_negative() -> None:
    text = """
    int B[100], A[100]; struct list { int n; int *v; } s;
    void data(int n) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) if (B[i] < 0) A[j] = 1; }
    void size(void) { for (int j = 0; j < s.n; j++) if (j != s.n - 1) A[j] = 1; }
    """
    function = functions(text)["data"]
    inner, around = loops(function)[1]
    stores = counts.count(build(function, inner, around), answers(function)).stores
    assert stores is not None
    assert not stores.exact
    assert stores.expr is not None
    assert {s.partition("@")[0] for s in free_symbols(stores.expr)} == {"n", "p"}
    function = functions(text)["size"]
    loop, around = loops(function)[0]
    stores = counts.count(build(function, loop, around), answers(function)).stores
    assert stores is not None
    assert stores.exact
