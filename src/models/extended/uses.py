"""What the equations of the extended model count with of each array: bytes, accesses, and how far apart they are.

Each amount is a number where every size is known, and otherwise a tree over counts (`values`).
"""

from typing import Literal, TypeAlias, cast

from msgspec import Struct

from ..classes import Operand, Pattern
from ..expr import ONE, ZERO, Expr, ExprSyntaxError, div, evaluate, free_symbols, mul, num, parse
from ..parameters import BLOCK_1D, BLOCK_2D, Widths, gpu_parameters
from ..quantity import Sizes
from ..values import Value, value_of
from ..variables import IncompleteWorkloadError
from ..workload import ArrayUse, Workload

Pace: TypeAlias = Literal["broadcast", "unit", "strided", "irregular"]
Held: TypeAlias = Literal["apart", "alike", "together"]


class Use(Struct, frozen=True):
    """One array. `footprint`: bytes that are read and bytes that are written, each once; `touched`: those that are
    both once; `walking`: accesses that go as `walk` says; `accesses` of `width` bytes each; `stride` in bytes
    between neighbouring work-units, where the pace is `strided`. `walk` and `step`: the same between accesses that
    one thread makes one after the other, and `sweep` how many it makes before it comes back to where neighbours
    are, on average, `longest` at most (0: always as many), at `walks` places at once. `dense`: whatever lies
    between its elements is touched as well. `rows`: bytes that a cache must hold so that every element is read from
    memory once (`held`: rows of its own for each core, the same data for each, or once for all), and `reread` what
    is read otherwise. `halo`: how many times a GPU's thread blocks read it, with the elements around theirs.
    `passes`: by loop of the nest, innermost first, what one iteration touches, and what passes below a cache that
    holds as much of all arrays. `sectors`: of a GPU's memory, those of accesses of neighbours apart, and how many
    of these store, `stores_apart`. `section`: bytes from the first to the last that it touches, of a block of
    memory (0: it touches all, or nobody knows)."""

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
    walks: int = 1
    passes: tuple[tuple[Value, Value], ...] = ()
    sectors: Value = 0.0
    stores_apart: Value = 0.0
    section: Value = 0.0
    longest: Value = 0.0


class _Array(Struct, frozen=True):
    """An array, or several that are streamed alike."""

    name: str
    pace: str
    walk: str
    sweep: Expr | None
    longest: Expr | None
    width: int
    footprint: Expr
    accesses: Expr
    dense: bool
    operand: Operand | None
    streamed: bool
    touched: Expr
    walking: Expr
    walks: int
    passes: tuple[tuple[Expr, Expr], ...]
    sectors: Expr
    stores_apart: Expr
    section: Expr


def grouped(arrays: tuple[ArrayUse, ...]) -> list[_Array]:
    """Arrays that are walked through once, and alike, count as one: they are most, and that saves most of the time."""
    groups: dict[tuple[str, str, Expr | None, Expr | None, int, bool, int], _Array] = {}
    found: list[_Array] = []
    for array in map(_array, arrays):
        if not array.streamed:
            found.append(array)
            continue
        key = (array.pace, array.walk, array.sweep, array.longest, array.width, array.dense, len(array.passes))
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
        name, a.pace, a.walk, a.sweep, a.longest, a.width, footprint, accesses, a.dense, None, True, touched, walking,
        a.walks + b.walks, passes,
        a.sectors + b.sectors, a.stores_apart + b.stores_apart, a.section + b.section,
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
        array.name, pace, walk, array.sweep, array.longest, width, footprint, accesses, dense, array.operand, streamed,
        touched, accesses if array.walking is None else array.walking, array.walks, array.passes,
        accesses if array.sectors is None else array.sectors,
        _stores_apart(array, accesses) if array.stores_apart is None else array.stores_apart,
        _section(array),
    )  # fmt: skip


def _stores_apart(array: ArrayUse, accesses: Expr) -> Expr:
    """Where they were not counted."""
    if not array.is_scattered or array.access == "r":
        return ZERO
    return accesses if array.access == "w" else div(accesses, 2)


def _section(array: ArrayUse) -> Expr:
    if not array.contiguous or array.transfer_in is None or array.transfer_out is None:
        return ZERO
    return array.transfer_out if array.transfer_in == ZERO else array.transfer_in


def use_of(array: _Array, sizes: Sizes) -> Use:
    """Counts that are the same are one value: formulas do not subtract them from each other."""
    known: dict[Expr, Value] = {}

    def value(count: Expr) -> Value:
        if count not in known:
            known[count] = value_of(count, sizes)
        return known[count]

    width = array.width
    footprint = value(array.footprint)
    name, _, rest = array.pace.partition("(")
    walk, _, step = array.walk.removesuffix(")").partition("(")
    accesses = value(array.accesses)
    sweep = accesses if array.sweep is None else value(array.sweep)
    rows, reread, halo = (0.0, footprint, 1.0) if array.streamed else _reuse(array, footprint, accesses, sizes)
    return Use(
        name=array.name,
        pace=cast("Pace", name),
        width=width,
        stride=_stride(rest.removesuffix(")"), width, sizes),
        walk=cast("Pace", walk),
        step=_stride(step, width, sizes),
        sweep=sweep,
        footprint=footprint,
        accesses=accesses,
        dense=array.dense,
        rows=rows,
        held=_held_by_cores(array.operand),
        reread=reread,
        halo=halo,
        touched=value(array.touched),
        walking=value(array.walking),
        walks=array.walks,
        passes=tuple((value(held), value(moved)) for held, moved in array.passes),
        sectors=value(array.sectors),
        stores_apart=value(array.stores_apart),
        section=0.0 if array.section == array.touched else value(array.section),
        longest=0.0 if array.longest is None else value(array.longest),
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
    """In bytes. One that cannot be read, or is not known, is taken as far, and as no multiple of a page."""
    try:
        return value_of(mul(parse(text), width), sizes) if text else float(width)
    except (ExprSyntaxError, ZeroDivisionError):
        return 4160.0


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


def arrays_of(workload: Workload) -> tuple[ArrayUse, ...]:
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
