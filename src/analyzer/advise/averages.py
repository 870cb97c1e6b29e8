"""The facts of a loop inside others as they are in its mean entry: what the models are given.

Counts of one entry of an inner loop may depend on the counters of the loops around (`i + 1` iterations). Nobody can
give these a value, so that they are averaged over all entries (`counts.entries`), exactly: a count of the mean entry
times `executions` is the count of all of them together. Times are those of the mean entry.

What is read anew in each iteration around (`ptr[i + 1] - ptr[i]`) has no mean that the code says; where it only makes
the trip count, the mean trip count stands for it, `trip@LINE`.
*Gives* a formula that has neither as unknown.

What single executions have, from the least to the most, is said beside the mean (`execution_spans`, `end_entries`).
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from models.classes import AlgorithmClass, ClassError, Operand, check
from models.expr import (
    Add,
    Expr,
    ExprSyntaxError,
    FloorDiv,
    Gcd,
    Max,
    Mod,
    Mul,
    Num,
    Piecewise,
    Sym,
    add,
    div,
    free_symbols,
    mul,
    num,
    parse,
    sym,
    to_text,
)
from models.expr.evaluation import rebuilt
from models.expr.nodes import Number
from models.expr.polynomial import Monomial, build, ordered, terms

from ..counts.entries import entries
from ..facts.loop import ArrayFacts, Count, Counts, LoopFacts
from ..ir.formula_names import mean_trip
from .likely import expr_of, weighted

Averaging = Callable[[Expr], Expr | None]
_FOOTPRINTS = ("read_footprint", "write_footprint", "footprint", "transfer_in", "transfer_out")
Spans = Callable[[Count], tuple[Expr, Expr] | None]


def averaged(loops: Iterable[LoopFacts], left: Collection[str] = ()) -> tuple[LoopFacts, ...]:
    """The loops as they are in their mean entry. `left`: counts that nobody asks for, which are left out.

    Example: in `for (i = 0; i < n; i++) for (j = 0; j <= i; j++)` the inner loop has (n + 1)/2 iterations."""
    return tuple(mean_entry(loop, left) for loop in loops)


def mean_entry(loop: LoopFacts, left: Collection[str] = ()) -> LoopFacts:
    """One loop as it is in its mean entry; itself where nothing in it changes with the loops around. See `averaged`."""
    if loop.changing:
        return replace(_entry(loop, _averaging(loop), left), longest_trip=_longest_trip(loop))
    return replace(loop, inlined=_mean_entries(loop, left)) if loop.inlined else loop


def _mean_entries(loop: LoopFacts, left: Collection[str]) -> tuple[LoopFacts, ...]:
    """Of the loops in it of functions that it calls."""
    return tuple(mean_entry(inner, left) for inner in loop.inlined)


def _longest_trip(loop: LoopFacts) -> Expr | None:
    """See `LoopFacts.longest_trip`; None as well where all its entries are alike, and where it is not known."""
    apart = any(a.walked_by == loop.loop.key and a.walk.startswith("strided") for a in loop.arrays)
    trip = loop.counts.trip_count
    if not apart or trip is None or trip.expr is None or _is_settled(trip.expr, loop):
        return None
    ends = execution_spans(loop)(trip)
    return None if ends is None else ends[1]


def mean_value(loop: LoopFacts, formula: Expr) -> Expr | None:
    """A formula of one entry of the loop in its mean entry; None where it has no mean."""
    return _averaging(loop)(formula) if loop.changing else weighted(formula)


def end_entries(loop: LoopFacts) -> tuple[LoopFacts, LoopFacts] | None:
    """One loop with the least of every count that any execution has, and with the most; None where nothing in it
    changes from execution to execution, there is none, or the ends of a count that has a mean are not known.

    Example: in `for (i = 0; i < n; i++) for (j = 0; j <= i; j++)` the inner loop with 1 iteration, and with n."""
    if loop.outermost is None or not _is_entered(loop) or not _changes(loop):
        return None
    try:
        return _entry(loop, _at_end(loop, 0)), _entry(loop, _at_end(loop, 1))
    except _UnknownError:
        return None


def execution_spans(loop: LoopFacts) -> Spans:
    """What a count of the loop is at least and at most in any one execution of it, as formulas of sizes; None for one
    that does not change from execution to execution, or where that is not known."""

    def spans(count: Count) -> tuple[Expr, Expr] | None:
        low, high = (count.expr, count.expr) if count.exact else (count.low, count.high)
        if loop.outermost is None or low is None or high is None or _is_settled(low + high, loop):
            return None
        over = entries(loop.outermost, loop.loop.key)
        least, most = over.span(low), over.span(high)
        known = least is not None and most is not None and _is_settled(least[0], loop) and _is_settled(most[1], loop)
        return (least[0], most[1]) if known and least is not None and most is not None else None

    return spans


_SHOWN = ("complexity", "operational_intensity", "read_footprint", "write_footprint")
"""Counts of a loop that are shown alone: nothing is worked out from them, the models have those of its arrays."""


def _entry(loop: LoopFacts, mean: Averaging, left: Collection[str] = ()) -> LoopFacts:
    of = loop.counts
    left = {*_SHOWN, "executions", *left}
    found = {name: _count(getattr(of, name), mean) for name in Counts.__struct_fields__ if name not in left}
    return replace(
        loop,
        counts=Counts(executions=of.executions, **found),
        arrays=tuple(_array(array, mean) for array in loop.arrays),
        algorithm=_class(loop.algorithm, loop.changing, mean),
        inlined=_mean_entries(loop, left),
    )


def _is_settled(expr: Expr, loop: LoopFacts) -> bool:
    """Whether it is the same in all executions of the loop."""
    return free_symbols(expr).isdisjoint(loop.changing)


def _is_entered(loop: LoopFacts) -> bool:
    """Whether it may be executed at all."""
    executions = loop.counts.executions
    return executions is None or executions.expr != num(0)


def _changes(loop: LoopFacts) -> bool:
    """Whether a count of what the loop does is not the same in all its executions."""
    return not all(_is_settled(expr, loop) for expr in loop.counts.formulas)


def _at_end(loop: LoopFacts, end: Literal[0, 1]) -> Averaging:
    """The least or the most of a formula in place of its mean; raises _UnknownError where only the mean is known."""
    assert loop.outermost is not None
    over, mean = entries(loop.outermost, loop.loop.key), _averaging(loop)

    def found(expr: Expr) -> Expr | None:
        expr = weighted(expr)
        if _is_settled(expr, loop):
            return expr
        span = over.span(expr)
        if span is not None and _is_settled(span[end], loop):
            return span[end]
        if mean(expr) is not None:
            raise _UnknownError
        return None

    return found


def _averaging(loop: LoopFacts) -> Averaging:
    assert loop.outermost is not None
    over = entries(loop.outermost, loop.loop.key)
    trip = expr_of(loop.counts.trip_count)

    def unchanging(expr: Expr | None) -> bool:
        return expr is not None and _is_settled(expr, loop)

    open_trip = None if trip is None or unchanging(over.mean(trip)) else _open_trip(loop, trip)

    def mean(expr: Expr) -> Expr | None:
        expr = weighted(expr)
        if unchanging(expr):
            return expr
        found = over.mean(expr)
        if not unchanging(found):
            found = None
        if found is None and open_trip is not None and unchanging(closed := open_trip.closed(expr)):
            return closed
        if found is None and not isinstance(expr, Sym):
            with suppress(_UnknownError, ZeroDivisionError):  # the mean of what is divided by may be 0
                found = _of_parts(expr, mean)
        found = None if found is None else weighted(found)
        return found if unchanging(found) else None

    return mean


class _UnknownError(Exception):
    """A part of a formula has no mean."""


def _of_parts(expr: Expr, mean: Averaging) -> Expr:
    """The formula of the means of its parts, which is near the mean of the formula: exact for sums, for others no more
    than what a middle entry has."""

    def at(part: Expr) -> Expr:
        found = mean(part)
        if found is None:
            raise _UnknownError
        return found

    match expr:
        case FloorDiv(numerator=above, denominator=below):
            return div(at(above), at(below))
        case Mod() | Gcd():
            raise _UnknownError
        case _:
            return rebuilt(expr, at)


class _OpenTrip(Struct, frozen=True):
    """A trip count that nobody knows the mean of: `mean` stands for it, and for what it is made of. The product `taken`
    in it is `made`: of `m*ptr[i + 1] - m*ptr[i]` iterations, `m*ptr[i + 1]` is trip@LINE + `m*ptr[i]`."""

    trip: Expr
    mean: Expr
    taken: Monomial
    made: Expr

    def closed(self, expr: Expr) -> Expr:
        """With the mean trip count where the trip count stands, and in what it is made of."""
        if expr in (self.trip, _positive(self.trip)):
            return self.mean
        match expr:
            case Sym() | Add() | Mul():
                return add(*(self._term(monomial, factor) for monomial, factor in terms(expr).items()))
            case Piecewise(cases=((condition, value),)) if self.closed(condition) == self.mean:
                return self.closed(value)  # a trip count is >= 0
            case _:
                return rebuilt(expr, self.closed)

    def _term(self, monomial: Monomial, factor: Number) -> Expr:
        left = Counter(monomial)
        if Counter(self.taken) <= left:
            return self.made * self._term(ordered((left - Counter(self.taken)).elements()), factor)
        return mul(num(factor), *(atom if isinstance(atom, Sym) else self.closed(atom) for atom in monomial))


def _open_trip(loop: LoopFacts, trip: Expr) -> _OpenTrip | None:
    """The trip count by one of the products in it that the loops around change, and that nothing else in it changes
    with."""
    mean, found = sym(mean_trip(loop.place.line)), terms(_positive(trip))
    for monomial, factor in sorted(found.items(), key=lambda term: to_text(mul(*term[0]))):
        changing = [atom for atom in monomial if not _is_settled(atom, loop)]
        rest = build({m: c for m, c in found.items() if m != monomial})
        alone = len(changing) == 1 and isinstance(changing[0], Sym) and changing[0].name not in free_symbols(rest)
        if alone and factor in (1, -1):
            return _OpenTrip(trip, mean, monomial, (mean - rest) * factor)
    return None


def _positive(trip: Expr) -> Expr:
    """What the trip count is where the loop runs at all: `n` of max(0, n)."""
    match trip:
        case Max(arguments=(Num(value=0), most)):
            return most
        case Piecewise(cases=((condition, value),), otherwise=Num(value=0)) if condition == value:
            return value
        case _:
            return trip


def _count(count: Count | None, mean: Averaging) -> Count | None:
    if count is None or count.expr is None:
        return count
    low, high = (None if end is None else mean(end) for end in (count.low, count.high))
    return replace(count, expr=mean(count.expr), low=low, high=high)


def _middle(count: Count, mean: Averaging) -> Count:
    """Of the bytes of an array models take the likely ones only."""
    return count if count.expr is None else replace(count, expr=mean(count.expr), low=None, high=None)


def _array(array: ArrayFacts, mean: Averaging) -> ArrayFacts:
    return replace(
        array,
        **{name: _middle(getattr(array, name), mean) for name in _FOOTPRINTS},
        accesses=None if array.accesses is None else mean(array.accesses),
        walking=None if array.walking is None else mean(array.walking),
        sectors=None if array.sectors is None else mean(array.sectors),
        stores_apart=None if array.stores_apart is None else mean(array.stores_apart),
        coalescing=_pace(array.coalescing, mean),
        walk=_pace(array.walk, mean),
    )


def _pace(text: str, mean: Averaging) -> str:
    """`strided(i)` with the mean stride; one that has none is irregular."""
    name, _, stride = text.partition("(")
    if not stride:
        return text
    try:
        found = mean(parse(stride.removesuffix(")")))
    except ExprSyntaxError:
        return text
    return "irregular" if found is None else f"{name}({to_text(found)})"


# --- classes


def _class(algorithm: AlgorithmClass | None, changing: frozenset[str], mean: Averaging) -> AlgorithmClass | None:
    """The class with the mean lengths of its structures; none where one is not known."""
    if algorithm is None or algorithm.symbols.isdisjoint(changing):
        return algorithm
    lengths = set(algorithm.lengths)
    found = {n: m for n in lengths if (m := mean(n)) is not None}
    try:
        return None if len(found) < len(lengths) else check(_resized(algorithm, found))
    except ClassError:
        return None


def _resized(algorithm: AlgorithmClass, lengths: dict[Expr, Expr]) -> AlgorithmClass:
    def sized(operand: Operand) -> Operand:
        dims, extent = (tuple(_whole(lengths[n]) for n in side) for side in (operand.dims, operand.extent))
        return Operand(dims, operand.pattern, extent)

    inputs, outputs = (tuple(map(sized, side)) for side in (algorithm.inputs, algorithm.outputs))
    return AlgorithmClass(inputs, outputs, algorithm.unordered)


def _whole(length: Expr) -> Expr:
    return num(max(1, round(float(length.value)))) if isinstance(length, Num) else length
