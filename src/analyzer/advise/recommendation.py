"""What is said of one loop, and what the places are called that it could run on."""

from typing import Literal, TypeAlias

from msgspec import Struct

from models.quantity import Range

from ..ir.reasons import ReasonCode
from .breakeven import BreakEven

VerdictName: TypeAlias = Literal["offload", "host-parallel", "host", "depends", "cannot-model"]

PLACES: dict[str, str] = {
    "target": "{}",
    "host-threads": "all threads of {}",
    "host-vector": "one thread of {} with vectors",
    "split": "{} with all threads of the host",
}
VERBS = {"host-threads": "win", "split": "win"}
WAYS = {"host-threads": "all threads", "host-vector": "vectors"}
ON_THE_HOST = tuple(WAYS)


class Recommendation(Struct, frozen=True):
    """`speedup` is that of `device` over the host today."""

    verdict: VerdictName
    code: ReasonCode
    message: str
    device: str | None = None
    candidate: str | None = None
    speedup: Range | None = None
    break_even: tuple[BreakEven, ...] = ()
