"""The flat profile of gprof: `gprof -b -p program gmon.out > profile.txt`.

      %   cumulative   self              self     total
     time   seconds   seconds    calls  ms/call  ms/call  name
     33.34      0.02     0.02     7208     0.00     0.00  open

`time` is the share of a function itself, without what it calls; a function that was not counted has no calls.
"""

import re
from pathlib import Path

from ..base.errors import InputError
from ..base.regex import regex
from .model import Sample

REFRESH = "compile with -pg, run, and `gprof -b -p program gmon.out`"
_ROW = regex(r"\s*(\d+\.\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)(?:\s+(\d+)\s+\d+\.\d+\s+\d+\.\d+)?\s+([A-Za-z_][\w.]*)")


def is_gprof(text: str) -> bool:
    return "cumulative" in text and re.search(r"^\s*time\s+seconds\s+seconds", text, re.MULTILINE) is not None


def read(path: Path, text: str) -> tuple[tuple[Sample, ...], float]:
    """Shares of functions, and the seconds of all. InputError where no time was measured."""
    rows = [match for line in text.splitlines() if (match := _ROW.match(line))]
    found = tuple(Sample(match[5], float(match[1]) / 100) for match in rows if float(match[1]) > 0)
    if not found:
        raise InputError(f"--profile {path}: no time was measured (it samples 100 times a second); {REFRESH}")
    return found, sum(float(match[3]) for match in rows)
