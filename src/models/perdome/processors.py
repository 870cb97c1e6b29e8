"""Processors as PerDome sees them: from Table 1 of the paper, or from devices of the catalogue."""

from ..catalogue import CatalogueError, Device, Figure
from ..quantity import Range
from ..workload import ElementType
from .bounds import Processor
from .partition import Times


def printed_processor(name: str) -> Processor:
    """A processor of Table 1 by id; InputError names those there are.

    Its times are one core's base clock and no vectors: a flop per cycle. Example: `printed_processor("gtx750")`."""
    from ..published import tables

    table = tables("perdome")["processors"]
    row = table.row(id=name)
    times = Times(row["flop_time"], row["byte_time"])
    return Processor(row["id"], row["name"], row["kind"], times, times, times, table.source)


def device_processor(device: Device, element_type: ElementType = "fp32") -> Processor:
    """A device of the catalogue: the inverse of its rate for `element_type` and of its memory rate, on CPUs with all
    cores. Figures with a range give slow and fast times.

    CatalogueError for figures that the device lacks. Ours, not the paper's, whose rates are without vectors."""
    cores = ".all_cores" if device.kind == "cpu" else ""
    memory = "memory.all_cores" if device.kind == "cpu" else "memory.coalesced"
    flop, byte = _per(device.figure(f"compute.{element_type}{cores}")), _per(device.figure(memory))
    return Processor(
        id=device.id,
        name=device.name,
        kind=device.kind,
        likely=Times(flop.likely, byte.likely),
        slow=Times(flop.high, byte.high),
        fast=Times(flop.low, byte.low),
        source=f"catalogue, {element_type}",
    )


def require_kind(processor: Processor, kind: str) -> Processor:
    """`processor` itself; CatalogueError where it is of another kind."""
    if processor.kind != kind:
        raise CatalogueError(f"{processor.id} is a {processor.kind}, not a {kind}")
    return processor


def _per(figure: Figure) -> Range:
    return Range(1 / figure.high, 1 / figure.value, 1 / figure.low)
