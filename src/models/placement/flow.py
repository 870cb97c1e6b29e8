"""Minimum cuts: the cheapest edges to take away so that nothing flows from a source to a sink.

Dinic's algorithm: a breadth-first search gives every node its distance from the source, then flow is sent along edges
that go one further, until no such way is left; after at most as many rounds as there are nodes no way is left at all.
(Dinic, Soviet Mathematics Doklady 11, 1970; max-flow min-cut: Ford and Fulkerson, 1956.)
Here and not from networkx: importing that takes longer than analysing a program.
"""

from collections import deque
from collections.abc import Hashable, Mapping
from itertools import pairwise


def sink_side(capacities: Mapping[tuple[Hashable, Hashable], int], source: Hashable, sink: Hashable) -> set[Hashable]:
    """The nodes on the sink's side of a minimum cut, as few as possible. Capacities are whole numbers above 0.

    Example: `sink_side({("s", "a"): 1, ("a", "t"): 2}, "s", "t")` is {"a", "t"}."""
    residual: dict[Hashable, dict[Hashable, int]] = {source: {}, sink: {}}
    for (first, second), capacity in capacities.items():
        residual.setdefault(first, {})[second] = residual.get(first, {}).get(second, 0) + capacity
        residual.setdefault(second, {}).setdefault(first, 0)
    while (levels := _levels(residual, source, sink)) is not None:
        _send(residual, levels, source, sink)
    return _leading_to(residual, sink)


def _levels(
    residual: dict[Hashable, dict[Hashable, int]], source: Hashable, sink: Hashable
) -> dict[Hashable, int] | None:
    """Distances from the source; None where the sink cannot be reached."""
    levels = {source: 0}
    waiting = deque([source])
    while waiting:
        node = waiting.popleft()
        for neighbour, capacity in residual[node].items():
            if capacity > 0 and neighbour not in levels:
                levels[neighbour] = levels[node] + 1
                waiting.append(neighbour)
    return levels if sink in levels else None


def _send(
    residual: dict[Hashable, dict[Hashable, int]], levels: dict[Hashable, int], source: Hashable, sink: Hashable
) -> None:
    """Sends flow along ways that go one level further with each edge, until there is none. An edge that is full or led
    nowhere is not tried again: `untried` of its node has moved on."""
    untried = {node: deque(n for n in residual[node] if levels.get(n) == levels[node] + 1) for node in levels}
    way = [source]
    while way:
        node = way[-1]
        if node == sink:
            edges = list(pairwise(way))
            room = min(residual[a][b] for a, b in edges)
            for a, b in edges:
                residual[a][b] -= room
                residual[b][a] += room
            full = next(at for at, (a, b) in enumerate(edges) if residual[a][b] == 0)
            del way[full + 1 :]
        elif untried[node] and residual[node][untried[node][0]] > 0:
            way.append(untried[node][0])
        elif untried[node]:
            untried[node].popleft()
        else:
            way.pop()
            if way:
                untried[way[-1]].popleft()


def _leading_to(residual: dict[Hashable, dict[Hashable, int]], sink: Hashable) -> set[Hashable]:
    """Nodes from which the sink can still be reached."""
    found = {sink}
    waiting = [sink]
    while waiting:
        node = waiting.pop()
        for neighbour in residual[node]:
            if neighbour not in found and residual[neighbour].get(node, 0) > 0:
                found.add(neighbour)
                waiting.append(neighbour)
    return found
