"""What is found of a directive that a program has."""

from typing import Literal, TypeAlias

from msgspec import Struct

from ..base.places import Place

RACE, NO_VALUE, NOT_MAPPED, SLOW = "RAC001", "RAC002", "RAC003", "RAC004"
"""The rules of a race, of a copy without a value or of which the value is lost, of data that a device lacks, and of
threads that wait for each other."""

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
