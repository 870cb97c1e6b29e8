"""What `partition --surface` and `scale --plot` write: CSV, SVG, PNG, or HTML with a surface to turn."""

from collections.abc import Sequence
from math import inf, isfinite
from pathlib import Path

from .. import charts, roofline
from ..communication import Point, System, attainable
from ..perdome import Bound, Processor, code_partition, partition_exists
from ..surfacepage import Dot, Surface, surface_part
from ..units import readable
from .arguments import UsageError
from .measures import write_file

STEPS = 64
OCTAVES = 6


def write_partition_surface(path: Path, cpu: Processor, gpu: Processor, whole: float, found: Sequence[Bound]) -> None:
    """The bound of every code partition, six powers of two on either side of the kernel's intensity."""
    # between the powers, so that no step meets the intensity itself, where only data can be divided
    axis = tuple(whole * 2 ** (OCTAVES * (2 * step + 1 - STEPS) / STEPS) for step in range(STEPS))
    values = [[_bound(cpu, gpu, whole, left, right) for right in axis] for left in axis]
    if path.suffix == ".csv":
        rows = [
            f"{left!r},{right!r},{'' if value is None else repr(value)}"
            for left, row in zip(axis, values, strict=True)
            for right, value in zip(axis, row, strict=True)
        ]
        write_file("--surface", path, "\n".join(("cpu_intensity,gpu_intensity,flops_per_s", *rows, "")))
        return
    title = f"Bounds for I = {whole:.4g} flop/B on {cpu.id} and {gpu.id}"
    dots = tuple(
        Dot(place[0], place[1], bound.performance.likely / 1e9, f"{bound.model}: {_rate(bound.performance.likely)}")
        for bound in found
        if (place := _place(bound, whole)) is not None and all(axis[0] <= side <= axis[-1] for side in place)
    )
    x, y = charts.axes(axis, axis, ("I_C (flop/B)", "I_G (flop/B)"), (_digits, _digits))
    marks = tuple(charts.Mark(dot.x, dot.y, dot.text, label=dot.text.split(":")[0]) for dot in dots)
    chart = charts.Chart(title, x, y, marks=marks, cells=charts.Cells(axis, axis, values, _rate))
    surface = Surface(title, (x.title, y.title, "Gflop/s"), axis, axis, _giga(values), dots)
    _save("--surface", path, title, [chart], [surface])


def write_rooflines(path: Path, systems: Sequence[System], points: Sequence[Point]) -> None:
    """Both charts, over OI and over CAI; in HTML the surface of each system as well."""
    oi_span = _around([point.oi for point in points] + [system.ridge_oi for system in systems])
    cai_span = _around([point.cai for point in points] + [system.ridge_cai for system in systems])
    over_oi = _chart("Operational intensity (flop/B of memory)", oi_span, systems, points, network=False)
    over_cai = _chart("Communication intensity (flop/B of network)", cai_span, systems, points, network=True)
    surfaces = [_system_surface(system, oi_span, cai_span, points) for system in systems]
    _save("--plot", path, "Communication-aware roofline", [over_oi, over_cai], surfaces)


def _save(option: str, path: Path, title: str, drawn: Sequence[charts.Chart], surfaces: Sequence[Surface]) -> None:
    """The charts by the suffix of the file; only HTML has the surfaces as well."""
    if path.suffix == ".svg":
        write_file(option, path, charts.stacked(drawn))
    elif path.suffix == ".html":
        parts = (*map(charts.svg, drawn), *map(surface_part, surfaces))
        write_file(option, path, charts.page(title, parts))
    elif path.suffix == ".png":
        from ..png import write_png

        write_png(path, drawn)
    else:
        raise UsageError(f"{option}: {path} is neither .svg, .html nor .png")


def _chart(
    title: str, span: Sequence[float], systems: Sequence[System], points: Sequence[Point], *, network: bool
) -> charts.Chart:
    lines, marks = [], []
    for system, colour in zip(systems, charts.COLOURS * len(systems), strict=False):
        rate = system.network if network else system.memory
        ridge = system.ridge_cai if network else system.ridge_oi
        roof = tuple((value, float(roofline.attainable(system.peak, rate, value))) for value in sorted((*span, ridge)))
        lines.append(charts.Curve(system.name, roof, colour))
        for point in points:
            at = point.cai if network else point.oi
            if point.system == system and isfinite(at):
                sizes = ", ".join(f"{name} = {value:g}" for name, value in point.sizes.items())
                tooltip = f"{point.name} {sizes}: {at:.4g} flop/B, at most {_rate(point.attainable)}"
                marks.append(charts.Mark(at, point.attainable, tooltip, colour))
    heights = [height for line in lines for _, height in line.points] + [mark.y for mark in marks]
    x, y = charts.axes(span, [*heights, 2 * max(heights), min(heights) / 2], (title, "attainable"), (_digits, _rate))
    return charts.Chart(title, x, y, tuple(lines), tuple(marks))


def _system_surface(
    system: System, oi_span: Sequence[float], cai_span: Sequence[float], points: Sequence[Point]
) -> Surface:
    values = [[float(attainable(system, oi, cai)) for cai in cai_span] for oi in oi_span]
    dots = tuple(
        Dot(point.oi, point.cai, point.attainable / 1e9, f"{point.name}: {_rate(point.attainable)}")
        for point in points
        if point.system == system and isfinite(point.cai)
    )
    titles = ("OI (flop/B)", "CAI (flop/B)", "Gop/s")
    return Surface(system.name, titles, tuple(oi_span), tuple(cai_span), _giga(values), dots)


def _bound(cpu: Processor, gpu: Processor, whole: float, left: float, right: float) -> float | None:
    if not partition_exists(whole, left, right):
        return None
    return float(code_partition(cpu.likely, gpu.likely, whole, left, right))


def _place(bound: Bound, whole: float) -> tuple[float, float] | None:
    """Where a bound stands; None for a processor that is not used, whose intensity of 0 has no logarithm."""
    shares = bound.cpu_flops, bound.cpu_bytes
    if min(shares) <= 0 or max(shares) >= 1:
        return None
    return whole * shares[0] / shares[1], whole * (1 - shares[0]) / (1 - shares[1])


def _around(values: Sequence[float]) -> tuple[float, ...]:
    """Steps from an eighth of the least value to eight times the greatest."""
    known = [value for value in values if 0 < value < inf]
    low, high = min(known) / 8, max(known) * 8
    return tuple(low * (high / low) ** (step / (STEPS - 1)) for step in range(STEPS))


def _giga(values: Sequence[Sequence[float | None]]) -> list[list[float | None]]:
    """For an axis with short numbers."""
    return [[None if value is None else value / 1e9 for value in row] for row in values]


def _rate(value: float) -> str:
    return readable(value, "op/s")


def _digits(value: float) -> str:
    return f"{value:.4g}"
