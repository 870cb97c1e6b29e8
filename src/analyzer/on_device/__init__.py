"""What a person writes so that a parallel loop runs on a device with memory of its own.

`elements`: the parts of arrays that the loop uses. `maps`: which memory goes there, which comes back, by what names.
`callees`: functions that go along.
"""

from collections.abc import Iterator

from ..clauses.declared import declaration
from ..clauses.site import Site
from ..counts.nest import Nest
from ..facts.loop import ArrayFacts, Parallelism
from ..facts.on_device import OnDevice
from .callees import callees
from .maps import RefusedError, maps


def on_device(site: Site, nest: Nest, answer: Parallelism, arrays: tuple[ArrayFacts, ...]) -> OnDevice:
    """The data and the functions of one loop. `arrays`: what is counted of its memory, one for each object.

    Example: for `for (i = 0; i < n; i++) y[i] = f(x[i]);` maps from y and to x, from element 0 on n of them, and f."""
    try:
        if nest.unknown:
            raise RefusedError(nest.unknown[0])
        found = maps(site, nest, answer, arrays)
        functions = callees(site, nest) if answer.is_parallel else ()  # else it stays on the host itself
        variables = tuple(_declared(site)) if answer.is_parallel else ()
        return OnDevice(found.maps, variables, functions, found.positive)
    except RefusedError as error:
        return OnDevice(refused=str(error))


def _declared(site: Site) -> Iterator[tuple[str, str]]:
    for name in sorted(site.mentioned - site.functions):
        text = declaration(site, name)
        if text is not None:
            yield name, text


__all__ = ["on_device"]
