"""Ways of dependences: from a value that an iteration finds to one that it leaves, and the longest cycle of them.

A *source* is what an iteration begins with: a scalar, or what an earlier one stored. A *way* lists the operations
between a source and a value. A cycle goes over one or more values; per iteration it costs its operations divided by
the iterations that it spans (the recurrence-constrained initiation interval of modulo scheduling: Rau 1994).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct

USUAL_CYCLES = {
    "add": 4.0, "multiply": 4.0, "fused": 4.0, "divide": 13.0, "root": 18.0, "compare": 2.0, "integer": 1.0,
    "integer-multiply": 3.0, "integer-divide": 12.0, "convert": 4.0, "call": 60.0, "load": 5.0, "forward": 5.0,
}  # fmt: skip
"""To choose the longest of several ways; what it takes on a machine is the model's. Of x86 processors since 2015 (Fog,
instruction tables)."""


class Way(Struct, frozen=True):
    """`length`: in usual cycles."""

    steps: Mapping[str, float] = {}
    length: float = 0.0

    def then(self, kind: str) -> "Way":
        """The way with one operation more."""
        steps = {**self.steps, kind: self.steps.get(kind, 0.0) + 1}
        return Way(steps, self.length + USUAL_CYCLES.get(kind.partition(" ")[0], 1.0))


Value = tuple[str, int]
"""What an iteration leaves: a scalar (`scalar`, its key), or what a store of the body stores (`store`, its number)."""
Source = tuple[Value, int]
"""A value of some iterations before."""
Ways = Mapping[Source, Way]
"""By source the longest way from there."""


class Edge(Struct, frozen=True):
    """The value of `target` needs that of `source` from `distance` iterations before."""

    source: Value
    target: Value
    way: Way
    distance: int


def longest(all_ways: Iterable[Ways]) -> Ways:
    """By source the longest of all."""
    found: dict[Source, Way] = {}
    for ways in all_ways:
        for source, way in ways.items():
            if source not in found or way.length > found[source].length:
                found[source] = way
    return found


def after(ways: Ways, kind: str) -> Ways:
    """All ways with one operation more."""
    return {source: way.then(kind) for source, way in ways.items()}


def longest_cycle(edges: Iterable[Edge]) -> tuple[tuple[str, float], ...]:
    """The operations per iteration of the cycle that takes longest; empty where there is none.

    A cycle is improved until none takes longer per iteration (Dantzig, Blattner and Rao 1966). Every edge spans at
    least one iteration, so every ratio is a number.

    Example: x to y by an addition, y to x (of one iteration before) by a product: one addition and one product."""
    edges = tuple(edges)
    best: tuple[Edge, ...] = ()
    while cycle := _longer_cycle(edges, sum(e.way.length for e in best), sum(e.distance for e in best) or 1):
        best = cycle
    return _per_iteration(best)


def _longer_cycle(edges: Sequence[Edge], length: float, span: int) -> tuple[Edge, ...]:
    """One that takes more per iteration than `length / span`; empty where there is none.

    That is a cycle of positive weight, which Bellman and Ford's rounds still lengthen when there have been as many as
    values. Weights are whole numbers of usual cycles: sums of them are exact."""
    weights = tuple(edge.way.length * span - length * edge.distance for edge in edges)
    reach = dict.fromkeys((value for edge in edges for value in (edge.source, edge.target)), 0.0)
    into: dict[Value, Edge] = {}
    lengthened: Value | None = None
    for _ in reach:
        lengthened = None
        for edge, weight in zip(edges, weights, strict=True):
            if reach[edge.source] + weight > reach[edge.target]:
                reach[edge.target] = reach[edge.source] + weight
                into[edge.target] = edge
                lengthened = edge.target
        if lengthened is None:
            return ()
    return () if lengthened is None else _cycle_behind(into, lengthened)


def _cycle_behind(into: Mapping[Value, Edge], value: Value) -> tuple[Edge, ...]:
    """The one from which the edges `into` values come to `value`."""
    for _ in into:
        value = into[value].source
    cycle = [into[value]]
    while cycle[-1].source != value:
        cycle.append(into[cycle[-1].source])
    return tuple(reversed(cycle))


def _per_iteration(cycle: Collection[Edge]) -> tuple[tuple[str, float], ...]:
    span = sum(edge.distance for edge in cycle)
    total: dict[str, float] = {}
    for edge in cycle:
        for kind, number in edge.way.steps.items():
            total[kind] = total.get(kind, 0.0) + number / span
    return tuple(sorted(total.items()))
