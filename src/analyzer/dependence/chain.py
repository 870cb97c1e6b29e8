"""The parallel loops of a nest that are taken as one iteration space."""

from collections.abc import Mapping

from ..facts.loop import Parallelism
from ..ir.nodes import Access, Assign, Branch, Declared, Loop, Object, Statement, Variable, statements


def parallel_chain(loop: Loop, parallelism: Mapping[int, Parallelism]) -> tuple[Loop, ...]:
    """The parallel loops P of the nest rooted at `loop`, outer first: the loop itself if it is parallel,
    and then the only loop directly inside as long as it is parallel too and reduces nothing that the loops
    around do not. A loop that reduces into something of its own (the sum of one row), or that fills an array
    of which each iteration around it has its own, is part of the operator."""
    chain: list[Loop] = []
    allowed: frozenset[tuple[Variable | Object, bool]] | None = None
    current: Loop | None = loop
    while current is not None:
        answer = parallelism.get(current.key)
        if answer is None or not answer.is_parallel:
            break
        if chain and not set(answer.conditions) <= set(parallelism[chain[0].key].conditions):
            break  # what moves with the loop needs no more conditions than it
        reduced = frozenset((s.target, s.array) for s in answer.separated if s.role == "reduction")
        if allowed is not None and (reduced != allowed or _fills_copies(current, chain, parallelism)):
            break
        allowed = reduced
        chain.append(current)
        inner = list(direct_loops(current.body))
        current = inner[0] if len(inner) == 1 else None
    return tuple(chain)


def _fills_copies(loop: Loop, around: list[Loop], parallelism: Mapping[int, Parallelism]) -> bool:
    """Whether all that the loop stores to are arrays that every iteration of the loops around has of its own."""
    keys = {each.key for each in around}
    stored = [s.target.object for s in statements(loop.body) if isinstance(s, Assign) and isinstance(s.target, Access)]
    return bool(stored) and all(
        isinstance(x, Declared)
        and (not keys.isdisjoint(x.variable.loops) or any(parallelism[key].is_private(x) for key in keys))
        for x in stored
    )


def direct_loops(body: tuple[Statement, ...]) -> list[Loop]:
    """The loops of a body that are not inside another loop of it."""
    found: list[Loop] = []
    for statement in body:
        match statement:
            case Loop():
                found.append(statement)
            case Branch(then=then, otherwise=otherwise):
                found += direct_loops(then) + direct_loops(otherwise)
            case _:
                pass
    return found
