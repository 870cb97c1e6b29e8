"""Unique elements touched by several accesses to one array.

*Method*: boxes that overlap in all but one dimension are merged, the rest is counted by inclusion and
exclusion; shapes without a box (triangles) are counted point by point when all accesses have the same one.
*Exact* under these rules; everything else is the smaller of the number of accesses and the size of the
object, marked as a bound."""

from itertools import combinations

from msgspec import Struct

from ..ir.polynomials import Poly, number
from ..polyhedra.powers import Fractional
from ..polyhedra.signs import Region, is_nonnegative
from ..polyhedra.summation import Atoms, NotClosedError, Piece, total
from .nest import Nest
from .shapes import Box, Points, Side

MOST_BOXES = 8
"""Boxes counted by inclusion and exclusion: 2^8 - 1 intersections."""


class Elements(Struct, frozen=True):
    """A number of elements as pieces; not `exact`: an upper bound."""

    pieces: tuple[Piece, ...]
    exact: bool


def elements(nest: Nest, shapes: list[Box | Points]) -> Elements | None:
    """How many different elements the shapes hold together; None when no formula is known."""
    distinct = tuple(dict.fromkeys(shapes))  # what is read is often what is written
    return nest.once(("elements", frozenset(distinct)), lambda: _elements(nest, distinct))


def _elements(nest: Nest, shapes: tuple[Box | Points, ...]) -> Elements | None:
    boxes = [s for s in shapes if isinstance(s, Box)]
    points = [s for s in shapes if isinstance(s, Points)]
    if points:
        return _of_points(nest, points, boxes)
    return _union(nest, _merged(nest, boxes))


def _of_points(nest: Nest, points: list[Points], boxes: list[Box]) -> Elements | None:
    """One set of points, named by any number of accesses; several sets add up to a bound."""
    distinct = {(p.dimensions, p.region.counters, frozenset(p.region.constraints)): p for p in points}
    pieces: list[Piece] = []
    try:
        for p in distinct.values():
            pieces += total(p.region, Fractional(number(1)), nest.scopes.atoms, nest.scopes.facts)
    except NotClosedError:
        return None
    if not boxes:
        return Elements(tuple(pieces), len(distinct) == 1)
    rest = _union(nest, _merged(nest, boxes))
    return None if rest is None else Elements((*pieces, *rest.pieces), False)


# --- boxes

Offsets = tuple[tuple[int, int], ...]
"""Per dimension: how far a box starts behind the family's first one, and by how much it is longer."""


def _merged(nest: Nest, boxes: list[Box]) -> list[Box]:
    """Boxes that together are one box are joined."""
    families: dict[object, list[Box]] = {}
    for box in dict.fromkeys(boxes):
        families.setdefault(_shape(box), []).append(box)
    joined = [box for family in families.values() for box in _joined_family(nest, family)]
    return joined if len(joined) > MOST_BOXES else _without_parts(nest, joined)


def _shape(box: Box) -> object:
    """Equal for boxes that are shifts of each other, by whole steps, and longer or shorter by constants."""
    sides = []
    for s in box.sides:
        low, length = s.low.constant_term, s.length.constant_term
        sides.append((s.step, s.low - low, low % s.step, s.length - length))
    return frozenset(box.conditions), box.exact, tuple(sides)


def _offsets(first: Box, box: Box) -> Offsets:
    """The place of a box relative to another one of the same shape."""
    return tuple(
        ((y.low.constant_term - x.low.constant_term) // x.step, y.length.constant_term - x.length.constant_term)
        for x, y in zip(first.sides, box.sides, strict=True)
    )


def _joined_family(nest: Nest, family: list[Box]) -> list[Box]:
    """Shifts of one box, joined where they overlap or touch in one dimension and agree in the others."""
    first = family[0]
    facts = nest.scopes.facts
    known = facts.also(*first.conditions)
    places = {_offsets(first, box) for box in family}
    for dimension, side in enumerate(first.sides):
        rows: dict[Offsets, list[tuple[int, int]]] = {}
        for place in places:
            rows.setdefault((*place[:dimension], *place[dimension + 1 :]), []).append(place[dimension])
        places = {
            (*others[:dimension], run, *others[dimension:])
            for others, runs in rows.items()
            for run in _runs(sorted(runs), side.length, known)
        }
    return [_placed(first, place) for place in sorted(places)]


def _runs(places: list[tuple[int, int]], length: Poly, known: Region) -> list[tuple[int, int]]:
    """Intervals (start, extra length) joined where the next one starts inside or right behind the one
    before."""
    found: list[tuple[int, int]] = []
    for start, longer in places:
        if found:
            before, extra = found[-1]
            gap = start - before
            if is_nonnegative(length + (extra - gap), known):
                found[-1] = (before, max(extra, gap + longer))
                continue
        found.append((start, longer))
    return found


def _placed(first: Box, place: Offsets) -> Box:
    sides = tuple(
        Side(s.low + offset * s.step, s.length + longer, s.step)
        for s, (offset, longer) in zip(first.sides, place, strict=True)
    )
    return Box(sides, first.conditions, first.exact)


def _without_parts(nest: Nest, boxes: list[Box]) -> list[Box]:
    """The boxes without those that lie inside another one."""
    facts = nest.scopes.facts
    kept: list[Box] = []
    for i, box in enumerate(boxes):
        known = facts.also(*box.conditions)
        if not any(
            _exists(other, known) and _inside(box, other, known) for other in (*kept, *boxes[i + 1 :])
        ):
            kept.append(box)
    return kept


def _exists(box: Box, known: Region) -> bool:
    return box.exact and all(is_nonnegative(c, known) for c in box.conditions)


def _inside(a: Box, b: Box, known: Region) -> bool:
    for x, y in zip(a.sides, b.sides, strict=True):
        if x == y:
            continue
        gap = (x.low - y.low).divided_by(y.step)
        if x.step != y.step or gap is None or not is_nonnegative(gap, known):
            return False
        if not is_nonnegative(y.length - gap - x.length, known):
            return False
    return True


def _union(nest: Nest, boxes: list[Box]) -> Elements | None:
    """Inclusion and exclusion over the boxes that may meet; groups that cannot are added up."""
    pieces: list[Piece] = []
    for group in _groups(boxes):
        if len(group) > MOST_BOXES:
            return None
        for size in range(1, len(group) + 1):
            for chosen in combinations(group, size):
                nest.effort.spend(20)
                common = _intersection(chosen, nest.scopes.atoms)
                if common is None:
                    return None
                lengths = [side.length for side in common.sides]
                if any(n.constant is not None and n.constant <= 0 for n in lengths):
                    continue
                value = number(1 if size % 2 else -1)
                for n in lengths:
                    value = value * n
                needed = () if size == 1 else tuple(lengths)
                pieces.append(Piece((*common.conditions, *needed), Fractional(value)))
    return Elements(tuple(pieces), all(box.exact for box in boxes))


def _groups(boxes: list[Box]) -> list[list[Box]]:
    """Boxes that may share elements, directly or through others, together."""
    groups: list[list[Box]] = []
    for box in boxes:
        near = [g for g in groups if any(_may_meet(box, other) for other in g)]
        groups = [g for g in groups if g not in near] + [[box, *(other for g in near for other in g)]]
    return groups


def _may_meet(a: Box, b: Box) -> bool:
    """False when in some dimension both lengths are numbers and the intervals lie apart, one begins where the other
    ends, or the residues differ."""
    for x, y in zip(a.sides, b.sides, strict=True):
        if x.step == y.step and any((p.low + p.length * p.step).distance(q.low) == 0 for p, q in ((x, y), (y, x))):
            return False
        gap = x.low.distance(y.low)
        if gap is None or x.step != y.step:
            continue
        if gap % x.step:
            return False
        ahead = x.length.constant if gap >= 0 else y.length.constant
        if ahead is not None and abs(gap) >= ahead * x.step:
            return False
    return True


def _intersection(boxes: tuple[Box, ...], atoms: Atoms) -> Box | None:
    """The elements in all boxes; a length may come out negative. None when steps do not line up."""
    sides: list[Side] = []
    for column in zip(*(box.sides for box in boxes), strict=True):
        step = column[0].step
        if any(s.step != step for s in column):
            return None
        offsets = [s.low - column[0].low for s in column]
        if step > 1:
            if any(o.constant is None for o in offsets):
                return None
            if any((o.constant or 0) % step for o in offsets):
                sides.append(Side(column[0].low, number(0), step))
                continue
        low = _extreme([s.low for s in column], "max", atoms)
        ends = [s.low + s.length * step for s in column]
        high = _extreme(ends, "min", atoms)
        length = (high - low).divided_by(step)
        if length is None:
            length = atoms.floor(high - low, step)
        sides.append(Side(low, length, step))
    conditions = tuple(dict.fromkeys(c for box in boxes for c in box.conditions))
    return Box(tuple(sides), conditions)


def _extreme(values: list[Poly], kind: str, atoms: Atoms) -> Poly:
    """The largest or smallest of polynomials: by constants where they differ by constants, else an atom."""
    best: list[Poly] = []
    for value in dict.fromkeys(values):
        for i, other in enumerate(best):
            gap = other.distance(value)
            if gap is not None:
                if (gap > 0) == (kind == "max"):
                    best[i] = value
                break
        else:
            best.append(value)
    return best[0] if len(best) == 1 else atoms.extreme(kind, tuple(best))
