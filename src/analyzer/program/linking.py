"""The functions of all files of a run as one program: whom a call means, which functions call themselves, where it
starts."""

from collections.abc import Iterable
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

from msgspec import Struct

from .outline import Outline, calls

DEFAULT_ENTRY = "main"
MOST_PLACES = 3


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
    def callees(self) -> dict[tuple[str, str], frozenset[tuple[str, str]]]:
        """Whom each function calls, as far as that is known."""
        return {
            key: frozenset(
                (callee.path, callee.name)
                for name in calls(outline.body)
                if (callee := self.find(name, outline.path)) is not None
            )
            for key, outline in self.by_key.items()
        }

    @cached_property
    def recursive(self) -> frozenset[tuple[str, str]]:
        """Functions that lead to themselves."""
        try:
            TopologicalSorter(self.callees).prepare()
        except CycleError:
            return self._in_cycles()
        return frozenset()

    def _in_cycles(self) -> frozenset[tuple[str, str]]:
        import networkx  # slow to import, and most programs have no recursion

        graph = networkx.DiGraph([(a, b) for a, several in self.callees.items() for b in several])
        components = networkx.strongly_connected_components(graph)
        return frozenset(k for c in components for k in c if len(c) > 1 or graph.has_edge(k, k))

    @cached_property
    def parallel(self) -> frozenset[str]:
        """Ids of loops that could run elsewhere."""
        facts = (outline.facts for outline in self.by_key.values())
        loops = (loop for f in facts if f is not None for loop in f.loops)
        return frozenset(loop.id for loop in loops if loop.parallelism.is_known_parallel)

    @cached_property
    def looping(self) -> frozenset[tuple[str, str]]:
        """Functions with loops, and those through which they are called."""
        found = {key for key, outline in self.by_key.items() if outline.facts is not None}
        callers: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for caller, several in self.callees.items():
            for callee in several:
                callers.setdefault(callee, []).append(caller)
        waiting = list(found)
        while waiting:
            for caller in callers.get(waiting.pop(), ()):
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
        places = ", ".join(o.path for o in found[:MOST_PLACES])
        places += f" and {more} more" if (more := len(found) - MOST_PLACES) > 0 else ""
        raise EntryError(f"{wanted}() is defined in {places}: give the files of one program")
    if found:
        return (found[0],)
    if entry is not None:
        raise EntryError(f"--entry {entry}: no such function was read")
    called = {callee for several in program.callees.values() for callee in several}
    roots = [outline for key, outline in program.by_key.items() if key not in called]
    return tuple(sorted(roots, key=lambda o: (o.path, o.line)))
