"""Lines of memory at places that data select: how many are fetched where an entry has several elements.

*Decides*: of accesses that nothing foresees, how many lines one thread fetches: elements of an entry side by side, be
it in one statement or in inner loops of few iterations, are in as few lines as they fit in, and what stays where it is
in inner loops is fetched once for all of them.
*Errs toward* more lines: where a distance or a number of iterations is no number, and for what other accesses to the
array have fetched before.

    x[3*idx[i]] + x[3*idx[i] + 1] + x[3*idx[i] + 2]                ->  one line for each i
    for (l < 3) for (m < 3) s += t[idx[i]][l][m]                   ->  72 bytes: two
    for (l < n) s += w[l] * x[idx[i]]                              ->  one
"""

from collections.abc import Iterable
from itertools import product

from models.expr import Expr

from ..ir.nodes import Access, Loop, all_loops, size_in_bytes
from ..ir.polynomials import ZERO
from . import totals
from .nest import Nest, Touch
from .paces import family, place_in_bytes
from .scopes import Scope
from .variance import Variance

LINE = 64
"""Bytes that pass between the caches of a CPU at once."""
MOST_STEPS = 256
"""Iterations of inner loops that go along one entry."""


def lines(nest: Nest, touches: list[Touch]) -> Expr | None:
    """Of all accesses to one array that nothing foresees. Example: see the module."""
    alike: dict[object, list[Touch]] = {}
    for touch in touches:
        alike.setdefault(family(touch), []).append(touch)
    found = [_of_family(nest, each) for each in alike.values()]
    return totals.value(nest, totals.combined(p for scope, n in found for p in totals.scaled(scope.runs, n)))


def _of_family(nest: Nest, touches: list[Touch]) -> tuple[Scope, int]:
    """Where the entry that the accesses go to is another one each time, and in how many lines it is."""
    scope, offsets = _entry(nest, touches[0])
    places = [place_in_bytes(touch.access) for touch in touches]
    apart = sum(place is None for place in places)
    size = size_in_bytes(touches[0].access)
    width = None if size is None else size.constant
    known = sorted({place + o for place in places if place is not None for o in offsets})
    return scope, apart * len(offsets) + _lines(known, width or 0)


def _lines(places: Iterable[int], width: int) -> int:
    """Of elements so many bytes wide at sorted places: those less than a line apart are in one piece, which begins
    anywhere in a line.

    >>> _lines([0, 8, 16], 8), _lines(range(0, 72, 8), 8), _lines([0, 4096], 8)
    (1, 2, 2)
    """
    pieces: list[tuple[int, int]] = []
    for place in places:
        begin = pieces.pop()[0] if pieces and place - pieces[-1][1] < LINE else place
        pieces.append((begin, place))
    return sum((last + width - begin) // LINE + 1 for begin, last in pieces)


def _entry(nest: Nest, touch: Touch) -> tuple[Scope, list[int]]:
    """The scope outside of the loops that go along an entry, and where in it they go, in bytes."""
    scope, offsets = touch.scope, [0]
    inside = [loop for loop in all_loops(nest.loop) if loop.key in touch.scope.path and loop.key != nest.loop.key]
    around = [nest.loop, *inside]
    for position in range(len(around) - 1, 0, -1):
        loop, outer = around[position], around[position - 1]
        steps = None if _selects_another(nest, loop, touch.access) else _steps(loop, touch.access)
        if steps is None or len(steps) * len(offsets) > MOST_STEPS:
            break
        scope, offsets = nest.bodies[outer.key], [a + b for a, b in product(steps, offsets)]
    return scope, offsets


def _selects_another(nest: Nest, loop: Loop, access: Access) -> bool:
    """Whether data select another entry while a loop runs."""
    variance = nest.once(("variance", loop.key), lambda: Variance(loop))
    return any(variance.varies(s) for sub in access.subscripts for s in sub.index.symbols)


def _steps(loop: Loop, access: Access) -> list[int] | None:
    """Where the iterations of a loop are, in bytes from the first one; None where that is not known."""
    step = ZERO
    for s in access.subscripts:
        slope = s.index.coefficient(loop.counter)
        if slope.terms:
            if s.stride is None or not s.index.is_linear_in((loop.counter,)):
                return None
            step = step + slope * s.stride
    if not step.terms:
        return [0]
    trips = [r.numerator.constant for r in loop.trip or () if r.denominator == 1]
    if step.constant is None or len(trips) != 1 or trips[0] is None or trips[0] > MOST_STEPS:
        return None
    return [step.constant * k for k in range(max(trips[0], 1))]
