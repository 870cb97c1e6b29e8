"""The communication-aware roofline: charts over OI and over CAI, and its surface over both (Cardwell 2019, figures 2.2
and 2.12)."""

from collections.abc import Sequence
from math import ceil, floor, inf, isfinite, log

from .. import roofline
from ..communication import Point, System, attainable
from ..units import readable
from .chart import Axis, Chart, Curve, Mark, spanning
from .picture import SERIES
from .surface import Point as SurfacePoint
from .surface import Surface

STEPS = 48
MEMORY, NETWORK = "operational intensity OI", "communication intensity CAI"
UNIT = "flop/B"


def rooflines(systems: Sequence[System], points: Sequence[Point]) -> tuple[Chart | Surface, ...]:
    """Both charts with all systems, then the surface of each system."""
    oi = _around([point.oi for point in points] + [system.ridge_oi for system in systems])
    cai = _around([point.cai for point in points] + [system.ridge_cai for system in systems])
    surfaces = (_surface(system, oi, cai, points) for system in systems)
    return (_chart(MEMORY, oi, systems, points), _chart(NETWORK, cai, systems, points), *surfaces)


def _steps(ridge: float, ratio: float, span: Sequence[float]) -> tuple[float, ...]:
    """ridge · ratio^k between the ends of the span."""
    first, last = (log(end / ridge) / log(ratio) for end in (span[0], span[-1]))
    return tuple(ridge * ratio**k for k in range(ceil(first - 1e-9), floor(last + 1e-9) + 1))


def _chart(over: str, span: Sequence[float], systems: Sequence[System], points: Sequence[Point]) -> Chart:
    curves, marks = [], []
    for index, system in enumerate(systems):
        ink = SERIES[index % len(SERIES)]
        rate, ridge = (system.memory, system.ridge_oi) if over == MEMORY else (system.network, system.ridge_cai)
        roof = tuple((value, float(roofline.attainable(system.peak, rate, value))) for value in sorted((*span, ridge)))
        curves.append(Curve(system.name, roof, ink))
        for point in points:
            at = point.oi if over == MEMORY else point.cai
            if point.system == system and isfinite(at) and point.attainable > 0:
                marks.append(Mark(at, point.attainable, _tip(point, at), ink))
    heights = [height for curve in curves for _, height in curve.points] + [mark.y for mark in marks]
    names = ", ".join(dict.fromkeys(point.name for point in points))
    return Chart(
        f"Roofline over {over}",
        Axis(span[0], span[-1], over, UNIT),
        spanning("attainable", "op/s", heights, room=2),
        tuple(curves),
        tuple(marks),
        note=f"lines: roofs of one process; dots: {names}, at most" if names else "lines: roofs of one process",
    )


def _surface(system: System, oi: Sequence[float], cai: Sequence[float], points: Sequence[Point]) -> Surface:
    # one ratio for both axes, from the ridge points on: the creases of the roof then run along the tiles
    ratio = max(span[-1] / span[0] for span in (oi, cai)) ** (1 / STEPS)
    xs, ys = _steps(system.ridge_oi, ratio, oi), _steps(system.ridge_cai, ratio, cai)
    values = [[float(attainable(system, x, y)) for y in ys] for x in xs]
    dots = tuple(
        SurfacePoint(point.oi, point.cai, point.attainable, _tip(point, point.oi))
        for point in points
        if point.system == system and isfinite(point.cai)
    )
    axes = (
        Axis(oi[0], oi[-1], "OI", UNIT),
        Axis(cai[0], cai[-1], "CAI", UNIT),
        spanning("attainable", "op/s", [value for row in values for value in row]),
    )
    note = "min(peak, memory bandwidth · OI, network bandwidth · CAI), one process"
    return Surface(f"{system.name}: communication-aware roofline", axes, xs, ys, values, dots, note=note)


def _tip(point: Point, at: float) -> str:
    sizes = ", ".join(f"{name} = {value:g}" for name, value in point.sizes.items())
    what = " ".join(part for part in (point.name, sizes) if part)
    return f"{what} on {point.system.name}: {at:.4g} {UNIT}, at most {readable(point.attainable, 'op/s')}"


def _around(values: Sequence[float]) -> tuple[float, ...]:
    """Steps from a quarter of the least value to four times the greatest."""
    known = [value for value in values if 0 < value < inf]
    low, high = min(known) / 4, max(known) * 4
    return tuple(low * (high / low) ** (step / (STEPS - 1)) for step in range(STEPS))
