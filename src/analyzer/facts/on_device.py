"""What a loop needs on a device that has memory of its own."""

from typing import Literal, TypeAlias

from msgspec import Struct

from ..base.places import Place

Direction: TypeAlias = Literal["to", "from", "tofrom", "alloc"]


class Mapped(Struct, frozen=True):
    """One object. `name`: C for where it begins, a pointer or an array; where that is no name (`s->a`), a local
    variable takes its place in the loop, a pointer to `element`s (None: their type has no plain name). `first`,
    `length`: the elements of it that are used, in C; None: all of a variable. `exact` is false where the loop may use
    less than that."""

    name: str
    direction: Direction
    first: str | None = None
    length: str | None = None
    exact: bool = True
    element: str | None = None


class Called(Struct, frozen=True):
    """A function that the loop calls, from where its definition begins to the line on which it ends."""

    name: str
    place: Place
    end_line: int


class OnDevice(Struct, frozen=True):
    """What a person writes so that a loop runs on a device. `positive`: C that is greater than 0 wherever the sections
    are what they say; elsewhere the loop does nothing, or stays. `refused`: why it is not for a machine to write; empty
    where it is."""

    maps: tuple[Mapped, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    """Those from before the loop that its text names, and how they are declared in C."""
    functions: tuple[Called, ...] = ()
    positive: tuple[str, ...] = ()
    refused: str = ""
