"""Polynomials in loop counters, written in the C variables of those loops."""

from collections.abc import Iterable

from ..polyhedra.poly import Poly, Symbol, symbol
from .ir import Loop


def in_variables(poly: Poly, around: Iterable[Loop]) -> Poly:
    """`poly` with each counter replaced by its loop's variable: counter k of `for (i = 1; ...; i++)` is i - 1.

    A loop whose variable does not step by one keeps a symbol named after the iteration, such as `(i - 1)/2`.
    The symbols made are for printing: only their names mean something.
    """
    images: dict[Symbol, Poly] = {}
    for loop in around:
        images[loop.counter] = _counter_in_variable(loop, images)
    return poly.substitute(images)


def _counter_in_variable(loop: Loop, outer: dict[Symbol, Poly]) -> Poly:
    if loop.variable is None or loop.first is None or loop.step is None:
        return _named(loop, f"iteration of line {loop.place.line}", -2 * loop.counter.key)
    first = loop.first.substitute(outer)
    step = loop.step.constant
    variable = _named(loop, loop.variable, -2 * loop.counter.key)
    if step == 1:
        return variable - first
    if step == -1:
        return first - variable
    distance = variable - first if step is None or step > 0 else first - variable
    size = abs(step) if step is not None else f"({loop.step})"
    return _named(loop, f"({distance})/{size}", -2 * loop.counter.key - 1)


def _named(loop: Loop, name: str, key: int) -> Poly:
    origin = loop.counter.origin
    return symbol(Symbol(key, name, origin))


def bounds_text(loop: Loop, around: Iterable[Loop]) -> tuple[str | None, str | None, str | None]:
    """(lower, upper, step) of definitions.md as text: the smallest and largest value entering the body, signed step."""
    outer = tuple(around)
    if loop.step is None:
        return None, None, None
    ends = [None if end is None else str(in_variables(end, outer)) for end in (loop.first, loop.last)]
    if (loop.step.constant or 0) < 0:
        ends.reverse()
    return ends[0], ends[1], str(loop.step)
