"""What an editor shows of one text, as values that know nothing of the protocol but how it counts places."""

from pathlib import Path
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from .positions import Encoding, Position, Span

Level: TypeAlias = Literal["note", "warning", "error"]
Remembered: TypeAlias = dict[bytes, bytes]


class Asked(Struct, frozen=True):
    """A text to be analysed in place of what the file at the path holds, and how its places are counted. `known`: what
    the answer of before rests on (`cache.facts`), where the text has one; `memory`: of what was worked out for the
    functions of the text before (`driver.remembered`)."""

    path: Path
    text: str
    encoding: Encoding = "utf-16"
    known: dict[str, Any] | None = None
    memory: Remembered = {}


class Related(Struct, frozen=True):
    """Another place that a remark is about."""

    span: Span
    message: str


class Remark(Struct, frozen=True):
    """A finding. `rule` is None where the command itself has something to say, as of its configuration."""

    span: Span
    level: Level
    rule: str | None
    message: str
    related: tuple[Related, ...] = ()


class Replacement(Struct, frozen=True):
    """The text of a span becomes another one."""

    span: Span
    text: str


class Fix(Struct, frozen=True):
    """A change of the text that is offered at a loop."""

    title: str
    edits: tuple[Replacement, ...]


class ShownLoop(Struct, frozen=True):
    """A loop by its first word. `verdict`: in a few words; `heading`: what kind of loop it is, and how often it runs;
    `details`: lines of the text report."""

    span: Span
    verdict: str
    heading: str
    details: tuple[str, ...]
    fix: Fix | None = None

    def begins_on(self, first: int, last: int) -> bool:
        """Whether its first word is on one of these lines of the protocol."""
        return first <= self.span.begin.line <= last


class Answer(Struct, frozen=True):
    """`said`: what the command would print on standard error."""

    remarks: tuple[Remark, ...] = ()
    loops: tuple[ShownLoop, ...] = ()
    said: tuple[str, ...] = ()


class Reply(Struct, frozen=True):
    """The answer to a text, None where that of before still holds; what it rests on, None where that is not known;
    what was worked out for functions by then, nothing where that is not known."""

    answer: Answer | None
    rests_on: dict[str, Any] | None = None
    memory: Remembered = {}


def trouble(message: str, rule: str | None = None) -> Answer:
    """The answer where there is none: an error that stands where the text begins."""
    start = Position(0, 0)
    return Answer((Remark(Span(start, start), "error", rule, message),))
