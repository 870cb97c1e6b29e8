"""The picture of the boat hull model: time against complexity, both logarithmic (as figures 2, 3 and 7 of the paper).

Solid lines are the equations and floors of one class on one device, dashed lines the total with transfer at its low
and high end; the bar is the range at the complexity in question. SVG without any library; `page` wraps it in HTML.
"""

import math
from collections.abc import Callable, Iterable
from html import escape

from msgspec import Struct

from .prediction import Prediction, Refusal
from .quantity import Range
from .units import readable

WIDTH, HEIGHT = 760, 480
LEFT, RIGHT, TOP, BOTTOM = 80, 200, 50, 60
POINTS = 65
COMPLEXITIES = (0.25, 4096.0)
EQUATIONS = ("c0", "c1", "c2", "c3", "m0", "m1")
COLOURS = {"c0": "#0b5394", "c1": "#6fa8dc", "c2": "#3d85c6", "c3": "#9fc5e8", "m0": "#990000", "m1": "#e06666"}
TOTAL, INK, GRID = "#444444", "#111111", "#dddddd"


class NotDrawableError(ValueError):
    """There is no time to draw: it was refused or a size is not known."""


class Curve(Struct, frozen=True):
    """Seconds over complexity."""

    name: str
    points: tuple[tuple[float, float], ...]
    colour: str
    dashed: bool = False


class Axes(Struct, frozen=True):
    """Maps complexity and seconds, within these bounds, to places in the picture."""

    left: float
    right: float
    bottom: float
    top: float

    def x(self, complexity: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * _part(complexity, self.left, self.right)

    def y(self, seconds: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * _part(seconds, self.bottom, self.top)


def hull(title: str, predict: Callable[[float], Prediction | Refusal], complexity: float) -> str:
    """The SVG picture; `predict` gives the prediction of the class on the device for a complexity.

    NotDrawableError where it refuses or a size is not known."""
    low, high = min(COMPLEXITIES[0], complexity or math.inf), max(COMPLEXITIES[1], complexity)
    sweep = [low * (high / low) ** (i / (POINTS - 1)) for i in range(POINTS)]
    answers = [(f, _told(predict(f))) for f in sweep]
    curves = list(_curves(answers))
    here = _time(_told(predict(complexity)))
    times = [seconds for curve in curves for _, seconds in curve.points] + [here.low, here.high]
    axes = Axes(low, high, 10 ** math.floor(math.log10(min(times))), 10 ** math.ceil(math.log10(max(times))))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        _text(LEFT, 28, title, size=14),
        *_grid(axes),
        *(_line(axes, curve) for curve in curves),
        *_legend(curves),
        *_bar(axes, max(complexity, low), here),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def page(pictures: Iterable[str]) -> str:
    """An HTML page with the pictures one below the other."""
    head = '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Boat hull</title></head><body>'
    return "\n".join((head, *pictures, "</body></html>\n"))


def _told(answer: Prediction | Refusal) -> Prediction:
    if isinstance(answer, Refusal):
        raise NotDrawableError(f"{answer.device}: {answer.message}")
    if answer.time is None:
        raise NotDrawableError(f"nothing to draw before {', '.join(sorted(answer.formulas.symbols))} is known")
    return answer


def _time(answer: Prediction) -> Range:
    assert answer.time is not None  # `_told` saw to it
    return answer.time


def _curves(answers: list[tuple[float, Prediction]]) -> Iterable[Curve]:
    values = [(f, {term.name: term.value for term in answer.terms}) for f, answer in answers]
    for name in EQUATIONS:
        points = tuple((f, value) for f, found in values if (value := found.get(name)))
        if points:
            yield Curve(name, points, COLOURS[name])
    with_transfer = any(answer.transfer is not None and answer.transfer.high > 0 for _, answer in answers)
    kind = "total" if with_transfer else "time"
    yield Curve(f"{kind}, low", tuple((f, _time(a).low) for f, a in answers), TOTAL, dashed=True)
    yield Curve(f"{kind}, high", tuple((f, _time(a).high) for f, a in answers), TOTAL, dashed=True)


def _grid(axes: Axes) -> Iterable[str]:
    for complexity in _decades(axes.left, axes.right):
        x = axes.x(complexity)
        yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="{GRID}"/>'
        yield _text(x, HEIGHT - BOTTOM + 18, f"{complexity:g}", anchor="middle")
    for seconds in _decades(axes.bottom, axes.top):
        y = axes.y(seconds)
        yield f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="{GRID}"/>'
        yield _text(LEFT - 8, y + 4, readable(seconds, "s"), anchor="end")
    yield _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 18, "complexity of the operator (operations)", anchor="middle")


def _line(axes: Axes, curve: Curve) -> str:
    points = " ".join(f"{axes.x(f):.1f},{axes.y(seconds):.1f}" for f, seconds in curve.points)
    dashes = ' stroke-dasharray="6 4"' if curve.dashed else ""
    return f'<polyline points="{points}" fill="none" stroke="{curve.colour}" stroke-width="2"{dashes}/>'


def _legend(curves: list[Curve]) -> Iterable[str]:
    for row, curve in enumerate(curves):
        y, x = TOP + 12 + 20 * row, WIDTH - RIGHT + 20
        dashes = ' stroke-dasharray="6 4"' if curve.dashed else ""
        line = f'<line x1="{x}" x2="{x + 24}" y1="{y}" y2="{y}" stroke="{curve.colour}" stroke-width="2"{dashes}/>'
        yield line + _text(x + 32, y + 4, curve.name)


def _bar(axes: Axes, complexity: float, time: Range) -> Iterable[str]:
    x, low, likely, high = axes.x(complexity), axes.y(time.low), axes.y(time.likely), axes.y(time.high)
    yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{low:.1f}" y2="{high:.1f}" stroke="{INK}" stroke-width="3"/>'
    yield f'<circle cx="{x:.1f}" cy="{likely:.1f}" r="5" fill="{INK}"/>'
    yield _text(x, high - 10, readable(time.likely, "s"), anchor="middle")


def _text(x: float, y: float, text: str, *, anchor: str = "start", size: int = 12) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{INK}">{escape(text)}</text>'


def _decades(low: float, high: float) -> list[float]:
    return [10.0**power for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]


def _part(value: float, low: float, high: float) -> float:
    return math.log(value / low) / math.log(high / low)
