"""Whether two accesses of a loop meet, by the numbers that are known of a whole program.

*Decides*: whether in two iterations of a loop both get to one place, where the program itself sets all that bounds,
conditions and subscripts are made of. *Method*: each iteration is gone through.
*Errs toward* perhaps: where anything is not known, or there are more than MOST_PLACES. A condition on what is not
known may hold or not.

    int list[] = {3, 1, 2, 0};   for (i = 0; i < 4; i++) x[list[i]] += 1;                  ->  never
"""

from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from typing import TypeAlias

from ..access.accesses import Occurrence
from ..ir.nodes import Anything, Loop
from ..ir.pointer_roots import root
from .known_values import Env, UnknownValueError, Values, Visit
from .meeting import Meets
from .recorded import Step

MOST_PLACES = 20_000

Numbers: TypeAlias = tuple[int, ...]

Beside: TypeAlias = dict[tuple[Numbers, Numbers], list[tuple[int, Numbers]]]
"""By iterations of the loops around, and a place: iterations of a loop, each with another place."""


def meet_by_values(values: Values, loop: Loop, a: Step, b: Step, threads: tuple[Loop, ...]) -> Meets:
    """`threads`: loops over the numbers of threads, of which any is meant. Example: see the module."""
    return _meet(values, (loop, a), (loop, b), threads)


def _meet(values: Values, a: tuple[Loop, Step], b: tuple[Loop, Step], threads: tuple[Loop, ...]) -> Meets:
    """Of iterations of other numbers, each of a step's own loop."""
    x, y = (s.occurrence for _, s in (a, b))
    if _alike(x) != _alike(y) or isinstance(root(x.access.object), Anything):
        return Meets.PERHAPS
    first, last = (visits(values, loop, s, threads) for loop, s in (a, b))
    return Meets.PERHAPS if first is None or last is None else _of(first, last)


def _alike(o: Occurrence) -> tuple[object, ...]:
    """What two accesses have in common of which equal subscripts mean one place."""
    x = o.access
    return x.object, x.field, x.offset, x.size, [s.stride for s in x.subscripts]


def _of(first: list[Visit], last: list[Visit]) -> Meets:
    places: dict[tuple[Numbers, Numbers], list[tuple[int, bool]]] = {}
    for outer, n, place, certain in first:
        places.setdefault((outer, place), []).append((n, certain))
    found = Meets.NEVER
    for outer, n, place, certain in last:
        for m, also in places.get((outer, place), ()):
            if m != n and (certain or also):  # what one rests on may be so
                return Meets.SURELY
            found = Meets.PERHAPS if m != n else found
    return found


def visits(values: Values, loop: Loop, s: Step, threads: tuple[Loop, ...]) -> list[Visit] | None:
    """Where an access gets in each iteration; None where that is not known."""
    key = (loop.key, s.at, s.clause)
    if key not in values.seen:
        values.seen[key] = None
        with suppress(UnknownValueError):
            values.seen[key] = [visit for visit, _ in _visits(values, loop, s, {each.key for each in threads})]
    return values.seen[key]


def meet_in_two_loops(
    values: Values, a: tuple[Loop, Step], b: tuple[Loop, Step], threads: tuple[Loop, ...]
) -> Meets:
    """Of an iteration of each of two loops, in one round of the loops around both: of another number, as those of one
    number may be done by one thread."""
    around = [s.occurrence.loops[: s.occurrence.loops.index(loop)] for loop, s in (a, b)]
    found = _meet(values, a, b, threads) if around[0] == around[1] else Meets.PERHAPS
    return found if found is Meets.SURELY else Meets.PERHAPS


def meet_behind_other_locks(
    values: Values, loop: Loop, a: tuple[Step, Occurrence], b: tuple[Step, Occurrence], threads: tuple[Loop, ...]
) -> bool:
    """Whether in two iterations of a loop both certainly get to one place, each with a lock of its own: where that is
    stands beside the access."""
    with suppress(UnknownValueError):
        first, last = (_beside(values, loop, *each, {loop.key for loop in threads}) for each in (a, b))
        met = (pair for key in first.keys() & last for pair in product(first[key], last[key]))
        return any(m != n and lock != other for (m, lock), (n, other) in met)
    return False


def _beside(values: Values, loop: Loop, s: Step, lock: Occurrence, threads: set[int]) -> Beside:
    """By where an access certainly gets, and the iterations of the loops around: the iterations of the loop, each with
    the place of the lock. Raises the error."""
    if lock.loops != s.occurrence.loops[: len(lock.loops)]:
        raise UnknownValueError
    begin = values.record.extents[s.occurrence.loops[0].key][0]
    found: Beside = {}
    for (outer, n, place, certain), env in _visits(values, loop, s, threads):
        if certain:
            found.setdefault((outer, place), []).append((n, values.place(lock.access, env, begin)))
    return found


def _visits(values: Values, loop: Loop, s: Step, threads: set[int]) -> Iterator[tuple[Visit, Env]]:
    begin = values.record.extents[s.occurrence.loops[0].key][0]
    loops = tuple(each for each in s.occurrence.loops if each.key not in threads)
    at = [each.key for each in loops].index(loop.key)
    for count, env in enumerate(_rounds(values, loops, {}, begin)):
        if count > MOST_PLACES:
            raise UnknownValueError
        certain = _is_done(values, s, env, begin)
        if certain is not False:
            numbers = tuple(env[each.counter] for each in loops)
            yield (numbers[:at], numbers[at], values.place(s.occurrence.access, env, begin), bool(certain)), env


def _rounds(values: Values, loops: tuple[Loop, ...], env: Env, before: int) -> Iterator[Env]:
    if not loops:
        yield env
        return
    for n in range(values.trip(loops[0], env, before)):
        yield from _rounds(values, loops[1:], {**env, loops[0].counter: n}, before)


def _is_done(values: Values, s: Step, env: Env, before: int) -> bool | None:
    """Whether its conditions hold; None where that is not known."""
    known: bool | None = True
    for guard in s.conditions:
        try:
            if not values.holds(guard.predicate, env, before):
                return False
        except UnknownValueError:
            known = None
    return known
