"""Predictions and devices as aligned text for a terminal."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from .catalogue import FIGURES, Device, Figure
from .expr import to_text
from .prediction import Prediction, Refusal, Term
from .quantity import Range
from .units import readable

if TYPE_CHECKING:
    from .systems import System

_NUMBER = re.compile(r"[\d.e+-]+( [A-Za-z/]+)?")
_DECIMAL = re.compile(r"\d+\.\d+(e[+-]?\d+)?|\d+e[+-]?\d+")
_RATES = ("peak", "memory", "network")
_ASCII = str.maketrans({"→": "->", "∧": "^", "·": "*", "§": "section ", "×": "x", "–": "-", "…": "..."})


def printable(text: str, encoding: str | None) -> str:
    """`text`, in ASCII where the terminal cannot print it."""
    try:
        text.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return text.translate(_ASCII).encode("ascii", "replace").decode("ascii")
    return text


def prediction_text(answer: Prediction | Refusal) -> str:
    """The time and its parts, what bounds it, and the arithmetic with the source of every number, sources numbered."""
    if isinstance(answer, Refusal):
        return f"{answer.device}: no time ({answer.code}): {answer.message}"
    numbers = {source: f"[{n}]" for n, source in enumerate(dict.fromkeys(t.source for t in answer.terms), 1)}
    arithmetic = aligned((t.name, *_arithmetic(t), numbers[t.source]) for t in answer.terms)
    sources = aligned((number, source) for source, number in numbers.items())
    return "\n".join((_times(answer), "", *map(_indented, arithmetic), "", *map(_indented, sources)))


def devices_text(devices: Iterable[Device]) -> str:
    """One line per device with its main rates."""
    head = ("id", "kind", "fp64", "fp32", "int32", "memory", "link", "name")
    return "\n".join(aligned((head, *map(_device_row, devices))))


def device_text(device: Device) -> str:
    """Every figure with its range, kind and source, and what the file does not have."""
    lacking = [key for key in FIGURES[device.kind] if key not in device.figures and key not in device.absent]
    notes = [f"{device.id}: {device.name} ({device.kind}{f', {device.released}' if device.released else ''})"]
    if device.note:
        notes.append(device.note)
    none = (*(f"{precision} arithmetic" for precision in device.unsupported), *device.absent)
    if none:
        notes.append(f"has no {', '.join(none)}")
    refused = "predictions that need it are refused" if len(lacking) == 1 else "predictions that need them are refused"
    missing = (f"no figure: {', '.join(lacking)} ({refused})",) if lacking else ()
    return "\n".join((*notes, "", *_figure_lines(device.figures), *missing))


def systems_text(systems: Iterable["System"]) -> str:
    """One line per system of the papers, rates of one process."""
    head = ("system", *_RATES, "processor", "link", "name")
    return "\n".join(aligned((head, *map(_system_row, systems))))


def system_text(system: "System") -> str:
    """Every figure of a system with its source."""
    heading = f"{system.id}: {system.name}, one process on {system.processor}{system.link and f', {system.link}'}"
    return "\n".join((heading, "", *_figure_lines(system.figures)))


def _figure_lines(figures: Mapping[str, Figure]) -> Iterator[str]:
    """A line for each figure, its note below it, and the numbered sources at the end."""
    numbers = {source: f"[{n}]" for n, source in enumerate(dict.fromkeys(f.source for f in figures.values()), 1)}
    head = ("figure", "value", "low .. high", "kind", "source")
    rows = [(key, f.written, _span(f), _kind(f), numbers[f.source]) for key, f in figures.items()]
    first, *lines = aligned((head, *rows))
    yield first
    for line, figure in zip(lines, figures.values(), strict=True):
        yield line
        if figure.note:
            yield f"    {figure.note}"
    yield ""
    yield from aligned((number, source) for source, number in numbers.items())


def aligned(rows: Iterable[Sequence[str]]) -> list[str]:
    """Columns of equal width, two blanks apart."""
    table = [tuple(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]


def _indented(line: str) -> str:
    return "  " + line


def _times(answer: Prediction) -> str:
    if answer.time is None:
        symbols = ", ".join(sorted(answer.formulas.symbols))
        formulas = answer.formulas
        ends = (("low", formulas.low), ("likely", formulas.likely), ("high", formulas.high))
        lines = aligned((name, f"{_short(to_text(formula))} s") for name, formula in ends)
        return "\n".join((f"{answer.device}: depends on {symbols} (--size NAME=V)", *("  " + line for line in lines)))
    parts = {"compute": answer.compute, "memory": answer.memory, "transfer": answer.transfer, "launch": answer.launch}
    rows = [(name, *_ends(part)) for name, part in parts.items() if part is not None and part.high > 0]
    lines = aligned((("", "low", "likely", "high"), *rows, ("time", *_ends(answer.time))))
    heading = f"{answer.device}: {readable(answer.time.likely, 's')}, mostly {answer.bound}"
    return "\n".join((heading, *("  " + line for line in lines)))


def _ends(part: Range) -> tuple[str, str, str]:
    low, likely, high = (readable(value, "s") for value in (part.low, part.likely, part.high))
    return low, likely, high


def _arithmetic(line: Term) -> tuple[str, str]:
    """The value in front of its formula; of a plain number the value alone."""
    formula = "" if _NUMBER.fullmatch(line.expr) else _short(line.expr)
    return ("?" if line.value is None else readable(line.value, line.unit)), formula


def _short(formula: str) -> str:
    """A formula with its decimals cut to four digits."""
    return _DECIMAL.sub(lambda found: f"{float(found.group()):.4g}", formula)


def _device_row(device: Device) -> tuple[str, ...]:
    cores = ".all_cores" if device.kind == "cpu" else ""
    memory = "memory.all_cores" if device.kind == "cpu" else "memory.coalesced"
    rates = [
        "none" if precision in device.unsupported else _written(device, f"compute.{precision}{cores}")
        for precision in ("fp64", "fp32", "int32")
    ]
    return (device.id, device.kind, *rates, _written(device, memory), _written(device, "link.rate"), device.name)


def _system_row(system: "System") -> tuple[str, ...]:
    rates = (system.figures[key].written if key in system.figures else "-" for key in _RATES)
    return (system.id, *rates, system.processor, system.link or "-", system.name)


def _kind(figure: Figure) -> str:
    return f"{figure.kind}: {figure.rule}" if figure.rule else figure.kind


def _written(device: Device, key: str) -> str:
    return device.figures[key].written if key in device.figures else "-"


def _span(figure: Figure) -> str:
    if figure.low == figure.high:
        return ""
    return f"{readable(figure.low, figure.unit)} .. {readable(figure.high, figure.unit)}"

