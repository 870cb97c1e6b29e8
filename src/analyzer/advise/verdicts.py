"""The recommendation for one loop taken alone: definitions.md, "Times and verdicts", word for word.

    cannot-model    not known to be parallel, or no time can be given; the reason says why
    host            a carried dependence; or no other place is likely faster by `min_speedup`
    offload         a target is likely faster by `min_speedup`, and surely not slower; host-parallel: all threads are
    depends         a size is unknown; or the ranges overlap

Levels of a nest are weighed against each other in `nests`.
"""

from msgspec import Struct

from models.expr import known_value
from models.prediction import Bound, Prediction, Refusal
from models.quantity import Range, Sizes

from ..base.amounts import factor, span, time
from ..facts.loop import LoopFacts, Verdict
from ..ir.reasons import ReasonCode
from .candidates import Candidates, Today
from .context import Context
from .gains import is_on_one_machine, on_one_machine, shortest, speedup
from .likely import expr_of
from .modelling import Answer
from .recommendation import ON_THE_HOST, PLACES, Recommendation
from .splitting import WORTH
from .unknown_sizes import of_unknown_size
from .workloads import hidden_work

NOT_PROFITABLE = (ReasonCode.CARRIED_DEPENDENCE, ReasonCode.FP_ORDER)
"""Reasons of the analysis that leave a loop on the host; all its others mean that it cannot be modelled."""


class Option(Struct, frozen=True):
    """One place the loop could move to, compared with the host today. `shortest_s`: see `Context`."""

    prediction: Prediction
    time: Range
    speedup: Range
    shortest_s: float


def recommend(loop: LoopFacts, found: Candidates, now: Today, context: Context, sizes: Sizes) -> Recommendation:
    """The verdict on `loop` with the one reason for it."""
    blocked = _blocked(loop, now)
    if blocked is not None:
        return blocked
    if _runs_once(loop, sizes):
        return Recommendation("host", ReasonCode.TOO_SMALL, "it runs at most once: there is nothing to divide")
    if found.host is None:
        return Recommendation("cannot-model", *_unknown_counts(loop))
    if isinstance(found.host, Refusal):
        return _refused(found.host)
    others: tuple[Answer, ...] = tuple(a for a in (*found.targets, found.threads, found.vector) if a is not None)
    if not any(isinstance(a, Prediction) for a in others):
        return _without_places(found.host, others, now, context)
    if found.host.time is None or any(isinstance(a, Prediction) and a.time is None for a in others):
        return of_unknown_size(loop, found.host, others, context, sizes)
    narrow = [a for a in others if found.units is not None and found.units < _width(a, context) and not _is_mapped(a)]
    if narrow and len(narrow) == len(others):
        message = f"only {found.units:g} iterations can run at once, too few for {narrow[0].device}"
        return Recommendation("host", ReasonCode.TOO_SMALL, message, narrow[0].device)
    wide = (_option(found.host, a, context) for a in others if isinstance(a, Prediction) and a not in narrow)
    return _decided(found.host, [o for o in wide if o is not None], others, now, context)


def _without_places(host: Prediction, others: tuple[Answer, ...], now: Today, context: Context) -> Recommendation:
    """Where no other place has a time, whatever the sizes are."""
    refusal = next((a for a in others if isinstance(a, Refusal)), None)
    return _stays(host, None, now, context) if refusal is None else _refused(refusal)


# --- what the analysis already decides


def _blocked(loop: LoopFacts, now: Today) -> Recommendation | None:
    answer = loop.parallelism
    if answer.is_parallel:
        if now == "device":
            return Recommendation("host", ReasonCode.ALREADY_PARALLEL, "a pragma already moves this loop to a device")
        if now == "threads-around":
            message = "a loop around it is already divided among threads"
            return Recommendation("host", ReasonCode.ALREADY_PARALLEL, message)
        return None
    if answer.reason is None:
        return Recommendation("cannot-model", ReasonCode.TOO_COMPLEX, "nothing could be established about this loop")
    code, message = answer.reason.code, answer.reason.message
    if answer.verdict is Verdict.NO and code in NOT_PROFITABLE:
        return Recommendation("host", code, message)
    return Recommendation("cannot-model", code, message)


def _runs_once(loop: LoopFacts, sizes: Sizes) -> bool:
    trip = known_value(expr_of(loop.counts.trip_count), sizes)
    return trip is not None and trip <= 1


def _unknown_counts(loop: LoopFacts) -> tuple[ReasonCode, str]:
    undeclared = sorted({a.element_type for a in loop.arrays if not a.element_bytes and a.footprint.expr is not None})
    if undeclared:
        message = (
            f"{', '.join(undeclared)} is declared nowhere: give -I to find its header, or -D {undeclared[0]}=double"
        )
        return ReasonCode.UNPARSED, message
    hidden = hidden_work(loop)
    if hidden is not None:
        return ReasonCode.UNKNOWN_CALL, f"the work of {hidden} is not counted"
    if loop.counts.iterations is None and loop.unclassified is not None:
        return loop.unclassified.code, loop.unclassified.message
    if loop.counts.trip_count is None or loop.counts.trip_count.expr is None:
        return ReasonCode.UNKNOWN_TRIP_COUNT, "how often it runs is not known when it starts"
    irregular = list(dict.fromkeys(a.name for a in loop.arrays if a.footprint.expr is None))
    if irregular:
        names = ", ".join(f"`{name}`" for name in irregular[:3])
        return ReasonCode.NON_AFFINE_ACCESS, f"which elements of {names} it accesses is not known"
    return ReasonCode.TOO_COMPLEX, "its iterations or accesses could not be counted"


def _refused(refusal: Refusal) -> Recommendation:
    return Recommendation("cannot-model", ReasonCode(refusal.code), refusal.message, device=refusal.device)


# --- known sizes


def _option(host: Prediction, prediction: Prediction | Refusal, context: Context) -> Option | None:
    if isinstance(prediction, Refusal) or prediction.time is None:
        return None
    assert host.time is not None
    gain = (on_one_machine if is_on_one_machine(host, prediction) else speedup)(host.time, prediction.time)
    return Option(prediction, prediction.time, gain, shortest(prediction, context))


def _is_mapped(answer: Answer) -> bool:
    """Whether the nest becomes threads otherwise than its outermost iterations, so that these say nothing: its time
    does."""
    return isinstance(answer, Prediction) and answer.mapping is not None


def _width(answer: Answer, context: Context) -> float:
    """The least number of work-units that keeps all of a device busy: its multiprocessors or cores."""
    device = next(d for d in (*context.targets, context.host) if d.id == answer.device)
    figure = device.figures.get("multiprocessors" if device.kind == "gpu" else "cores")
    return 1 if figure is None else figure.value


def _decided(
    host: Prediction, options: list[Option], others: tuple[Answer, ...], now: Today, context: Context
) -> Recommendation:
    assert host.time is not None
    today_s = host.time.likely
    worth = [o for o in options if o.shortest_s <= today_s and o.speedup.likely >= context.min_speedup]
    sure = [o for o in worth if o.speedup.low >= 1]
    if sure:
        return _moved(_fastest(sure), host, options, context)
    if worth:
        return _uncertain(_fastest(worth), host)
    refusal = next((a for a in others if isinstance(a, Refusal)), None)
    targets = [o for o in options if o.prediction.candidate == "target"]
    if refusal is not None and not targets:
        return _refused(refusal)
    open_ = [o for o in options if o.shortest_s <= today_s and o.speedup.high >= context.min_speedup]
    if open_ and any(o.speedup.low < 1 < o.speedup.high for o in open_):
        return _uncertain(_fastest([o for o in open_ if o.speedup.low < 1]), host)
    short = [o for o in options if today_s < o.shortest_s and o.speedup.likely >= context.min_speedup]
    if short:
        return _too_short(_fastest(short), today_s)
    best = min(targets or options, key=lambda o: o.time.likely, default=None)
    return _stays(host, best, now, context)


def _fastest(options: list[Option]) -> Option:
    """The fastest one place; a division between a device and the threads, which no directive says, only where nothing
    else is left."""
    places = [o for o in options if o.prediction.candidate != "split"]
    return min(places or options, key=lambda o: o.time.likely)


def _moved(best: Option, host: Prediction, options: list[Option], context: Context) -> Recommendation:
    p, gain = best.prediction, f"likely {factor(best.speedup.likely)} faster"
    copies = "without copies" if context.resident else "transfers included"
    assert host.time is not None
    before, after = time(host.time.likely), time(best.time.likely)
    if p.candidate == "split":
        where = f"{p.device} together with all threads of the host ({p.assumptions[-1]})"
        message = f"{gain}: {after} on {where}, {copies}, against {before}"
        return Recommendation("offload", ReasonCode.FASTER_ON_TARGET, message, p.device, p.candidate, best.speedup)
    divided = _divided(best, options)
    if p.candidate == "target":
        message = f"{gain}: {after} on {p.device}, {copies}, against {before}{divided}"
        return Recommendation("offload", ReasonCode.FASTER_ON_TARGET, message, p.device, p.candidate, best.speedup)
    message = f"{gain}: {after} on {PLACES[p.candidate].format(p.device)} against {before}"
    targets = [o for o in options if o.prediction.candidate == "target"]
    if targets:
        other = min(targets, key=lambda o: o.time.likely)
        message += f"; {other.prediction.device} needs {time(other.time.likely)}{_mostly(other)}"
    code = ReasonCode.FASTER_ON_HOST_THREADS
    return Recommendation("host-parallel", code, message + divided, p.device, p.candidate, best.speedup)


def _mostly(option: Option) -> str:
    """What takes most of the time; of copies also what is left without them."""
    bound, copied = option.prediction.bound, option.prediction.transfer
    if bound == "transfer" and copied is not None:
        return f", mostly transfer ({time(max(option.time.likely - copied.likely, 0.0))} without)"
    return f", mostly {bound}" if bound else ""


def _divided(best: Option, options: list[Option]) -> str:
    """What a program would gain that itself divides the iterations between a device and all threads."""
    splits = [o for o in options if o.prediction.candidate == "split" and o.time.likely * WORTH <= best.time.likely]
    if not splits:
        return ""
    least = min(splits, key=lambda o: o.time.likely)
    where = f"{least.prediction.device} and all threads"
    return f"; {time(least.time.likely)} if the program divides it between {where} ({least.prediction.assumptions[-1]})"


def _uncertain(best: Option, host: Prediction) -> Recommendation:
    """Names the term whose range decides."""
    p = best.prediction
    spans = [(r.high - r.low, f"the {part} time on {q.device}", r) for q in (p, host) for part, r in _parts(q)]
    _, what, extent = max(spans, key=lambda s: s[0])
    low, high = factor(best.speedup.low), factor(best.speedup.high)
    message = f"{low} to {high} on {p.device}: {what} decides ({span(extent.low, extent.high)})"
    return Recommendation("depends", ReasonCode.UNCERTAIN, message, p.device, p.candidate, best.speedup)


def _parts(p: Prediction) -> list[tuple[Bound, Range]]:
    parts: list[tuple[Bound, Range | None]] = [
        ("compute", p.compute),
        ("memory", p.memory),
        ("transfer", p.transfer),
        ("launch", p.launch),
    ]
    return [(name, value) for name, value in parts if value is not None]


def _too_short(best: Option, today_s: float) -> Recommendation:
    """The loop would be faster, and takes too little time for that to be worth it."""
    p, place = best.prediction, PLACES[best.prediction.candidate].format(best.prediction.device)
    gain = f"{factor(best.speedup.likely)} faster on {place}"
    message = f"the host needs {time(today_s)}: a change is worth it from {time(best.shortest_s)} on ({gain})"
    return Recommendation("host", ReasonCode.TOO_SMALL, message, p.device, p.candidate, best.speedup)


def _stays(host: Prediction, best: Option | None, now: Today, context: Context) -> Recommendation:
    """The loop stays where it is: why the best other place does not pay."""
    if now == "threads":
        return Recommendation("host", ReasonCode.ALREADY_PARALLEL, "a pragma already divides this loop among threads")
    if best is None:
        return Recommendation("host", ReasonCode.HOST_FASTER, "no other place was asked for")
    assert host.time is not None
    p, today_s = best.prediction, host.time.likely
    if today_s < best.shortest_s:
        message = f"the host needs {time(today_s)}, less than starting it elsewhere takes"
        return Recommendation("host", ReasonCode.TOO_SMALL, message, p.device, p.candidate, best.speedup)
    for part, code in (("transfer", ReasonCode.TRANSFER_BOUND), ("launch", ReasonCode.LAUNCH_BOUND)):
        spent = next((r.likely for name, r in _parts(p) if name == part), 0.0)
        rest = max(best.time.likely - spent, 1e-9)
        if spent > 0 and (today_s / rest >= context.min_speedup or spent >= today_s):
            message = f"the {part} to {p.device} takes {time(spent)}, the host {time(today_s)}"
            return Recommendation("host", code, message, p.device, p.candidate, best.speedup)
    likely, place = best.speedup.likely, PLACES[p.candidate].format(p.device)
    if likely >= 1:
        verb = "are" if p.candidate == "host-threads" else "is"
        message = f"{place} {verb} only {factor(likely)} faster, below {context.min_speedup:g}x"
    else:
        here = "one thread" if p.candidate in ON_THE_HOST else "the host"
        message = f"{here} is {factor(1 / likely)} faster than {place}"
    return Recommendation("host", ReasonCode.HOST_FASTER, message, p.device, p.candidate, best.speedup)
