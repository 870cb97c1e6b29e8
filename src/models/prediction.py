"""What a model answers: a time with its range, formulas and arithmetic, or a refusal with a reason."""

from typing import Literal, TypeAlias

from msgspec import Struct

from .expr import Expr, evaluate, free_symbols, to_text
from .quantity import Quantity, Range, Sizes

Candidate: TypeAlias = Literal["host", "host-vector", "host-threads", "target", "split"]
Bound: TypeAlias = Literal["compute", "memory", "transfer", "launch", "network"]
RefusalCode: TypeAlias = Literal["unsupported-precision", "no-device-figure", "exceeds-memory"]


class Term(Struct, frozen=True):
    """One line of the arithmetic. `expr` is the formula, `value` its value in `unit` (None: a size is not known)."""

    name: str
    expr: str
    value: float | None
    unit: str
    source: str


class Prediction(Struct, frozen=True):
    """The time, in seconds, of one entry of a loop on one device. The values are None where a size is not known: the
    formulas remain.

    `compute`, `memory`, `transfer` and `launch` are its parts: time = max(compute, memory) + transfer + launch at each
    end, while the likely time is the mean of those without and with the floors. `bound`: the largest part."""

    device: str
    model: str
    candidate: Candidate
    time: Range | None
    compute: Range | None
    memory: Range | None
    transfer: Range | None
    launch: Range | None
    bound: Bound | None
    formulas: Quantity
    terms: tuple[Term, ...]
    assumptions: tuple[str, ...] = ()


class Refusal(Struct, frozen=True):
    """No time can be given; `code` is one of the reason codes of the interface."""

    device: str
    code: RefusalCode
    message: str


def term(name: str, expr: Expr, unit: str, source: str, sizes: Sizes, written: str | None = None) -> Term:
    """A term with the value of `expr`; `written` is shown in place of its text."""
    value = float(evaluate(expr, sizes)) if free_symbols(expr) <= set(sizes) else None
    return Term(name, to_text(expr) if written is None else written, value, unit, source)
