"""Memory that no other iteration and nobody outside sees."""

from collections.abc import Mapping

from ..facts import Parallelism
from ..loops.ir import Allocated, Declared, Object, Rows, Variable
from .nest import Nest


def is_private(nest: Nest, object_: Object, parallelism: Mapping[int, Parallelism]) -> bool:
    """Whether each iteration of the nest's loop has this memory for itself: declared or allocated inside
    it, or named private by the answer on its parallelism."""
    match object_:
        case Declared(variable=variable):
            answer = parallelism.get(nest.loop.key)
            named = answer is not None and variable.name in answer.private
            return _is_own(nest, variable) or (named and (variable.scope == "local" or not _is_hidden(nest, variable)))
        case Allocated(loops=loops):
            return nest.loop.counter in loops
        case Rows(base=base):
            return is_private(nest, base, parallelism)
        case _:
            return False


def _is_own(nest: Nest, variable: Variable) -> bool:
    """Whether it is declared inside the loop."""
    return variable.scope == "local" and nest.loop.key in variable.loops


def _is_hidden(nest: Nest, variable: Variable) -> bool:
    """Whether the name means another variable in the loop: a function that it calls uses the one of the file."""
    objects = nest.once("objects", lambda: {t.access.object for t in nest.touches})
    named = (o.variable for o in objects if isinstance(o, Declared) and o.variable.name == variable.name)
    return any(v.key != variable.key and v.scope in ("local", "parameter") for v in named)
