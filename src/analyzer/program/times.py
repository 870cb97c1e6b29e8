"""How long each loop of a function takes on the host and on each accelerator, and what it moves, at given sizes."""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from models.expr import ExprSyntaxError, evaluate, free_symbols, parse
from models.prediction import Prediction
from models.quantity import Sizes

from ..advise import Advice, Context, advise
from ..advise.context import SHORTEST_WORTH_THREADS_S
from ..advise.workloads import expr_of
from ..facts import ArrayFacts, Count, FunctionFacts, LoopFacts, Verdict


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
    by accelerator without transfers, `alone_s`: with them.
    `trips`: iterations of this loop alone; `is_movable`: it can run elsewhere as it is."""

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
    advice: Advice


class Times:
    """Answers per nest and sizes, each worked out once."""

    def __init__(self, context: Context, devices: tuple[str, ...]) -> None:
        self.context, self.devices = context, devices
        self.known: dict[tuple[str, frozenset[tuple[str, int]]], dict[str, Advice]] = {}
        self.symbols: dict[str, frozenset[str]] = {}

    def needed(self, loop: LoopFacts) -> frozenset[str]:
        """The sizes that its time depends on."""
        if loop.id not in self.symbols:
            counts = loop.counts
            found = [expr_of(c) for c in (counts.iterations, counts.trip_count, counts.footprint)]
            self.symbols[loop.id] = frozenset().union(*(free_symbols(e) for e in found if e is not None))
        return self.symbols[loop.id]

    def of(
        self, function: FunctionFacts, loop: LoopFacts, sizes: Mapping[str, int], inside: Mapping[str, int]
    ) -> Timed:
        """`inside`: middles of the variables of the loops around, used only where a formula has them."""
        middles = {name: value for name, value in inside.items() if name in self.needed(loop)}
        values = {**middles, **sizes}
        return self._timed(loop, self._advice(function, loop, values)[loop.id], values)

    def _advice(self, function: FunctionFacts, loop: LoopFacts, values: Mapping[str, int]) -> dict[str, Advice]:
        """Of all loops of the nest that the loop is in: which level moves is decided among them."""
        by_id = {each.id: each for each in function.loops}
        root = loop
        while root.parent is not None and root.parent in by_id:
            root = by_id[root.parent]
        key = (root.id, frozenset(values.items()))
        if key not in self.known:
            nest = tuple(by_id[i] for i in root.nest if i in by_id)
            self.known[key] = advise(replace(function, loops=nest), self.context, values)
        return self.known[key]

    def _timed(self, loop: LoopFacts, advice: Advice, sizes: Sizes) -> Timed:
        found = {(p.candidate, p.device): p for p in advice.predictions}
        host = next((p for p in advice.predictions if p.candidate == "host"), None)
        # what runs on all threads already has that as its host time
        host = host or next((p for p in advice.predictions if p.candidate == "host-threads"), None)
        threads = next((p for p in advice.predictions if p.candidate == "host-threads"), None)
        today_s = _likely(host)
        host_s, candidate = today_s, host.candidate if host is not None else "host"
        threads_s = _likely(threads)
        if today_s is not None and threads_s is not None and SHORTEST_WORTH_THREADS_S <= today_s > threads_s:
            host_s, candidate = threads_s, "host-threads"
        targets = [found.get(("target", device)) for device in self.devices]
        return Timed(
            facts=loop,
            host_s=host_s,
            today_s=today_s,
            host_candidate=candidate,
            device_s=tuple(_without_transfer(p) for p in targets),
            alone_s=tuple(_likely(p) for p in targets),
            arrays=tuple(_bytes(a, sizes) for a in loop.arrays),
            trips=value(loop.counts.trip_count, sizes),
            entries=value(loop.counts.executions, sizes),
            is_movable=loop.parallelism.verdict is Verdict.YES and any(p is not None for p in targets),
            advice=advice,
        )


def _likely(prediction: Prediction | None) -> float | None:
    return None if prediction is None or prediction.time is None else prediction.time.likely


def _without_transfer(prediction: Prediction | None) -> float | None:
    if prediction is None or prediction.time is None:
        return None
    transfer_s = 0.0 if prediction.transfer is None else prediction.transfer.likely
    return max(0.0, prediction.time.likely - transfer_s)


def value(count: Count | None, sizes: Sizes) -> float | None:
    """The likely value of a count; None where a size is not known."""
    expr = expr_of(count)
    if expr is None or not free_symbols(expr) <= set(sizes):
        return None
    try:
        return float(evaluate(expr, sizes))
    except (ZeroDivisionError, OverflowError):
        return None


def middle(loop: LoopFacts, sizes: Sizes) -> int | None:
    """The middle of the values of its variable; None where they are not known."""
    ends = [number(text, sizes) for text in (loop.lower, loop.upper)]
    return None if ends[0] is None or ends[1] is None else round((ends[0] + ends[1]) / 2)


def number(text: str | None, sizes: Sizes) -> float | None:
    try:
        expr = parse(text or "")
        return float(evaluate(expr, sizes)) if free_symbols(expr) <= set(sizes) else None
    except (ExprSyntaxError, ZeroDivisionError, OverflowError):
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
