"""The boat hull: time against the complexity of the operator, both logarithmic (figures 2, 3 and 7 of the paper).

Solid lines are the equations and floors of one class on one device, dashed ones of the same colour the same with the
transfer, t0, added (and the launch, where it is asked for). The ground between the low and the high time of the kernel
is grey; at the complexity in question stands the predicted time, with its range. Stars are measured points.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from ..prediction import Prediction, Refusal
from ..quantity import Range
from ..units import readable
from .chart import Axis, Band, Chart, Curve, Mark, NotDrawableError, spanning

POINTS = 65
COMPLEXITIES = (0.25, 4096.0)
INKS = {"c0": "blue", "c1": "sky", "c2": "violet", "c3": "teal", "m0": "red", "m1": "rose"}
MEANING = {
    "c0": "compute", "c1": "no multiply-adds", "m0": "memory", "m1": "scattered",
}  # fmt: skip
CPU_MEANING = {
    "c0": "all threads, vectors", "c1": "all threads", "c2": "one thread, vectors", "c3": "one thread", "m0": "memory",
}  # fmt: skip

Predict: TypeAlias = Callable[[float], Prediction | Refusal]


def hull(title: str, predict: Predict, complexity: float, measured: Sequence[tuple[float, float]] = ()) -> Chart:
    """`predict` gives the prediction of the class on the device for a complexity; `measured` are complexities and
    seconds. NotDrawableError where it refuses or a size is not known."""
    asked = [value for value in (complexity, *(f for f, _ in measured)) if value > 0]
    low, high = min(COMPLEXITIES[0], *asked, math.inf), max(COMPLEXITIES[1], *asked, 0)
    sweep = [low * (high / low) ** (step / (POINTS - 1)) for step in range(POINTS)]
    answers = [(f, _known(predict(f))) for f in sweep]
    here = _known(predict(complexity))
    added = _added(here)
    curves = (*_equations(answers), *_totals(answers), *_range(max(complexity, low), here))
    band = Band(tuple((f, _kernel(a).low) for f, a in answers), tuple((f, _kernel(a).high) for f, a in answers), "grid")
    marks = (*_here(max(complexity, low), here), *(_measured(f, seconds) for f, seconds in measured))
    drawn = (*(curve.points for curve in curves), band.low, band.high)
    times = [time for points in drawn for _, time in points] + [mark.y for mark in marks]
    time = spanning("time", "s", times)
    decades = 10 ** math.floor(math.log10(time.low)), 10 ** math.ceil(math.log10(time.high))
    return Chart(
        title,
        Axis(low, high, "complexity: operations of f()"),
        Axis(*decades, time.title, time.unit),
        curves,
        marks,
        bands=(band,) if min(_kernel(a).low for _, a in answers) > 0 else (),
        note=f"solid: kernel; dashed: with {' and '.join(added)}; grey: predicted range of the kernel"
        if added
        else "grey: predicted range",
    )


def _known(answer: Prediction | Refusal) -> Prediction:
    if isinstance(answer, Refusal):
        raise NotDrawableError(f"{answer.device}: {answer.message}")
    if answer.time is None:
        raise NotDrawableError(f"nothing to draw before {', '.join(sorted(answer.formulas.symbols))} is known")
    return answer


def _time(answer: Prediction) -> Range:
    assert answer.time is not None  # `_known` saw to it
    return answer.time


def _kernel(answer: Prediction) -> Range:
    """The time without what is added to it."""
    compute, memory = answer.compute, answer.memory
    assert compute is not None
    assert memory is not None
    low, high = max(compute.low, memory.low), max(compute.high, memory.high)
    likely = _time(answer).likely - sum(_added(answer).values())
    return Range(low, min(max(likely, low), high), high)  # a difference, rounded


def _added(answer: Prediction) -> dict[str, float]:
    """What comes on top of the kernel: likely seconds of the transfer and of the launch, where there are any."""
    parts = {"the transfer": answer.transfer, "the launch": answer.launch}
    return {name: part.likely for name, part in parts.items() if part is not None and part.high > 0}


def _values(answer: Prediction) -> dict[str, float]:
    return {term.name: term.value for term in answer.terms if term.name in INKS and term.value}


def _equations(answers: Sequence[tuple[float, Prediction]]) -> Iterator[Curve]:
    is_cpu = any("c3" in _values(answer) for _, answer in answers)
    for name, ink in INKS.items():
        points = tuple((f, value) for f, answer in answers if (value := _values(answer).get(name)))
        if points:
            yield Curve(f"{name} {(CPU_MEANING if is_cpu else MEANING)[name]}", points, ink)


def _totals(answers: Sequence[tuple[float, Prediction]]) -> Iterator[Curve]:
    added = _added(answers[0][1])
    if not added:
        return
    what = " + ".join({"the transfer": "t0", "the launch": "launch"}[part] for part in added)
    for name, ink in INKS.items():
        points = tuple(
            (f, value + sum(_added(answer).values())) for f, answer in answers if (value := _values(answer).get(name))
        )
        if points:
            yield Curve(f"{name} + {what}", points, ink, dashed=True, width=1.3)


def _here(complexity: float, answer: Prediction) -> Iterable[Mark]:
    parts = [("time", _time(answer))]
    if _added(answer):
        parts.insert(0, ("kernel", _kernel(answer)))
    for name, time in parts:
        if time.likely > 0:
            ends = f"{readable(time.low, 's')} to {readable(time.high, 's')}"
            tip = f"{name} at complexity {complexity:g}: {readable(time.likely, 's')} ({ends})"
            yield Mark(complexity, time.likely, tip, label=f"{name} {readable(time.likely, 's')}")


def _range(complexity: float, answer: Prediction) -> Iterator[Curve]:
    """The ranges at the complexity in question, as bars."""
    for time in {_time(answer), _kernel(answer)}:
        if 0 < time.low < time.high:
            points = ((complexity, time.low), (complexity, time.high))
            yield Curve("range", points, "ink", width=3, listed=False)


def _measured(complexity: float, seconds: float) -> Mark:
    tip = f"measured at complexity {complexity:g}: {readable(seconds, 's')}"
    return Mark(complexity, seconds, tip, "red", star=True)
