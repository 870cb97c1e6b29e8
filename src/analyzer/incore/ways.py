"""Ways of dependences: from a value that an iteration finds to one that it leaves, and the longest cycle of them.

A *source* is what an iteration begins with: a scalar, or what an earlier one stored. A *way* lists the operations
between a source and a value. A cycle goes over one or more values; per iteration it costs its operations divided by
the iterations that it spans (the recurrence-constrained initiation interval of modulo scheduling: Rau 1994).
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct

USUAL_CYCLES = {
    "add": 4.0, "multiply": 4.0, "fused": 4.0, "divide": 13.0, "root": 18.0, "compare": 2.0, "integer": 1.0,
    "integer-multiply": 3.0, "integer-divide": 12.0, "convert": 4.0, "call": 60.0, "load": 5.0, "forward": 5.0,
}  # fmt: skip
"""To choose the longest of several ways; what it takes on a machine is the model's. Of x86 processors since 2015 (Fog,
instruction tables)."""
MOST_VALUES = 12
"""Cycles over more values than this are not looked for: only those of one value."""


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

    Example: x to y by an addition, y to x (of one iteration before) by a product: one addition and one product."""
    by_source: dict[Value, list[Edge]] = {}
    for edge in edges:
        by_source.setdefault(edge.source, []).append(edge)
    best: tuple[float, tuple[tuple[str, float], ...]] = (0.0, ())
    depth = len(by_source) if len(by_source) <= MOST_VALUES else 1
    for start in by_source:
        for cycle in _cycles(by_source, start, start, (), depth):
            span = sum(edge.distance for edge in cycle)
            length = sum(edge.way.length for edge in cycle) / span if span else 0.0
            if length > best[0]:
                best = length, _per_iteration(cycle, span)
    return best[1]


def _cycles(
    edges: Mapping[Value, list[Edge]], start: Value, at: Value, so_far: tuple[Edge, ...], depth: int
) -> Iterable[tuple[Edge, ...]]:
    """Those through `start` whose other values are larger: each cycle once."""
    for edge in edges.get(at, ()):
        if edge.target == start:
            yield (*so_far, edge)
        elif edge.target > start and len(so_far) + 1 < depth and all(e.target != edge.target for e in so_far):
            yield from _cycles(edges, start, edge.target, (*so_far, edge), depth)


def _per_iteration(cycle: Iterable[Edge], span: int) -> tuple[tuple[str, float], ...]:
    total: dict[str, float] = {}
    for edge in cycle:
        for kind, number in edge.way.steps.items():
            total[kind] = total.get(kind, 0.0) + number / span
    return tuple(sorted(total.items()))
