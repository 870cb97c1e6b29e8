"""`boathull devices`: the catalogue, one device, or whether a file keeps the rules."""

import argparse
from pathlib import Path

from ..catalogue import Device, device_ids, find_device, load_device
from ..tables import device_text, devices_text
from . import Subparsers, new_parser
from .arguments import add_format, json_text, write


def add(subparsers: Subparsers) -> None:
    parser = new_parser(subparsers, "devices", "The catalogue with unit, provenance and range of every number.")
    actions = parser.add_subparsers(metavar="ACTION")
    parser.set_defaults(text=_list, format="text")
    listing = actions.add_parser("list", help="all devices", allow_abbrev=False)
    listing.set_defaults(text=_list)
    show = actions.add_parser("show", help="every figure of one device", allow_abbrev=False)
    show.add_argument("device", metavar="ID")
    show.set_defaults(text=_show)
    check = actions.add_parser("check", help="whether a device file keeps the rules", allow_abbrev=False)
    check.add_argument("file", metavar="FILE", type=Path)
    check.set_defaults(text=_check)
    for action in (listing, show, check):
        add_format(action)


def run(arguments: argparse.Namespace) -> int:
    write(arguments.text(arguments))
    return 0


def _list(arguments: argparse.Namespace) -> str:
    devices = [find_device(name) for name in device_ids()]
    if arguments.format == "json":
        from ..documents import device_document

        return json_text([device_document(device) for device in devices])
    return devices_text(devices)


def _show(arguments: argparse.Namespace) -> str:
    return _one_device(find_device(arguments.device), arguments.format)


def _check(arguments: argparse.Namespace) -> str:
    return _one_device(load_device(arguments.file), arguments.format)


def _one_device(device: Device, form: str) -> str:
    if form == "json":
        from ..documents import device_document

        return json_text(device_document(device))
    return device_text(device)
