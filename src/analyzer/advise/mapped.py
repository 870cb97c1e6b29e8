"""The kernels that a nest may be mapped to, as workloads of the models."""

from msgspec.structs import replace

from models.classes import AlgorithmClass, Pattern
from models.extended.amounts import prepare
from models.extended.mapped import Kernel as Form
from models.quantity import Sizes
from models.variables import IncompleteWorkloadError

from ..facts.loop import Kernel, LoopFacts
from .averages import mean_entry, mean_value
from .workloads import workload_of

Ways = tuple[tuple[tuple[Form, ...], ...], ...]


def ways(loop: LoopFacts, sizes: Sizes) -> Ways:
    """The legal mappings of a loop, those aside of which too little is known; empty where there is only the loop as it
    is written. Each is kernels one after the other, each of them in several forms (`LoopFacts.mappings`)."""
    found = []
    for mapping in loop.mappings:
        stages = [tuple(f for k in stage if (f := _form(k, sizes)) is not None) for stage in mapping]
        if all(stages):
            found.append(tuple(stages))
    return tuple(found)


def _updating_nothing(algorithm: AlgorithmClass) -> AlgorithmClass:
    """A class without outputs that its work-units update together: what looks like it is a copy of each."""
    own = tuple(operand for operand in algorithm.outputs if operand.pattern is not Pattern.SHARED)
    return replace(algorithm, outputs=own) if own else algorithm


def _form(kernel: Kernel, sizes: Sizes) -> Form | None:
    facts = mean_entry(kernel.facts)
    workload = workload_of(facts, (facts,))
    threads, kept = (mean_value(kernel.facts, e) for e in (kernel.threads, kernel.accesses))
    if workload is None or threads is None or kept is None:
        return None
    algorithm = workload.algorithm
    if algorithm is not None and not kernel.facts.parallelism.reductions:
        algorithm = _updating_nothing(algorithm)
    workload = replace(workload, algorithm=algorithm, threads=threads, kept=kept, side=kernel.side)
    try:
        return Form(kernel.text, workload, prepare(workload, sizes), kernel.outermost)
    except (IncompleteWorkloadError, ZeroDivisionError):
        return None
