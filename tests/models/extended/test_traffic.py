"""What waits beside bytes: accesses for addresses of pages, rows for their first lines."""

import pytest
from msgspec.structs import replace

from models.catalogue import find_device
from models.extended.amounts import Amounts
from models.extended.traffic import LINE, PAGE, on_cpu, without_page
from models.extended.uses import Use

PAGES = 2000.0
COLUMN = Use(
    name="a", pace="unit", width=8, stride=8.0, walk="strided", step=2.0 * PAGE, sweep=1000.0, footprint=8e6,
    accesses=1e6, dense=True, rows=0.0, held="together", reread=8e6, halo=1.0, touched=8e6, walking=1e6,
)  # fmt: skip
ROWS = replace(COLUMN, walk="unit", step=8.0, sweep=512.0, section=16e6)  # a page, and a page between two


def amounts(*uses: Use) -> Amounts:
    none = dict.fromkeys(
        ("units", "parts", "index", "fp32", "fp64", "other", "integer", "fused", "accesses", "footprint", "updates",
         "bins", "atomic", "updated", "copied_in", "copied_out"), 0.0,
    )  # fmt: skip
    return Amounts(uses=uses, kernels=1, copies=0, **none)


@pytest.mark.parametrize(
    ("uses", "part"),
    [
        ((COLUMN,), 0),
        ((replace(COLUMN, walks=2),), (2000 - 1800) / 1200),
        ((COLUMN, COLUMN), (2000 - 1800) / 1200),
        ((COLUMN, replace(COLUMN, step=64.0, walks=9)), 0),
        ((replace(COLUMN, walks=3),), 1),
        ((replace(COLUMN, walk="irregular", walks=9),), 0),
    ],
)
def test_walks_over_more_pages_together_than_are_found_wait(uses: tuple[Use, ...], part: float) -> None:
    far = sum(use.walking for use in uses if use.walk == "strided" and use.step > PAGE)
    assert without_page(amounts(*uses), PAGES) == pytest.approx(part * far)


def late(use: Use, *more: Use) -> float:
    return on_cpu(amounts(use, *more), 1e6, 1.0, private=True, lines=True, caches=True).late


def test_rows_with_something_between_them_begin_a_stream_each() -> None:
    assert late(ROWS) == pytest.approx(8e6 / PAGE * 2)
    assert late(replace(ROWS, sweep=4096.0)) == pytest.approx(8e6 / (8 * PAGE) * 5)
    assert late(replace(ROWS, sweep=64.0)) == pytest.approx(8e6 / 512 * (1 + 512 / PAGE))


@pytest.mark.parametrize(
    "use",
    [
        replace(ROWS, section=8e6),
        replace(ROWS, section=8e6 * (1 + 3.9 * LINE / PAGE)),
        replace(ROWS, section=0.0),
        replace(ROWS, touched=1e5, section=2e5),
        COLUMN,
    ],
)
def test_no_line_is_late_where_rows_lie_side_by_side_or_in_a_cache(use: Use) -> None:
    assert late(use) == 0


def test_streams_of_several_arrays_begin_together() -> None:
    assert late(ROWS, ROWS) == late(ROWS) == late(replace(ROWS, walks=2)) * 2


@pytest.mark.parametrize(
    ("pitch", "private", "lines"),
    [
        (4096 + 64, True, 0.0),  # 1000 lines, 64 KB of 1 MiB
        (4096, True, 1e6),  # in 32 of 2048 sets, which hold 256
        (4096, False, 0.0),
        (0, True, 0.0),  # a size says the step
        (4096 + 256, True, 0.0),  # in 512 sets, with room for 4096
    ],
)
def test_columns_of_rows_that_are_multiples_of_a_page_are_in_few_sets(pitch: int, private: bool, lines: float) -> None:
    column = replace(COLUMN, step=8192.0, pitch=pitch, touched=64e3, walking=1e6)
    passing = on_cpu(amounts(column), 2.0**20, 1.0, private=private, lines=True, caches=True)
    assert passing.single + passing.streamed / LINE == pytest.approx(lines, abs=1)


def test_devices_of_the_catalogue_have_a_number_of_pages() -> None:
    from models.extended.figures import rate

    device = find_device("xeon6248")
    low, likely, high = (rate(device, "core.pages", end) for end in ("low", "likely", "high"))
    assert low > likely > high  # the best figure gives the shortest time
