"""Memory time of basic blocks on each device, and the best device of each block.

    memory time = sum over blocks i, types j of  references_ij · reference size / bandwidth_j(data footprint)

(PMaC paper, equations 1 and 2; type j is the idiom of the references.) A device that lacks a curve, or whose curve
does not reach to the footprint, is no choice for that block, and the answer says why. Transfers between host and
device are left out, as in the paper's projections, or added from a curve of `transfer`.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from ..errors import InputError
from ..quantity import Range
from .curves import Access, Curve, Curves, Idiom, SizeError

Times: TypeAlias = Mapping[str, Range]
"""Seconds by device."""


class BlockError(InputError):
    """A block that cannot be, or that no device can run."""


class NoCurveError(InputError):
    """Nobody measured this idiom on this device."""


class References(Struct, frozen=True):
    """Memory references of one idiom in a block: how many in all, the size of one, and the data they range over."""

    idiom: Idiom
    count: float
    size_bytes: float
    footprint_bytes: float

    def __post_init__(self) -> None:
        for name, value in (("count", self.count), ("size", self.size_bytes), ("footprint", self.footprint_bytes)):
            if not 0 <= value < math.inf:
                raise BlockError(f"{self.idiom}: the {name} of references is {value:g}")


class Block(Struct, frozen=True):
    """A basic block, by file and line; `transfer_bytes`: what must be copied where it runs on an accelerator."""

    name: str
    references: tuple[References, ...]
    transfer_bytes: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.transfer_bytes < math.inf:
            raise BlockError(f"{self.name}: transfer_bytes is {self.transfer_bytes:g}")


class Choice(Struct, frozen=True):
    """A block's best device, all its times, and why the other devices are no choice."""

    block: str
    device: str
    times: Times
    refused: Mapping[str, str]

    @property
    def time(self) -> Range:
        return self.times[self.device]


class Assignment(Struct, frozen=True):
    """`total`: all blocks on their best devices. `alone`: all blocks on one device, where it can run them all."""

    choices: tuple[Choice, ...]
    total: Range
    alone: Times


def block_time(block: Block, device: str, curves: Curves, *, transfers: bool = False) -> Range:
    """Seconds of all references of `block` on `device`; the range is the spread of the curves. `transfers` adds the
    copies. NoCurveError and SizeError where the curves do not answer.

    Example: a thousand sweeps over 8 MB by stream on the Convey HC-1,
    `block_time(Block("a.c:3", (References("stream", 1e9, 8, 8e6),)), "convey-hc1", printed_curves())`, 0.151 s."""
    parts = [
        _spread(r.count * r.size_bytes, find_curve(curves, device, r.idiom), r.footprint_bytes)
        for r in block.references
        if r.count * r.size_bytes > 0
    ]
    if transfers:
        parts.append(transfer_time(block, device, curves))
    return _sum(parts)


def transfer_time(block: Block, device: str, curves: Curves) -> Range:
    """Seconds of copying the block's data between host and device; NoCurveError and SizeError as `block_time`."""
    if block.transfer_bytes == 0:
        return Range(0.0, 0.0, 0.0)
    return _spread(block.transfer_bytes, find_curve(curves, device, "transfer"), block.transfer_bytes)


def best_devices(
    blocks: Iterable[Block], devices: Sequence[str], curves: Curves, *, host: str | None = None
) -> Assignment:
    """The best device of each block by likely time (of equal ones the first by name). With a `host` among the devices
    all others pay their transfers; without one none does, as in the paper. BlockError for a block that no device can
    run."""
    table: dict[str, Times] = {}
    refused: dict[str, Mapping[str, str]] = {}
    for block in blocks:
        if block.name in table:
            raise BlockError(f"two blocks are called {block.name}")
        times: dict[str, Range] = {}
        reasons: dict[str, str] = {}
        for device in devices:
            try:
                times[device] = block_time(block, device, curves, transfers=host not in (None, device))
            except (NoCurveError, SizeError) as error:
                reasons[device] = str(error)
        table[block.name], refused[block.name] = times, reasons
    return choose(table, refused)


def choose(table: Mapping[str, Times], refused: Mapping[str, Mapping[str, str]] | None = None) -> Assignment:
    """The best device of each block from times known before, such as measured ones."""
    reasons = refused or {}
    choices = []
    for block, times in table.items():
        if not times:
            why = "; ".join(reasons.get(block, {}).values()) or "no device given"
            raise BlockError(f"{block}: no device can run it: {why}")
        best = min(times, key=lambda device: (times[device].likely, device))
        choices.append(Choice(block, best, times, reasons.get(block, {})))
    devices = sorted({device for times in table.values() for device in times})
    everywhere = [device for device in devices if all(device in times for times in table.values())]
    return Assignment(
        tuple(choices),
        _sum(choice.time for choice in choices),
        {device: _sum(times[device] for times in table.values()) for device in everywhere},
    )


def find_curve(curves: Curves, device: str, idiom: Access) -> Curve:
    """The curve, or NoCurveError."""
    curve = curves.get((device, idiom))
    if curve is None:
        raise NoCurveError(f"{device} has no bandwidth curve of {idiom}")
    return curve


def _spread(moved_bytes: float, curve: Curve, footprint_bytes: float) -> Range:
    likely = moved_bytes / curve.bandwidth(footprint_bytes)
    return Range(likely / (1 + curve.spread), likely, likely / (1 - curve.spread))


def _sum(parts: Iterable[Range]) -> Range:
    """End by end; exact sums, so that the order of blocks does not matter."""
    known = tuple(parts)
    return Range(*(math.fsum(getattr(part, end) for part in known) for end in ("low", "likely", "high")))
