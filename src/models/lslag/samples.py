"""Profiled samples of an application, from a CSV file.

The first line names the columns: `gamma`, `S`, `t_w` (wall clock) and one `t_NAME` for each processing element that was
measured, such as `t_k` (GPU kernel) and `t_1` (host); `c_NAME` for further communication nodes. What t_w leaves over is
the time of the communication node `c` (LSLAG paper, §V), unless a column `t_c` holds it; with it, t_w may be left out.
Lines that are empty or begin with `#` do not count.
"""

import csv
import io
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from ..errors import InputError, reason
from ..units import to_base
from .architecture import Kind

_REST = "c"
_ALIASES = {"γ": "gamma", "s": "S", "size": "S"}


class SampleError(InputError):
    """A file that holds no samples: the message has the line and the column."""


class Samples(Struct, frozen=True):
    """Columns of equal length: times in seconds, of the elements by name; `kinds` says what they are. `negative`: in
    how many samples the measured parts exceed t_w, so that the rest that is c's time is negative."""

    gamma: tuple[float, ...]
    size: tuple[float, ...]
    wall_s: tuple[float, ...]
    elements_s: Mapping[str, tuple[float, ...]]
    kinds: Mapping[str, Kind]
    negative: int = 0

    def __len__(self) -> int:
        return len(self.gamma)

    def only(self, indices: list[int]) -> "Samples":
        """The samples at `indices`, in that order."""

        def chosen(column: tuple[float, ...]) -> tuple[float, ...]:
            return tuple(column[index] for index in indices)

        elements = {name: chosen(column) for name, column in self.elements_s.items()}
        return Samples(chosen(self.gamma), chosen(self.size), chosen(self.wall_s), elements, self.kinds, self.negative)


def load_samples(path: Path, unit: str = "s") -> Samples:
    """The samples of a CSV file whose times are all in `unit`; SampleError names file, line and column."""
    try:
        return read_samples(path.read_text(encoding="utf-8-sig"), unit)
    except (OSError, UnicodeDecodeError) as error:
        raise SampleError(f"{path}: {reason(error)}") from error
    except SampleError as error:
        raise SampleError(f"{path}: {error}") from error


def read_samples(text: str, unit: str = "s") -> Samples:
    """The samples of a CSV text. Example: `read_samples("gamma,S,t_w,t_k,t_1\\n8,512,9e-3,5e-3,1e-3\\n")`."""
    scale = to_base(1.0, unit, "time")
    rows = _rows(text)
    line, cells = next(rows, (1, []))
    header = _header(line, cells)
    numbers = [_numbers(line, cells, header) for line, cells in rows]
    if not numbers:
        raise SampleError(f"line {line}: no sample follows the header")
    columns = dict(zip(header, zip(*numbers, strict=True), strict=True))
    timed = {name: tuple(scale * value for value in columns[name]) for name in header if name[:2] in ("t_", "c_")}
    return _samples(columns["gamma"], columns["S"], timed)


def _samples(gamma: tuple[float, ...], size: tuple[float, ...], timed: dict[str, tuple[float, ...]]) -> Samples:
    wall = timed.pop("t_w", None)
    kinds: dict[str, Kind] = {
        name[2:]: "communication" if name[:2] == "c_" or name == "t_c" else "processing" for name in timed
    }
    elements = {name[2:]: column for name, column in timed.items()}
    measured = tuple(map(math.fsum, zip(*elements.values(), strict=True)))
    if _REST in elements or wall is None:
        return Samples(gamma, size, wall or measured, elements, kinds)
    rest = tuple(whole - part for whole, part in zip(wall, measured, strict=True))
    if math.fsum(rest) < 0:
        raise SampleError(f"{' + '.join(timed)} exceed t_w on average: are all times in one unit?")
    elements[_REST], kinds[_REST] = rest, "communication"
    return Samples(gamma, size, wall, elements, kinds, negative=sum(value < 0 for value in rest))


# --- lines


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """(line number, stripped cells) of every line that counts."""
    lines = ("\n" if line.lstrip().startswith("#") else line for line in io.StringIO(text))
    reader = csv.reader(lines, strict=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, [cell.strip() for cell in cells]
    except csv.Error as error:
        raise SampleError(f"line {reader.line_num}: {error}") from error


def _header(line: int, cells: list[str]) -> list[str]:
    header = [_ALIASES.get(cell.lower(), cell) for cell in cells]
    seen: set[str] = set()
    for index, name in enumerate(header, 1):
        place = f"line {line}, column {index}"
        if name not in ("gamma", "S") and not (name[:2] in ("t_", "c_") and name[2:]):
            raise SampleError(f"{place}: {name!r} is no column of samples; they are gamma, S, t_w, t_NAME and c_NAME")
        what = name if name in ("gamma", "S") else name[2:]
        if what in seen:
            raise SampleError(f"{place}: {what} is there twice")
        seen.add(what)
    for name in ("gamma", "S"):
        if name not in header:
            raise SampleError(f"line {line}: the column {name} is missing")
    if not {"w", _REST} & seen:
        raise SampleError(f"line {line}: neither t_w nor t_c is there")
    if seen == {"gamma", "S", "w"}:
        raise SampleError(f"line {line}: no element was measured; there must be a column such as t_k")
    return header


def _numbers(line: int, cells: list[str], header: list[str]) -> list[float]:
    if len(cells) != len(header):
        index = min(len(cells), len(header)) + 1
        what = f"{header[index - 1]} is missing" if len(cells) < len(header) else f"{cells[index - 1]!r} is too much"
        raise SampleError(f"line {line}, column {index}: {what}; the header has {len(header)} columns")
    return [
        _number(f"line {line}, column {index} ({name})", cell, name)
        for index, (name, cell) in enumerate(zip(header, cells, strict=True), 1)
    ]


def _number(place: str, cell: str, name: str) -> float:
    try:
        value = math.nan if "_" in cell else float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise SampleError(f"{place}: {cell!r} is no finite number")
    if value < 0 or (value == 0 and name in ("gamma", "S")):
        raise SampleError(f"{place}: {cell} is not {'above' if name in ('gamma', 'S') else 'at least'} 0")
    return value
