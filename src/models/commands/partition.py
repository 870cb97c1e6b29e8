"""`boathull partition`: PerDome's bounds for a kernel on a CPU and a GPU, its best partition, the surface."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from ..catalogue import find_device
from ..errors import InputError
from ..perdome import (
    Bound,
    Piece,
    Processor,
    Times,
    bounds,
    device_processor,
    divide,
    intensity,
    printed_processor,
    shares,
)
from ..perdome.documents import bound_document, division_document, division_lines, kernel_document, kernel_text
from ..perdome.processors import require_kind
from ..saved import DEFINITIONS, Analysis, Definition, Loop, read_analysis
from ..tables import aligned
from ..units import readable
from ..workload import ElementType
from . import Subparsers, new_parser
from .arguments import UsageError, add_format, add_picture, json_text, number, positive, write
from .measures import measure, write_file

OVERVIEW = ("CPU-only", "GPU-only", "p-DP", "best")
DEFINED = {
    "compulsory": "compulsory traffic, every element read and written once",
    "per-iteration": "every reference once in each iteration",
}


def add(subparsers: Subparsers) -> None:
    parser = new_parser(
        subparsers, "partition", "PerDome: bounds of a kernel that CPU and GPU share, for every execution model."
    )
    kernel = parser.add_argument_group("the kernel, by its intensities in flops per byte or from an analysis")
    kernel.add_argument("--intensity", type=number, metavar="I", help="of the whole kernel")
    kernel.add_argument("--cpu-intensity", type=number, metavar="I_C", help="of the code on the CPU")
    kernel.add_argument("--gpu-intensity", type=number, metavar="I_G", help="of the code on the GPU")
    kernel.add_argument("--from-json", type=Path, metavar="FILE", help="written by `analyze -f json`")
    kernel.add_argument(
        "--loop",
        action="append",
        metavar="ID",
        help="LINE:COLUMN or id: one nest, whose pieces are divided, or several",
    )
    kernel.add_argument("--bytes", choices=DEFINITIONS, default="compulsory", help="how bytes are counted")
    system = parser.add_argument_group("the system")
    times = "device id, device file, or TIME_PER_FLOP,TIME_PER_BYTE such as 73.5ps,65.9ps (rates, too)"
    system.add_argument("--cpu", required=True, metavar="ID", help=times)
    system.add_argument("--gpu", required=True, metavar="ID", help=times)
    system.add_argument("--printed", action="store_true", help="processors of the paper's Table 1, not the catalogue")
    system.add_argument("--type", choices=("fp32", "fp64"), help="of the arithmetic (default: the analysis's, or fp32)")
    parser.add_argument("--data-sets", type=positive, metavar="D", help="equal sets of data that cannot be divided")
    add_picture(parser, "bounds over I_C and I_G", "--surface", (".csv",))
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    code = _code(arguments)
    if arguments.from_json is not None:
        write(_analysed(arguments))
        return 0
    if arguments.intensity is None:
        raise UsageError("give --intensity or --from-json")
    if arguments.loop is not None:
        raise UsageError("--loop names a loop of --from-json")
    cpu, gpu = _system(arguments, arguments.type or "fp32")
    whole = float(arguments.intensity)
    found = bounds(cpu, gpu, whole, code, arguments.data_sets)
    _surface(arguments, cpu, gpu, whole, found)
    document = kernel_document(cpu, gpu, whole, found)
    write(json_text(document) if arguments.format == "json" else kernel_text(cpu, gpu, whole, found))
    return 0


def _code(arguments: argparse.Namespace) -> tuple[float, float] | None:
    """The CPU's shares of flops and bytes for the intensities on the command line."""
    given = arguments.cpu_intensity, arguments.gpu_intensity
    if arguments.from_json is not None and (arguments.intensity, *given) != (None, None, None):
        raise UsageError("an analysis has its intensities: --from-json goes without --intensity and its parts")
    if given == (None, None):
        return None
    if None in given:
        raise UsageError("--cpu-intensity and --gpu-intensity go together")
    if arguments.intensity is None:
        raise UsageError("--cpu-intensity and --gpu-intensity need --intensity, the kernel's")
    whole, left, right = float(arguments.intensity), float(given[0]), float(given[1])
    return None if whole == left == right else shares(whole, left, right)  # all equal: data is divided, not code


# --- an analysis


def _analysed(arguments: argparse.Namespace) -> str:
    analysis = read_analysis(arguments.from_json)
    outermost = analysis.outermost()
    if arguments.loop is None and len(outermost) != 1:
        return _overview(arguments, analysis, outermost)
    loops = outermost if arguments.loop is None else _chosen(analysis, arguments.loop)
    widest: ElementType = "fp64" if any(loop.element_type == "fp64" for loop in loops) else "fp32"
    cpu, gpu = _system(arguments, arguments.type or widest)
    flops = sum(loop.flops for loop in loops)
    traffic = sum(analysis.traffic(loop, arguments.bytes) for loop in loops)
    name = " + ".join(loop.id for loop in loops)
    whole = intensity([Piece(name, flops, traffic)])
    pieces, reason = _pieces(analysis, loops, arguments.bytes)
    division = divide(cpu.likely, gpu.likely, pieces) if len(pieces) > 1 else None
    code = None if division is None else (division.cpu_flops, division.cpu_bytes)
    found = bounds(cpu, gpu, whole, code, arguments.data_sets)
    _surface(arguments, cpu, gpu, whole, found)
    if arguments.format == "json":
        extra = {"loop": name, "bytes": arguments.bytes, "flops": flops, "traffic_bytes": traffic}
        divided = {"division": division_document(pieces, division), "undivided": reason}
        return json_text(extra | kernel_document(cpu, gpu, whole, found) | divided)
    lines = [f"{name}: {flops:.6g} flops, {readable(traffic, 'B')} ({DEFINED[arguments.bytes]})"]
    if arguments.printed and widest == "fp64":
        lines.append("the code computes in fp64, the processors of Table 1 in single precision")
    lines.append(kernel_text(cpu, gpu, whole, found))
    lines += ["", reason or ""] if division is None else division_lines(pieces, division)
    return "\n".join(lines)


def _chosen(analysis: Analysis, names: Sequence[str]) -> tuple[Loop, ...]:
    """The loops that --loop names; UsageError where one is named twice or lies inside another."""
    loops = tuple(analysis.loop(name) for name in names)
    for loop in loops:
        around = analysis.around(loop)
        if sum(other is loop for other in loops) > 1 or any(other in around for other in loops):
            raise UsageError(f"--loop: {loop.id} is part of another of these loops or named twice")
    return loops


def _pieces(analysis: Analysis, loops: Sequence[Loop], definition: Definition) -> tuple[tuple[Piece, ...], str | None]:
    """Several loops are pieces of one kernel; one loop has the pieces of its nest, or the reason why it has none."""
    if len(loops) > 1:
        return tuple(Piece(loop.id, loop.flops, analysis.traffic(loop, definition)) for loop in loops), None
    try:
        pieces = analysis.pieces(loops[0], definition)
    except InputError as error:
        return (), str(error)
    return pieces, None if len(pieces) > 1 else "one piece of code: it can only be divided by its data"


def _overview(arguments: argparse.Namespace, analysis: Analysis, loops: Sequence[Loop]) -> str:
    """One line for each outermost loop; of those whose counts are not known, why."""
    if arguments.surface is not None:
        raise UsageError("--surface draws one kernel: choose it with --loop")
    known, refused = [], []
    for loop in loops:
        cpu, gpu = _system(arguments, arguments.type or loop.element_type)
        try:
            whole = intensity([Piece(loop.id, loop.flops, analysis.traffic(loop, arguments.bytes))])
            known.append((loop.id, whole, bounds(cpu, gpu, whole)))
        except InputError as error:
            refused.append((loop.id, str(error)))
    if arguments.format == "json":
        entries = [
            {"loop": name, "intensity": whole, "bounds": [bound_document(bound, whole) for bound in found]}
            for name, whole, found in known
        ]
        unknown = [{"loop": name, "message": reason} for name, reason in refused]
        return json_text({"bytes": arguments.bytes, "loops": entries, "refused": unknown})
    lines: list[tuple[str, ...]] = [("loop", "flop/B", *OVERVIEW)]
    for name, whole, found in known:
        models = {bound.model: readable(bound.performance.likely, "op/s") for bound in found}
        lines.append((name, f"{whole:.4g}", *(models[model] for model in OVERVIEW)))
    note = f"bytes: {DEFINED[arguments.bytes]}; --loop ID divides the code of one nest"
    return "\n".join((*aligned(lines), *(reason for _, reason in refused), note))


# --- the system


def _system(arguments: argparse.Namespace, element_type: ElementType) -> tuple[Processor, Processor]:
    cpu = _processor("--cpu", arguments.cpu, arguments, element_type)
    gpu = _processor("--gpu", arguments.gpu, arguments, element_type)
    return require_kind(cpu, "cpu"), require_kind(gpu, "gpu")


def _processor(option: str, text: str, arguments: argparse.Namespace, element_type: ElementType) -> Processor:
    flop, comma, byte = text.partition(",")
    if comma:
        times = Times(_seconds(flop, "operation rate"), _seconds(byte, "data rate"))
        return Processor(text, text, option.removeprefix("--"), times, times, times, "the command line")
    if arguments.printed:
        return printed_processor(text)
    return device_processor(find_device(text), element_type)


def _seconds(text: str, per: str) -> float:
    """A time, or the inverse of a rate."""
    if per == "operation rate":
        value, dimension = measure(text, "time", "operation rate")
    else:
        value, dimension = measure(text, "time", "data rate")
    return value if dimension == "time" else 1 / value


def _surface(
    arguments: argparse.Namespace, cpu: Processor, gpu: Processor, whole: float, found: Sequence[Bound]
) -> None:
    """Writes what --surface asks for."""
    path: Path | None = arguments.surface
    if path is None:
        return
    from ..plots import perdome
    from ..plots.files import save

    if path.suffix == ".csv":
        write_file("--surface", path, perdome.csv(cpu, gpu, whole))
    else:
        chart, surface = perdome.partitions(cpu, gpu, whole, found)
        save("--surface", path, chart.title, [surface, chart])
