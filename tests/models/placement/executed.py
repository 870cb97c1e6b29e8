"""What placements cost, by doing what the words say: every path of branches, every iteration, every copy.

All placements at once, one numpy element each. Shares nothing with the solver or its machine but the values.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from models.placement import Branch, Node, Place, Program, Repeat, Task

Path = tuple[Task, ...]


def paths(nodes: Sequence[Node]) -> list[tuple[float, Path]]:
    """Every way through the program with its probability."""
    found: list[tuple[float, Path]] = [(1.0, ())]
    for node in nodes:
        match node:
            case Task():
                choices: list[tuple[float, Path]] = [(1.0, (node,))]
            case Branch():
                choices = [(node.weight * p, path) for p, path in paths(node.then)]
                choices += [((1 - node.weight) * p, path) for p, path in paths(node.otherwise)]
            case Repeat():
                whole = int(node.times)
                choices = _power(paths(node.body), whole)
                if node.times > whole:
                    once_more = [(p * q, a + b) for p, a in choices for q, b in paths(node.body)]
                    share = node.times - whole
                    choices = [(p * (1 - share), a) for p, a in choices] + [(p * share, a) for p, a in once_more]
        found = [(p * q, a + b) for p, a in found for q, b in choices if p * q > 0]
    return found


def _power(choices: list[tuple[float, Path]], n: int) -> list[tuple[float, Path]]:
    found: list[tuple[float, Path]] = [(1.0, ())]
    for _ in range(n):
        found = [(p * q, a + b) for p, a in found for q, b in choices]
    return found


def all_placements(program: Program, places: Sequence[Place], tasks: Sequence[Task]) -> NDArray[np.int8]:
    """One row per task, one column per placement that its tasks can take."""
    able = [[k for k in range(len(places)) if task.times_s[k] is not None] for task in tasks]
    return np.array(list(product(*able)), dtype=np.int8).T.reshape(len(tasks), -1)


def costs(
    program: Program, places: Sequence[Place], tasks: Sequence[Task], placed: NDArray[np.int8]
) -> NDArray[np.float64]:
    """Expected seconds of every placement (column) of `placed`."""
    row = {task.name: placed[i] for i, task in enumerate(tasks)}
    total = np.zeros(placed.shape[1])
    for probability, path in paths(program.body):
        total += probability * _run(program, places, path, row, placed.shape[1])
    return total


def _run(
    program: Program, places: Sequence[Place], path: Path, row: dict[str, NDArray[np.int8]], n: int
) -> NDArray[np.float64]:
    copies = {array.name: Copies(array.bytes, array.at_start, places, n) for array in program.arrays}
    spent = np.zeros(n)
    for task in path:
        where = row[task.name]
        for k in range(len(places)):
            here = where == k
            spent[here] += task.times_s[k] or 0.0
            for use in task.uses:
                array = copies[use.array]
                needed = array.size if use.writes == "part" else use.reads
                if needed > 0:
                    array.fetch(here, k, task.name, needed)
                if use.writes != "no":
                    array.write(here, k)
    for array in program.arrays:
        if array.at_end:
            copies[array.name].fetch(np.ones(n, dtype=bool), 0, "the end", array.bytes)
        copies[array.name].settle(np.ones(n, dtype=bool))
    return spent + sum((c.seconds for c in copies.values()), np.zeros(n))


class Copies:
    """Of one array: per placement where it was written last, and per place which tasks needed how much of it since."""

    def __init__(self, size: float, at_start: str, places: Sequence[Place], n: int) -> None:
        self.size, self.places = size, places
        self.anywhere = np.full(n, at_start == "nowhere")
        self.home = np.zeros(n, dtype=int)
        self.parts: list[dict[str, tuple[float, NDArray[np.bool_]]]] = [{} for _ in places]
        self.seconds = np.zeros(n)

    def fetch(self, here: NDArray[np.bool_], k: int, task: str, needed: float) -> None:
        todo = here & ~self.anywhere & (self.home != k)
        self._need(todo, k, task, needed)
        if k != 0:
            self._need(todo & (self.home != 0), 0, task, needed)

    def _need(self, todo: NDArray[np.bool_], k: int, task: str, needed: float) -> None:
        part = self.parts[k].setdefault(task, (needed, np.zeros_like(todo)))[1]
        part |= todo

    def write(self, here: NDArray[np.bool_], k: int) -> None:
        self.settle(here)
        self.home[here] = k
        self.anywhere[here] = False

    def settle(self, here: NDArray[np.bool_]) -> None:
        """Pays for what was needed since the last write: all of the array, or each part."""
        for k in range(len(self.places)):
            parts = np.zeros(len(here))
            rate, latency = self._link(k)
            for needed, who in self.parts[k].values():
                parts += np.where(who, latency + min(needed, self.size) / rate, 0.0)
            self.seconds += np.where(here & (parts > 0), np.minimum(parts, latency + self.size / rate), 0.0)
            for _, who in self.parts[k].values():
                who[here] = False

    def _link(self, k: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Rate and latency of a copy to place k, from where each placement has the array (by way of the host)."""
        if k != 0:
            return np.full(len(self.home), self.places[k].to_rate), np.full(len(self.home), self.places[k].latency_s)
        rates, latencies = (np.array([getattr(p, name) for p in self.places]) for name in ("from_rate", "latency_s"))
        return rates[self.home], latencies[self.home]
