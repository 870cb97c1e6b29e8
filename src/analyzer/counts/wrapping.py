"""Arithmetic that may start again at the other end of its range.

    unsigned char d = 1; for (i = 3; i < n; i++) { d += 2; a[d] = 0; }        128 elements at the most, not n - 3
    for (unsigned i = 0; i < n; i++) a[i * 1073741824u >> 16] = 0;            4 elements

*Decides*: the loops with a variable narrower than `int` that may, by their counters: subscripts made of them repeat
unpredictably. Where the loop's own test is about the variable, or a bound inside may be, all counts rest on its not
wrapping, which is an assumption. And whether other arithmetic can be taken not to wrap (`stays`). *Errs toward*
wrapping: what is not proved to stay in range is taken to leave it."""

from collections.abc import Iterator

from msgspec import Struct

from models.expr.nodes import remembered

from ..dependence.overflow import is_credible
from ..ir.nodes import Branch, Loop, Statement, Wrap, nested_symbols, statements, tested_symbols
from ..ir.polynomials import Poly, Symbol, symbol
from ..loops.formula_text import overflow_text
from ..polyhedra.signs import Region, is_nonnegative


def inside(region: Region, loop: Loop) -> Region:
    """What holds in the body of a loop: its counter lies below every bound."""
    return region.inside(loop.counter, *_bounds(loop))


@remembered("_bounds")
def _bounds(loop: Loop) -> tuple[Poly, ...]:
    k = symbol(loop.counter)
    return (k, *(r.numerator - 1 - k * r.denominator for r in loop.trip or () if not loop.at_least))


class Wrapping(Struct, frozen=True):
    """`counters` of the loops of a nest in which a narrow variable may wrap that no test stops; `kept`: the narrow
    variables that a loop's own test is about, or a bound inside the nest, and that are taken not to wrap
    (`no-overflow`)."""

    counters: frozenset[Symbol]
    kept: tuple[str, ...]


def wrapping(loop: Loop, around: tuple[Loop, ...], facts: Region) -> Wrapping:
    """What may wrap in a nest inside the loops `around`, in which `facts` hold. What trip counts rest on is settled
    (`dependence.premises`): conditions that are left are assumptions."""
    found = list(_found(loop, inside(facts, loop)))
    outer = [(each, w) for each in around for w in (*_leaving(each, facts), *_open(each))]
    free = frozenset(each.counter for each, _ in found)
    bounding = _in_bounds(loop) if free or outer else frozenset()
    kept = [w.text for each, w in found if each.counter in bounding]
    kept += [overflow_text(w, around) for each, w in outer if each.counter in bounding]
    kept += [overflow_text(w, inner) for each, inner in _with_those_around(loop, around) for w in _open(each)]
    return Wrapping(free, tuple(dict.fromkeys(kept)))


def stays(w: Wrap, loops: tuple[Loop, ...], region: Region) -> bool:
    """Whether arithmetic inside these loops is proved, or can be assumed, not to wrap: a hash is meant to."""
    above, below = (is_nonnegative(end, region) for end in (w.value - w.low, -w.value + w.high))
    return (above and below) or (not w.explicit and is_credible(w, loops, above, below))


def _with_those_around(loop: Loop, around: tuple[Loop, ...]) -> Iterator[tuple[Loop, tuple[Loop, ...]]]:
    """The loops of a nest, each with those around it."""
    yield loop, around
    for inner in _direct(loop.body):
        yield from _with_those_around(inner, (*around, loop))


def _open(loop: Loop) -> tuple[Wrap, ...]:
    """What the trip count is only assumed not to wrap in."""
    return tuple(w for w in loop.wraps if not w.explicit) if loop.trip is not None else ()


def _found(loop: Loop, region: Region) -> Iterator[tuple[Loop, Wrap]]:
    yield from ((loop, w) for w in _leaving(loop, region))
    for inner in _direct(loop.body):
        yield from _found(inner, inside(region, inner))


def _leaving(loop: Loop, region: Region) -> Iterator[Wrap]:
    """The narrow variables of one loop that are not shown to stay in their range."""
    for w in loop.wraps:
        ends = (w.value - w.low, -w.value + w.high)
        if w.explicit and not all(is_nonnegative(end, region) for end in ends):
            yield w


def _in_bounds(loop: Loop) -> frozenset[Symbol]:
    """What the bounds and conditions of a nest are made of: how often its statements run depends on it."""
    found: set[Symbol] = set()
    for statement in statements((loop,)):
        match statement:
            case Loop(trip=trip):
                found.update(*(r.numerator.symbols for r in trip or ()))
            case Branch(predicate=predicate):
                found |= tested_symbols(predicate)
            case _:
                pass
    return nested_symbols(found)


def _direct(body: tuple[Statement, ...]) -> Iterator[Loop]:
    """The loops of a body that are in no other loop of it."""
    for statement in body:
        if isinstance(statement, Loop):
            yield statement
        elif isinstance(statement, Branch):
            yield from _direct((*statement.then, *statement.otherwise))
