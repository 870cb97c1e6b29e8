"""Random programs: several readers, partial writes, branches, time steps, arrays that hold nothing or die."""

import random

from models.placement import Array, Branch, Node, Program, Repeat, Task, Use

from .executed import paths

MOST_PATHS = 64
MOST_STEPS = 1500


def random_program(rng: random.Random, most_tasks: int = 14, places: int = 2) -> Program:
    """One whose paths can all be executed."""
    while True:
        arrays = tuple(
            Array(f"a{i}", rng.randint(1, 60), rng.choice(("host", "host", "nowhere")), rng.random() < 0.6)
            for i in range(rng.randint(1, 5))
        )
        maker = _Maker(rng, arrays, rng.randint(1, most_tasks), places)
        program = Program(arrays, maker.nodes(0))
        if _can_be_executed(program.body):
            return program


def _can_be_executed(body: tuple[Node, ...]) -> bool:
    if _count(body) > MOST_PATHS:
        return False
    return sum(len(path) for _, path in paths(body)) <= MOST_STEPS


def _count(nodes: tuple[Node, ...]) -> float:
    """Number of paths, before they are made."""
    total = 1.0
    for node in nodes:
        match node:
            case Repeat(times=times, body=body):
                total *= _count(body) ** min(int(times) + (times > int(times)), 20) * (2 if times > int(times) else 1)
            case Branch(then=then, otherwise=otherwise):
                total *= _count(then) + _count(otherwise)
            case Task():
                pass
    return total


class _Maker:
    def __init__(self, rng: random.Random, arrays: tuple[Array, ...], left: int, places: int) -> None:
        self.rng, self.arrays, self.left, self.places, self.made = rng, arrays, left, places, 0

    def nodes(self, depth: int) -> tuple[Node, ...]:
        found: list[Node] = []
        while self.left > 0:
            found.append(self.node(depth))
            if depth > 0 and self.rng.random() < 0.4:
                break
        return tuple(found)

    def node(self, depth: int) -> Node:
        kind = self.rng.random()
        if depth < 3 and kind < 0.15:
            times = self.rng.choice((0, 1, 2, 2, 3, 4, 7, 1.5))
            return Repeat(times, self.nodes(depth + 1))
        if depth < 3 and kind < 0.27:
            weight = self.rng.choice((0.0, 0.1, 0.25, 0.5, 0.5, 0.9, 1.0))
            otherwise = self.nodes(depth + 1) if self.rng.random() < 0.4 else ()
            return Branch(weight, self.nodes(depth + 1), otherwise)
        return self.task()

    def task(self) -> Task:
        self.left -= 1
        self.made += 1
        used = self.rng.sample(self.arrays, self.rng.randint(1, min(3, len(self.arrays))))
        device = [None if self.rng.random() < 0.12 else self.rng.randint(0, 60) for _ in range(self.places - 1)]
        return Task(f"t{self.made}", (self.rng.randint(0, 80), *device), tuple(map(self.use, used)))

    def use(self, array: Array) -> Use:
        writes = self.rng.choice(("no", "no", "part", "whole"))
        whole = self.rng.random() < 0.7
        reads = array.bytes if whole else self.rng.randint(0, int(array.bytes))
        if writes == "whole" and self.rng.random() < 0.7:
            reads = 0
        return Use(array.name, reads, writes)
