"""A nest that no source has, as models take it: the facts of its loops that times depend on."""

from collections.abc import Mapping

from msgspec.structs import replace

from .. import counts, species
from ..counts.entries import changing
from ..counts.nest import build
from ..counts.within import unasked, within
from ..facts.loop import LoopFacts, Parallelism
from ..ir.blocks import nests
from ..ir.nodes import Function, Loop
from ..polyhedra.effort import Effort
from ..settings.options import AnalysisOptions
from ..species import classes


def timed(
    function: Function, root: Loop, answers: Mapping[int, Parallelism], like: LoopFacts, effort: Effort,
    options: AnalysisOptions, around: tuple[Loop, ...] = (),
) -> tuple[LoopFacts, ...]:  # fmt: skip
    """The facts of a nest of the function, of its outermost loop first: of that its class and all counts, of those
    inside how often they run and what they touch. `like`: the loop that it stands in place of, inside of those
    `around`. Raises TooMuchWorkError.

    Example: `timed(changed, nest, answers, facts, Effort(60_000), options)[0].counts.iterations`."""
    nest = build(function, root, around, effort)
    algorithm = classes.algorithm_class(nest, answers)
    outermost = replace(
        like,
        loop=root,
        parallelism=answers.get(root.key, unasked(root)),
        algorithm=algorithm,
        species=species.species(nest, answers),
        arrays=counts.arrays(nest, answers),
        conditions=counts.conditions(nest),
        counts=counts.count(nest, answers, options.count_as, algorithm),
        changing=changing(nest),
        alternatives=(),
        mappings=(),
        inlined=(),
    )
    found = {root.key: outermost}
    for loop, outside in nests(root.body, (*around, root)):
        parent, name = found[outside[-1].key], f"{like.id}~{root.key}>{loop.key}"
        found[loop.key] = within(function, loop, outside, answers, parent, name, effort)
    nested = tuple(found.values())
    return (replace(outermost, nest=tuple(each.id for each in nested)), *nested[1:])
