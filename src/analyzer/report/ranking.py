"""Which loops to look at first (`--top N`) where the program could not be placed as a whole.

*Decides* the order, by the best of what is known:

    shares      a profile of times: the measured share of each loop, of those that no model can time as well
    iterations  a profile of counts alone: how often the innermost body ran
    growth      neither: how often the innermost body runs if every size that is not known were TYPICAL

What a profile did not see run is never ranked, nor loops over the arguments of the command line. A loop that cannot
move keeps its place, with what blocks it. By growth, loops come first that are parallel or compute with floating point:
parsers of text run often, too, and as often as their input says.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from models.expr import UnboundSymbolError, evaluate, free_symbols

from ..ir.formula_names import is_weight, line_of_trip
from ..ir.reasons import ReasonCode
from .blocks import nests
from .document import CountEntry, Document, FileEntry, LoopEntry

TYPICAL = 1000
"""What a size is taken as that nobody gave: only the order of loops depends on it."""
ARGUMENTS = frozenset(("argc", "argv"))
"""What main calls the arguments of the command line, and every function that is handed them."""

By: TypeAlias = Literal["shares", "iterations", "growth"]


class Ranked(Struct, frozen=True):
    """A loop, or a function in which nobody knows whose loop's the time is (`loop` None). `amount`: its share of the
    time, the iterations that were counted, or would be; `trips`: of the loops around the body that runs most, from
    outside in; `lengths`: the sizes that these and all others of the nest depend on."""

    path: str
    function: str
    loop: LoopEntry | None
    amount: float
    trips: tuple[CountEntry | None, ...] = ()
    lengths: frozenset[str] = frozenset()


class Ranking(Struct, frozen=True):
    """The first ones come first. `sizes`: those that would decide most of them, the most decisive first, as `--size`
    takes them for all functions."""

    by: By
    items: tuple[Ranked, ...]
    sizes: tuple[str, ...]


def ranking(document: Document) -> Ranking:
    """All loops that are worth a look, none of them inside another one that is listed.

    Example: `ranking(document).items[0].loop.id`."""
    by, items = _by_profile(document) or ("growth", _by_growth(document))

    def order(item: Ranked) -> tuple[bool, float, bool]:
        loop = item.loop
        return by == "growth" and not _computes(loop), -item.amount, loop is None or is_blocked(loop)

    ordered = tuple(sorted(items, key=order))
    return Ranking(by, ordered, decisive_sizes(document, ordered))


def open_loops(document: Document) -> list[tuple[FileEntry, LoopEntry]]:
    """Loops that a size or overlapping ranges decide, and that stand in no other such loop: those first that run most
    often, then those of nests that are not ranked, or stand in one that does not wait for that."""
    waiting = {
        loop.id: (file, loop)
        for file in document.files
        for loop in file.loops
        if loop.recommendation.verdict == "depends" and loop.unlisted is None
    }
    if not waiting:
        return []
    ranked = [item.loop.id for item in ranking(document).items if item.loop is not None and item.loop.id in waiting]
    around = {loop.id: loop.parent for file in document.files for loop in file.loops}
    rest = (one for one in waiting if one not in ranked and not any(a in waiting for a in _above(one, around)))
    return [waiting[one] for one in (*ranked, *rest)]


def _above(loop: str, around: Mapping[str, str | None]) -> Iterator[str]:
    """The loops around one, by id, from the inside out."""
    while (parent := around.get(loop)) is not None:
        yield parent
        loop = parent


def open_inside(document: Document) -> int:
    """How many loops are open as one of `open_loops` around them is."""
    found = (loop for file in document.files for loop in file.loops if loop.unlisted is None)
    return sum(loop.recommendation.verdict == "depends" for loop in found) - len(open_loops(document))


def _by_profile(document: Document) -> tuple[By, list[Ranked]] | None:
    told = document.projection
    if told is not None and told.measured:
        shares = {block.loop: float(block.coverage) for block in told.blocks}
        found = [
            _item(file, loop, tuple(one for one in file.loops if one.id in loop.nest), shares[loop.id])
            for file in document.files
            for loop in file.loops
            if loop.id in shares
        ]
        return "shares", [*found, *(Ranked(f.path, f.function, None, float(f.coverage)) for f in told.functions or ())]
    counted = list(_counted(document))
    return ("iterations", counted) if counted else None


def _item(file: FileEntry, loop: LoopEntry, nest: Iterable[LoopEntry], amount: float) -> Ranked:
    lengths = frozenset[str]().union(*map(_names, nest))
    return Ranked(file.path, loop.function, loop, amount, lengths=lengths)


def _counted(document: Document) -> Iterator[Ranked]:
    for file in document.files:
        for nest in nests(file.loops):
            ran = max((loop.profile.iterations for loop in nest if loop.profile is not None), default=0)
            if ran:
                yield _item(file, nest[0], nest, ran)


def _by_growth(document: Document) -> Iterator[Ranked]:
    for file in document.files:
        by_id = {loop.id: loop for loop in file.loops}
        for nest in nests(file.loops):
            way = max((_way(loop, by_id) for loop in nest), key=_runs)
            if not any(_names(loop) & ARGUMENTS for loop in way) and _is_work(nest):
                found = _item(file, nest[0], (*nest, *way), _runs(way))
                yield replace(found, trips=tuple(loop.trip_count for loop in way))


def is_blocked(loop: LoopEntry) -> bool:
    """Whether it cannot move, whatever the sizes are, as far as is known."""
    return not loop.is_parallel or loop.recommendation.verdict == "cannot-model"


def _computes(loop: LoopEntry | None) -> bool:
    if loop is None or loop.is_parallel:
        return True
    flops = (loop.counts.flops_fp64, loop.counts.flops_fp32)
    return any(count is not None and count.expr is not None and count.value != 0 for count in flops)


def _is_work(nest: Iterable[LoopEntry]) -> bool:
    """Whether it computes or moves data, as far as is known: not loops that read, print or walk through text."""
    codes = {loop.reason.code for loop in nest if loop.reason is not None}
    return ReasonCode.SIDE_EFFECT not in codes


def _way(loop: LoopEntry, by_id: Mapping[str, LoopEntry]) -> tuple[LoopEntry, ...]:
    """The loop with those around it, from outside in."""
    way = [loop]
    while way[-1].parent is not None and way[-1].parent in by_id:
        way.append(by_id[way[-1].parent])
    return tuple(reversed(way))


def _runs(way: Iterable[LoopEntry]) -> float:
    return math.prod(_trips(loop.trip_count) for loop in way)


def _trips(count: CountEntry | None) -> float:
    if count is None or count.expr is None or count.abridged is not None:
        return float(TYPICAL)
    if count.value is not None:
        return max(float(count.value), 1.0)
    names = free_symbols(count.expr.expr)
    values = {name: Fraction(1, 2) if is_weight(name) else TYPICAL for name in names}
    try:
        return max(float(evaluate(count.expr.expr, values)), 1.0)
    except (ZeroDivisionError, OverflowError, UnboundSymbolError):
        return float(TYPICAL)


def _names(loop: LoopEntry) -> frozenset[str]:
    count = loop.trip_count
    known = count is not None and count.expr is not None and count.abridged is None
    return free_symbols(count.expr.expr) if known else frozenset()  # type: ignore[union-attr]


# --- sizes


def decisive_sizes(document: Document, items: Iterable[Ranked]) -> tuple[str, ...]:
    """Sizes whose values would decide loops, those that decide most and earliest ones first: of how often loops run,
    not those that only choose what they do. None that the code counts itself: counters, weights, mean trip counts."""
    open_ = {(s.scope, s.name) for s in document.symbols if s.value is None}
    worth: dict[str, float] = defaultdict(float)
    for rank, item in enumerate(items, 1):
        loop = item.loop
        if loop is None or loop.recommendation.reason.code != ReasonCode.UNKNOWN_SIZE:
            continue
        needed = {name for p in loop.predictions for name in p.symbols or ()}
        for name in needed & item.lengths:
            if (f"{item.path}:{item.function}", name) in open_ and is_size(name):
                worth[name] += 1 / rank
    return tuple(sorted(worth, key=lambda name: (-worth[name], name)))


def is_size(name: str) -> bool:
    """Whether somebody can say what it is: weights and mean trip counts are no sizes of the program.

    Example: `is_size("trip@12")` is False."""
    return not is_weight(name) and line_of_trip(name) is None and not name.startswith(("trip@", "iteration"))
