"""What placements cost, by doing what the words say: every path of branches, every iteration, every copy.

All placements at once, one numpy element each. Shares nothing with the solver or its machine but the values.
"""

from collections.abc import Iterator, Sequence
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
    return spent + sum((c.seconds for c in copies.values()), np.zeros(n))


class Copies:
    """Of one array: per place and placement whether it is all valid there, which tasks' parts are, and their bytes."""

    def __init__(self, size: float, at_start: str, places: Sequence[Place], n: int) -> None:
        self.size, self.places = size, places
        self.valid = [np.full(n, k == 0 or at_start == "nowhere") for k in range(len(places))]
        self.parts: list[dict[str, NDArray[np.bool_]]] = [{} for _ in places]
        self.present = [np.zeros(n) for _ in places]
        self.seconds = np.zeros(n)

    def fetch(self, here: NDArray[np.bool_], k: int, task: str, needed: float) -> None:
        part = self.parts[k].setdefault(task, np.zeros_like(here))
        todo = here & ~self.valid[k] & ~part
        if not todo.any():
            return
        amount = np.minimum(needed, self.size - self.present[k])
        if k == 0:
            rate = np.max([np.where(self.valid[s], p.from_rate, 0) for s, p in self._accelerators()], axis=0)
        else:
            self.fetch(todo & ~self.valid[0], 0, task, needed)
            rate = np.full(len(here), self.places[k].to_rate)
        self.seconds[todo] += amount[todo] / rate[todo]
        self.present[k][todo] += amount[todo]
        part |= todo
        self.valid[k] |= todo & (self.present[k] >= self.size)

    def write(self, here: NDArray[np.bool_], k: int) -> None:
        for other in range(len(self.places)):
            self.valid[other] = np.where(here, other == k, self.valid[other])
            self.present[other][here] = 0
            for part in self.parts[other].values():
                part[here] = False

    def _accelerators(self) -> Iterator[tuple[int, Place]]:
        return ((k, place) for k, place in enumerate(self.places) if k > 0)
