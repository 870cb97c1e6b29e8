"""What to port first: loops that move, in groups that belong together, by the time they save over the program.

Two loops that move belong together when they share an array that neither should copy: moving one without the other
would bring the copies back. A group says what its port touches: functions, arrays, globals, deep copies, lines.
"""

from collections.abc import Iterator

from msgspec import Struct

from .answer import Answer, Placed


class Group(Struct, frozen=True):
    """Loops to port together, the one that saves most first. `saved_s`: what they save over the program, their copies
    taken off. `lines`: of C in the loops, `deep_copies`: arrays behind several pointers, to be gathered first."""

    loops: tuple[str, ...]
    device: str
    saved_s: float
    functions: tuple[str, ...]
    arrays: tuple[str, ...]
    globals_: tuple[str, ...]
    deep_copies: tuple[str, ...]
    lines: int


def groups(answer: Answer) -> tuple[Group, ...]:
    """All groups, the one that saves most first."""
    moved = [p for p in answer.loops if p.candidate == "target"]
    if not moved:
        return ()
    return tuple(sorted((_group(g, answer) for g in _together(moved)), key=lambda g: (-g.saved_s, g.loops)))


def _together(moved: list[Placed]) -> Iterator[list[Placed]]:
    """Connected by arrays, on one device. (One loop that is called in several places is one port.)"""
    if len(moved) < 2:
        yield from ([p] for p in moved)
        return
    import networkx  # which takes as long as a small file

    graph: networkx.Graph[object] = networkx.Graph()
    for k, p in enumerate(moved):
        graph.add_node(k)
        graph.add_edge(k, ("loop", p.loop))
        graph.add_edges_from((k, ("array", p.device, array)) for array in p.arrays)
    for nodes in networkx.connected_components(graph):
        members = sorted(n for n in nodes if isinstance(n, int))
        yield [moved[k] for k in members]


def _group(members: list[Placed], answer: Answer) -> Group:
    arrays = tuple(dict.fromkeys(a for p in members for a in p.arrays))
    device = members[0].device
    copies_s = sum(c.time_s for c in answer.copies if c.array in arrays and device in (c.source, c.target))
    ranked = {p.loop: p for p in members}
    return Group(
        loops=tuple(sorted(ranked, key=lambda loop: -sum(_saved(p) for p in members if p.loop == loop))),
        device=device,
        saved_s=sum(map(_saved, members)) - copies_s,
        functions=tuple(dict.fromkeys(p.function for p in members)),
        arrays=arrays,
        globals_=tuple(a for a in arrays if a in answer.globals_),
        deep_copies=tuple(dict.fromkeys(name for p in members for name in p.deep)),
        lines=sum(p.end_line - p.line + 1 for p in ranked.values()),
    )


def _saved(placed: Placed) -> float:
    return (placed.today_s or 0.0) - (placed.time_s or 0.0)
