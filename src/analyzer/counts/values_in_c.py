"""The values of sizes in C, where the loop of a nest begins.

*Decides*: an expression over variables that have these values there, members of structures among them, and over members
that the loop reads and leaves alone; None where nothing is known to have one of them: `m = n; n = 0; for (i = 0; i < m;
i++)` runs to what m holds.
"""

from collections.abc import Iterator

from ..base.regex import regex
from ..ir.nodes import Access, Entry, Loaded, nested_symbols, stands_in
from ..ir.polynomials import Poly, Symbol, symbol
from ..ir.symbols import Kind, derived
from .nest import Nest
from .pointers_in_c import is_named_here, is_set, stays

MEMBER = regex(r"[A-Za-z_]\w*(?:(?:->|\.)\w+|\[\d+\])*")
"""A variable, or a member of what it is or leads to: `box->high[0]`."""


def value_in_c(nest: Nest, value: Poly) -> str | None:
    """Example: `(n - 1)`."""
    images: dict[Symbol, Poly] = {}
    for s in value.symbols:
        image = _image(nest, s) or _beside_others(nest, s)
        if image is None:
            return _as_a_whole(nest, value)
        images[s] = image
    return f"({value.substitute(images)})"


def _image(nest: Nest, s: Symbol) -> Poly | None:
    return _held(nest, s) or _named(nest, s)


def _holding(nest: Nest) -> Iterator[tuple[Poly, str]]:
    """What variables, and members of structures that only the function reaches, hold where the loop begins."""
    yield from ((poly, variable.name) for poly, variable in nest.loop.held)
    yield from nest.loop.members


def _held(nest: Nest, s: Symbol) -> Poly | None:
    """By a variable that holds it, or a number more or less: the loop around counts from 1 on."""
    for poly, text in _holding(nest):
        for sign in (1, -1):
            beside = (poly - symbol(s) * sign).constant
            if beside is not None:
                return (_name(s, text) - beside) * sign
    return None


def _beside_others(nest: Nest, s: Symbol) -> Poly | None:
    """By a variable that holds the sum of it and of what has names: `row - first` for the counter of the loop around in
    `row = first + k`."""
    for poly, text in _holding(nest):
        sign = poly.coefficient(s).constant
        beside = poly - symbol(s) * (sign or 0)
        if sign in (1, -1) and s not in nested_symbols(beside.symbols):
            images = {t: image for t in beside.symbols if (image := _image(nest, t)) is not None}
            if len(images) == len(beside.symbols):
                return (_name(s, text) - beside.substitute(images)) * sign
    return None


def _name(s: Symbol, text: str) -> Poly:
    return symbol(derived(Kind.VARIABLE, s, s.origin, text))


def _as_a_whole(nest: Nest, value: Poly) -> str | None:
    for poly, text in _holding(nest):
        beside = (value - poly).constant
        if beside is not None:
            return f"({text} + {beside})"
    return None


def _named(nest: Nest, s: Symbol) -> Poly | None:
    match s.origin:
        case Entry(variable=variable, line=0) if variable.scope in ("local", "parameter"):
            known = not variable.addressed and not variable.inlined and not is_set(nest, variable.name)
        case Loaded(access=access, loops=loops):
            read = nest.loop.key in loops or any(t.access == access for t in nest.touches)  # by the loop itself
            text = s.name if read else ""
            if not MEMBER.fullmatch(text):
                text = access.text if _is_first_read_by(nest, s, access) else ""
            known = bool(MEMBER.fullmatch(text)) and stays(nest, text) and is_named_here(nest, access, text)
            return _name(s, text) if known else None
        case _:
            known = False
    return _name(s, s.name) if known else None


def _is_first_read_by(nest: Nest, s: Symbol, access: Access) -> bool:
    """Whether the text of the loop is the first to read a place that it leaves alone: `a.w` of `a = made(); for (i = 0;
    i < a.w; i++)`, which is another one than before the call."""
    at, begun = access.place, nest.loop.place
    inside = stands_in(nest.loop, access) and (at.line, at.column) >= (begun.line, begun.column)
    return inside and not nest.variance.varies(s)


def wide(value: str) -> str:
    """With all in it as `long`: an `unsigned` beside an `int` would make that one unsigned, and `m*n` may be large."""
    return _OPERAND.sub(r"(long)\g<0>", value)


def in_long(value: str) -> str:
    """Bytes of many elements are no `int`: `8L*n`."""
    return _NUMBER.sub(r"\1L", value)


_NUMBER = regex(r"(?<![\w.])(\d+)(?![\w.])")

_OPERAND = regex(r"(?<![\w.>)])[A-Za-z_]\w*(?:(?:->|\.)\w+|\[[^\[\]]*\])*(?![\w(])")
"""A variable, member or element."""
