"""The functions of all files of a run as one program: whom a call means, which functions call themselves, where it
starts."""

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from ..facts import Verdict
from .outline import Outline, calls

if TYPE_CHECKING:
    import networkx

DEFAULT_ENTRY = "main"


class Program(Struct, frozen=True, dict=True):
    """Outlines by (path, name), and by name those that other files can call."""

    by_key: dict[tuple[str, str], Outline]
    by_name: dict[str, list[Outline]]

    def find(self, name: str, path: str) -> Outline | None:
        """The function that a call in `path` means: the file's own, else the only one of that name."""
        own = self.by_key.get((path, name))
        if own is not None:
            return own
        others = self.by_name.get(name, [])
        return others[0] if len(others) == 1 else None

    @cached_property
    def graph(self) -> "networkx.DiGraph[tuple[str, str]]":
        """Who calls whom, for all calls whose function is known."""
        import networkx

        found: networkx.DiGraph[tuple[str, str]] = networkx.DiGraph()
        found.add_nodes_from(self.by_key)
        for key, outline in self.by_key.items():
            for name in calls(outline.body):
                callee = self.find(name, outline.path)
                if callee is not None:
                    found.add_edge(key, (callee.path, callee.name))
        return found

    @cached_property
    def recursive(self) -> frozenset[tuple[str, str]]:
        """Functions that lead to themselves."""
        import networkx

        cycles = networkx.strongly_connected_components(self.graph)
        return frozenset(k for c in cycles for k in c if len(c) > 1 or self.graph.has_edge(k, k))

    @cached_property
    def parallel(self) -> frozenset[str]:
        """Ids of loops that could run elsewhere."""
        facts = (outline.facts for outline in self.by_key.values())
        loops = (loop for f in facts if f is not None for loop in f.loops)
        return frozenset(loop.id for loop in loops if loop.parallelism.verdict is Verdict.YES)

    @cached_property
    def looping(self) -> frozenset[tuple[str, str]]:
        """Functions with loops, and those through which they are called."""
        found = {key for key, outline in self.by_key.items() if outline.facts is not None}
        waiting = list(found)
        while waiting:
            for caller in self.graph.predecessors(waiting.pop()):
                if caller not in found:
                    found.add(caller)
                    waiting.append(caller)
        return frozenset(found)


class EntryError(Exception):
    """The program's start cannot be told; the message says why."""


def link(outlines: Iterable[Outline]) -> Program:
    """Static functions are known in their own file only. A header's function that several files include is one."""
    by_key = {(o.path, o.name): o for o in outlines}
    by_name: dict[str, list[Outline]] = {}
    for outline in by_key.values():
        if not outline.is_static:
            by_name.setdefault(outline.name, []).append(outline)
    return Program(by_key, by_name)


def entries(program: Program, entry: str | None) -> tuple[Outline, ...]:
    """Where the program starts: `entry`, else main, else every function that no other calls. EntryError where that
    names no function, or several."""
    wanted = entry or DEFAULT_ENTRY
    found = [o for o in program.by_key.values() if o.name == wanted]
    if len(found) > 1:
        places = ", ".join(o.path for o in found[:3])
        raise EntryError(f"{wanted}() is defined in {places}: give the files of one program")
    if found:
        return (found[0],)
    if entry is not None:
        raise EntryError(f"--entry {entry}: no such function was read")
    roots = [program.by_key[key] for key, callers in program.graph.in_degree() if callers == 0]
    return tuple(sorted(roots, key=lambda o: (o.path, o.line)))
