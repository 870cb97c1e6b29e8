"""What varies in loops, by where a value comes from."""

from dataclasses import dataclass

from analyzer.base.places import Place
from analyzer.ir.invariance import computed_in, is_invariant, varies
from analyzer.ir.nodes import (
    Access,
    Computed,
    Counter,
    Entry,
    Loaded,
    Origin,
    Pointee,
    Quotient,
    Share,
    Subscript,
    Variable,
)
from analyzer.ir.polynomials import Poly, Symbol, number, symbol
from analyzer.ir.symbols import program
from analyzer.source.ctypes import Integer

INT = Integer("int", 4, True)
OUTER, LOOP, INNER = 3, 5, 7
PLACE = Place("a.c", 1)
NAME = Variable("a", 1, INT, "parameter", PLACE)


@dataclass
class Made:
    count: int = 0

    def __call__(self, origin: Origin) -> Symbol:
        self.count += 1
        return program(self.count, f"s{self.count}", origin)


WORD = number(4)
made = Made()


def read(index: Poly, loops: tuple[int, ...], stride: Poly = WORD, volatile: bool = False) -> Symbol:
    subscripts = (Subscript(index, None, stride),)
    return made(Loaded(Access(Pointee(NAME), subscripts, "", 0, INT, 4, "a[]", PLACE, (), volatile), loops))


def test_what_is_made_in_the_loop_varies() -> None:
    for loop, answer in ((OUTER, False), (LOOP, True), (INNER, True)):
        counter = made(Counter(loop))
        for s in (counter, made(Quotient(symbol(counter), 2)), made(Entry(NAME, 1, (loop,)))):
            assert computed_in(symbol(s), LOOP) is answer
            assert is_invariant(symbol(s), LOOP) is not answer


def test_a_computed_value_varies_with_its_parts() -> None:
    parts = Share(symbol(made(Entry(NAME))), symbol(made(Counter(LOOP))))
    assert computed_in(symbol(made(Computed("share", PLACE, (), parts))), LOOP)


def test_what_is_read_before_the_loop_is_one_value() -> None:
    assert is_invariant(symbol(read(number(0), (OUTER,))), LOOP)
    assert not varies(read(number(0), ()), (LOOP,).__contains__, lambda read: True)


def test_what_is_read_in_the_loop_is_asked_for() -> None:
    s = read(number(0), (OUTER, LOOP))
    assert not computed_in(symbol(s), LOOP)
    assert not is_invariant(symbol(s), LOOP)


def test_an_address_moves_with_its_subscripts_and_with_the_length_of_rows() -> None:
    counter = symbol(made(Counter(LOOP)))
    assert computed_in(symbol(read(counter, (LOOP,))), LOOP)
    assert computed_in(symbol(read(number(1), (LOOP,), stride=counter)), LOOP)


def test_a_volatile_place_changes_by_itself() -> None:
    assert computed_in(symbol(read(number(0), (LOOP,), volatile=True)), LOOP)
