"""Pieces of a kernel's code, and how best to divide them between CPU and GPU.

PerDome gives the bound of one code partition (I_C, I_G); here a kernel is a list of pieces, such as the loops of a
nest, and every way to give each piece to one of the two is a partition. The time per execution of the kernel is

    T = max(F_C t_fC, B_C t_bC, F_G t_fG, B_G t_bG)         F, B: flops and bytes of the pieces on each

Up to EXACT pieces all 2^n ways are tried; beyond that the pieces are ordered by intensity, cut at the best place and
improved by moving and exchanging single ones. `gap` compares with the closed form for divisible work
(`best`), which no division can beat: 0.1 means at most 10 % of the time could still be saved.

Not modelled: data that two pieces share and that would have to be moved between the processors.
"""

from collections.abc import Sequence

from msgspec import Struct

from ..elementwise import nonnegative
from ..errors import InputError
from .partition import PartitionError, Times, best

EXACT = 14


class Piece(Struct, frozen=True):
    """Flops and bytes of one piece of code, for one execution of the kernel."""

    name: str
    flops: float
    bytes: float

    def __post_init__(self) -> None:
        nonnegative(f"the flops of {self.name}", self.flops)
        nonnegative(f"the bytes of {self.name}", self.bytes)


class Division(Struct, frozen=True):
    """Pieces by name on each processor, the CPU's shares of flops and bytes, and the performance in flops per second.
    `gap`: how much more time it takes than the closed form for divisible work."""

    on_cpu: tuple[str, ...]
    on_gpu: tuple[str, ...]
    cpu_flops: float
    cpu_bytes: float
    performance: float
    gap: float
    exact: bool


def intensity(pieces: Sequence[Piece]) -> float:
    """Flops per byte of all pieces together; InputError where they have no bytes or no flops."""
    flops, traffic = sum(piece.flops for piece in pieces), sum(piece.bytes for piece in pieces)
    if not flops or not traffic:
        raise InputError("without flops and bytes there is no operational intensity")
    return flops / traffic


def divide(cpu: Times, gpu: Times, pieces: Sequence[Piece]) -> Division:
    """The best division found, with at least one piece on each processor; PartitionError for fewer than two pieces.

    Example: PowAdd (128 flops, 64 bytes) and VecAdd (1, 12) on i3 and GTX 750 give PowAdd to the GPU: 136.2e9."""
    if len(pieces) < 2:
        raise PartitionError("code is partitioned where there are at least two pieces of it")
    whole = intensity(pieces)
    exact = len(pieces) <= EXACT
    on_gpu = _exhaustive(cpu, gpu, pieces) if exact else _improved(cpu, gpu, pieces, _cut(cpu, gpu, pieces))
    on_cpu = [piece for index, piece in enumerate(pieces) if index not in on_gpu]
    flops = sum(piece.flops for piece in pieces)
    performance = flops / _time(cpu, gpu, pieces, on_gpu)
    return Division(
        on_cpu=tuple(piece.name for piece in on_cpu),
        on_gpu=tuple(piece.name for index, piece in enumerate(pieces) if index in on_gpu),
        cpu_flops=sum(piece.flops for piece in on_cpu) / flops,
        cpu_bytes=sum(piece.bytes for piece in on_cpu) / sum(piece.bytes for piece in pieces),
        performance=performance,
        gap=float(best(cpu, gpu, whole)) / performance - 1,
        exact=exact,
    )


def _time(cpu: Times, gpu: Times, pieces: Sequence[Piece], on_gpu: frozenset[int]) -> float:
    cpu_flops = cpu_bytes = gpu_flops = gpu_bytes = 0.0
    for index, piece in enumerate(pieces):
        if index in on_gpu:
            gpu_flops, gpu_bytes = gpu_flops + piece.flops, gpu_bytes + piece.bytes
        else:
            cpu_flops, cpu_bytes = cpu_flops + piece.flops, cpu_bytes + piece.bytes
    return max(cpu_flops * cpu.flop, cpu_bytes * cpu.byte, gpu_flops * gpu.flop, gpu_bytes * gpu.byte)


def _exhaustive(cpu: Times, gpu: Times, pieces: Sequence[Piece]) -> frozenset[int]:
    count = len(pieces)
    ways = (frozenset(i for i in range(count) if bits >> i & 1) for bits in range(1, 2**count - 1))
    return min(ways, key=lambda way: _time(cpu, gpu, pieces, way))


def _cut(cpu: Times, gpu: Times, pieces: Sequence[Piece]) -> frozenset[int]:
    """The best cut of the pieces in order of intensity, with either end on the GPU."""
    order = sorted(range(len(pieces)), key=lambda i: pieces[i].flops / (pieces[i].bytes or 1e-300))
    cuts = [frozenset(part) for at in range(1, len(order)) for part in (order[:at], order[at:])]
    return min(cuts, key=lambda way: _time(cpu, gpu, pieces, way))


def _improved(cpu: Times, gpu: Times, pieces: Sequence[Piece], way: frozenset[int]) -> frozenset[int]:
    """Moves and exchanges of single pieces as long as one helps."""
    everything = frozenset(range(len(pieces)))
    time = _time(cpu, gpu, pieces, way)
    while True:
        moves = [frozenset((i,)) for i in everything]
        exchanges = [frozenset((i, j)) for i in way for j in everything - way]
        ways = [changed for part in (*moves, *exchanges) if 0 < len(changed := way ^ part) < len(everything)]
        candidate = min(ways, key=lambda found: _time(cpu, gpu, pieces, found))
        better = _time(cpu, gpu, pieces, candidate)
        if better >= time:
            return way
        way, time = candidate, better
