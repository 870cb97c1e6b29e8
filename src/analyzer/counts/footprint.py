"""Unique elements touched by several accesses to one array.

*Method*: boxes that overlap in all but one dimension are merged, the rest is counted by inclusion and
exclusion; shapes without a box (triangles) are counted point by point when all accesses have the same one.
*Exact* under these rules; everything else is the smaller of the number of accesses and the size of the
object, marked as a bound."""

from dataclasses import dataclass
from itertools import combinations

from ..polyhedra.poly import Poly, number
from ..polyhedra.signs import Region, is_nonnegative
from ..polyhedra.summation import Atoms, Fractional, NotClosedError, Piece, total
from .nest import Nest
from .shapes import Box, Points, Side

MOST_BOXES = 8
"""Boxes counted by inclusion and exclusion: 2^8 - 1 intersections."""


@dataclass(frozen=True, slots=True)
class Elements:
    """A number of elements as pieces; not `exact`: an upper bound."""

    pieces: tuple[Piece, ...]
    exact: bool


def elements(nest: Nest, shapes: list[Box | Points]) -> Elements | None:
    """How many different elements the shapes hold together; None when no formula is known."""
    boxes = [s for s in dict.fromkeys(shapes) if isinstance(s, Box)]
    points = [s for s in dict.fromkeys(shapes) if isinstance(s, Points)]
    if points:
        return _of_points(nest, points, boxes)
    boxes = _merged(nest, boxes)
    if len(boxes) > MOST_BOXES:
        return None
    return _union(nest, boxes)


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
    rest = _union(nest, _merged(nest, boxes)) if len(boxes) <= MOST_BOXES else None
    return None if rest is None else Elements((*pieces, *rest.pieces), False)


# --- boxes


def _merged(nest: Nest, boxes: list[Box]) -> list[Box]:
    """Boxes that together are one box are joined until nothing changes."""
    work = list(dict.fromkeys(boxes))
    changed = True
    while changed:
        changed = False
        for a, b in combinations(work, 2):
            joined = _joined(nest, a, b)
            if joined is not None:
                work = [joined if box is a else box for box in work if box is not b]
                changed = True
                break
    return work


def _joined(nest: Nest, a: Box, b: Box) -> Box | None:
    """The union of two boxes, when it is a box for certain."""
    if frozenset(a.conditions) != frozenset(b.conditions) or a.exact != b.exact:
        return None
    facts = nest.scopes.facts
    known = Region(facts.counters, (*facts.constraints, *a.conditions))
    differing = [i for i, (x, y) in enumerate(zip(a.sides, b.sides, strict=True)) if x != y]
    if len(differing) > 1:
        if _inside(a, b, known):
            return b
        return a if _inside(b, a, known) else None
    if not differing:
        return a
    i = differing[0]
    side = _joined_sides(a.sides[i], b.sides[i], known)
    return None if side is None else Box((*a.sides[:i], side, *a.sides[i + 1 :]), a.conditions, a.exact)


def _joined_sides(x: Side, y: Side, known: Region) -> Side | None:
    """The union of two progressions that overlap or touch."""
    if x.step != y.step:
        return None
    gap = (y.low - x.low).divided_by(x.step)
    if gap is None:
        return None
    if not is_nonnegative(gap, known):
        x, y, gap = y, x, -gap
        if not is_nonnegative(gap, known):
            return None
    if not is_nonnegative(x.length - gap, known):
        return None
    if is_nonnegative(gap + y.length - x.length, known):
        return Side(x.low, gap + y.length, x.step)
    return x if is_nonnegative(x.length - gap - y.length, known) else None


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
    """Inclusion and exclusion over all sets of boxes."""
    pieces: list[Piece] = []
    for size in range(1, len(boxes) + 1):
        for chosen in combinations(boxes, size):
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
            gap = (value - other).constant
            if gap is not None:
                if (gap > 0) == (kind == "max"):
                    best[i] = value
                break
        else:
            best.append(value)
    return best[0] if len(best) == 1 else atoms.extreme(kind, tuple(best))
