"""What subcommands share: types of arguments for argparse, `--format`, and writing."""

import argparse
import sys
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

from ..errors import InputError
from ..expr import Number
from ..tables import printable

LARGEST = 10**100
"""Above all that can be measured or counted, and products of it are still floats."""


class UsageError(InputError):
    """Something on the command line that cannot be done."""


def write(text: str) -> None:
    """Prints `text`, in ASCII where the terminal cannot show it."""
    print(printable(text, sys.stdout.encoding), flush=True)


def json_text(document: object) -> str:
    """The document as JSON. It is UTF-8 everywhere: where standard output is not, letters are escaped, not replaced."""
    import json

    escaped = (sys.stdout.encoding or "").lower() not in ("utf-8", "utf8")
    return json.dumps(document, ensure_ascii=escaped, indent=2, allow_nan=False)


def add_format(parser: argparse.ArgumentParser, default: str = "text", others: tuple[str, ...] = ()) -> None:
    """`default`: argparse.SUPPRESS for an action of a command that has the option itself; `others`: more formats."""
    parser.add_argument("-f", "--format", choices=("text", "json", *others), default=default, help="of the answer")


def add_picture(
    parser: argparse.ArgumentParser, what: str, option: str = "--plot", others: tuple[str, ...] = ()
) -> None:
    """The option for a file with a picture, refused where its suffix says no format; `others` are more suffixes."""

    def file(text: str) -> Path:
        from ..plots.files import require_suffix

        path = Path(text)
        try:
            require_suffix(path, others)
        except InputError as error:
            refuse(str(error))
        return path

    parser.add_argument(option, type=file, metavar="FILE", help=f"{what} ({', '.join(('.html, .svg, .png', *others))})")


def number(text: str) -> Number:
    """A finite number that is not negative."""
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        refuse(f"{text!r} is no number")
    if value < 0:
        refuse(f"{text!r} is negative")
    if value > LARGEST:
        refuse(f"{text!r} is too large: nothing here is above {LARGEST:.0e}")
    return value.numerator if value.denominator == 1 else float(value)


def positive(text: str) -> int:
    """A whole number above 0."""
    if not text.isdecimal() or int(text) == 0:
        refuse(f"{text!r} is no positive whole number")
    return int(text)


def named_number(text: str) -> tuple[str, Number]:
    """`NAME=VALUE`."""
    name, equals, value = text.rpartition("=")
    if not equals or not name:
        refuse(f"{text!r} is not NAME=VALUE")
    return name, number(value)


def refuse(message: str) -> NoReturn:
    """Refuses the argument that argparse is reading."""
    raise argparse.ArgumentTypeError(message)
