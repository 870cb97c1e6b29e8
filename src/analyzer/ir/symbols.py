"""Symbols, the integers whose values are not known at analysis time: what each stands for and what tells it apart.

    Key ::= NUMBERED number | DERIVED which Key | DIVISION (what it divides, by what)

Two symbols are equal exactly when their keys are. A key opens with its kind, which says what follows it, so that no key
can be read in two ways. Nothing else is made of the numbers in a key but an order: that of the symbols in a monomial,
the same in every process.

    >>> n = numbered(Kind.PROGRAM, 7, "n", origin)
    >>> derived(Kind.COPY, n, origin, which=1) == derived(Kind.COPY, n, origin, which=1) != n
    True
"""

from collections.abc import Iterator
from enum import IntEnum, auto
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from .nodes import Origin, Quotient, Remainder
    from .polynomials import Poly


class Kind(IntEnum):
    """What symbols stand for, in the order in which monomials name them."""

    STEPS = auto()
    """Derived: the whole number of steps of a loop, from its counter (`which` of its bounds)."""
    PRIMED = auto()
    """Derived: the counter of a write, apart from that of the loop, which the read has."""
    PART = auto()
    """Derived: the row that a counter is in, or its place there (`which`), in place of the counter."""
    SUM = auto()
    """Derived: a subscript that adds counters, in place of one of them."""
    MESSAGE = auto()
    """Numbered: how often a message is sent or passed on in a tree of processes."""
    NAMED = auto()
    """Numbered: a name of formulas that the nest in question does not use."""
    OPEN = auto()
    """Numbered: what only a name says of a nest, such as the length of an array that nothing declares."""
    BRANCH = auto()
    """Numbered, as all weights of a nest are: the part of all times that a condition on data holds."""
    TRIP = auto()
    """Numbered: the mean number of iterations of a loop."""
    EXIT = auto()
    """Numbered: the part of the iterations that is run before a loop is left early."""
    SHARE = auto()
    """Numbered: the part of the longest that a loop can run."""
    FACTOR = auto()
    """Derived: a condition in place of a symbol that it contains."""
    QUOTIENT = auto()
    """Derived: `v / d` of a remainder `v % d`."""
    ROWS = auto()
    """Derived: how many rows of one size (`which`) a plane of another one has."""
    DIVISION = auto()
    """A quotient or remainder of a rewritten dividend: equal ones are one symbol."""
    VARIABLE = auto()
    """Derived: the value of a loop's variable in C, from the loop's counter."""
    ITERATION = auto()
    """Derived: the number of an iteration in text, where no variable of the loop counts them."""
    COPY = auto()
    """Derived: the value in another iteration, or of another access (`which`: `dependence.iterations`)."""
    UNBOUNDED = auto()
    """Derived: the value anywhere else, with nothing known of it."""
    DISTANCE = auto()
    """Derived: how many iterations of a loop lie between two, from its counter."""
    ATOM = auto()
    """Numbered: an extreme or a quotient of sizes (`summation.Atoms`)."""
    PROGRAM = auto()
    """Numbered, in the order in which they were made in their function: the program's own counters, values on entry,
    values read from memory and computed values. Only these are taken for sizes."""


WEIGHTS = frozenset((Kind.BRANCH, Kind.TRIP, Kind.EXIT, Kind.SHARE))

Key: TypeAlias = tuple[Kind, *tuple[int, ...]]


class Symbol(Struct, frozen=True, dict=True):
    """One symbol; build it with the functions below, never by hand.

    `name` is its C text (`n`, `s->n`, `idx[i]`), `origin` says where the value comes from, `low` and `high` are
    bounds that hold for certain (from its type or its origin), None where there are none.
    """

    key: Key
    hash: int
    """Of the key: symbols are looked up millions of times."""
    name: str
    origin: "Origin"
    low: int | None = None
    high: int | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Symbol) and other.key == self.key

    def __hash__(self) -> int:
        return self.hash

    def __repr__(self) -> str:
        return f"<{self.name}#{'.'.join(map(str, self.key[1:]))}>"

    @property
    def kind(self) -> Kind:
        return self.key[0]

    @property
    def number(self) -> int:
        """Of a numbered symbol, or of the one that this derives from."""
        return self.key[-1]


def numbered(
    kind: Kind, number: int, name: str, origin: "Origin", low: int | None = None, high: int | None = None
) -> Symbol:
    """The symbol of this kind with this number."""
    return _made(kind, (number,), name, origin, low, high)


def program(number: int, name: str, origin: "Origin", low: int | None = None, high: int | None = None) -> Symbol:
    """A value of the program, by its number in the function."""
    return Symbol((Kind.PROGRAM, number), number, name, origin, low, high)


def derived(
    kind: Kind,
    of: Symbol,
    origin: "Origin",
    name: str = "",
    low: int | None = None,
    high: int | None = None,
    which: int = 0,
) -> Symbol:
    """What is of this kind of another symbol, with its name or another; `which`, where there are several."""
    return _made(kind, (which, *of.key), name or of.name, origin, low, high)


def division(of: Symbol, origin: "Quotient | Remainder", is_remainder: bool) -> Symbol:
    """The quotient or remainder `of`, with the dividend that it has in `origin`."""
    parts = (is_remainder, origin.divisor, origin.floor, *_spelled(origin.value))
    return _made(Kind.DIVISION, parts, of.name, origin, of.low, of.high)


def _made(
    kind: Kind, parts: tuple[int, ...], name: str, origin: "Origin", low: int | None, high: int | None
) -> Symbol:
    key: Key = (kind, *parts)
    return Symbol(key, hash(key), name, origin, low, high)


def _spelled(value: "Poly") -> Iterator[int]:
    """A polynomial as numbers, by which it is told from all others."""
    yield len(value.terms)
    for monomial, factor in value.terms:
        yield from (factor, len(monomial))
        for s in monomial:
            yield from s.key
