"""The recommendation for one loop taken alone: definitions.md, "Times and verdicts", word for word.

    cannot-model    not known to be parallel, or no time can be given; the reason says why
    host            a carried dependence; or no other place is likely faster by `min_speedup`
    offload         a target is likely faster by `min_speedup`, and surely not slower; host-parallel: all threads are
    depends         a size is unknown; or the ranges overlap

Levels of a nest are weighed against each other in `nests`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from models.curves import Line
from models.expr import free_symbols, known_value
from models.extended.residuals import GAIN
from models.prediction import Bound, Prediction, Refusal
from models.quantity import Range, Sizes
from models.values import number

from ..base.amounts import factor, span, threshold, time
from ..facts.loop import LoopFacts, Verdict
from ..ir.formula_names import array_of_length, line_of_trip, version_of
from ..ir.reasons import ReasonCode
from .breakeven import TYPICAL_SIZE, BreakEven, Unsolved, break_even, fastest_from, one_at_a_time
from .candidates import Candidates, Today
from .context import SHORTEST_WORTH_THREADS_S, Context
from .likely import expr_of
from .modelling import Answer
from .workloads import hidden_work

VerdictName: TypeAlias = Literal["offload", "host-parallel", "host", "depends", "cannot-model"]

NOT_PROFITABLE = (ReasonCode.CARRIED_DEPENDENCE, ReasonCode.FP_ORDER)
"""Reasons of the analysis that leave a loop on the host; all its others mean that it cannot be modelled."""


PLACES: dict[str, str] = {
    "target": "{}",
    "host-threads": "all threads of {}",
    "host-vector": "one thread of {} with vectors",
    "split": "{} with all threads of the host",
}
VERBS = {"host-threads": "win", "split": "win"}
WAYS = {"host-threads": "all threads", "host-vector": "vectors"}
ON_THE_HOST = tuple(WAYS)


class Recommendation(Struct, frozen=True):
    """`speedup` is that of `device` over the host today."""

    verdict: VerdictName
    code: ReasonCode
    message: str
    device: str | None = None
    candidate: str | None = None
    speedup: Range | None = None
    break_even: tuple[BreakEven, ...] = ()


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
    if found.host.time is None or any(isinstance(a, Prediction) and a.time is None for a in others):
        return _unknown_size(loop, found.host, others, context, sizes)
    narrow = [a for a in others if found.units is not None and found.units < _width(a, context) and not _is_mapped(a)]
    if narrow and len(narrow) == len(others):
        message = f"only {found.units:g} iterations can run at once, too few for {narrow[0].device}"
        return Recommendation("host", ReasonCode.TOO_SMALL, message, narrow[0].device)
    wide = (_option(found.host, a, context) for a in others if isinstance(a, Prediction) and a not in narrow)
    return _decided(found.host, [o for o in wide if o is not None], others, now, context)


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
        return ReasonCode.UNKNOWN_CALL, f"{hidden} only computes, but how much is not counted"
    if loop.counts.iterations is None and loop.unclassified is not None:
        return loop.unclassified.code, loop.unclassified.message
    if loop.counts.trip_count is None or loop.counts.trip_count.expr is None:
        return ReasonCode.UNKNOWN_TRIP_COUNT, "how often it runs is not known when it starts"
    irregular = [a.name for a in loop.arrays if a.footprint.expr is None]
    if irregular:
        names = ", ".join(irregular[:3])
        return ReasonCode.NON_AFFINE_ACCESS, f"which part of {names} is touched is not known"
    return ReasonCode.TOO_COMPLEX, "its iterations or accesses could not be counted"


def _refused(refusal: Refusal) -> Recommendation:
    return Recommendation("cannot-model", ReasonCode(refusal.code), refusal.message, device=refusal.device)


# --- unknown sizes


def _unknown_size(
    loop: LoopFacts, host: Prediction, others: tuple[Answer, ...], context: Context, sizes: Sizes
) -> Recommendation:
    """No time is invented: where one size is unknown, the break-even of the target that wins first (or else of the
    threads, also where these are faster at every size); where several are, the message says what would hold if they
    were equal, and what no time grows with, as a flag or the distance of elements, were AS_PASSED."""
    predictions = [a for a in others if isinstance(a, Prediction)]
    names = sorted(frozenset().union(*(p.symbols for p in (host, *predictions))) - set(sizes))
    flags = dict.fromkeys(_flags(loop, (host, *predictions), names, sizes), AS_PASSED)
    unknown = [name for name in names if name not in flags]
    several, known = len(unknown) > 1, {**sizes, **flags}
    message = ", ".join(map(called, names)) + (" is unknown" if len(names) == 1 else " are unknown")
    line = Line(known)
    pairs = [(p, _even(host, p, context, known, line, not several)) for p in predictions]
    name = " = ".join(unknown)
    solved = [(p, point) for p, point in pairs if isinstance(point, BreakEven) and point.symbol == name]
    if not solved:
        unsolved = [(p, point) for p, point in pairs if isinstance(point, Unsolved)]
        said = _unsolved(*unsolved[0]) if unsolved else ""
        return Recommendation("depends", ReasonCode.UNKNOWN_SIZE, message + said)
    if not flags and len(solved) == len(pairs) and _never(host, solved, context, known):
        stays = _nowhere(solved, unknown)
        return replace(stays, message="; ".join((stays.message, *_elsewhere(others))))
    taken = [f"{called(name)} = {value}" for name, value in flags.items()]
    if several:
        message += f"; with {', '.join(taken)}, and were the others equal" if taken else "; were they equal"
    elif taken:
        message += f"; with {', '.join(taken)}"
    message += ", " if several or taken else "; "
    rivals = [p for p, point in solved if p.candidate in ON_THE_HOST and point.likely is not None]
    places = [_Place(p, point, _fastest(p, point, rivals, line)) for p, point in solved]
    message += "; ".join((*_all_wins(places, several, rivals), *_elsewhere(others)))
    best = min(places, key=_rank)
    p, point = best.prediction, best.point
    each = (point,) if not several else _alone(host, p, context, known) if context.details else ()
    points = tuple(_placed(p, one, rivals, known, flags) for one in each)
    return Recommendation("depends", ReasonCode.UNKNOWN_SIZE, message, p.device, p.candidate, None, points)


class _Place(Struct, frozen=True):
    """Where a loop could run, and from which size on. `first`: from which on it is the fastest of all, None where it
    never is."""

    prediction: Prediction
    point: BreakEven
    first: int | None


def _fastest(p: Prediction, point: BreakEven, rivals: list[Prediction], line: Line) -> int | None:
    """Asked only of targets that win at some size: they are compared with the others."""
    if p.candidate != "target" or point.likely is None:
        return 1
    return fastest_from(p.total, (r.total for r in rivals), line, p.room)


def _rank(place: _Place) -> tuple[bool, bool, bool, int]:
    """Whether it wins at no size, is the fastest at none, is no target, and when it wins: the first one is advised."""
    likely = place.point.likely
    return likely is None, place.first is None, place.prediction.candidate != "target", likely or 0


def _placed(
    p: Prediction, point: BreakEven, rivals: list[Prediction], sizes: Sizes, flags: Mapping[str, int]
) -> BreakEven:
    """The break-even with the values that all other sizes have, and from where on the place is the fastest."""
    first = _fastest(p, point, rivals, Line({**sizes, **dict(point.given)}))
    over = first if first is not None and point.likely is not None and first > point.likely else None
    return replace(point, given=(*flags.items(), *point.given), fastest_likely=over)


AS_PASSED = 1
"""What a symbol is taken as that is no length: the first mode, elements side by side. The message says so."""


def _flags(loop: LoopFacts, timed: tuple[Prediction, ...], names: list[str], sizes: Sizes) -> Iterator[str]:
    """Symbols that choose what is done, and how far apart, but not how much: no loop of the nest runs as often, and no
    time grows with them. None where that is all of them."""
    counted = [c.expr for c in (loop.counts.iterations, loop.counts.trip_count) if c is not None and c.expr is not None]
    lengths = frozenset[str]().union(*map(free_symbols, counted))
    if lengths.isdisjoint(names):
        return
    at = {**sizes, **dict.fromkeys(names, TYPICAL_SIZE)}
    for name in names:
        if name not in lengths and line_of_trip(name) is None and not _grows(timed, at, name):
            yield name


def _grows(timed: tuple[Prediction, ...], at: Sizes, name: str) -> bool:
    """Whether a time is another one at twice the size; so it is taken to be where it has no value."""
    try:
        return any(
            number(p.total.likely, {**at, name: 2 * TYPICAL_SIZE}) != number(p.total.likely, at) for p in timed
        )
    except (ZeroDivisionError, OverflowError):
        return True


def called(symbol: str) -> str:
    """A size in words: a mean trip count and a length are none of the names in the program, and an expression is
    quoted, without the brackets around single names that its C text has.

    Example: `called("(up) ? (n) : (m)@12")` is "`up ? n : m` (as of line 12)"."""
    line = line_of_trip(symbol)
    if line is not None:
        return f"the mean trip count of the loop in line {line}"
    array = array_of_length(symbol)
    if array is not None:
        return f"the length of {array}"
    text, since = version_of(symbol)
    if not _OPERATOR.search(text):
        return symbol
    plain = _BRACKETED.sub(r"\1", text)
    return f"`{plain}`" + (f" (as of line {since})" if since is not None else "")


_OPERATOR = re.compile(r"\s[-+*/%?:<>=&|^]+\s")
_BRACKETED = re.compile(r"(?<![\w)])\((-?[\w.]+(?:->[\w.]+)*)\)")


def _never(host: Prediction, solved: list[tuple[Prediction, BreakEven]], context: Context, sizes: Sizes) -> bool:
    """Whether the host is the fastest at every size: of several unknown ones also where one alone is large."""
    if any(point.likely is not None for _, point in solved):
        return False
    alone = (point for p, _ in solved for point in _alone(host, p, context, sizes))
    return all(point.likely is None for point in alone)


def _nowhere(solved: list[tuple[Prediction, BreakEven]], unknown: list[str]) -> Recommendation:
    """The host is the fastest at every size; a device perhaps not if the data were there."""
    p, point = min(solved, key=lambda s: (s[1].resident_likely is None, s[1].resident_likely or 0))
    several = len(unknown) > 1
    message = "the host is the fastest at every size"
    if several:
        message += f" where {', '.join(map(called, unknown))} are equal, and where one of them is large"
    near = point.resident_likely
    if near is None:
        return Recommendation("host", ReasonCode.HOST_FASTER, message, p.device, p.candidate)
    size = threshold(near) if several else f"{called(unknown[0])} = {threshold(near)}"
    message = f"transfers included, {message}; if the data is there already {p.device} wins from {size}"
    return Recommendation("host", ReasonCode.TRANSFER_BOUND, message, p.device, p.candidate)


def _alone(host: Prediction, p: Prediction, context: Context, sizes: Sizes) -> Iterator[BreakEven]:
    moving = p.moving if p.candidate == "target" else None
    return one_at_a_time(host.total, p.total, sizes, _shortest(p, context), moving, p.room, _sure_gain(host, p))


def _even(
    host: Prediction, p: Prediction, context: Context, sizes: Sizes, line: Line, resident: bool
) -> BreakEven | Unsolved | None:
    moving = p.moving if p.candidate == "target" and resident else None
    gain = _sure_gain(host, p)
    return break_even(host.total, p.total, sizes, _shortest(p, context), moving, line, p.room, context.details, gain)


def _sure_gain(host: Prediction, p: Prediction) -> float | None:
    """See `break_even`."""
    return MEASURED_GAIN.low if _is_on_one_machine(host, p) else None


def _unsolved(prediction: Prediction, point: Unsolved) -> str:
    place, verb = PLACES[prediction.candidate].format(prediction.device), VERBS.get(prediction.candidate, "wins")
    return f"; from which {point.symbol} on {place} {verb} cannot be solved ({point.reason})"


def _elsewhere(others: tuple[Answer, ...]) -> Iterator[str]:
    """Why some devices are not among those that are compared."""
    refusals: dict[str, list[str]] = {}
    for answer in others:
        if isinstance(answer, Refusal):
            refusals.setdefault(answer.message, []).append(answer.device)
    for message, devices in refusals.items():
        yield f"not on {', '.join(devices)}: {message}"


def _all_wins(places: list[_Place], several: bool, rivals: list[Prediction]) -> Iterator[str]:
    """What is said of each place, and what of all that win at no size: `gtx470, h200 win at no size`."""
    nowhere = [each for each in places if each.point.likely is None and _resident(each.point) is None]
    together = nowhere if len(nowhere) > 1 else []
    yield from (_wins(each, several, rivals) for each in places if each not in together)
    if together:
        names = (PLACES[each.prediction.candidate].format(each.prediction.device) for each in together)
        yield f"{', '.join(names)} win at no size"


def _over(place: _Place, likely: int, rivals: list[Prediction]) -> str:
    """What is said of a target that wins beside other ways to run the loop on the host."""
    ways = " and ".join(name for candidate, name in WAYS.items() if any(r.candidate == candidate for r in rivals))
    if place.first is None:
        return f"; {ways} are faster at every size"
    return f"; over {ways} from {threshold(place.first)}" if place.first > likely else ""


def _wins(each: _Place, several: bool, rivals: list[Prediction]) -> str:
    """`h200 wins from n = 3195 (surely from 4100; over all threads from 9000)`"""
    prediction, point = each.prediction, each.point
    place, verb = PLACES[prediction.candidate].format(prediction.device), VERBS.get(prediction.candidate, "wins")
    from_ = "" if several or line_of_trip(point.symbol) is not None else f"{point.symbol} = "
    if point.likely is None:
        near = _resident(point)
        if near is None:
            return f"{place} {verb} at no size"
        return f"{place} {verb} at no size if the data has to be copied, and from {from_}{near} if it is there already"
    sure = "likely" if point.safe is None else f"surely from {threshold(point.safe)}"
    if point.safe is not None and threshold(point.safe) == threshold(point.likely):
        sure = "surely"
    near = _resident(point)
    there = "" if near is None else f", and from {near} if the data is there already"
    return f"{place} {verb} from {from_}{threshold(point.likely)} ({sure}{_over(each, point.likely, rivals)}){there}"


def _resident(point: BreakEven) -> str | None:
    """From which size on a device wins that has the data already, where copies matter."""
    near = point.resident_likely
    return None if near is None or near == point.likely else threshold(near)


# --- known sizes


def _option(host: Prediction, prediction: Prediction | Refusal, context: Context) -> Option | None:
    if isinstance(prediction, Refusal) or prediction.time is None:
        return None
    assert host.time is not None
    gain = (on_one_machine if _is_on_one_machine(host, prediction) else speedup)(host.time, prediction.time)
    return Option(prediction, prediction.time, gain, _shortest(prediction, context))


def _is_on_one_machine(host: Prediction, p: Prediction) -> bool:
    return p.device == host.device and p.candidate in ON_THE_HOST


MEASURED_GAIN = Range(GAIN["low"], GAIN["likely"], GAIN["high"])
"""Of ways to run a loop on the same cores: measured over likely gain."""

LEAST_S = 1e-9
"""What a time of 0 counts as."""


def speedup(host: Range, other: Range) -> Range:
    """Of `other` over `host`, worst against best and best against worst."""
    return Range(
        max(host.low, LEAST_S) / max(other.high, LEAST_S),
        max(host.likely, LEAST_S) / max(other.likely, LEAST_S),
        max(host.high, LEAST_S) / max(other.low, LEAST_S),
    )


def on_one_machine(host: Range, other: Range) -> Range:
    """Of another way to run the same loop on the same cores: what makes one time longer than is likely makes the other
    one longer, too, so their ends go together. How far measured gains lie from likely ones is `residuals.GAIN`.

    Example: of 1 s (0.5 to 2 s) and 0.5 s (0.25 to 1 s), twice as fast, but for these residuals."""
    ratios = [max(getattr(host, end), LEAST_S) / max(getattr(other, end), LEAST_S) for end in ("low", "likely", "high")]
    return Range(min(ratios) * MEASURED_GAIN.low, ratios[1], max(ratios) * MEASURED_GAIN.high)


def _shortest(prediction: Prediction, context: Context) -> float:
    """The host time below which a move there cannot pay: starting it takes longer."""
    if prediction.candidate in ("host-threads", "host-vector"):
        return SHORTEST_WORTH_THREADS_S
    device = next(d for d in context.targets if d.id == prediction.device)
    latency = device.figures.get("launch.latency")
    return SHORTEST_WORTH_THREADS_S if latency is None else latency.value


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
        return _moved(min(sure, key=lambda o: o.time.likely), host, options, context)
    if worth:
        return _uncertain(min(worth, key=lambda o: o.time.likely), host)
    refusal = next((a for a in others if isinstance(a, Refusal)), None)
    targets = [o for o in options if o.prediction.candidate == "target"]
    if refusal is not None and not targets:
        return _refused(refusal)
    open_ = [o for o in options if o.shortest_s <= today_s and o.speedup.high >= context.min_speedup]
    if open_ and any(o.speedup.low < 1 < o.speedup.high for o in open_):
        overlapping = [o for o in open_ if o.speedup.low < 1]
        return _uncertain(max(overlapping, key=lambda o: o.speedup.likely), host)
    best = min(targets or options, key=lambda o: o.time.likely, default=None)
    return _stays(host, best, now, context)


def _moved(best: Option, host: Prediction, options: list[Option], context: Context) -> Recommendation:
    p, gain = best.prediction, f"likely {factor(best.speedup.likely)} faster"
    copies = "without copies" if context.resident else "transfers included"
    assert host.time is not None
    before, after = time(host.time.likely), time(best.time.likely)
    if p.candidate == "split":
        where = f"{p.device} together with all threads of the host ({p.assumptions[-1]})"
        message = f"{gain}: {after} on {where}, {copies}, against {before}"
        return Recommendation("offload", ReasonCode.FASTER_ON_TARGET, message, p.device, p.candidate, best.speedup)
    if p.candidate == "target":
        message = f"{gain}: {after} on {p.device}, {copies}, against {before}"
        return Recommendation("offload", ReasonCode.FASTER_ON_TARGET, message, p.device, p.candidate, best.speedup)
    message = f"{gain}: {after} on {PLACES[p.candidate].format(p.device)} against {before}"
    targets = [o for o in options if o.prediction.candidate == "target"]
    if targets:
        other = min(targets, key=lambda o: o.time.likely)
        spent = f", mostly {other.prediction.bound}" if other.prediction.bound else ""
        message += f"; {other.prediction.device} needs {time(other.time.likely)}{spent}"
    code = ReasonCode.FASTER_ON_HOST_THREADS
    return Recommendation("host-parallel", code, message, p.device, p.candidate, best.speedup)


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


def _stays(host: Prediction, best: Option | None, now: Today, context: Context) -> Recommendation:
    """The loop stays where it is: why the best other place does not pay."""
    assert host.time is not None
    if now == "threads":
        return Recommendation("host", ReasonCode.ALREADY_PARALLEL, "a pragma already divides this loop among threads")
    if best is None:
        return Recommendation("host", ReasonCode.HOST_FASTER, "no other place was asked for")
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
