"""`boathull dnn`: time of each layer of a network by the parameterised roofline."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from ..accuracy import mape, percentage_error
from ..catalogue import find_device, suggestion
from ..dnn import ACTIVATIONS, Row, System, layers, network, operations, plain, predict, systems, with_activations
from ..published import Table, read_tables, tables
from ..tables import aligned
from ..units import readable
from . import Subparsers, new_parser
from .arguments import UsageError, add_format, json_text, positive, refuse, write

PAPER = "paper"
CALIBRATION = 32
"""The batch whose measured activations `--activations measured` uses on the paper's systems."""


def add(subparsers: Subparsers) -> None:
    parser = new_parser(subparsers, "dnn", "Parameterised roofline of a network: dense layers at measured rates.")
    parser.add_argument(
        "layers", nargs="+", metavar="LAYER",
        help=f"INPUTSxOUTPUTS (dense), {', '.join(ACTIVATIONS)}; or `{PAPER}`, the network of the paper",
    )  # fmt: skip
    parser.add_argument(
        "-b", "--batch", type=_batches, required=True, metavar="N", help="inputs at once: 32 or 32,64,128"
    )
    parser.add_argument("--system", default="carbonate", metavar="ID", help="carbonate, bridges, or one of --file")
    parser.add_argument(
        "--file", type=Path, metavar="FILE", help="measured products, as src/models/data/dnn.toml has them"
    )
    parser.add_argument(
        "--device", metavar="ID", help="the plain roofline of a catalogue device: its peak at every size"
    )
    parser.add_argument(
        "--activations", choices=("roof", "measured"),
        help=f"by the memory roof (the paper), or as measured: in the file, or for batch {CALIBRATION} of the paper's "
        "systems (ours); default: measured where a file has them",
    )  # fmt: skip
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    system = _system(arguments)
    of_paper = arguments.layers == [PAPER]
    chosen = network() if of_paper else layers(arguments.layers)
    rows = [row for batch in arguments.batch for row in predict(chosen, batch, system)]
    results = _results(arguments) if of_paper else None
    measured = [_measured(results, system.id, row) for row in rows]
    errors = _errors(rows, measured)
    if arguments.format == "json":
        document = {
            "system": system.id,
            "memory_bytes_per_s": system.memory,
            "source": system.source,
            "layers": [_document(row, actual) for row, actual in zip(rows, measured, strict=True)],
            "total_s": {str(batch): sum(row.time for row in rows if row.batch == batch) for batch in arguments.batch},
            "mape": {str(batch): value for batch, value in errors.items()} or None,
        }
        write(json_text(document))
    else:
        write(_text(system, rows, measured, errors))
    return 0


def _system(arguments: argparse.Namespace) -> System:
    if arguments.device is not None:
        if arguments.file is not None or arguments.activations == "measured":
            raise UsageError("--device is the plain roofline: it has no measured products or activations")
        return _device(arguments.device)
    known = systems() if arguments.file is None else systems(read_tables(arguments.file))
    if arguments.system not in known:
        raise UsageError(f"unknown system {arguments.system!r}{suggestion(arguments.system, known)}")
    system = known[arguments.system]
    if arguments.activations == "roof":
        return replace(system, activations={})
    if arguments.activations is None or system.activations:
        return system
    if arguments.file is not None:
        raise UsageError(f"--activations: {arguments.file} has no table [activations] of {system.id}")
    return with_activations(system, CALIBRATION)


def _results(arguments: argparse.Namespace) -> Table | None:
    """What was measured of the paper's network, where it was."""
    if arguments.device is not None:
        return None
    return (tables("dnn") if arguments.file is None else read_tables(arguments.file)).get("results")


def _device(name: str) -> System:
    """The peak of a device in single precision, in multiply-adds per second; on CPUs all cores."""
    device = find_device(name)
    cpu = device.kind == "cpu"
    peak = device.figure("compute.fp32.all_cores" if cpu else "compute.fp32")
    memory = device.figure("memory.all_cores" if cpu else "memory.coalesced")
    bare = System(device.id, device.name, memory.value, lambda m, k, n: 1.0, operations(), f"catalogue: {peak.source}")
    return plain(bare, peak.value / 2)  # two operations, fused or not


def _measured(results: Table | None, system: str, row: Row) -> float | None:
    key = (system, row.batch, row.name)
    rows = () if results is None else results.rows
    found = [float(r["measured"]) for r in rows if (r["system"], r["batch"], r["name"]) == key]
    return found[0] if found else None


def _errors(rows: Sequence[Row], measured: Sequence[float | None]) -> dict[int, float]:
    """Mean absolute percentage error of each batch that was measured."""
    errors = {}
    for batch in dict.fromkeys(row.batch for row in rows):
        pairs = [
            (actual, row.time) for row, actual in zip(rows, measured, strict=True) if row.batch == batch and actual
        ]
        if pairs:
            errors[batch] = mape([actual for actual, _ in pairs], [time for _, time in pairs])
    return errors


def _text(system: System, rows: Sequence[Row], measured: Sequence[float | None], errors: dict[int, float]) -> str:
    compared = bool(errors)
    head = (
        "layer",
        "batch",
        "operations",
        "op/B",
        "predicted",
        "limit",
        *(("measured", "error %") if compared else ()),
    )
    lines = [
        (
            row.name,
            str(row.batch),
            f"{row.operations:.0f}",
            f"{row.intensity:.4g}",
            readable(row.time, "s"),
            row.limit,
            *(_comparison(row, actual) if compared else ()),
        )
        for row, actual in zip(rows, measured, strict=True)
    ]
    totals = [
        f"batch {batch}: {readable(sum(row.time for row in rows if row.batch == batch), 's')} in all"
        + (f", mean absolute percentage error {errors[batch]:.2f}" if batch in errors else "")
        for batch in dict.fromkeys(row.batch for row in rows)
    ]
    heading = f"{system.name}: memory {readable(system.memory, 'B/s')}; {system.source}"
    return "\n".join((heading, "", *aligned((head, *lines)), "", *totals))


def _comparison(row: Row, actual: float | None) -> tuple[str, str]:
    return ("-", "-") if actual is None else (readable(actual, "s"), f"{percentage_error(actual, row.time):.2f}")


def _document(row: Row, actual: float | None) -> dict[str, object]:
    return {
        "name": row.name,
        "kind": row.kind,
        "batch": row.batch,
        "operations": row.operations,
        "intensity": row.intensity,
        "time_s": row.time,
        "limit": row.limit,
        "measured_s": actual,
        "error_percent": None if actual is None else percentage_error(actual, row.time),
    }


def _batches(text: str) -> tuple[int, ...]:
    batches = tuple(positive(part) for part in text.split(","))
    if len(set(batches)) != len(batches):
        refuse(f"{text!r} names a batch twice")
    return batches
