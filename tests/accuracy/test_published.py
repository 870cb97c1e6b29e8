"""Published times: each row is sound and has a source, none is a figure of its own device's file, and the page is made
of them."""

import pytest

from analyzer.facts.loop import FunctionFacts
from models.catalogue import Device, find_device
from models.extended.residuals import GPU_DATA

from .join import statistics
from .predict import facts_of
from .published import RATES, ROOT, SOURCE, TIMES, Judged, Row, Table, beyond, judged, part, tables
from .published_page import PAGE_NAME, worst

EVERYTHING = [(table, row) for table in tables() for row in table.rows]
SEEN = {"low": 0.05, "high": 0.1}


@pytest.fixture(scope="module")
def found() -> list[Judged]:
    return list(judged())


@pytest.fixture(scope="module")
def functions() -> dict[str, FunctionFacts]:
    return {f.function.name: f for f in facts_of(SOURCE).functions}


def test_there_are_enough() -> None:
    assert len(EVERYTHING) >= 100
    assert len({row.device for _, row in EVERYTHING}) >= 8


def test_each_row_has_a_source_a_device_and_the_sizes_of_its_kernel(functions: dict[str, FunctionFacts]) -> None:
    for table, row in EVERYTHING:
        assert len(table.source) > 20
        assert table.code
        assert find_device(row.device).kind == "gpu", row.device
        names = {p.name for p in functions[table.kernel].function.parameters}
        assert row.sizes.keys() <= names, table.kernel
        assert (table.unit in TIMES) != (table.unit in RATES and bool(table.work)), table.source
        assert 1e-7 < table.seconds(row) < 100, (table.kernel, row)


def test_no_row_twice() -> None:
    keys = [
        (t.kernel, t.mapping, t.source, row.device, row.named, *sorted(row.sizes.items())) for t, row in EVERYTHING
    ]
    assert len(keys) == len(set(keys))


def test_none_is_a_figure_of_its_own_device() -> None:
    for table, row in EVERYTHING:
        if table.unit in RATES:
            rate = row.value * RATES[table.unit]
            same = [key for key, value in figures(find_device(row.device)).items() if abs(value / rate - 1) < 1e-4]
            assert not same, (row.device, table.kernel, row.value)


def figures(device: Device) -> dict[str, float]:
    return {key: found.value for key, found in device.figures.items() if found.value}


@pytest.mark.parametrize(
    ("unit", "work", "value", "seconds"),
    [("GB/s", "16 * n", 10.0, 1.6), ("ms", "", 2.0, 2e-3), ("Gflop/s", "2 * n * n", 2e9, 1.0)],
)
def test_a_rate_is_work_over_time(unit: str, work: str, value: float, seconds: float) -> None:
    row = Row("h100", {"n": 10**9}, value)
    table = Table("nobody", "copy", "fp32", "none", unit, (row,), work)
    assert table.seconds(row) == pytest.approx(seconds)


def test_the_part_is_that_of_the_hash() -> None:
    """Written down so that nobody changes it: sha256 of device and kernel."""
    assert {part("t4", "transpose"), part("a100", "add_columns"), part("v100", "triad")} == {"tune"}
    assert {part("t4", "add_columns"), part("k40", "product"), part("v100", "scale")} == {"judge"}


def test_the_ends_of_ranges_are_what_the_tuning_part_says(found: list[Judged]) -> None:
    """With `GPU_DATA` in them, a tenth lies beyond each."""
    low, high = beyond(j.compared for j in found if j.compared.part == "tune")["memory"]
    assert low == pytest.approx(1, abs=SEEN["low"])
    assert high == pytest.approx(1, abs=SEEN["high"])
    assert GPU_DATA["low"] < GPU_DATA["likely"] < GPU_DATA["high"]


def test_the_page_has_the_figures(found: list[Judged]) -> None:
    text = (ROOT / PAGE_NAME).read_text(encoding="utf-8")
    assert all(j.compared.predicted is not None for j in found)
    for name, own in ("judge", "judged"), ("tune", "tuned on"):
        s = statistics(j.compared for j in found if j.compared.part == name)
        assert f"| {own} | {s.timed} | **{s.factor:.2f}** | {s.ninety:.2f} | {s.within:.0%} | {s.inside:.0%} |" in text
    assert all(j.row.cause for j in worst(found))
    assert all(table.source in text for table, _ in EVERYTHING)
