"""Pictures of the other models: their values where the models have them."""

import itertools
import math
from collections.abc import Callable

import pytest

from models.communication import ALGORITHMS, Point, attainable, paper_cache, systems
from models.lslag.architecture import printed, wall_time
from models.lslag.fitting import evaluate
from models.lslag.protocol import gammas, profiled, sizes
from models.perdome import bounds, code_partition, printed_processor, shares
from models.plots.chart import Chart
from models.plots.curves import bandwidths
from models.plots.lslag import meshes
from models.plots.page import picture
from models.plots.perdome import csv, partitions
from models.plots.rooflines import rooflines
from models.plots.surface import Surface
from models.pmac.curves import printed_curves, through

CPU, GPU = printed_processor("i7-2600k"), printed_processor("gtx750")


def test_perdome_has_two_of_four_quarters() -> None:
    chart, surface = partitions(CPU, GPU, 1.7, bounds(CPU, GPU, 1.7, code=shares(1.7, 0.1, 2.0)))
    assert chart.cells is not None
    known = [(i, j) for i, row in enumerate(surface.values) for j, value in enumerate(row) if value is not None]
    assert len(known) == 2 * 32 * 32  # lemma 2
    for i, j in known[::150]:
        expected = code_partition(CPU.likely, GPU.likely, 1.7, surface.xs[i], surface.ys[j])
        assert surface.values[i][j] == pytest.approx(expected)
    points = {point.label: (point.x, point.y, point.z) for point in surface.points}
    assert points["CP"] == (pytest.approx(0.1), pytest.approx(2.0), pytest.approx(136.4e9, rel=1e-3))
    assert points["p-DP"] == (pytest.approx(1.7), pytest.approx(1.7), pytest.approx(128.5e9, rel=1e-3))
    assert "CPU-only" not in points  # an intensity of 0 has no place on a logarithmic axis


def test_perdome_as_a_table() -> None:
    head, *rows = csv(CPU, GPU, 1.7).splitlines()
    assert head == "cpu_intensity,gpu_intensity,flops_per_s"
    assert len(rows) == 64 * 64


def test_rooflines_bend_at_the_ridge_and_their_surface_is_the_model() -> None:
    karst = systems()["karst"]
    work = ALGORITHMS["summa"].work({"N": 1024.0}, 121, paper_cache())
    point = Point("summa", karst, {"N": 1024.0, "P": 121}, work, float(work.oi), float(work.cai))
    over_oi, over_cai, surface = rooflines([karst], [point])
    assert isinstance(over_oi, Chart)
    assert isinstance(over_cai, Chart)
    assert isinstance(surface, Surface)
    for chart, ridge in ((over_oi, karst.ridge_oi), (over_cai, karst.ridge_cai)):
        (roof,) = chart.curves
        assert (ridge, karst.peak) in [(x, pytest.approx(y)) for x, y in roof.points]
        assert max(y for _, y in roof.points) == pytest.approx(karst.peak)
    for i, j in itertools.product(range(0, len(surface.xs), 9), range(0, len(surface.ys), 9)):
        assert surface.values[i][j] == pytest.approx(attainable(karst, surface.xs[i], surface.ys[j]))
    assert [dot.z for dot in surface.points] == [pytest.approx(1.2e9 * point.cai)]


def test_the_creases_of_a_roof_run_through_its_grid() -> None:
    big = systems()["big-red-ii"]
    *_, surface = rooflines([big], [])
    assert isinstance(surface, Surface)
    assert any(x == pytest.approx(big.ridge_oi) for x in surface.xs)
    assert any(y == pytest.approx(big.ridge_cai) for y in surface.ys)
    assert surface.xs[1] / surface.xs[0] == pytest.approx(surface.ys[1] / surface.ys[0])


def test_a_system_that_sends_nothing_has_no_dot_over_cai() -> None:
    karst = systems()["karst"]
    over_oi, over_cai, surface = rooflines([karst], [Point("given", karst, {}, None, 2.0, math.inf)])
    assert isinstance(over_oi, Chart)
    assert isinstance(over_cai, Chart)
    assert isinstance(surface, Surface)
    assert (len(over_oi.marks), len(over_cai.marks), len(surface.points)) == (1, 0, 0)


def test_meshes_are_the_fitted_model_with_the_measured_means() -> None:
    lslag, lsla, lines = meshes(evaluate(profiled(printed("B2"), noise=0.05)))
    assert isinstance(lslag, Surface)
    assert isinstance(lsla, Surface)
    assert isinstance(lines, Chart)
    assert (lslag.xs, lslag.ys) == (gammas(), sizes())
    assert len(lslag.points) == len(gammas()) * len(sizes())
    assert lslag.mesh
    exact = meshes(evaluate(profiled(printed("B2"))))[0]
    assert isinstance(exact, Surface)
    for (i, gamma), (j, size) in itertools.product(enumerate(exact.xs), enumerate(exact.ys)):
        assert exact.values[i][j] == pytest.approx(float(wall_time(printed("B2"), gamma, size)), rel=1e-6)
    assert [curve.name for curve in lines.curves] == [f"gamma {gamma}" for gamma in gammas()]


def test_bandwidth_curves_break_where_they_jump() -> None:
    curve = printed_curves()["convey-hc1", "stream"]
    mine = through("mine", "stream", [(1e6, 40e9), (1e9, 10e9)], source="a test")
    chart = bandwidths("stream", [curve, mine], asked=[1e6, 1e5])
    fit, plateau, measured = chart.curves
    assert fit.points[-1] == (4194304, pytest.approx(48.04e9, rel=1e-3))
    assert plateau.points[0] == (4194304, 53e9)
    assert plateau.points[-1][0] == 1e9  # as far as the others
    assert measured.points[0] == (1e6, pytest.approx(40e9))
    assert [(mark.x, mark.label) for mark in chart.marks] == [
        (1e6, "28.55 GB/s"),
        (1e6, "40 GB/s"),
    ]  # not below its range
    assert not chart.y.log


@pytest.mark.parametrize(
    "figures",
    [
        lambda: partitions(CPU, GPU, 4.4, bounds(CPU, GPU, 4.4)),
        lambda: rooflines(list(systems().values()), []),
        lambda: meshes(evaluate(profiled(printed("M3"), noise=0.02))),
        lambda: (bandwidths("stream", printed_curves().values()),),
    ],
    ids=["perdome", "rooflines", "meshes", "bandwidths"],
)
def test_nothing_leaves_the_picture(figures: Callable[[], tuple[Chart | Surface, ...]]) -> None:
    for figure in figures():
        drawn = picture(figure)
        for part in drawn.parts:
            for x, y in getattr(part, "points", ()) or ((getattr(part, "x", 0), getattr(part, "y", 0)),):
                assert -1 <= x <= drawn.width + 1
                assert -1 <= y <= drawn.height + 1
