"""What one iteration of a loop does in a core: its operations by kind, and the longest way from one to the next.

This is to a processor what an algorithm class is to a device: the loop as compilers leave it, without a machine. The
extended model weighs operations with a processor's rates and the way with its latencies, as OSACA (Laukemann,
Hammer, Hager, Wellein 2018) and Kerncraft's in-core models do from assembly code.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

from .expr import Expr

Vectors: TypeAlias = Literal["compiled", "reordered", "never"]
"""Whether compilers make vectors of a loop as it is written, only where they may add floats in other orders, or not."""

Needs: TypeAlias = Literal["nothing", "accesses", "floats", "rich", "conversions"]
"""What vectors of a loop must be able to do beside arithmetic on all elements: leave some out of accesses, or of
arithmetic on floats, which may trap; count bits, or leave out accesses of less than four bytes, as the richest do; or
leave some out of conversions to floats, which none can."""

Pace: TypeAlias = Literal["unit", "apart", "scattered"]

Amount: TypeAlias = tuple[str, float]
"""A kind of operation and how often it is done. Kinds are a word and, where it matters, a type: `add fp64`, `multiply`,
`fused`, `divide`, `root`, `compare`, `integer`, `integer-multiply`, `integer-divide`, `convert`, `branch` (one that
data decides), `call NAME`, `enter` (a call of a function whose work is counted with that of the loop); in a way also
`load NAME` of an array, and `forward`, a load of what was just stored."""


class Accesses(Struct, frozen=True):
    """Loads or stores of one iteration with elements of `width` bytes. `pace`: between neighbouring iterations they
    are one element apart (`unit`; also members of neighbouring structures that are all accessed), evenly
    further (`apart`), or where an index says (`scattered`): then vectors are put together from single elements.
    `beside`: of so many members that an iteration accesses all, which a vector loop takes apart. `shifted`: those of
    `number` that do not begin where a line may (`a[i - 1]`): whole vectors of them lie in two lines."""

    kind: Literal["load", "store"]
    pace: Pace
    width: int
    number: float
    beside: int = 1
    shifted: float = 0.0


class Body(Struct, frozen=True):
    """What one loop does itself, without the loops in it, unless these are short enough to be unrolled.

    `iterations` of all its entries in one entry of the nest's outermost loop; `trip` of one entry, of which there are
    `entries`. `work`: operations of an iteration; `masked`: with both sides of all branches, as vectors do them;
    `way`: those on the longest cycle of dependences, per iteration: they wait for each other. `element`: bytes of the
    widest type in its arithmetic or memory. `why`: what keeps compilers from vectors."""

    iterations: Expr
    trip: Expr
    entries: Expr
    work: tuple[Amount, ...]
    masked: tuple[Amount, ...]
    accesses: tuple[Accesses, ...]
    way: tuple[Amount, ...]
    element: int
    vectors: Vectors
    why: str = ""
    across: bool = False
    """Its vectors are made of iterations of the outermost loop of the nest, side by side."""
    needs: Needs = "nothing"
