"""Preconditions of trip counts: arithmetic in tests and of loop variables that must not wrap. Settled per function.

*Decides*: for every loop which of its conditions (`Loop.wraps`) are proved from the bounds and conditions around it,
and which can be assumed by name. A loop with one that can be neither has no known number of iterations, and its
variable no known values: both counts and dependences then see it so. *Errs toward* assuming.

    for (i = 0; i < n; i++) for (unsigned j = i - 1; j + 1 != 0; j--)        proved: i - 1 is taken modulo 2^32
    for (unsigned i = a; i != b; i++)                                        assumed: no-overflow(i)
    for (unsigned i = 0; i < n; i++) for (j = 0; j < i - 1; j++)             refuted: for i = 0 the bound is 2^32 - 1
"""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from ..access.accesses import Guard, occurrences
from ..access.domains import running, surroundings
from ..ir import nodes as ir
from ..ir.nodes import Branch, Function, Loop, Statement, Wrap
from ..ir.polynomials import ZERO, Poly, symbol
from ..ir.reasons import ReasonCode
from ..polyhedra.system import System, Work, at_least, proves, system
from ..source.ctypes import Integer
from .finding import Finding
from .overflow import obligation

MOST_WORK = 2500
"""Eliminations for one function: what is not proved by then is assumed."""


def settled(function: Function) -> Function:
    """The function, its loops without the conditions that are proved, and without trip counts that are refuted."""
    if not any(_open(loop) for loop in ir.loops(function.body)):
        return function
    around, work = occurrences(function).around, Work(limit=MOST_WORK)
    known: dict[int, Loop] = {}
    for loop in ir.loops(function.body):  # outer before inner
        outer, guards = around[loop.key]
        known[loop.key] = _settled(loop, tuple(known[o.key] for o in outer), guards, work)
    return replace(function, body=with_loops(function.body, known))


def _open(loop: Loop) -> tuple[Wrap, ...]:
    """What the trip count rests on. That another variable of the loop wraps, which is narrow and may be meant to, does
    not change how often it runs."""
    return tuple(w for w in loop.wraps if not w.explicit) if loop.trip is not None else ()


def _settled(loop: Loop, enclosing: tuple[Loop, ...], guards: tuple[Guard, ...], work: Work) -> Loop:
    if not _open(loop):
        return loop
    found = [(wrap, finding) for wrap, finding in of_loop(loop, enclosing, guards, work)]
    left = {wrap for wrap, finding in found if wrap.explicit or finding != Finding()}
    kept = replace(loop, wraps=tuple(w for w in loop.wraps if w in left))
    if not any(finding.problems for wrap, finding in found if not wrap.explicit):
        return kept
    return replace(kept, trip=None, exact_trip=False, first=None, last=None, step=None)


def of_loop(
    loop: Loop, enclosing: tuple[Loop, ...], guards: tuple[Guard, ...], work: Work
) -> Iterator[tuple[Wrap, Finding]]:
    """Each condition of a loop, and what it comes to: nothing where it is proved, an assumption, or a problem. A test
    is evaluated once more when it fails, one step after the last iteration (that of a `do` within it), and once if
    there is none. That iterations run says nothing of what is worked out before: had `n - 1` wrapped, more would."""
    before = surroundings(enclosing, guards)
    context = before + running(loop)
    around = (*enclosing, loop)
    variables = {i.variable.name for i in loop.inductions}
    for wrap in loop.wraps:
        moves = loop.counter in wrap.value.symbols
        code = ReasonCode.NON_AFFINE_ACCESS if wrap.explicit else ReasonCode.UNKNOWN_TRIP_COUNT
        sized = _sized(before, wrap) if _ends_alone(loop, wrap) else before
        found = obligation(context if moves else sized, wrap, code, around, work)
        if moves and wrap.text not in variables and loop.kind != "do":
            ended, first = (_at(wrap, loop, by) for by in (symbol(loop.counter) + 1, ZERO))
            if not (_is_signed(loop, wrap) and proves(context, at_least(ended.value - wrap.low), work)):
                found += obligation(context, ended, code, around, work)
            found += obligation(_sized(before, first), first, code, around, work)
        yield wrap, found


def _sized(before: System, wrap: Wrap) -> System:
    """What is known before the loop; a plain size is >= 0."""
    return before + system(at_least(wrap.value)) if _is_size(wrap.value) else before


def _ends_alone(loop: Loop, wrap: Wrap) -> bool:
    """Whether a value below 0 would make the iterations too many for any array: not where the smaller of it and another
    one ends the loop (`min((unsigned)m, 20u)`)."""
    trip = loop.trip or ()
    bounds = {s for r in trip for s in r.numerator.symbols if isinstance(s.origin, ir.Computed)}
    return len(trip) <= 1 and wrap.value.symbols.isdisjoint(ir.nested_symbols(bounds) - bounds)


def _is_size(value: Poly) -> bool:
    """Whether a value is a multiple of a size, or of several."""
    counters = any(isinstance(s.origin, ir.Counter) for s in value.symbols)
    return len(value.terms) == 1 and value.terms[0][1] > 0 and not counters


def _at(wrap: Wrap, loop: Loop, iteration: Poly) -> Wrap:
    return replace(wrap, value=wrap.value.substitute({loop.counter: iteration}))


def _is_signed(loop: Loop, wrap: Wrap) -> bool:
    """Whether the value converted is that of a signed variable, which does not overflow: `i < n` for an unsigned n."""
    for i in loop.inductions:
        type_, start = i.variable.type, i.start
        signed = isinstance(type_, Integer) and type_.signed and 1 << (8 * type_.size - 1) <= wrap.high
        if signed and start is not None and wrap.value == start + i.step * symbol(loop.counter):
            return True
    return False


def with_loops(body: tuple[Statement, ...], known: Mapping[int, Loop]) -> tuple[Statement, ...]:
    """The statements with other loops in place of those of the same keys."""
    return tuple(_replaced(s, known) for s in body)


def _replaced(statement: Statement, known: Mapping[int, Loop]) -> Statement:
    match statement:
        case Loop(key=key):
            loop = known.get(key, statement)
            return replace(loop, body=with_loops(loop.body, known))
        case Branch(then=then, otherwise=otherwise):
            inside = (with_loops(then, known), with_loops(otherwise, known))
            return replace(statement, then=inside[0], otherwise=inside[1])
        case _:
            return statement
