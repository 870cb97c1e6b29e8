"""What a cache of some size passes on: the footprints of a nest, loop by loop (layer conditions of any nest).

    held(d)   bytes that one iteration of a loop at depth d touches: one entry of each loop right inside of it
    moved(d)  bytes that all entries of the loops at depth d touch, each entry anew

A cache that holds `held(d)` keeps what one iteration leaves for the next one, so that below it only `moved(d)` passes:
of a matrix product `c[i][j] += a[i][k]*b[k][j]` in the order i, k, j a row of c once, if two rows fit, and b once only
if it fits as a whole. For a stencil this is the layer condition of Stengel, Treibig, Hager, Wellein (ICS 2015).

*Takes* the largest of several loops at one depth for `held`, and of data that a loop and those inside it both touch
what those inside do.
*Gives nothing* where a footprint depends on an outer iteration (triangles) or is not known, unless a term of a minimum
bounds it, or the few bytes that an iteration of the loop around it touches.
"""

from collections.abc import Iterator, Mapping

from models.expr import ZERO, Expr, Min, Num, add, div, free_symbols, maximum, minimum, mul

from ..facts.loop import ArrayFacts, Count, LoopFacts, with_inlined
from ..ir.nodes import loops
from .likely import expr_of, weighted

FEW_BYTES = 2048
"""What an inner loop touches of an array is no question where that is all there is: each cache has it."""

Passes = tuple[tuple[Expr, Expr], ...]
"""`held` and `moved` of one array, innermost loops first."""


def touched(array: ArrayFacts) -> Expr | None:
    """Bytes of an array that a loop touches, each once: counted, or where there is only a bound no more than the
    sections around what it reads and writes."""
    counted = expr_of(array.footprint)
    into, out = expr_of(array.transfer_in), expr_of(array.transfer_out)
    if counted is None or array.footprint.exact or into is None or out is None:
        return counted
    return minimum(counted, maximum(into, out))


class _UnknownError(Exception):
    """A footprint of the nest is no formula in its sizes."""


def passes(loop: LoopFacts, nest: tuple[LoopFacts, ...]) -> dict[str, Passes]:
    """By name of an array; empty where not all is known.

    Example: n iterations around a loop over m elements of `a`, each of 4 bytes: (0, 4*m*n), (4*m, 4*m)."""
    nest = with_inlined(nest)
    if not any(each.parent == loop.id for each in nest):
        return {}
    try:
        found = _Nest(loop, nest)
        depths = range(max(each.depth for each in nest), loop.depth - 1, -1)
        return {
            name: tuple((found.held(name, depth), found.moved(loop, name, depth)) for depth in depths)
            for name in dict.fromkeys(array.name for array in loop.arrays)
        }
    except (_UnknownError, ZeroDivisionError):
        return {}


class _Nest:
    """The loops of a nest with their footprints, for one entry of the outermost."""

    def __init__(self, outermost: LoopFacts, nest: tuple[LoopFacts, ...]) -> None:
        self.loops = nest
        self.children = {each.id: tuple(inner for inner in nest if inner.parent == each.id) for each in nest}
        listed = {each.loop.key for each in nest}
        if any(inner.key not in listed for inner in loops((outermost.loop,))):
            raise _UnknownError
        self.sizes = frozenset(name for e in _formulas(outermost) for name in free_symbols(e))
        self.entries = {each.id: div(self.known(each.counts.executions), self.known(outermost.counts.executions))
                        for each in nest}  # fmt: skip
        self.touched: dict[str, Mapping[str, tuple[Expr, Expr]]] = {}
        for each in sorted(nest, key=lambda each: each.depth):
            self.touched[each.id] = self._footprints(each)

    def known(self, count: Count | None) -> Expr:
        """A count that is a formula in the sizes of the nest."""
        found = expr_of(count)
        if found is None or not free_symbols(found) <= self.sizes:
            raise _UnknownError
        return found

    def _footprints(self, loop: LoopFacts) -> Mapping[str, tuple[Expr, Expr]]:
        """By array: bytes that an entry of the loop touches, and those that it reads plus those that it writes."""
        found: dict[str, tuple[Expr, Expr]] = {}
        around = self.touched.get(loop.parent or "", {})
        for array in loop.arrays:
            whole, moved = found.get(array.name, (ZERO, ZERO))
            here = self._at_most(touched(array), around.get(array.name))
            found[array.name] = add(whole, here), add(moved, here)
        return found

    def _at_most(self, here: Expr | None, around: tuple[Expr, Expr] | None) -> Expr:
        """A footprint as a formula in the sizes of the nest, or a small bound; `around`: that of the loop around it."""
        match here, around:
            case _ if here is not None and free_symbols(here) <= self.sizes:
                return here
            case Min(args), _ if known := [e for e in args if free_symbols(e) <= self.sizes]:
                return minimum(*known)
            case _, (Num(value) as few, _) if value <= FEW_BYTES:
                return few
            case _:
                raise _UnknownError

    def held(self, name: str, depth: int) -> Expr:
        """What one iteration of a loop at this depth touches of an array: the largest of them."""
        return maximum(ZERO, *(self._in_one(name, each) for each in self.loops if each.depth == depth))

    def _in_one(self, name: str, loop: LoopFacts) -> Expr:
        """Of several loops side by side together, but no more than all iterations touch."""
        inside = [t[0] for inner in self.children[loop.id] if (t := self.touched[inner.id].get(name)) is not None]
        whole = self.touched[loop.id].get(name)
        together = add(ZERO, *inside)
        return together if len(inside) < 2 or whole is None else minimum(together, whole[0])

    def moved(self, loop: LoopFacts, name: str, depth: int) -> Expr:
        """What passes of an array if only the loops from this depth on find again what they have touched."""
        inside = [inner for inner in self.children[loop.id] if name in self.touched[inner.id]]
        if loop.depth < depth and inside:
            return add(ZERO, *(self.moved(inner, name, depth) for inner in inside))
        return mul(self.entries[loop.id], self.touched[loop.id].get(name, (ZERO, ZERO))[1])


def _formulas(loop: LoopFacts) -> Iterator[Expr]:
    """Those in which the sizes of a nest occur."""
    own = (loop.counts.iterations, loop.counts.executions, loop.counts.trip_count)
    arrays = (c for array in loop.arrays for c in (array.footprint, array.read_footprint, array.write_footprint))
    sections = (c for array in loop.arrays for c in (array.transfer_in, array.transfer_out))
    yield from (e for e in map(expr_of, (*own, *arrays, *sections)) if e is not None)
    yield from (weighted(array.accesses) for array in loop.arrays if array.accesses is not None)
