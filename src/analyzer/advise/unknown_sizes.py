"""The recommendation for a loop of which a size is not known: no time is invented.

*Decides*: from which size on each place wins over the host today, and is the fastest of all; which of them to advise.
  Sizes that choose what is done, but not how much, are taken as they are passed most often, and that is said.
*Method*: one unknown size is solved for; several are taken as equal, and then each by itself with the others typical.
*Does not handle*: times that are no curves over the size; then the sentence says why.
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from models.curves import LARGEST_SIZE, Line
from models.expr import free_symbols
from models.prediction import Prediction, Refusal
from models.quantity import Sizes
from models.values import Known, number

from ..base.amounts import threshold
from ..base.regex import regex
from ..facts.loop import LoopFacts
from ..ir.formula_names import array_of_length, line_of_trip, version_of, without_brackets
from ..ir.nodes import all_loops
from ..ir.reasons import AssumptionKind, ReasonCode
from .breakeven import TYPICAL_SIZE, BreakEven, Unsolved, break_even, fastest_from, one_at_a_time
from .context import Context
from .gains import MEASURED_GAIN, is_on_one_machine, shortest
from .modelling import Answer
from .recommendation import ON_THE_HOST, PLACES, VERBS, WAYS, Recommendation


def of_unknown_size(
    loop: LoopFacts, host: Prediction, others: tuple[Answer, ...], context: Context, sizes: Sizes
) -> Recommendation:
    """No time is invented: where one size is unknown, the break-even of the target that wins first (or else of the
    threads, also where these are faster at every size); where several are, the message says what would hold if they
    were equal, and what no time grows with, as a flag or the distance of elements, were AS_PASSED."""
    predictions = [a for a in others if isinstance(a, Prediction)]
    names = sorted(frozenset().union(*(p.symbols for p in (host, *predictions))) - set(sizes))
    flags = dict(_flags(loop, (host, *predictions), names, sizes))
    unknown = [name for name in names if name not in flags]
    several, known = len(unknown) > 1, {**sizes, **flags}
    message = ", ".join(map(called, names)) + (" is unknown" if len(names) == 1 else " are unknown")
    largest = _largest(loop)
    line = Line(known, min((largest[name] for name in unknown if name in largest), default=LARGEST_SIZE))
    pairs = [(p, _even(host, p, context, known, line, not several)) for p in predictions]
    name = " = ".join(unknown)
    solved = [(p, point) for p, point in pairs if isinstance(point, BreakEven) and point.symbol == name]
    if not solved:
        unsolved = [(p, point) for p, point in pairs if isinstance(point, Unsolved)]
        said = _unsolved(*unsolved[0]) if unsolved else ""
        return Recommendation("depends", ReasonCode.UNKNOWN_SIZE, message + said)
    if not flags and len(solved) == len(pairs) and _never(host, solved, context, known, largest):
        stays = _nowhere(solved, unknown, largest)
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
    each = (point,) if not several else _alone(host, p, context, known, largest) if context.details else ()
    points = tuple(_placed(p, one, rivals, known, flags, largest) for one in each)
    return Recommendation("depends", ReasonCode.UNKNOWN_SIZE, message, p.device, p.candidate, None, points)


class _Place(Struct, frozen=True):
    """Where a loop could run, and from which size on. `first`: from which on it is the fastest of all, None where it
    never is."""

    prediction: Prediction
    point: BreakEven
    first: int | None


def _fastest(p: Prediction, point: BreakEven, rivals: list[Prediction], line: Line) -> int | None:
    """Asked only of targets and threads that win at some size: they are compared with what the host has besides."""
    others = _others(p, rivals)
    if point.likely is None or not others:
        return 1
    return fastest_from(p.total, (r.total for r in others), line, p.room)


def _others(p: Prediction, rivals: list[Prediction]) -> list[Prediction]:
    """The ways to run the loop on the host that a place has to be faster than: targets all, threads the vectors."""
    if p.candidate == "host-vector":
        return []
    return [r for r in rivals if r.candidate != p.candidate]


def _rank(place: _Place) -> tuple[bool, bool, bool, int]:
    """Whether it wins at no size, is the fastest at none, is no target, and when it wins: the first one is advised."""
    likely = place.point.likely
    return likely is None, place.first is None, place.prediction.candidate != "target", likely or 0


def _placed(
    p: Prediction, point: BreakEven, rivals: list[Prediction], sizes: Sizes, flags: Mapping[str, int],
    largest: Mapping[str, int],
) -> BreakEven:  # fmt: skip
    """The break-even with the values that all other sizes have, and from where on the place is the fastest."""
    line = Line({**sizes, **dict(point.given)}, largest.get(point.symbol, LARGEST_SIZE))
    first = _fastest(p, point, rivals, line)
    over = first if first is not None and point.likely is not None and first > point.likely else None
    return replace(point, given=(*flags.items(), *point.given), fastest_likely=over)


def _largest(loop: LoopFacts) -> dict[str, int]:
    """What the sizes that say how often the loops of the nest run can be at most, by the types of their variables."""
    found: dict[str, int] = {}
    trips = (r for each in all_loops(loop.loop) for r in each.trip or ())
    for symbol in (s for r in trips for s in r.numerator.symbols):
        if symbol.high is not None:
            found[symbol.name] = max(found.get(symbol.name, 0), symbol.high)
    return found


AS_PASSED = 1
"""What a symbol is taken as that is no length: the first mode, elements side by side; or the least that a condition of
the answer asks for. The message says so."""


def _flags(
    loop: LoopFacts, timed: tuple[Prediction, ...], names: list[str], sizes: Sizes
) -> Iterator[tuple[str, int]]:
    """Symbols that choose what is done, and how far apart, but not how much, and what they are taken as: no loop of the
    nest runs as often, and no time grows with them. None where that is all of them."""
    counted = [c.expr for c in (loop.counts.iterations, loop.counts.trip_count) if c is not None and c.expr is not None]
    lengths = frozenset[str]().union(*map(free_symbols, counted))
    if lengths.isdisjoint(names):
        return
    at = {**sizes, **dict.fromkeys(names, TYPICAL_SIZE)}
    before: Known = {}
    for name in names:
        if name not in lengths and line_of_trip(name) is None and not _grows(timed, at, before, name):
            least = _least(loop, name)
            if least is not None:
                yield name, least


def _least(loop: LoopFacts, name: str) -> int | None:
    """The smallest value from AS_PASSED on that the conditions of the answer allow; None where that is another size."""
    answer, found = loop.parallelism, AS_PASSED
    for condition in (*answer.conditions, *answer.held):
        for bound in condition.text.split(",") if condition.kind is AssumptionKind.AT_LEAST else ():
            large, _, small = bound.partition(">=")
            if large.strip() != name:
                continue
            if not small.strip().isdigit():
                return None
            found = max(found, int(small))
    return found


def _grows(timed: tuple[Prediction, ...], at: Sizes, before: Known, name: str) -> bool:
    """Whether a time is another one at twice the size; so it is taken to be where it has no value. `before`: what parts
    of times are at these sizes."""
    twice: Known = {}
    try:
        return any(
            number(p.total.likely, {**at, name: 2 * TYPICAL_SIZE}, twice) != number(p.total.likely, at, before)
            for p in timed
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
    return f"`{without_brackets(text)}`" + (f" (as of line {since})" if since is not None else "")


_OPERATOR = regex(r"\s[-+*/%?:<>=&|^]+\s")


def _never(
    host: Prediction,
    solved: list[tuple[Prediction, BreakEven]],
    context: Context,
    sizes: Sizes,
    largest: Mapping[str, int],
) -> bool:
    """Whether the host is the fastest at every size: of several unknown ones also where one alone is large."""
    if any(point.likely is not None for _, point in solved):
        return False
    alone = (point for p, _ in solved for point in _alone(host, p, context, sizes, largest))
    return all(point.likely is None for point in alone)


NARROW = 1 << 16
"""Largest values below this are said: few think of them."""


def _nowhere(
    solved: list[tuple[Prediction, BreakEven]], unknown: list[str], largest: Mapping[str, int]
) -> Recommendation:
    """The host is the fastest at every size; a device perhaps not if the data were there."""
    p, point = min(solved, key=lambda s: (s[1].resident_likely is None, s[1].resident_likely or 0))
    several = len(unknown) > 1
    narrow = [f"{called(name)} is at most {largest[name]}" for name in unknown if largest.get(name, NARROW) < NARROW]
    message = "the host is the fastest at every size"
    if narrow:
        message += f" ({', '.join(narrow)})"
    if several:
        message += f" where {', '.join(map(called, unknown))} are equal, and where one of them is large"
    near = point.resident_likely
    if near is None:
        return Recommendation("host", ReasonCode.HOST_FASTER, message, p.device, p.candidate)
    size = threshold(near) if several else f"{called(unknown[0])} = {threshold(near)}"
    where = "at every size" if near == 1 else f"from {size}"
    message = f"transfers included, {message}; if the data is there already {p.device} wins {where}"
    return Recommendation("host", ReasonCode.TRANSFER_BOUND, message, p.device, p.candidate)


def _alone(
    host: Prediction, p: Prediction, context: Context, sizes: Sizes, largest: Mapping[str, int]
) -> Iterator[BreakEven]:
    moving, gain = p.moving if p.candidate == "target" else None, _sure_gain(host, p)
    return one_at_a_time(host.total, p.total, sizes, shortest(p, context), moving, p.room, gain, largest)


def _even(
    host: Prediction, p: Prediction, context: Context, sizes: Sizes, line: Line, resident: bool
) -> BreakEven | Unsolved | None:
    moving = p.moving if p.candidate == "target" and resident else None
    gain = _sure_gain(host, p)
    return break_even(host.total, p.total, sizes, shortest(p, context), moving, line, p.room, context.details, gain)


def _sure_gain(host: Prediction, p: Prediction) -> float | None:
    """See `break_even`."""
    return MEASURED_GAIN.low if is_on_one_machine(host, p) else None


def _unsolved(prediction: Prediction, point: Unsolved) -> str:
    place, verb = PLACES[prediction.candidate].format(prediction.device), VERBS.get(prediction.candidate, "wins")
    size = f"common size {point.symbol}" if " = " in point.symbol else called(point.symbol)
    return f"; the {size} from which {place} {verb} cannot be solved for ({point.reason})"


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
    """What is said of a place that wins beside other ways to run the loop on the host."""
    others = {r.candidate for r in _others(place.prediction, rivals)}
    ways = " and ".join(name for candidate, name in WAYS.items() if candidate in others)
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
