"""The values of sizes in C, where the loop of a nest begins.

*Decides*: an expression over variables that have these values there, and over members that the loop reads and leaves
alone; None where nothing is known to have one of them: `m = n; n = 0; for (i = 0; i < m; i++)` runs to what m holds.
"""

from ..base.regex import regex
from ..ir.nodes import Entry, Loaded
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
        image = _held(nest, s) or _named(nest, s)
        if image is None:
            return _as_a_whole(nest, value)
        images[s] = image
    return f"({value.substitute(images)})"


def _held(nest: Nest, s: Symbol) -> Poly | None:
    """By a variable that holds it, or a number more or less: the loop around counts from 1 on."""
    for poly, variable in nest.loop.held:
        name = symbol(derived(Kind.VARIABLE, s, s.origin, variable.name))
        for sign in (1, -1):
            beside = (poly - symbol(s) * sign).constant
            if beside is not None:
                return (name - beside) * sign
    return None


def _as_a_whole(nest: Nest, value: Poly) -> str | None:
    for poly, variable in nest.loop.held:
        beside = (value - poly).constant
        if beside is not None:
            return f"({variable.name} + {beside})"
    return None


def _named(nest: Nest, s: Symbol) -> Poly | None:
    match s.origin:
        case Entry(variable=variable, line=0) if variable.scope in ("local", "parameter"):
            known = not variable.addressed and not variable.inlined and not is_set(nest, variable.name)
        case Loaded(access=access, loops=loops):
            read = nest.loop.key in loops or any(t.access == access for t in nest.touches)  # by the loop itself
            known = read and bool(MEMBER.fullmatch(s.name)) and stays(nest, s.name)
            known = known and is_named_here(nest, access, s.name)
        case _:
            known = False
    return symbol(derived(Kind.VARIABLE, s, s.origin, s.name)) if known else None


def wide(value: str) -> str:
    """With all in it as `long`: an `unsigned` beside an `int` would make that one unsigned, and `m*n` may be large."""
    return _OPERAND.sub(r"(long)\g<0>", value)


_OPERAND = regex(r"(?<![\w.>)])[A-Za-z_]\w*(?:(?:->|\.)\w+|\[[^\[\]]*\])*(?![\w(])")
"""A variable, member or element."""
