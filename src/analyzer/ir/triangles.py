"""Triangular numbers: how many elements so many rows of 1, 2, 3, ... elements have, `m*(m + 1)/2`."""

from .nodes import Quotient
from .polynomials import Poly, symbol


def triangle_of(product: Poly) -> Poly | None:
    """m of `m*(m + 1)`. Example: n - 1 of `n*n - n`."""
    for s in product.symbols:
        slope = (product - symbol(s) * symbol(s)).coefficient(s).constant
        if slope is not None and slope % 2:
            m = symbol(s) + (slope - 1) // 2
            if m * (m + 1) == product:
                return m
    return None


def rows_of(elements: Poly) -> Poly | None:
    """How many rows so many elements are, if they fill them. Example: n of `n*(n + 1)/2`."""
    match elements.terms:
        case (((s,), 1),) if isinstance(s.origin, Quotient) and s.origin.divisor == 2:
            return triangle_of(s.origin.value)
        case _:
            return None
