"""Extremes and projections against enumeration."""

from itertools import product

import pytest

from analyzer.ir.polynomials import Poly, number
from analyzer.polyhedra.extremes import above, highest, lowest, project, ranges
from analyzer.polyhedra.signs import Region
from analyzer.polyhedra.summation import Atoms, NotClosedError

from .test_summation import K, M, N, evaluated, k, m, n

REGIONS = {
    "box": Region(tuple(K[:2]), (k[0], n - 1 - k[0], k[1], m - 1 - k[1])),
    "triangle": Region(tuple(K[:2]), (k[0], n - 1 - k[0], k[1], n - 2 - k[0] - k[1])),
    "window with a border": Region(
        tuple(K[:2]), (k[0], n - 1 - k[0], k[1], number(2) - k[1], k[0] + k[1] - 1, n - k[0] - k[1])
    ),
    "stride": Region((K[0],), (k[0], n - 1 - k[0] * 3)),
}

SIZES = [{N: a, M: b} for a in range(7) for b in (0, 1, 3)]


@pytest.mark.parametrize("name", REGIONS)
@pytest.mark.parametrize("poly", [k[0], k[0] * 5 + k[1], k[1] - k[0], k[0] * m], ids=str)
def test_extremes(name: str, poly: Poly) -> None:
    region = REGIONS[name]
    if not set(poly.symbols) - {N, M} <= set(region.counters):
        poly = k[0]
    atoms = Atoms()
    low, high = lowest(poly, region, atoms, Region()), highest(poly, region, atoms, Region())
    for values in SIZES:
        points = [
            values | dict(zip(region.counters, p, strict=True))
            for p in product(range(8), repeat=len(region.counters))
        ]
        reached = [poly.evaluate(p) for p in points if all(c.evaluate(p) >= 0 for c in region.constraints)]
        exists = all(evaluated(c, values, atoms) >= 0 for c in low.conditions)
        if not reached:
            assert not exists or not low.exact
            continue
        assert exists
        found = evaluated(low.value, values, atoms), evaluated(high.value, values, atoms)
        assert found[0] == min(reached) if low.exact else found[0] <= min(reached)
        assert found[1] == max(reached) if high.exact else found[1] >= max(reached)


def test_a_border_is_exact() -> None:
    """The elements that a window reads stop where its condition stops them."""
    region = REGIONS["window with a border"]
    assert lowest(k[0] + k[1], region, Atoms(), Region()).exact is True


def test_projection_keeps_the_points_whose_range_is_not_empty() -> None:
    region = REGIONS["triangle"]
    seen = project(region, frozenset((K[0],)), Atoms(), Region())
    assert seen.counters == (K[0],)
    for values in SIZES:
        for first in range(-1, 8):
            inside = any(
                all(c.evaluate(values | {K[0]: first, K[1]: second}) >= 0 for c in region.constraints)
                for second in range(8)
            )
            assert inside == all(c.evaluate(values | {K[0]: first}) >= 0 for c in seen.constraints)


def test_ranges_refuse_counters_that_depend_on_each_other() -> None:
    assert ranges(REGIONS["triangle"], Atoms(), Region()) is None
    found = ranges(REGIONS["box"], Atoms(), Region())
    assert found is not None
    assert found[0][K[0]].high == n


def test_a_projection_that_is_no_set_of_affine_constraints_is_refused() -> None:
    region = Region(tuple(K[:2]), (k[0] * 2 - k[1], k[1] + n - k[0] * 3, k[1], n - k[1]))
    with pytest.raises(NotClosedError):
        project(region, frozenset((K[1],)), Atoms(), Region())


SLANTED = {
    "divided": Region(tuple(K[:2]), (k[0], n - 1 - k[0], k[1], k[0] + m - k[1] * 3)),
    "strides": Region(
        tuple(K[:3]), (k[0], n - 1 - k[0] * 2, k[1], m + k[0] - k[1] * 5, k[2], k[0] + k[1] * 3 - k[2] * 2)
    ),
}


@pytest.mark.parametrize("region", [*REGIONS.values(), *SLANTED.values()], ids=[*REGIONS, *SLANTED])
@pytest.mark.parametrize("poly", [k[0], k[0] * 5 + k[1], k[1] * 3 - k[0] * 2, number(7) - k[0]], ids=str)
def test_a_loose_bound_is_never_below(region: Region, poly: Poly) -> None:
    if not set(poly.symbols) <= set(region.counters):
        poly = -k[0]
    found = above(poly, region)
    assert found is not None
    bound, scale = found
    assert bound.symbols <= {N, M}
    for values in SIZES:
        for point in product(range(8), repeat=len(region.counters)):
            at = values | dict(zip(region.counters, point, strict=True))
            if all(c.evaluate(at) >= 0 for c in region.constraints):
                assert poly.evaluate(at) * scale <= bound.evaluate(values)
