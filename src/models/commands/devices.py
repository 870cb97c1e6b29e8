"""`boathull devices`: the catalogue, one device, whether a file keeps the rules, and the rules."""

import argparse
from pathlib import Path

from ..catalogue import CatalogueError, Device, device_file, device_ids, find_device, load_device
from ..tables import device_text, devices_text
from . import Subparsers, new_parser
from .arguments import add_format, json_text, write


def add(subparsers: Subparsers) -> None:
    parser = new_parser(subparsers, "devices", "The catalogue with unit, provenance and range of every number.")
    actions = parser.add_subparsers(metavar="ACTION")
    parser.set_defaults(text=_list)
    add_format(parser)
    listing = actions.add_parser("list", help="all devices, then the papers' systems", allow_abbrev=False)
    listing.set_defaults(text=_list)
    show = actions.add_parser("show", help="every figure of one device or system", allow_abbrev=False)
    show.add_argument("device", metavar="ID")
    show.set_defaults(text=_show)
    check = actions.add_parser("check", help="whether a device file keeps the rules", allow_abbrev=False)
    check.add_argument("file", metavar="FILE", type=Path)
    check.set_defaults(text=_check)
    rules = actions.add_parser("rules", help="by which rules unmeasured figures are estimated", allow_abbrev=False)
    rules.set_defaults(text=_rules)
    add_format(show, argparse.SUPPRESS, ("toml",))
    for action in (listing, check, rules):
        add_format(action, argparse.SUPPRESS)


def run(arguments: argparse.Namespace) -> int:
    write(arguments.text(arguments))
    return 0


def _list(arguments: argparse.Namespace) -> str:
    from ..systems import systems

    devices = [find_device(name) for name in device_ids()]
    if arguments.format == "json":
        from ..documents import device_document, system_document

        documents = [*map(device_document, devices), *map(system_document, systems())]
        return json_text(sorted(documents, key=lambda document: str(document["id"])))
    from ..tables import systems_text

    return f"{devices_text(devices)}\n\n{systems_text(systems())}"


def _show(arguments: argparse.Namespace) -> str:
    from ..systems import find_system, systems

    if arguments.format == "toml":
        find_device(arguments.device)  # refuses what is no device, such as a system
        return device_file(arguments.device).read_text(encoding="utf-8").rstrip()
    if arguments.device.lower() not in {system.id for system in systems()}:
        return _one_device(find_device(arguments.device), arguments.format)
    system = find_system(arguments.device)
    if arguments.format == "json":
        from ..documents import system_document

        return json_text(system_document(system))
    from ..tables import system_text

    return system_text(system)


def _check(arguments: argparse.Namespace) -> str:
    from ..rules import deviations

    device = load_device(arguments.file)
    wrong = list(deviations(device.figures))
    if wrong:
        raise CatalogueError("\n  ".join((f"{arguments.file}: estimated figures do not follow their rules", *wrong)))
    return _one_device(device, arguments.format)


def _rules(arguments: argparse.Namespace) -> str:
    from ..rules import RULES

    if arguments.format == "json":
        return json_text(
            [{"rule": r.name, "figures": list(r.figures), "statement": r.statement} for r in RULES.values()]
        )
    return "\n".join(f"{rule.name} ({', '.join(rule.figures)})\n    {rule.statement}" for rule in RULES.values())


def _one_device(device: Device, form: str) -> str:
    if form == "json":
        from ..documents import device_document

        return json_text(device_document(device))
    return device_text(device)
