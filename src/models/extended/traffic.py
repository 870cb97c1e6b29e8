"""Bytes that memory really moves for what a loop touches: sectors, lines, and what caches keep.

    GPU    memory delivers sectors of 32 bytes. Neighbouring work-units that access neighbouring elements use all of
           one; at a stride of s bytes they use `width` of min(s, 32). Where the array is dense, the rest of the sector
           serves other work-units later if the last cache keeps it until then: it must hold a sector for each work-unit
           that runs. Accesses without order fetch a sector each, unless the array fits into that cache.
           A neighbourhood is read by thread blocks with what lies around theirs (`halo`), unless the cache keeps it.
    CPU    the same with lines of 64 bytes along the innermost loop, where neighbours are accesses of one thread: a
           column that is walked through fetches a line for each row, which serves the next columns if the cache holds
           as many lines. A neighbourhood is read from memory once if the cache holds its rows, else once per row
           (layer condition; Stengel, Treibig, Hager, Wellein, ICS 2015, who let data fill half of a cache). Each of
           several cores goes through rows of its own, which its own cache, or its part of a shared one, must hold;
           what all of them read is in each private cache, and once in a shared one

A cache counts with all of its capacity at the low end, half of it at the likely and a quarter of it at the high one.
Not modelled: conflicts, associativity, prefetching of what is not used, several loops that share a cache.
"""

from ..values import Value, largest, least, where
from .amounts import Amounts, Pace, Use
from .figures import End

SECTOR, LINE = 32, 64
"""Bytes. Of NVIDIA's devices since 2012 (older ones fetched 32 to 128), and of x86 and most Arm processors."""

BLOCK_SIDE = 16.0
"""Work-units along each side of a thread block: they share what they read (`parameters.BLOCK_2D`)."""

FILLED: dict[End, float] = {"low": 1.0, "likely": 0.5, "high": 0.25}


def on_gpu(amounts: Amounts, cache: float, resident: Value, end: End, *, sectors: bool, caches: bool) -> Value:
    """Bytes from and to a GPU's memory; `cache`: bytes of its last cache (0: none), `resident`: work-units at once."""
    room = cache * FILLED[end]
    total: Value = 0.0
    for use in amounts.uses:
        moved = use.footprint * use.halo if not caches else where(room - use.rows, use.footprint, _block(use))
        if sectors:
            moved = _whole(use, use.pace, use.stride, moved, SECTOR, room - resident * SECTOR, room)
        total = total + moved
    return total


def _block(use: Use) -> Value:
    """A thread block reads its elements once, and those around them; what all its rows or columns use, for all 16."""
    return use.footprint * use.halo if use.halo != 1 else largest(use.footprint, use.reread / BLOCK_SIDE)


def on_cpu(
    amounts: Amounts, cache: float, cores: float, end: End, *, private: bool, lines: bool, caches: bool
) -> Value:
    """Bytes that pass below a cache, or those of `cores` cores, which have `cache` bytes together; `private`: each core
    has its own, and finds nothing in another's."""
    room = cache * FILLED[end]
    spare = _spare(amounts.uses, room, cores, private)
    rows: Value = sum((use.rows * _times_held(use, cores, private) for use in amounts.uses), start=0.0)
    total: Value = 0.0
    for use in amounts.uses:
        if not caches:
            moved = use.footprint
        elif spare:
            moved = _passed(use, spare)
        else:
            moved = where(room - rows, use.footprint, largest(use.footprint, use.reread))
        if lines:
            moved = _whole(use, use.walk, use.step, moved, LINE, room - use.sweep * (LINE * cores), room)
        total = total + moved
    return total


def _spare(uses: tuple[Use, ...], room: float, cores: float, private: bool) -> list[Value]:
    """By loop of the nest, innermost first: what is left of a cache when one iteration's data is in it; empty where no
    footprints of inner loops are known."""
    depths = min((len(use.passes) for use in uses), default=0)

    def held(use: Use, depth: int) -> Value:
        return use.passes[depth][0] * (1.0 if use.held == "alike" and not private else cores)

    return [room - sum((held(use, depth) for use in uses), start=0.0) for depth in range(depths)]


def _passed(use: Use, spare: list[Value]) -> Value:
    """What the innermost loops touch, each time anew, or as much as the outermost that finds its data again."""
    passed = use.passes[0][1]
    for left, (_, moved) in zip(spare[1:], use.passes[1:], strict=True):
        passed = where(left, moved, passed)
    return passed


def _times_held(use: Use, cores: float, private: bool) -> float:
    """How many times all caches of a level together must hold what the use needs."""
    return cores if use.held == "apart" or (use.held == "alike" and private) else 1.0


def _whole(
    use: Use, pace: Pace, stride: Value, moved: Value, granule: int, spare: Value, room: float
) -> Value:  # fmt: skip
    """The bytes with those that come along in whole sectors or lines, where neighbours are `stride` bytes apart;
    `spare` >= 0: what came along is kept."""
    if pace in ("unit", "broadcast"):
        return moved
    apart = least(stride, float(granule)) if pace == "strided" else float(granule)
    alone: Value = largest(moved, use.accesses * largest(apart, float(use.width)))
    if pace == "irregular":
        return where(room - use.footprint, moved, alone)
    return where(spare, moved, alone) if use.dense else moved * (apart / use.width)
