"""Patterns of neighbouring iterations, one access at a time."""

import pytest

from analyzer.counts.coalescing import of_access, worst
from analyzer.ir.nodes import Access, Subscript
from analyzer.ir.polynomials import Poly, number, symbol

from .enumeration import DOUBLE, access, counter, n, place, pointer

A = pointer("A", 2000)
i, j = symbol(counter(0)), symbol(counter(1))


@pytest.mark.parametrize(
    ("subscripts", "expected"),
    [
        ((i,), "unit"),
        ((-i + 7,), "unit"),
        ((i * 2 + 1,), "strided(2)"),
        ((i * n,), "strided(n)"),
        ((j,), "broadcast"),
        ((number(3),), "broadcast"),
        ((j, i), "unit"),
        ((i, j), "strided(1000)"),
        ((i, i), "strided(1001)"),
        ((i * i,), "irregular"),
    ],
)
def test_along_the_first_counter(subscripts: tuple[Poly, ...], expected: str) -> None:
    assert of_access(access(A, *subscripts), counter(0), True) == expected


def test_an_irregular_subscript() -> None:
    assert of_access(access(A, i), counter(0), False) == "irregular"


def test_members_of_structures_are_fractions_of_the_element() -> None:
    member = Access(A, (Subscript(i, None, number(12)),), ".x", 0, DOUBLE, 8, "s[i].x", place())
    assert of_access(member, counter(0), True) == "strided(3/2)"


def test_walking_over_row_pointers_is_irregular() -> None:
    row = Subscript(i, None, None, True)
    element = Subscript(j, None, number(8))
    found = Access(A, (row, element), "", 0, DOUBLE, 8, "A[i][j]", place())
    assert of_access(found, counter(0), True) == "irregular"
    assert of_access(found, counter(1), True) == "unit"


def test_the_worst_pattern_stands_for_an_array() -> None:
    assert worst(["unit", "broadcast"]) == "unit"
    assert worst(["unit", "strided(3)", "broadcast"]) == "strided(3)"
    assert worst(["irregular", "strided(3)"]) == "irregular"
    assert worst([]) == "broadcast"
