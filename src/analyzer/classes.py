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

from .facts import Parallelism, Verdict
from .loops.ir import Access, Assign, Branch, Declared, Function, Loop, Object, Statement, Variable, statements

if TYPE_CHECKING:
    from models.classes import AlgorithmClass


def parallel_chain(loop: Loop, parallelism: Mapping[int, Parallelism]) -> tuple[Loop, ...]:
    """The parallel loops P of the nest rooted at `loop`, outer first: the loop itself if it is parallel,
    and then the only loop directly inside as long as it is parallel too and reduces nothing that the loops
    around do not. A loop that reduces into something of its own (the sum of one row), or that fills an array
    of which each iteration around it has its own, is part of the operator."""
    chain: list[Loop] = []
    allowed: frozenset[tuple[Variable | Object, bool]] | None = None
    current: Loop | None = loop
    while current is not None:
        answer = parallelism.get(current.key)
        if answer is None or answer.verdict is not Verdict.YES:
            break
        reduced = frozenset((s.target, s.array) for s in answer.separated if s.role == "reduction")
        if allowed is not None and (reduced != allowed or _fills_copies(current, chain, parallelism)):
            break
        allowed = reduced
        chain.append(current)
        inner = list(direct_loops(current.body))
        current = inner[0] if len(inner) == 1 else None
    return tuple(chain)


def _fills_copies(loop: Loop, around: list[Loop], parallelism: Mapping[int, Parallelism]) -> bool:
    """Whether all that the loop stores to are arrays that every iteration of the loops around has of its own."""
    keys = {each.key for each in around}
    stored = [s.target.object for s in statements(loop.body) if isinstance(s, Assign) and isinstance(s.target, Access)]
    return bool(stored) and all(
        isinstance(x, Declared)
        and (not keys.isdisjoint(x.variable.loops) or any(parallelism[key].is_private(x) for key in keys))
        for x in stored
    )


def direct_loops(body: tuple[Statement, ...]) -> list[Loop]:
    """The loops of a body that are not inside another loop of it."""
    found: list[Loop] = []
    for statement in body:
        match statement:
            case Loop():
                found.append(statement)
            case Branch(then=then, otherwise=otherwise):
                found += direct_loops(then) + direct_loops(otherwise)
            case _:
                pass
    return found


def algorithm_class(
    function: Function,
    loop: Loop,
    around: tuple[Loop, ...],
    parallelism: Mapping[int, Parallelism],
) -> "AlgorithmClass | None":
    """The class of the nest rooted at `loop`, None when it has none. Lengths are formulas in C names.

    Example: `for (i = 0; i < K; i++) s += A[i];` gives `K|element → 1|shared`."""
    from .species import patterns

    found = patterns(function, loop, around, parallelism)
    return None if found is None else found.algorithm()
