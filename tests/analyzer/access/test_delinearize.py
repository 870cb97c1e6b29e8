"""Rows without an assumption: a subscript is taken apart where the rest provably stays in its row."""

from itertools import product

import pytest

from analyzer.access.delinearize import digits, in_rows, radices, row_lengths
from analyzer.base.places import Place
from analyzer.ir.nodes import Computed, Counter
from analyzer.ir.polynomials import Poly, number, symbol
from analyzer.ir.symbols import Kind, program
from analyzer.polyhedra.signs import Region

COUNTERS = tuple(program(k, name, Counter(k), 0) for k, name in enumerate("ij"))
SIZES = tuple(program(k, name, Computed(name, Place("t.c", 1)), 0) for k, name in enumerate("nm", 2))
i, j, n, m = map(symbol, (*COUNTERS, *SIZES))
ZERO, EIGHT = number(0), number(8)


def inside(low: Poly, end: Poly) -> Region:
    """i is any number, and low <= j < end."""
    return Region(COUNTERS, (i, j - low, end - 1 - j))


@pytest.mark.parametrize(
    ("index", "region", "rows", "places"),
    [
        pytest.param(i * n + j, inside(ZERO, n), (n,), (i, j), id="rows of n"),
        pytest.param(i * n + j, inside(ZERO, n + 1), (), None, id="one more than a row"),
        pytest.param(i * n + j, inside(ZERO, m), (), None, id="columns of another size"),
        pytest.param(i * 8 + j, inside(ZERO, EIGHT), (EIGHT,), (i, j), id="rows of a number"),
        pytest.param((i + 1) * n - 1 - j, inside(ZERO, n), (n,), (i, n - 1 - j), id="backwards"),
        pytest.param(i * 8 + j + 3, inside(number(5), number(13)), (EIGHT,), (i + 1, j - 5), id="in the next row"),
        pytest.param(i * 8 + 9 - j, inside(number(2), number(10)), (EIGHT,), (i, number(9) - j), id="a row too far"),
        pytest.param(i * 9 + j, inside(ZERO, EIGHT), (number(9),), (i, j), id="padded"),
        pytest.param(i * 3 + 1, inside(ZERO, n), (), None, id="every third element"),
    ],
)
def test_rows(index: Poly, region: Region, rows: tuple[Poly, ...], places: tuple[Poly, ...] | None) -> None:
    assert row_lengths([(index, region)], region.counters) == rows
    assert in_rows(index, rows, region) == (places or (index,))
    if places is not None:
        assert places[0] * rows[0] + places[1] == index


def test_rows_that_fit_one_subscript_but_not_the_other() -> None:
    region = inside(ZERO, n)
    both = [(i * n + j, region), (i * n + j * m, region)]
    assert row_lengths(both, region.counters) == ()


@pytest.mark.parametrize(
    ("value", "by", "exact"),
    [
        (i * n * 2 + n * 4, n * 2, i + 2),
        (n * n, n, n),
        (i * n + m, n, None),
        (i * n * 3, n * 2, None),
        (i * 4, n + 1, None),
        (i * 4, number(4), i),
    ],
)
def test_exact_quotients_by_one_term(value: Poly, by: Poly, exact: Poly | None) -> None:
    assert value.divided_by(by) == exact


def test_planes_of_rows_have_one_place_per_element() -> None:
    """Where rows are as long as one size and planes as long as another one, no two places in rows are one element."""
    row, plane, k = *SIZES, program(4, "k", Counter(2), 0)
    index = symbol(k) + j * n + i * m + n - 1
    (radix,) = (r for r in radices(index) if len(r) == 2)
    found = digits(index, radix)
    assert found is not None
    assert [d.value for d in found] == [symbol(k) - 1, j + 1, i]
    for rows, planes in product(range(1, 5), range(1, 14)):
        sizes = {row: number(rows), plane: number(planes)}
        places = list(product(range(3), range(-1, planes // rows - 1), range(1, rows + 1)))
        counted = (dict(zip((*COUNTERS, k), map(number, place), strict=True)) for place in places)
        assert len({index.substitute(sizes | each).constant for each in counted}) == len(places)


@pytest.mark.parametrize(
    "index",
    [
        pytest.param(i + j * n, id="one stride"),
        pytest.param(i * n + j * n, id="one stride for both"),
        pytest.param(i * n + j * m * n, id="planes of rows"),
    ],
)
def test_only_strides_apart_make_planes(index: Poly) -> None:
    assert not any(s.kind is Kind.ROWS for radix in radices(index) for p in radix for s in p.symbols)
