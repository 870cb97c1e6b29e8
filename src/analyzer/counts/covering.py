"""Which reads of a loop see values from before it: upward-exposed reads.

A read is covered when an earlier write of the same iteration certainly stored the elements it reads: the
write comes first in source order, under no condition of its own beyond the loops and branches around both,
and, over the loops that are only around the write, fills a box that contains what the read touches over the
loops that are only around it. *Errs toward* exposed."""

from collections.abc import Callable
from itertools import product
from typing import TypeAlias

from msgspec.structs import replace

from models.expr.nodes import remembered

from ..ir.nodes import Counter
from ..ir.polynomials import Poly, Symbol
from ..polyhedra.effort import Effort
from ..polyhedra.signs import Region, is_nonnegative
from ..polyhedra.summation import Piece
from .nest import Nest, Touch
from .scopes import Arm, Case, Path, Scope, either
from .shapes import Box, Dimension, region_of, seen, shape

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


def together(touches: list[Touch], effort: Effort) -> list[Touch]:
    """The touches with those that name one element in complementary branches as one: it is touched for
    certain.

    A write of that kind is done when the later one is, a read when the earlier one is."""
    found: dict[object, Touch] = {}
    for touch in touches:
        if not touch.scope.runs:
            continue  # it is never reached
        a = touch.access
        elements = tuple((s.index, s.stride, s.row_pointer) for s in a.subscripts)
        where = (a.object, elements, a.offset, a.size, touch.writes, touch.control, touch.scope.counters)
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
    reads = [t for t in touches if not t.writes and not any(_covers(nest, w, t) for w in writes)]
    certain = all(_same_elements(w, r) for w in writes for r in reads)
    return reads, certain


def _same_elements(write: Touch, read: Touch) -> bool:
    """Whether both name the same element in each iteration of the nest, so that no iteration feeds
    another."""
    a, b = write.access, read.access
    if a.subscripts != b.subscripts or (a.offset, a.size) != (b.offset, b.size):
        return False
    counters = {s for sub in a.subscripts for s in sub.index.symbols if isinstance(s.origin, Counter)}
    return set(read.scope.counters) <= counters or write.order > read.order


def _covers(nest: Nest, write: Touch, read: Touch) -> bool:
    if write.order > read.order or not _holds(write, read) or _strides(write) != _strides(read):
        return False
    common = _common_path(write.scope, read.scope)
    if len(write.scope.path) > len(common) and not _is_plain_loop(write, common):
        return False
    nest.effort.spend(1)
    shared = frozenset(c for c in write.scope.counters if c in read.scope.counters)
    if shared == frozenset(write.scope.counters) and shared == frozenset(read.scope.counters):
        return [s.index for s in write.access.subscripts] == [s.index for s in read.access.subscripts]
    stored, used = _relative(nest, write, shared), _relative(nest, read, shared)
    if stored is None or used is None:
        return False
    return _contains(nest, stored, used, read, shared)


def _strides(touch: Touch) -> list[Poly | None]:
    """What a subscript counts: byte i of an object is not in its element i."""
    return [s.stride for s in touch.access.subscripts]


def _holds(whole: Touch, part: Touch) -> bool:
    """Whether an access to the same element as `part` has all of its bytes: a structure has those of its members."""
    a, b = whole.access, part.access
    return a.offset <= b.offset and b.offset + b.size <= a.offset + a.size


def without_members(touches: list[Touch]) -> list[Touch]:
    """The touches without those of members of what is touched as a whole wherever they are."""
    places: dict[object, list[Touch]] = {}
    for touch in touches:
        elements = tuple((s.index, s.stride, s.row_pointer) for s in touch.access.subscripts)
        places.setdefault((touch.access.object, elements, touch.scope.counters), []).append(touch)
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


def _is_plain_loop(write: Touch, common: Path) -> bool:
    """Whether only loops lie between the common scope and the write, and none of it is assumed."""
    return not any(isinstance(step, Arm) for step in write.scope.path[len(common) :]) and not write.scope.assumed


Elements = Box | tuple[Dimension, ...] | None


def _relative(nest: Nest, touch: Touch, shared: frozenset[Symbol]) -> Elements:
    """What the touch names in one iteration of the shared loops, whose counters count as sizes here."""
    key = ("relative", id(touch), shared)
    if key not in nest.memo:
        nest.memo[key] = _relative_shape(nest, touch, shared)
    found: Elements = nest.memo[key]
    return found


def _relative_shape(nest: Nest, touch: Touch, shared: frozenset[Symbol]) -> Elements:
    region, _, dims = seen(nest, touch)
    if dims is None:
        return None
    own = tuple(c for c in region.counters if c not in shared)
    if not own:
        return dims
    inner = tuple(c for c in region.constraints if c.symbols & set(own))
    found = shape(nest, dims, Region(own, inner))
    return found if isinstance(found, Box) and found.exact else None


def _contains(
    nest: Nest,
    stored: Box | tuple[Dimension, ...],
    used: Box | tuple[Dimension, ...],
    read: Touch,
    shared: frozenset[Symbol],
) -> bool:
    a, b = _intervals(stored), _intervals(used)
    if len(a) != len(b) or any(_lie_apart(x, y) for x, y in zip(a, b, strict=True)):
        return False
    region, _ = region_of(read)
    facts = nest.scopes.facts
    outer = tuple(c for c in region.counters if c in shared)
    conditions = used.conditions if isinstance(used, Box) else ()
    kept = tuple(c for c in region.constraints if not c.symbols & (set(region.counters) - shared))
    known = facts.around(tuple(outer), (*kept, *conditions))
    if isinstance(stored, Box) and not all(is_nonnegative(c, known) for c in stored.conditions):
        return False
    for (low, high, step), (first, last, _) in zip(a, b, strict=True):
        if (low, high) == (first, last):
            continue
        if step != 1 or not is_nonnegative(first - low, known) or not is_nonnegative(high - last, known):
            return False
    return True


def _lie_apart(stored: tuple[Poly, Poly, int], used: tuple[Poly, Poly, int]) -> bool:
    """Whether the used interval starts before or ends behind the stored one by a number: what most pairs differ in."""
    before, behind = (used[0] - stored[0]).constant, (stored[1] - used[1]).constant
    return (before is not None and before < 0) or (behind is not None and behind < 0)


def _intervals(shape_: Box | tuple[Dimension, ...]) -> list[tuple[Poly, Poly, int]]:
    """(first, last, step) per dimension."""
    if isinstance(shape_, Box):
        return [(s.low, s.low + (s.length - 1) * s.step, s.step) for s in shape_.sides]
    return [(d.index, d.index, 1) for d in shape_]
