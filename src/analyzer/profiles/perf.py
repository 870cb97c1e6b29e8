"""`perf report` with a field separator: shares of samples by function, and by line where it was asked for.

    perf report --stdio -t, -F overhead,symbol,srcline > profile.csv

Lines that begin with `#` are comments, the last of which before the data names the fields: `# Overhead,Symbol
,Source:Line`. A symbol reads `[.] name` in user space and `[k] name` in the kernel; a source `file.c:12`.
"""

import csv
from pathlib import Path

from ..base.errors import InputError
from ..base.regex import regex
from .model import Sample

REFRESH = "`perf record ./program` and `perf report --stdio -t, -F overhead,symbol,srcline`"
_FIELDS = {"overhead": "overhead", "symbol": "symbol", "source:line": "srcline", "source file": "srcfile"}
_SYMBOL = regex(r"(?:\[(.)\]\s+)?(\S+)")
_SOURCE = regex(r"(.+):(\d+)\Z")


def is_perf(text: str) -> bool:
    return _header(text) is not None


def _header(text: str) -> list[str] | None:
    for line in text.splitlines():
        if line.startswith("# Overhead"):
            return [name.strip().lower() for name in line[1:].split(",")]
    return None


def read(path: Path, text: str) -> tuple[Sample, ...]:
    """The samples of user space, as shares of all. InputError where a row cannot be understood."""
    fields = _header(text)
    if fields is None or "symbol" not in fields:
        raise InputError(f"--profile {path}: no report of perf by symbol; {REFRESH}")
    rows = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    found = [s for row in csv.reader(rows) if (s := _sample(path, dict(zip(fields, row, strict=False)))) is not None]
    if not found:
        raise InputError(f"--profile {path}: it has no samples; {REFRESH}")
    return tuple(found)


def _sample(path: Path, row: dict[str, str]) -> Sample | None:
    share, symbol = row.get("overhead", "").strip(), _SYMBOL.match(row.get("symbol", "").strip())
    try:
        part = float(share.removesuffix("%")) / 100
    except ValueError:
        raise InputError(f"--profile {path}: {share!r} is no share of the time; {REFRESH}") from None
    if symbol is None or symbol[1] == "k":
        return None
    source = _SOURCE.match(row.get("source:line", "").strip())
    return Sample(symbol[2], part, source[1], int(source[2])) if source else Sample(symbol[2], part)
