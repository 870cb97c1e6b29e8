"""Which lengths of rows the code of a function gives evidence of, beside the strides in subscripts.

*Decides*: the lengths of rows in which the columns of some access provably stay, as an inner loop runs along them, and
the sizes that memory is allocated by. `a[i*lda + j]` alone is evidence of a stride: rows of `lda` elements may overlap.

    for (i < m) for (j < n) a[i*n + j] = a[i*n + j + k];       ->  n
    for (f < m) for (j < win) out[f*hop + j] += x[j];          ->  none
    for (...) if (k < most) list[i*most + k++] = x;            ->  most
    a = malloc(m * lda * sizeof *a);                           ->  m, lda
"""

from collections.abc import Iterable, Iterator

from ..access.accesses import Occurrence
from ..access.delinearize import digits, is_moved, radices, surely_inside
from ..access.domains import domain
from ..ir.nodes import Allocated, Computed, Loop
from ..ir.polynomials import Poly, symbol
from ..polyhedra.system import Work
from .columns import linear

MOST_WORK = 300
"""Eliminations spent on the rows of one function."""


def named_rows(occurrences: Iterable[Occurrence]) -> frozenset[Poly]:
    """The lengths of rows that the accesses of a function show. Example: see the module."""
    work = Work()
    work.limit = MOST_WORK
    return frozenset(length for o in occurrences for length in (*_allocated(o), *_kept_to(o, work)))


def _allocated(o: Occurrence) -> Iterator[Poly]:
    memory = o.access.object
    if isinstance(memory, Allocated) and memory.size is not None:
        yield from (symbol(s) for monomial, _ in memory.size.terms if len(monomial) > 1 for s in monomial)


def _kept_to(o: Occurrence, work: Work) -> Iterator[Poly]:
    """The rows in which the columns of an access surely stay."""
    index = linear(o)
    if index is None or index.is_affine:
        return
    for radix in radices(index):
        found = digits(index, radix) or ()
        along = [d.extent for d in found if d.extent is not None and _runs_along(d.value, o.loops)]
        if along and surely_inside(found, domain(o), work):
            yield from along


def _runs_along(column: Poly, loops: tuple[Loop, ...]) -> bool:
    """Whether a column changes with a counter, or with a value that the innermost loop sets: `a[i*n + filled++]`."""
    set_there = (s.origin for s in column.symbols if isinstance(s.origin, Computed))
    return is_moved(column, loops) or any(loops[-1].key in origin.loops for origin in set_there if loops)
