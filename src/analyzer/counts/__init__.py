"""What one entry of a loop nest does: iterations, operations, loads and stores, bytes, as formulas.

The words are those of definitions.md ("Counts"). Every count is symbolic in sizes and in the C variables of
the loops around, exact where it says so, and otherwise carries bounds. All is asked of a `Nest`, built once per
loop (`nest.build`).

    for (i = 0; i < n; i++) for (j = 0; j < i; j++) s += a[i][j];        iterations n*(n - 1)/2, loads the
    same
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from models.expr import Expr, add, div, maximum, num

from ..facts.loop import ArrayFacts, Condition, Count, Counts, Parallelism
from ..ir.nodes import Anything, Object, Rows
from ..ir.symbols import Kind
from ..settings.options import CountAs
from . import totals, trips
from .arrays import arrays as array_facts
from .nest import Nest
from .sharing import apart
from .views import counted
from .work import applications

if TYPE_CHECKING:
    from models.classes import AlgorithmClass

Answers = Mapping[int, Parallelism]

ASSUMED_WEIGHT = 0.5
"""Of a condition on data, when nothing is known of it."""


def count(
    nest: Nest, parallelism: Answers, count_as: CountAs = "definitions", algorithm: "AlgorithmClass | None" = None
) -> Counts:
    """All counts of the nest, for one entry. `algorithm`: its class; without one it has no complexity.

    `count_as`: the way of counting (`views`). Raises nothing: what cannot be counted is None or a bound.
    Example: see the module."""
    listed = arrays(nest, parallelism)
    of: dict[str, Count | None] = dict(counted(nest, count_as))
    if any(tally["opaque"] for _, tally in nest.tallies):  # floating or integer, nobody knows
        of |= dict.fromkeys(("flops_fp32", "flops_fp64", "fma_fp32", "fma_fp64", "fp_other", "int_ops"))
    flops = (of["flops_fp32"], of["flops_fp64"])
    read = _together(nest, [a.read_footprint for a in listed], "r")
    written = _together(nest, [a.write_footprint for a in listed], "w")
    operations = totals.plus((*flops, of["fp_other"], of["int_ops"]))
    unsized = any(not t.access.size for t in nest.touches)
    loaded, stored = (None, None) if unsized else (of["bytes_loaded"], of["bytes_stored"])
    moved = (loaded, stored) if count_as in ("references", "perdome") else (read, written)
    return Counts(
        trip_count=trips.trip_count(nest),
        executions=trips.executions(nest.function, nest.loop, nest.around),
        iterations=trips.iterations(nest),
        flops_fp32=of["flops_fp32"],
        flops_fp64=of["flops_fp64"],
        fma_fp32=of["fma_fp32"],
        fma_fp64=of["fma_fp64"],
        fp_other=of["fp_other"],
        int_ops=of["int_ops"],
        loads=of["loads"],
        stores=of["stores"],
        bytes_loaded=loaded,
        bytes_stored=stored,
        footprint=_together(nest, [a.footprint for a in listed], "rw"),
        read_footprint=read,
        write_footprint=written,
        transfer_in=_together(nest, [a.transfer_in for a in listed], "rw"),
        transfer_out=_together(nest, [a.transfer_out for a in listed], "w"),
        complexity=_ratio(operations, applications(algorithm)),
        operational_intensity=_ratio(totals.plus(flops), totals.plus(moved)),
    )


def _together(nest: Nest, parts: list[Count], access: str) -> Count | None:
    """Bytes of all arrays that are read (`r`), written (`w`) or either: the sum where no two of them are one, which may
    take an assumption (`sharing`). Else a bound: what is surely touched is no more than what is in one of them."""
    found = totals.plus(parts)
    if found is not None and nest.unknown:
        found = totals.or_more(found)
    touched = [f for f in parts if f.expr != num(0)]
    if found is None or not touched:
        return found
    needed = nest.once(("apart", access), lambda: _apart(nest, access))
    if needed is not None:
        return found if not needed else replace(found, assumptions=tuple(dict.fromkeys((*found.assumptions, *needed))))
    if len(touched) < 2:
        return found
    lows = (f.expr if f.exact else f.low for f in touched)
    largest = maximum(num(0), *(low for low in lows if low is not None))
    return replace(found, exact=False, low=largest, high=found.expr if found.exact else found.high)


def _apart(nest: Nest, access: str) -> tuple[str, ...] | None:
    if _may_overlap(nest):
        return None
    return apart(nest, (t.access for t in nest.touches if ("w" if t.writes else "r") in access))


def _may_overlap(nest: Nest) -> bool:
    """Whether what counts as two objects may be one: memory behind a pointer of unknown origin, one of two that lead
    into one object (`while (p < q)`), rows of which the pointers are read again after something may have set them."""
    objects = {t.access.object for t in nest.touches}
    again = len({_as_read(o) for o in objects}) < len(objects)
    return again or any(_leads_anywhere(o, nest) for o in objects)


def _leads_anywhere(object_: Object, nest: Nest) -> bool:
    if any(object_ in pair for pair in nest.function.ranges):
        return True
    return _leads_anywhere(object_.base, nest) if isinstance(object_, Rows) else isinstance(object_, Anything)


def _as_read(object_: Object) -> Object:
    """The rows, whenever their pointers are read."""
    return replace(object_, base=_as_read(object_.base), version=0) if isinstance(object_, Rows) else object_


def arrays(nest: Nest, parallelism: Answers) -> tuple[ArrayFacts, ...]:
    """The arrays that the nest touches, in the order of their first access."""
    return nest.once("arrays", lambda: array_facts(nest, parallelism))


def conditions(nest: Nest) -> tuple[Condition, ...]:
    """The conditions on data in the nest, in source order, with their assumed weights."""
    known = nest.scopes.weights
    lines = sorted(known.places[s].line for s in known.places if s.kind is Kind.BRANCH)
    return tuple(Condition(line, ASSUMED_WEIGHT) for line in lines)


def _ratio(above: Count | None, below: Count | None) -> Count | None:
    """The quotient of two counts, None when one is unknown or the lower one is the number 0."""
    if above is None or below is None or above.expr is None or below.expr is None:
        return None
    value = _quotient(above.expr, below.expr)
    if value is None:
        return None
    said = tuple(dict.fromkeys((*above.assumptions, *below.assumptions)))
    if above.exact and below.exact:
        return Count(value, assumptions=said)
    least = above.expr if above.exact else above.low
    most = above.expr if above.exact else above.high
    smallest = below.expr if below.exact else below.low
    largest = below.expr if below.exact else below.high
    low = _quotient(least, largest) if least is not None and largest is not None else None
    high = _quotient(most, smallest) if most is not None and smallest is not None else None
    return Count(value, low, high, False, said)


def _quotient(above: Expr, below: Expr) -> Expr | None:
    return None if below == add(0) else div(above, below)
