"""Emptiness by isl, for what elimination alone leaves open; imported only then.

isl (S. Verdoolaege, "isl: An Integer Set Library for the Polyhedral Model", ICMS 2010) decides emptiness of integer
sets exactly. A limit on its operations keeps the time bounded; a system beyond it is TOO_COMPLEX.
"""

from ..ir.polynomials import Monomial
from .system import Conjunction, Feasibility

MAX_OPERATIONS = 200_000
"""isl's own unit; about a tenth of a second."""

MAX_COEFFICIENT_BITS = 4000


def is_empty(constraints: Conjunction) -> Feasibility:
    """EMPTY or NONEMPTY, every monomial counting as an unknown of its own; TOO_COMPLEX past the limit, POSSIBLE where
    no isl is installed."""
    try:
        import islpy
    except ImportError:
        return Feasibility.POSSIBLE
    columns: dict[Monomial, str] = {}
    texts = [_text(c.value.terms, columns) + (" = 0" if c.equal else " >= 0") for c in constraints]
    context = islpy.Context()
    context.set_max_operations(MAX_OPERATIONS)
    try:
        wanted = islpy.BasicSet.read_from_str(
            context, f"{{ [{', '.join(columns.values())}] : {' and '.join(texts)} }}"
        )
        return Feasibility.EMPTY if wanted.is_empty() else Feasibility.NONEMPTY
    except islpy.Error:
        return Feasibility.TOO_COMPLEX


def _text(terms: tuple[tuple[Monomial, int], ...], columns: dict[Monomial, str]) -> str:
    parts = []
    for monomial, coefficient in terms:
        name = columns.setdefault(monomial, f"x{len(columns)}") if monomial else ""
        parts.append(f"{coefficient} {name}")
    return " + ".join(parts) or "0"
