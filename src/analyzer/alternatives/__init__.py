"""What an expert does with a loop whose iterations have an order: another algorithm, another order, a copy.

*Decides*: for a loop that is not parallel, which known ways to run it in parallel apply, what they need, and why the
program stays equal or what changes. One way per module: `prefix` (scans, linear recurrences), `wavefront` (skewing,
colours), `copied` (reads from a copy), `lanes` (groups of iterations), `search` (early exits), `compaction` (lists of
what is kept), `nodes` (linked lists). `variant` asks whether the loop would be parallel but for one part of it;
`distances` has the distance vectors.
*Errs toward* nothing: what stands beside the part must be parallel, and every dependence must be known.
*Does not handle*: loops that only a distribution into several frees.

    for (i = 1; i < n; i++) s[i] = s[i-1] + a[i];        ->  scan
    for (i...) for (j...) a[i][j] = a[i-1][j] + a[i][j-1];        ->  wavefront over i + j
"""

from collections.abc import Callable

from ..counts.nest import Nest
from ..facts.loop import Alternative, LoopFacts, Verdict
from ..ir.nodes import statements
from ..settings.options import AnalysisOptions
from . import compaction, copied, lanes, nodes, prefix, search, wavefront
from .variant import Variants

Finder = Callable[[Variants, LoopFacts], tuple[Alternative, ...]]

FINDERS: tuple[Finder, ...] = (
    prefix.found,
    wavefront.found,
    copied.found,
    lanes.found,
    compaction.found,
    search.found,
    nodes.found,
)

MOST_STATEMENTS = 600
"""Of a function: each try analyses all of it once more."""


def alternatives(
    nest: Nest, facts: LoopFacts, verdicts: dict[int, Verdict], options: AnalysisOptions
) -> tuple[Alternative, ...]:
    """The ways that apply to a loop, the plainest first. `verdicts`: of all loops of the function, by key. Raises
    TooMuchWorkError where the effort of the nest is spent.

    Example: see the package."""
    if facts.parallelism.verdict is not Verdict.NO or facts.parallelism.reason is None:
        return ()
    if sum(1 for _ in statements(nest.function.body)) > MOST_STATEMENTS:
        return ()
    variants = Variants(nest, verdicts, options)
    return tuple(each for finder in FINDERS for each in finder(variants, facts))
