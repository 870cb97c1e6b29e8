"""What is worked out of one loop beyond its parallelism: class, species, idioms, counts, in a bounded number of steps.

Most loops take a few thousand steps. A nest of hundreds of objects behind as many conditions on sizes would take
minutes, for formulas that nobody reads: its loops, as far as the steps do not suffice, say so and have none.
"""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from models.expr import size

from ..facts.loop import NO_COUNTS, Alternative, Kernel, LoopFacts, Parallelism, Reason, Verdict
from ..facts.network import Network
from ..facts.on_device import OnDevice
from ..ir.nodes import Function, Loop
from ..ir.reasons import ReasonCode
from ..polyhedra.effort import MOST_STEPS, Effort, Shared, TooMuchWorkError
from ..settings.options import AnalysisOptions
from ..source.unit import Abi

if TYPE_CHECKING:
    from ..clauses.site import Site
    from ..counts.nest import Nest

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
    options: AnalysisOptions,
    abi: Abi | None = None,
) -> LoopFacts:
    """The facts of a loop with class, species, idioms and counts, in the steps that are left for its nest; where these
    do not suffice, with none of them, and the reason `too-complex`. `answers`: of all loops of the function, by key;
    `abi`: given where the function calls MPI, for what is sent.

    Example: `worked_out(Shared(MOST_STEPS), facts, function, (), answers, AnalysisOptions()).counts.iterations`."""
    from ..counts.nest import build

    try:
        with shared.spending(alone=not around and len(facts.nest) == 1) as effort:
            return _counted(facts, build(function, facts.loop, around, effort), answers, options, abi)
    except TooMuchWorkError:
        return replace(facts, unclassified=Reason(ReasonCode.TOO_COMPLEX, TOO_MUCH_WORK, facts.place.line))


def needs_of(facts: LoopFacts, site: "Site", function: Function, around: tuple[Loop, ...]) -> OnDevice | None:
    """What a device needs to run a loop that is parallel, or has such loops, at `site`; None for others, where nothing
    was counted, and where `MOST_STEPS` do not suffice."""
    from ..counts.nest import build
    from ..on_device import on_device

    if facts.counts == NO_COUNTS or not (facts.parallelism.is_parallel or facts.parallel_loops):
        return None
    if facts.supposing and not facts.tested:
        return OnDevice(refused="what it uses is known only under conditions of the loop around it")
    try:
        nest = build(function, facts.loop, around, Effort(MOST_STEPS))
        return on_device(site, nest, facts.parallelism, facts.arrays)
    except TooMuchWorkError:
        return None


def _counted(
    facts: LoopFacts,
    nest: "Nest",
    answers: dict[int, Parallelism],
    options: AnalysisOptions,
    abi: Abi | None,
) -> LoopFacts:
    """With class, idioms and counts. Raises TooMuchWorkError where these take more than the effort of the nest."""
    from .. import counts, idioms, species
    from ..counts import checks
    from ..counts.entries import changing
    from ..species import classes

    algorithm = classes.algorithm_class(nest, answers)
    counted = counts.count(nest, answers, options.count_as, algorithm)
    if any(size(formula) > LARGEST_FORMULA for formula in counted.formulas):
        raise TooMuchWorkError
    found = replace(
        facts,
        outermost=nest.around[0] if nest.around else None,
        changing=changing(nest),
        algorithm=algorithm,
        species=species.species(nest, answers),
        unclassified=species.refusal(nest, answers),
        network=None if abi is None else _sent(nest, abi),
        idioms=idioms.recognise(nest),
        arrays=counts.arrays(nest, answers),
        conditions=counts.conditions(nest),
        tested=checks.tested(nest, facts.parallelism.conditions),
        counts=counted,
    )
    mapped = _mappings(nest, found, answers, options)
    alternatives = (*_alternatives(nest, found, answers, options), *_transformations(nest, found, answers, options))
    return replace(found, alternatives=alternatives, mappings=mapped)


def _mappings(
    nest: "Nest", facts: LoopFacts, answers: dict[int, Parallelism], options: AnalysisOptions
) -> tuple[tuple[tuple[Kernel, ...], ...], ...]:
    """How a parallel nest may be mapped to a device; nothing where no steps are left to find out, or nobody asks."""
    if not options.mapped:
        return ()
    from ..mapping import mappings

    try:
        return mappings(nest, facts, answers, options)
    except TooMuchWorkError:
        return ()


def _alternatives(
    nest: "Nest", facts: LoopFacts, answers: dict[int, Parallelism], options: AnalysisOptions
) -> tuple[Alternative, ...]:
    """What an expert does with a loop that is not parallel; nothing where no steps are left to find out."""
    if facts.parallelism.verdict is not Verdict.NO:
        return ()
    from ..alternatives import alternatives

    try:
        return alternatives(nest, facts, {key: answer.verdict for key, answer in answers.items()}, options)
    except TooMuchWorkError:
        return ()


def _transformations(
    nest: "Nest", facts: LoopFacts, answers: dict[int, Parallelism], options: AnalysisOptions
) -> tuple[Alternative, ...]:
    """Forms of a loop, or of a whole nest, that may be faster."""
    if facts.supposing:
        return ()
    from ..transformations import transformations

    return transformations(nest, facts, answers, options)


def _sent(nest: "Nest", abi: Abi) -> Network | None:
    """What one entry of the loop sends; None where nothing is sent, or no steps are left to find out."""
    from ..mpi.analysis import of_loop

    try:
        return of_loop(nest, abi)
    except TooMuchWorkError:
        return None
