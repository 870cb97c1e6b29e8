"""The boat hull variables of a workload: of its class where it has one, else from what was counted."""

from typing import Literal, TypeAlias

from .expr import ONE, ZERO, Expr, add, mul, num
from .parameters import Parameters, gpu_parameters, on_cpu
from .quantity import Quantity, exactly
from .workload import ArrayUse, Workload

Transfer: TypeAlias = Literal["class", "sections", "none"]


class IncompleteWorkloadError(ValueError):
    """A workload with neither a class nor the counts to do without one."""


def gpu_variables(workload: Workload) -> Parameters:
    """IncompleteWorkloadError where there is neither a class nor parallel iterations and footprints."""
    if workload.algorithm is not None:
        return gpu_parameters(workload.algorithm, workload.widths)
    return _counted(workload)


def cpu_variables(workload: Workload) -> Parameters:
    """As `gpu_variables`, with the offset and accesses of CPUs."""
    return on_cpu(gpu_variables(workload))


def complexity(workload: Workload, variables: Parameters) -> Quantity:
    """f, operations per application of the operator: as given, or all operations over all w · m applications; 0 where
    the operator is never applied."""
    applications = mul(variables.w, variables.m)
    if workload.complexity is not None:
        return workload.complexity
    return exactly(0) if applications == ZERO else workload.operations.over(applications)


def transferred(workload: Workload, variables: Parameters, transfer: Transfer) -> tuple[Expr, str]:
    """Bytes moved between host and device, and which they are. Sections that are not known count as d."""
    match transfer, workload.transfer_in, workload.transfer_out:
        case "none", _, _:
            return ZERO, "no transfer"
        case "sections", before, after if before is not None and after is not None:
            return before + after, "sections read before they are written, and sections live after the loop"
        case _:
            return variables.d, "d, all data of the class"


def _counted(workload: Workload) -> Parameters:
    """The counts of the analysis in place of a class's variables: a work-unit is an iteration that may run in parallel,
    the operator is applied once in it. Ours, not the paper's."""
    if workload.parallel_iterations is None or workload.footprint is None:
        raise IncompleteWorkloadError("without a class, parallel iterations and footprints must be known")
    apart = [array for array in workload.arrays if array.is_scattered]
    u = add(ZERO, *map(_footprint, apart))
    inputs = [array for array in workload.arrays if array.access != "w"]
    return Parameters(
        w=workload.parallel_iterations,
        m=ONE,
        o=num(16 * max(1, len(inputs))),
        d_in=add(ZERO, *(array.read_footprint or ZERO for array in workload.arrays)),
        d_out=add(ZERO, *(array.write_footprint or ZERO for array in workload.arrays)),
        c=workload.footprint - u,
        u=u,
        scattered=bool(apart),
        source="counts of the loop",
    )


def _footprint(array: ArrayUse) -> Expr:
    return (array.read_footprint or ZERO) + (array.write_footprint or ZERO)
