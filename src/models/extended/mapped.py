"""The mapping of a nest to the threads of a GPU, and the fastest of several.

A nest has more than one: which of its loops become threads, which stay inside one, in how many kernels. Each kernel is
a workload of its own; a mapping is kernels one after the other, between which all data stays on the device. Of several
forms of one kernel, and of several mappings, the one with the shortest likely time is taken, the earlier one where a
later one is not shorter by `WORTH`: simpler code comes first.
"""

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import TypeVar

from msgspec import Struct

from ..catalogue import Device
from ..quantity import Sizes
from ..values import number, symbols
from ..workload import Workload
from . import gpu
from .amounts import Prepared
from .sheet import EVERYTHING

WORTH = 0.95
"""A mapping that takes more than this share of the time of a simpler one is not worth the work."""

T = TypeVar("T")


class Kernel(Struct, frozen=True):
    """`text`: how it is mapped, as an instruction; `outermost`: see `facts.loop.Kernel`."""

    text: str
    workload: Workload
    amounts: Prepared
    outermost: int | None = None


class Mapped(Struct, frozen=True):
    """A mapping: kernels one after the other."""

    kernels: tuple[Kernel, ...]

    @property
    def text(self) -> str:
        if len(self.kernels) == 1:
            return self.kernels[0].text
        listed = "; ".join(f"({at}) {kernel.text}" for at, kernel in enumerate(self.kernels, 1))
        return f"{len(self.kernels)} kernels: {listed}"


def fastest(
    ways: Iterable[Sequence[Sequence[Kernel]]], device: Device, sizes: Sizes, typical: float
) -> Mapped | None:
    """The mapping with the shortest likely time at these sizes, others being `typical`; None where no time is known.
    Each of `ways` is kernels one after the other, each in several forms. MissingFigureError and
    UnsupportedPrecisionError as of `gpu.parts`."""

    def alone(kernel: Kernel) -> float:
        found = gpu.parts(kernel.workload, device, kernel.amounts["likely"], "likely", EVERYTHING, None)
        return number(found.total, {**dict.fromkeys(symbols(found.total), typical), **sizes})

    found: list[tuple[Mapped, float]] = []
    for way in ways:
        best = [_shortest(forms, alone) for forms in way]
        kernels = [kernel for kernel in best if kernel is not None]
        if best and len(kernels) == len(best):
            found.append((Mapped(tuple(kernel for kernel, _ in kernels)), sum(taken for _, taken in kernels)))
    shortest = _shortest(found, itemgetter(1))
    return None if shortest is None else shortest[0][0]


def _shortest(every: Iterable[T], time: Callable[[T], float]) -> tuple[T, float] | None:
    """The first that no later one is worth more than, and its time; those without one (a size of 0) aside."""
    best: tuple[T, float] | None = None
    for each in every:
        try:
            taken = time(each)
        except (ZeroDivisionError, OverflowError):
            continue
        if best is None or taken < WORTH * best[1]:
            best = each, taken
    return best
