"""The variables of a class in the boat hull equations: w, m, o, d, c and u, by rule for every class.

Table 1 of "The Boat Hull Model" (2012) prints them for eleven classes. The rules below give those rows where they
follow from the paper's definitions (§4.2), and apply to any other class; `table1` keeps the printed rows.

    w  work-units: the elements (or tiles) of the outputs; where all outputs are shared, those of the inputs
    m  applications of the operator per work-unit: the elements it reads or writes of the structure it uses most of
    o  offset: 4 m with tiles, 64 with a neighbourhood or a shared array, else 16 per input (a shared scalar: 16)
    d  all elements of all inputs and outputs, each once
    u  scattered accesses: a shared scalar's one; all inputs where an array is shared; the output of tile -> tile;
       the side columns of neighbourhoods (beta)
    c  the other elements of d, and the rows above and below neighbourhoods (alpha)

alpha and beta are not printed. A thread block loads its elements and the halo around them; blocks are 256
elements of a vector, or 16 x 16 of the two innermost dimensions, and further dimensions are walked through,
so that nothing is loaded twice for them. With a neighbourhood of N x M, whose last dimension is contiguous, a
block of H x W elements loads (N - 1) (W + M - 1) more in whole rows, which are coalesced, and H (M - 1) more
at the sides, which are not:

    alpha = d_in (N - 1) (W + M - 1) / (H W)          beta = d_in (M - 1) / W
"""

from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from .classes import AlgorithmClass, ClassError, Operand, Pattern, is_scalar
from .expr import ONE, ZERO, Expr, add, maximum, mul, num

BLOCK_1D = 256
BLOCK_2D = (16, 16)

Widths: TypeAlias = int | tuple[tuple[int, ...], tuple[int, ...]]
"""Bytes per element: one number for all structures, or those of the inputs and of the outputs in order."""


class Parameters(Struct, frozen=True):
    """d_in + d_out = d; data is in bytes, or in elements where the width was 1. `scattered`: the floor
    m1 = d / P_uncoalesced applies."""

    w: Expr
    m: Expr
    o: Expr
    d_in: Expr
    d_out: Expr
    c: Expr
    u: Expr
    scattered: bool
    source: str

    @property
    def d(self) -> Expr:
        return self.d_in + self.d_out


def gpu_parameters(algorithm: AlgorithmClass, widths: Widths = 1) -> Parameters:
    """By the rules above. ClassError where a class does not say how many work-units there are.

    Example: `1024x1024|tile(1x1024) → 1024|element` has w = 1024, m = 1024, o = 4096, d = c = 1 049 600, u =
    0."""
    inputs, outputs = _weighted(algorithm, widths)
    d_in, d_out = _total(inputs), _total(outputs)
    scattered_accesses = _scattered_accesses(algorithm, inputs, outputs)
    alpha, beta = _halo(inputs)
    return Parameters(
        w=work_units(algorithm),
        m=applications(algorithm),
        o=offset(algorithm),
        d_in=d_in,
        d_out=d_out,
        c=d_in + d_out - scattered_accesses + alpha,
        u=scattered_accesses + beta,
        scattered=algorithm.unordered or any(map(_is_run, algorithm.inputs)),
        source="the class, by the rules for Table 1 of the boat hull paper",
    )


def on_cpu(gpu: Parameters) -> Parameters:
    """For CPUs (§4.4): w and m as on GPUs, o = 4, and all compulsory accesses count alike, c = d.

    The paper prints o = 4 and c = d for element → element; that they hold for every class is ours."""
    return replace(gpu, o=num(4), c=gpu.d, u=ZERO, scattered=False)


def work_units(algorithm: AlgorithmClass) -> Expr:
    """w: how much of the class can run in parallel."""
    own = [operand.units for operand in algorithm.outputs if operand.pattern is not Pattern.SHARED]
    read = [operand.units for operand in algorithm.inputs if operand.pattern is not Pattern.FULL]
    if not own and not read:
        raise ClassError(f"{algorithm} does not say how many work-units share the output")
    return maximum(*(own or read))


def applications(algorithm: AlgorithmClass) -> Expr:
    """m: how often a work-unit applies the operator."""
    per_unit = {operand.per_unit for operand in (*algorithm.inputs, *algorithm.outputs)}
    return maximum(*(per_unit - {ONE} or {ONE}))  # lengths are at least 1


def offset(algorithm: AlgorithmClass) -> Expr:
    """o: index operations per work-unit."""
    patterns = {operand.pattern for operand in (*algorithm.inputs, *algorithm.outputs)}
    if Pattern.TILE in patterns:
        return 4 * applications(algorithm)
    if Pattern.NEIGHBOURHOOD in patterns or any(map(_is_shared_array, algorithm.outputs)):
        return num(64)
    return num(16 * max(1, len(algorithm.inputs)))


Weighted: TypeAlias = tuple[tuple[Operand, int], ...]


def _weighted(algorithm: AlgorithmClass, widths: Widths) -> tuple[Weighted, Weighted]:
    if isinstance(widths, int):
        widths = ((widths,) * len(algorithm.inputs), (widths,) * len(algorithm.outputs))
    if tuple(map(len, widths)) != (len(algorithm.inputs), len(algorithm.outputs)):
        raise ClassError(f"{algorithm} needs an element width for each of its structures")
    return tuple(zip(algorithm.inputs, widths[0], strict=True)), tuple(zip(algorithm.outputs, widths[1], strict=True))


def _total(operands: Weighted) -> Expr:
    return add(ZERO, *(mul(operand.size, width) for operand, width in operands))


def _scattered_accesses(algorithm: AlgorithmClass, inputs: Weighted, outputs: Weighted) -> Expr:
    if any(map(_is_shared_array, algorithm.outputs)):
        return _total(inputs)
    reads_tiles = any(operand.pattern is Pattern.TILE for operand in algorithm.inputs)
    scattered = (Pattern.SHARED, Pattern.TILE) if reads_tiles else (Pattern.SHARED,)
    return _total(tuple((operand, width) for operand, width in outputs if operand.pattern in scattered))


def _is_shared_array(operand: Operand) -> bool:
    return operand.pattern is Pattern.SHARED and not is_scalar(operand)


def _is_run(operand: Operand) -> bool:
    """A tile of whole rows that lie one behind the other, like the rows of a projection: neighbouring
    work-units then read addresses that are far apart."""
    if operand.pattern is not Pattern.TILE or operand.per_unit == ONE:
        return False
    pairs = list(zip(operand.dims, operand.full_extent, strict=True))
    while len(pairs) > 1 and pairs[0][1] == ONE:
        pairs.pop(0)
    return all(length == tile for length, tile in pairs)


def _halo(inputs: Weighted) -> tuple[Expr, Expr]:
    """alpha and beta of the module's docstring."""
    alpha: Expr = ZERO
    beta: Expr = ZERO
    for operand, width in inputs:
        if operand.pattern is not Pattern.NEIGHBOURHOOD:
            continue
        size = mul(operand.size, width)
        block_rows, block_columns = (1, BLOCK_1D) if len(operand.dims) == 1 else BLOCK_2D
        rows, columns = (ONE, ONE, *operand.full_extent)[-2:]
        alpha += size * (rows - 1) * (columns + (block_columns - 1)) / (block_rows * block_columns)
        beta += size * (columns - 1) / block_columns
    return alpha, beta
