"""PerDome: the bound of every code partition over I_C and I_G, with the other execution models as points.

Both axes run six powers of two to either side of the kernel's own intensity, as the paper's figures 2 and 3. Two of the
four quarters are empty: both intensities above, or both below, the kernel's cannot be (lemma 2).
"""

from collections.abc import Sequence

from ..perdome import Bound, Processor, code_partition, partition_exists
from ..units import readable
from .chart import Axis, Cells, Chart, Mark, spanning
from .surface import Point, Surface

STEPS = 64
OCTAVES = 6


def grid(cpu: Processor, gpu: Processor, whole: float) -> tuple[tuple[float, ...], list[list[float | None]]]:
    """The intensities of either axis, and the bounds in flops per second at each pair of them (CPU, GPU)."""
    # between the powers, so that no step meets the intensity itself, where only data can be divided
    axis = tuple(whole * 2 ** (OCTAVES * (2 * step + 1 - STEPS) / STEPS) for step in range(STEPS))
    return axis, [[_bound(cpu, gpu, whole, left, right) for right in axis] for left in axis]


def partitions(cpu: Processor, gpu: Processor, whole: float, found: Sequence[Bound]) -> tuple[Chart, Surface]:
    """The surface as a map and in space, with the bounds that stand somewhere on its floor."""
    axis, values = grid(cpu, gpu, whole)
    title = f"PerDome: I = {whole:.4g} flop/B on {cpu.id} and {gpu.id}"
    points = [
        (*place, bound)
        for bound in found
        if (place := _place(bound, whole)) is not None and all(axis[0] <= side <= axis[-1] for side in place)
    ]
    x, y = Axis(axis[0], axis[-1], "I_C", "flop/B"), Axis(axis[0], axis[-1], "I_G", "flop/B")
    heights = [value for row in values for value in row if value] + [b.performance.likely for _, _, b in points]
    marks = tuple(Mark(i, j, _tip(bound), "ink", bound.model) for i, j, bound in points)
    dots = tuple(Point(i, j, bound.performance.likely, _tip(bound), bound.model) for i, j, bound in points)
    axes = (x, y, spanning("bound", "op/s", heights))
    note = "bound of every code partition; where there is no colour no partition exists"
    return (
        Chart(title, x, y, marks=marks, cells=Cells(axis, axis, values, "op/s"), note=note),
        Surface(title, axes, axis, axis, values, dots, note=note),
    )


def csv(cpu: Processor, gpu: Processor, whole: float) -> str:
    """The same numbers as a table in SI units; the bound is empty where no partition exists."""
    axis, values = grid(cpu, gpu, whole)
    rows = (
        f"{left!r},{right!r},{'' if value is None else repr(value)}"
        for left, row in zip(axis, values, strict=True)
        for right, value in zip(axis, row, strict=True)
    )
    return "\n".join(("cpu_intensity,gpu_intensity,flops_per_s", *rows, ""))


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


def _tip(bound: Bound) -> str:
    return f"{bound.model}: {readable(bound.performance.likely, 'op/s')}"
