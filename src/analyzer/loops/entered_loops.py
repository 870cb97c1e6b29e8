"""Trip counts inside of the loops whose they are.

*Decides*: where max(0, n) iterations are n: in the body of a loop of n iterations, which has at least one there. By so
much a variable grows that an inner loop counts up, in each iteration of a loop around it.
*Errs toward* max(0, n): a `do` loop has one iteration whatever n is.

    for (j...) for (k = 0; k < n; k++) p[m++] = v[k];       m is j * max(0, n) + k, and j * n + k where it is used
"""

from collections.abc import Iterator

from msgspec.structs import replace

from ..ir import nodes as ir
from ..ir.polynomials import ZERO, Poly, Symbol
from .context import Context
from .substitute import Substitution


def without_maxima(ctx: Context, body: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
    """The statements of a function with the trip counts of their loops in place of such maxima. Example: see the
    module."""
    if not ctx.counts_on:
        return body
    found = dict(_maxima(ir.symbols_in(body)))
    return _inside(body, found) if found else body


def _maxima(symbols: frozenset[Symbol]) -> Iterator[tuple[Symbol, Poly]]:
    """Those that are max(0, a trip count), and the trip count."""
    for s in sorted(symbols, key=lambda each: each.key):
        match s.origin:
            case ir.Computed(meaning=ir.Outermost("max", (zero, trip))) if zero == ZERO:
                yield s, trip
            case _:
                pass


def _inside(body: tuple[ir.Statement, ...], found: dict[Symbol, Poly]) -> tuple[ir.Statement, ...]:
    return tuple(_statement(s, found) for s in body)


def _statement(statement: ir.Statement, found: dict[Symbol, Poly]) -> ir.Statement:
    match statement:
        case ir.Loop(body=body, trip=trip, kind=kind):
            own = {s: n for s, n in found.items() if kind != "do" and trip == (ir.Ratio(n),)}
            return replace(statement, body=_inside(Substitution(own).body(body) if own else body, found))
        case ir.Branch(then=then, otherwise=otherwise):
            return replace(statement, then=_inside(then, found), otherwise=_inside(otherwise, found))
        case _:
            return statement
