"""Formulas as the models take them: what nothing is known of happens half of the time."""

from fractions import Fraction

from models.expr import Expr, Operand, free_symbols, num, substitute
from models.expr.nodes import remembered

from ..facts.loop import Count
from ..ir.formula_names import is_weight


def expr_of(count: Count | None) -> Expr | None:
    """The formula of a count with unknown weights at one half."""
    return None if count is None or count.expr is None else weighted(count.expr)


@remembered("_weighted")
def weighted(expr: Expr) -> Expr:
    """A formula with unknown weights at one half."""
    weights: dict[str, Operand] = {s: num(Fraction(1, 2)) for s in free_symbols(expr) if is_weight(s)}
    return substitute(expr, weights) if weights else expr
