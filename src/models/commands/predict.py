"""`boathull predict`: the boat hull prediction of a class string."""

import argparse
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ..boathull import predict_target
from ..catalogue import Device, find_device, suggestion
from ..classes import check_sizes
from ..expr import Number, free_symbols
from ..prediction import Prediction, Refusal
from ..quantity import exactly
from ..table1 import printed_parameters
from ..tables import prediction_text
from ..workload import ELEMENT_TYPES, Workload, from_class
from . import Subparsers, new_parser
from .arguments import UsageError, add_format, add_picture, json_text, named_number, number, positive, refuse, write

if TYPE_CHECKING:
    from ..plots.chart import Chart


def add(subparsers: Subparsers) -> None:
    parser = new_parser(subparsers, "predict", "The boat hull prediction of a class string.")
    parser.add_argument("algorithm", metavar="CLASS", help="such as '1024x1024|element -> 256|shared', or a species")
    parser.add_argument("--complexity", type=number, required=True, metavar="F", help="operations per application")
    parser.add_argument("-t", "--target", action="append", required=True, metavar="ID", help="device id or device file")
    parser.add_argument("--bytes", type=positive, default=None, metavar="N", help="bytes per element")
    parser.add_argument("--type", choices=ELEMENT_TYPES, default="fp32", help="of the arithmetic (default: fp32)")
    parser.add_argument(
        "--size", action="append", default=[], type=named_number, metavar="NAME=V", help="value of a symbol"
    )
    parser.add_argument("--no-fma", action="store_true", help="no multiply-adds can be fused: both ends use 2 c0")
    parser.add_argument("--no-transfer", action="store_true", help="the data is on the device already")
    parser.add_argument("--link", metavar="CLASS", help="link between host and target, such as pcie4-x16 or nvlink-c2c")
    parser.add_argument("--launch", action="store_true", help="add the launch latency, which the paper leaves out")
    add_picture(parser, "draw the hull")
    parser.add_argument(
        "--measured", action="append", default=[], type=_point, metavar="F=TIME",
        help="a measured point for the picture, complexity and time such as 6=1.96ms; repeatable",
    )  # fmt: skip
    parser.add_argument("--printed", action="store_true", help="variables of Table 1 as printed, errata included")
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.measured and arguments.plot is None:
        raise UsageError("--measured draws on a picture: give --plot FILE")
    write(_text(arguments))
    return 0


def _text(arguments: argparse.Namespace) -> str:
    devices = [_linked(find_device(name), arguments.link) for text in arguments.target for name in text.split(",")]
    width = arguments.bytes or (8 if arguments.type == "fp64" else 4)
    algorithm = _class_text(arguments.algorithm)
    workload = from_class(algorithm, arguments.complexity, element_bytes=width, element_type=arguments.type)
    sizes = _known_sizes(workload, dict(arguments.size))
    answers = [_answer(workload, device, arguments, sizes) for device in devices]
    if arguments.plot is not None:
        told = [device for device, answer in zip(devices, answers, strict=True) if isinstance(answer, Prediction)]
        _draw(workload, told or devices, arguments, sizes)
    if arguments.format == "json":
        return json_text(_document(workload, arguments, width, answers))
    heading = f"{workload.algorithm}   complexity {arguments.complexity}, {arguments.type}, {width}-byte elements"
    return "\n\n".join((heading, *(prediction_text(answer) for answer in answers)))


def _point(text: str) -> tuple[float, float]:
    """`F=TIME`, with the unit of the time."""
    from .measures import measured_argument

    complexity, equals, time = text.partition("=")
    if not equals:
        refuse(f"{text!r} is not COMPLEXITY=TIME")
    f = float(number(complexity))
    if f == 0:
        refuse(f"{text!r}: a complexity of 0 has no place on a logarithmic axis")
    return f, measured_argument(time, "time")


def _class_text(text: str) -> str:
    """`text` itself, or the class of the species that it is: names and ranges in brackets stand before the bars."""
    if not re.search(r"\]\s*\|", text):
        return text
    from ..notation import parse_species, to_class

    return str(to_class(parse_species(text)))


def _linked(device: Device, link: str | None) -> Device:
    """The device behind another link than that of its file."""
    if link is None or device.kind == "cpu":
        return device
    from ..rules import link_rate

    return replace(device, figures={**device.figures, "link.rate": link_rate(link)})


def _known_sizes(workload: Workload, sizes: dict[str, Number]) -> dict[str, Number]:
    """`sizes` itself; InputError for a name that the class does not have, and for lengths that cannot be."""
    algorithm = workload.algorithm
    operands = () if algorithm is None else (*algorithm.inputs, *algorithm.outputs)
    lengths = (length for operand in operands for length in (*operand.dims, *operand.extent))
    symbols = {name for length in lengths for name in free_symbols(length)}
    for name in sizes:
        if name not in symbols:
            raise UsageError(f"--size: the class has no {name!r}" + (suggestion(name, symbols) if symbols else ""))
    if algorithm is not None:
        check_sizes(algorithm, sizes)
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
    """Writes the picture of each device, one below the other; InputError for what cannot be drawn or written."""
    from ..plots.files import save
    from ..plots.hull import hull

    def picture(device: Device) -> "Chart":
        return hull(
            f"{workload.algorithm} on {device.id}",
            lambda f: _answer(replace(workload, complexity=exactly(f)), device, arguments, sizes),
            float(arguments.complexity),
            arguments.measured,
        )

    save("--plot", arguments.plot, f"Boat hull of {workload.algorithm}", [picture(device) for device in devices])


def _document(
    workload: Workload, arguments: argparse.Namespace, width: int, answers: list[Prediction | Refusal]
) -> object:
    from ..documents import answer_document

    return {
        "class": str(workload.algorithm),
        "complexity": float(arguments.complexity),
        "element_type": arguments.type,
        "element_bytes": width,
        "predictions": [answer_document(answer) for answer in answers],
    }
