"""Which reads of a loop see values from before it: upward-exposed reads.

*Decides*: which writes come before a read, as claims of `access.coverage`, which decides whether they store all that is
read. A write comes first when it stands before the read and is sure, or stands under no condition of its own beyond
the loops and branches around both. In one iteration of parallel loops (`without_covered`), a sure write of an earlier
iteration of another loop does, too.
*Errs toward* exposed.

    p[0] = 1;  for (j = 1; j < n; j++) p[j] = f(p[j - 1]);      ->   p[j - 1] is covered: at j = 1 by the first
"""

from collections.abc import Callable, Iterator
from itertools import product
from typing import TypeAlias

from msgspec.structs import replace

from models.expr.nodes import remembered

from ..access.coverage import Claim, is_covered, one_earlier
from ..ir.nodes import Counter
from ..ir.polynomials import Poly, Symbol, symbol
from ..ir.same import location_of, same_place
from ..ir.symbols import Kind, derived
from ..polyhedra.effort import Effort
from ..polyhedra.signs import Region
from ..polyhedra.summation import Piece
from ..polyhedra.system import Work, at_least
from .nest import Nest, Touch
from .scopes import Arm, Case, Path, Scope, either
from .shapes import Box, Dimension, has_all_bounds, region_of, seen, shape

MOST_WORK = 40
"""Eliminations spent on one read."""

ELIMINATION = 50
"""Steps (`polyhedra.effort`) that cost as much as one."""

Sample: TypeAlias = dict[frozenset[Poly], int]
"""How often something runs under which constraints."""

SAMPLES: tuple[Callable[[Symbol], bool], ...] = (
    lambda s: True,
    lambda s: False,
    lambda s: s.number & 1 == 0,
    lambda s: s.number & 1 == 1,
    lambda s: s.number & 2 == 0,
    lambda s: s.number & 2 == 2,
    lambda s: s.number % 5 < 2,
    lambda s: s.number % 7 > 2,
)
"""Which conditions on data hold, in some of all cases."""


def together(nest: Nest) -> list[Touch]:
    """The touches of a nest with those that name one element in complementary branches as one: it is touched for
    certain.

    A write of that kind is done when the later one is, a read when the earlier one is."""
    return nest.once("together", lambda: _together(nest.touches, nest.effort))


def _together(touches: tuple[Touch, ...], effort: Effort) -> list[Touch]:
    found: dict[object, Touch] = {}
    for touch in touches:
        if not touch.scope.runs:
            continue  # it is never reached
        where = (location_of(touch.access), touch.writes, touch.control, touch.scope.counters)
        before = found.get(where)
        merged = None if before is None else _merged_touch(before, touch, effort)
        if before is None or merged is not None:
            found[where] = merged or touch
        else:  # the first touch of an element in a scope stands for the later ones
            found.setdefault((where, touch.scope.path, touch.scope.cases), touch)
    return list(found.values())


def _merged_touch(a: Touch, b: Touch, effort: Effort) -> Touch | None:
    if a.scope.path == b.scope.path[: len(a.scope.path)]:
        return a  # what b does under a condition has been done without it
    effort.spend(2 + len(a.scope.cases) * len(b.scope.cases))
    if not _may_complement(a.scope, b.scope):
        return None
    effort.spend(4 * len(a.scope.cases) * len(b.scope.cases))
    cases = either(a.scope.cases, b.scope.cases)
    if len(cases) != 1 or cases[0].weight.constant != 1:
        return None
    path = _common_path(a.scope, b.scope)
    scope = replace(a.scope, cases=cases, runs=_runs(a.scope, b.scope, cases), path=path, assumed=False)
    return replace(a, scope=scope, order=max(a.order, b.order) if a.writes else min(a.order, b.order))


def _runs(a: Scope, b: Scope, cases: tuple[Case, ...]) -> tuple[Piece, ...]:
    """How often the two scopes, of which each iteration that is in `cases` enters one, are entered: once where one of
    them is entered always, else at most as often as both together."""
    (everywhere,) = cases
    for scope in (a, b):
        if [frozenset(c.constraints) for c in scope.cases] == [frozenset(everywhere.constraints)]:
            return scope.runs
    return (*a.runs, *b.runs)


def _may_complement(a: Scope, b: Scope) -> bool:
    """False when for some conditions on data that hold, the others not, the two scopes together are not everywhere: a
    look at what most pairs fail in, before their weights are multiplied."""
    return all(_is_everywhere(x, y) for x, y in zip(_sampled(a), _sampled(b), strict=True))


def _is_everywhere(a: Sample, b: Sample) -> bool:
    """Whether 1 - (1 - a) * (1 - b) is 1 under one set of constraints."""
    found: dict[frozenset[Poly], int] = dict(a)
    for where, n in b.items():
        found[where] = found.get(where, 0) + n
    for (x, n), (y, m) in product(a.items(), b.items()):
        both = x | y
        found[both] = found.get(both, 0) - n * m
    return [n for n in found.values() if n] == [1]


@remembered("_sampled")
def _sampled(scope: Scope) -> tuple[Sample, ...]:
    """How often the scope runs under which constraints, when the conditions on data of each of SAMPLES hold."""
    return tuple(_at(scope, holds) for holds in SAMPLES)


def _at(scope: Scope, holds: Callable[[Symbol], bool]) -> Sample:
    found: dict[frozenset[Poly], int] = {}
    for case in scope.cases:
        n = sum(c for monomial, c in case.weight.terms if all(map(holds, monomial)))
        if n:
            where = frozenset(case.constraints)
            found[where] = found.get(where, 0) + n
    return found


def exposed(nest: Nest, touches: list[Touch]) -> tuple[list[Touch], bool]:
    """The exposed reads, and whether that is certain: no other iteration may have stored what they read."""
    return nest.once(("exposed", tuple(map(id, touches))), lambda: _exposed(nest, touches))


def _exposed(nest: Nest, touches: list[Touch]) -> tuple[list[Touch], bool]:
    writes = [t for t in touches if t.writes]
    nest.effort.spend(len(touches) + len(writes) * (len(touches) - len(writes)) // 16)
    reads = without_covered(nest, [t for t in touches if not t.writes], writes)
    certain = all(_same_elements(w, r) for w in writes for r in reads)
    return reads, certain


def without_covered(
    nest: Nest, reads: list[Touch], writes: list[Touch], parallel: frozenset[Symbol] | None = None
) -> list[Touch]:
    """The reads of which not every element is known to be stored before: in the same iteration of the loops around
    both, or of the `parallel` ones with these counters, where they are given."""
    return [r for r in reads if not any(_is_same(w, r) for w in writes) and not _is_stored(nest, r, writes, parallel)]


def _same_elements(write: Touch, read: Touch) -> bool:
    """Whether both name the same element in each iteration of the nest, so that no iteration feeds
    another."""
    if not same_place(write.access, read.access):
        return False
    counters = {s for sub in write.access.subscripts for s in sub.index.symbols if isinstance(s.origin, Counter)}
    return set(read.scope.counters) <= counters or write.order > read.order


def _is_same(write: Touch, read: Touch) -> bool:
    """Whether the write stores the very element, before the read and wherever that is done."""
    comes_first = write.order < read.order and write.scope.path == read.scope.path[: len(write.scope.path)]
    if not comes_first or write.scope.counters != read.scope.counters or not _fits(write, read):
        return False
    return [s.index for s in write.access.subscripts] == [s.index for s in read.access.subscripts]


def _fits(write: Touch, read: Touch) -> bool:
    """Whether equal subscripts mean that the write stores all that is read: byte i of an object is not in its element
    i."""
    strides = [[s.stride for s in t.access.subscripts] for t in (write, read)]
    return strides[0] == strides[1] and _holds(write, read)


def _holds(whole: Touch, part: Touch) -> bool:
    """Whether an access to the same element as `part` has all of its bytes: a structure has those of its members, a
    bit-field those of no other."""
    a, b = whole.access, part.access
    return a.bits in (None, b.bits) and a.offset <= b.offset and b.offset + b.size <= a.offset + a.size


def without_members(touches: list[Touch]) -> list[Touch]:
    """The touches without those of members of what is touched as a whole wherever they are."""
    places: dict[object, list[Touch]] = {}
    for touch in touches:
        element = replace(location_of(touch.access), bits=None, offset=0, size=0)
        places.setdefault((element, touch.scope.counters), []).append(touch)
    return [t for found in places.values() for t in found if not any(_includes(o, t) for o in found if o is not t)]


def _includes(whole: Touch, part: Touch) -> bool:
    around = whole.scope.path == part.scope.path[: len(whole.scope.path)]
    return around and whole.access.size > part.access.size and _holds(whole, part)


def _common_path(a: Scope, b: Scope) -> Path:
    common: list[int | Arm] = []
    for x, y in zip(a.path, b.path, strict=False):
        if x != y:
            break
        common.append(x)
    return tuple(common)


def _is_stored(nest: Nest, read: Touch, writes: list[Touch], parallel: frozenset[Symbol] | None) -> bool:
    fitting = [w for w in writes if (parallel is not None or w.order < read.order) and _fits(w, read)]
    used = _elements(nest, read) if fitting else None
    if used is None:
        return False
    nest.effort.spend(2 * len(fitting) * (1 + len(read.scope.counters)))
    target = tuple(d.index for d in used)
    found = [claim for w in fitting for claim in _claims(nest, w, read, used, parallel) if _may_hit(claim, target)]
    region, _ = region_of(read)

    def answer() -> bool:
        context = nest.scopes.facts.also(*region.constraints).system
        work = Work(limit=MOST_WORK)
        covered = is_covered(context, target, found, work)
        nest.effort.spend(work.done * ELIMINATION)
        return covered

    # the members of one element are asked for alike
    question = ("covered", region, target, tuple((c.indices, c.conditions) for c in found))
    return bool(found) and nest.once(question, answer)


def _elements(nest: Nest, touch: Touch) -> tuple[Dimension, ...] | None:
    """The subscripts, taken apart where they are products; None where they have no formula."""
    return nest.once(("subscripts", id(touch)), lambda: _found_elements(nest, touch))


def _found_elements(nest: Nest, touch: Touch) -> tuple[Dimension, ...] | None:
    dims = seen(nest, touch)[2]
    subscripts = touch.access.subscripts
    if dims is None or not all(s.index.is_affine for s in subscripts):
        return dims
    return tuple(Dimension(s.index, s.stride, s.extent, s.stride is None) for s in subscripts)


def _claims(
    nest: Nest, write: Touch, read: Touch, used: tuple[Dimension, ...], parallel: frozenset[Symbol] | None
) -> Iterator[Claim]:
    """The ways in which the write comes first: it stands before the read, or runs in an earlier iteration of a loop
    around both."""
    stored = _elements(nest, write)
    if stored is None or [d.stride for d in stored] != [d.stride for d in used] or not has_all_bounds(write):
        return
    region, sure = region_of(write)
    sure = sure and not write.scope.assumed
    apart = parallel or frozenset()
    around = [c for c in region.counters if c in read.scope.counters and c not in apart]
    own = tuple(c for c in region.counters if c not in read.scope.counters and c not in apart)
    claim = Claim(tuple(d.index for d in stored), tuple(map(at_least, region.constraints)), frozenset(own))
    if write.order < read.order and (sure or _is_plain_loop(write, _common_path(write.scope, read.scope))):
        yield claim
        box = _box(nest, stored, region, own)
        if box is not None:
            yield box
    for depth in range(len(around)) if sure and parallel is not None else ():
        copies = {c: derived(Kind.PRIMED, c, c.origin, f"{c.name}'", 0) for c in around[depth:]}
        yield one_earlier(claim, around[depth:], copies)


def _box(nest: Nest, stored: tuple[Dimension, ...], region: Region, own: tuple[Symbol, ...]) -> Claim | None:
    """What the write stores in all iterations of its own loops, where subscripts add their counters: `t[8*b + k]`."""
    if not any(sum(c in d.index.symbols for c in own) > 1 for d in stored):
        return None
    inner = tuple(c for c in region.constraints if not c.symbols.isdisjoint(own))
    found = shape(nest, stored, Region(own, inner))
    if not isinstance(found, Box) or not found.exact:
        return None
    outer = [c for c in region.constraints if c not in inner]
    places = [derived(Kind.SUM, own[0], own[0].origin, "", 0, which=k + 1) for k in range(len(found.sides))]
    ends = [end for s, k in zip(found.sides, places, strict=True) for end in (symbol(k), s.length - 1 - symbol(k))]
    indices = tuple(s.low + symbol(k) * s.step for s, k in zip(found.sides, places, strict=True))
    return Claim(indices, tuple(map(at_least, (*outer, *found.conditions, *ends))), frozenset(places))


def _may_hit(claim: Claim, target: tuple[Poly, ...]) -> bool:
    """False where subscripts differ by a number, `a[i][0]` and `a[i][1]`: what most differ in."""
    return not any(index.distance(wanted) for index, wanted in zip(claim.indices, target, strict=True))


def _is_plain_loop(write: Touch, common: Path) -> bool:
    """Whether only loops lie between the common scope and the write, and none of it is assumed."""
    return not any(isinstance(step, Arm) for step in write.scope.path[len(common) :]) and not write.scope.assumed
