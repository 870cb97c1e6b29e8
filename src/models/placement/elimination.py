"""The cheapest placement on any number of places, where arrays are shared by few tasks.

A placement costs what its tasks take and what copies of each array take, and the copies of an array depend on the
places of the tasks that use it alone:

    cost(p) = sum over tasks t of T_t(p_t)  +  sum over arrays a of C_a(p restricted to the users of a)

A sum of functions of few variables is minimised by eliminating one variable after the other: all functions that have
it are added up and replaced by their minimum over it (bucket elimination; Dechter, Artificial Intelligence 113, 1999).
That is exact, and its size is exponential in the most tasks that one such sum has, not in the number of tasks. Where
that, or the tables of the C_a, are too large, there is no answer. Limits of memory are left out: the answer is a bound.
"""

from collections.abc import Iterable
from math import prod
from typing import TYPE_CHECKING

from msgspec import Struct

from .machine import Machine

if TYPE_CHECKING:
    from numpy import ndarray

LARGEST_TABLE = 300_000
"""Entries of one function."""

MOST_TASKS = 500


class _Function(Struct, frozen=True):
    """`table` has one axis for each of `tasks`, which are sorted."""

    tasks: tuple[int, ...]
    table: "ndarray"


class _Eliminated(Struct, frozen=True):
    """Of a task: its best choice for each choice of `others`."""

    task: int
    others: tuple[int, ...]
    best: "ndarray"


def cheapest(machine: Machine, users: dict[str, tuple[int, ...]], visits: int) -> tuple[int, ...] | None:
    """The placement (place number per task) that costs least, memory being unlimited; None where copies would have to
    be followed through more than `visits` tasks, or a table would be too large. `users`: the tasks of each array.

    Example: two devices and three tasks in a chain are three tables of 3 x 3 entries."""
    domains = [[k for k, t in enumerate(task.times_s) if t is not None] for task, _ in machine.runs]
    if len(domains) > MOST_TASKS or sum(len(tasks) * _size(tasks, domains) for tasks in users.values()) > visits:
        return None
    scopes = {n: {n} for n in range(len(domains))}  # of the sum of all functions that have the task
    for tasks in users.values():
        for n in tasks:
            scopes[n].update(tasks)
    order = _order(scopes, domains)
    if order is None:
        return None
    return _chosen(_eliminated(order, [*_times(machine, domains), *_copies(machine, users, domains)], domains), domains)


def _order(scopes: dict[int, set[int]], domains: list[list[int]]) -> list[int] | None:
    """The next to go is the task whose sum is smallest then; None where that is too large."""
    order = []
    while scopes:
        task = min(scopes, key=lambda n: (_size(scopes[n], domains), n))
        scope = scopes.pop(task)
        if _size(scope, domains) > LARGEST_TABLE:
            return None
        for other in scope - {task}:
            scopes[other] = (scopes[other] | scope) - {task}
        order.append(task)
    return order


def _eliminated(order: list[int], functions: list[_Function], domains: list[list[int]]) -> list[_Eliminated]:
    having: dict[int, list[_Function]] = {}  # by the task among theirs that goes first
    place = {task: k for k, task in enumerate(order)}

    def put(function: _Function) -> None:
        if function.tasks:
            having.setdefault(min(function.tasks, key=lambda n: place[n]), []).append(function)

    for function in functions:
        put(function)
    steps = []
    for task in order:
        mine = having.pop(task)
        scope = tuple(sorted({n for f in mine for n in f.tasks}))
        total, axis = _sum(mine, scope, domains), scope.index(task)
        others = scope[:axis] + scope[axis + 1 :]
        steps.append(_Eliminated(task, others, total.argmin(axis=axis)))
        put(_Function(others, total.min(axis=axis)))
    return steps


def _times(machine: Machine, domains: list[list[int]]) -> list[_Function]:
    import numpy

    return [
        _Function((n,), numpy.array([times * (task.times_s[k] or 0.0) for k in domains[n]]))
        for n, (task, times) in enumerate(machine.runs)
    ]


def _copies(machine: Machine, users: dict[str, tuple[int, ...]], domains: list[list[int]]) -> list[_Function]:
    import numpy

    found = []
    for array, tasks in users.items():
        table = numpy.zeros([len(domains[n]) for n in tasks])
        placement = [domain[0] for domain in domains]
        for index in numpy.ndindex(table.shape):
            for n, choice in zip(tasks, index, strict=True):
                placement[n] = domains[n][choice]
            table[index] = machine.transfers_s(array, placement)
        found.append(_Function(tasks, table))
    return found


def _size(scope: Iterable[int], domains: list[list[int]]) -> int:
    return prod(len(domains[n]) for n in scope)


def _sum(functions: list[_Function], scope: tuple[int, ...], domains: list[list[int]]) -> "ndarray":
    """All functions as one of `scope`."""
    import numpy

    total = numpy.zeros([len(domains[n]) for n in scope])
    for f in functions:
        total += f.table.reshape([len(domains[n]) if n in f.tasks else 1 for n in scope])
    return total


def _chosen(order: list[_Eliminated], domains: list[list[int]]) -> tuple[int, ...]:
    """The last one eliminated knows its best choice; each before it knows it given those."""
    choice = [0] * len(domains)
    for step in reversed(order):
        choice[step.task] = int(step.best[tuple(choice[n] for n in step.others)])
    return tuple(domains[n][c] for n, c in enumerate(choice))
