"""`boathull idioms`: PMaC's bandwidth curves, the best device of each block, and what that does to an application."""

import argparse
from collections.abc import Callable, Mapping
from math import inf
from pathlib import Path
from typing import TypeAlias

from ..pmac.blocks import Assignment, best_devices
from ..pmac.curves import IDIOMS, Curve, Curves, SizeError, printed_curves
from ..pmac.files import load_blocks, read_curves
from ..pmac.projection import Part, project
from ..tables import aligned
from ..units import readable
from . import Subparsers, new_parser
from .arguments import UsageError, add_format, add_picture, json_text, number, refuse, write
from .measures import measure, measured_argument

Answer: TypeAlias = Callable[[argparse.Namespace], tuple[object, str]]
"""The document for JSON, and the text."""


def add(subparsers: Subparsers) -> None:
    parser = new_parser(subparsers, "idioms", "PMaC: bandwidth of idioms by data size, and the best device of blocks.")
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    curves = _action(actions, "curves", "bandwidth of idioms on devices by data size", _curves)
    curves.add_argument("idiom", nargs="?", choices=(*IDIOMS, "transfer"), metavar="IDIOM", help=", ".join(IDIOMS))
    curves.add_argument("--size", type=_sizes, default=(), metavar="BYTES", help="such as 8MB or 8MB,1GB")
    add_picture(curves, "draw the curves")
    blocks = _action(actions, "blocks", "the best device of each block of code", _blocks)
    blocks.add_argument(
        "file", type=Path, metavar="CSV", help="columns block, idiom, references, size, footprint [, transfer]"
    )
    blocks.add_argument("--host", metavar="ID", help="where the data is: all other devices pay their transfers")
    for action in (curves, blocks):
        action.add_argument(
            "--curves", type=Path, metavar="FILE",
            help="measured curves: .csv with device, idiom, bytes, rate, or .toml as data/curves/pmac.toml",
        )  # fmt: skip
    projection = _action(actions, "project", "an application whose parts get faster", _project)
    projection.add_argument(
        "part", nargs="+", type=_part, metavar="COVERAGE:SPEEDUP", help="part of its time and old over new: 4.6%%:17.3"
    )
    projection.add_argument("--total", metavar="TIME", help="time of the application today, such as 5980s")


def run(arguments: argparse.Namespace) -> int:
    document, text = arguments.answer(arguments)
    write(json_text(document) if arguments.format == "json" else text)
    return 0


def _action(actions: Subparsers, name: str, summary: str, answer: Answer) -> argparse.ArgumentParser:
    parser = actions.add_parser(
        name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.", allow_abbrev=False
    )
    parser.set_defaults(answer=answer)
    add_format(parser)
    return parser


# --- curves


def _curves(arguments: argparse.Namespace) -> tuple[object, str]:
    known = _known(arguments.curves)
    chosen = [curve for curve in known.values() if arguments.idiom in (None, curve.idiom)]
    if not chosen:
        raise UsageError(f"there is no curve of {arguments.idiom}; measured ones come with --curves FILE")
    if arguments.plot is not None:
        from ..plots.curves import bandwidths
        from ..plots.files import save

        idioms = dict.fromkeys(curve.idiom for curve in chosen)
        charts = [bandwidths(idiom, chosen, arguments.size) for idiom in idioms]
        save("--plot", arguments.plot, "Bandwidth of idioms", charts)
    answers = [(curve, _at_sizes(curve, arguments.size)) for curve in chosen]
    if arguments.size and all(isinstance(rate, str) for _, rates in answers for rate in rates.values()):
        raise UsageError("; ".join(dict.fromkeys(str(rate) for _, rates in answers for rate in rates.values())))
    documents = [
        {
            "idiom": curve.idiom, "device": curve.device, "first_bytes": curve.first_bytes,
            "last_bytes": None if curve.last_bytes == inf else curve.last_bytes,
            "pieces": [_piece_document(curve, index) for index in range(len(curve.pieces))],
            "spread": curve.spread, "kind": curve.kind, "source": curve.source, "note": curve.note,
            "bandwidth": [
                {"bytes": size, "bytes_per_s": None if isinstance(rate, str) else rate,
                 "message": rate if isinstance(rate, str) else None}
                for size, rate in rates.items()
            ],
        }
        for curve, rates in answers
    ]  # fmt: skip
    return documents, "\n\n".join(_curve_text(curve, rates) for curve, rates in answers)


def _at_sizes(curve: Curve, sizes: tuple[float, ...]) -> dict[float, float | str]:
    """The bandwidth at each size, or why there is none."""
    found: dict[float, float | str] = {}
    for size in sizes:
        try:
            found[size] = float(curve.bandwidth(size))
        except SizeError as error:
            found[size] = str(error)
    return found


def _piece_document(curve: Curve, index: int) -> dict[str, float | None]:
    piece = curve.pieces[index]
    last = None if piece.last_bytes == inf else piece.last_bytes
    return {"slope": piece.slope, "intercept": piece.intercept, "last_bytes": last}


def _curve_text(curve: Curve, rates: Mapping[float, float | str]) -> str:
    lines = [f"{curve.idiom} on {curve.device}: {curve.kind}, {curve.source}"]
    first = curve.first_bytes
    rows = []
    for piece in curve.pieces:
        span = f"{first:.12g} B .." if piece.last_bytes == inf else f"{first:.12g} .. {piece.last_bytes:.12g} B"
        formula = f"{piece.slope / 1e9:.6g} ln(bytes) {piece.intercept / 1e9:+.6g}"
        rows.append((span, f"{formula if piece.slope else f'{piece.intercept / 1e9:.6g}'} GB/s"))
        first = piece.last_bytes
    lines += ["  " + line for line in aligned(rows)]
    told = (
        (readable(size, "B"), rate if isinstance(rate, str) else readable(rate, "B/s")) for size, rate in rates.items()
    )
    return "\n".join((*lines, *(f"  at {size}: {rate}" for size, rate in told)))


# --- blocks


def _blocks(arguments: argparse.Namespace) -> tuple[object, str]:
    known = _known(arguments.curves)
    devices = list(dict.fromkeys(device for device, _ in known))
    if arguments.host is not None and arguments.host not in devices:
        raise UsageError(f"--host: {arguments.host!r} has no curve; there are curves of {', '.join(devices)}")
    found = best_devices(load_blocks(arguments.file), devices, known, host=arguments.host)
    transfers = "with their transfers" if arguments.host is not None else "transfers left out, as in the paper"
    return _assignment_document(found, arguments.host), _assignment_text(found, devices, transfers)


def _assignment_document(found: Assignment, host: str | None) -> dict[str, object]:
    return {
        "transfers": host is not None,
        "blocks": [
            {
                "block": choice.block,
                "device": choice.device,
                "time_s": {device: _ends(time) for device, time in choice.times.items()},
                "refused": dict(choice.refused),
            }
            for choice in found.choices
        ],
        "total_s": _ends(found.total),
        "alone_s": {device: _ends(time) for device, time in found.alone.items()},
    }


def _assignment_text(found: Assignment, devices: list[str], transfers: str) -> str:
    rows = [
        (
            choice.block, choice.device,
            *(readable(choice.times[d].likely, "s") if d in choice.times else "-" for d in devices),
        )
        for choice in found.choices
    ]  # fmt: skip
    alone = (readable(found.alone[d].likely, "s") if d in found.alone else "-" for d in devices)
    table = aligned((("block", "best", *devices), *rows, ("all", readable(found.total.likely, "s"), *alone)))
    refused = {reason for choice in found.choices for reason in choice.refused.values()}
    return "\n".join((*table, f"memory times, {transfers}", *sorted(refused)))


def _ends(time: object) -> dict[str, float]:
    return {end: float(getattr(time, end)) for end in ("low", "likely", "high")}


# --- projection


def _project(arguments: argparse.Namespace) -> tuple[object, str]:
    found = project(arguments.part)
    total = None if arguments.total is None else measure(arguments.total, "time")[0]
    document = {
        "improvement": found.improvement, "remaining": found.remaining, "limit": found.limit,
        "speedup": None if found.speedup == inf else found.speedup,
        "total_s": total, "remaining_s": None if total is None else total * found.remaining,
    }  # fmt: skip
    text = f"{found.improvement:.2%} less time, {found.speedup:.4g} times as fast; at most {found.limit:.2%} less"
    if total is not None:
        text += f"\n{readable(total, 's')} become {readable(total * found.remaining, 's')}"
    return document, text


# --- arguments


def _known(file: Path | None) -> Curves:
    """The curves of a file with the printed one, or that alone."""
    return printed_curves() if file is None else {**printed_curves(), **read_curves(file)}


def _sizes(text: str) -> tuple[float, ...]:
    return tuple(measured_argument(part, "data") for part in text.split(","))


def _part(text: str) -> Part:
    coverage, colon, speedup = text.partition(":")
    if not colon:
        refuse(f"{text!r} is not COVERAGE:SPEEDUP, such as 4.6%:17.3")
    share = float(number(coverage.removesuffix("%")))
    return Part(share / 100 if coverage.endswith("%") else share, float(number(speedup)))
