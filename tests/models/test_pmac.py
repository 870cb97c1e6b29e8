"""PMaC: bandwidth curves with their range, the best device of each block, and what it does to an application."""

import itertools
import math
from pathlib import Path

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.accuracy import percentage_error
from models.errors import InputError
from models.pmac.blocks import Block, BlockError, NoCurveError, References, best_devices, block_time, choose
from models.pmac.curves import Curve, CurveError, Piece, SizeError, load_curves, printed_curves, through
from models.pmac.predicting import predict_block
from models.pmac.projection import CoverageError, Part, project, project_time
from models.prediction import Prediction, Refusal
from models.published import tables
from models.quantity import Range

PAPER = tables("pmac")
HC1 = printed_curves()["convey-hc1", "stream"]
quick = settings(derandomize=True, max_examples=80, deadline=None)
rates = st.floats(1e6, 1e12)
sizes = st.floats(1, 1e12)


@st.composite
def measured(draw: st.DrawFn, idiom: str = "stream") -> Curve:
    places = sorted(draw(st.lists(st.integers(6, 80), min_size=2, max_size=8, unique=True)))
    points = [(2.0 ** (place / 2), draw(rates)) for place in places]
    return through("here", idiom, points, source="drawn")  # type: ignore[arg-type]


# --- curves


def test_the_printed_curve() -> None:
    """Equation 2, in GB/s: 13.59 ln(RS) - 159.2 up to 4 194 304 bytes, 53.0 above."""
    for size in (122_333, 1e6, 4_194_304):
        assert HC1.bandwidth(size) == pytest.approx(1e9 * (13.59 * math.log(size) - 159.2), rel=1e-9)
    assert HC1.bandwidth(4_194_304) == pytest.approx(48.0e9, rel=1e-3)
    assert HC1.bandwidth(4_194_305) == HC1.bandwidth(1e12) == 53.0e9


@pytest.mark.parametrize("size", [122_332, 0, -1, math.nan, -math.inf, math.inf])
def test_sizes_outside_the_range_are_refused(size: float) -> None:
    with pytest.raises(SizeError, match=r"stream on convey-hc1.*outside the curve's range, 122333 B to any size"):
        HC1.bandwidth(size)
    with pytest.raises(SizeError, match="outside"):
        HC1.bandwidth(numpy.array([1e7, size, 1e8]))


def test_below_332_533_bytes_the_printed_fit_is_at_fault() -> None:
    """A sweep over x bytes takes x / bandwidth(x): least at x = e exp(159.2 / 13.59), as the file's note says."""
    turn = math.e * math.exp(159.2 / 13.59)
    assert round(turn) == 332_534

    def sweep(size: float) -> float:
        return float(size / HC1.bandwidth(size))

    assert sweep(turn / 2) > sweep(turn) < sweep(2 * turn)


@quick
@given(measured(), st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_arrays_give_what_numbers_give(curve: Curve, shares: list[float]) -> None:
    first, last = math.log(curve.first_bytes), math.log(curve.last_bytes)
    places = [min(max(math.exp(first + s * (last - first)), curve.first_bytes), curve.last_bytes) for s in shares]
    assert curve.bandwidth(numpy.array(places)) == pytest.approx([curve.bandwidth(place) for place in places])


@quick
@given(st.dictionaries(st.integers(3, 40), rates, min_size=2, max_size=8), st.randoms(use_true_random=False))
def test_a_curve_goes_through_its_points_in_any_order_and_stays_between_neighbours(
    drawn: dict[int, float], random: object
) -> None:
    points = [(2.0**place, rate) for place, rate in sorted(drawn.items())]
    shuffled = list(points)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    curve = through("here", "gather", shuffled, source="drawn")
    assert curve == through("here", "gather", points, source="drawn")
    rounding = 1e-12 * max(drawn.values())  # a small rate is the difference of two large numbers beside a large one
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        assert curve.bandwidth(x0) == pytest.approx(y0, rel=1e-9, abs=rounding)
        assert curve.bandwidth(math.sqrt(x0 * x1)) == pytest.approx((y0 + y1) / 2, rel=1e-9, abs=rounding)
    for outside in (points[0][0] * 0.999, points[-1][0] * 1.001):
        with pytest.raises(SizeError):
            curve.bandwidth(outside)


@quick
@given(st.lists(st.tuples(st.integers(3, 40), rates), min_size=2, max_size=8, unique_by=lambda p: p[0]))
def test_rising_measurements_give_a_rising_curve(drawn: list[tuple[int, float]]) -> None:
    places, heights = zip(*drawn, strict=True)
    points = [(2.0**place, rate) for place, rate in zip(sorted(places), sorted(heights), strict=True)]
    curve = through("here", "stream", points, source="drawn")
    sweep = numpy.geomspace(curve.first_bytes, curve.last_bytes, 200)[1:-1]
    assert (numpy.diff(curve.bandwidth(sweep)) >= -1e-6 * heights[0]).all()


@pytest.mark.parametrize(
    ("first", "pieces", "spread", "message"),
    [
        (1e3, [(1e9, -1e10)], 0, "not positive and finite"),
        (1e3, [(-1e9, 1e11)], 0, "not positive and finite"),  # falls below 0 without a last size
        (1e3, [(0, 1e9, 1e6), (0, 1e9, 1e5)], 0, "sizes must rise"),
        (1e6, [(0, 1e9, 1e6)], 0, "sizes must rise"),
        (0, [(0, 1e9)], 0, "first_bytes must be positive"),
        (math.nan, [(0, 1e9)], 0, "first_bytes must be positive"),
        (1e3, [], 0, "there must be a piece"),
        (1e3, [(0, math.nan)], 0, "not positive and finite"),
        (1e3, [(0, 1e9)], 1, "spread is 1"),
        (1e3, [(0, 1e9)], math.nan, "spread is nan"),
    ],
)
def test_impossible_curves_are_refused(
    first: float, pieces: list[tuple[float, ...]], spread: float, message: str
) -> None:
    with pytest.raises(CurveError, match=message):
        Curve("d", "stream", first, tuple(Piece(*p) for p in pieces), "measured", "a test", spread)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([(1e3, 1e9)], "two measured sizes"),
        ([(1e3, 1e9), (1e3, 2e9)], "given twice"),
        ([(1e3, 1e9), (1e4, 0)], "positive numbers"),
        ([(1e3, 1e9), (math.nan, 1e9)], "positive numbers"),
    ],
)
def test_measurements_that_make_no_curve(points: list[tuple[float, float]], message: str) -> None:
    with pytest.raises(CurveError, match=message):
        through("d", "stream", points, source="a test")


FILE = """[[curve]]
device = "mine"
idiom = "gather"
unit = "MB/s"
first_bytes = 1024
kind = "measured"
source = "a test"
[[curve.piece]]
slope = 10
intercept = 100
last_bytes = 1e6
"""


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "curves.toml"
    path.write_text(FILE, encoding="utf-8")
    curve = load_curves(path)["mine", "gather"]
    assert curve.bandwidth(2048) == pytest.approx(1e6 * (10 * math.log(2048) + 100))
    assert (curve.first_bytes, curve.last_bytes, curve.kind) == (1024, 1e6, "measured")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"gather"', '"gather-scatter"', "gather-scatter"),
        ('"MB/s"', '"ms"', "'ms' is no unit of a data rate"),
        ("slope", "slpe", "slpe"),
        ('"a test"', '""', "source is empty"),
        ('"measured"', '"guessed"', "guessed"),
        ("slope = 10", 'slope = "10"', "float"),
        ("intercept = 100", "intercept = -1000", "not positive"),
        ("[[curve]]", "[[curve]", "."),
        (FILE, FILE * 2, "two curves"),
    ],
)
def test_files_that_break_the_rules(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "curves.toml"
    path.write_text(FILE.replace(old, new), encoding="utf-8")
    with pytest.raises(CurveError, match=rf"curves\.toml: .*{message}"):
        load_curves(path)


def test_a_million_sizes_at_once() -> None:
    found = HC1.bandwidth(numpy.linspace(2e5, 1e9, 1_000_000))
    assert found.shape == (1_000_000,)
    assert (found > 0).all()


# --- blocks


def block(name: str = "a.c:3", count: float = 1e9, footprint: float = 8e6, idiom: str = "stream") -> Block:
    return Block(name, (References(idiom, count, 8, footprint),))  # type: ignore[arg-type]


def test_memory_time_is_bytes_over_bandwidth_summed_over_idioms() -> None:
    gather = through("convey-hc1", "gather", [(1e3, 1e9), (1e9, 2e9)], source="a test")
    curves = {**printed_curves(), ("convey-hc1", "gather"): gather}
    both = Block("a.c:3", (References("stream", 1e9, 8, 8e6), References("gather", 1e6, 4, 1e6)))
    expected = 8e9 / 53e9 + 4e6 / gather.bandwidth(1e6)
    assert block_time(both, "convey-hc1", curves).likely == pytest.approx(expected)


def test_the_range_is_the_spread_of_the_curve() -> None:
    """The printed stream loop of HMMER: 337.0 s predicted, 384.7 s measured, at the edge of the range."""
    time = block_time(block(), "convey-hc1", printed_curves())
    row = PAPER["hmmer_loops"].row(idiom="stream", device="fpga")
    assert time.low < time.likely < time.high
    assert time.high / time.likely == pytest.approx(row["measured"] / row["predicted"], rel=1e-3)


def test_no_references_take_no_time_whatever_the_footprint() -> None:
    assert block_time(block(count=0, footprint=0), "convey-hc1", printed_curves()) == Range(0, 0, 0)


def test_transfers_are_added_only_when_asked_for() -> None:
    link = through("convey-hc1", "transfer", [(1e3, 1e9), (1e9, 1e9)], source="a test")
    curves = {**printed_curves(), ("convey-hc1", "transfer"): link}
    moved = Block("a.c:3", block().references, transfer_bytes=1e6)
    without = block_time(moved, "convey-hc1", curves).likely
    assert without == block_time(block(), "convey-hc1", curves).likely
    assert block_time(moved, "convey-hc1", curves, transfers=True).likely == pytest.approx(without + 1e-3)
    with pytest.raises(NoCurveError, match="no bandwidth curve of transfer"):
        block_time(moved, "convey-hc1", printed_curves(), transfers=True)


@pytest.mark.parametrize("numbers", [(-1, 8, 8), (1, math.nan, 8), (1, 8, math.inf)])
def test_impossible_references_are_refused(numbers: tuple[float, float, float]) -> None:
    with pytest.raises(BlockError, match="references is"):
        References("stream", *numbers)
    with pytest.raises(BlockError, match="transfer_bytes"):
        Block("b", (), -1)


def test_each_block_gets_its_best_device_and_the_reason_why_not_the_others() -> None:
    cpu = through("cpu", "stream", [(1e3, 9e9), (1e10, 9e9)], source="a test")
    curves = {**printed_curves(), ("cpu", "stream"): cpu}
    answer = best_devices(
        [block("large", footprint=8e6), block("tiny", footprint=5e3)], ["cpu", "convey-hc1", "gpu"], curves
    )
    large, tiny = answer.choices
    assert (large.device, tiny.device) == ("convey-hc1", "cpu")
    assert "outside the curve's range" in tiny.refused["convey-hc1"]
    assert "no bandwidth curve of stream" in tiny.refused["gpu"]
    assert answer.total.likely == pytest.approx(8e9 / 53e9 + 8e9 / 9e9)
    assert set(answer.alone) == {"cpu"}, "only the CPU can run both"
    assert answer.alone["cpu"].likely == pytest.approx(2 * 8e9 / 9e9)


def test_with_a_host_the_others_pay_their_transfers() -> None:
    def flat(device: str, idiom: str, rate: float) -> Curve:
        return through(device, idiom, [(1, rate), (1e12, rate)], source="a test")  # type: ignore[arg-type]

    known = [flat("cpu", "stream", 9e9), flat("gpu", "stream", 90e9), flat("gpu", "transfer", 1e9)]
    curves = {(curve.device, curve.idiom): curve for curve in known}
    moved = [Block("b", (References("stream", 1e6, 8, 8e6),), transfer_bytes=8e6)]
    assert best_devices(moved, ["cpu", "gpu"], curves).choices[0].device == "gpu"
    assert best_devices(moved, ["cpu", "gpu"], curves, host="cpu").choices[0].device == "cpu"


def test_a_block_for_no_device_is_refused_with_all_reasons() -> None:
    with pytest.raises(BlockError, match=r"b: no device can run it: .*outside.*; gpu has no bandwidth curve of stream"):
        best_devices([block("b", footprint=10)], ["convey-hc1", "gpu"], printed_curves())
    with pytest.raises(BlockError, match="no device given"):
        best_devices([block("b")], [], printed_curves())
    with pytest.raises(BlockError, match="two blocks are called b"):
        best_devices([block("b"), block("b")], ["convey-hc1"], printed_curves())


@quick
@given(
    st.lists(st.lists(st.floats(0, 1e6), min_size=3, max_size=3), min_size=1, max_size=8),
    st.randoms(use_true_random=False),
)
def test_neither_the_order_of_blocks_nor_of_devices_matters(rows: list[list[float]], random: object) -> None:
    table = {
        f"b{i}": {device: Range(t, t, 2 * t) for device, t in zip("cfg", row, strict=True)}
        for i, row in enumerate(rows)
    }
    blocks = list(table)
    random.shuffle(blocks)  # type: ignore[attr-defined]
    turned = {name: dict(reversed(table[name].items())) for name in blocks}
    first, second = choose(table), choose(turned)
    assert (first.total, first.alone) == (second.total, second.alone)
    assert {c.block: c.device for c in first.choices} == {c.block: c.device for c in second.choices}
    assert all(first.total.likely <= alone.likely for alone in first.alone.values())
    assert first.total.likely == pytest.approx(sum(map(min, rows)))


@quick
@given(measured(), st.floats(1, 1e9), st.floats(1, 8))
def test_more_references_never_take_less_time_nor_does_less_bandwidth(curve: Curve, count: float, more: float) -> None:
    def time(references: float, slower: float = 1) -> float:
        points = [(size, curve.bandwidth(size) / slower) for size in (curve.first_bytes, curve.last_bytes)]
        known = {("here", "stream"): through("here", "stream", points, source="drawn")}
        return block_time(block(count=references, footprint=curve.first_bytes), "here", known).likely

    assert time(count) <= time(count * more)
    assert time(count) <= time(count, slower=more)


def test_a_prediction_carries_its_arithmetic() -> None:
    answer = predict_block(block(), "convey-hc1", printed_curves())
    assert isinstance(answer, Prediction)
    assert answer.time == answer.memory == block_time(block(), "convey-hc1", printed_curves())
    assert (answer.model, answer.bound, answer.formulas.at({})) == ("pmac", "memory", answer.time)
    values = {term.name: term.value for term in answer.terms}
    assert values == pytest.approx({"moved": 8e9, "B_stream": 53e9, "t_stream": 8e9 / 53e9})
    assert any("published, PMaC idioms" in term.source for term in answer.terms)
    small = predict_block(block(footprint=1e6), "convey-hc1", printed_curves())
    assert isinstance(small, Prediction)
    assert "1.359e+10*ln(1000000)" in next(term.expr for term in small.terms if term.name == "B_stream")


def test_a_prediction_with_transfers_names_what_bounds_it() -> None:
    link = through("convey-hc1", "transfer", [(1e3, 1e9), (1e9, 1e9)], source="a test")
    curves = {**printed_curves(), ("convey-hc1", "transfer"): link}
    moved = Block("a.c:3", block().references, transfer_bytes=5e8)
    answer = predict_block(moved, "convey-hc1", curves, transfers=True)
    assert isinstance(answer, Prediction)
    assert answer.bound == "transfer"
    assert answer.transfer == Range(0.5, 0.5, 0.5)
    assert answer.time == block_time(moved, "convey-hc1", curves, transfers=True)


@pytest.mark.parametrize(("idiom", "footprint"), [("gather", 8e6), ("stream", 10)])
def test_where_no_curve_answers_there_is_a_refusal(idiom: str, footprint: float) -> None:
    answer = predict_block(block(idiom=idiom, footprint=footprint), "convey-hc1", printed_curves())
    assert isinstance(answer, Refusal)
    assert answer.code == "no-device-figure"
    assert idiom in answer.message


# --- applications


@pytest.mark.parametrize(("application", "percent", "printed"), [("HYCOM", 19.96, 20), ("MILC", 3.38, 3.4)])
def test_improvement_of_whole_applications(application: str, percent: float, printed: float) -> None:
    """Tables V to IX: coverage on 256 processes and seconds of the idioms, CPU and optimal."""
    parts = []
    for idiom in ("gather/scatter", "stream"):
        coverage = PAPER["coverage"].row(application=application, processes=256, idiom=idiom)["coverage"] / 100
        cpu = PAPER["idiom_times"].row(application=application, idiom=idiom)["cpu"]
        best = PAPER["best_times"].row(application=application, idiom=idiom)["all"]
        parts.append(Part(coverage, cpu / best))
    assert 100 * project(parts).improvement == pytest.approx(percent, abs=0.005)
    assert PAPER["improvement"].row(application=application)["improvement"] == printed
    assert 100 * project(parts).improvement == pytest.approx(printed, abs=0.05)


@pytest.mark.parametrize(
    ("application", "coverages", "percent"), [("HYCOM", (4.58, 16.77), 19.81), ("MILC", (0.69, 3.02), 3.39)]
)
def test_coverage_follows_from_times_and_processes(
    application: str, coverages: tuple[float, float], percent: float
) -> None:
    """published_tables.md, C4: idiom seconds over 256 times the predicted run time of Table III."""
    run = PAPER["runs"].row(application=application, processes=256)["predicted"]
    parts = []
    for idiom, coverage in zip(("gather/scatter", "stream"), coverages, strict=True):
        cpu = PAPER["idiom_times"].row(application=application, idiom=idiom)["cpu"]
        parts.append(
            Part(cpu / (256 * run), cpu / PAPER["best_times"].row(application=application, idiom=idiom)["all"])
        )
        assert 100 * parts[-1].coverage == pytest.approx(coverage, abs=0.005)
    assert 100 * project(parts).improvement == pytest.approx(percent, abs=0.005)


def test_graph500() -> None:
    """1313.92 s of 5980 s at 98 times: 4679.5 s, measured 4686; the predictions imply 1101.5 s of make_bfs."""
    measured, predicted = (PAPER["graph500"].row(figures=figures) for figures in ("measured", "predicted"))
    part = PAPER["graph500_part"].rows[0]["part"]
    assert project_time(measured["total"], [(part, measured["speedup"])]) == pytest.approx(4679.5, abs=0.05)
    implied = (predicted["total"] - predicted["ported_total"]) / (1 - 1 / predicted["speedup"])
    assert implied == pytest.approx(1101.5, abs=0.05)
    ported = project_time(predicted["total"], [(implied, predicted["speedup"])])
    assert ported == pytest.approx(predicted["ported_total"])
    assert percentage_error(measured["ported_total"], ported) == pytest.approx(1.5, abs=0.05)
    assert 100 * (1 - ported / predicted["total"]) == pytest.approx(18.64, abs=0.005)
    assert 100 * (1 - measured["ported_total"] / measured["total"]) == pytest.approx(21.64, abs=0.005)


def test_idioms_alone_on_a_device_and_by_block() -> None:
    """Sums of Tables VI to IX; HYCOM's CPU total is 329 s less than printed."""
    for application, cpu in (("HYCOM", 36_227), ("MILC", 12_828)):
        rows = [row for row in PAPER["idiom_times"].rows if row["application"] == application]
        answer = choose(
            {row["idiom"]: {d: Range(row[d], row[d], row[d]) for d in ("cpu", "fpga", "gpu")} for row in rows}
        )
        assert answer.alone["cpu"].likely == cpu
        assert {choice.device for choice in answer.choices} == {"fpga"}
        best = [row["all"] for row in PAPER["best_times"].rows if row["application"] == application]
        assert sum(best) <= answer.total.likely, "blocks choose more finely than idioms"


@pytest.mark.parametrize("row", PAPER["hmmer_loops"].rows, ids=lambda row: f"{row['idiom']} {row['device']}")
def test_errors_of_single_loops(row: dict[str, float]) -> None:
    computed = {12.3: 12.4, 0.3: 0.5, 17.3: 17.6}[row["printed_error"]]
    assert percentage_error(row["measured"], row["predicted"]) == pytest.approx(computed, abs=0.05)


parts = st.lists(st.tuples(st.floats(0, 0.2), st.floats(0.01, 1e6)), max_size=5).map(lambda ps: [Part(*p) for p in ps])


@quick
@given(parts, st.floats(1, 100))
def test_projection_is_amdahls(known: list[Part], faster: float) -> None:
    answer = project(known)
    assert answer.remaining == pytest.approx(1 - sum(p.coverage * (1 - 1 / p.speedup) for p in known))
    assert answer.improvement <= answer.limit + 1e-12
    assert project(reversed(known)) == answer
    better = project([Part(p.coverage, p.speedup * faster) for p in known])
    assert better.improvement >= answer.improvement - 1e-12
    assert better.limit == answer.limit


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ([Part(0.6, 2), Part(0.6, 2)], "cover 120 %"),
        ([Part(-0.1, 2)], "0 to 1: -0.1"),
        ([Part(math.nan, 2)], "0 to 1: nan"),
        ([Part(0.5, 0)], "a speedup is positive"),
        ([Part(0.5, math.nan)], "a speedup is positive"),
    ],
)
def test_parts_that_make_no_application(known: list[Part], message: str) -> None:
    with pytest.raises(CoverageError, match=message):
        project(known)


def test_projections_of_no_time_and_of_everything() -> None:
    with pytest.raises(InputError, match="positive"):
        project_time(0, [])
    assert project([]).improvement == 0
    assert project([Part(0.1, 4)] * 10).speedup == pytest.approx(4), "ten tenths are one"
    assert project([Part(1, math.inf)]).speedup == math.inf
