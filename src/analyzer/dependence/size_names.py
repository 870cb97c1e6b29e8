"""What sizes are called where a loop begins.

*Decides*: a text in C that means a polynomial in sizes there: by variables that hold it, or memory that the loop reads.
*Errs toward* None: a value that the loop changes has no name before it.

    for (f < frames) out[f * hop + j], with int hop = win - overlap;      ->  hop, for the value win - overlap
"""

import re
from collections.abc import Iterator
from itertools import product

from ..ir.nodes import (
    Access,
    Computed,
    Declared,
    Entry,
    Loaded,
    Pointee,
    Quotient,
    Share,
    loops,
    nested_symbols,
    stands_in,
)
from ..ir.pointer_roots import root
from ..ir.polynomials import ZERO, Poly, Symbol, symbol
from ..ir.same import same_place
from ..memory.access_text import shows_place
from ..memory.alias import Overlap, member_text
from ..source.ctypes import Record
from .index_text import array_text
from .scope import Scope


def side_by_side(scope: Scope, extent: Poly, wanted: Poly) -> tuple[str | None, str | None]:
    """Both sides of `extent >= wanted`, without a number that is added on both: `high - low >= b - a`."""
    names = in_names(scope, extent), in_names(scope, wanted)
    if names[0] == names[1]:
        return None, None  # of two values that one name had
    both = min(extent.constant_term, wanted.constant_term)
    if both <= 0 or any(name is None or name.isidentifier() for name in names):
        return names
    return in_names(scope, extent - both), in_names(scope, wanted - both)


def of_values(scope: Scope, s: Symbol) -> str | None:
    """What all the values of an array are called, of which each iteration reads others, and that the loop leaves alone:
    `len` for `len[i]`."""
    match s.origin:
        case Loaded(access=access) if scope.varies(s):
            return array_text(access, scope.loop) if scope.stored(s) in (Overlap.DISTINCT, Overlap.ASSUMED) else None
        case _:
            return None


def in_names(scope: Scope, value: Poly) -> str | None:
    """A value in C, by names that mean it where the loop begins."""
    whole = next(_known_as(scope, value), None)
    if whole is not None:
        return whole
    fixed = [s for s in value.symbols if not scope.varies(s)]
    names = {s: _name(scope, s) or next(_known_as(scope, symbol(s)), None) for s in fixed}
    if len(names) < len(value.symbols) or None in names.values() or len(set(names.values())) < len(names):
        return next(_beside(scope, value), None)
    lone = next((name for s, name in names.items() if value == symbol(s)), None)
    if lone is not None:
        return _plain(lone)
    added, taken = value.sides
    texts = [_plain(part.text(lambda s: names[s] or "")) for part in (added, taken)]
    several = len(taken.terms) > 1
    return texts[0] if taken == ZERO else f"{texts[0]}-({texts[1]})" if several else f"{texts[0]}-{texts[1]}"


def _known_as(scope: Scope, value: Poly) -> Iterator[str]:
    """The variables, and the members of structures that only the function reaches, that hold a value."""
    yield from (variable.name for poly, variable in scope.loop.held if poly == value)
    if not any(isinstance(s.origin, Loaded) and _is_read(scope, s.origin.access) for s in value.symbols):
        yield from (text for poly, text in scope.loop.members if poly == value)


def _beside(scope: Scope, value: Poly) -> Iterator[str]:
    """The value as a number more or less than a variable holds: `end - 1`, where nobody knows what that was made of."""
    for poly, variable in scope.loop.held:
        more = (value - poly).constant
        if more is not None and poly.constant is None:
            yield f"{variable.name}{more:+d}"


def _plain(text: str) -> str:
    """Without parentheses around names: `s->n` for `(s->n)`."""
    return re.sub(r"\((\w+(?:->\w+|\.\w+|\[\w+\])*)\)", r"\1", text.replace(" ", ""))


def _name(scope: Scope, s: Symbol) -> str | None:
    """The memory that the loop itself reads it from, or a variable that holds it there: its own may have been set."""
    bounds = {t for r in scope.loop.trip or () for t in r.numerator.symbols}
    match s.origin:
        case Loaded() if _is_outdated(scope, s):
            return next(_holding(scope, s), None)
        case Loaded(access=access) if _is_read(scope, access) and (s in bounds or not any(_holding(scope, s))):
            return _of_structure(access) if _is_in_view(scope, access) else _of_member(scope, access)
        case Entry() | Loaded():
            by_name = (v.name for _, v in scope.loop.held if v.key == s.number)  # a stride that `columns` has named
            holding = [*_holding(scope, s), *by_name]
            return s.name if s.name in holding else next(iter(holding), None) or next(_between(scope, s), None)
        case Quotient(value=value, divisor=divisor):
            whole = in_names(scope, value)
            return None if whole is None else f"{_closed(whole)}/{divisor}"
        case Computed(meaning=Share(value=value, divisor=length)):
            whole, by = in_names(scope, value), in_names(scope, length)
            return None if whole is None or by is None else f"{_closed(whole)}/{_closed(by)}"
        case Computed():
            return next(_holding(scope, s), None) or next(_between(scope, s), None)
        case _:
            return None


def _is_outdated(scope: Scope, s: Symbol) -> bool:
    """Whether the loop uses another value that was read later from the same place. What it reads itself, and leaves
    alone, is one value."""
    assert isinstance(s.origin, Loaded)
    if scope.loop.key in s.origin.loops:
        return False
    trips = (r.numerator for loop in (scope.loop, *loops(scope.loop.body)) for r in loop.trip or ())
    places = (x.index for o in scope.occurrences for x in o.access.subscripts)
    used = {t for value in (*trips, *places) for t in nested_symbols(value.symbols)} - {s}
    later = (t.origin for t in used if isinstance(t.origin, Loaded) and t.number > s.number)
    return any(same_place(origin.access, s.origin.access) for origin in later)


def _is_read(scope: Scope, access: Access) -> bool:
    """Whether the loop reads the place, wherever its value was asked for first."""
    return any(same_place(o.access, access) for o in scope.occurrences if not o.write)


def _holding(scope: Scope, s: Symbol) -> Iterator[str]:
    """The variables that hold it: what stands in memory may be another value by now."""
    return (variable.name for poly, variable in scope.loop.held if poly == symbol(s))


def _between(scope: Scope, s: Symbol) -> Iterator[str]:
    """How far apart the values of two variables are: `end - begin` for the n in `end = begin + n`."""
    held = [(poly, variable) for poly, variable in scope.loop.held if poly.constant is None]
    for (high, end), (low, begin) in product(held, held):
        if s in high.symbols and high - low == symbol(s):
            yield f"{end.name}-{begin.name}"


def _of_structure(access: Access) -> str:
    """The text of an access; of a structure that a function gets by its address, as its caller has it: `s.w`."""
    base = root(access.object)
    own = isinstance(base, Declared) and isinstance(base.variable.type, Record)
    return re.sub(r"^(\w+)->", r"\1.", access.text) if own else access.text


def _of_member(scope: Scope, access: Access) -> str | None:
    """A member that a function reads which gets the structure, or the array in it, by a name of its own, as its caller
    has it: `v->nz` for `g->nz`, `v->size[1]` for `size[1]`."""
    if not access.field.startswith(".") or not access.subscripts or access.subscripts[0].index != ZERO:
        return None
    inside = [s.index.constant for s in access.subscripts[1:]]
    match access.object:
        case Declared(variable=variable) | Pointee(variable=variable) if None not in inside:
            kept = not variable.inlined and variable.key not in scope.history.assigned
            return member_text(access) + "".join(f"[{k}]" for k in inside) if kept else None
        case _:
            return None


def _closed(text: str) -> str:
    return text if text.isidentifier() else f"({text})"


def _is_in_view(scope: Scope, access: Access) -> bool:
    """Whether its text begins with the variable by which the function knows the memory, or with a pointer from outside
    that the loop leaves alone: not with one that only the loop or a function that it calls has."""
    first = re.match(r"\W*([A-Za-z_]\w*)", access.text)
    if first is not None and is_outside_pointer(scope, access, first[1]):
        return True
    match root(access.object):
        case Declared(variable=variable) | Pointee(variable=variable):
            return first is not None and first[1] == variable.name and shows_place(access)
        case _:
            return True


def is_outside_pointer(scope: Scope, access: Access, name: str) -> bool:
    """Whether the text of an access begins with the name of a pointer from outside that the loop leaves alone."""
    changed = scope.assigned | {i.variable.key for i in scope.loop.inductions}
    return stands_in(scope.loop, access) and any(v.name == name and v.key not in changed for v in scope.loop.pointers)
