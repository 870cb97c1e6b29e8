"""PerDome's view of one loop: its intensity, the time of each processor alone, and the bounds of all execution models.

    T_x = max(N_f t_f, N_b t_b)        equation 3, t_f and t_b of one processor; copies to an accelerator are added
    I = N_f / N_b                      all operations on data, at the rate of the loop's type, over N_b bytes

N_b is the compulsory traffic, or what the references of every iteration move (`references`), as the paper counts it.
The paper leaves copies between the processors out: so do its bounds here, and no other time does. CPU and GPU together
(p-DP) are a candidate of its own, made from the times of both.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from ..catalogue import Device
from ..errors import InputError
from ..expr import known_value
from ..prediction import Term
from ..quantity import NOTHING, Sizes
from ..roofline.predicting import Work, work_of
from ..workload import ElementType, Workload
from .bounds import bounds
from .pieces import Division, Piece, divide
from .processors import device_processor

MODEL = "perdome"


def kernel_of(workload: Workload, *, references: bool) -> Work:
    """N_f and N_b of a loop. IncompleteWorkloadError where its footprints are not known.

    `references`: N_b is what loads and stores move as they were counted, not the compulsory traffic."""
    work = work_of(workload)
    operations = sum((count for _, count in work.operations), start=NOTHING)
    found = replace(work, operations=((workload.element_type, operations),))
    if not references:
        return found
    return replace(
        found, traffic=workload.bytes_accessed, meaning="bytes of the references of every iteration (--count-as)"
    )


def bound_terms(
    work: Work, cpu: Device, gpu: Device, element_type: ElementType, sizes: Sizes, pieces: Sequence[Piece] = ()
) -> tuple[Term, ...]:
    """I and the bounds of all execution models in operations/s, with the best code partition of `pieces`; nothing where
    a size is not known, or where nothing is computed or moved.

    Example: of PowAdd and VecAdd, counted as the paper does, CP is 136.2 Gop/s on i7-2600K and GTX 750."""
    flops, traffic = (known_value(q.likely, sizes) for q in (work.operations[0][1], work.traffic))
    if not flops or not traffic:
        return ()
    try:
        left, right = device_processor(cpu, element_type), device_processor(gpu, element_type)
        division = divide(left.likely, right.likely, pieces) if len(pieces) > 1 else None
    except InputError as error:  # a missing figure, or pieces without flops: said in place of the bounds
        return (Term("bounds", "none", None, "op/s", str(error)),)
    whole = flops / traffic
    terms = [Term("I", "N/Q", whole, "op/B", "PerDome, equation 2")]
    if division is not None:
        terms += _parts(division, whole, cpu, gpu)
    code = None if division is None else (division.cpu_flops, division.cpu_bytes)
    for bound in bounds(left, right, whole, code):
        value = bound.performance.likely
        note = f"; {bound.note}" if bound.note else ""
        said = f"PerDome, {bound.limit} limits{note}; without copies"
        terms.append(Term(f"P {bound.model}", f"{value:.6g}", value, "op/s", said))
    return tuple(terms)


def _parts(division: Division, whole: float, cpu: Device, gpu: Device) -> list[Term]:
    """The intensities of both sides of a code partition: I x / y, with the shares x of the flops and y of the bytes."""
    sides = (
        ("I_C", division.cpu_flops, division.cpu_bytes, division.on_cpu, cpu),
        ("I_G", 1 - division.cpu_flops, 1 - division.cpu_bytes, division.on_gpu, gpu),
    )
    return [
        Term(
            name, f"I {flops:.4g}/{traffic:.4g}", whole * flops / traffic, "op/B", f"{', '.join(named)} on {device.id}"
        )
        for name, flops, traffic, named, device in sides
        if traffic > 0
    ]
