"""The times of a loop as formulas of all its sizes, so that a page can compute them again for other ones."""

from msgspec import Struct

from models.expr import Expr
from models.parameters import Parameters
from models.prediction import Prediction, Refusal
from models.quantity import Sizes
from models.variables import IncompleteWorkloadError, complexity, gpu_variables
from models.workload import Workload

from ..facts.loop import LoopFacts
from .candidates import Candidates, Today, candidates
from .context import Context
from .workloads import units_of


class Hull(Struct, frozen=True):
    """What the boat hull equations are of."""

    element_type: str
    variables: Parameters
    complexity: Expr


class Formulas(Struct, frozen=True):
    """`predictions` with no size known; `units` that can run at once; `hull` where the variables are known; `refusals`:
    those that no size changes."""

    predictions: tuple[Prediction, ...]
    units: Expr | None
    hull: Hull | None
    today: Today
    refusals: tuple[Refusal, ...] = ()


def formulas(
    loop: LoopFacts, nest: tuple[LoopFacts, ...], workload: Workload, known: Candidates, now: Today,
    context: Context, sizes: Sizes,
) -> Formulas | None:  # fmt: skip
    """`known`: the candidates at `sizes`, used as they are where no size is given. None where there is no time."""
    found = candidates(loop, nest, workload, now, context, {}, sizes) if sizes else known
    if not found.predictions:
        return None
    parallel = loop.parallelism.is_parallel
    return Formulas(
        tuple(p for p in found.predictions if p.candidate != "split"),
        units_of(workload) if parallel else None,
        _hull(workload) if parallel else None,
        now,
        tuple(a for a in (*found.targets, found.threads) if isinstance(a, Refusal)),
    )


def _hull(workload: Workload) -> Hull | None:
    try:
        variables = gpu_variables(workload)
    except IncompleteWorkloadError:  # the page draws no hull then, and all else without it
        return None
    return Hull(workload.element_type, variables, complexity(workload, variables).likely)
