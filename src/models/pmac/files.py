"""Measured bandwidths and blocks of code from CSV files.

    device, idiom, bytes, rate                                     one measured point of a curve, rate such as 3.2GB/s
    block, idiom, references, size, footprint [, transfer]         references of one idiom in a block

Sizes are numbers with a unit (8B, 4KiB, 1.5GB), counts plain numbers. Points of one idiom on one device make a curve
(`curves.through`); rows of one block belong together, its transfer is that of its first row. Empty lines and lines that
begin with `#` do not count.
"""

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ..errors import InputError, reason
from ..units import Dimension, UnitError, measured
from .blocks import Block, References
from .curves import IDIOMS, Access, Curve, Curves, Idiom, load_curves, through

POINT_COLUMNS = ("device", "idiom", "bytes", "rate")
BLOCK_COLUMNS = ("block", "idiom", "references", "size", "footprint")


class FileError(InputError):
    """A CSV file that cannot be read: the message has the line and the column."""


def read_curves(path: Path) -> Curves:
    """The curves of a TOML file (`curves.load_curves`), or through the points of a CSV file."""
    return load_points(path) if path.suffix == ".csv" else load_curves(path)


def load_points(path: Path) -> Curves:
    """A measured curve for each idiom and device of the file; InputError says what is wrong in which line."""
    points: dict[tuple[str, Access], list[tuple[float, float]]] = {}
    for place, row in _rows(path, POINT_COLUMNS):
        access: Access = "transfer" if row["idiom"] == "transfer" else _idiom(place, row["idiom"])
        point = _number(place, row, "bytes", "data"), _number(place, row, "rate", "data rate")
        points.setdefault((row["device"], access), []).append(point)
    return {key: _curve(path, *key, found) for key, found in points.items()}


def load_blocks(path: Path) -> tuple[Block, ...]:
    """The blocks of the file, in its order."""
    references: dict[str, list[References]] = {}
    transfers: dict[str, float] = {}
    for place, row in _rows(path, BLOCK_COLUMNS, optional=("transfer",)):
        size, footprint = (_number(place, row, name, "data") for name in ("size", "footprint"))
        count = _number(place, row, "references", "count")
        references.setdefault(row["block"], []).append(References(_idiom(place, row["idiom"]), count, size, footprint))
        if row.get("transfer") and row["block"] not in transfers:
            transfers[row["block"]] = _number(place, row, "transfer", "data")
    return tuple(Block(name, tuple(found), transfers.get(name, 0.0)) for name, found in references.items())


def _curve(path: Path, device: str, access: Access, points: Iterable[tuple[float, float]]) -> Curve:
    try:
        return through(device, access, points, source=path.name)
    except InputError as error:
        raise FileError(f"{path}: {error}") from error


def _rows(path: Path, columns: Sequence[str], optional: Sequence[str] = ()) -> Iterator[tuple[str, Mapping[str, str]]]:
    """(place, cells by column) of every line that counts, in a file whose first line names the columns."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{path}: {reason(error)}") from error
    reader = csv.reader(io.StringIO(text))
    header: list[str] = []
    for cells in reader:
        row = [cell.strip() for cell in cells]
        place = f"{path}, line {reader.line_num}"
        if not any(row) or row[0].startswith("#"):
            continue
        if not header:
            header = row
            if not set(columns) <= set(header) <= {*columns, *optional} or len(set(header)) < len(header):
                more = f", may have {', '.join(optional)}" if optional else ""
                raise FileError(f"{place}: the columns are {', '.join(header)}; it takes {', '.join(columns)}{more}")
            continue
        if len(row) != len(header):
            raise FileError(f"{place}: {len(row)} cells under {len(header)} columns")
        yield place, dict(zip(header, row, strict=True))
    if not header:
        raise FileError(f"{path}: the first line must name the columns {', '.join(columns)}")


def _idiom(place: str, name: str) -> Idiom:
    for idiom in IDIOMS:
        if idiom == name:
            return idiom
    raise FileError(f"{place}, idiom: {name!r} is none of {', '.join(IDIOMS)}")


def _number(place: str, row: Mapping[str, str], column: str, dimension: Dimension) -> float:
    """A number above 0 in SI base units."""
    try:
        value = float(row[column]) if dimension == "count" else measured(row[column], dimension)[0]
    except UnitError as error:
        raise FileError(f"{place}, {column}: {error}") from error
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise FileError(f"{place}, {column}: {row[column]!r} is no number above 0")
    return value
