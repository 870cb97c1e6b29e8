"""Counts and times as formulas: exact polynomials over size symbols, with floors, minima, maxima and cases.

Example: `evaluate(parse("N*(N + 1)/2"), {"N": 4})` is the integer 10, and `{"N": numpy.arange(5)}` gives an
array.
"""

from .algebra import (
    add,
    as_expr,
    ceildiv,
    div,
    floordiv,
    gcd,
    maximum,
    minimum,
    mod,
    mul,
    num,
    piecewise,
    power,
    sym,
)
from .bounds import bounds, is_nonnegative, lower_bound, upper_bound
from .evaluation import UnboundSymbolError, evaluate, free_symbols, known_value, size, substitute
from .functions import as_function
from .nodes import (
    ONE,
    ZERO,
    Add,
    Div,
    Expr,
    FloorDiv,
    Gcd,
    Max,
    Min,
    Mod,
    Mul,
    Num,
    Number,
    Operand,
    Piecewise,
    Sym,
)
from .polynomial import constant
from .text import ExprSyntaxError, parse, to_text

__all__ = [
    "ONE",
    "ZERO",
    "Add",
    "Div",
    "Expr",
    "ExprSyntaxError",
    "FloorDiv",
    "Gcd",
    "Max",
    "Min",
    "Mod",
    "Mul",
    "Num",
    "Number",
    "Operand",
    "Piecewise",
    "Sym",
    "UnboundSymbolError",
    "add",
    "as_expr",
    "as_function",
    "bounds",
    "ceildiv",
    "constant",
    "div",
    "evaluate",
    "floordiv",
    "free_symbols",
    "gcd",
    "is_nonnegative",
    "known_value",
    "lower_bound",
    "maximum",
    "minimum",
    "mod",
    "mul",
    "num",
    "parse",
    "piecewise",
    "power",
    "size",
    "substitute",
    "sym",
    "to_text",
    "upper_bound",
]
