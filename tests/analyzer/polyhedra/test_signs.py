"""Proofs of signs: what must be found, and what must never be claimed."""

import pytest

from analyzer.base.places import Place
from analyzer.ir.nodes import Computed, Counter, Entry, Outermost, Quotient, Remainder, Variable
from analyzer.ir.polynomials import Poly, Symbol, number, symbol
from analyzer.ir.symbols import Kind, numbered, program
from analyzer.polyhedra.effort import Effort, TooMuchWorkError
from analyzer.polyhedra.signs import Region, is_nonnegative, least, linear_coefficient
from analyzer.source.ctypes import Integer

INT = Integer("int", 4, True)


def size(key: int, low: int | None = None) -> Symbol:
    return program(key, f"n{key}", Entry(Variable("n", key, INT, "parameter", Place("t.c", 1))), low)


N, M, K = size(10), size(11), program(1, "k", Counter(1))
n, m, k = symbol(N), symbol(M), symbol(K)
ROW = Region((K,), (k, n - 1 - k))


@pytest.mark.parametrize(
    ("poly", "region", "proved"),
    [
        (n, Region(), True),
        (n * m + 3, Region(), True),
        (n - 1, Region(), False),
        (n - m, Region(), False),
        (number(-1), Region(), False),
        (number(0), Region(), True),
        (n - 1 - k, ROW, True),
        (n - k, ROW, True),
        (n - 2 - k, ROW, False),
        (k - 1, ROW, False),
        (n * m - m * k - 1, ROW, False),
        (n * m - m * k, ROW, True),
        (n - 1, Region((), (n - 3,)), True),
        (n * 8 - 8, Region((), (n - 1,)), True),
        (n * m - m, Region((), (n - 1,)), True),
        (n + m - 5, Region((), (n - 3, m - 2)), True),
        (n + m - 6, Region((), (n - 3, m - 2)), False),
    ],
)
def test_signs(poly: Poly, region: Region, proved: bool) -> None:
    assert is_nonnegative(poly, region) is proved


def test_sizes_are_not_negative_whatever_their_type_allows() -> None:
    assert least(size(12, -(2**31))) == 0
    assert least(size(13, 4)) == 4


def test_an_analysis_own_symbol_is_only_as_large_as_it_says() -> None:
    own = Computed("min", Place("", 0))
    assert least(numbered(Kind.ATOM, 1, "atom", own)) is None
    assert not is_nonnegative(symbol(numbered(Kind.ATOM, 1, "atom", own)))
    assert least(numbered(Kind.ATOM, 2, "atom", own, -3)) == -3


def test_quotients_and_remainders_take_their_bound_from_the_dividend() -> None:
    assert least(program(20, "n / 2", Quotient(n, 2))) == 0
    assert least(program(21, "(n - 5) / 2", Quotient(n - 5, 2, True))) == -3
    assert least(program(22, "(n - 5) / 2", Quotient(n - 5, 2))) == -2
    assert least(program(23, "n % 4", Remainder(n, 4))) == 0
    assert least(program(24, "(n - m) % 4", Remainder(n - m, 4))) is None


def test_a_search_does_not_try_the_same_in_every_order(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0

    def counted(constraint: Poly, counter: Symbol) -> int | None:
        nonlocal asked
        asked += 1
        return linear_coefficient(constraint, counter)

    monkeypatch.setattr("analyzer.polyhedra.signs.linear_coefficient", counted)
    counters = tuple(program(i, f"k{i}", Counter(i)) for i in range(1, 5))
    a, b, c, d = map(symbol, counters)
    sums = (a, a + b, a + b + c, a + b + c + d)  # a triangular nest: each loop begins at the variable of the outer one
    moved = symbol(program(5, "s", Counter(5)))  # s = 6*a + 5*b + 4*c + 3*d + 2*e
    last = n * 2 + a * 4 + b * 3 + c * 2 + d - moved - 2
    inner = moved - a * 6 - b * 5 - c * 4 - d * 3
    nest = Region((program(5, "s", Counter(5)), *counters), (a, b, c, d, *(n - 1 - s for s in sums), inner, last))
    assert is_nonnegative(last, nest)
    assert asked < 1000


def many_facts(effort: Effort) -> Region:
    """Forty sizes, of which each is one number: no two facts speak of the same one."""
    sizes = [symbol(size(100 + number_)) for number_ in range(40)]
    facts = tuple(fact for value, s in enumerate(sizes, 3) for fact in (s - value, -s + value))
    return Region((), facts, effort)


def test_an_example_of_the_facts_refutes_a_question_at_once() -> None:
    effort = Effort()
    region = many_facts(effort)
    asked = symbol(size(100)) + n - 9
    assert not is_nonnegative(asked, region)
    assert effort.done < 2 * len(region.constraints) + 10  # going through pairs of them would take thousands of steps
    assert is_nonnegative(asked + 6, region)


def test_facts_without_an_example_prove_what_they_did() -> None:
    never = Region((), (n - 3, -n + 2))
    assert is_nonnegative(number(-1), never)
    assert is_nonnegative(n - 3, Region((), (n - m, m - 3)))
    assert not is_nonnegative(n - 4, Region((), (n - m, m - 3)))


def test_a_proof_is_given_up_when_its_steps_are_spent() -> None:
    with pytest.raises(TooMuchWorkError):
        is_nonnegative(n + symbol(size(105)) - 7, many_facts(Effort(limit=20)))


@pytest.mark.parametrize(
    ("one", "other", "low"), [(n - m, m - n, 0), (n - m, m - n + 1, 1), (n - m, m - n - 3, -1), (n - m, n - m, None)]
)
def test_the_larger_of_a_value_and_its_negative_is_not_negative(one: Poly, other: Poly, low: int | None) -> None:
    distance = Computed("distance", Place("t.c", 1), (), Outermost("max", (one, other)))
    assert least(program(20, "distance", distance, -(2**31))) == low
    smaller = Computed("smaller", Place("t.c", 1), (), Outermost("min", (one, other)))
    assert least(program(21, "smaller", smaller, -(2**31))) is None
