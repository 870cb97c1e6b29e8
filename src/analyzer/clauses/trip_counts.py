"""How often a loop runs, as C before the loop.

*Decides*: the text of its trip count, from the analysis or, for a walk between two pointers, from its test.
*Errs toward* None: no text is known.

    while (p != e) { ...; p++; }        ->  (e - p)
"""

from pycparser import c_ast

from ..ir import nodes as ir
from ..ir.polynomials import ZERO, Poly, number
from ..loops.headers import header
from ..loops.syntax import assigned_names, declared_names
from ..source.ctypes import Pointer
from .elements import bytes_of
from .site import Site
from .texts import at_least
from .written import Writer


def trip_text(writer: Writer, loop: ir.Loop) -> str | None:
    """How many iterations there are, as C before the loop."""
    if loop.trip is None or not loop.exact_trip:
        return None
    return _counted(writer, loop) or _between_pointers(writer.site, loop)


def _between_pointers(site: Site, loop: ir.Loop, least: bool = True) -> str | None:
    """`e - p` (at `least` 0) for `while (p != e)`, where p moves on by one element; `p - e` where it moves back."""
    match header(site.node).test:
        case c_ast.BinaryOp(op="!=" | "<" | ">" as op, left=c_ast.ID(name=walker), right=c_ast.ID(name=end)):
            pass
        case _:
            return None
    moved = next((i for i in loop.inductions if i.variable.name == walker and i.start is None), None)
    if moved is None or loop.kind == "do" or moved.tested != ZERO or end in site.changed:
        return None
    step = in_elements(site, moved, moved.step)
    init = getattr(site.node, "init", None)
    if step is None or (init is not None and walker in assigned_names(init) | declared_names(init)):
        return None
    if step.constant == 1 and op != ">":
        distance = f"({end} - {walker})"
    elif step.constant == -1 and op != "<":
        distance = f"({walker} - {end})"
    else:
        return None
    return at_least(distance, 0) if least and op != "!=" else distance


def _counted(writer: Writer, loop: ir.Loop) -> str | None:
    assert loop.trip is not None
    parts = [_ratio(writer, r) for r in loop.trip]
    if any(p is None for p in parts):
        return None
    known = [p for p in parts if p is not None]
    found = known[0]
    for part in known[1:]:
        a, b = f"(long long)({found})", f"(long long)({part})"
        found = f"({a} < {b} ? {a} : {b})"
    if len(loop.trip) == 1 and _is_at_least(loop.trip[0].numerator, loop.at_least):
        return found
    return at_least(found, loop.at_least)


def one_ratio(writer: Writer, loop: ir.Loop) -> str | None:
    """The trip count, but that it may be negative where there is no iteration."""
    found = _ratio(writer, loop.trip[0]) if loop.trip is not None and len(loop.trip) == 1 else None
    return found or (_between_pointers(writer.site, loop, least=False) if loop.exact_trip else None)


def _ratio(writer: Writer, ratio: ir.Ratio) -> str | None:
    known = ratio.numerator.constant
    if known is not None:
        return str(-(-known // ratio.denominator))
    if ratio.denominator == 1:
        return writer.text(ratio.numerator)
    text = writer.text(ratio.numerator + (ratio.denominator - 1))
    if text is None:
        return None
    return f"{text}/{ratio.denominator}" if text.isidentifier() else f"({text})/{ratio.denominator}"


def _is_at_least(value: Poly, least: int) -> bool:
    """Whether the bounds of its symbols alone keep a value from being smaller."""
    low = number(0).constant or 0
    for monomial, factor in value.terms:
        if not monomial:
            low += factor
        elif factor < 0 or any((s.low or 0) < 0 or s.low is None for s in monomial):
            return False
    return low >= least


def in_elements(site: Site, induction: ir.Induction, value: Poly) -> Poly | None:
    """In units of what the variable counts: of a pointer, the elements that it points to."""
    if induction.start is not None or value == ZERO:
        return value
    type_ = induction.variable.type
    size = bytes_of(site.unit, type_.target) if isinstance(type_, Pointer) else None
    if not size or induction.stride is None:
        return None
    return (value * induction.stride).divided_by(size)
