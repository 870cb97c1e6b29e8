"""How much memory behind a pointer a loop uses, as C.

*Decides*: the number of elements, from where the pointer leads on, that holds all accesses of one iteration to an
object, as a polynomial in values from before the loop.
*Method*: the largest value of the outermost subscript, the counters of inner loops put in at their last iteration.
*Errs toward* None: negative subscripts, subscripts that data decides, bounds that differ between iterations, accesses
under conditions beyond those that are made anyway.

    for (i...) for (k = 0; k < m; k++) h[k] += ...;        ->  m
"""

from collections.abc import Iterator
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ..ir import nodes as ir
from ..ir.polynomials import ZERO, Poly
from .texts import at_least, extremum
from .written import Writer

Needed: TypeAlias = frozenset[Poly]
"""Numbers of iterations that all have to be >= 1 for an access to be made."""


class _Span(Struct, frozen=True):
    """The elements from `first` up to `end`, which are used where the loops run that may not. `open`: or not even
    then."""

    first: Poly
    end: Poly
    needed: Needed
    open: bool


def extent(writer: Writer, loop: ir.Loop, object_: ir.Object, unit: int | None, none: int = 0) -> str | None:
    """The number of elements of `unit` bytes as C, `none` where none is used; None where it is not known. Example: see
    the module."""
    spans: list[_Span] = []
    for access, inner, conditional in accesses(loop.body, (), False):
        if access.object == object_:
            span = _span(access, inner, conditional)
            span = None if span is None else _in_units(span, access, unit)
            if span is None:
                return None
            spans.append(span)
    surely = [s.end for s in spans if not s.open]
    if not surely or not all(not s.open or _is_within(s.end, surely) for s in spans):
        return None
    largest = [s for s in dict.fromkeys(spans) if not s.open and not any(_covers(other, s) for other in spans)]
    if any(loop.counter in value.symbols for s in largest for value in (s.end, *s.needed)):
        return None
    texts = [_text(writer, s, none) for s in largest]
    return None if None in texts else extremum("max", [t for t in dict.fromkeys(texts) if t is not None])


def _in_units(span: _Span, access: ir.Access, unit: int | None) -> _Span | None:
    """A callee may count in other elements than those of the pointer: rows, or words of a buffer of bytes."""
    stride = access.subscripts[0].stride
    if stride is None or not unit:
        return None
    first, end = (span.first * stride).divided_by(unit), (span.end * stride).divided_by(unit)
    return None if first is None or end is None else replace(span, first=first, end=end)


def _covers(other: _Span, span: _Span) -> bool:
    """Whether another span is longer, and used wherever this one is."""
    over = (other.end - span.end).constant
    if other.open or over is None or not other.needed <= span.needed:
        return False
    return over > 0 or (over == 0 and other.needed < span.needed)


def _text(writer: Writer, span: _Span, none: int) -> str | None:
    """The end of a span, `none` where a loop that it needs does not run: what its formula is then means nothing."""
    end = writer.text(span.end)
    conditions = [writer.text(n) for n in sorted(span.needed, key=str)]
    if end is None or None in conditions:
        return None
    if not conditions:
        return end
    over = (span.end - next(iter(span.needed))).constant
    if len(conditions) == 1 and over is not None and over <= 0:
        return at_least(end, none)
    return f"({' && '.join(f'{c} > 0' for c in conditions)} ? {end} : {none})"


def _is_within(end: Poly, others: list[Poly]) -> bool:
    """Whether what is used up to there is known to be used for another access."""
    return any((other - end).constant is not None and (other - end).constant_term >= 0 for other in others)


def _span(access: ir.Access, inner: tuple[ir.Loop, ...], conditional: bool) -> _Span | None:
    """The elements that an access reaches in one iteration."""
    if not access.subscripts or access.subscripts[0].row_pointer or access.wraps:
        return None
    last = first = access.subscripts[0].index
    needed: set[Poly] = set()
    for loop in reversed(inner):
        trip = loop.trip[0] if loop.trip is not None and len(loop.trip) == 1 and loop.exact_trip else None
        if trip is None:
            conditional = conditional or not loop.at_least
        elif not loop.at_least and (trip.numerator.constant or 0) <= 0:
            needed.add(trip.numerator)
        if loop.counter not in last.symbols:
            continue
        factor = last.coefficient(loop.counter).constant
        if factor is None or factor <= 0 or trip is None or trip.denominator != 1 or not last.is_affine:
            return None
        if loop.at_least and (trip.numerator.constant or 0) < loop.at_least:
            return None  # one iteration, whatever the formula says
        last = last.without(loop.counter) + (trip.numerator - 1) * factor
        first = first.substitute({loop.counter: ZERO})
    if first.constant is not None and first.constant < 0:
        return None
    counters = {loop.counter for loop in inner}
    conditional = conditional or first.constant is None or any(counters & n.symbols for n in needed)
    return _Span(first, last + 1, frozenset(needed), conditional)


def accesses(
    body: tuple[ir.Statement, ...], inner: tuple[ir.Loop, ...], conditional: bool
) -> Iterator[tuple[ir.Access, tuple[ir.Loop, ...], bool]]:
    """Every access in a body, the inner loops around it, and whether it stands under a condition."""
    for s in body:
        for access in ir.accesses_of(s):
            yield access, inner, conditional
        match s:
            case ir.Branch(then=then, otherwise=otherwise):
                yield from accesses(then, inner, True)
                yield from accesses(otherwise, inner, True)
            case ir.Loop(body=within):
                yield from accesses(within, (*inner, s), conditional)
            case _:
                pass
