"""Formulas as people read them."""

import pytest

from analyzer.base.places import Place
from analyzer.counts.formulas import Formulas
from analyzer.ir.nodes import Computed, Loaded, Quotient
from analyzer.ir.polynomials import Poly, number, symbol
from analyzer.ir.symbols import program
from analyzer.polyhedra.powers import Fractional
from analyzer.polyhedra.signs import Region
from analyzer.polyhedra.summation import Atoms, Piece
from models.expr import to_text

from .enumeration import A_POINTER as A
from .enumeration import access, counter, loop, m, n


def formulas(*loops: object) -> Formulas:
    return Formulas(Atoms(), {inner.key: inner for inner in loops}, Region())  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("conditions", "value", "over", "text"),
    [
        ((), n * m, 1, "m*n"),
        ((n - 2,), n - 2, 1, "max(0, n - 2)"),
        ((n - 1,), n * n - n, 2, "n*(n - 1)/2"),
        ((n - 2,), n - 1, 1, "max(0, n - 1)"),
        ((n - 3, m - 1), n * m, 1, "(m*n if n - 3 >= 0 else 0)"),
        ((n - 2, n - 1), n - 2, 1, "max(0, n - 2)"),
        ((n - m - 1,), n - m, 1, "max(0, n - m)"),
        ((n - m - 1,), (n - m) * m, 1, "m*max(0, n - m)"),
        ((n - m - 1,), n, 1, "(n if n - m - 1 >= 0 else 0)"),
        ((number(-1),), n, 1, "0"),
        ((n - 2**40,), number(0), 1, "0"),  # at once, not size by size
    ],
)
def test_guarded(conditions: tuple[Poly, ...], value: Poly, over: int, text: str) -> None:
    assert to_text(formulas().guarded(conditions, Fractional(value, over))) == text


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ([((), n * 4), ((-m + 3,), -n)], "3*n + (n if m - 4 >= 0 else 0)"),
        ([((), n), ((-m + 3,), -n)], "(n if m - 4 >= 0 else 0)"),
        ([((), n * 4), ((-m + 3,), n)], "4*n + (n if 3 - m >= 0 else 0)"),
        ([((m - 7,), n * 4), ((m - 7, -m + 9), -n)], "(n if m - 10 >= 0 else 0) + (3*n if m - 7 >= 0 else 0)"),
    ],
)
def test_what_is_added_and_taken_away_again_is_not_written(
    pieces: list[tuple[tuple[Poly, ...], Poly]], text: str
) -> None:
    assert to_text(formulas().pieces([Piece(c, Fractional(value)) for c, value in pieces])) == text


def test_counters_are_written_with_the_variable_of_their_loop() -> None:
    up = loop(0, n, first=number(0), step=number(1))
    down = loop(1, n, first=n - 1, step=number(-1), variable="j")
    by_two = loop(2, n, first=number(1), step=number(2), variable="k")
    text = [to_text(formulas(up, down, by_two).poly(symbol(counter(key)))) for key in range(3)]
    assert text == ["i", "n - j - 1", "((k + 1)//2) - 1"]


def test_values_with_the_same_text_get_different_names() -> None:
    first = program(1, "s->n", Loaded(access(A, 0)))
    second = program(2, "s->n", Loaded(access(A, 1)))
    text = to_text(formulas().poly(symbol(first) - symbol(second)))
    assert text.startswith("`s->n`") or text.startswith("s->n")
    assert text != "0"


def test_computed_values_name_their_line() -> None:
    value = program(1, "f(x)", Computed("f(x)", Place("t.c", 12)))
    assert "f(x)@12" in to_text(formulas().poly(symbol(value)))


def test_truncating_quotients_of_what_may_be_negative_have_two_cases() -> None:
    value = symbol(program(1, "(n - m) / 2", Quotient(n - m, 2)))
    assert to_text(formulas().poly(value)).count("//") == 2
