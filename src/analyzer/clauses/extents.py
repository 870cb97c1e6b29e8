"""How much memory behind a pointer a loop uses, as C.

*Decides*: the number of elements, from where the pointer leads on, that holds all accesses of one iteration to an
object, as a polynomial in values from before the loop.
*Method*: the largest value of the outermost subscript, the counters of inner loops put in at their last iteration.
*Errs toward* None: negative subscripts, subscripts that data decides, bounds that differ between iterations, accesses
under conditions beyond those that are made anyway.

    for (i...) for (k = 0; k < m; k++) h[k] += ...;        ->  m
"""

from collections.abc import Iterator

from ..loops import ir
from ..polyhedra.poly import ZERO, Poly
from .written import Writer


def extent(writer: Writer, loop: ir.Loop, object_: ir.Object) -> str | None:
    """The number of elements as C; None where it is not known. Example: see the module."""
    spans = []
    for access, inner, conditional in accesses(loop.body, (), False):
        if access.object != object_:
            continue
        span = _span(access, inner)
        if span is None:
            return None
        spans.append((*span, conditional or span[0].constant is None))
    ends = [end for _, end, _ in spans]
    surely = [end for _, end, open_ in spans if not open_]
    if not all(not open_ or _is_within(end, surely) for _, end, open_ in spans) or not surely:
        return None
    largest = tuple(dict.fromkeys(e for e in ends if not any(((f - e).constant or 0) > 0 for f in ends)))
    if any(loop.counter in value.symbols for value in largest):
        return None
    return writer.text(largest[0]) if len(largest) == 1 else writer.outermost("max", largest)


def _is_within(end: Poly, others: list[Poly]) -> bool:
    """Whether what is used up to there is known to be used for another access."""
    return any((other - end).constant is not None and (other - end).constant_term >= 0 for other in others)


def _span(access: ir.Access, inner: tuple[ir.Loop, ...]) -> tuple[Poly, Poly] | None:
    """The first element that an access reaches, and the one behind the last."""
    if not access.subscripts or access.subscripts[0].row_pointer or access.wraps:
        return None
    last = first = access.subscripts[0].index
    for loop in reversed(inner):
        slope = last.coefficient(loop.counter)
        if loop.counter not in last.symbols:
            continue
        factor = slope.constant
        trip = loop.trip[0] if loop.trip is not None and len(loop.trip) == 1 and loop.exact_trip else None
        if factor is None or factor <= 0 or trip is None or trip.denominator != 1 or not last.is_affine:
            return None
        last = last.without(loop.counter) + (trip.numerator - 1) * factor
        first = first.substitute({loop.counter: ZERO})
    return (first, last + 1) if first.constant is None or first.constant >= 0 else None


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
