"""The command `boathull`: the models from a class string or numbers, without any C code.

Exit codes: 0 done, 2 usage (bad class, unknown device, bad file), 3 a bug of ours, 130 interrupted.
"""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

from msgspec.structs import replace

from .boathull import predict_target
from .catalogue import CatalogueError, Device, device_ids, find_device, load_device, suggestion
from .classes import ClassError
from .expr import Number, free_symbols
from .prediction import Prediction, Refusal
from .quantity import exactly
from .table1 import printed_parameters
from .tables import device_text, devices_text, prediction_text, printable
from .workload import ELEMENT_TYPES, Workload, from_class


class UsageError(ValueError):
    """Something on the command line that cannot be done; the message is for the user."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command with `argv` (default: the process's arguments) and returns its exit code."""
    try:
        arguments = _parser().parse_args(argv)
        run: Callable[[argparse.Namespace], str] = arguments.run
        print(printable(run(arguments), sys.stdout.encoding), flush=True)
    except (UsageError, CatalogueError, ClassError) as error:
        print(printable(f"boathull: {error}", sys.stderr.encoding), file=sys.stderr)
        return 2
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader has seen enough, as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception as error:
        print(f"boathull: internal error: {type(error).__name__}: {error}", file=sys.stderr)
        return 3
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="boathull", description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--version", action=_ShowVersion, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_predict(commands.add_parser("predict", help="time of a class of algorithm on a device", allow_abbrev=False))
    _add_devices(commands.add_parser("devices", help="the catalogue of devices", allow_abbrev=False))
    return parser


def _add_predict(parser: argparse.ArgumentParser) -> None:
    parser.description = "The boat hull prediction of a class string."
    parser.add_argument("algorithm", metavar="CLASS", help="such as '1024x1024|element -> 256|shared'")
    parser.add_argument("--complexity", type=_number, required=True, metavar="F", help="operations per application")
    parser.add_argument("-t", "--target", action="append", required=True, metavar="ID", help="device id or device file")
    parser.add_argument("--bytes", type=_positive, default=None, metavar="N", help="bytes per element")
    parser.add_argument("--type", choices=ELEMENT_TYPES, default="fp32", help="of the arithmetic (default: fp32)")
    parser.add_argument("--size", action="append", default=[], type=_size, metavar="NAME=V", help="value of a symbol")
    parser.add_argument("--no-fma", action="store_true", help="no multiply-adds can be fused: both ends use 2 c0")
    parser.add_argument("--no-transfer", action="store_true", help="the data is on the device already")
    parser.add_argument("--launch", action="store_true", help="add the launch latency, which the paper leaves out")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the hull (.svg or .html)")
    parser.add_argument("--printed", action="store_true", help="variables of Table 1 as printed, errata included")
    _add_format(parser)
    parser.set_defaults(run=_predict)


def _add_devices(parser: argparse.ArgumentParser) -> None:
    parser.description = "The catalogue with unit, provenance and range of every number."
    actions = parser.add_subparsers(metavar="ACTION")
    parser.set_defaults(run=_list, format="text")
    listing = actions.add_parser("list", help="all devices", allow_abbrev=False)
    listing.set_defaults(run=_list)
    show = actions.add_parser("show", help="every figure of one device", allow_abbrev=False)
    show.add_argument("device", metavar="ID")
    show.set_defaults(run=_show)
    check = actions.add_parser("check", help="whether a device file keeps the rules", allow_abbrev=False)
    check.add_argument("file", metavar="FILE", type=Path)
    check.set_defaults(run=_check)
    for action in (listing, show, check):
        _add_format(action)


def _add_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-f", "--format", choices=("text", "json"), default="text")


# --- commands


def _predict(arguments: argparse.Namespace) -> str:
    devices = [find_device(name) for text in arguments.target for name in text.split(",")]
    width = arguments.bytes or (8 if arguments.type == "fp64" else 4)
    workload = from_class(arguments.algorithm, arguments.complexity, element_bytes=width, element_type=arguments.type)
    sizes = _known_sizes(workload, dict(arguments.size))
    answers = [_answer(workload, device, arguments, sizes) for device in devices]
    if arguments.plot is not None:
        _draw(workload, devices, arguments, sizes)
    if arguments.format == "json":
        return _json(_predict_document(workload, arguments, width, answers))
    heading = f"{workload.algorithm}   complexity {arguments.complexity}, {arguments.type}, {width}-byte elements"
    return "\n\n".join((heading, *(prediction_text(answer) for answer in answers)))


def _known_sizes(workload: Workload, sizes: dict[str, Number]) -> dict[str, Number]:
    """`sizes` itself; UsageError for a name that the class does not have."""
    algorithm = workload.algorithm
    operands = () if algorithm is None else (*algorithm.inputs, *algorithm.outputs)
    lengths = (length for operand in operands for length in (*operand.dims, *operand.extent))
    symbols = {name for length in lengths for name in free_symbols(length)}
    for name in sizes:
        if name not in symbols:
            raise UsageError(f"--size: the class has no {name!r}" + (suggestion(name, symbols) if symbols else ""))
    return sizes


def _answer(
    workload: Workload, device: Device, arguments: argparse.Namespace, sizes: Mapping[str, Number]
) -> Prediction | Refusal:
    variables = None
    if arguments.printed and workload.algorithm is not None and isinstance(workload.widths, int):
        if device.kind != "gpu":
            raise UsageError("--printed: Table 1 holds the variables of GPUs")
        variables = printed_parameters(workload.algorithm, workload.widths)
        if variables is None:
            raise UsageError(f"--printed: {workload.algorithm} is not in Table 1")
    return predict_target(
        workload,
        device,
        transfer="none" if arguments.no_transfer else "class",
        fma="none" if arguments.no_fma else "possible",
        launch=arguments.launch,
        sizes=sizes,
        variables=variables,
    )


def _draw(
    workload: Workload, devices: list[Device], arguments: argparse.Namespace, sizes: Mapping[str, Number]
) -> None:
    """Writes the picture; UsageError for what cannot be drawn or written."""
    from .hullplot import NotDrawableError, hull, page

    def picture(device: Device) -> str:
        return hull(
            f"{workload.algorithm} on {device.id}",
            lambda f: _answer(replace(workload, complexity=exactly(f)), device, arguments, sizes),
            float(arguments.complexity),
        )

    path: Path = arguments.plot
    if path.suffix not in (".svg", ".html"):
        raise UsageError(f"--plot: {path} is neither .svg nor .html")
    if path.suffix == ".svg" and len(devices) > 1:
        raise UsageError("--plot: one device per .svg file; .html holds several")
    try:
        pictures = [picture(device) for device in devices]
        path.write_text(page(pictures) if path.suffix == ".html" else pictures[0], encoding="utf-8")
    except (NotDrawableError, OSError) as error:
        raise UsageError(f"--plot: {error}") from error


def _list(arguments: argparse.Namespace) -> str:
    devices = [find_device(name) for name in device_ids()]
    if arguments.format == "json":
        from .documents import device_document

        return _json([device_document(device) for device in devices])
    return devices_text(devices)


def _show(arguments: argparse.Namespace) -> str:
    return _one_device(find_device(arguments.device), arguments.format)


def _check(arguments: argparse.Namespace) -> str:
    return _one_device(load_device(arguments.file), arguments.format)


def _one_device(device: Device, form: str) -> str:
    if form == "json":
        from .documents import device_document

        return _json(device_document(device))
    return device_text(device)


def _predict_document(
    workload: Workload, arguments: argparse.Namespace, width: int, answers: list[Prediction | Refusal]
) -> object:
    from .documents import answer_document

    return {
        "class": str(workload.algorithm),
        "complexity": float(arguments.complexity),
        "element_type": arguments.type,
        "element_bytes": width,
        "predictions": [answer_document(answer) for answer in answers],
    }


def _json(document: object) -> str:
    import json

    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)


# --- arguments


def _number(text: str) -> Number:
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        _refuse(f"{text!r} is no number")
    if value < 0:
        _refuse(f"{text!r} is negative")
    return value.numerator if value.denominator == 1 else float(value)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        _refuse(f"{text!r} is no positive whole number")
    return int(text)


def _size(text: str) -> tuple[str, Number]:
    name, equals, value = text.rpartition("=")
    if not equals or not name:
        _refuse(f"{text!r} is not NAME=VALUE")
    return name, _number(value)


def _refuse(message: str) -> NoReturn:
    raise argparse.ArgumentTypeError(message)


class _ShowVersion(argparse.Action):
    """Looks the version up only when it is asked for: that costs more than a prediction."""

    def __call__(self, *_: object) -> None:
        from importlib.metadata import PackageNotFoundError, version

        try:
            print(f"boathull {version('boathull')}")
        except PackageNotFoundError:
            print("boathull (not installed)")
        raise SystemExit(0)
