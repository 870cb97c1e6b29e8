"""Strides that are to be long enough: `y[i * incy]` is one element in all iterations where incy is 0, and rows that
`p += pitch` leads to overlap where they are shorter than what is touched in them.

*Decides*: which sizes multiply a counter in the subscripts of two accesses, and may have to be no smaller than a number
for the two never to meet: 1, or more than the numbers beside the products; or than what columns reach.
*Errs toward* asking for more than is needed: with a negative stride they do not meet either.
*Does not handle*: sizes that have no name before the loop, or change in it.

    y[i * incy] = x[i];                             ->  at-least(incy>=1)
    a[i * m] = a[i * m + 2];                        ->  at-least(m>=3)
    y[j * length + i * step] = 0, with j < columns  ->  at-least(step>=1), beside in-bounds(y)
    for (x = 0; x < w; x++) p[x] = 0; p += pitch;   ->  at-least(pitch>=w), in the loop around
    p = w + ld; for (i...) p[i] = w[i];             ->  distinct(p,w), for parts of one array as for two
"""

import re
from collections.abc import Iterator
from itertools import chain

from ..access.accesses import Occurrence
from ..access.planes import is_selected
from ..facts.loop import Assumption
from ..ir.members import element_part
from ..ir.nodes import Access, Declared, Entry, Loaded, Pointee, stands_in
from ..ir.pointer_roots import root
from ..ir.polynomials import ZERO, Poly, Symbol, number, symbol
from ..ir.reasons import AssumptionKind
from ..polyhedra.system import System, at_least, system, together
from .columns import Columns
from .scope import Scope

MOST_ROWS = 2
"""Lengths of rows that one answer supposes something of: those of a block in space."""


def long_strides(scope: Scope, source: Occurrence, sink: Occurrence) -> Iterator[tuple[tuple[Assumption, ...], System]]:
    """Conditions on sizes, each with what it says. Example: see the module."""
    places = [s.index for o in (source, sink) for s in element_part(o.access)]
    beside = {abs(a.constant_term - b.constant_term) for a in places for b in places}
    for stride in dict.fromkeys(chain.from_iterable(map(_strides, places))):
        name = _in_names(scope, symbol(stride))
        if name is not None:
            for least in sorted({1, max(beside) + 1}):
                condition = Assumption(AssumptionKind.AT_LEAST, f"{name}>={least}", source.line)
                yield (condition,), system(at_least(symbol(stride) - least))


def other_parts(scope: Scope, source: Occurrence, sink: Occurrence) -> Iterator[tuple[tuple[Assumption, ...], System]]:
    """That what the loop reaches by two pointers does not overlap, as far apart into one array as a size says. Example:
    see the module."""
    parts = [_part(scope, o.access) for o in (source, sink)]
    places = [[s.index for s in element_part(o.access)] for o in (source, sink)]
    if any(len(each) != 1 for each in places) or None in parts:
        return
    (one, at), (other, there) = (part for part in parts if part is not None)
    gap = places[0][0] - places[1][0]
    if one != other and at == there and gap.symbols and not any(map(scope.varies, gap.symbols)):
        condition = Assumption(AssumptionKind.DISTINCT, ",".join(sorted((one, other))), source.line)
        yield (condition,), system(at_least(number(-1)))


def _part(scope: Scope, access: Access) -> tuple[str, str] | None:
    """The variable from outside by which the loop gets to an element, if it leaves that alone, and the subscript."""
    found = re.match(r"([A-Za-z_]\w*)\[(.*)\]\Z", access.text)
    return (found[1], found[2]) if found and _is_outside_pointer(scope, access, found[1]) else None


def _is_outside_pointer(scope: Scope, access: Access, name: str) -> bool:
    """Whether the text of an access begins with the name of a pointer from outside that the loop leaves alone."""
    changed = scope.assigned | {i.variable.key for i in scope.loop.inductions}
    return stands_in(scope.loop, access) and any(v.name == name and v.key not in changed for v in scope.loop.pointers)


def long_rows(scope: Scope, source: Occurrence, sink: Occurrence) -> Iterator[tuple[tuple[Assumption, ...], System]]:
    """Conditions on the lengths of rows, each with what it says. Example: see the module."""
    for needed in Columns(scope, source, sink, from_front=True).unevidenced(sums=True):
        said: list[tuple[Assumption, System]] = []
        for extent, wanted in needed:
            names = side_by_side(scope, extent, wanted)
            if None not in names:
                condition = Assumption(AssumptionKind.AT_LEAST, f"{names[0]}>={names[1]}", source.line)
                said.append((condition, system(at_least(extent - wanted))))
        yield from (((condition,), means) for condition, means in said)
        if 1 < len(said) == len(needed) <= MOST_ROWS:
            conditions, means = zip(*said, strict=True)
            yield conditions, together(means)


def side_by_side(scope: Scope, extent: Poly, wanted: Poly) -> tuple[str | None, str | None]:
    """Both sides of `extent >= wanted`, without a number that is added on both: `high - low >= b - a`."""
    names = _in_names(scope, extent), _in_names(scope, wanted)
    both = min(extent.constant_term, wanted.constant_term)
    if both <= 0 or any(name is None or name.isidentifier() for name in names):
        return names
    return _in_names(scope, extent - both), _in_names(scope, wanted - both)


def _in_names(scope: Scope, value: Poly) -> str | None:
    """A value in C, by names that mean it where the loop begins."""
    whole = next((variable.name for poly, variable in scope.loop.held if poly == value), None)
    if whole is not None:
        return whole
    names = {s: _name(scope, s) for s in value.symbols if not scope.varies(s)}
    if len(names) < len(value.symbols) or None in names.values():
        return None
    added, taken = (Poly.of({m: sign * c for m, c in value.terms if sign * c > 0}) for sign in (1, -1))
    texts = [_plain(part.text(lambda s: names[s] or "")) for part in (added, taken)]
    several = len(taken.terms) > 1
    return texts[0] if taken == ZERO else f"{texts[0]}-({texts[1]})" if several else f"{texts[0]}-{texts[1]}"


def _plain(text: str) -> str:
    """Without parentheses around names: `s->n` for `(s->n)`."""
    return re.sub(r"\((\w+(?:->\w+|\.\w+|\[\w+\])*)\)", r"\1", text.replace(" ", ""))


def _name(scope: Scope, s: Symbol) -> str | None:
    """The memory that the loop itself reads it from, or a variable that holds it there: its own may have been set."""
    bounds = {t for r in scope.loop.trip or () for t in r.numerator.symbols}
    match s.origin:
        case Loaded(access=access) if s in bounds or any(not o.write and o.access == access for o in scope.occurrences):
            return s.name if _is_in_view(scope, access) else None
        case Entry() | Loaded():
            holding = [variable.name for poly, variable in scope.loop.held if poly == symbol(s)]
            return s.name if s.name in holding else next(iter(holding), None)
        case _:
            return None


def _is_in_view(scope: Scope, access: Access) -> bool:
    """Whether its text begins with the variable by which the function knows the memory, or with a pointer from outside
    that the loop leaves alone: not with one that only the loop or a function that it calls has."""
    first = re.match(r"\W*([A-Za-z_]\w*)", access.text)
    if first is not None and _is_outside_pointer(scope, access, first[1]):
        return True
    match root(access.object):
        case Declared(variable=variable) | Pointee(variable=variable):
            return first is not None and first[1] == variable.name
        case _:
            return True


def _strides(place: Poly) -> Iterator[Symbol]:
    """What multiplies counters, and values that they select."""
    for monomial, _ in place.terms:
        if any(map(is_selected, monomial)):
            yield from (s for s in monomial if not is_selected(s))
