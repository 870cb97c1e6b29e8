"""CSV (RFC 4180): one row per loop, for spreadsheets and data frames. Times in seconds, data in bytes; an empty cell is
what is not known."""

import csv
import io
from collections.abc import Mapping

from .cleaning import visible
from .document import CountEntry, Document, FileEntry, LoopEntry, PredictionEntry, RangeEntry

_FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")
_COUNTS = (
    "iterations", "flops_fp32", "flops_fp64", "fp_other", "int_ops", "loads", "stores", "footprint_bytes",
    "transfer_in_bytes", "transfer_out_bytes", "operational_intensity",
)  # fmt: skip


def render(document: Document) -> str:
    """A header line, then one line per loop in the order of the report."""
    rows = [_row(file, loop) for file in document.files for loop in file.loops]
    text = io.StringIO()
    writer = csv.DictWriter(text, _COLUMNS, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _row(file: FileEntry, loop: LoopEntry) -> dict[str, object]:
    r = loop.recommendation
    return {
        "id": loop.id,
        "path": file.path,
        "line": loop.line,
        "column": loop.column,
        "function": loop.function,
        "depth": loop.depth,
        "parallel": loop.parallel,
        "without_assumptions": loop.without_assumptions,
        "not_parallel_because": loop.reason.code if loop.reason else None,
        "class": loop.class_,
        "species": loop.species,
        "idioms": " ".join(dict.fromkeys(i.idiom for i in loop.idioms)),
        "verdict": r.verdict,
        "device": r.device,
        "candidate": r.candidate,
        "reason": r.reason.code,
        "message": r.reason.message,
        **_range("speedup", r.speedup),
        **_range("host_s", _time(loop.prediction("host"))),
        **_range("candidate_s", _time(loop.advised)),
        "trip_count": _value(loop.trip_count),
        "executions": _value(loop.executions),
        **{name: _value(getattr(loop.counts, name)) for name in _COUNTS},
        "unlisted": loop.unlisted,
        "fingerprint": loop.fingerprint,
    }


def _range(name: str, value: RangeEntry | None) -> Mapping[str, object]:
    ends = (None, None, None) if value is None else (value.low, value.likely, value.high)
    return dict(zip((f"{name}_low", f"{name}_likely", f"{name}_high"), ends, strict=True))


def _time(prediction: PredictionEntry | None) -> RangeEntry | None:
    return None if prediction is None else prediction.time_s


def _value(count: CountEntry | None) -> object:
    """The number where sizes are known, else the formula."""
    if count is None:
        return None
    if count.value is not None or count.expr is None:
        return count.value
    return visible(count.expr.text)


def _cell(value: object) -> object:
    """Text that a spreadsheet would take for a formula begins with an apostrophe."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA_SIGNS) else value
    return value


def _columns() -> tuple[str, ...]:
    ranges = [name for of in ("speedup", "host_s", "candidate_s") for name in _range(of, None)]
    what = ("parallel", "without_assumptions", "not_parallel_because", "class", "species", "idioms")
    advice = ("verdict", "device", "candidate", "reason", "message")
    place = ("id", "path", "line", "column", "function", "depth")
    return (*place, *what, *advice, *ranges, "trip_count", "executions", *_COUNTS, "unlisted", "fingerprint")


_COLUMNS = _columns()
