"""`boathull scale`: the communication-aware roofline of an algorithm, of numbers, or of an analysed MPI program."""

import argparse
from collections.abc import Iterable, Sequence
from itertools import product
from math import inf
from pathlib import Path

from ..catalogue import suggestion
from ..communication import ALGORITHMS, Cache, Point, System, Work, paper_cache, system_named, systems
from ..errors import InputError
from ..saved import DEFINITIONS, read_analysis
from ..tables import aligned
from ..units import readable
from . import Subparsers, new_parser
from .arguments import UsageError, add_format, add_picture, json_text, number, write
from .measures import rate, span, spread


def add(subparsers: Subparsers) -> None:
    parser = new_parser(
        subparsers, "scale", "Communication-aware roofline: peak, memory and network limit each of P processes."
    )
    parser.add_argument("algorithm", nargs="?", metavar="ALGORITHM", help=", ".join(ALGORITHMS))
    parser.add_argument(
        "--size", action="append", default=[], type=span, metavar="N=V", help="N, or V and E; N=A..B doubles"
    )
    parser.add_argument(
        "-P", "--processes", type=spread, default=(), metavar="P", help="such as 128, 4,16,64 or 2..1024"
    )
    parser.add_argument("--oi", type=number, metavar="OI", help="flops per byte of memory, in place of an algorithm")
    parser.add_argument("--cai", type=number, metavar="CAI", help="flops per byte of network")
    parser.add_argument("--from-json", type=Path, metavar="FILE", help="loops that `analyze -f json` has written")
    parser.add_argument(
        "--bytes", choices=DEFINITIONS, default="compulsory", help="how an analysis's bytes are counted"
    )
    parser.add_argument(
        "--stages",
        choices=("table", "text"),
        default="table",
        help="log2 P of a tree: as in Table 2.4, or rounded up as in the text",
    )
    parser.add_argument("--line", type=number, metavar="B", help="elements of a cache line (8)")
    parser.add_argument("--cache", type=number, metavar="M", help="elements of the cache (2048)")
    parser.add_argument("--element-bytes", type=number, metavar="N", help="where Table 2.4 counts elements (8)")
    parser.add_argument(
        "--system",
        default="",
        metavar="ID",
        help="big-red-ii, karst, jetstream, or a FILE.toml of one's own; several with commas",
    )
    parser.add_argument("--peak", metavar="RATE", help="of one process, such as 22Gop/s, in place of --system")
    parser.add_argument("--memory", metavar="RATE", help="such as 13.9GB/s")
    parser.add_argument("--network", metavar="RATE", help="such as 1.2GB/s")
    add_picture(parser, "both charts and the surfaces")
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    chosen = _systems(arguments)
    points, notes = _points(arguments, chosen)
    if arguments.plot is not None:
        from ..plots.files import save
        from ..plots.rooflines import rooflines

        save("--plot", arguments.plot, "Communication-aware roofline", rooflines(chosen, points))
    if arguments.format == "json":
        document = {
            "stages": arguments.stages,
            "systems": [_system_document(system) for system in chosen],
            "points": [_point_document(point) for point in points],
            "notes": notes,
        }
        write(json_text(document))
    else:
        write("\n".join((*_system_lines(chosen), "", *_point_lines(points), *notes)))
    return 0


# --- what is asked for


def _systems(arguments: argparse.Namespace) -> list[System]:
    own = arguments.peak, arguments.memory, arguments.network
    if any(own):
        if arguments.system or not all(own):
            raise UsageError("give --system, or all of --peak, --memory and --network")
        peak, memory, network = rate(own[0], "operation rate"), rate(own[1], "data rate"), rate(own[2], "data rate")
        return [System("given", "given", peak, memory, network, "the command line")]
    if arguments.system:
        return [system_named(name) for name in arguments.system.split(",")]
    return list(systems().values())


def _points(arguments: argparse.Namespace, chosen: Sequence[System]) -> tuple[list[Point], list[str]]:
    asked = (arguments.algorithm is not None, arguments.oi is not None, arguments.from_json is not None)
    if sum(asked) > 1:
        raise UsageError("one of ALGORITHM, --oi and --from-json")
    if arguments.cai is not None and arguments.oi is None:
        raise UsageError("--cai goes with --oi")
    if arguments.algorithm is not None:
        return _algorithm_points(arguments, chosen)
    if arguments.size or arguments.processes:
        raise UsageError("--size and --processes belong to an algorithm")
    if arguments.from_json is not None:
        return _analysed_points(arguments, chosen)
    if arguments.oi is not None:
        oi, cai = float(arguments.oi), inf if arguments.cai is None else float(arguments.cai)
        return [Point("given", system, {}, None, oi, cai) for system in chosen], []
    return [], []


def _algorithm_points(arguments: argparse.Namespace, chosen: Sequence[System]) -> tuple[list[Point], list[str]]:
    name = arguments.algorithm.lower()
    if name not in ALGORITHMS:
        raise UsageError(f"unknown algorithm {arguments.algorithm!r}{suggestion(name, ALGORITHMS)}")
    algorithm = ALGORITHMS[name]
    if not arguments.processes:
        raise UsageError("give the number of processes, -P")
    values = dict(arguments.size)
    cache = _cache(arguments)
    points = []
    for processes, *sizes in product(arguments.processes, *values.values()):
        named = dict(zip(values, sizes, strict=True))
        work = algorithm.work(dict(named), processes, cache, arguments.stages)
        for system in chosen:
            point = Point(algorithm.id, system, named | {"P": processes}, work, float(work.oi), float(work.cai))
            points.append(point)
    notes = [
        f"{algorithm.name}, per process; trees of {'log2 P' if arguments.stages == 'table' else 'ceil(log2 P)'} stages"
    ]
    if algorithm.counts_elements:
        notes.append(
            f"Table 2.4 counts its memory traffic in elements, taken as {cache.element_bytes:g} bytes; "
            f"B = {cache.line:g} and M = {cache.size:g} elements"
        )
    return points, notes


def _cache(arguments: argparse.Namespace) -> Cache:
    paper = paper_cache()
    given = (
        own if own is not None else printed
        for own, printed in (
            (arguments.line, paper.line), (arguments.cache, paper.size), (arguments.element_bytes, paper.element_bytes),
        )
    )  # fmt: skip
    return Cache(*(float(value) for value in given))


def _analysed_points(arguments: argparse.Namespace, chosen: Sequence[System]) -> tuple[list[Point], list[str]]:
    """The outermost loops; one without known network bytes counts as sending nothing, and is named."""
    analysis = read_analysis(arguments.from_json)
    points, notes = [], [f"bytes: {arguments.bytes}"]
    for loop in analysis.outermost():
        try:
            traffic = analysis.traffic(loop, arguments.bytes)
            if not loop.flops or not traffic:
                raise InputError(f"{loop.id}: without flops and bytes there is no operational intensity")
        except InputError as error:
            notes.append(str(error))
            continue
        if loop.network_bytes is None:
            notes.append(f"{loop.id}: no network bytes in the analysis, the memory roof alone")
        work = Work(loop.flops, traffic, loop.network_bytes or 0.0)
        points += [Point(loop.id, system, {}, work, float(work.oi), float(work.cai)) for system in chosen]
    return points, notes


# --- output


def _system_lines(chosen: Iterable[System]) -> list[str]:
    head = ("system", "peak", "memory", "network", "ridge OI", "ridge CAI", "source")
    rows = [
        (
            system.id,
            readable(system.peak, "op/s"),
            readable(system.memory, "B/s"),
            readable(system.network, "B/s"),
            f"{system.ridge_oi:.4g}",
            f"{system.ridge_cai:.4g}",
            system.source,
        )
        for system in chosen
    ]
    return aligned((head, *rows))


def _point_lines(points: Sequence[Point]) -> list[str]:
    if not points:
        return []
    names = list(points[0].sizes)
    head = ("", "system", *names, "OI", "CAI", "attainable", "limit", "plain roofline", "time")
    rows = [
        (
            point.name,
            point.system.id,
            *(f"{point.sizes[name]:.0f}" for name in names),
            f"{point.oi:.4g}",
            "-" if point.cai == inf else f"{point.cai:.4g}",
            readable(point.attainable, "op/s"),
            point.limit,
            readable(point.without_network, "op/s"),
            "-" if point.time is None else readable(point.time, "s"),
        )
        for point in points
    ]
    return aligned((head, *rows))


def _system_document(system: System) -> dict[str, object]:
    return {
        "id": system.id,
        "name": system.name,
        "peak_ops_per_s": system.peak,
        "memory_bytes_per_s": system.memory,
        "network_bytes_per_s": system.network,
        "ridge_oi": system.ridge_oi,
        "ridge_cai": system.ridge_cai,
        "source": system.source,
    }


def _point_document(point: Point) -> dict[str, object]:
    work = point.work
    return {
        "name": point.name,
        "system": point.system.id,
        "sizes": point.sizes,
        "oi": point.oi,
        "cai": None if point.cai == inf else point.cai,
        "flops": None if work is None else float(work.flops),
        "memory_bytes": None if work is None else float(work.memory_bytes),
        "network_bytes": None if work is None else float(work.network_bytes),
        "attainable_ops_per_s": point.attainable,
        "plain_roofline_ops_per_s": point.without_network,
        "limit": point.limit,
        "time_s": point.time,
    }
