"""Counts by barvinok against enumeration, and the process they are made in: lazy, kept, killed, done without."""

import os
import resource
from itertools import product

import pytest

from analyzer.base.places import Place
from analyzer.ir.nodes import Counter, Entry, Quotient, Variable
from analyzer.ir.polynomials import Poly, Symbol, number, symbol
from analyzer.ir.symbols import program
from analyzer.polyhedra import barvinok, helper
from analyzer.polyhedra.powers import Fractional
from analyzer.polyhedra.signs import Region
from analyzer.polyhedra.summation import Atoms, NotClosedError, Piece, total
from analyzer.source.ctypes import Integer

islpy = pytest.importorskip("islpy")
needs_barvinok = pytest.mark.skipif(not hasattr(islpy.Set, "card"), reason="plain islpy")

INT = Integer("int", 4, True)


def size(key: int, name: str) -> Symbol:
    return program(key, name, Entry(Variable(name, key, INT, "parameter", Place("t.c", 1))))


N, M = size(100, "n"), size(101, "m")
n, m = symbol(N), symbol(M)
K = [program(i, f"k{i}", Counter(i), 0) for i in range(5)]
i, j, k, q, p = map(symbol, K)
HALF = symbol(program(200, "i / 2", Quotient(i, 2, True)))

REGIONS = {
    "slopes": (i, n - 1 - i * 2 - j, j),
    "wide strides": (i, n - 1 - i * 19, j, m - 1 - i * 19 - j * 23),
    "three strides": (i, n - 1 - i * 3, j, m - 1 - i * 3 - j * 5, k, i * 3 + j * 5 - k * 7 - 1),
    "both sides divided": (i, n - 1 - i, j, i + m - j * 3, j * 2 - i),
    "a quotient": (i, n - 1 - i, j, HALF - j),
    "a product of sizes": (i, n * m - 1 - i * 2 - j, j),
    "equalities": (i, n - 1 - i, j, m - 1 - j, i * 2 - j * 3, j * 3 - i * 2),
}
MINUTES = (
    *(i, n - 1 - i, j, m - 1 - i * 3 - j * 5, k, i * 3 + j * 5 - k * 7 - 1),
    *(q, n * 7 - k * 3 - q * 2, m * 5 + j * 2 - q * 9, p, i * 11 + q * 13 - p * 17, m * 3 + k * 5 - p * 19),
)
"""barvinok has not counted this after five minutes."""


def region(constraints: tuple[Poly, ...]) -> Region:
    used = {s for c in constraints for s in c.symbols}
    return Region(tuple(s for s in K if s in used), constraints)


def evaluated(poly: Poly, sizes: dict[Symbol, int]) -> int:
    known = dict(sizes)
    for s in poly.symbols - known.keys():
        assert isinstance(s.origin, Quotient)
        known[s] = evaluated(s.origin.value, sizes) // s.origin.divisor
    return poly.evaluate(known)


def enumerated(wanted: Region, sizes: dict[Symbol, int], reach: int) -> int:
    places = product(range(reach), repeat=len(wanted.counters))
    points = (dict(zip(wanted.counters, at, strict=True)) | sizes for at in places)
    return sum(all(evaluated(c, at) >= 0 for c in wanted.constraints) for at in points)


@needs_barvinok
@pytest.mark.parametrize("name", REGIONS)
def test_the_number_of_points_is_that_of_enumeration(name: str) -> None:
    wanted = region(REGIONS[name])
    pieces = barvinok.counted(wanted, Atoms(), Region())
    assert pieces is not None
    for sizes in ({N: a, M: b} for a, b in product((0, 1, 2, 5, 8), (0, 1, 3, 6))):
        found = sum(evaluated(v, sizes) / d for cs, v, d in pieces if all(evaluated(c, sizes) >= 0 for c in cs))
        assert found == enumerated(wanted, sizes, 50 if name == "a product of sizes" else 12), sizes


@needs_barvinok
def test_a_sum_without_a_closed_form_is_counted() -> None:
    value = Fractional(n)
    pieces = total(region(REGIONS["wide strides"]), value, Atoms())
    assert all(isinstance(piece, Piece) for piece in pieces)
    sizes = {N: 50, M: 90}
    found = sum(
        evaluated(x.value.poly, sizes) / x.value.over
        for x in pieces
        if all(evaluated(c, sizes) >= 0 for c in x.conditions)
    )
    assert found == 50 * enumerated(region(REGIONS["wide strides"]), sizes, 9)


def test_closed_forms_start_no_process() -> None:
    helper.stop()
    total(Region((K[0], K[1]), (i, n - 1 - i, j, i - j)), Fractional(number(1)), Atoms())
    assert not helper._child


@needs_barvinok
def test_the_process_is_kept_for_the_next_question_and_ended_by_stop() -> None:
    first = helper.ask(process, "")
    assert first == helper.ask(process, "")
    assert first != str(os.getpid())
    helper.stop()
    assert helper.ask(process, "") != first
    helper.stop()


def process(_: str) -> str:
    return str(os.getpid())


@needs_barvinok
def test_a_count_that_would_run_for_minutes_is_given_up_at_its_budget() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with pytest.raises(NotClosedError):
        total(region(MINUTES), Fractional(number(1)), Atoms())
    helper.stop()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert helper.BUDGET_S / 2 < spent < 2 * helper.START_S
    assert barvinok.counted(region(REGIONS["slopes"]), Atoms(), Region()) is not None, "the next question is answered"


def test_a_nest_gives_up_once() -> None:
    atoms = Atoms()
    atoms.answers[barvinok.GAVE_UP] = True
    helper.stop()
    assert barvinok.counted(region(REGIONS["slopes"]), atoms, Region()) is None
    assert not helper._child


def test_plain_islpy_has_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    helper.stop()
    barvinok._asked.cache_clear()
    monkeypatch.delattr(islpy.Set, "card", raising=False)
    with pytest.raises(NotClosedError):
        total(region(REGIONS["wide strides"]), Fractional(number(1)), Atoms())
    helper.stop()
    barvinok._asked.cache_clear()


def test_a_counter_times_a_size_is_not_asked() -> None:
    helper.stop()
    assert barvinok.counted(region((i, n - 1 - i * m)), Atoms(), Region()) is None
    assert not helper._child


def test_that_it_is_here_is_seen_without_loading_it() -> None:
    assert barvinok.is_here() is hasattr(islpy.Set, "card")
