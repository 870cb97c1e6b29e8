"""The algorithm class of a nest in the notation of 2011, derived from its species.

    Class   ::= ['unordered '] Side ' → ' Side
    Side    ::= Part (' ∧ ' Part)*  |  'void'
    Part    ::= length ('x' length)* '|' pattern    -- element, neighbourhood(NxM), tile(UxV), full, shared

*Rule* (ours; the report of 2011 is not printed in the boat hull paper, its examples and Table 4 are): every
array of the species is one part. Its lengths are those of its domain; a neighbourhood or chunk (`tile`) is
written with the lengths of its extent, and so is a pattern of one dimension (`neighbourhood(3)`). An
element class is `unordered` when an array is read or written in an order that is not that of its memory:
its subscripts take the parallel loops in another order than the output does (a transpose), or run backwards
in one and forwards in the other (a mirror image): Table 1 names xy-mirroring. A nest without a species has
no class.

    A[0:N-1,0:M-1]|chunk(0:0,0:M-1) ^ x[0:M-1]|full -> y[0:N-1]|element
    is      NxM|tile(1xM) ∧ M|full → N|element

A linearised array has the lengths of its rows (see `species`): `c[i*n + j]` is `n x n`, as `c[i][j]` is.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..counts.nest import Nest
from ..facts.loop import Parallelism

if TYPE_CHECKING:
    from models.classes import AlgorithmClass


def algorithm_class(nest: Nest, parallelism: Mapping[int, Parallelism]) -> "AlgorithmClass | None":
    """The class of the nest, None when it has none. Lengths are formulas in C names.

    Example: `for (i = 0; i < K; i++) s += A[i];` gives `K|element → 1|shared`."""
    from . import patterns

    found = patterns(nest, parallelism)
    return None if found is None else found.algorithm()
