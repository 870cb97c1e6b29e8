"""Bounds and divisions as aligned text and as plain values for JSON."""

from collections.abc import Sequence

from ..tables import aligned
from ..units import readable
from .bounds import Bound, End, Processor
from .partition import best_intensities
from .pieces import Division, Piece

ENDS: tuple[End, ...] = ("fast", "likely", "slow")


def kernel_text(cpu: Processor, gpu: Processor, whole: float, found: Sequence[Bound]) -> str:
    system = [
        (
            name,
            part.id,
            f"{_digits(part.likely.flop * 1e12)} ps/flop",
            f"{_digits(part.likely.byte * 1e12)} ps/B",
            part.source,
        )
        for name, part in (("CPU", cpu), ("GPU", gpu))
    ]
    head = ("model", "bound", "low", "high", "CPU flops", "CPU bytes", "I_C", "I_G", "limit", "")
    rows = [
        (
            bound.model,
            *(
                readable(end, "op/s")
                for end in (bound.performance.likely, bound.performance.low, bound.performance.high)
            ),
            f"{bound.cpu_flops:.1%}",
            f"{bound.cpu_bytes:.1%}",
            *("-" if side is None else _digits(side) for side in _sides(bound, whole)),
            bound.limit,
            bound.note,
        )
        for bound in found
    ]
    return "\n".join((*aligned(system), f"I = {_digits(whole)} flop/B", "", *aligned((head, *rows))))


def division_lines(pieces: Sequence[Piece], division: Division) -> list[str]:
    way = "all ways tried" if division.exact else f"searched; at most {division.gap:.1%} below any partition"
    rows = [
        (piece.name, f"{piece.flops:.6g} flops", readable(piece.bytes, "B"),
         "CPU" if piece.name in division.on_cpu else "GPU")
        for piece in pieces
    ]  # fmt: skip
    return ["", f"pieces and where they run at best ({way}):", *("  " + line for line in aligned(rows))]


def kernel_document(cpu: Processor, gpu: Processor, whole: float, found: Sequence[Bound]) -> dict[str, object]:
    sides = best_intensities(cpu.likely, gpu.likely, whole)
    return {
        "intensity": whole,
        "cpu": _processor_document(cpu),
        "gpu": _processor_document(gpu),
        "bounds": [bound_document(bound, whole) for bound in found],
        "best_intensities": {"cpu": sides[0], "gpu": sides[1]},
    }


def _processor_document(processor: Processor) -> dict[str, object]:
    times: dict[str, object] = {
        end: {"flop_s": processor.times(end).flop, "byte_s": processor.times(end).byte} for end in ENDS
    }
    return {"id": processor.id, "name": processor.name, "source": processor.source, **times}


def bound_document(bound: Bound, whole: float) -> dict[str, object]:
    ends, sides = bound.performance, _sides(bound, whole)
    return {
        "model": bound.model,
        "flops_per_s": {"low": ends.low, "likely": ends.likely, "high": ends.high},
        "cpu_flops_share": bound.cpu_flops,
        "cpu_bytes_share": bound.cpu_bytes,
        "cpu_intensity": sides[0],
        "gpu_intensity": sides[1],
        "limit": bound.limit,
        "note": bound.note,
    }


def division_document(pieces: Sequence[Piece], division: Division | None) -> object:
    if division is None:
        return None
    where = {name: "cpu" for name in division.on_cpu} | {name: "gpu" for name in division.on_gpu}
    return {
        "pieces": [{"name": p.name, "flops": p.flops, "bytes": p.bytes, "on": where[p.name]} for p in pieces],
        "flops_per_s": division.performance,
        "exact": division.exact,
        "gap": division.gap,
    }


def _sides(bound: Bound, whole: float) -> tuple[float | None, float | None]:
    """I_C and I_G: 0 for a processor that is not used, None for one that computes without moving a byte."""

    def side(flops: float, traffic: float) -> float | None:
        if not traffic:
            return None if flops else 0.0
        return whole * flops / traffic

    return side(bound.cpu_flops, bound.cpu_bytes), side(1 - bound.cpu_flops, 1 - bound.cpu_bytes)


def _digits(value: float) -> str:
    return f"{value:.4g}"
