"""The cycle that takes longest per iteration, against all cycles of small random graphs."""

import random
from collections.abc import Iterator

import networkx
import pytest

from analyzer.incore.ways import USUAL_CYCLES, Edge, Way, longest_cycle

KINDS = ("add fp64", "multiply fp64", "load a", "integer", "root fp64")


def edges_of(seed: int) -> tuple[Edge, ...]:
    rng = random.Random(seed)
    values = range(rng.randint(1, 6))
    pairs = [(a, b) for a in values for b in values if rng.random() < 0.4]
    return tuple(Edge(("scalar", a), ("scalar", b), way_of(rng), rng.randint(1, 3)) for a, b in pairs)


def way_of(rng: random.Random) -> Way:
    way = Way()
    for kind in rng.choices(KINDS, k=rng.randint(0, 3)):
        way = way.then(kind)
    return way


def ratios(edges: tuple[Edge, ...]) -> Iterator[float]:
    """Usual cycles per iteration of every simple cycle."""
    graph = networkx.DiGraph()
    for edge in edges:
        graph.add_edge(edge.source, edge.target, edge=edge)
    for nodes in networkx.simple_cycles(graph):
        cycle = [graph[a][b]["edge"] for a, b in zip(nodes, nodes[1:] + nodes[:1], strict=True)]
        yield sum(e.way.length for e in cycle) / sum(e.distance for e in cycle)


@pytest.mark.parametrize("first", range(0, 600, 100))
def test_no_cycle_takes_longer(first: int) -> None:
    for seed in range(first, first + 100):
        edges = edges_of(seed)
        way = longest_cycle(edges)
        length = sum(number * USUAL_CYCLES[kind.partition(" ")[0]] for kind, number in way)
        assert length == pytest.approx(max(ratios(edges), default=0.0)), seed


def test_many_values_take_no_longer_than_their_edges() -> None:
    """All values need all others: simple cycles of these are more than anyone can list."""
    values = [("scalar", i) for i in range(40)]
    edges = [Edge(a, b, Way().then("add fp64"), 1 + (b is not a)) for a in values for b in values]
    assert longest_cycle(edges) == (("add fp64", 1.0),)
