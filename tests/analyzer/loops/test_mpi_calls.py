"""Calls to MPI change what they say and nothing else; what they read is live."""

from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import LoopFacts, Verdict
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.expr import evaluate, to_text

HEAD = "#include <mpi.h>\n#define W MPI_COMM_WORLD\n#define D MPI_DOUBLE\nvoid other(void);\n"


def loops(body: str) -> tuple[LoopFacts, ...]:
    text = f"{HEAD}void f(double *restrict x, double *restrict y, int n) {{ {body} }}\n"
    return analyze_file(Path("f.c"), SourceOptions(), AnalysisOptions(), text=text).functions[0].loops


def trip(loop: LoopFacts) -> str:
    count = loop.counts.trip_count
    assert count is not None
    assert count.expr is not None
    return to_text(count.expr)


KEPT = {
    "rank and size": "int np, rank; MPI_Comm_size(W, &np); MPI_Comm_rank(W, &rank); MPI_Barrier(W);",
    "what is sent": "int np; MPI_Comm_size(W, &np); MPI_Send(&np, 1, MPI_INT, 0, 0, W);",
    "what another call gets": "int np, k; MPI_Comm_size(W, &np); MPI_Bcast(&k, 1, MPI_INT, 0, W);",
    "a call that is not MPI's": "int np; MPI_Comm_size(W, &np); other();",
}


@pytest.mark.parametrize("case", KEPT)
def test_the_number_of_processes_stays_what_it_is(case: str) -> None:
    (loop,) = loops(f"{KEPT[case]} for (int i = 0; i < np; i++) x[i] = 0;")
    assert trip(loop) == "P"


CHANGED = {
    "received": "int m = n; MPI_Recv(&m, 1, MPI_INT, 0, 0, W, MPI_STATUS_IGNORE);",
    "broadcast": "int m = n; MPI_Bcast(&m, 1, MPI_INT, 0, W);",
    "reduced": "int m = n, k = 1; MPI_Allreduce(&k, &m, 1, MPI_INT, MPI_SUM, W);",
    "pending": "int m = n; MPI_Request r; MPI_Irecv(&m, 1, MPI_INT, 0, 0, W, &r); MPI_Wait(&r, MPI_STATUS_IGNORE);",
    "address kept elsewhere": "int m = n, *p = &m; MPI_Bcast(&m, 1, MPI_INT, 0, W); other(); (void)p;",
}


@pytest.mark.parametrize("case", CHANGED)
def test_what_a_call_stores_is_new(case: str) -> None:
    (loop,) = loops(f"{CHANGED[case]} for (int i = 0; i < m; i++) x[i] = 0;")
    assert trip(loop) != "n"


def test_a_value_received_in_a_loop_differs_in_its_iterations() -> None:
    outer, inner = loops(
        "for (int k = 0; k < n; k++) { int m = 0; MPI_Recv(&m, 1, MPI_INT, 0, 0, W, MPI_STATUS_IGNORE);"
        "for (int i = 0; i < m; i++) x[i] = 0; }"
    )
    assert outer.counts.iterations is not None
    assert not outer.counts.iterations.exact
    assert inner.parallelism.verdict is Verdict.YES


RECEIVES = {
    "a member": ("struct { int at; } k", "MPI_Bcast(&k, 1, MPI_INT, 0, W);", "k.at"),
    "an element": ("int k[3]", "MPI_Bcast(k, 3, MPI_INT, 0, W);", "k[1]"),
    "later": ("int k[3]; MPI_Request q", "MPI_Irecv(k, 3, MPI_INT, 0, 0, W, &q);", "k[1]"),
    "behind a pointer": ("int *k = (int *)y", "MPI_Bcast(k, 3, MPI_INT, 0, W);", "k[1]"),
}


@pytest.mark.parametrize("case", RECEIVES)
def test_what_is_received_into_memory_differs_from_iteration_to_iteration(case: str) -> None:
    """A row of `x` in every iteration, and not one row for all of them."""
    declared, received, row = RECEIVES[case]
    body = f"for (int i = 0; i < n; i++) s += x[{row} * n + i];"
    outer, inner = loops(f"double s = 0; {declared}; for (int t = 0; t < 50; t++) {{ {received} {body} }} x[0] = s;")
    assert (_read(outer, "x"), _read(inner, "x")) == (50 * 8 * 10, 8 * 10)


def test_memory_that_is_only_sent_stays_as_it_is() -> None:
    sent = "MPI_Send(&k, 1, MPI_INT, 0, 0, W); for (int i = 0; i < n; i++) s += x[k.at * n + i];"
    declared = "double s = 0; struct { int at; } k = {n};"
    outer, _ = loops(f"{declared} for (int t = 0; t < 50; t++) {{ {sent} }} x[0] = s;")
    assert _read(outer, "x") == 8 * 10


def _read(loop: LoopFacts, array: str) -> float:
    """At most so many bytes, for n = 10."""
    (found,) = (a for a in loop.arrays if a.name == array)
    most = found.read_footprint.expr if found.read_footprint.exact else found.read_footprint.high
    assert most is not None
    return float(evaluate(most, {"n": 10}))


def test_a_scalar_that_is_sent_after_a_loop_leaves_it() -> None:
    (loop,) = loops("double s; for (int i = 0; i < n; i++) { s = x[i]; y[i] = s; } MPI_Send(&s, 1, D, 0, 0, W);")
    assert loop.parallelism.last_private == ("s",)
    (loop,) = loops("double s = 0; for (int i = 0; i < n; i++) s += x[i]; MPI_Send(&s, 1, D, 0, 0, W);")
    assert [r.variable for r in loop.parallelism.reductions] == ["s"]


@pytest.mark.parametrize("call", ["MPI_Send(x, n, D, 0, 0, W)", "MPI_Barrier(W)", "MPI_Waitall(0, 0, 0)"])
def test_a_loop_that_calls_mpi_is_not_parallel(call: str) -> None:
    (loop,) = loops(f"for (int i = 0; i < n; i++) {{ y[i] = x[i]; {call}; }}")
    assert loop.parallelism.verdict is Verdict.UNKNOWN
    assert loop.parallelism.reason is not None
    assert loop.parallelism.reason.code == "side-effect"
    assert "other processes" in loop.parallelism.reason.message


def test_a_function_of_that_name_with_other_arguments_may_do_anything() -> None:
    (loop,) = loops("int np; MPI_Comm_size(W, &np, 3); for (int i = 0; i < np; i++) x[i] = 0;")
    assert trip(loop) != "P"


def test_shares_of_sizes_are_formulas() -> None:
    first, second = loops(
        "int np, rank; MPI_Comm_size(W, &np); MPI_Comm_rank(W, &rank);"
        "for (int i = 0; i < n / np; i++) x[i] = 0; for (int i = 0; i < n % np; i++) x[i] = 0;"
    )
    assert trip(first) == "n//P"
    assert trip(second) == "max(0, n - P*(n//P))"


def test_what_is_received_into_a_variable_is_not_what_it_held() -> None:
    """A content that is known before is not known after; the loop writes y[0] in several iterations if t is not 0."""
    (loop,) = loops(
        "double t = 0; MPI_Recv(&t, 1, D, 0, 0, W, MPI_STATUS_IGNORE);"
        "for (int i = 0; i < n; i++) y[t == 0 ? i : 0] = i;"
    )
    assert loop.parallelism.verdict is not Verdict.YES


def test_memory_behind_a_pointer_that_is_not_followed_may_be_anything() -> None:
    text = (
        f"{HEAD}int m; void f(double *x, void **where, int n) {{ x[0] = m;"
        "MPI_Recv(where[n], 1, MPI_INT, 0, 0, W, MPI_STATUS_IGNORE); for (int i = 0; i < m; i++) x[i] = 0; }\n"
    )
    (loop,) = analyze_file(Path("f.c"), SourceOptions(), AnalysisOptions(), text=text).functions[0].loops
    assert trip(loop) != "m"


def test_a_function_of_the_program_may_keep_an_address() -> None:
    """A serial stand-in for MPI, as some programs bring along."""
    text = (
        "int *kept; int MPI_Comm_size(int c, int *size) { kept = size; *size = 1; return 0; }\n"
        "void f(double *x, int n) { int np; MPI_Comm_size(0, &np);\n"
        "for (int i = 0; i < n; i++) { x[np] += i; *kept = i; } }\n"
    )
    facts = analyze_file(Path("f.c"), SourceOptions(), AnalysisOptions(), text=text)
    (loop,) = facts.functions[-1].loops
    assert loop.parallelism.verdict is not Verdict.YES


def test_two_communicators_of_one_name_are_two() -> None:
    text = (
        f"{HEAD}static void go(double *x, int n, MPI_Comm c) {{ MPI_Bcast(x, n, D, 0, c); }}\n"
        "void f(double *x, int n, MPI_Comm a, MPI_Comm b) { go(x, n, a); go(x, n, b);"
        "for (int i = 0; i < n; i++) x[i] = 0; }\n"
    )
    facts = analyze_file(Path("f.c"), SourceOptions(), AnalysisOptions(), text=text)
    found = next(f for f in facts.functions if f.function.name == "f").communication
    assert found is not None
    assert len({group.size for group in found.network.groups}) == 2


def test_memory_of_unknown_origin_is_not_what_only_mpi_was_lent() -> None:
    """`g->u` leads anywhere but to `diff`: nobody has its address."""
    text = (
        f"{HEAD}typedef struct {{ int n; double *u; }} Grid;\n"
        "double f(Grid *g, double *restrict v) { double diff = 0, all;\n"
        "for (int i = 0; i < g->n; i++) diff += g->u[i];\n"
        "%s return all + v[0]; }\n"
    )

    def assumed(call: str) -> set[str]:
        facts = analyze_file(Path("f.c"), SourceOptions(), AnalysisOptions(), text=text % call)
        found = facts.functions[0].loops[0].parallelism
        assert found.verdict is Verdict.YES
        return {f"{a.kind}({a.text})" for a in found.assumptions}

    assert assumed("MPI_Allreduce(&diff, &all, 1, D, MPI_SUM, W);") == {"fp-reorder(diff)"}
    assert assumed("other_keeps(&diff); all = 0;") == {"fp-reorder(diff)", "params-distinct(diff,g->u)"}
    assert assumed("MPI_Request r; MPI_Iallreduce(&diff, &all, 1, D, MPI_SUM, W, &r);") == {"fp-reorder(diff)"}
    pending = "MPI_Request r; MPI_Irecv(&diff, 1, D, 0, 0, W, &r); MPI_Wait(&r, MPI_STATUS_IGNORE); all = 0;"
    assert assumed(pending) == {"fp-reorder(diff)", "params-distinct(diff,g->u)"}
