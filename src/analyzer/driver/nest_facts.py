"""What is worked out of one loop beyond its parallelism: class, species, idioms, counts, in a bounded number of steps.

Most loops take a few thousand steps. A nest of hundreds of objects behind as many conditions on sizes would take
minutes, for formulas that nobody reads: its loops, as far as the steps do not suffice, say so and have none.
"""

from msgspec.structs import replace

from models.expr import size

from ..facts.loop import LoopFacts, Parallelism, Reason
from ..ir.nodes import Function, Loop
from ..ir.reasons import ReasonCode
from ..polyhedra.effort import Effort, Shared, TooMuchWorkError
from ..settings.options import CountAs

LARGEST_FORMULA = 8000
"""Numbers and symbols in one count: forty pages of text. NPB takes 1142, SQLite 6025; what a QR decomposition in blocks
of four columns would need is 25 000."""

TOO_MUCH_WORK = "what it does and touches depends on too many conditions and sizes to be worked out"
"""Of a loop for which the steps do not suffice."""


def worked_out(
    shared: Shared,
    facts: LoopFacts,
    function: Function,
    around: tuple[Loop, ...],
    answers: dict[int, Parallelism],
    count_as: CountAs,
) -> LoopFacts:
    """The facts of a loop with class, species, idioms and counts, in the steps that are left for its nest; where these
    do not suffice, with none of them, and the reason `too-complex`. `answers`: of all loops of the function, by key.

    Example: `worked_out(Shared(MOST_STEPS), facts, function, (), answers, "definitions").counts.iterations`."""
    try:
        with shared.spending(alone=not around and len(facts.nest) == 1) as effort:
            return _counted(facts, function, around, answers, count_as, effort)
    except TooMuchWorkError:
        return replace(facts, unclassified=Reason(ReasonCode.TOO_COMPLEX, TOO_MUCH_WORK, facts.place.line))


def _counted(
    facts: LoopFacts,
    function: Function,
    around: tuple[Loop, ...],
    answers: dict[int, Parallelism],
    count_as: CountAs,
    effort: Effort,
) -> LoopFacts:
    """With class, idioms and counts. Raises TooMuchWorkError where these take more than `effort`."""
    from .. import counts, idioms, species
    from ..counts.entries import changing
    from ..counts.nest import build
    from ..species import classes

    loop = facts.loop
    build(function, loop, around, effort)
    algorithm = classes.algorithm_class(function, loop, around, answers)
    counted = counts.count(function, loop, around, answers, count_as, algorithm)
    if any(size(formula) > LARGEST_FORMULA for formula in counted.formulas):
        raise TooMuchWorkError
    return replace(
        facts,
        outermost=around[0] if around else None,
        changing=changing(build(function, loop, around), around),
        algorithm=algorithm,
        species=species.species(function, loop, around, answers),
        unclassified=species.refusal(function, loop, around, answers),
        idioms=idioms.recognise(function, loop, around, answers, effort),
        arrays=counts.arrays(function, loop, around, answers),
        conditions=counts.conditions(loop),
        counts=counted,
    )
