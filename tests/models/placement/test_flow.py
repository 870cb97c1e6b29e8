"""Minimum cuts against networkx's on random graphs, and on shapes that are easy to get wrong."""

import random

import networkx
import pytest

from models.placement.flow import sink_side


def cost(edges: dict[tuple[object, object], int], side: set[object]) -> int:
    return sum(capacity for (a, b), capacity in edges.items() if a not in side and b in side)


@pytest.mark.parametrize("seed", range(300))
def test_the_cut_is_that_of_networkx(seed: int) -> None:
    rng = random.Random(seed)
    nodes = ["s", "t", *range(rng.randint(0, 12))]
    edges: dict[tuple[object, object], int] = {}
    for _ in range(rng.randint(0, 40)):
        a, b = rng.choice(nodes), rng.choice(nodes)
        if a != b:
            edges[a, b] = rng.choice((1, 2, 3, 5, 2**40, 2**52))
    graph = networkx.DiGraph()
    graph.add_nodes_from(("s", "t"))
    for (a, b), capacity in edges.items():
        graph.add_edge(a, b, capacity=capacity)
    value, (_, expected) = networkx.minimum_cut(graph, "s", "t")
    found = sink_side(edges, "s", "t")
    assert cost(edges, found) == value
    assert found == expected  # the smallest of all cheapest sides


def test_a_chain_needs_no_deep_stack() -> None:
    edges = {(i, i + 1): 5 for i in range(20_000)}
    edges[7, 8] = 1
    assert len(sink_side(edges, 0, 20_000)) == 20_000 - 7


def test_without_edges_nothing_flows() -> None:
    assert sink_side({}, "s", "t") == {"t"}
