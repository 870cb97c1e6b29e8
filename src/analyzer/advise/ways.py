"""How much faster a nest gets in another form, by the same models: what `facts.loop.Changed` has is timed as the nest
itself is, for one thread and for all."""

from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

from msgspec import Struct

from models.expr import known_value
from models.prediction import Prediction
from models.quantity import Range, Sizes

from ..facts.loop import Alternative, Changed, LoopFacts
from .averages import averaged
from .candidates import Candidates, candidates, today
from .context import SHORTEST_WORTH_THREADS_S, Context
from .gains import on_one_machine
from .likely import expr_of
from .workloads import workload_of

Place: TypeAlias = Literal["host", "host-threads"]
PLACES: tuple[Place, ...] = ("host", "host-threads")

LEAST_GAIN = 1.2
"""A form that is likely to gain less than this, on one thread and on all, is not worth the change: a threshold of the
advice, like `--min-speedup`."""


SHOWN = ("interchange",)
"""Kinds that are worth telling although nobody knows the sizes."""


class Gain(Struct, frozen=True):
    """Seconds of the nests at one place as they are and in the other form, and how much faster that is."""

    candidate: Place
    before: Range
    after: Range
    speedup: Range


class Way(Struct, frozen=True):
    """An alternative with what is gained; `gains` is empty where no time is predicted for it, or sizes are not
    known."""

    alternative: Alternative
    gains: tuple[Gain, ...] = ()


def ways(
    loop: LoopFacts, by_id: Mapping[str, LoopFacts], found: Mapping[str, Candidates], context: Context, sizes: Sizes
) -> tuple[Way, ...]:
    """The alternatives of a loop, but those that are known not to pay. `by_id`: the loops of its function in their mean
    entry; `found`: the predictions for them."""
    return tuple(_worthwhile(loop, by_id, found, context, sizes))


def _worthwhile(
    loop: LoopFacts, by_id: Mapping[str, LoopFacts], found: Mapping[str, Candidates], context: Context, sizes: Sizes
) -> Iterator[Way]:
    for alternative in loop.alternatives:
        if alternative.changed is None:
            yield Way(alternative)
            continue
        gains = tuple(_gains(alternative.changed, by_id, found, context, sizes))
        if _pays(gains) or (not gains and alternative.kind in SHOWN):
            yield Way(alternative, gains)


def _pays(gains: tuple[Gain, ...]) -> bool:
    """Whether one thread takes long enough for anybody to care, and some place gains."""
    is_short = any(g.candidate == "host" and g.before.likely < SHORTEST_WORTH_THREADS_S for g in gains)
    return not is_short and any(g.speedup.likely >= LEAST_GAIN for g in gains)


def _gains(
    changed: Changed, by_id: Mapping[str, LoopFacts], found: Mapping[str, Candidates], context: Context, sizes: Sizes
) -> Iterator[Gain]:
    by_key = {each.loop.key: each for each in by_id.values() if not each.supposing}
    if not all(key in by_key for key in changed.replaced):
        return
    as_it_is = [(by_key[key], found[by_key[key].id]) for key in changed.replaced]
    nests = [averaged(nest) for nest in changed.nests]
    other = [(nest[0], _candidates(nest, context, sizes)) for nest in nests]
    for place in PLACES:
        before, after = (_seconds(place, each, sizes) for each in (as_it_is, other))
        if before is not None and after is not None:
            yield Gain(place, before, after, on_one_machine(before, after))


def _candidates(nest: tuple[LoopFacts, ...], context: Context, sizes: Sizes) -> Candidates:
    return candidates(nest[0], nest, workload_of(nest[0], nest), today(nest[0], ()), context, sizes)


def _seconds(place: Place, nests: list[tuple[LoopFacts, Candidates]], sizes: Sizes) -> Range | None:
    """Of all nests together, each as often as it runs; one that cannot be divided among threads runs on one."""
    ends = [0.0, 0.0, 0.0]
    for loop, answers in nests:
        answer = answers.threads if place == "host-threads" and answers.threads is not None else answers.host
        entries = known_value(expr_of(loop.counts.executions), sizes)
        if not isinstance(answer, Prediction) or answer.time is None or entries is None:
            return None
        time = answer.time
        ends = [total + entries * part for total, part in zip(ends, (time.low, time.likely, time.high), strict=True)]
    return Range(*ends)
