"""Bytes that memory really moves for what a loop touches: sectors, lines, and what caches keep.

    GPU    memory delivers sectors of 32 bytes. Neighbouring work-units that access neighbouring elements use all of
           one; at a stride of s bytes they use `width` of min(s, 32). Where the array is dense, the rest of the sector
           serves other work-units later if the last cache keeps it until then: it must hold a sector for each work-unit
           that runs. Accesses without order fetch a sector each, unless the array fits into that cache.
           A neighbourhood is read by thread blocks with what lies around theirs (`halo`), unless the cache keeps it.
    CPU    the same with lines of 64 bytes along the innermost loop, where neighbours are accesses of one thread: a
           column that is walked through fetches a line for each row, which serves the next columns if the cache holds
           as many lines. Lines on different pages, and those that an index says, come one by one, and wait for the
           address of a page where all walks together go over more of them than the TLB has. Rows with something
           between them begin a stream each, whose first lines come late from memory. A neighbourhood is read from
           memory once if the cache holds its rows, else once per row (layer condition; Stengel, Treibig, Hager,
           Wellein, ICS 2015, who let data fill half of a cache). Each of several cores goes through rows of its own,
           which its own cache, or its part of a shared one, must hold; what all of them read is in each private cache,
           and once in a shared one

The cache of a GPU counts with all of its capacity at the low end, half of it at the likely and a quarter of it at the
high one. Of what fills that of a CPU by more than three eighths a part is missing (`missing`).
Not modelled: conflicts between arrays, prefetching of what is not used, several loops that share a cache.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct

from ..quantity import End
from ..values import Tree, Value, common_divisor, divisor, largest, least, where
from .amounts import Amounts
from .uses import Pace, Use

PAGE = 4096
SECTOR, LINE = 32, 64
"""Bytes. Of NVIDIA's devices since 2012 (older ones fetched 32 to 128), and of x86 and most Arm processors."""

FILLED: dict[End, float] = {"low": 1.0, "likely": 0.5, "high": 0.25}


def on_gpu(amounts: Amounts, cache: float, resident: Value, end: End, *, sectors: bool, caches: bool) -> Value:
    """Bytes from and to a GPU's memory; `cache`: bytes of its last cache (0: none), `resident`: work-units at once."""
    room = cache * FILLED[end]
    total: Value = 0.0
    for use in amounts.uses:
        again = _block(use, amounts.alike if use.held == "alike" else amounts.side)
        moved = use.footprint * use.halo if not caches else where(room - use.rows, use.footprint, again)
        if sectors:
            moved = _whole(use, use.pace, use.stride, moved, SECTOR, room - resident * SECTOR, room)
        total = total + moved
    return total


def _block(use: Use, shared: float) -> Value:
    """A thread block reads its elements once, and those around them; what all its rows or columns use, once for all."""
    return use.footprint * use.halo if use.halo != 1 else largest(use.footprint, use.reread / shared)


def stored_apart(amounts: Amounts) -> Value:
    """Bytes of the sectors that stores of neighbouring work-units apart send to a GPU's last cache, each by itself."""
    total: Value = 0.0
    for use in amounts.uses:
        if use.pace in ("strided", "irregular"):
            total = total + use.stores_apart * (SECTOR if use.pace == "irregular" else least(use.stride, float(SECTOR)))
    return total


class Passing(Struct, frozen=True):
    """What passes below a cache of a CPU: `streamed` bytes, which come one after the other, and the number of `single`
    lines, at places that no prefetcher foresees. `again`: bytes of streams beyond those that pass once; `late`: lines
    that come late, because a stream begins anew there, one after the other (those of several arrays come together)."""

    streamed: Value
    single: Value
    again: Value = 0.0
    late: Value = 0.0


USED = 0.375
"""The part of a CPU's cache that data of a loop fills before some of it goes round without being found again: lines are
spread over the sets by chance, as their pages are."""


def missing(needed: Value, cache: float) -> Value:
    """The part of what a loop needs, so many bytes, that a CPU's cache does not have any more when it comes back: none
    where it fills three eighths of the cache, a fifth at half of it, all where it fills all of it: near the rates of
    reading 1 to 64 MB over and over with 32 MB of a cache (Zen 4).

    >>> [round(missing(needed, 32.0), 2) for needed in (12.0, 16.0, 24.0, 32.0)]
    [0.0, 0.2, 0.6, 1.0]
    """
    if not cache:
        return 1.0
    return _part(needed * (1 / ((1 - USED) * cache)) + -USED / (1 - USED))


WAYS = 8
"""Places that a line may have in a cache of one core; its address says in which of the sets: of most x86 and Arm
processors, where it is 4 to 16. A shared cache mixes the bits of an address, so that no step meets few sets."""


def crowded(pitch: Value, way: float) -> Value:
    """How many times as much of a cache as they fill lines need that lie so many bytes apart, because they are in few
    of its sets; `way`: bytes with one line for each set, 0 where any line may be anywhere.

    >>> crowded(4096.0, 131072.0), crowded(8800.0, 131072.0), crowded(16000.0, 4096.0)
    (64.0, 1.0, 2.0)
    """
    return largest(1.0, common_divisor(pitch, int(way)) / LINE) if way else 1.0


def _part(value: Value) -> Value:
    """Between 0 and 1. (`largest` takes nothing for negative, which this may be.)"""
    return least(1.0, Tree("max", (value, 0.0)) if isinstance(value, Tree) else max(value, 0.0))


def between(part: Value, none: Value, all_: Value) -> Value:
    """What passes where this part is missing, of what passes where nothing and where all of it is."""
    if none is all_:
        return none
    if part.__class__ is float:
        return none if part == 0 else all_ if part == 1 else none * (1 - part) + all_ * part
    return none + (all_ - none) * part


def on_cpu(
    amounts: Amounts, cache: float, cores: float, *, private: bool, lines: bool, caches: bool, end: End = "likely"
) -> Passing:  # fmt: skip
    """What passes below a cache, or those of `cores` cores, which have `cache` bytes together; `private`: each core has
    its own, and finds nothing in another's. Where an index says, each access comes from a line of its own, but at the
    low end all from few. What is read and written passes once: it goes back beside what comes. Data that fits is there
    before the loop begins."""
    whole = missing(sum((held(use) for use in amounts.uses), start=0.0), cache if caches else 0.0)
    lost = [missing(needed, cache) for needed in _needs(amounts.uses, cores, private)]
    rows = missing(sum((use.rows * _times_held(use, cores, private) for use in amounts.uses), start=0.0), cache)
    way = cache / (cores * WAYS) if private else 0.0
    walks = [use for use in amounts.uses if use.walk == "strided" and use.dense]
    columns_of = [(use, use.walks * crowded(use.step, way) * LINE * cores) for use in walks]
    columns = _of_walks(columns_of, lambda needed: missing(needed, cache))
    streamed: Value = 0.0
    single: Value = 0.0
    again: Value = 0.0
    late: Value = 0.0
    for use in amounts.uses:
        more = _again(use, lost, rows) if caches else 0.0
        moved = more + use.touched * whole
        if not lines or use.walk in ("unit", "broadcast"):
            streamed, again = streamed + moved, again + more
            late = largest(late, _late(use, moved)) if lines else late
            continue
        if use.walk == "irregular":
            alone = 0.0 if end == "low" else use.walking
            single = single + between(missing(use.touched, cache), 0.0, alone)
            continue
        lines_lost = columns if use.dense else whole
        alone = use.walking * least(use.step, float(LINE))
        single = single + _if_far(use, between(lines_lost, moved / LINE, largest(moved / LINE, use.walking)), 0.0)
        streamed = streamed + _if_far(use, 0.0, between(lines_lost, moved, largest(moved, alone)))
    return Passing(streamed, single, again, late)


APART, PAGES_LATE = 256.0, 4.0
"""Bytes between two rows from which on a prefetcher loses the stream, and the pages of the next row in which it has not
caught up with it: measured on Zen 4, rows of 1 to 128 KiB with 32 B to 128 KiB between them."""


def _late(use: Use, moved: Value) -> Value:
    """Lines that nobody fetched ahead, of `moved` bytes that come in rows with something else between them: the first
    of a row, and the first of its first pages."""
    if use.walk != "unit" or use.sweep == 0 or use.section == 0 or use.touched == 0:
        return 0.0
    row = use.sweep * use.width
    between_rows = (use.section / use.touched + -1.0) * row
    rows = moved / (row * use.walks)
    return where(between_rows + -APART, rows * (least(row / PAGE, PAGES_LATE) + 1.0), 0.0)


def _again(use: Use, lost: list[Value], rows: Value) -> Value:
    """Bytes that pass more than once: what the innermost loops touch, each time anew, or as much as the outermost that
    finds its data again."""
    if not lost:
        return between(rows, 0.0, largest(0.0, use.reread - use.touched)) if use.rows else 0.0
    passed = use.passes[0][1]
    for part, (_, moved) in zip(lost[1:], use.passes[1:], strict=True):
        passed = between(part, moved, passed)
    return 0.0 if passed is use.touched else passed - use.touched


def _if_far(use: Use, far: Value, near: Value) -> Value:
    """Whether neighbours are on different pages, so that nothing is fetched ahead."""
    return where(use.step + -float(PAGE), far, near)


def without_page(amounts: Amounts, found: float, lost: float) -> Value:
    """Accesses of walks that wait for the address of a page, one for each page of a step; all walks of the loop go over
    theirs together: of `found` pages nearly none waits, of `lost` nearly all do."""
    walks = [(use, _pages_of_step(use)) for use in amounts.uses if use.walk == "strided"]
    far = [(use, _if_far(use, pages, 0.0)) for use, pages in walks]
    beyond = _of_walks(far, lambda needed: _part((needed + -found) / max(1.0, lost - found)))
    return sum((_if_far(use, use.walking * (beyond * pages * (1 / use.walks)), 0.0) for use, pages in walks), start=0.0)


MOST_WALKS = 8
"""Walks through one array that are looked at: more of them are on hardly more pages of a row."""


def _pages_of_step(use: Use) -> Value:
    """Different pages that the walks through one array are on together: those through one row share them by chance."""
    arrays = use.name.count(", ") + 1
    walks = min(use.walks // arrays, MOST_WALKS)
    if walks < 2:
        return float(arrays)
    alone = 1.0 + least(1.0, PAGE / divisor(use.step)) * -1.0
    apart: Value = 1.0
    pages: Value = 0.0
    for _ in range(walks):
        pages, apart = pages + apart, apart * alone
    return pages * float(arrays)


LENGTHS = ((0.72, -0.045), (1.1, 0.0), (1.24, 0.086), (1.2, 0.238), (0.87, 0.515))
"""Where walks are not of one length, as in a triangle: a fifth of their accesses is in those of about so many times the
mean length and so many times the longest. The middles of the fifths, of lengths that are all as frequent (0.63, 1.1,
1.41, 1.67 and 1.9 times the mean, half of the longest) and of those where i < k < j (0.59, 1.09, 1.5, 1.91 and 2.41
times the mean, a third of the longest)."""


def _of_walks(each: Sequence[tuple[Use, Value]], part: Callable[[Value], Value]) -> Value:
    """The part of the accesses that do not find what they need, where walks need so much for `each` step together, and
    `part` says how much of it is missing."""
    if all(_is_even(use) for use, _ in each):
        return part(sum((use.sweep * needs for use, needs in each), start=0.0))
    parts = [part(sum((_length(use, *times) * needs for use, needs in each), start=0.0)) for times in LENGTHS]
    return sum(parts, start=0.0) * (1 / len(LENGTHS))


def _is_even(use: Use) -> bool:
    """Whether all its walks are of one length."""
    return not isinstance(use.longest, Tree) and use.longest == 0


def _length(use: Use, of_mean: float, of_longest: float) -> Value:
    return use.sweep if _is_even(use) else least(use.sweep * of_mean + use.longest * of_longest, use.longest)


def held(use: Use) -> Value:
    """Bytes of the lines that a cache holds of an array, where all of it is in there."""
    if use.walk == "strided" and not use.dense:
        return use.touched * (least(use.step, float(LINE)) / use.width)
    return use.touched


def _needs(uses: tuple[Use, ...], cores: float, private: bool) -> list[Value]:
    """By loop of the nest, innermost first: bytes that one iteration of it touches; empty where no footprints of inner
    loops are known."""
    depths = min((len(use.passes) for use in uses), default=0)

    def held(use: Use, depth: int) -> Value:
        return use.passes[depth][0] * (1.0 if use.held == "alike" and not private else cores)

    return [sum((held(use, depth) for use in uses), start=0.0) for depth in range(depths)]


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
    alone: Value = largest(moved, use.sectors * largest(apart, float(use.width)))
    if pace == "irregular":
        return where(room - use.footprint, moved, alone)
    return where(spare, moved, alone) if use.dense else least(moved * (apart / use.width), alone)
