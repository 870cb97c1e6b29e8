"""Polynomials in loop counters, written in the C variables of those loops."""

from collections.abc import Iterable

from msgspec.structs import replace

from ..ir.nodes import Computed, Loop, Remainder, Steps, Wrap
from ..ir.polynomials import Poly, Symbol, symbol
from ..ir.symbols import Kind, derived

HALF = 1 << 62
"""No loop counts so far."""


def overflow_text(wrap: Wrap, around: Iterable[Loop]) -> str:
    """The arithmetic that must not wrap, inside these loops, as the program or C has it: `n + 1`."""
    if wrap.text:
        return wrap.text
    value = _named_after(wrap.value, tuple(around))
    return f"({wrap.type})({value})" if wrap.type else str(value)


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
        return _named(loop, f"iteration of line {loop.place.line}", Kind.ITERATION)
    first = loop.first.substitute(outer)
    step = loop.step.constant
    variable = _named(loop, loop.variable, Kind.VARIABLE)
    if step == 1:
        return variable - first
    if step == -1:
        return first - variable
    distance = variable - first if step is None or step > 0 else first - variable
    size = abs(step) if step is not None else f"({loop.step})"
    return _named(loop, f"({distance})/{size}", Kind.ITERATION)


def _named(loop: Loop, name: str, kind: Kind) -> Poly:
    return symbol(derived(kind, loop.counter, loop.counter.origin, name))


def bounds_text(loop: Loop, around: Iterable[Loop]) -> tuple[str | None, str | None, str | None]:
    """(lower, upper, step) of definitions.md as text: the smallest and largest value entering the body, signed step.
    A `do` loop makes one iteration whatever its test says: `max(0, n - 1)`."""
    outer = tuple(around)
    if loop.step is None or (loop.trip is None and _may_wrap(loop)):
        return None, None, None
    first, last = (None if end is None else _named_after(end, outer) for end in (loop.first, loop.last))
    ends = [None if end is None else str(end) for end in (first, last)]
    falls = bool(loop.step.terms) and all(c < 0 for _, c in loop.step.terms)  # a symbolic step goes towards the limit
    if loop.at_least and first is not None and last is not None and first != last:
        distance = (last - first).constant
        if distance is None:
            ends[1] = f"{'min' if falls else 'max'}({first}, {last})"
        elif distance > 0 if falls else distance < 0:
            ends[1] = str(first)
    if falls:
        ends.reverse()
    return ends[0], ends[1], str(loop.step)


def _may_wrap(loop: Loop) -> bool:
    """Whether nothing says that the variable stays in its range: then all of that may be its values. One of 64 bits
    that counts up from a number does not get to its end."""
    conditions = [w for w in loop.wraps if w.text == loop.variable]
    if not conditions or loop.first is None or loop.step is None:
        return bool(conditions)
    start, step = loop.first.constant, loop.step.constant
    steady = start is not None and 0 <= start < HALF and step is not None and step > 0
    return not steady or any(w.high < HALF for w in conditions)


def _named_after(poly: Poly, around: tuple[Loop, ...]) -> Poly:
    """`poly` in C variables, with remainders named after what they are of: where they were made, a variable that a loop
    changes had no other name than its own."""
    images: dict[Symbol, Poly] = {}
    for s in poly.symbols:
        match s.origin:
            case Remainder(value=value, divisor=divisor, floor=True):
                images[s] = symbol(replace(s, name=f"(({_named_after(value, around)})%{divisor})"))
            case Computed(meaning=Steps(distance=distance, width=width)):
                whole, part = _named_after(distance + width - 1, around), _named_after(width, around)
                images[s] = symbol(replace(s, name=f"max(0, ({whole})//({part}))"))
            case _:
                pass
    return in_variables(poly.substitute(images) if images else poly, around)
