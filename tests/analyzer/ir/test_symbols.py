"""What tells symbols apart and orders them: their keys, whatever they are made from."""

from itertools import product

import pytest
from msgspec.structs import replace

from analyzer.base.encoding import decode, encode
from analyzer.dependence.iterations import ALSO, EARLIER, LATER
from analyzer.ir.nodes import Counter, Quotient, Remainder
from analyzer.ir.polynomials import Poly, number, symbol
from analyzer.ir.symbols import WEIGHTS, Kind, Symbol, derived, division, numbered, program

DERIVED = (
    Kind.STEPS,
    Kind.PRIMED,
    Kind.SUM,
    Kind.FACTOR,
    Kind.QUOTIENT,
    Kind.ROWS,
    Kind.PART,
    Kind.VARIABLE,
    Kind.ITERATION,
    Kind.COPY,
    Kind.UNBOUNDED,
    Kind.DISTANCE,
)
NUMBERED = (Kind.MESSAGE, Kind.NAMED, Kind.OPEN, *sorted(WEIGHTS), Kind.ATOM, Kind.PROGRAM)
ORIGIN = Counter(0)


def of(kind: Kind, base: Symbol, which: int = 0) -> Symbol:
    return derived(kind, base, ORIGIN, which=which)


def split(base: Symbol, value: Poly, divisor: int, floor: bool = True) -> Symbol:
    return division(base, Quotient(value, divisor, floor), is_remainder=False)


N, M, K = (program(number, name, ORIGIN) for number, name in enumerate("nmk", 1))
n, m, k = map(symbol, (N, M, K))


def test_every_kind_is_made_in_one_way() -> None:
    assert sorted((*DERIVED, *NUMBERED, Kind.DIVISION)) == list(Kind)


def test_no_two_ways_of_making_a_symbol_make_the_same_one() -> None:
    first = [numbered(kind, i, "x", ORIGIN) for kind, i in product(NUMBERED, (0, 1, 2, 70, 275, 276))]
    second = [of(kind, s, which) for kind, s, which in product(DERIVED, first, range(3))]
    third = [of(kind, s, which) for kind, s, which in product(DERIVED, second, range(2))]
    assert len({*first, *second, *third}) == len(first) + len(second) + len(third)


def test_a_copy_of_a_copy_is_no_symbol_of_the_program() -> None:
    again = of(Kind.COPY, of(Kind.COPY, program(16, "k16", ORIGIN), EARLIER + ALSO), LATER)
    assert all(again != program(number, "n", ORIGIN) for number in range(2000))
    assert again.kind is Kind.COPY


def test_a_symbol_is_what_it_was_under_another_name() -> None:
    assert replace(N, name="other", low=3) == N
    assert of(Kind.QUOTIENT, replace(M, name="other")) == of(Kind.QUOTIENT, M)


@pytest.mark.parametrize(
    ("value", "divisor"),
    [(n + m, 2), (n * m, 2), (n + 1, 2), (n * 2, 2), (n * 2 + m, 2), (n, 3), (n * n, 2), (symbol(split(N, n, 2)), 2)],
    ids=str,
)
def test_divisions_are_equal_exactly_when_they_divide_the_same(value: Poly, divisor: int) -> None:
    assert split(N, value, divisor) == split(M, value + number(0), divisor)
    others = [split(N, n, 2), split(N, m, 2), division(N, Remainder(value, divisor, True), is_remainder=True)]
    assert split(N, value, divisor) not in [*others, split(N, value, divisor, floor=False)]


def test_keys_order_symbols_by_kind_then_by_what_they_derive_from() -> None:
    copies = [of(Kind.COPY, s, side) for side in (EARLIER, LATER) for s in (N, M, K)]
    wanted = [of(Kind.STEPS, K), of(Kind.QUOTIENT, N), split(N, n, 2), *copies, numbered(Kind.ATOM, 9, "a", ORIGIN), N]
    assert sorted(wanted[::-1], key=lambda s: s.key) == wanted


def test_monomials_name_symbols_in_that_order() -> None:
    one, other = symbol(of(Kind.COPY, M, EARLIER)), symbol(of(Kind.COPY, N, LATER))
    assert str(n * one + other * one + m * other + k + n) == str(n + k + m * other + other * one + one * n)
    assert [s.key for s in (n * one * other).terms[0][0]] == sorted(s.key for s in (n * one * other).symbols)


def test_hashes_are_made_of_numbers_alone() -> None:
    """So that the order of a set of symbols, too, is the same in every process."""
    found = [N, of(Kind.COPY, N, LATER), split(N, n + m, 2), numbered(Kind.TRIP, 0, "trip@1", ORIGIN)]
    assert [hash(s) for s in found] == [1, *(hash(tuple(int(part) for part in s.key)) for s in found[1:])]


def test_a_symbol_comes_back_from_the_cache_with_its_kind() -> None:
    made = of(Kind.COPY, N, LATER)
    again = decode(encode(made))
    assert again == made
    assert hash(again) == hash(made)
    assert again.kind is Kind.COPY
