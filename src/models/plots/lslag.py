"""LSLAG: t_w over gamma and S, the model as a mesh and the measured means as dots (figures 2 to 4 of the paper)."""

from collections.abc import Sequence

from ..lslag.architecture import wall_time
from ..lslag.fitting import Point as Mean
from ..lslag.fitting import Report
from ..units import readable
from .chart import Axis, Chart, Curve, Mark, spanning
from .picture import SERIES
from .surface import Point, Surface, View


def meshes(report: Report) -> tuple[Surface | Chart, ...]:
    """One mesh for each model that depends on gamma, and the times over S with a line for each gamma."""
    gammas, sizes = (sorted({getattr(point, of) for point in report.points}) for of in ("gamma", "size"))
    return (*_mesh(report, gammas, sizes), _over_size(report, gammas, sizes))


def _mesh(report: Report, gammas: Sequence[float], sizes: Sequence[float]) -> tuple[Surface, ...]:
    if min(len(gammas), len(sizes)) < 2:
        return ()  # a line, not a mesh
    found = []
    for name, fitted in report.models.items():
        values = [[float(wall_time(fitted.architecture, gamma, size)) for size in sizes] for gamma in gammas]
        dots = tuple(Point(p.gamma, p.size, p.measured_s, _tip(p)) for p in report.points)
        heights = [value for row in values for value in row] + [p.measured_s for p in report.points]
        axes = (_powers("gamma", gammas), _powers("S", sizes), spanning("t_w", "s", heights))
        note = "mesh: the model; dots: means of what was measured"
        title = f"{name.upper()}: wall clock time over gamma and S"
        known = [[value or None for value in row] for row in values]
        found.append(
            Surface(title, axes, tuple(gammas), tuple(sizes), known, dots, mesh=True, note=note, view=View(turn=2.4))
        )
    return tuple(found)


def _over_size(report: Report, gammas: Sequence[float], sizes: Sequence[float]) -> Chart:
    architecture = report.models["lslag"].architecture
    shown = [gammas[round(index * (len(gammas) - 1) / 5)] for index in range(6)] if len(gammas) > 6 else list(gammas)
    curves = tuple(
        Curve(f"gamma {gamma:g}", tuple((size, float(wall_time(architecture, gamma, size))) for size in sizes), ink)
        for gamma, ink in zip(shown, SERIES, strict=False)
    )
    inks = dict(zip(shown, SERIES, strict=False))
    marks = tuple(
        Mark(p.size, p.measured_s, _tip(p), inks[p.gamma])
        for p in report.points
        if p.gamma in inks and p.measured_s > 0
    )
    times = [time for curve in curves for _, time in curve.points] + [mark.y for mark in marks]
    title = "LSLAG: wall clock time over S"
    note = "lines: the model; dots: means of what was measured"
    return Chart(title, _powers("S", sizes), spanning("t_w", "s", times), curves, marks, note=note)


def _powers(title: str, values: Sequence[float]) -> Axis:
    """An axis with a tick at every value, as protocols take powers of two."""
    low, high = (values[0], values[-1]) if len(values) > 1 else (values[0] / 2, values[0] * 2)
    return Axis(low, high, title, ticks=tuple(values) if len(values) <= 12 else ())


def _tip(point: Mean) -> str:
    return f"measured at gamma {point.gamma:g}, S {point.size:g}: {readable(point.measured_s, 's')}"
