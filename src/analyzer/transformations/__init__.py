"""Other forms of nests that do the same in less time: loops exchanged, divided, and made one.

*Decides*: which forms are legal, what has to be written, and what the nests are then, for the models: whether a form
pays is theirs to say (`advise.ways`). One form per module: `exchange`, `distribution`, `fusion`; `timed` has the facts
of a nest that no source has, `words` what to say.
*Errs toward* nothing: each form rests on answers of the dependence analysis.

    for j for i a[i][j] = 0;        for i for j a[i][j] = 0;
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import TypeAlias

from ..counts.nest import Nest
from ..facts.loop import Alternative, Changed, LoopFacts
from ..ir.nodes import Branch, Loop, Statement, all_loops, loops, statements
from ..mapping.arrangements import Answers
from ..polyhedra.effort import Effort, TooMuchWorkError
from ..settings.options import AnalysisOptions
from .distribution import Distributed, distributed
from .exchange import Exchanged, exchanged
from .fusion import Fused, bodies, fused, runs
from .plans import of_one, of_order, of_parts
from .timed import timed
from .words import of_distribution, of_exchange, of_fusion

MOST_STEPS = 60_000
"""Steps for all forms of one nest (`polyhedra.effort`)."""

MOST_FORMS = 3
"""Of one kind: each takes about as long as the counts of the nest itself."""

MOST_STATEMENTS = 600
"""Of a function: each question looks at all of it."""

Nests: TypeAlias = tuple[tuple[LoopFacts, ...], ...]


def transformations(
    nest: Nest, facts: LoopFacts, answers: Answers, options: AnalysisOptions
) -> tuple[Alternative, ...]:
    """The forms of a loop: of one that is not parallel its parts; of one that is in no other loop those of its whole
    nest, and of loops behind it with it.

    Example: of `for j { for i a[i][j] = 0; }` one of kind `interchange`."""
    found: list[Alternative] = []
    if sum(1 for _ in islice(statements(nest.function.body), MOST_STATEMENTS + 1)) > MOST_STATEMENTS:
        return ()
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
        yield Alternative("distribution", *of_distribution(parted), changed=changed, plan=of_parts(parted, nest))
    if nest.around:
        return
    for made in islice(exchanged(nest, answers), MOST_FORMS):
        changed = Changed((nest.loop.key,), as_taken(made, made.roots))
        yield Alternative("interchange", *of_exchange(made), changed=changed, plan=of_order(made, nest))
    for one in islice(_fused(nest, answers, options), MOST_FORMS):
        is_inside = any(one.loops[0] is loop for loop in all_loops(nest.loop)[1:])
        replaced = (nest.loop.key,) if is_inside else tuple(each.key for each in one.loops)
        roots = [each for each in loops(one.function.body) if each.key == replaced[0]]
        changed = Changed(replaced, as_taken(one, roots))
        yield Alternative("fusion", *of_fusion(one), changed=changed, plan=of_one(one))


def _fused(nest: Nest, answers: Answers, options: AnalysisOptions) -> Iterator[Fused]:
    """Of the loops in the nest, and of a run of loops that begins with it."""
    within = (run for body in bodies(nest.loop) for run in runs(body, answers))
    beside = (run for run in runs(_holding(nest.function.body, nest.loop), answers) if run[0] is nest.loop)
    for run in (*within, *beside):
        yield from fused(nest.function, run, answers, options)


def _holding(body: tuple[Statement, ...], loop: Loop) -> tuple[Statement, ...]:
    """The statements that a loop which is in no other one stands between."""
    if any(s is loop for s in body):
        return body
    inside = (arm for s in body if isinstance(s, Branch) for arm in (s.then, s.otherwise))
    return next((found for arm in inside if (found := _holding(arm, loop))), ())
