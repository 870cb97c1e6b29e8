"""What is to be placed: tasks with their times and the arrays they touch, loops and branches around them, and places.

    Program ::= Array* Node*
    Node    ::= Task | Repeat times Node* | Branch weight Node* Node*

Place 0 is the host; every array starts and ends there. All times are in seconds, all sizes in bytes.
"""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from ..errors import InputError

HOST = 0


class Array(Struct, frozen=True):
    """`at_start` "nowhere": it holds nothing yet, so no contents have to be copied before the first write. `at_end`:
    somebody reads it on the host after the program, or may."""

    name: str
    bytes: float
    at_start: Literal["host", "nowhere"] = "host"
    at_end: bool = True


class Use(Struct, frozen=True):
    """How a task touches one array. `reads`: bytes of old contents that must be valid where it runs. A write of a
    part leaves the rest as it was, so it needs all of the old contents; a write of the whole needs none but `reads`."""

    array: str
    reads: float = 0.0
    writes: Literal["no", "part", "whole"] = "no"


class Task(Struct, frozen=True):
    """`times_s`: of one execution by place, transfers apart; None: it cannot run there (the host always can).
    `today_s`: on the host as the code does it now, where that is not `times_s[0]`. `alone_s`: by place with transfers
    of its own in and out, which is what the task alone is judged by; empty: worked out from its uses."""

    name: str
    times_s: tuple[float | None, ...]
    uses: tuple[Use, ...] = ()
    today_s: float | None = None
    alone_s: tuple[float | None, ...] = ()

    @property
    def host_s(self) -> float:
        found = self.times_s[HOST]
        assert found is not None
        return found


class Repeat(Struct, frozen=True):
    """The body `times` times; a fraction is the chance of one more."""

    times: float
    body: "tuple[Node, ...]"


class Branch(Struct, frozen=True):
    """`then` in the share `weight` of the times it is reached, each time anew; else `otherwise`."""

    weight: float
    then: "tuple[Node, ...]"
    otherwise: "tuple[Node, ...]" = ()


Node: TypeAlias = Task | Repeat | Branch


class Place(Struct, frozen=True):
    """`to_rate`, `from_rate`: bytes per second between the host and this place, `latency_s`: to start one copy (the
    host's own do not count). `capacity_bytes`: of its memory, None: no limit."""

    name: str
    to_rate: float = 1.0
    from_rate: float = 1.0
    latency_s: float = 0.0
    capacity_bytes: float | None = None


class Program(Struct, frozen=True):
    arrays: tuple[Array, ...]
    body: tuple[Node, ...]


def barrier(name: str, arrays: tuple[Array, ...], places: int, reads: bool = True, writes: bool = True) -> Task:
    """Something of which only the arrays it may touch are known: it runs on the host, takes no counted time, needs
    them all valid there and may change any part of them.

    Example: `barrier("call of log()", (Array("a", 8e6),), 2).times_s` is `(0.0, None)`."""
    kind: Literal["no", "part"] = "part" if writes else "no"
    uses = tuple(Use(a.name, a.bytes if reads else 0.0, kind) for a in arrays)
    return Task(name, (0.0, *(None,) * (places - 1)), uses)


def tasks(nodes: tuple[Node, ...]) -> Iterator[Task]:
    """All tasks in order."""
    return (task for task, _ in executions(nodes))


def executions(nodes: tuple[Node, ...], times: float = 1.0) -> Iterator[tuple[Task, float]]:
    """Every task in order, with how often it runs (an expectation, where branches are around it).

    Example: `list(executions((Repeat(3, (Branch(0.5, (task,)),)),)))` is `[(task, 1.5)]`."""
    for node in nodes:
        match node:
            case Task():
                yield node, times
            case Repeat(times=again, body=body):
                yield from executions(body, times * again)
            case Branch(weight=weight, then=then, otherwise=otherwise):
                yield from executions(then, times * weight)
                yield from executions(otherwise, times * (1 - weight))


def check(program: Program, places: tuple[Place, ...]) -> None:
    """InputError for what makes no sense, with the name of the offender."""
    sizes = {a.name: a.bytes for a in program.arrays}
    _require(len(sizes) == len(program.arrays), "two arrays have the same name")
    _require(bool(places), "there is no place: give at least the host")
    for array in program.arrays:
        _require(array.bytes >= 0, f"array {array.name}: {array.bytes} bytes")
    for place in places[1:]:
        _require(place.to_rate > 0 and place.from_rate > 0, f"place {place.name}: its link needs a rate above 0")
        _require(place.latency_s >= 0, f"place {place.name}: a latency of {place.latency_s} s")
    _check_shape(program.body)
    seen: set[str] = set()
    for task in tasks(program.body):
        _require(task.name not in seen, f"two tasks are called {task.name}")
        seen.add(task.name)
        times = [t for t in task.times_s if t is not None]
        _require(
            len(task.times_s) == len(places) and task.times_s[HOST] is not None and all(t >= 0 for t in times),
            f"task {task.name}: expected {len(places)} times, the host's known and none below 0, got {task.times_s}",
        )
        used = [use.array for use in task.uses]
        _require(len(set(used)) == len(used), f"task {task.name}: one array is listed twice")
        for use in task.uses:
            known = sizes.get(use.array)
            _require(known is not None, f"task {task.name}: no array is called {use.array}")
            fits = known is not None and 0 <= use.reads <= known
            _require(fits, f"task {task.name}: reads {use.reads} of {known} bytes of {use.array}")


def _check_shape(nodes: tuple[Node, ...]) -> None:
    for node in nodes:
        match node:
            case Repeat(times=times, body=body):
                _require(times >= 0, f"a loop runs {times} times")
                _check_shape(body)
            case Branch(weight=weight, then=then, otherwise=otherwise):
                _require(0 <= weight <= 1, f"a branch has weight {weight}: expected 0 to 1")
                _check_shape(then)
                _check_shape(otherwise)
            case Task():
                pass


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise InputError(message)
