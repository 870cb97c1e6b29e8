"""The seam between loop analysis and the models: what a loop does, in formulas, without C and without a device.

Units: counts are operations or iterations of one entry of the loop; data is in bytes.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

from .classes import AlgorithmClass
from .classes import Operand as ClassOperand
from .expr import Expr, Operand, add
from .incore import Body
from .notation import parse_class
from .parameters import Widths
from .quantity import NOTHING, Quantity, exactly

ElementType: TypeAlias = Literal["fp64", "fp32", "int32"]
ELEMENT_TYPES: tuple[ElementType, ...] = ("fp64", "fp32", "int32")
ELEMENT_BITS = {"fp64": 64, "fp32": 32, "int32": 32}


class ArrayUse(Struct, frozen=True):
    """One array as the loop uses it. `coalescing` along the innermost parallel loop: `unit`, `strided(k)`,
    `broadcast` or `irregular`. Footprints and transfers in bytes; None where they are not known. `accesses`: loads
    and stores, repeated ones of one iteration once. `operand`: the array in the class of the loop, where it has
    one. `walk`: like `coalescing`, but along the innermost loop of all, as one thread goes; `sweep`: how many
    iterations that loop has at a time, on average, and `longest` the most where these are not always as many (None:
    they are); `walking`: of the accesses those that go so, `walks` at how many places at once. `sectors`: of a
    GPU's memory, those that accesses of neighbours apart are in (None: one each), and `stores_apart`, how many of
    these store. `touched`: bytes that are read or written, those that are both once (None: both footprints
    together). `passes`: by loop of the nest, innermost first, what one iteration of it touches of the array, and
    what passes below a cache that holds as much of every array."""

    name: str
    element_bytes: int
    access: Literal["r", "w", "rw"]
    coalescing: str
    read_footprint: Expr | None
    write_footprint: Expr | None
    transfer_in: Expr | None
    transfer_out: Expr | None
    contiguous: bool = True
    accesses: Expr | None = None
    operand: ClassOperand | None = None
    walk: str = "unit"
    sweep: Expr | None = None
    longest: Expr | None = None
    walking: Expr | None = None
    walks: int = 1
    sectors: Expr | None = None
    stores_apart: Expr | None = None
    touched: Expr | None = None
    passes: tuple[tuple[Expr, Expr], ...] = ()

    @property
    def is_scattered(self) -> bool:
        """Whether neighbouring work-units touch addresses that are apart."""
        return self.coalescing == "irregular" or self.coalescing.startswith("strided")


class Workload(Struct, frozen=True):
    """One loop, or one class string with a complexity.

    `element_type`: of the arithmetic, the widest floating type in it (int32 where there is none); its rate is used
    for all of the operations. `complexity`: operations per application of the operator of `algorithm` (w · m
    applications); None: all counted operations, divided by w · m. `multiply_adds`: how many of the operations are
    pairs that could be fused (None: not known). `loads`, `stores`: accesses to memory as they were counted, and
    `bytes_accessed` what they move. `widths`: bytes per element of the class's structures. `idioms`: PMaC's names of
    what the loop does.
    `transfer_in`, `transfer_out`: bytes to copy before and after when the loop runs elsewhere. `parallel_iterations`:
    independent ones, the work-units where there is no class. None: not known. `divided`: those of the loop itself,
    which the threads of a CPU share (None: the work-units). `threads`: of a kernel in which a nest is mapped otherwise
    than its class says, the work-units of that, and `kept` the loads and stores that are left in it
    (`extended.mapped`). `side`: elements of a thread of such a kernel along each side of what it computes."""

    algorithm: AlgorithmClass | None
    element_type: ElementType
    widths: Widths = 4
    complexity: Quantity | None = None
    iterations: Quantity | None = None
    parallel_iterations: Expr | None = None
    divided: Expr | None = None
    flops_fp32: Quantity = NOTHING
    flops_fp64: Quantity = NOTHING
    fp_other: Quantity = NOTHING
    int_ops: Quantity = NOTHING
    multiply_adds: Quantity | None = None
    loads: Quantity = NOTHING
    stores: Quantity = NOTHING
    bytes_accessed: Quantity = NOTHING
    arrays: tuple[ArrayUse, ...] = ()
    transfer_in: Expr | None = None
    transfer_out: Expr | None = None
    assumptions: tuple[str, ...] = ()
    idioms: tuple[str, ...] = ()
    threads: Expr | None = None
    kept: Expr | None = None
    side: int = 1
    bodies: tuple[Body, ...] = ()
    """What each loop of the nest does in a core, outermost first; empty where that is not known."""
    atomic: bool = False
    """Iterations that run at once update shared elements by atomic operations, not in copies of their own."""

    @property
    def operations(self) -> Quantity:
        """All arithmetic on data: flops, minima, maxima, comparisons, integer operations."""
        return self.flops_fp32 + self.flops_fp64 + self.fp_other + self.int_ops

    @property
    def touched(self) -> Expr | None:
        """Bytes of all data, those that are read and written once: what a memory or a cache must hold."""
        parts = [array.touched for array in self.arrays]
        known = [part for part in parts if part is not None]
        return add(0, *known) if len(known) == len(parts) else self.footprint

    @property
    def footprint(self) -> Expr | None:
        """Bytes that must be read plus bytes that must be written, each once."""
        parts = [part for array in self.arrays for part in (array.read_footprint, array.write_footprint)]
        known = [part for part in parts if part is not None]
        return add(0, *known) if len(known) == len(parts) else None


def from_class(
    text: str, complexity: Operand, *, element_bytes: int = 4, element_type: ElementType = "fp32"
) -> Workload:
    """The workload of a class string and a complexity: all that the boat hull model needs.

    Example: `from_class("1024x1024|element → 1024x1024|element", 1)`. ClassError for a bad class."""
    return Workload(parse_class(text), element_type, element_bytes, complexity=exactly(complexity))
