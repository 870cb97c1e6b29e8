"""How long each loop of a function takes on the host and on each accelerator, and what it moves, at given sizes."""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import asdict, replace

from models.expr import free_symbols, known_value
from models.prediction import Prediction
from models.quantity import Range, Sizes

from ..advise import Context, advise, predictions
from ..advise.context import SHORTEST_WORTH_THREADS_S
from ..advise.likely import expr_of
from ..advise.together import WHOLE, within
from ..base.regex import regex
from ..facts.loop import ArrayFacts, Count, FunctionFacts, LoopFacts
from ..ir.reasons import ReasonCode
from .gains import EXACT, ends
from .outline import Judged, Likely, Outline

WORD = regex(r"\w+")


class ArrayBytes(Struct, frozen=True):
    """Of one array, as the loop uses it: bytes that must be there before, bytes that it writes, all that it touches.
    None: not known."""

    name: str
    reads: float | None
    writes: float | None
    touched: float | None
    is_written: bool


class Timed(Struct, frozen=True):
    """One loop, per entry. `host_s`: on the host at its best, `today_s`: as the code is, None: not known. `device_s`:
    by accelerator without transfers, `alone_s`: with them. `today_ends`, `host_ends`, `device_ends`: those of the
    ranges of these times, as parts of what is likely.
    `trips`: iterations of this loop alone; `is_movable`: it can run elsewhere as it is; `children_better`: moving loops
    inside it takes less time."""

    facts: LoopFacts
    host_s: float | None
    today_s: float | None
    host_candidate: str
    device_s: tuple[float | None, ...]
    alone_s: tuple[float | None, ...]
    arrays: tuple[ArrayBytes, ...]
    trips: float | None
    entries: float | None
    is_movable: bool
    children_better: bool
    today_ends: Range
    host_ends: Range
    device_ends: tuple[Range, ...]


class Times:
    """Answers per nest and sizes, each worked out once, and none that was found before."""

    def __init__(self, context: Context, devices: tuple[str, ...]) -> None:
        self.context, self.devices = replace(context, details=False, why=None), devices
        self.known: dict[tuple[str, frozenset[tuple[str, int]]], dict[str, Judged]] = {}
        self.symbols: dict[str, frozenset[str]] = {}

    def needed(self, loop: LoopFacts) -> frozenset[str]:
        """The sizes that its time depends on: none is a counter of the loops around, since outlines hold means."""
        if loop.id not in self.symbols:
            counts = loop.counts
            found = [expr_of(c) for c in (counts.iterations, counts.trip_count, counts.footprint)]
            self.symbols[loop.id] = frozenset().union(*(free_symbols(e) for e in found if e is not None))
        return self.symbols[loop.id]

    def of(self, outline: Outline, loop: LoopFacts, sizes: Sizes) -> Timed:
        """`loop` of the function `outline`, in its mean entry."""
        return self._timed(loop, self._judged(outline, loop, sizes), sizes)

    def _judged(self, outline: Outline, loop: LoopFacts, values: Sizes) -> Judged:
        """Which level of the nest moves, and what of a time counts inside the loop around, is found of all levels."""
        assert outline.facts is not None
        nest = _nest(outline.facts, loop)
        before = None if outline.advised is None else outline.advised.loops.get(loop.id)
        if before is not None and outline.advised is not None and _agree(nest, outline.advised.sizes, values):
            return before
        if len(nest) == 1:
            return judged(predictions(loop, nest, self.context, values))
        key = (nest[0].id, frozenset(values.items()))
        if key not in self.known:
            found = advise(replace(outline.facts, loops=nest), self.context, values)
            self.known[key] = {i: judged(a.predictions, a.recommendation.code, a.share) for i, a in found.items()}
        return self.known[key][loop.id]

    def _timed(self, loop: LoopFacts, answer: Judged, sizes: Sizes) -> Timed:
        found = {(p.candidate, p.device): p for p in answer.places}
        host = next((p for p in answer.places if p.candidate == "host"), None)
        # what runs on all threads already has that as its host time
        host = host or next((p for p in answer.places if p.candidate == "host-threads"), None)
        threads = next((p for p in answer.places if p.candidate == "host-threads"), None)
        today_s = None if host is None else host.time_s
        host_s, candidate = today_s, host.candidate if host is not None else "host"
        threads_s = None if threads is None else threads.time_s
        if today_s is not None and threads_s is not None and SHORTEST_WORTH_THREADS_S <= today_s > threads_s:
            host_s, candidate = threads_s, "host-threads"
        chosen = threads if candidate == "host-threads" else host
        targets = [found.get(("target", device)) for device in self.devices]
        return Timed(
            facts=loop,
            host_s=host_s,
            today_s=today_s,
            host_candidate=candidate,
            device_s=tuple(_without_transfer(p) for p in targets),
            alone_s=tuple(None if p is None else p.time_s for p in targets),
            arrays=tuple(_bytes(a, sizes) for a in loop.arrays),
            trips=value(loop.counts.trip_count, sizes),
            entries=value(loop.counts.executions, sizes),
            is_movable=loop.parallelism.is_known_parallel and any(p is not None for p in targets),
            children_better=answer.children_better,
            today_ends=_ends(host),
            host_ends=_ends(chosen),
            device_ends=tuple(map(_ends, targets)),
        )


def judged(found: Iterable[Prediction], code: ReasonCode | None = None, share: Range = WHOLE) -> Judged:
    """What placement needs of predictions, and of the reason for the verdict that rests on them. `share`: see
    `Advice`."""
    places = (
        Likely(
            p.candidate,
            p.device,
            None if p.time is None else p.time.likely,
            None if p.transfer is None else p.transfer.likely,
            EXACT if p.time is None else ends(p.time.low, p.time.likely, p.time.high),
        )
        for p in (within(each, share) for each in found)
    )
    return Judged(tuple(places), code == ReasonCode.CHILDREN_BETTER)


def _nest(function: FunctionFacts, loop: LoopFacts) -> tuple[LoopFacts, ...]:
    """All loops of the nest that the loop is in, the outermost first: which level moves is decided among them."""
    by_id = {each.id: each for each in function.loops}
    root = loop
    while root.parent is not None and root.parent in by_id:
        root = by_id[root.parent]
    return tuple(by_id[i] for i in root.nest if i in by_id)


def _agree(nest: tuple[LoopFacts, ...], left: Sizes, right: Sizes) -> bool:
    """Whether the same is found of the nest at both sizes: what it mentions is the same, or not known, in both."""
    other = {name for name in {*left, *right} if left.get(name) != right.get(name)}
    return not other or not any(_mentions(loop, other) for loop in nest)


def _mentions(loop: LoopFacts, names: set[str]) -> bool:
    """Whether what models see of the loop has one of these sizes, in a formula, its class, or a stride."""
    if loop.algorithm is not None and not names.isdisjoint(loop.algorithm.symbols):
        return True
    if not _words(names).isdisjoint(_words(word for a in loop.arrays for word in (a.coalescing, a.walk))):
        return True
    parts = [*asdict(loop.counts).values(), *(part for a in loop.arrays for part in asdict(a).values())]
    formulas = [e for c in parts if isinstance(c, Count) for e in (c.expr, c.low, c.high) if e is not None]
    formulas += [a.accesses for a in loop.arrays if a.accesses is not None]
    return any(not names.isdisjoint(free_symbols(e)) for e in formulas)


def _words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in WORD.findall(text)}


def _ends(place: Likely | None) -> Range:
    return EXACT if place is None else place.ends


def _without_transfer(place: Likely | None) -> float | None:
    return None if place is None or place.time_s is None else max(0.0, place.time_s - (place.transfer_s or 0.0))


def value(count: Count | None, sizes: Sizes) -> float | None:
    """The likely value of a count; None where a size is not known."""
    try:
        return known_value(expr_of(count), sizes)
    except (ZeroDivisionError, OverflowError):
        return None


def _bytes(array: ArrayFacts, sizes: Sizes) -> ArrayBytes:
    written = value(array.write_footprint, sizes)
    touched = [value(c, sizes) for c in (array.footprint, array.transfer_in, array.transfer_out)]
    known = [t for t in touched if t is not None]
    return ArrayBytes(
        name=array.name,
        reads=value(array.transfer_in, sizes),
        writes=written,
        touched=max(known) if known else None,
        is_written="w" in array.access,
    )
