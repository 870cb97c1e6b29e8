"""Does a value vary in loops? Asked while a loop is lowered, when it is tested, counted and placed: each knows
something else of what changes memory, and of which loops it speaks."""

from collections.abc import Callable, Iterable

from .nodes import Computed, Counter, Entry, Loaded, Quotient, Remainder, made_of
from .polynomials import Poly, Symbol


def varies(s: Symbol, inside: Callable[[int], bool], changed: Callable[[Symbol], bool]) -> bool:
    """Whether a symbol may have several values while loops run: with their keys `inside` is true, and `changed` says of
    what is read from memory in them whether they may change it, or read it through a pointer that they set. What was
    read before them is one value, whatever they store.

    >>> varies(n, {1}.__contains__, lambda s: True), varies(counter, {1}.__contains__, lambda s: True)
    (False, True)
    """
    match s.origin:
        case Counter(loop=key):
            return inside(key)
        case Entry(loops=made_in):
            return any(map(inside, made_in))
        case Computed(loops=made_in):
            return any(map(inside, made_in)) or _any_varies(made_of(s.origin), inside, changed)
        case Quotient(value=value) | Remainder(value=value):
            return _any_varies(value.symbols, inside, changed)
        case Loaded(access=access, loops=made_in) if any(map(inside, made_in)):
            strides = (sub.stride.symbols for sub in access.subscripts if sub.stride is not None)
            address = (*(sub.index.symbols for sub in access.subscripts), *strides)
            return access.volatile or any(_any_varies(part, inside, changed) for part in address) or changed(s)
        case Loaded():
            return False


def _any_varies(
    symbols: Iterable[Symbol], inside: Callable[[int], bool], changed: Callable[[Symbol], bool]
) -> bool:
    return any(varies(s, inside, changed) for s in symbols)


def computed_in(value: Poly, loop: int) -> bool:
    """Whether a value is known to differ between iterations of a loop that is being lowered: it counts inner
    iterations, or is computed in the body. What is read from memory (`s->n`) is judged later, when all stores of the
    loop are known. Keys count up: those of inner loops are larger."""
    return any(varies(s, loop.__le__, lambda read: False) for s in value.symbols)


def is_invariant(value: Poly, loop: int) -> bool:
    """Whether a value is the same in all iterations of a loop that is being lowered: it is neither computed nor read
    from memory in it. What was read before the loop (`w = m->columns; for (...) p += w`) is a value like any other."""
    return not any(varies(s, loop.__le__, lambda read: True) for s in value.symbols)
