"""What waits beside bytes: accesses for addresses of pages, rows for their first lines."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from models.catalogue import find_device
from models.expr import sym
from models.extended.amounts import Amounts
from models.extended.traffic import LINE, PAGE, on_cpu, without_page
from models.extended.uses import Use
from models.values import Tree, number

FOUND, LOST = 1800.0, 3000.0
COLUMN = Use(
    name="a", pace="unit", width=8, stride=8.0, walk="strided", step=2.0 * PAGE, sweep=1000.0, footprint=8e6,
    accesses=1e6, dense=True, rows=0.0, held="together", reread=8e6, halo=1.0, touched=8e6, walking=1e6,
)  # fmt: skip
ROWS = replace(COLUMN, walk="unit", step=8.0, sweep=512.0, section=16e6)  # a page, and a page between two


def amounts(*uses: Use) -> Amounts:
    none = dict.fromkeys(
        ("units", "divided", "parts", "index", "fp32", "fp64", "other", "integer", "fused", "accesses", "footprint",
         "updates", "bins", "atomic", "updated", "copied_in", "copied_out"), 0.0,
    )  # fmt: skip
    return Amounts(uses=uses, kernels=1, copies=0, **none)


@pytest.mark.parametrize(
    ("uses", "pages"),
    [
        ((COLUMN,), 1000),
        ((COLUMN, COLUMN), 2000),
        ((replace(COLUMN, walks=2),), 1500),  # rows of two pages: half of the time both are on one
        ((COLUMN, replace(COLUMN, walks=2)), 2500),
        ((replace(COLUMN, name="a, b", walks=2),), 2000),
        ((replace(COLUMN, name="a, b", walks=4),), 3000),
        ((COLUMN, replace(COLUMN, step=64.0, walks=9)), 1000),
        ((replace(COLUMN, sweep=4000.0),), 4000),
        ((replace(COLUMN, walk="irregular", walks=9),), 0),
    ],
)
def test_walks_over_more_pages_together_than_are_found_wait(uses: tuple[Use, ...], pages: float) -> None:
    steps = sum(use.walking * (pages_of(use) / use.walks) for use in uses if use.walk == "strided" and use.step > PAGE)
    part = min(1.0, max(0.0, (pages - FOUND) / (LOST - FOUND)))
    assert without_page(amounts(*uses), FOUND, LOST) == pytest.approx(part * steps)


def pages_of(use: Use) -> float:
    return {("a", 1): 1.0, ("a", 2): 1.5, ("a, b", 2): 2.0, ("a, b", 4): 3.0}[use.name, use.walks]


@pytest.mark.parametrize(
    ("mean", "longest", "density"),
    [
        (1000.0, 2000.0, lambda t: t),  # for (i = 0; i < n; i++) for (j = 0; j < i; j++): entries of all lengths alike
        (1000.0, 3000.0, lambda t: t * (3000.0 - t)),  # i < k < j: the longer, the fewer
        (580.0, 1740.0, lambda t: t * (1740.0 - t)),  # where only few are long enough to wait
    ],
)
def test_walks_of_a_triangle_wait_where_they_are_long(
    mean: float, longest: float, density: Callable[[float], float]
) -> None:  # fmt: skip
    """Against the mean over all accesses, by summing up the lengths."""
    lengths = [longest * (k + 0.5) / 1000 for k in range(1000)]
    part = [min(1.0, max(0.0, (t - 1200.0) / 800.0)) for t in lengths]
    weights = list(map(density, lengths))
    expected = sum(p * w for p, w in zip(part, weights, strict=True)) / sum(weights)
    triangle = replace(COLUMN, sweep=mean, longest=longest)
    found = without_page(amounts(triangle), 1200.0, 2000.0)
    assert found / triangle.walking == pytest.approx(expected, abs=0.04)
    assert without_page(amounts(replace(triangle, longest=0.0)), 1200.0, 2000.0) == 0


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
        (4096 + 256, True, 0.0),  # in 512 sets, with room for 4096
    ],
)
def test_columns_of_rows_that_are_multiples_of_a_page_are_in_few_sets(pitch: int, private: bool, lines: float) -> None:
    column = replace(COLUMN, step=float(pitch), touched=64e3, walking=1e6)
    passing = on_cpu(amounts(column), 2.0**20, 1.0, private=private, lines=True, caches=True)
    assert passing.single + passing.streamed / LINE == pytest.approx(lines, abs=1)


def test_a_size_says_in_how_many_sets_columns_are() -> None:
    """The formula holds for each size: 4096 B between rows are few sets, 4160 are not."""
    column = replace(COLUMN, step=Tree("*", (8.0, Tree("+", (sym("n"),)))), touched=64e3, walking=1e6)
    passing = on_cpu(amounts(column), 2.0**20, 1.0, private=True, lines=True, caches=True)
    lines = passing.single + passing.streamed / LINE
    assert [number(lines, {"n": n}) for n in (512, 520)] == [pytest.approx(1e6), pytest.approx(0.0, abs=1)]


def test_devices_of_the_catalogue_have_a_number_of_pages() -> None:
    from models.extended.figures import rate

    device = find_device("xeon6248")
    for key in ("core.pages", "core.pages.found", "core.pages.lost"):
        low, likely, high = (rate(device, key, end) for end in ("low", "likely", "high"))
        assert low > likely > high  # the best figure gives the shortest time
    assert rate(device, "core.pages.found", "likely") < rate(device, "core.pages.lost", "likely")
