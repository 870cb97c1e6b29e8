"""Other forms of nests that do the same in less time: loops exchanged, divided, and made one.

*Decides*: which forms are legal, what has to be written, and what the nests are then, for the models: whether a form
pays is theirs to say (`advise.ways`). One form per module: `exchange`, `distribution`, `fusion`; `timed` has the facts
of a nest that no source has, `words` what to say.
*Errs toward* nothing: each form rests on answers of the dependence analysis.

    for j for i a[i][j] = 0;        for i for j a[i][j] = 0;
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import TypeAlias

from ..counts.nest import Nest
from ..facts.loop import Alternative, Changed, LoopFacts, Parallelism
from ..ir.nodes import Branch, Loop, Statement, loops
from ..polyhedra.effort import Effort, TooMuchWorkError
from ..settings.options import AnalysisOptions
from .distribution import Distributed, distributed
from .exchange import Exchanged, exchanged
from .fusion import Fused, bodies, fused
from .timed import timed
from .words import of_distribution, of_exchange, of_fusion

MOST_STEPS = 60_000
"""Steps for all forms of one nest (`polyhedra.effort`)."""

MOST_FORMS = 3
"""Of one kind: each takes about as long as the counts of the nest itself."""

Answers: TypeAlias = Mapping[int, Parallelism]
Nests: TypeAlias = tuple[tuple[LoopFacts, ...], ...]


def transformations(
    nest: Nest, facts: LoopFacts, answers: Answers, options: AnalysisOptions
) -> tuple[Alternative, ...]:
    """The forms of a loop: of one that is not parallel its parts; of one that is in no other loop those of its whole
    nest, and of loops behind it with it.

    Example: of `for j { for i a[i][j] = 0; }` one of kind `interchange`."""
    found: list[Alternative] = []
    with suppress(TooMuchWorkError):
        for alternative in _forms(nest, facts, answers, options):
            found.append(alternative)
    return tuple(found)


def _forms(nest: Nest, facts: LoopFacts, answers: Answers, options: AnalysisOptions) -> Iterator[Alternative]:
    effort = Effort(MOST_STEPS)

    def as_taken(made: Exchanged | Fused | Distributed, roots: Iterable[Loop], around: tuple[Loop, ...] = ()) -> Nests:
        return tuple(timed(made.function, root, made.answers, facts, effort, options, around) for root in roots)

    parted = distributed(nest, answers, options)
    if parted is not None:
        changed = Changed((nest.loop.key,), as_taken(parted, parted.parts, nest.around))
        yield Alternative("distribution", *of_distribution(parted), changed=changed)
    if nest.around:
        return
    for made in islice(exchanged(nest, answers), MOST_FORMS):
        changed = Changed((nest.loop.key,), as_taken(made, made.roots))
        yield Alternative("interchange", *of_exchange(made), changed=changed)
    for one in islice(_fused(nest, answers, options), MOST_FORMS):
        replaced = tuple(each.key for each in one.loops) if one.loops[0] is nest.loop else (nest.loop.key,)
        roots = [each for each in loops(one.function.body) if each.key == nest.loop.key]
        yield Alternative("fusion", *of_fusion(one), changed=Changed(replaced, as_taken(one, roots)))


def _fused(nest: Nest, answers: Answers, options: AnalysisOptions) -> Iterator[Fused]:
    """Of the loops in the nest, and of those that begin with it."""
    yield from fused(nest.function, bodies(nest.loop), answers, options)
    beside = _holding(nest.function.body, nest.loop)
    for made in fused(nest.function, iter((beside,)), answers, options):
        if made.loops[0] is nest.loop:
            yield made


def _holding(body: tuple[Statement, ...], loop: Loop) -> tuple[Statement, ...]:
    """The statements that a loop which is in no other one stands between."""
    if any(s is loop for s in body):
        return body
    inside = (arm for s in body if isinstance(s, Branch) for arm in (s.then, s.otherwise))
    return next((found for arm in inside if (found := _holding(arm, loop))), ())
