"""What a model answers: a time with its range, formulas and arithmetic, or a refusal with a reason."""

from collections.abc import Callable
from typing import Literal, TypeAlias

from msgspec import Struct

from .expr import Expr, known_value, to_text
from .quantity import NOTHING, Quantity, Range, Sizes
from .values import Ends, Value, as_quantity, formula, symbols_of

Candidate: TypeAlias = Literal["host", "host-vector", "host-threads", "target", "split"]
Bound: TypeAlias = Literal["compute", "memory", "transfer", "launch", "network"]
RefusalCode: TypeAlias = Literal["unsupported-precision", "no-device-figure", "exceeds-memory", "deep-copy"]


class Term(Struct, frozen=True):
    """One line of the arithmetic. `expr` is the formula in words, `value` its value in `unit` (None: a size is not
    known), `amount` what it is computed from where it depends on a size that is not known; `figure`: of one that the
    file of a device gives, both their names, as in `h200 link.rate`, where `source` begins with them."""

    name: str
    expr: str
    value: float | None
    unit: str
    source: str
    amount: Value | Expr | None = None
    figure: str | None = None


Terms: TypeAlias = tuple[Term, ...]


class Shares(Struct, frozen=True):
    """The parts of a time at its three ends, as formulas of the sizes."""

    compute: Quantity | Ends
    memory: Quantity | Ends
    transfer: Quantity | Ends
    launch: Quantity | Ends


class Room(Struct, frozen=True):
    """What must fit: `needed` bytes of data into `capacity`."""

    needed: Value | Expr
    capacity: float


class AsWritten(Struct, frozen=True):
    """The time of a nest in the order of the code, with so many of its outermost loops as threads."""

    threads: int
    time: Range


class Prediction(Struct, frozen=True, dict=True):
    """The time, in seconds, of one entry of a loop on one device. The values are None where a size is not known: the
    formulas remain.

    `compute`, `memory`, `transfer` and `launch` are its parts: time = max(compute, memory) + transfer + launch at each
    end (the boat hull's likely time is the mean of those without and with its floors). `bound`: the largest part.
    `total` is the time as formulas and `moving` the transfer's share of it; `arithmetic` makes the terms, and
    `effects` says by what share of the likely time it is longer for each effect that the plain model leaves out.
    These are computed when they are asked for. `shares`: the parts as formulas, where the model has them.
    `room`: of a device whose memory is limited. `mapping`: which loops become threads there, in words; `as_written`: of
    a known time with one, those of the nest as it is written."""

    device: str
    model: str
    candidate: Candidate
    time: Range | None
    compute: Range | None
    memory: Range | None
    transfer: Range | None
    launch: Range | None
    bound: Bound | None
    total: Quantity | Ends
    moving: Quantity | Ends = NOTHING
    arithmetic: Terms | Callable[[], Terms] = ()
    assumptions: tuple[str, ...] = ()
    weighing: Callable[[], tuple[tuple[str, float], ...]] | None = None
    shares: Shares | None = None
    room: Room | None = None
    mapping: str | None = None
    as_written: tuple[AsWritten, ...] = ()

    @property
    def formulas(self) -> Quantity:
        """The time as formulas of the sizes."""
        return as_quantity(self.total)

    @property
    def formula(self) -> Expr:
        """The likely time as a formula."""
        return formula(self.total.likely)

    @property
    def terms(self) -> Terms:
        """The arithmetic of the likely time, step by step."""
        return self.arithmetic() if callable(self.arithmetic) else self.arithmetic

    @property
    def effects(self) -> tuple[tuple[str, float], ...]:
        """Effects that matter, the largest first: the share of the likely time that each adds, or, negative, the share
        that it saves of the time without it."""
        return () if self.weighing is None else self.weighing()

    @property
    def symbols(self) -> frozenset[str]:
        """The sizes that the time depends on."""
        return symbols_of(self.total)


class Refusal(Struct, frozen=True):
    """No time can be given; `code` is one of the reason codes of the interface."""

    device: str
    code: RefusalCode
    message: str


def term(name: str, expr: Expr, unit: str, source: str, sizes: Sizes, written: str | None = None) -> Term:
    """A term with the value of `expr`; `written` is shown in place of its text."""
    value = known_value(expr, sizes)
    text = to_text(expr) if written is None else written
    return Term(name, text, value, unit, source, expr if value is None else None)
