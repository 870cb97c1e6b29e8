"""The communication-aware roofline: ridge points, the intensities of Table 2.4, network bytes, and order."""

import math

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models import roofline
from models.accuracy import improvement, mape
from models.communication import (
    ALGORITHMS,
    Cache,
    System,
    Work,
    attainable,
    limit,
    network_bytes,
    paper_cache,
    systems,
    time,
    time_with_latency,
    tree_stages,
)
from models.errors import InputError
from models.published import tables

SYSTEMS = systems()
CACHE = paper_cache()


def test_ridge_points() -> None:
    ends = {"big-red-ii": (1.097, 2.579), "karst": (1.583, 18.33), "jetstream": (3.313, 127.6)}
    for name, (oi, cai) in ends.items():
        assert SYSTEMS[name].ridge_oi == pytest.approx(oi, abs=0.0005)
        assert SYSTEMS[name].ridge_cai == pytest.approx(cai, rel=0.0005)
        assert roofline.ridge_point(SYSTEMS[name].peak, SYSTEMS[name].memory) == SYSTEMS[name].ridge_oi


# Table 2.4 reduced by hand, for one size; the OI of SUMMA, MST and Dijkstra per byte of doubles
N, P, V, E, B, M = 4096, 64, 2.0**16, 2.0**20, 8, 2048
LOG_P = 6
REDUCED = {
    "summa": (
        (2 * N**3 + 2 * N**2) / (8 * B * (1 + N**2 / B + N**3 / (B * math.sqrt(M)))),
        (N + 1) / (8 * math.sqrt(P) * (LOG_P / 2)),
    ),
    "dgemv": ((2 * N**2 + 2 * N) / (8 * N**2 + 24 * N), (N + 1) / (4 * (P - 1))),
    "ddot": ((2 * N / P - 1) / (16 * N / P + 8), (2 * N / P - 1) / (8 * LOG_P)),
    "fft": (5 * 12 / 48, 5 * 12 / (32 * LOG_P)),
    "stencil": (4 / 56, (N - 2) ** 2 / (8 * N * P)),
    "mst": (1 / (8 * math.log(E / B, M / B)), (E / V) / (12 * P * (LOG_P / 2 + 1))),
    "dijkstra": (
        (E + V * 16) / (8 * B * (V + (E / B) * 13)),
        ((E + V * 16) / P) / (16 * V * LOG_P + 4 * (V / P) * LOG_P),
    ),
}


@pytest.mark.parametrize("name", REDUCED)
def test_intensities_of_table_2_4(name: str) -> None:
    algorithm = ALGORITHMS[name]
    sizes = {"N": N} if algorithm.sizes == ("N",) else {"V": V, "E": E}
    work = algorithm.work(sizes, P, CACHE)
    assert (work.oi, work.cai) == pytest.approx(REDUCED[name])


def test_all_seven_are_there() -> None:
    assert set(ALGORITHMS) == set(REDUCED) == {row["algorithm"] for row in tables("communication")["sizes"].rows}


def test_operational_intensity_of_summa_over_the_tested_sizes() -> None:
    """9.6 to 11.3 per byte; the text's "approximately the value 8" is not met."""
    work = ALGORITHMS["summa"].work({"N": numpy.array([242.0, 61952.0])}, 121, CACHE)
    assert work.oi == pytest.approx([9.6, 11.3], abs=0.05)


def test_limits_of_large_problems() -> None:
    big = {"N": 2.0**30}
    assert ALGORITHMS["dgemv"].work(big, 128, CACHE).oi == pytest.approx(1 / 4)
    assert ALGORITHMS["ddot"].work(big, 128, CACHE).oi == pytest.approx(1 / 8)


def test_stages_of_the_table_and_of_the_text() -> None:
    assert tree_stages(128, "table") == tree_stages(128, "text") == 7
    assert tree_stages(100, "table") == pytest.approx(6.644, abs=0.001)
    assert tree_stages(100, "text") == 7
    table, text = (ALGORITHMS["ddot"].work({"N": 2.0**20}, 100, CACHE, rule) for rule in ("table", "text"))
    assert text.network_bytes == 56
    assert table.network_bytes < text.network_bytes


@pytest.mark.parametrize("name", ALGORITHMS)
def test_arrays_give_what_numbers_give(name: str) -> None:
    algorithm = ALGORITHMS[name]
    axis = numpy.array([2.0**10, 2.0**14, 2.0**20])
    sizes = {size: axis * (16 if size == "E" else 1) for size in algorithm.sizes}
    for rule in ("table", "text"):
        together = algorithm.work(sizes, 16, CACHE, rule)
        for index in range(3):
            alone = algorithm.work({size: float(values[index]) for size, values in sizes.items()}, 16, CACHE, rule)
            found = tuple(numpy.broadcast_to(part, 3)[index] for part in (together.oi, together.cai))
            assert found == pytest.approx((alone.oi, alone.cai))


def test_a_million_points_at_once() -> None:
    work = ALGORITHMS["summa"].work({"N": numpy.geomspace(242, 61952, 10**6)}, 121, CACHE)
    found = attainable(SYSTEMS["karst"], work.oi, work.cai)
    assert found.shape == (10**6,)
    assert (numpy.diff(found) >= -1e-3).all()


# --- roofs


def test_each_roof_in_turn() -> None:
    karst = SYSTEMS["karst"]
    assert attainable(karst, 100, math.inf) == 22e9
    assert attainable(karst, 1, math.inf) == 13.9e9
    assert attainable(karst, 2, 5) == 6e9
    assert [limit(karst, *point) for point in ((100, math.inf), (1, math.inf), (2, 5))] == [
        "compute", "memory", "network",
    ]  # fmt: skip


def test_the_two_charts_are_the_edges_of_the_surface() -> None:
    karst, axis = SYSTEMS["karst"], numpy.geomspace(0.01, 1000, 200)
    surface = attainable(karst, axis[:, None], axis[None, :])
    assert surface[:, -1] == pytest.approx(roofline.attainable(karst.peak, karst.memory, axis))
    assert surface[-1, :] == pytest.approx(roofline.attainable(karst.peak, karst.network, axis))


def test_without_messages_it_is_the_plain_roofline() -> None:
    work = ALGORITHMS["ddot"].work({"N": 1024}, 1, CACHE)
    karst = SYSTEMS["karst"]
    assert work.cai == math.inf
    assert attainable(karst, work.oi, work.cai) == roofline.attainable(karst.peak, karst.memory, work.oi)
    many = attainable(karst, numpy.array([1.0, 1.0]), numpy.array([math.inf, 1.0]))
    assert list(many) == [13.9e9, 1.2e9]


rates = st.floats(1e6, 1e12)
amounts = st.floats(0, 1e15)


@given(rates, rates, rates, amounts, amounts, amounts, st.floats(1, 10))
def test_time_never_falls_when_work_grows_or_bandwidth_shrinks(
    peak: float, memory: float, network: float, flops: float, read: float, sent: float, factor: float
) -> None:
    base = time(System("s", "s", peak, memory, network, ""), Work(flops, read, sent))
    assert base >= 0
    for rate in ((factor, 1, 1), (1, factor, 1), (1, 1, factor)):
        slower = System("s", "s", peak / rate[0], memory / rate[1], network / rate[2], "")
        more = Work(flops * rate[0], read * rate[1], sent * rate[2])
        assert time(slower, Work(flops, read, sent)) >= base * (1 - 1e-12)
        assert time(System("s", "s", peak, memory, network, ""), more) >= base * (1 - 1e-12)


@given(rates, rates, rates, st.floats(1, 1e15), st.floats(1, 1e15), st.floats(1, 1e15))
def test_time_is_flops_over_what_is_attainable(
    peak: float, memory: float, network: float, flops: float, read: float, sent: float
) -> None:
    system, work = System("s", "s", peak, memory, network, ""), Work(flops, read, sent)
    assert time(system, work) == pytest.approx(flops / attainable(system, work.oi, work.cai))


@pytest.mark.parametrize("name", ALGORITHMS)
def test_larger_problems_never_take_less_time(name: str) -> None:
    algorithm = ALGORITHMS[name]
    axis = 2.0 ** numpy.arange(8, 28)
    sizes = {size: axis * (8 if size == "E" else 1) for size in algorithm.sizes}
    assert (numpy.diff(time(SYSTEMS["jetstream"], algorithm.work(sizes, 64, CACHE))) >= 0).all()


# --- refusals


@pytest.mark.parametrize(
    ("name", "sizes", "processes", "reason"),
    [
        ("summa", {"N": 100}, 128, "a square number of processes"),
        ("summa", {"N": -5}, 121, "N is -5"),
        ("summa", {"N": math.nan}, 121, "not finite"),
        ("summa", {"V": 5, "E": 5}, 121, "needs the sizes N"),
        ("stencil", {"N": 2}, 4, "too small"),
        ("fft", {"N": 1}, 4, "too small"),
        ("ddot", {"N": 3}, 4, "too small"),
        ("mst", {"V": 100, "E": 8}, 4, "too small"),
        ("dgemv", {"N": 100}, 0, "number of processes"),
    ],
)
def test_sizes_for_which_a_formula_does_not_hold(
    name: str, sizes: dict[str, float], processes: int, reason: str
) -> None:
    with pytest.raises(InputError, match=reason):
        ALGORITHMS[name].work(sizes, processes, CACHE)


def test_rates_and_intensities_that_are_none() -> None:
    with pytest.raises(InputError, match="the network bandwidth is 0"):
        System("s", "s", 1, 1, 0, "")
    with pytest.raises(InputError, match="operational intensity is -1"):
        attainable(SYSTEMS["karst"], -1, 1)
    with pytest.raises(InputError, match="communication intensity is nan"):
        attainable(SYSTEMS["karst"], 1, math.nan)
    with pytest.raises(InputError, match="communication intensity is nan"):
        attainable(SYSTEMS["karst"], 1, numpy.array([1.0, math.nan]))
    with pytest.raises(InputError, match="no two lines"):
        Cache(8, 8)


# --- MPI calls


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("MPI_Send", 1000),
        ("MPI_Isend", 1000),
        ("MPI_Recv", 1000),
        ("MPI_Sendrecv", 2000),
        ("MPI_Bcast", 7000),
        ("MPI_Reduce", 7000),
        ("MPI_Iallreduce", 7000),
        ("MPI_Allgather", 99000),
        ("MPI_Gather", 99000),
        ("MPI_Scatter", 99000),
        ("MPI_Alltoall", 99000),
        ("MPI_Barrier", 0),
    ],
)
def test_network_bytes_of_calls(call: str, expected: int) -> None:
    assert network_bytes(call, 1000, 100) == expected


def test_the_table_follows_from_the_calls() -> None:
    """SUMMA: √P broadcasts in rows and columns; DGEMV: an Allgather of N/P doubles; DDOT: an Allreduce of one."""
    side = math.isqrt(P)
    summa = 2 * side * network_bytes("MPI_Bcast", 8 * (N / side) ** 2, side, "table")
    assert ALGORITHMS["summa"].work({"N": N}, P, CACHE).network_bytes == pytest.approx(summa)
    dgemv = network_bytes("MPI_Allgather", 8 * N / P, P, "table")
    assert ALGORITHMS["dgemv"].work({"N": N}, P, CACHE).network_bytes == pytest.approx(dgemv)
    ddot = network_bytes("MPI_Allreduce", 8, P, "table")
    assert ALGORITHMS["ddot"].work({"N": N}, P, CACHE).network_bytes == pytest.approx(ddot)
    stencil = 2 * network_bytes("MPI_Sendrecv", 8 * N, P)
    assert ALGORITHMS["stencil"].work({"N": N}, P, CACHE).network_bytes == stencil


def test_calls_without_a_rule_are_refused() -> None:
    with pytest.raises(InputError, match="no rule for the network bytes of MPI_Alltoallv"):
        network_bytes("MPI_Alltoallv", 8, 4)
    with pytest.raises(InputError, match="the message is -8"):
        network_bytes("MPI_Send", -8, 4)


# --- accuracy


def test_mean_error_and_improvement() -> None:
    assert mape([100, 200], [110, 100]) == pytest.approx(30)
    assert improvement(50, 10) == 80
    assert improvement(10, 12) == pytest.approx(-20)
    with pytest.raises(InputError, match="no mean error"):
        mape([1], [])
    with pytest.raises(InputError, match="measured is 0"):
        mape([0], [1])


def test_a_message_takes_its_latency_and_then_its_bytes() -> None:
    lan = System("lan", "LAN", 10e9, 5e9, 0.1e9, "test", latency=20e-6)
    assert time_with_latency(lan, Work(0.0, 0.0, 1000.0, 3.0)) == pytest.approx(70e-6)
    assert time_with_latency(lan, Work(1e9, 0.0, 1000.0, 3.0)) == pytest.approx(0.1), "arithmetic takes longer"
    assert time_with_latency(lan, Work(0.0, 0.0, 1000.0)) == time(lan, Work(0.0, 0.0, 1000.0))
    assert time_with_latency(SYSTEMS["karst"], Work(0.0, 0.0, 1000.0, 3.0)) is None, "nobody measured it there"
    with pytest.raises(InputError, match="latency"):
        System("lan", "LAN", 10e9, 5e9, 0.1e9, "test", latency=-1.0)
