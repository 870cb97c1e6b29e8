"""PMaC: bandwidth of an idiom on each device over the size of its data (figures 4 and 7 of the paper)."""

from collections.abc import Iterable, Iterator
from math import inf

from ..pmac.curves import Access, Curve
from ..units import readable
from .chart import Axis, Chart, Mark, spanning
from .chart import Curve as Drawn
from .picture import SERIES

POINTS = 33
FARTHEST = 16
"""How many times its start a plateau without an end is drawn at least."""


def bandwidths(idiom: Access, curves: Iterable[Curve], asked: Iterable[float] = ()) -> Chart:
    """A line for each device that has a curve of the idiom, broken where it jumps; dots at the sizes `asked` for that
    the curve answers."""
    own = [curve for curve in curves if curve.idiom == idiom]
    sizes = sorted(asked)
    ends = (curve.last_bytes for curve in own if curve.last_bytes < inf)
    farthest = max((*sizes, *ends, *(FARTHEST * curve.first_bytes for curve in own)), default=0)
    drawn: list[Drawn] = []
    marks: list[Mark] = []
    for index, curve in enumerate(own):
        ink = SERIES[index % len(SERIES)]
        drawn += (Drawn(curve.device, points, ink) for points in _pieces(curve, farthest))
        marks += [_mark(curve, size, ink) for size in sizes if curve.first_bytes <= size <= curve.last_bytes]
    places = [x for line in drawn for x, _ in line.points]
    heights = [y for line in drawn for _, y in line.points]
    x = spanning("data size", "B", places)
    y = Axis(0, 1.1 * max(heights), "bandwidth", "B/s", log=False)
    note = "a gap: the fit ends with one value, the next begins with another"
    return Chart(f"{idiom}: bandwidth by data size", x, y, tuple(drawn), tuple(marks), note=note)


def _pieces(curve: Curve, farthest: float) -> Iterator[tuple[tuple[float, float], ...]]:
    first = curve.first_bytes
    for piece in curve.pieces:
        last = max(FARTHEST * first, farthest) if piece.last_bytes == inf else piece.last_bytes
        sweep = (first * (last / first) ** (step / (POINTS - 1)) for step in range(POINTS))
        yield tuple((size, piece.at(size)) for size in sweep)
        first = piece.last_bytes


def _mark(curve: Curve, size: float, ink: str) -> Mark:
    rate = curve.bandwidth(size)
    tip = f"{curve.device} at {readable(size, 'B')}: {readable(rate, 'B/s')}"
    return Mark(size, rate, tip, ink, label=readable(rate, "B/s"))
