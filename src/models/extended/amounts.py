"""What the equations of the extended model count with, once per loop and end: operations, accesses, bytes, work-units.

Each amount is a number where every size is known, and otherwise a tree over counts (`values`).
"""

from typing import Literal, TypeAlias, cast

from msgspec import Struct
from msgspec.structs import replace

from ..classes import AlgorithmClass, Operand, Pattern, is_scalar
from ..expr import ONE, ZERO, Expr, ExprSyntaxError, add, div, evaluate, free_symbols, mul, num, parse
from ..parameters import BLOCK_1D, BLOCK_2D, Widths, applications, gpu_parameters, offset, work_units
from ..quantity import Quantity, Sizes
from ..values import Value, divisor, value_of
from ..variables import IncompleteWorkloadError
from ..workload import ArrayUse, Workload
from .figures import ENDS, End
from .incore import Counted

Pace: TypeAlias = Literal["broadcast", "unit", "strided", "irregular"]
Held: TypeAlias = Literal["apart", "alike", "together"]

INDEX_OPERATIONS = 16
"""Per work-unit and input, to find out which element is its own: o of the boat hull paper's Table 1."""


class Use(Struct, frozen=True):
    """One array. `footprint`: bytes that are read and bytes that are written, each once; `touched`: those that are both
    once; `walking`: accesses that go as `walk` says; `accesses` of `width` bytes each; `stride` in bytes between
    neighbouring work-units, where the pace is `strided`. `walk` and `step`: the same between accesses that one thread
    makes one after the other, and `sweep` how many it makes before it comes back to where neighbours are (`columns`:
    all of them, where it goes through several places at once). `dense`: whatever lies between its elements is touched
    as well. `rows`: bytes that a cache must hold so that every element is read from memory once (`held`: rows of its
    own for each core, the same data for each, or once for all), and `reread` what is read otherwise. `halo`: how many
    times a GPU's thread blocks read it, with the elements around theirs. `passes`: by loop of the nest, innermost
    first, what one iteration touches, and what passes below a cache that holds as much of all arrays."""

    name: str
    pace: Pace
    width: int
    stride: Value
    walk: Pace
    step: Value
    sweep: Value
    footprint: Value
    accesses: Value
    dense: bool
    rows: Value
    held: Held
    reread: Value
    halo: Value
    touched: Value
    walking: Value = 0.0
    columns: Value = 0.0
    passes: tuple[tuple[Value, Value], ...] = ()


class Amounts(Struct, frozen=True):
    """Of one entry of a loop. `parts`: work-units with everything in them that could run at once as well. `index`:
    index operations on GPUs; `fused`: pairs that one multiply-add does; `updates` of shared elements, of which there
    are `bins`; `atomic`: updates that are atomic on a CPU, of `updated` elements; `kernels`: two where partial
    results are combined. `footprint`: bytes that a memory or a cache must hold to have all data. `copied_in`,
    `copied_out`: bytes in `copies` copies. `doing`: what the bodies do at this end, as a part of what is likely:
    branches are taken or not."""

    units: Value
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
    arrays = workload.arrays or _arrays_of(workload)
    uses = tuple(_use(array, sizes) for array in _grouped(arrays))
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
    """Elements that are read and written where an index says; 1 where there are none."""
    found = (u.touched / u.width for u in uses if u.pace == "irregular" and u.footprint is not u.touched)
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


class _Array(Struct, frozen=True):
    """An array, or several that are streamed alike."""

    name: str
    pace: str
    walk: str
    sweep: Expr | None
    width: int
    footprint: Expr
    accesses: Expr
    dense: bool
    operand: Operand | None
    streamed: bool
    touched: Expr
    walking: Expr
    columns: Expr | None
    passes: tuple[tuple[Expr, Expr], ...]


def _grouped(arrays: tuple[ArrayUse, ...]) -> list[_Array]:
    """Arrays that are walked through once, and alike, count as one: they are most, and that saves most of the time."""
    groups: dict[tuple[str, str, Expr | None, int, bool, int], _Array] = {}
    found: list[_Array] = []
    for array in map(_array, arrays):
        if not array.streamed:
            found.append(array)
            continue
        key = (array.pace, array.walk, array.sweep, array.width, array.dense, len(array.passes))
        known = groups.get(key)
        groups[key] = array if known is None else _joined(known, array)
    return [*groups.values(), *found]


def _joined(a: _Array, b: _Array) -> _Array:
    footprint, accesses = a.footprint + b.footprint, a.accesses + b.accesses
    passes = tuple((x[0] + y[0], x[1] + y[1]) for x, y in zip(a.passes, b.passes, strict=True))
    name = f"{a.name}, {b.name}"
    touched = a.touched + b.touched
    walking = a.walking + b.walking
    return _Array(
        name, a.pace, a.walk, a.sweep, a.width, footprint, accesses, a.dense, None, True, touched, walking,
        None if a.columns is None or b.columns is None else a.columns + b.columns, passes,
    )  # fmt: skip


def _array(array: ArrayUse) -> _Array:
    if array.read_footprint is None or array.write_footprint is None:
        raise IncompleteWorkloadError(f"the footprint of {array.name} is not known")
    width = max(array.element_bytes, 1)
    footprint = array.read_footprint + array.write_footprint
    pattern = array.operand.pattern if array.operand is not None else None
    accesses = div(footprint, width) if array.accesses is None else array.accesses
    once = pattern is Pattern.ELEMENT or (pattern in (None, Pattern.TILE) and mul(accesses, width) == footprint)
    pace = "broadcast" if pattern is Pattern.SHARED else array.coalescing  # copies of it on the chip are updated
    walk = "broadcast" if pattern is Pattern.SHARED else pace if pace == "irregular" else array.walk
    streamed = once and not pace.startswith("irregular")
    dense = _is_dense(array)
    touched = footprint if array.touched is None else array.touched
    return _Array(
        array.name, pace, walk, array.sweep, width, footprint, accesses, dense, array.operand, streamed, touched,
        accesses if array.walking is None else array.walking, array.columns, array.passes,
    )  # fmt: skip


def _use(array: _Array, sizes: Sizes) -> Use:
    width = array.width
    footprint = value_of(array.footprint, sizes)
    name, _, rest = array.pace.partition("(")
    walk, _, step = array.walk.partition("(")
    accesses = value_of(array.accesses, sizes)
    sweep = accesses if array.sweep is None else value_of(array.sweep, sizes)
    rows, reread, halo = (0.0, footprint, 1.0) if array.streamed else _reuse(array, footprint, accesses, sizes)
    return Use(
        name=array.name,
        pace=cast("Pace", name),
        width=width,
        stride=_stride(rest.removesuffix(")"), width, sizes),
        walk=cast("Pace", walk),
        step=_stride(step.removesuffix(")"), width, sizes),
        sweep=sweep,
        footprint=footprint,
        accesses=accesses,
        dense=array.dense,
        rows=rows,
        held=_held_by_cores(array.operand),
        reread=reread,
        halo=halo,
        touched=value_of(array.touched, sizes),
        walking=value_of(array.walking, sizes),
        columns=sweep if array.columns is None else value_of(array.columns, sizes),
        passes=tuple((value_of(held, sizes), value_of(moved, sizes)) for held, moved in array.passes),
    )


def _held_by_cores(operand: Operand | None) -> Held:
    """Cores that divide a stencil each go through rows of their own; what all work-units read, each of them reads."""
    match None if operand is None else operand.pattern:
        case Pattern.NEIGHBOURHOOD:
            return "apart"
        case Pattern.FULL:
            return "alike"
        case _:
            return "together"


def _stride(text: str, width: int, sizes: Sizes) -> Value:
    """In bytes. One that cannot be read, or is not known, is taken as far."""
    try:
        return value_of(mul(parse(text), width), sizes) if text else float(width)
    except (ExprSyntaxError, ZeroDivisionError):
        return 4096.0


def _is_dense(array: ArrayUse) -> bool:
    """Whether the smallest sections around what is touched hold little else: as formulas, or half of them where all
    sizes are 1000."""
    if array.transfer_in is None or array.transfer_out is None:
        return False
    touched, section = array.read_footprint, array.transfer_in
    if section == ZERO:
        touched, section = array.write_footprint, array.transfer_out
    if touched == section or section == ZERO:
        return True
    whole = array.touched if array.touched is not None else touched
    if whole is None:
        return False
    usual = dict.fromkeys(free_symbols(whole) | free_symbols(section), 1000.0)
    try:
        return float(evaluate(whole, usual)) >= 0.5 * float(evaluate(section, usual)) > 0
    except (ArithmeticError, ValueError):
        return False


def _reuse(array: _Array, footprint: Value, accesses: Value, sizes: Sizes) -> tuple[Value, Value, Value]:
    """Layer condition, what is read where it does not hold, and the halo of thread blocks (see `parameters`)."""
    operand, width = array.operand, array.width
    if operand is not None and operand.pattern is Pattern.TILE and operand.full_extent[0] != operand.dims[0]:
        tile = value_of(mul(*operand.extent, width), sizes)  # work-units one after the other use the same tile
        return tile, accesses * width, 1.0
    if operand is None or operand.pattern is not Pattern.NEIGHBOURHOOD:
        return footprint, accesses * width, 1.0
    extent = operand.full_extent
    outermost = next((at for at, length in enumerate(extent) if length != ONE), len(extent) - 1)
    held = mul(extent[outermost], *operand.dims[outermost + 1 :], width)
    again = value_of(extent[outermost], sizes) if outermost < len(extent) - 1 else 1.0
    high, wide = (1, BLOCK_1D) if len(extent) == 1 else BLOCK_2D
    n, m = (ONE, *extent)[-2:]
    halo = ONE + (n - 1) * (m + (wide - 1)) / (high * wide) + (m - 1) / wide
    return value_of(held, sizes), footprint * again, value_of(halo, sizes)


def _arrays_of(workload: Workload) -> tuple[ArrayUse, ...]:
    """The structures of a class string as arrays."""
    if workload.algorithm is None:
        return ()
    inputs, outputs = workload.algorithm.inputs, workload.algorithm.outputs
    sides: Widths = workload.widths
    if isinstance(sides, int):
        sides = ((sides,) * len(inputs), (sides,) * len(outputs))
    scattered = workload.algorithm.unordered
    rows = gpu_parameters(workload.algorithm).scattered and not scattered
    found = []
    for operand, width in zip(inputs, sides[0], strict=True):
        pace = f"strided({operand.per_unit})" if rows and operand.pattern is Pattern.TILE else "unit"
        size, none = mul(operand.size, width), num(0)
        found.append(ArrayUse("input", width, "r", pace, size, none, size, none, True, None, operand))
    for operand, width in zip(outputs, sides[1], strict=True):
        pace = "irregular" if scattered else "broadcast" if operand.pattern is Pattern.SHARED else "unit"
        size, none = mul(operand.size, width), num(0)
        found.append(ArrayUse("output", width, "w", pace, none, size, none, size, True, None, operand))
    return tuple(found)
