"""Whether a place in memory is there where a loop begins which may not touch it: to be read before, and written behind.

*Decides*: that an access of the same element stands on every path through the loop, or through what is around it.
*Errs toward* not there: pointers that were compared with null, and not followed.
*Does not handle*: loops without an iteration; what an iteration touches is taken to be there for none, too.

    for (...) s->n++;                              ->  `s->n` is there
    s->n = 0; for (...) if (a[i] > 0) s->n++;      ->  there
    for (...) if (s != NULL) s->n++;               ->  not known
"""

from ..access.accesses import Occurrence, Occurrences, occurrences
from ..ir import nodes as ir


def is_there(function: ir.Function, loop: ir.Loop, place: ir.Access) -> bool:
    """Whether the element exists that an access of the loop names. Example: see the module."""
    fixed = all(s.index.constant is not None for s in place.subscripts)
    if isinstance(place.object, ir.Declared) and fixed:
        return True
    found = occurrences(function)
    same = (o for o in found.all if (o.access.object, o.access.subscripts) == (place.object, place.subscripts))
    return any(_is_on_every_path(found, loop, o) for o in same)


def _is_on_every_path(found: Occurrences, loop: ir.Loop, o: Occurrence) -> bool:
    """Whether each path through the loop passes this access: in the loop, before it or behind it."""
    loops, guards = found.around[loop.key]
    begin, end = found.ranges[loop.key]
    if not {g.arm for g in o.guards} <= {g.arm for g in guards}:
        return False
    if begin <= o.position < end:
        return not any(begin <= d.position <= o.position for d in found.leaving(loop))
    if any(each.key != around.key for each, around in zip(o.loops, loops, strict=False)) or len(o.loops) > len(loops):
        return False
    first, last = sorted((o.position, end if o.position >= end else begin))
    return not any(first <= d.position <= last for d in found.departures)
