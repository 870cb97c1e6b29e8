"""PMaC's memory time of one loop on a device of the catalogue, as a formula of the loop's sizes.

    t_m = sum over idioms of  references · reference size / bandwidth_idiom(data footprint)       PMaC, equations 1, 2
    time = t_m + D / B_link                                                                       accelerators only

References of arrays without order belong to gather or scatter, all others to the one other idiom that was found in the
loop. The bandwidth is the published curve of that idiom and device where there is one. Otherwise it has the plateaus
that the catalogue's figures are the heights of: what a stream reaches in each cache and in memory, and of accelerators
what accesses reach that no neighbour shares (`memory.uncoalesced`) for gather, scatter and transpose. For any other
idiom nobody measured anything: that is refused, not guessed. Plateaus in place of a curve are ours.

Not modelled, as in the paper: computation that takes longer than its memory accesses, starting kernels and threads.
"""

from collections.abc import Iterator
from typing import cast

from msgspec import Struct

from .. import boathull
from ..catalogue import Device, MissingFigureError, UnsupportedPrecisionError
from ..expr import ZERO, Expr, mul
from ..extended.figures import figure
from ..figures import Figure
from ..prediction import Candidate, Prediction, Refusal, Room, Shares, Term, term
from ..quantity import ENDS, NOTHING, End, Range, Sizes
from ..roofline.predicting import CORES, figure_term, per
from ..units import readable
from ..values import Ends, Value, number, symbols, value_of, where
from ..variables import IncompleteWorkloadError
from ..workload import ArrayUse, Workload
from .curves import Access, SizeError, printed_curves
from .predicting import MODEL

UNORDERED = ("gather", "scatter")
APART = ("gather", "scatter", "transpose")
SHARED_CACHE = 0.8
"""Of the rates of all cores together, what the last cache delivers to them at once (as `extended.cpu`)."""


class Plateau(Struct, frozen=True):
    """One bandwidth in bytes/s, up to a data footprint in bytes; None: for all larger ones."""

    last_bytes: float | None
    low: float
    likely: float
    high: float
    source: Term

    def rate(self, end: End) -> float:
        """Of a time: the low end takes the highest rate."""
        return {"low": self.high, "likely": self.likely, "high": self.low}[end]


class Moved(Struct, frozen=True):
    """What the references of one idiom move in all, and the data that they range over; bytes."""

    idiom: str
    bytes: Expr
    footprint: Expr


def moved_by(workload: Workload) -> tuple[Moved, ...]:
    """References by idiom. IncompleteWorkloadError where footprints are not known."""
    found: dict[str, list[ArrayUse]] = {}
    for array in workload.arrays:
        found.setdefault(_idiom(array, workload.idioms), []).append(array)
    return tuple(Moved(idiom, _sum(map(_bytes, uses)), _sum(map(_held, uses))) for idiom, uses in found.items())


def predict_loop(
    workload: Workload, device: Device, *, threads: boathull.Threads = "all", candidate: Candidate = "target",
    sizes: Sizes | None = None,
) -> Prediction | Refusal:  # fmt: skip
    """Time of `workload` on `device`: on a CPU by one core or all, on an accelerator with its copies.

    Refused with `no-device-figure` where there is no bandwidth for an idiom, or where a published curve, which is
    logarithmic, is asked for a size that is not known; else as `boathull.predict_target`.

    Example: a stream over 8 MB on the Convey HC-1 has 53 GB/s, one that is a reduction is refused."""
    known = sizes or {}
    try:
        if device.kind != "cpu":
            refused = boathull.too_large(_sum(map(_held, workload.arrays)), device, known)
            if refused is not None:
                return refused
        return _predict(workload, device, threads, candidate, known)
    except (MissingFigureError, UnsupportedPrecisionError) as error:
        return boathull.refusal(device, error)
    except SizeError as error:
        return Refusal(device.id, "no-device-figure", str(error))


def _predict(
    workload: Workload, device: Device, threads: boathull.Threads, candidate: Candidate, sizes: Sizes
) -> Prediction | Refusal:
    times: dict[End, Value] = dict.fromkeys(ENDS, 0.0)
    terms: list[Term] = []
    for moved in moved_by(workload):
        steps = tuple(_plateaus(moved, device, threads, sizes))
        if not steps:
            said = moved.idiom or "a loop that is none of PMaC's idioms"
            return Refusal(device.id, "no-device-figure", f"nobody measured the bandwidth of {said} on {device.id}")
        volume, footprint = value_of(moved.bytes, sizes), value_of(moved.footprint, sizes)
        for end in ENDS:
            times[end] = times[end] + _over(volume, footprint, steps, end)
        terms += _terms(moved, steps, volume, footprint, sizes)
    memory = Ends(*(times[end] for end in ENDS))
    copied = _copied(workload) if device.kind != "cpu" else ZERO
    transfer = Ends(0.0, 0.0, 0.0)
    if copied != ZERO:
        link, amount = device.figure("link.rate"), value_of(copied, sizes)
        transfer = Ends(amount / link.high, amount / link.value, amount / link.low)
        terms += [
            term("D", copied, "B", "sections read before they are written, and live after the loop", sizes),
            figure_term("B_link", link, device),
            term("t_0", (per(link) * copied).likely, "s", "transfer", sizes, "D/B_link"),
        ]
    total = Ends(*(getattr(memory, end) + getattr(transfer, end) for end in ENDS))
    spent, moving = _range(memory), _range(transfer)
    none = NOTHING.at({})
    return Prediction(
        device=device.id,
        model=MODEL,
        candidate=candidate,
        time=_range(total),
        compute=none,
        memory=spent,
        transfer=moving,
        launch=none,
        bound=None if spent is None or moving is None else "transfer" if moving.likely > spent.likely else "memory",
        total=total,
        moving=transfer,
        arithmetic=tuple(terms),
        assumptions=workload.assumptions,
        shares=Shares(NOTHING, memory, transfer, NOTHING),
        room=None if device.kind == "cpu" else _room(workload, device),
    )


# --- references


def _idiom(array: ArrayUse, idioms: tuple[str, ...]) -> str:
    """The idiom that the references of one array belong to; "": none."""
    if array.coalescing == "irregular":
        return "scatter" if "w" in array.access and "scatter" in idioms else "gather"
    return next((idiom for idiom in idioms if idiom not in UNORDERED), "stream" if set(idioms) & set(UNORDERED) else "")


def _bytes(array: ArrayUse) -> Expr:
    return _touched(array) if array.accesses is None else mul(array.accesses, max(array.element_bytes, 1))


def _touched(array: ArrayUse) -> Expr:
    if array.read_footprint is None or array.write_footprint is None:
        raise IncompleteWorkloadError(f"the footprint of {array.name} is not known")
    return array.read_footprint + array.write_footprint


def _held(array: ArrayUse) -> Expr:
    """The data footprint: what is read and written counts once."""
    return _touched(array) if array.touched is None else array.touched


def _all_touched(workload: Workload) -> Expr:
    return _sum(map(_touched, workload.arrays))


def _copied(workload: Workload) -> Expr:
    if workload.transfer_in is None or workload.transfer_out is None:
        return _all_touched(workload)
    return workload.transfer_in + workload.transfer_out


def _room(workload: Workload, device: Device) -> Room:
    return Room(_sum(map(_held, workload.arrays)), device.figure("memory.capacity").value)


def _sum(parts: Iterator[Expr]) -> Expr:
    total: Expr = ZERO
    for part in parts:
        total = total + part
    return total


# --- bandwidths


def _plateaus(moved: Moved, device: Device, threads: boathull.Threads, sizes: Sizes) -> Iterator[Plateau]:
    """From the smallest footprint to the largest; none where nobody measured this idiom on this device."""
    curve = printed_curves().get((device.id, cast("Access", moved.idiom)))
    if curve is not None:
        footprint = value_of(moved.footprint, sizes)
        if symbols(footprint):
            raise SizeError(f"the curve of {moved.idiom} on {device.id} is logarithmic; give the size with --size")
        rate = curve.bandwidth(number(footprint, {}))
        said = Term(
            f"B_{moved.idiom}", readable(rate, "B/s"), rate, "B/s", f"{device.id}: {curve.kind}, {curve.source}"
        )
        yield Plateau(None, rate * (1 - curve.spread), rate, rate * (1 + curve.spread), said)
    elif moved.idiom == "stream":
        yield from _stream(device, threads)
    elif moved.idiom in APART and device.kind != "cpu":
        yield _plateau(device, "memory.uncoalesced", None)


def _stream(device: Device, threads: boathull.Threads) -> Iterator[Plateau]:
    """What streams reach: the rate of each cache up to its capacity, then that of memory."""
    if device.kind != "cpu":
        if "cache.l2" not in device.absent and device.kind == "gpu":
            yield _plateau(device, "cache.l2_rate", device.figure("cache.l2").value)
        yield _plateau(device, "memory.coalesced", None)
        return
    together = device.figure("cores").value if threads == "all" else 1.0
    for key, rate in (("cache.l1", "cache.l1_rate"), ("cache.l2", "cache.l2_rate.core")):
        if key not in device.absent:
            yield _plateau(device, rate, device.figure(key).value * together, together)
    if "cache.l3" not in device.absent:
        factor = together * SHARED_CACHE if together > 1 else 1.0
        yield _plateau(device, "cache.l3_rate.core", device.figure("cache.l3").value, factor)
    yield _plateau(device, f"memory.{CORES[threads]}", None)


def _plateau(device: Device, key: str, last_bytes: float | None, factor: float = 1.0) -> Plateau:
    found: Figure = figure(device, key)
    said = figure_term(f"B {key}", found, device)
    if factor != 1:
        written = f"{factor:g}*{found.written}"
        said = Term(said.name, written, factor * found.value, found.unit, said.source)
    return Plateau(last_bytes, factor * found.low, factor * found.value, factor * found.high, said)


def _over(volume: Value, footprint: Value, steps: tuple[Plateau, ...], end: End) -> Value:
    time: Value = volume / steps[-1].rate(end)
    for step in reversed(steps[:-1]):
        assert step.last_bytes is not None
        time = where(step.last_bytes - footprint, volume / step.rate(end), time)
    return time


def _terms(moved: Moved, steps: tuple[Plateau, ...], volume: Value, footprint: Value, sizes: Sizes) -> Iterator[Term]:
    yield term(f"V_{moved.idiom}", moved.bytes, "B", f"references of {moved.idiom} times their size", sizes)
    yield term(f"F_{moved.idiom}", moved.footprint, "B", "the data that they range over", sizes)
    if symbols(footprint):
        yield from (step.source for step in steps)
        return
    size = number(footprint, {})
    step = next(s for s in steps if s.last_bytes is None or size <= s.last_bytes)
    yield step.source
    time = None if symbols(volume) else number(volume, {}) / step.likely
    yield Term(f"t_{moved.idiom}", f"V_{moved.idiom}/{step.source.name}", time, "s", "PMaC paper, equation 1")


def _range(ends: Ends) -> Range | None:
    if any(symbols(getattr(ends, end)) for end in ENDS):
        return None
    return Range(*(number(getattr(ends, end), {}) for end in ENDS))
