"""Where a form is written, and how large the arrays are that it needs."""

from ..alternatives.variant import is_c
from ..counts.nest import Nest
from ..facts.loop import Plan
from ..ir.nodes import Loop, Variable, all_loops
from ..ir.polynomials import number
from ..ir.reasons import AssumptionKind
from ..loops.formula_text import in_variables
from ..source.ctypes import Floating
from .distribution import Distributed
from .exchange import Exchanged
from .fusion import Fused


def of_order(made: Exchanged, nest: Nest) -> Plan:
    """Of loops that are exchanged.

    Example: of `for j { s = 0; for k ...; }` the loops at j and k, `s`, j, and how far j counts."""
    around = tuple(o for o in all_loops(nest.loop) if any(x is made.loop for x in all_loops(o)[1:]))
    places = tuple(each.place for each in (made.loop, *made.over))
    assumed = made.answers[made.loop.key].assumptions
    return Plan(places, assumed, (), _types(made.expanded), made.loop.variable, _count(made.loop, around))


def of_parts(made: Distributed, nest: Nest) -> Plan:
    """Of a loop that is divided."""
    cuts = tuple(min(s.place.line for s in piece) for piece in made.pieces[1:])
    expanded, count = _types(made.expanded), _count(made.loop, nest.around)
    return Plan((made.loop.place,), made.given, cuts, expanded, made.loop.variable, count)


def of_one(made: Fused) -> Plan:
    """Of loops that become one: each sum stays in its order, but for one that two of them add to."""
    assumed = made.answers[made.loop.key].assumptions
    kept = tuple(a for a in assumed if a.kind is not AssumptionKind.FP_REORDER or a.text in made.reorders)
    return Plan(tuple(each.place for each in made.loops), kept)


def _types(expanded: tuple[Variable, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((v.name, v.type.name) for v in expanded if isinstance(v.type, Floating))


def _count(loop: Loop, around: tuple[Loop, ...]) -> str | None:
    """How many elements an array needs that the variable of the loop selects from, as C in front of it; None where
    that has no text, or the variable may be below 0."""
    first = None if loop.first is None else loop.first.constant
    if loop.last is None or loop.step != number(1) or first is None or first < 0:
        return None
    value = in_variables(loop.last + 1, around)
    return str(value) if is_c(value) and loop.counter not in value.symbols else None
