"""Network bytes as formulas: what is exact, what is a bound, what is left out."""

from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import FunctionFacts
from analyzer.facts.network import Network
from analyzer.mpi.processes import per_process
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.communication import network_bytes
from models.expr import evaluate, parse

HEAD = "#include <mpi.h>\n#define W MPI_COMM_WORLD\n#define D MPI_DOUBLE\n#define S MPI_STATUS_IGNORE\n"


def function(body: str, parameters: str = "double *a, double *b, int n") -> FunctionFacts:
    text = f"{HEAD}void f({parameters}) {{ int rank, np; MPI_Comm_rank(W, &rank); MPI_Comm_size(W, &np);\n{body} }}\n"
    facts = analyze_file(Path("f.c"), SourceOptions(), AnalysisOptions(), text=text)
    return facts.functions[0]


def network(body: str, parameters: str = "double *a, double *b, int n") -> Network:
    found = function(body, parameters).communication
    assert found is not None
    return found.network


def sent(body: str, p: int, parameters: str = "double *a, double *b, int n", **sizes: int) -> tuple[list[float], bool]:
    found = per_process(network(body, parameters), {"P": p, "n": 10, **sizes})
    assert found is not None
    return list(found.sent), found.exact


EXACT = {
    "send": ("if (rank == 0) MPI_Send(a, n, D, 1, 0, W);", 4, [80, 0, 0, 0]),
    "ssend of a constant": ("MPI_Ssend(a, 3, MPI_INT, (rank + 1) % np, 0, W);", 2, [12, 12]),
    "isend": ("MPI_Request r; if (rank > 0) MPI_Isend(a, n, D, rank - 1, 0, W, &r);", 3, [0, 80, 80]),
    "receive": ("if (rank == 0) MPI_Recv(a, n, D, 1, 0, W, S);else MPI_Send(a, 1, D, 0, 0, W);", 2, [0, 8]),
    "loop": ("for (int k = 0; k < n; k++) if (rank == 1) MPI_Send(a, k, D, 0, 0, W);", 2, [0, 8 * 45]),
    "nobody": ("MPI_Send(a, n, D, MPI_PROC_NULL, 0, W);", 2, [0, 0]),
    "perhaps nobody": (
        "int up = rank + 1 < np ? rank + 1 : MPI_PROC_NULL; MPI_Sendrecv(a, n, D, up, 0, b, n, D, 0, 0, W, S);",
        3,
        [80, 80, 0],
    ),
    "chosen in the call": ("MPI_Send(a, n, D, rank == 0 ? MPI_PROC_NULL : 0, 0, W);", 3, [0, 80, 80]),
    "broadcast": ("MPI_Bcast(a, n, D, 0, W);", 4, [160, 80, 0, 0]),
    "broadcast from another": ("MPI_Bcast(a, n, D, 1, W);", 4, [0, 160, 80, 0]),
    "every process is the root once": ("for (int k = 0; k < np; k++) MPI_Bcast(a, n, D, k, W);", 5, [320] * 5),
    "a root that moves over some": ("for (int k = 0; k < 2; k++) MPI_Bcast(a, n, D, k, W);", 4, [160, 240, 80, 0]),
    "reduce": ("MPI_Reduce(a, b, n, D, MPI_SUM, 0, W);", 4, [0, 80, 80, 80]),
    "allreduce": ("MPI_Allreduce(MPI_IN_PLACE, b, n, D, MPI_SUM, W);", 4, [160] * 4),
    "allreduce of three": ("MPI_Allreduce(a, b, 1, MPI_DOUBLE_INT, MPI_MINLOC, W);", 3, [12, 24, 12]),
    "gather": ("MPI_Gather(a, n, D, b, n, D, 0, W);", 4, [0, 160, 80, 80]),
    "scatter": ("MPI_Scatter(a, n, D, b, n, D, 0, W);", 4, [240, 80, 0, 0]),
    "allgather in place": ("MPI_Allgather(MPI_IN_PLACE, 0, D, b, n, D, W);", 4, [240] * 4),
    "alltoall": ("MPI_Alltoall(a, n, D, b, n, D, W);", 3, [160] * 3),
    "reduce and scatter": ("MPI_Reduce_scatter_block(a, b, n, D, MPI_SUM, W);", 4, [240] * 4),
    "scan": ("MPI_Scan(a, b, n, D, MPI_SUM, W);", 4, [160, 160, 80, 0]),
    "barrier": ("MPI_Barrier(W); MPI_Send(a, 1, MPI_CHAR, 0, 0, W);", 2, [1, 1]),
    "nonblocking": ("MPI_Request r; MPI_Iallreduce(a, b, n, D, MPI_SUM, W, &r); MPI_Wait(&r, S);", 2, [80, 80]),
    "contiguous type": (
        "MPI_Datatype t; MPI_Type_contiguous(3, D, &t); MPI_Type_commit(&t); MPI_Send(a, n, t, 0, 0, W);",
        1,
        [240],
    ),
    "vector type": (
        "MPI_Datatype t; MPI_Type_vector(n, 2, 100, MPI_FLOAT, &t); MPI_Type_commit(&t); MPI_Send(a, 5, t, 0, 0, W);",
        1,
        [400],
    ),
    "part of a process": ("MPI_Send(a, n / np, D, (rank + 1) % np, 0, W);", 3, [24] * 3),
    "communicator that was split": (
        "MPI_Comm half; MPI_Comm_split(W, rank % 2, -rank, &half); MPI_Bcast(a, n, D, 0, half);",
        5,
        [0, 0, 0, 80, 160],
    ),
    "split twice": (
        "MPI_Comm x, y; MPI_Comm_split(W, rank / 4, rank, &x); int r; MPI_Comm_rank(x, &r);"
        "MPI_Comm_split(x, r % 2, r, &y); MPI_Bcast(a, n, D, 0, y);",
        8,
        [80, 80, 0, 0, 80, 80, 0, 0],
    ),
    "duplicate": ("MPI_Comm c; MPI_Comm_dup(W, &c); MPI_Bcast(a, n, D, 0, c);", 2, [80, 0]),
    "self": ("MPI_Bcast(a, n, D, 0, MPI_COMM_SELF);", 2, [0, 0]),
}


@pytest.mark.parametrize("case", EXACT)
def test_each_process_sends(case: str) -> None:
    body, p, expected = EXACT[case]
    assert sent(body, p) == (expected, True)


BOUNDS = {
    "data decides": ("if (a[0] > 0) MPI_Send(a, n, D, 0, 0, W);", 2),
    "how often is not known": ("while (a[0] > 0) { a[0] /= 2; if (a[1] > 0) break; MPI_Send(a, n, D, 0, 0, W); }", 2),
    "a neighbour that was asked for": ("int l, r; MPI_Cart_shift(W, 0, 1, &l, &r); MPI_Send(a, n, D, r, 0, W);", 2),
    "a target that the caller chose": ("MPI_Send(a, n, D, to, 0, W);", 2),
    "a root from memory": ("for (int k = 0; k < n; k++) MPI_Bcast(a, n, D, (int)a[k], W);", 2),
}


@pytest.mark.parametrize("case", BOUNDS)
def test_what_is_not_certain_is_a_bound(case: str) -> None:
    body, p = BOUNDS[case]
    found = network(body, "double *a, double *b, int n, int to")
    assert not found.exact
    assert not found.symmetric
    assert evaluate(found.least, {"n": 10, "P": p}) == 0


@pytest.mark.parametrize(
    "body",
    [
        "MPI_Send(a, n, t, 0, 0, W);",
        "MPI_Datatype u; MPI_Type_indexed(n, c, c, D, &u); MPI_Send(a, 1, u, 0, 0, W);",
        "MPI_Alltoallv(a, c, c, D, b, c, c, D, W);",
        "MPI_Scatterv(a, c, c, D, b, n, D, 0, W);",
        "MPI_Start(r);",
        "MPI_Get(a, n, D, 0, 0, n, D, w);",
        "for (int k = 0; k < n; k++) MPI_Send(a, c[k], D, 0, 0, W);",
    ],
)
def test_what_is_not_known_is_left_out_with_a_word(body: str) -> None:
    parameters = "double *a, double *b, int *c, int n, MPI_Datatype t, MPI_Request *r, MPI_Win w"
    found = network(f"MPI_Send(a, 1, D, 0, 0, W);{body}", parameters)
    assert len(found.silent) == 1
    assert not found.exact
    assert evaluate(found.model, {"n": 10, "P": 2}) == 8


@pytest.mark.parametrize("call", ["other(a)", "MPI_Start(r)", "(*step)(n)"])
def test_what_is_called_and_not_seen_may_send(call: str) -> None:
    parameters = "double *a, int n, MPI_Request *r, void (*step)(int)"
    found = network(f"void other(double *); MPI_Allgather(a, n, D, a, n, D, W); {call};", parameters)
    assert not found.exact
    assert not found.symmetric
    assert len(found.silent) == 1


@pytest.mark.parametrize(
    "call", ['printf("x")', "a = malloc(8)", "memset(a, 0, 8)", "n = atoi(s)", "a[0] = sqrt(a[1])"]
)
def test_the_c_library_sends_nothing(call: str) -> None:
    includes = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <math.h>\n"
    text = f"{includes}{HEAD}void f(double *a, int n, char *s) {{ MPI_Allgather(a, n, D, a, n, D, W); {call}; }}\n"
    facts = analyze_file(Path("f.c"), SourceOptions(), AnalysisOptions(), text=text)
    found = facts.functions[0].communication
    assert found is not None
    assert found.network.symmetric


def test_a_root_that_scatters_other_counts_than_it_gets_is_a_bound() -> None:
    body = "if (rank == 0) MPI_Scatter(a, n, D, b, n, D, 0, W); else MPI_Scatter(0, 0, D, b, n, D, 0, W);"
    assert not network(body).exact


def test_a_function_without_messages_has_no_communication() -> None:
    assert function("MPI_Barrier(W); for (int i = 0; i < n; i++) a[i] = rank;").communication is None


MODEL = ("Bcast", "Reduce", "Allreduce", "Gather", "Scatter", "Allgather", "Alltoall")
CALLS = {
    "Bcast": "MPI_Bcast(a, n, D, 0, W)",
    "Reduce": "MPI_Reduce(a, b, n, D, MPI_SUM, 0, W)",
    "Allreduce": "MPI_Allreduce(a, b, n, D, MPI_SUM, W)",
    "Gather": "MPI_Gather(a, n, D, b, n, D, 0, W)",
    "Scatter": "MPI_Scatter(a, n, D, b, n, D, 0, W)",
    "Allgather": "MPI_Allgather(a, n, D, b, n, D, W)",
    "Alltoall": "MPI_Alltoall(a, n, D, b, n, D, W)",
}


@pytest.mark.parametrize("call", MODEL)
@pytest.mark.parametrize("p", [1, 2, 3, 4, 7, 16])
def test_the_model_is_that_of_the_communication_aware_roofline(call: str, p: int) -> None:
    found = per_process(network(CALLS[call] + ";"), {"P": p, "n": 10})
    assert found is not None
    assert set(found.model) == {float(network_bytes(call, 80, p, "text"))}
    assert max(found.sent) <= max(found.model)


def test_sizes_and_ranks_are_those_of_the_loops() -> None:
    """`np` in a bound and the stages of a tree are one number, whatever the program calls it."""
    found = function("for (int k = 0; k < np - 1; k++) MPI_Bcast(a, n, D, 0, W);")
    trip = found.loops[0].counts.trip_count
    assert trip is not None
    assert trip.expr == parse("P - 1")
    loop = found.loops[0].network
    assert loop is not None
    assert evaluate(loop.model, {"n": 10, "P": 8, "ceil(log2 P)": 3}) == 7 * 3 * 80


def test_a_parameter_called_p_is_not_the_number_of_processes() -> None:
    found = network("MPI_Bcast(a, P, D, 0, W);", "double *a, double *b, int n, int P")
    numbers = per_process(found, {"P": 100, "P(MPI_COMM_WORLD)": 2})
    assert numbers is not None
    assert numbers.sent == (800, 0)
