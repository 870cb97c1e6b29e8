"""Strides that are to be long enough: `y[i * incy]` is one element in all iterations where incy is 0.

*Decides*: which sizes multiply a counter in the subscripts of two accesses, and may have to be no smaller than a number
for the two never to meet: 1, or more than the numbers beside the products.
*Errs toward* asking for more than is needed: with a negative stride they do not meet either.
*Does not handle*: sizes that have no name before the loop, or change in it.

    y[i * incy] = x[i];                             ->  at-least(incy>=1)
    a[i * m] = a[i * m + 2];                        ->  at-least(m>=3)
    y[j * length + i * step] = 0, with j < columns  ->  at-least(step>=1), beside in-bounds(y)
"""

from collections.abc import Iterator
from itertools import chain

from ..access.accesses import Occurrence
from ..access.planes import is_selected
from ..access.subscripts import element_part
from ..facts.loop import Assumption
from ..ir.nodes import Entry, Loaded
from ..ir.polynomials import Poly, Symbol, symbol
from ..ir.reasons import AssumptionKind
from ..polyhedra.system import System, at_least, system
from .scope import Scope


def long_strides(scope: Scope, source: Occurrence, sink: Occurrence) -> Iterator[tuple[tuple[Assumption, ...], System]]:
    """Conditions on sizes, each with what it says. Example: see the module."""
    places = [s.index for o in (source, sink) for s in element_part(o.access)]
    beside = {abs(a.constant_term - b.constant_term) for a in places for b in places}
    for stride in dict.fromkeys(chain.from_iterable(map(_strides, places))):
        if isinstance(stride.origin, Entry | Loaded) and not scope.varies(stride):
            for least in sorted({1, max(beside) + 1}):
                condition = Assumption(AssumptionKind.AT_LEAST, f"{stride.name}>={least}", source.line)
                yield (condition,), system(at_least(symbol(stride) - least))


def _strides(place: Poly) -> Iterator[Symbol]:
    """What multiplies counters, and values that they select."""
    for monomial, _ in place.terms:
        if any(map(is_selected, monomial)):
            yield from (s for s in monomial if not is_selected(s))
