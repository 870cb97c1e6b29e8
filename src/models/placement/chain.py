"""Expected counts along a program: how often what happens, when branches are taken with weights and loops repeat.

The program carries a state through its visits; each visit gives the next state and the events it makes. Branches
make the state random, so a flow is a distribution of states with the expected number of every event. A loop is a Markov
chain: with one successor per state the states repeat and whole periods are multiplied; else, with P the transition
matrix and n iterations, the visits of the states are v (I + P + ... + P^(n-1)) and the last ones v P^n.
"""

from collections.abc import Callable, Hashable, Mapping
from typing import Generic, TypeAlias, TypeVar

from msgspec import Struct

from .program import Branch, Node, Repeat, Use
from .program import Task as _Task


class Visit(Struct, frozen=True):
    """One task, by its number in the program, as it touches one array."""

    task: int
    use: Use


class Again(Struct, frozen=True):
    times: float
    body: "tuple[Part, ...]"


class Fork(Struct, frozen=True):
    weight: float
    then: "tuple[Part, ...]"
    otherwise: "tuple[Part, ...]"


Part: TypeAlias = Visit | Again | Fork
S = TypeVar("S", bound=Hashable)
E = TypeVar("E", bound=Hashable)

LITERAL_ITERATIONS = 16
"""Random loops up to this length are walked step by step, which is cheaper than matrices."""


class TooManyStatesError(Exception):
    """More states than can be told apart: branches that each leave their own trace."""


class Flow(Generic[S, E]):
    """Probabilities of the states after a piece of program, and expected counts of the events in it."""

    __slots__ = ("events", "states")

    def __init__(self, states: dict[S, float], events: dict[E, float] | None = None) -> None:
        self.states = states
        self.events: dict[E, float] = {} if events is None else events

    def add(self, events: Mapping[E, float], times: float) -> None:
        for event, n in events.items():
            self.events[event] = self.events.get(event, 0.0) + n * times


Step: TypeAlias = Callable[[Visit, S], tuple[S, tuple[E, ...]]]


def by_array(nodes: tuple[Node, ...]) -> dict[str, tuple[Part, ...]]:
    """What the program does to each array, everything else left out; tasks are numbered in order."""
    found, _ = _by_array(nodes, 0)
    return {name: tuple(parts) for name, parts in found.items()}


def _by_array(nodes: tuple[Node, ...], number: int) -> tuple[dict[str, list[Part]], int]:
    found: dict[str, list[Part]] = {}
    for node in nodes:
        match node:
            case _Task(uses=uses):
                for use in uses:
                    if use.reads > 0 or use.writes != "no":
                        found.setdefault(use.array, []).append(Visit(number, use))
                number += 1
            case Repeat(times=times, body=body):
                inner, number = _by_array(body, number)
                for name, parts in inner.items():
                    found.setdefault(name, []).append(Again(times, tuple(parts)))
            case Branch(weight=weight, then=then, otherwise=otherwise):
                left, number = _by_array(then, number)
                right, number = _by_array(otherwise, number)
                for name in dict.fromkeys((*left, *right)):
                    fork = Fork(weight, tuple(left.get(name, ())), tuple(right.get(name, ())))
                    found.setdefault(name, []).append(fork)
    return found, number


class Walk(Generic[S, E]):
    """The flows of one array under one `step`. `limit`: states to tell apart before TooManyStatesError."""

    def __init__(self, step: Step[S, E], limit: int) -> None:
        self.step, self.limit = step, limit
        self.known: dict[tuple[int, S], Flow[S, E]] = {}

    def along(self, parts: tuple[Part, ...], states: dict[S, float]) -> Flow[S, E]:
        flow: Flow[S, E] = Flow(states)
        for part in parts:
            if isinstance(part, Visit) and len(flow.states) == 1:  # the common case, without the sums
                ((state, p),) = flow.states.items()
                after, made = self.step(part, state)
                for event in made:
                    flow.events[event] = flow.events.get(event, 0.0) + p
                flow.states = {after: p}
                continue
            after_all: dict[S, float] = {}
            for state, p in flow.states.items():
                found = self._once(part, state)
                for after, q in found.states.items():
                    after_all[after] = after_all.get(after, 0.0) + p * q
                flow.add(found.events, p)
            if len(after_all) > self.limit:
                raise TooManyStatesError
            flow.states = after_all
        return flow

    def _once(self, part: Part, state: S) -> Flow[S, E]:
        key = (id(part), state)
        if key not in self.known:
            self.known[key] = self._find(part, state)
        return self.known[key]

    def _find(self, part: Part, state: S) -> Flow[S, E]:
        match part:
            case Visit():
                after, made = self.step(part, state)
                flow: Flow[S, E] = Flow({after: 1.0})
                for event in made:
                    flow.add({event: 1.0}, 1.0)
                return flow
            case Fork(weight=weight, then=then, otherwise=otherwise):
                arms = ((weight, then), (1 - weight, otherwise))
                return _mixed(tuple((p, self.along(arm, {state: 1.0})) for p, arm in arms if p > 0))
            case Again(times=times, body=body):
                return self._repeated(times, body, state)

    def _repeated(self, times: float, body: tuple[Part, ...], state: S) -> Flow[S, E]:
        whole, fraction = int(times), times - int(times)
        flow = self._whole(whole, body, state)
        if fraction == 0:
            return flow
        last: Flow[S, E] = Flow({}, dict(flow.events))
        for middle, p in flow.states.items():
            more = self.along(body, {middle: 1.0})
            last.add(more.events, p * fraction)
            last.states[middle] = last.states.get(middle, 0.0) + p * (1 - fraction)
            for after, q in more.states.items():
                last.states[after] = last.states.get(after, 0.0) + p * fraction * q
        return last

    def _whole(self, n: int, body: tuple[Part, ...], state: S) -> Flow[S, E]:
        """n iterations from one state."""
        flow: Flow[S, E] = Flow({state: 1.0})
        order: dict[S, int] = {}
        walked: list[Flow[S, E]] = []
        current = state
        for i in range(n):
            if current in order:
                start = order[current]
                rounds, rest = divmod(n - i, i - start)
                for k in range(start, i):
                    flow.add(walked[k].events, rounds + (k - start < rest))
                return Flow({list(order)[start + rest]: 1.0}, flow.events)
            found = self.along(body, {current: 1.0})
            if len(found.states) != 1:
                return self._random(n - i, body, current, flow)
            order[current] = i
            walked.append(found)
            flow.add(found.events, 1.0)
            (current,) = found.states
        return Flow({current: 1.0}, flow.events)

    def _random(self, n: int, body: tuple[Part, ...], state: S, flow: Flow[S, E]) -> Flow[S, E]:
        """n more iterations from `state`, where a state has several successors; adds to `flow`."""
        if n <= LITERAL_ITERATIONS:
            again = self.along(body * n, {state: 1.0})
            flow.add(again.events, 1.0)
            return Flow(again.states, flow.events)
        import numpy as np

        found: dict[S, Flow[S, E]] = {}
        queue = [state]
        while queue:
            reached = queue.pop()
            if reached not in found:
                found[reached] = self.along(body, {reached: 1.0})
                queue += found[reached].states
            if len(found) > self.limit:
                raise TooManyStatesError
        number = {s: k for k, s in enumerate(found)}
        k = len(number)
        step = np.zeros((2 * k, 2 * k))  # [[P, I], [0, I]]^n = [[P^n, I + P + ... + P^(n-1)], [0, I]]
        step[:k, k:] = step[k:, k:] = np.eye(k)
        for s, one in found.items():
            for after, p in one.states.items():
                step[number[s], number[after]] = p
        row = np.linalg.matrix_power(step, n)[number[state]]
        for s, one in found.items():
            flow.add(one.events, float(row[k + number[s]]))
        return Flow({s: float(row[i]) for s, i in number.items() if row[i] > 0}, flow.events)


def _mixed(parts: tuple[tuple[float, Flow[S, E]], ...]) -> Flow[S, E]:
    flow: Flow[S, E] = Flow({})
    for weight, part in parts:
        flow.add(part.events, weight)
        for state, p in part.states.items():
            flow.states[state] = flow.states.get(state, 0.0) + weight * p
    return flow
