"""Exact elimination of integer unknowns: equalities by Euclid's algorithm, inequalities by Fourier-Motzkin.

*Source*: W. Pugh, "The Omega test: a fast and practical integer programming algorithm for dependence analysis",
Supercomputing 1991: equality elimination (2.2), normalisation by the gcd of the coefficients (2.1), exact and
real shadows (2.3). Here an equality is solved by unimodular changes of variables, which need no new unknowns.
*Errs toward* POSSIBLE: after an inexact projection only emptiness is a proof.

Every row is a list of integer coefficients with the constant last; rows of `>=` and rows of `==` are kept apart.
"""

from collections.abc import Iterable
from functools import lru_cache
from math import gcd
from operator import add, neg

from ..ir.polynomials import Monomial
from .system import CELLS, Conjunction, Feasibility, Work

Row = tuple[int, ...]

MAX_ROWS = 300
"""More inequalities than this after a projection: give up."""

MOST_KNOWN = 4096
"""Systems whose answers are kept: some megabytes."""

IS_POSITIVE = (0).__lt__


class _ContradictionError(Exception):
    """A row that no integers satisfy."""


def eliminate(constraints: Conjunction, work: Work | None = None) -> Feasibility:
    """Whether integers satisfy the constraints, every monomial counting as an unknown of its own: EMPTY and NONEMPTY
    are proofs (for the constraints so read), POSSIBLE and TOO_COMPLEX say that another method must decide. The numbers
    gone through are added to `work`."""
    found, cells = _decided(*_matrix(constraints))
    if work is not None:
        work.spend(cells)
    return found


@lru_cache(maxsize=MOST_KNOWN)
def _decided(equalities: tuple[Row, ...], inequalities: tuple[Row, ...]) -> tuple[Feasibility, int]:
    """What is known, and the numbers gone through. Systems that differ in the names of their unknowns alone are one
    here: of the pairs of references in a loop, and of the levels of a nest, most ask what another one has asked."""
    work = Work()
    try:
        found = _project(_solve(equalities, inequalities), work)
    except _ContradictionError:
        found = Feasibility.EMPTY
    return found, work.done * CELLS + work.cells


def _matrix(constraints: Conjunction) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    columns: dict[Monomial, int] = {}
    for c in constraints:
        for monomial, _ in c.value.terms:
            if monomial:
                columns.setdefault(monomial, len(columns))
    equalities: list[Row] = []
    inequalities: list[Row] = []
    for c in constraints:
        row = [0] * (len(columns) + 1)
        for monomial, coefficient in c.value.terms:
            row[columns[monomial] if monomial else -1] += coefficient
        (equalities if c.equal else inequalities).append(tuple(row))
    return tuple(equalities), tuple(inequalities)


def _solve(equalities: Iterable[Row], inequalities: Iterable[Row]) -> list[Row]:
    """The inequalities after every equality was used to remove an unknown."""
    pending, inequalities = list(equalities), list(inequalities)
    while pending:
        row = pending.pop()
        divisor = gcd(*row[:-1])
        if divisor == 0:
            if row[-1]:
                raise _ContradictionError
            continue
        if row[-1] % divisor:
            raise _ContradictionError
        row = tuple(x // divisor for x in row)
        k = min((i for i, x in enumerate(row[:-1]) if x), key=lambda i: abs(row[i]))
        if abs(row[k]) == 1:
            pending = [_without(r, row, k) for r in pending]
            inequalities = [_without(r, row, k) for r in inequalities]
        else:
            shift = [x // row[k] if i != k else 0 for i, x in enumerate(row)]
            pending = [_shifted(r, k, shift) for r in (*pending, row)]
            inequalities = [_shifted(r, k, shift) for r in inequalities]
    return inequalities


def _without(row: Row, equality: Row, k: int) -> Row:
    """The row with unknown k replaced by what the equality (coefficient 1 or -1 there) says it is."""
    if not row[k]:
        return row
    factor = row[k] * equality[k]
    return tuple(x - factor * y for x, y in zip(row, equality, strict=True))


def _shifted(row: Row, k: int, shift: list[int]) -> Row:
    """The row after `x_k := x_k - sum(shift_i * x_i)`."""
    if not row[k]:
        return row
    return tuple(x - row[k] * s for x, s in zip(row, shift, strict=True))


def _normal(rows: list[Row], known: dict[Row, int] | None = None) -> dict[Row, int]:
    """Coefficients -> tightest constant, added to the `known` ones; constants rounded down to what integers reach."""
    tightest: dict[Row, int] = {} if known is None else known
    for row in rows:
        head, constant = row[:-1], row[-1]
        divisor = gcd(*head)
        if divisor == 0:
            if constant < 0:
                raise _ContradictionError
            continue
        if divisor > 1:
            head, constant = tuple(x // divisor for x in head), constant // divisor
        if head not in tightest or constant < tightest[head]:
            tightest[head] = constant
    return tightest


def _project(inequalities: list[Row], work: Work) -> Feasibility:
    """Removes one unknown after another; exact as long as one side of every combination has coefficient 1."""
    exact = True
    rows = _normal(inequalities)
    while rows:
        work.spend(len(rows) * len(next(iter(rows))))
        tight = _pinched(rows)
        if tight is not None:
            rows = _normal(_solve([tight], [(*h, c) for h, c in rows.items()]))
            continue
        rows = _bounded(rows)
        if not rows:
            break
        k, is_exact = _choose(rows)
        lower = [(h, c) for h, c in rows.items() if h[k] > 0]
        upper = [(h, c) for h, c in rows.items() if h[k] < 0]
        if len(rows) - len(lower) - len(upper) + len(lower) * len(upper) > MAX_ROWS:
            return Feasibility.TOO_COMPLEX
        exact = exact and is_exact
        made = []
        for h1, c1 in lower:
            b = h1[k]
            for h2, c2 in upper:
                a = -h2[k]
                if a == b == 1:
                    made.append((*map(add, h1, h2), c1 + c2))
                else:
                    made.append((*[a * x + b * y for x, y in zip(h1, h2, strict=True)], a * c1 + b * c2))
        rows = {h: c for h, c in rows.items() if not h[k]}
        _normal(made, rows)
    return Feasibility.NONEMPTY if exact else Feasibility.POSSIBLE


def _bounded(rows: dict[Row, int]) -> dict[Row, int]:
    """The rows without those of unknowns that are bounded on one side only: these can always be met."""
    while rows:
        columns = list(zip(*rows, strict=True))
        open_ = [k for k, column in enumerate(columns) if (max(column) > 0) != (min(column) < 0)]
        if not open_:
            break
        rows = {h: c for h, c in rows.items() if not any(h[k] for k in open_)}
    return rows


def _pinched(rows: dict[Row, int]) -> Row | None:
    """An equality hidden in two opposite inequalities; a contradiction between two raises."""
    for head, constant in rows.items():
        opposite = rows.get(tuple(map(neg, head)))
        if opposite is not None and next(filter(None, head)) > 0:  # else its opposite is looked at
            if opposite + constant < 0:
                raise _ContradictionError
            if opposite + constant == 0:
                return (*head, constant)
    return None


def _choose(rows: dict[Row, int]) -> tuple[int, bool]:
    """The unknown to remove: exact ones first, then the one that makes the fewest rows."""
    best: tuple[bool, int, int] | None = None
    for k, column in enumerate(zip(*rows, strict=True)):
        highest, lowest = max(column), min(column)
        if not highest and not lowest:
            continue
        inexact = highest > 1 and lowest < -1
        if inexact and best is not None and not best[0]:
            continue
        above = sum(map(IS_POSITIVE, column))
        below = len(column) - column.count(0) - above
        cost = (inexact, above * below - above - below, k)
        best = min(best, cost) if best else cost
    assert best is not None
    return best[2], not best[0]
