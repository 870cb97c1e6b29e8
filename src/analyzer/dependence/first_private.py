"""Copies that begin with the old value (`firstprivate`): variables and arrays that all iterations set, or none does.

*Decides*: whether each iteration may have a copy that begins with the value from before the loop, where it is not
certain that an iteration assigns what it reads: an inner loop may have no iteration, a condition may fail.
*Method*: of every place, by contraposition. Take a read, and a write of the same place in another iteration. If that
such a pair exists implies that the iteration of the read writes the place before it reads it (`privates.reached`, in
the context of both), then a read whose own iteration has not written the place is one of a place that no other
iteration ever writes: in order it sees the value from before the loop, and so it does in the copy. All other reads see
what their own iteration wrote, in order and in the copy. As this holds of earlier and of later iterations, a thread may
keep its copy from one iteration to the next, in whatever order it gets them. What the loop leaves is the copy of the
last iteration when each place that some iteration writes is written in all later ones (`privates.rewritten_last`):
then it holds the last value of what was written, and the old value of the rest. Without iterations nothing is copied.
None of this needs a write to happen; that bounds and conditions are the same in both iterations enters as symbols that
do not vary in the loop (`Scope.varies`): what memory or a variable decides that the loop changes, a condition on data,
and an inner loop that may be left early prove nothing.
*Errs toward* no such copies. Not handled: rows that iterations select; one object with elements of two kinds, of which
only one is like this; conditions that are no affine constraints, even where nothing in them changes.

    for (j...) { for (i = 0; i < n; i++) t = a[j][i];  b[j] = t; }      ->  t: for n = 0, b[j] is the old t
    for (j...) { for (i = 0; i < j; i++) t = a[j][i];  b[j] = t; }      ->  no: b[0] is the old t, b[1] is not
    for (j...) { b[j] = t;  for (i = 0; i < n; i++) t = a[j][i]; }      ->  no: b[1] is what the iteration before made
    for (j...) { if (i == k) t = a[j];  b[j] = t; }                     ->  t
    for (j...) { for (i = 0; i < n; i++) u[i] = a[j][i];  b[j] = u[3]; }    ->  u: for n = 3, all read the old u[3]
"""

from collections.abc import Iterable, Iterator
from itertools import combinations

from msgspec.structs import replace

from ..access.accesses import Occurrence
from ..access.coverage import Claim, is_covered
from ..access.domains import used_values
from ..access.subscripts import (
    bounds_open,
    disjoint_bytes,
    extent_constraints,
    fits,
    may_stay_in_rows,
    object_bounds,
    same_shape,
    subscripts,
)
from ..facts.loop import Assumption
from ..ir.members import element_part, inner_part, row_part
from ..ir.nodes import Anything, Counter, Rows, Variable
from ..ir.polynomials import symbol
from ..ir.reasons import AssumptionKind
from ..ir.same import location_of, same_place
from ..memory.alias import c_text
from ..polyhedra.system import Feasibility, System, at_least, equal
from .iterations import EARLIER, LATER
from .private_arrays import (
    claims,
    in_parts,
    is_steady,
    rewritten_last,
    same_elements,
    written_before,
)
from .scope import Scope
from .two_branches import either_way


def variable_from_before(scope: Scope, variable: Variable, written: int, live: bool) -> frozenset[Assumption] | None:
    """The assumptions under which every iteration can have a copy of a scalar that begins with its old value, and (when
    it is `live` after the loop) the last copy is what remains; None where that is not known. `written`: how many
    statements of the loop assign it, those included that its counter replaces."""
    found = scope.of_scalar(variable)
    around = {loop.key for o in found for loop in o.loops}
    skips = any(d.exit.kind == "continue" and d.exit.leaves in around for d in scope.history.departures)
    if skips or sum(o.write for o in found) != written:
        return None
    return from_before(scope, found, live)


def from_before(scope: Scope, found: tuple[Occurrence, ...], live: bool) -> frozenset[Assumption] | None:
    """The same of one object, `found` all accesses to it in the loop."""
    told_apart = _rows_that_stay(scope, found)
    if any(isinstance(o.access.object, Anything) for o in found) or told_apart is None:
        return None
    if live and not rewritten_last(scope, found):
        return None
    writes = either_way([o for o in found if o.write])
    steady = scope.invariance(frozenset(s for o in found for value in used_values(o) for s in value.symbols))
    needed = set(steady | told_apart)
    reads = (part for o in found if not o.write for part in in_parts(o, writes))
    for read in _different(reads, writes):
        if written_before(scope, writes, read, object_bounds(read.access)):
            continue
        for write in found:
            if not write.write:
                continue
            rows = _in_rows(scope, write, read)
            if rows is None or not _own_or_old(scope, writes, write, read):
                return None
            needed |= rows
    return frozenset(needed)


def _rows_that_stay(scope: Scope, found: tuple[Occurrence, ...]) -> frozenset[Assumption] | None:
    """What it takes to tell the memory behind pointers in a table apart by where they stand, if the loop leaves those
    alone, and goes by the same ones in all iterations: `double *work = all[thread];`, set before it."""
    x = found[0].access.object
    if not isinstance(x, Rows):
        return frozenset()
    ways = {tuple(s.index for s in row_part(o.access)) for o in found}
    if scope.moves_pointers or any(scope.varies(s) for way in ways for index in way for s in index.symbols):
        return None
    if len(ways) == 1:
        return frozenset()
    others = all(any((i - j).constant for i, j in zip(a, b, strict=True)) for a, b in combinations(ways, 2))
    if not others or scope.known.may_repeat(x) or x in scope.known.in_one_block:
        return None  # two names of one row would have a copy each
    return frozenset({Assumption(AssumptionKind.ROWS_DISTINCT, c_text(x), found[0].line)})


def _different(reads: Iterable[Occurrence], writes: list[Occurrence]) -> Iterator[Occurrence]:
    """One of the reads that are alike: of one place, in one block, behind the same writes."""
    seen = set()
    for o in reads:
        alike = (location_of(o.access), id(o.where), sum(w.position < o.position for w in writes))
        if alike not in seen:
            seen.add(alike)
            yield o


def _own_or_old(scope: Scope, writes: list[Occurrence], write: Occurrence, read: Occurrence) -> bool:
    """Whether a read of a place that the write hits in another iteration comes after a write to it in its own one."""
    if disjoint_bytes(write.access, read.access):
        return True
    if not same_elements(write, read):
        return False
    steady = tuple(g for g in write.guards if is_steady(scope, g))
    found = [claim for w in writes for claim in claims(scope, w, read, steady)]
    return all(
        _in_this_order(scope, (write, one), (read, other), found) for one, other in ((EARLIER, LATER), (LATER, EARLIER))
    )


def _in_this_order(
    scope: Scope, write: tuple[Occurrence, int], read: tuple[Occurrence, int], found: list[Claim]
) -> bool:
    """The same for writes in earlier iterations, or in later ones."""
    context = System((at_least(symbol(scope.distance) - 1),))
    for o, side in (write, read):
        rows = tuple(c for s in inner_part(o.access) for c in extent_constraints(s))
        context += scope.domain(o, side) + scope.moved(System(rows) + object_bounds(o.access), side)
    hit, target = (tuple(scope.rename(i, side) for i in subscripts(o.access)) for o, side in (write, read))
    context += System(tuple(equal(a - b) for a, b in zip(hit, target, strict=True)))
    if scope.feasible(context) is Feasibility.EMPTY:
        return True
    return is_covered(context, target, [_moved(scope, claim, read[1], write) for claim in found], scope.work)


def _in_rows(scope: Scope, a: Occurrence, b: Occurrence) -> frozenset[Assumption] | None:
    """The assumptions under which the two touch the same bytes only if their subscripts are the same; None where that
    cannot be."""
    x, y = a.access, b.access
    if not x.subscripts and not y.subscripts:  # one variable, or members of one structure
        return frozenset() if same_place(x, y) or disjoint_bytes(x, y) else None
    if not (same_shape(element_part(x), element_part(y)) and fits(x) and fits(y)) or x.bits or y.bits:
        return None
    needed = bounds_open(a) | bounds_open(b)
    can_hold = all(may_stay_in_rows(o, scope.loop) for o in (a, b) if bounds_open(o))
    return needed if can_hold else None


def _moved(scope: Scope, claim: Claim, side: int, write: tuple[Occurrence, int]) -> Claim:
    """The claim in one of the two iterations; the counters of the write in the other one are a further choice."""
    names = {s: next(iter(scope.rename(symbol(s), side).symbols)) for s in claim.unknown}
    counters = {loop.key: scope.rename(symbol(loop.counter), write[1]) for loop in write[0].loops}
    keys = {s: s.origin.loop for s in claim.unknown if isinstance(s.origin, Counter)}
    again = {names[s]: counters[key] for s, key in keys.items() if key in counters}
    starts = tuple({names[s]: scope.rename(v, side) for s, v in start.items()} for start in claim.starts)
    return Claim(
        tuple(scope.rename(i, side) for i in claim.indices),
        tuple(replace(c, value=scope.rename(c.value, side)) for c in claim.conditions),
        frozenset(names.values()),
        (*starts, again) if again else starts,
    )
