"""Facts with what a run counted in place of what is assumed: weights of conditions, loops of unknown length, sizes.

    p@12     how often the condition of line 12 holds         the share that the run counted
    trip@30  mean iterations of a loop of unknown length      the mean of the run
    n        a size that a loop's trip count is made of       the size with that trip count

Formulas keep their bounds, since another run may do otherwise. *Errs toward* leaving things as they are: a size is
taken from a loop only where its trip count is a formula of that size alone, and where all loops agree on it.
"""

from collections.abc import Mapping
from fractions import Fraction

from msgspec.structs import replace

from models.expr import Expr, Operand, evaluate, free_symbols, num, substitute

from ..facts.loop import ArrayFacts, Condition, Count, Counts, FunctionFacts, LoopFacts
from ..ir.formula_names import mean_trip, weight
from ..ir.symbols import Kind
from .counted import LoopCount

SAID = "as the profile counted"


def with_profile(
    function: FunctionFacts, loops: Mapping[str, LoopCount], weights: Mapping[int, float]
) -> FunctionFacts:
    """The facts of one function with the weights and trip counts of its file: loops and conditions of the functions
    that were looked into from here are among them."""
    values: dict[str, Operand] = {weight(Kind.BRANCH, line): num(_exactly(share)) for line, share in weights.items()}
    for count in loops.values():
        mean = _mean(count)
        if mean is not None:
            values[mean_trip(count.line)] = num(mean)
    if not values:
        return function
    return replace(function, loops=tuple(_loop(loop, loops.get(loop.id), weights, values) for loop in function.loops))


def _exactly(value: float) -> Fraction:
    return Fraction(value).limit_denominator(10**9)


def _mean(count: LoopCount | None) -> Fraction | None:
    return Fraction(count.iterations, count.entries) if count is not None and count.entries else None


def _loop(
    loop: LoopFacts, count: LoopCount | None, weights: Mapping[int, float], values: Mapping[str, Operand]
) -> LoopFacts:
    counts = replace(
        loop.counts, **{name: _count(getattr(loop.counts, name), values) for name in Counts.__struct_fields__}
    )
    mean = _mean(count)
    if mean is not None and (counts.trip_count is None or not counts.trip_count.exact):
        before = counts.trip_count or Count(None, num(0), None, False)
        counts = replace(counts, trip_count=replace(before, expr=num(mean), assumptions=(*before.assumptions, SAID)))
    conditions = (_condition(c, weights) for c in loop.conditions)
    arrays = (_array(a, values) for a in loop.arrays)
    return replace(loop, counts=counts, conditions=tuple(conditions), arrays=tuple(arrays))


def _condition(condition: Condition, weights: Mapping[int, float]) -> Condition:
    if condition.line not in weights:
        return condition
    return replace(condition, weight=weights[condition.line], source="profile")


def _array(array: ArrayFacts, values: Mapping[str, Operand]) -> ArrayFacts:
    names = ("read_footprint", "write_footprint", "footprint", "transfer_in", "transfer_out")
    return replace(array, **{name: _count(getattr(array, name), values) for name in names})


def _count(count: Count | None, values: Mapping[str, Operand]) -> Count | None:
    if count is None or count.expr is None or not free_symbols(count.expr) & values.keys():
        return count
    return replace(count, expr=substitute(count.expr, dict(values)), assumptions=(*count.assumptions, SAID))


# --- sizes


def sizes(function: FunctionFacts, loops: Mapping[str, LoopCount]) -> dict[str, int]:
    """The size symbols that the run's trip counts give away. A mean that is no whole number is rounded."""
    found: dict[str, set[int]] = {}
    variables = {loop.loop.variable for loop in function.loops}
    for loop in function.loops:
        trip, mean = loop.counts.trip_count, _mean(loops.get(loop.id))
        if trip is None or trip.expr is None or not trip.exact or not mean:
            continue
        names = free_symbols(trip.expr)
        if len(names) == 1 and not names & variables:
            value = _solved(trip.expr, next(iter(names)), mean)
            if value is not None:
                found.setdefault(next(iter(names)), set()).add(value)
    return {name: values.pop() for name, values in found.items() if len(values) == 1}


def _solved(trip: Expr, name: str, mean: Fraction) -> int | None:
    """The size at which a formula that grows by the same amount everywhere has this value."""
    far = 10**9
    first, second = (_at(trip, name, at) for at in (far, far + 1))
    if first is None or second is None or second <= first:
        return None
    value = round(far + (mean - first) / (second - first))
    here = _at(trip, name, value)
    return value if value >= 0 and here is not None and abs(here - mean) <= (second - first) / 2 else None


def _at(trip: Expr, name: str, value: int) -> Fraction | None:
    try:
        return Fraction(evaluate(trip, {name: value}))
    except (ZeroDivisionError, OverflowError):
        return None
