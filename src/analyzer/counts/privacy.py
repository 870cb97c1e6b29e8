"""Memory private to one iteration: no other iteration and nothing outside the loop accesses it."""

from collections.abc import Mapping

from ..facts.loop import Parallelism
from ..ir.nodes import Allocated, Declared, Object, Rows
from .nest import Nest


def is_private(nest: Nest, object_: Object, parallelism: Mapping[int, Parallelism]) -> bool:
    """Whether each iteration of the nest's loop has this memory for itself: declared or allocated inside
    it, or private by the answer on its parallelism."""
    match object_:
        case Declared(variable=variable):
            answer = parallelism.get(nest.loop.key)
            is_own = variable.scope == "local" and nest.loop.key in variable.loops
            return is_own or (answer is not None and answer.is_private(object_))
        case Allocated(loops=loops):
            return nest.loop.counter in loops
        case Rows(base=base):
            return is_private(nest, base, parallelism)
        case _:
            return False
