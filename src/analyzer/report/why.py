"""The arithmetic behind one loop's times: every number with its unit and its source (`--why FILE:LINE`)."""

from collections.abc import Mapping

from models.units import readable

from ..base.amounts import time
from ..base.regex import regex
from ..facts.lookup import find
from . import amounts
from .cleaning import clean
from .document import Document, Figure, LoopEntry, PredictionEntry, TermEntry
from .paths import in_repository
from .verdict_words import counted
from .wording import settled_sizes

LEFT_OUT = {
    "terms": "arithmetic left out: the loop is not parallel, and the report is brief (--detail full has it)",
    "formulas": "some formulas left out, since they are too long to read (--detail full has them)",
}
"""Of a saved report."""
_NUMBER = regex(r"[-\d.e+]+(?: ?[A-Za-z/]+)?")


def render(document: Document, wanted: str) -> str:
    """The page of the loop that `wanted` names: an id, or FILE:LINE. InputError with near ones where there is none."""
    found_in, found = _find(document, wanted)
    path, loop, sizes = clean((found_in, found, settled_sizes(document).get((found_in, found.function))))
    r = loop.recommendation
    lines = [
        f"{path}:{loop.line}:{loop.column}  in {loop.function}()",
        f"verdict   {r.verdict}: {r.reason.message} [{r.reason.code}]",
        f"class     {loop.class_ or 'none'}" + (f": {loop.class_reason.message}" if loop.class_reason else ""),
        f"species   {loop.species or 'none'}",
        f"parallel  {loop.parallel}" + (f": {loop.reason.message}" if loop.reason else ""),
        *(f"assumes   {a.kind}({a.text}), line {a.line}" for a in loop.assumptions),
        *([f"sizes     {sizes}"] if sizes else []),
    ]
    devices = document.devices.items()
    figures = {f"{device} {key}": figure for device, used in devices for key, figure in used.figures.items()}
    for prediction in loop.predictions:
        lines += ["", *_prediction(prediction, figures)]
    if not loop.predictions:
        lines += ["", "No time could be predicted."]
    lines += _flips(loop)
    return "\n".join(lines) + "\n"


def _find(document: Document, wanted: str) -> tuple[str, LoopEntry]:
    places = [(loop.id, file.path, loop.line) for file in document.files for loop in file.loops]
    found = find("--why", wanted, places, lambda path: in_repository(document, path))
    return next((file.path, loop) for file in document.files for loop in file.loops if loop.id == found)


def _prediction(p: PredictionEntry, figures: Mapping[str, Figure]) -> list[str]:
    total = amounts.times(p.time_s) if p.time_s else "unknown size"
    lines = [f"{p.candidate} on {p.device} ({p.model}): {total}" + (f", bound by {p.bound}" if p.bound else "")]
    if p.mapping is not None:
        lines.append(f"  mapping   {p.mapping}")
    if p.as_written:
        collapsed = (f"{time(w.time_s.likely)} with {counted('loop', w.threads)} as threads" for w in p.as_written)
        lines.append(f"  unchanged {', '.join(collapsed)}")
    if p.formula and p.time_s is None:
        lines.append(f"  formula   {p.formula} s")
    if p.abridged is not None:
        lines.append(f"  {LEFT_OUT[p.abridged]}")
    width = max((len(t.name) for t in p.terms), default=0)
    lines += [f"  {t.name:<{width}}  {_value(t):<12}  {_how(t, figures)}" for t in p.terms]
    parts = (("compute", p.compute_s), ("memory", p.memory_s), ("transfer", p.transfer_s), ("launch", p.launch_s))
    shown = ", ".join(f"{name} {time(value)}" for name, value in parts if value)
    lines += [f"  likely    {shown}"] if shown else []
    lines += [f"  time      {_total(p)} = {time(p.time_s.likely)}"] if p.time_s and p.model == "extended" else []
    matters = ", ".join(f"{e.name} {100 * e.share:+.0f} %" for e in p.effects or ())
    return [*lines, f"  matters   {matters} of it"] if matters else lines


def _total(p: PredictionEntry) -> str:
    """How the parts make the time."""
    if p.candidate == "split":
        return "T"
    return "max(compute, memory) + transfer + launch"


def _flips(loop: LoopEntry) -> list[str]:
    """What alone would change the verdict, the nearest first."""
    if not loop.sensitivity:
        return []
    width = max(len(f.what) for f in loop.sensitivity)
    found = [f"  {f.what:<{width}}  {f.now} now; {f.verdict} at {f.then}" for f in loop.sensitivity]
    return ["", "What would change the verdict on this loop alone, one figure at a time, the nearest first", *found]


def _value(t: TermEntry) -> str:
    return "?" if t.value is None else readable(float(t.value), t.unit)


def _how(t: TermEntry, figures: Mapping[str, Figure]) -> str:
    """The formula, unless it is the number already shown, and where it comes from: a report in brief names a figure."""
    figure = figures.get(t.source)
    source = t.source if figure is None else f"{t.source}: {figure.confidence}, {figure.source}"
    is_number = t.value is not None and t.expr is not None and _NUMBER.fullmatch(t.expr) is not None
    return f"[{source}]" if t.expr is None or is_number else f"{t.expr}  [{source}]"
