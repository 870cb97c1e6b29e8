"""What the equations of the extended model count with, once per loop and end: operations, accesses, bytes, work-units.

Each amount is a number where every size is known, and otherwise a tree over counts (`values`).
"""

from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ..classes import AlgorithmClass, Pattern, is_scalar
from ..expr import ONE, ZERO, Expr, add, mul
from ..parameters import BLOCK_1D, BLOCK_2D, applications, offset, work_units
from ..quantity import ENDS, End, Quantity, Sizes
from ..values import Value, divisor, value_of
from ..variables import IncompleteWorkloadError
from ..workload import ArrayUse, Workload
from .incore import Counted
from .uses import Use, arrays_of, grouped, use_of

INDEX_OPERATIONS = 16
"""Per work-unit and input, to find out which element is its own: o of the boat hull paper's Table 1."""


class Amounts(Struct, frozen=True):
    """Of one entry of a loop. `divided`: what the threads of a CPU share: iterations of the loop, or the work-units.
    `parts`: work-units with everything in them that could run at once as well. `index`:
    index operations on GPUs; `fused`: pairs that one multiply-add does; `updates` of shared elements, of which there
    are `bins`; `atomic`: updates that are atomic on a CPU, of `updated` elements; `kernels`: two where partial
    results are combined. `footprint`: bytes that a memory or a cache must hold to have all data. `copied_in`,
    `copied_out`: bytes in `copies` copies. `doing`: what the bodies do at this end, as a part of what is likely:
    branches are taken or not. `side`: elements along each side of what a thread block computes, and `alike`, all
    work-units of it that read what is read alike."""

    units: Value
    divided: Value
    parts: Value
    index: Value
    fp32: Value
    fp64: Value
    other: Value
    integer: Value
    fused: Value
    accesses: Value
    uses: tuple[Use, ...]
    footprint: Value
    updates: Value
    bins: Value
    atomic: Value
    updated: Value
    kernels: int
    copied_in: Value
    copied_out: Value
    copies: int
    alike: float = 16.0
    side: float = 16.0
    bodies: tuple[Counted, ...] = ()
    doing: Value = 1.0


Prepared: TypeAlias = dict[End, Amounts]


def prepare(workload: Workload, sizes: Sizes) -> Prepared:
    """The amounts at each end. IncompleteWorkloadError without work-units or footprints."""
    counted = (workload.flops_fp32, workload.flops_fp64, workload.fp_other, workload.int_ops)
    rest = (workload.loads, workload.stores, workload.multiply_adds, workload.complexity)
    likely = _amounts(workload, sizes, "likely")
    if all(q is None or q.is_exact for q in (*counted, *rest)):
        return dict.fromkeys(ENDS, likely)
    low, high = (_amounts(workload, sizes, end) for end in ("low", "high"))
    return {"low": _relative(low, likely), "likely": likely, "high": _relative(high, likely)}


def _relative(end: Amounts, likely: Amounts) -> Amounts:
    def done(a: Amounts) -> Value:
        return a.fp32 + a.fp64 + a.other + a.integer + a.accesses

    return replace(end, doing=done(end) / divisor(done(likely)))


def _amounts(workload: Workload, sizes: Sizes, end: End) -> Amounts:
    def at(quantity: Quantity) -> Value:
        return value_of(getattr(quantity, end), sizes)

    algorithm = workload.algorithm
    if algorithm is None and workload.parallel_iterations is None:
        raise IncompleteWorkloadError("without a class, parallel iterations must be known")
    units, index = _units(workload)
    arrays = workload.arrays or arrays_of(workload)
    uses = tuple(use_of(array, sizes) for array in grouped(arrays))
    w = value_of(units if workload.threads is None else workload.threads, sizes)
    if workload.threads is not None and workload.kept is not None:
        index = _index_operations(workload, workload.threads, workload.kept)
    inner = _applications(algorithm)
    given = workload.complexity
    fp32, fp64, other, integer = (
        at(q) for q in (workload.flops_fp32, workload.flops_fp64, workload.fp_other, workload.int_ops)
    )
    if given is not None:  # a class and a complexity, without code
        total = at(given) * value_of(mul(units, inner), sizes)
        fp32, fp64, integer = (total if workload.element_type == t else 0.0 for t in ("fp32", "fp64", "int32"))
    accesses: Value = at(workload.loads) + at(workload.stores)
    if workload.kept is not None:
        accesses = value_of(workload.kept, sizes)
    if accesses == 0:
        accesses = sum((use.accesses for use in uses), start=0.0)
    bins = _bins(algorithm)
    into, out = _copied(workload, arrays)
    return Amounts(
        units=w,
        divided=w if workload.divided is None else value_of(workload.divided, sizes),
        parts=value_of(mul(units, inner), sizes) if _has_tiles(algorithm) and workload.threads is None else w,
        index=value_of(index, sizes),
        fp32=fp32,
        fp64=fp64,
        other=other,
        integer=integer,
        fused=_fused(workload, end, sizes, fp32, fp64),
        accesses=accesses,
        uses=uses,
        footprint=_held(arrays, uses, sizes),
        updates=value_of(mul(units, inner), sizes) if bins is not None else 0.0,
        bins=value_of(bins, sizes) if bins is not None else 1.0,
        atomic=0.0 if not workload.atomic else value_of(mul(units, inner), sizes) if bins is not None else w,
        updated=value_of(bins, sizes) if bins is not None else _scattered(uses),
        kernels=2 if _combines(algorithm) else 1,
        copied_in=value_of(into, sizes),
        copied_out=value_of(out, sizes),
        copies=_copies(workload, arrays),
        alike=_alike(workload),
        side=float(BLOCK_2D[1] * workload.side),
        bodies=tuple(
            Counted(b, *(value_of(count, sizes) for count in (b.iterations, b.trip, b.entries)))
            for b in workload.bodies
        ),
    )


def _held(arrays: tuple[ArrayUse, ...], uses: tuple[Use, ...], sizes: Sizes) -> Value:
    """Bytes of all data, those that are read and written once."""
    parts = [array.touched for array in arrays]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return sum((use.footprint for use in uses), start=0.0)
    return value_of(add(ZERO, *known), sizes)


def _units(workload: Workload) -> tuple[Expr, Expr]:
    """Work-units, and all their index operations."""
    if workload.algorithm is not None:
        units = work_units(workload.algorithm)
        return units, mul(units, offset(workload.algorithm))
    assert workload.parallel_iterations is not None
    inputs = sum(array.access != "w" for array in workload.arrays)
    return workload.parallel_iterations, mul(workload.parallel_iterations, INDEX_OPERATIONS * max(1, inputs))


def _index_operations(workload: Workload, threads: Expr, kept: Expr) -> Expr:
    """Of a mapped kernel: those of each work-unit for its own elements, and one for each access that is left: loops are
    unrolled, so that most addresses are a register and a constant."""
    inputs = sum(array.access != "w" for array in workload.arrays)
    return mul(threads, INDEX_OPERATIONS * max(1, inputs)) + kept


def _alike(workload: Workload) -> float:
    """Of a block of 256 threads in a row, or along each side of one of 16 x 16, each with its elements."""
    outputs = () if workload.algorithm is None else workload.algorithm.outputs
    in_a_row = outputs and all(len(o.dims) < 2 for o in outputs)
    return float(BLOCK_1D if in_a_row else BLOCK_2D[1] * workload.side)


def _applications(algorithm: AlgorithmClass | None) -> Expr:
    return ONE if algorithm is None else applications(algorithm)


def _has_tiles(algorithm: AlgorithmClass | None) -> bool:
    return algorithm is not None and any(operand.pattern is Pattern.TILE for operand in algorithm.inputs)


def _combines(algorithm: AlgorithmClass | None) -> bool:
    return algorithm is not None and any(operand.pattern is Pattern.SHARED for operand in algorithm.outputs)


def _bins(algorithm: AlgorithmClass | None) -> Expr | None:
    """How many elements are shared by work-units that update them."""
    if algorithm is None:
        return None
    return next((o.size for o in algorithm.outputs if o.pattern is Pattern.SHARED and not is_scalar(o)), None)


def _scattered(uses: tuple[Use, ...]) -> Value:
    """Elements that are stored to where an index says; 1 where there are none."""
    found = (u.touched / u.width for u in uses if u.pace == "irregular" and u.stores_apart != 0)
    return next(found, 1.0)


def _fused(workload: Workload, end: End, sizes: Sizes, fp32: Value, fp64: Value) -> Value:
    """Multiply-adds: counted, or where nothing is known none but at the low end, where all are."""
    if workload.multiply_adds is not None:
        return value_of(workload.multiply_adds.likely, sizes)
    return (fp32 + fp64) / 2 if end == "low" else 0.0


# --- data


def _copied(workload: Workload, arrays: tuple[ArrayUse, ...]) -> tuple[Expr, Expr]:
    """Bytes to and from a device; where sections are not known, everything that is read and written."""
    if workload.transfer_in is not None and workload.transfer_out is not None:
        return workload.transfer_in, workload.transfer_out
    read, written = ([a.read_footprint for a in arrays], [a.write_footprint for a in arrays])
    return _sum(read), _sum(written)


def _copies(workload: Workload, arrays: tuple[ArrayUse, ...]) -> int:
    known = workload.transfer_in is not None and workload.transfer_out is not None
    if not known:
        return sum(len(array.access) for array in arrays)
    moved = [part for array in arrays for part in (array.transfer_in, array.transfer_out)]
    return sum(part is not None and part != ZERO for part in moved)


def _sum(parts: list[Expr | None]) -> Expr:
    total: Expr = ZERO
    for part in parts:
        if part is not None:
            total = total + part
    return total
