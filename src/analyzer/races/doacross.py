"""Iterations that wait for others: `ordered depend(sink: i - 1)` and `ordered depend(source)`.

*Decides*: whether two steps of a loop with `ordered(n)` are done in the order of its iterations wherever they get to
one place, or certainly not.
*Method*: the step from the earlier iteration to the later one is a vector of numbers, as is each wait; the later one
comes after the earlier one where waits, and iterations of inner loops, which one thread does in order, add up to it.
*Errs toward* perhaps: where the step is not known, or the iterations in between may be none of the loop.

    #pragma omp for ordered(1)
    for (i...) {  #pragma omp ordered depend(sink: i - 1)
                  a[i] = a[i - 3];                                           ->  in order: 1 + 1 + 1
                  #pragma omp ordered depend(source)  }
"""

from collections.abc import Iterator

from ..ir.nodes import Loop
from .constructs import Construct, Role
from .depend import Order
from .directive import constant
from .recorded import Entered, Point, Recorded, Step

MOST_ROUNDABOUT = 6
"""How far beyond the two iterations the ones in between may be."""

ITERATION_BEFORE = "omp_cur_iteration-1"
"""Of the loops together, whatever their steps (OpenMP 5.2 15.9.7)."""

Vector = tuple[int, ...]


def order_of_iterations(record: Recorded, loop: Entered, a: Step, b: Step) -> Order:
    """Whether two steps in a divided loop are done in the order of its iterations. Example: see the module."""
    count = loop.construct.directive.number("ordered")
    points = [p for p in record.points if p.construct.role is Role.DOACROSS and loop.arm in [e.arm for e in p.inside]]
    if not points:
        return Order.NO
    loops = a.occurrence.loops[loop.depth : loop.depth + (count or 0)]
    releases = [p for p in points if _releases(p.construct)]
    certain = all(p.conditions == loop.conditions for p in points)
    if not count or len(loops) != count or len(releases) != 1 or not certain:
        return Order.PERHAPS
    waits = [(p, v) for p in points if p is not releases[0] for v in _waits(p, loops)]
    if any(v is None for _, v in waits):
        return Order.PERHAPS
    known = [(p, v) for p, v in waits if v is not None]
    if len(loops) == 1 and _is_always_in_order(releases[0], known, a, b):
        return Order.YES
    step, divided = _step(loops, a, b), loop.construct.associated
    if step is None or divided is None or not any(step[:divided]):
        return Order.PERHAPS
    earlier, later = (a, b) if step > (0,) * count else (b, a)
    forward = step if earlier is a else tuple(-n for n in step)
    if earlier.at > releases[0].at:
        return Order.NO
    usable = {v for p, v in known if p.at < min(later.at, releases[0].at)}
    of_one_thread = {tuple(int(k == i) for k in range(count)) for i in range(divided, count)}
    return _order(usable | of_one_thread, forward)


def _order(usable: set[Vector], step: Vector) -> Order:
    if _add_up(usable, step, 0):
        return Order.YES
    return Order.PERHAPS if _add_up(usable, step, MOST_ROUNDABOUT) else Order.NO


def _is_always_in_order(release: Point, waits: list[tuple[Point, Vector]], a: Step, b: Step) -> bool:
    """Whether each iteration waits for the one before, before both, and releases behind both."""
    first = min((p.at for p, v in waits if v == (1,)), default=None)
    return first is not None and all(first < s.at < release.at for s in (a, b))


def _waits(point: Point, loops: tuple[Loop, ...]) -> Iterator[Vector | None]:
    """How many iterations back it waits, in each loop; None where that is not known."""
    for clause in point.construct.directive.named("depend", "doacross"):
        kind, _, rest = "".join((clause.argument or "").split()).partition(":")
        if kind == "sink":
            if rest == ITERATION_BEFORE and len(loops) == 1:
                yield (1,)
                continue
            parts = rest.split(",")
            back = [_back(part, loop) for part, loop in zip(parts, loops, strict=False)]
            numbers = tuple(n for n in back if n is not None)
            yield numbers if len(numbers) == len(loops) == len(parts) else None


def _back(part: str, loop: Loop) -> int | None:
    step = None if loop.step is None else loop.step.constant
    if loop.variable is None or not part.startswith(loop.variable) or not step:
        return None
    rest = part.removeprefix(loop.variable).removeprefix("+")
    added = 0 if not rest else constant(rest)
    return None if added is None or added % step else -added // step


def _releases(construct: Construct) -> bool:
    clauses = construct.directive.named("depend", "doacross")
    return any((c.argument or "").strip().startswith("source") for c in clauses)


def _step(loops: tuple[Loop, ...], a: Step, b: Step) -> Vector | None:
    """How many iterations of each loop `b` comes after `a` where both get to one place; None where that is not one
    number each."""
    x, y = a.occurrence.access, b.occurrence.access
    if x.object != y.object or len(x.subscripts) != len(y.subscripts):
        return None
    found: dict[Loop, int] = {}
    for s, t in zip(x.subscripts, y.subscripts, strict=True):
        moved = [loop for loop in loops if loop.counter in s.index.symbols]
        gap = (s.index - t.index).constant
        factor = s.index.coefficient(moved[0].counter).constant if len(moved) == 1 else None
        if gap is None or not factor or gap % factor or found.get(moved[0], gap // factor) != gap // factor:
            return None
        found[moved[0]] = gap // factor
    return tuple(found[loop] for loop in loops) if len(found) == len(loops) else None


def _add_up(vectors: set[Vector], whole: Vector, beyond: int) -> bool:
    """Whether some of them, each as often as one likes, add up to the whole; `beyond`: how far sums on the way may lie
    outside of the box of the two ends."""
    start = (0,) * len(whole)
    box = [range(min(0, n) - beyond, max(0, n) + beyond + 1) for n in whole]
    reached, left = {start}, [start]
    while left:
        here = left.pop()
        for vector in vectors:
            there = tuple(n + m for n, m in zip(here, vector, strict=True))
            if there == whole:
                return True
            if there not in reached and all(n in allowed for n, allowed in zip(there, box, strict=True)):
                reached.add(there)
                left.append(there)
    return False
