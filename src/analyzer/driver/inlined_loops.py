"""What models need of the loops of functions that a loop calls: how often they run there, on which memory, and whether
their iterations are independent there.

    static void fill(double *a, long n) { for (long i = 0; i < n; i++) a[i] = 0; }
    for (k = 0; k < t; k++) fill(a, n);          the loop of `fill` is entered t times, and touches 8*n bytes of a

Such a loop is listed where it is defined, with what holds of any call; here it is a part of the loop that calls.
"""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from msgspec.structs import replace

from ..base.places import Place
from ..counts.within import within
from ..dependence.parallel import of_inlined
from ..facts.loop import LoopFacts, Parallelism
from ..ir.nodes import Branch, Function, Loop, Statement, all_loops
from ..polyhedra.effort import Shared, TooMuchWorkError
from ..settings.options import AnalysisOptions

Nest: TypeAlias = tuple[Loop, tuple[Loop, ...]]
"""A loop with those around it."""


def with_inlined_loops(
    shared: Shared, facts: LoopFacts, function: Function, around: tuple[Loop, ...], answers: dict[int, Parallelism],
    options: AnalysisOptions,
) -> LoopFacts:  # fmt: skip
    """The facts of a listed loop with those of the loops of functions that it calls; without them, where nothing can be
    said of its time, or they are too much work. `around`: the loops around it."""
    iterations = facts.counts.iterations
    if iterations is None or iterations.expr is None:
        return facts
    inlined = tuple(_inlined(facts.loop, around))
    if not inlined:
        return facts
    answers = answers | _answers(function, inlined, answers, options)
    found: list[LoopFacts] = []
    by_key = {facts.loop.key: facts}
    try:
        for loop, outside in inlined:
            parent = by_key[outside[-1].key]
            with shared.spending(alone=False) as effort:
                name = f"{facts.id}>{loop.key}"
                by_key[loop.key] = within(function, loop, outside, answers, parent, name, effort)
            found.append(by_key[loop.key])
    except TooMuchWorkError:
        return facts
    return replace(facts, inlined=tuple(found))


def _answers(
    function: Function, inlined: Iterable[Nest], known: dict[int, Parallelism], options: AnalysisOptions
) -> dict[int, Parallelism]:
    """For the innermost of these loops that are not answered: only those become vectors. One answer does for all copies
    of a loop (a function that is called twice)."""
    copies: dict[Place, list[Loop]] = {}
    for loop, _ in inlined:
        if loop.key not in known and len(all_loops(loop)) == 1:
            copies.setdefault(loop.place, []).append(loop)
    if not copies:
        return {}
    found = of_inlined(function, (alike[0] for alike in copies.values()), options)
    return {loop.key: found[alike[0].key] for alike in copies.values() for loop in alike}


def _inlined(loop: Loop, around: tuple[Loop, ...]) -> Iterator[Nest]:
    """The loops of called functions in a loop with those around them, but those in another one that is listed."""
    yield from _inlined_in(loop.body, (*around, loop))


def _inlined_in(body: tuple[Statement, ...], around: tuple[Loop, ...]) -> Iterator[Nest]:
    for s in body:
        if isinstance(s, Loop) and s.inlined:
            yield s, around
            yield from _inlined_in(s.body, (*around, s))
        elif isinstance(s, Branch):
            yield from _inlined_in(s.then, around)
            yield from _inlined_in(s.otherwise, around)
