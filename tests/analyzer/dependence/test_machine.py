"""What the machine makes of values that the IR only names, against what C computes."""

from itertools import product
from typing import NoReturn

import pytest

from analyzer.base.places import Place
from analyzer.dependence.witness.arithmetic import StuckError
from analyzer.dependence.witness.machine import Machine
from analyzer.ir.nodes import Compare, Computed, Either, Meaning, Rest, Scaled, Share
from analyzer.ir.polynomials import Poly, number, symbol
from analyzer.ir.symbols import program


def _nothing(*_: object) -> NoReturn:
    raise StuckError("nothing is known")


def value(meaning: Meaning) -> int:
    machine = Machine(_nothing, _nothing, {}, 0)
    return machine.poly(symbol(program(1, "s", Computed("s", Place("c.c", 1), (), meaning))))


@pytest.mark.parametrize(("v", "d"), list(product(range(9), range(1, 5))))
def test_shares_and_rests(v: int, d: int) -> None:
    assert value(Share(number(v), number(d))) == v // d
    assert value(Rest(number(v), number(d))) == v % d


def test_products_and_quotients_in_double_are_rounded_at_every_step() -> None:
    large = (1 << 53) + 1
    assert value(Scaled((number(large),))) == large - 1
    assert value(Scaled((number(5), number(3), "*", number(8), "/"))) == 1
    assert value(Scaled((number(-5), number(2), "/"))) == -2
    assert value(Scaled((number(1), number(49), "/", number(49), "*"))) == int(1 / 49 * 49) == 0
    assert value(Scaled((number(3), 0.5, "*"))) == 1


@pytest.mark.parametrize("terms", [(number(1), number(0), "/"), (number(2), 1e308, "*"), (1e308, 1e308, "*")])
def test_no_integer(terms: tuple[Poly | float, ...]) -> None:
    with pytest.raises(StuckError):
        value(Scaled(terms))


@pytest.mark.parametrize(("relation", "holds"), [(">=", (0, 1)), ("==", (0,)), ("!=", (-1, 1))])
def test_one_of_two(relation: str, holds: tuple[int, ...]) -> None:
    for v in (-1, 0, 1):
        chosen = value(Either((number(10), number(20)), decided=Compare(number(v), relation)))  # type: ignore[arg-type]
        assert chosen == (10 if v in holds else 20)
