"""What models need of a loop inside of others that no report lists: how often it runs, what it touches, and whether its
iterations are independent.

Such are the loops of functions that a loop calls, and those of nests that no source has."""

from collections.abc import Mapping

from ..facts.loop import Counts, LoopFacts, Parallelism, Reason, Verdict
from ..ir.nodes import Function, Loop
from ..ir.reasons import ReasonCode
from ..polyhedra.effort import Effort
from . import arrays, conditions, trips
from .entries import changing
from .nest import build

UNASKED = "whether its iterations are independent was not asked here"


def within(
    function: Function, loop: Loop, around: tuple[Loop, ...], answers: Mapping[int, Parallelism], parent: LoopFacts,
    name: str, effort: Effort,
) -> LoopFacts:  # fmt: skip
    """The facts of one loop. `parent`: those of the loop right around it; `name`: its id. Raises TooMuchWorkError.

    Example: `within(function, inner, (outer,), answers, facts_of_outer, "a.c:f:3:5>7", effort).counts.trip_count`."""
    nest = build(function, loop, around, effort)
    of = Counts(
        trip_count=trips.trip_count(nest),
        executions=trips.executions(function, loop, around),
        iterations=trips.iterations(nest),
    )
    return LoopFacts(
        id=name,
        function=parent.function,
        place=loop.place,
        end_line=loop.end_line,
        parent=parent.id,
        depth=parent.depth + 1,
        nest=(),
        parallel_loops=(),
        loop=loop,
        lower=None,
        upper=None,
        step=None,
        parallelism=answers.get(loop.key, unasked(loop)),
        arrays=arrays(nest, answers),
        conditions=conditions(nest),
        counts=of,
        outermost=around[0],
        changing=changing(nest),
        supposing=parent.supposing,
    )


def unasked(loop: Loop) -> Parallelism:
    """The answer for a loop that nobody asked about."""
    return Parallelism(Verdict.UNKNOWN, reason=Reason(ReasonCode.TOO_COMPLEX, UNASKED, loop.place.line))
