"""What is found of a directive that a program has."""

from typing import Literal, TypeAlias

from msgspec import Struct

from ..base.places import Place

RACE, NO_VALUE, NOT_MAPPED = "RAC001", "RAC002", "RAC003"
"""The rules of a race, of a copy without a value or of which the value is lost, and of data that a device lacks."""

RaceAnswer: TypeAlias = Literal["race", "no-race", "unknown"]


class CheckedDirective(Struct, frozen=True):
    """A directive of OpenMP or OpenACC that lets code run at once. `race`: two threads are at one place at once, and
    one of them stores there: `accesses`, as the program writes them. `missing`: clauses that would mend it. `message`
    says why, or on what the answer rests; empty where there is nothing to say."""

    place: Place
    text: str
    answer: RaceAnswer
    message: str
    accesses: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    findings: tuple[tuple[str, str], ...] = ()
    """Rule and message of each finding about it."""
