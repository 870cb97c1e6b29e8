"""What a core takes for a loop, against clock cycles counted by hand, and what caches pass on."""

import pytest
from msgspec.structs import replace

from models.catalogue import find_device
from models.expr import num, sym
from models.extended.figures import figure, seconds
from models.extended.incore import ENTER, REMAINING, Counted, Holds, Vectors, loop_time
from models.extended.traffic import between, missing
from models.incore import Accesses, Body
from models.values import Tree, number, value_of

DEVICE = find_device("xeon6248")
CYCLE = 1 / figure(DEVICE, "clock.one_core").value
LANES = figure(DEVICE, "vector").value / 64
ITERATIONS = 1e6

PLAIN = Body(
    iterations=num(1000000), trip=num(1000000), entries=num(1), work=(("integer", 1.0),), masked=(("integer", 1.0),),
    accesses=(Accesses("load", "unit", 8, 1.0),), way=(), element=8, vectors="compiled",
)  # fmt: skip


def cycles(body: Body, end: str = "likely", vectors: str = "compiled", trip: float = ITERATIONS) -> float:
    """Per iteration."""
    counted = Counted(replace(body, trip=sym("m")), ITERATIONS, trip, ITERATIONS / trip)
    time = loop_time(counted, DEVICE, end, Vectors(vectors), Holds())  # type: ignore[arg-type]
    assert isinstance(time, float)
    return time / ITERATIONS / CYCLE


def test_a_call_that_stays_takes_its_instructions() -> None:
    called = replace(PLAIN, vectors="never", work=(("enter", 1.0), ("integer", 1.0)))
    more = cycles(called) - cycles(replace(PLAIN, vectors="never"))
    assert more == pytest.approx(ENTER / seconds(DEVICE, "core.width", "likely"))


def test_a_branch_is_foreseen_at_the_low_end_only() -> None:
    body = replace(PLAIN, vectors="never", work=(("branch", 0.5), ("integer", 1.0)))
    none = replace(PLAIN, vectors="never")
    missed = 0.5 * seconds(DEVICE, "core.branch", "likely") / CYCLE
    assert cycles(body) - cycles(none) == pytest.approx(missed)
    assert cycles(body, "low") == pytest.approx(cycles(none, "low"))
    assert cycles(body, "high") > cycles(none, "high")


def test_vectors_that_lie_in_two_lines_are_fetched_twice() -> None:
    many = replace(PLAIN, accesses=(Accesses("load", "unit", 8, 8.0),))
    shifted = replace(many, accesses=(Accesses("load", "unit", 8, 8.0, shifted=8.0),))
    assert cycles(shifted) == pytest.approx(2 * cycles(many), rel=1e-3)
    assert cycles(shifted, vectors="none") == cycles(many, vectors="none")


@pytest.mark.parametrize(("beside", "halvings"), [(1, 0), (2, 1), (3, 2), (4, 0)])
def test_members_of_structures_are_taken_apart(beside: int, halvings: int) -> None:
    """Four members of 8 bytes are a vector themselves."""
    body = replace(PLAIN, accesses=(Accesses("load", "unit", 8, 12.0, beside),), work=(), masked=())
    plain = replace(PLAIN, accesses=(Accesses("load", "unit", 8, 12.0),), work=(), masked=())
    expected = max(cycles(plain), 12 * halvings / LANES)
    assert cycles(body) == pytest.approx(expected, rel=1e-3)


def test_what_remains_of_a_trip_is_nothing_to_twice_the_mean() -> None:
    assert list(REMAINING.values()) == [0, 1, 2]
    assert cycles(PLAIN, "low", trip=8.0) < cycles(PLAIN, trip=8.0) < cycles(PLAIN, "high", trip=8.0)


@pytest.mark.parametrize(
    ("needed", "part"),
    [(0.0, 0), (37.5, 0), (50.0, 0.2), (75.0, 0.6), (100.0, 1), (1e9, 1)],
)
def test_caches_lose_data_by_degrees(needed: float, part: float) -> None:
    assert missing(needed, 100.0) == pytest.approx(part)
    symbolic = missing(value_of(sym("n"), {}), 100.0)
    assert isinstance(symbolic, Tree)
    assert number(symbolic, {"n": needed}) == pytest.approx(part)
    assert number(between(symbolic, 3.0, 13.0), {"n": needed}) == pytest.approx(between(part, 3.0, 13.0))
    assert missing(needed, 0.0) == 1
