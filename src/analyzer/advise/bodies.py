"""The bodies of a nest: what each of its loops does itself, per iteration."""

from collections.abc import Iterable, Iterator

from models.expr import Expr, div, mul
from models.incore import Accesses, Body, Pace

from ..facts.loop import LoopFacts, with_inlined
from ..incore.body import Done, done_in
from ..incore.courses import paces
from ..incore.unrolling import is_unrolled
from ..incore.vectors import vectors_of
from ..incore.ways import longest_cycle
from ..ir.nodes import loops
from .likely import expr_of


def bodies(loop: LoopFacts, nest: tuple[LoopFacts, ...]) -> tuple[Body, ...]:
    """Of every loop of the nest of `loop`, those of functions that it calls among them, but those that are unrolled
    into the one around; empty where how often one iterates is not known."""
    nest = with_inlined(nest)
    listed = {each.loop.key for each in nest}
    if any(inner.key not in listed for inner in loops((loop.loop,))):
        return ()
    found = []
    by_id = {each.id: each for each in nest}
    unrolled = {each.id for each in nest if each.id != loop.id and _is_part_of_outer(each, nest)}
    for each in nest:
        if each.id in unrolled:
            continue
        times = _times(each, loop)
        if times is None:
            return ()
        innermost = all(child in unrolled for child in _children(each, nest))
        around = by_id.get(each.parent or "") if each.id != loop.id else None
        found.append(_body(each, times, innermost, around if innermost else None, loop))
    return tuple(found)


def _times(loop: LoopFacts, outermost: LoopFacts) -> tuple[Expr, Expr, Expr] | None:
    """Iterations in one entry of the outermost loop, and in one entry of its own, and how many of these there are."""
    counts = (loop.counts.trip_count, loop.counts.executions, outermost.counts.executions)
    trip, entries, all_entries = map(expr_of, counts)
    if trip is None or entries is None or all_entries is None:
        return None
    try:
        each = div(entries, all_entries)
        return mul(trip, each), trip, each
    except ZeroDivisionError:
        return None


def _is_part_of_outer(loop: LoopFacts, nest: Iterable[LoopFacts]) -> bool:
    return is_unrolled(loop.loop) and all(is_unrolled(each.loop) for each in nest if each.parent == loop.id)


def _children(loop: LoopFacts, nest: Iterable[LoopFacts]) -> Iterator[str]:
    return (each.id for each in nest if each.parent == loop.id)


def _body(
    loop: LoopFacts, times: tuple[Expr, Expr, Expr], innermost: bool, around: LoopFacts | None, outermost: LoopFacts
) -> Body:
    weights = {c.line: c.weight for c in loop.conditions}
    done = done_in(loop.loop, weights)
    vectors, why = vectors_of(loop, done, around) if innermost else ("never", "it has loops within")
    side_by_side = vectors == "compiled" and vectors_of(loop, done)[0] != "compiled"
    return Body(
        iterations=times[0],
        trip=times[1],
        entries=times[2],
        work=tuple(sorted(done.work.items())),
        masked=tuple(sorted(done.masked.items())),
        accesses=tuple(_accesses(done, side_by_side)),
        way=longest_cycle(done.edges) if innermost else (),
        element=max([done.element, *(t.access.size for t in done.touched)], default=0),
        vectors=vectors,
        why=why,
        across=side_by_side and around is not None and around.id == outermost.id,
        needs=done.needs,
    )


def _accesses(done: Done, side_by_side: bool) -> Iterator[Accesses]:
    """`side_by_side`: a vector has iterations of the loop around, to which all is next to each other, or the same."""
    number: dict[tuple[bool, Pace, int, int], tuple[float, float]] = {}
    for t, how, beside in paces(done.touched):
        key = t.is_store, "unit" if side_by_side else how, t.access.size, beside
        so_far, shifted = number.get(key, (0.0, 0.0))
        number[key] = so_far + t.share, shifted + t.share * (beside == 1 and t.course.is_shifted)
    for (is_store, how, width, beside), (n, shifted) in sorted(number.items()):
        yield Accesses("store" if is_store else "load", how, width, n, beside, shifted)
