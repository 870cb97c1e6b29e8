"""How accesses of neighbouring iterations of the innermost parallel loop lie in memory.

    unit         next to each other: |stride| is one element
    strided(k)   k elements apart; k may be a size (`n`) or a fraction (a member of a larger struct)
    broadcast    all iterations access the same element
    irregular    no formula: through an index array, through row pointers, not linear in the counter

*Source*: the coalesced and uncoalesced accesses of the boat hull model, the stride categories of loopy. Of
several accesses to one array the worst counts: irregular, then strided, then unit, then broadcast."""

from collections.abc import Callable, Iterable
from fractions import Fraction

from ..ir.nodes import Access, size_in_bytes
from ..ir.polynomials import Poly, Symbol, number


def of_access(access: Access, counter: Symbol, regular: bool, text: Callable[[Poly], str] = str) -> str:
    """The pattern of one access along the loop of `counter`; `regular`: its subscripts are affine in the
    nest. `text`: how a stride is written, with the variables of the loops around in place of their counters."""
    if not regular:
        return "irregular"
    stride = number(0)
    for s in access.subscripts:
        if not s.index.is_linear_in((counter,)):
            return "irregular"
        slope = s.index.coefficient(counter)
        if s.stride is None:
            if slope.terms:
                return "irregular"
        elif slope.terms:
            stride = stride + slope * s.stride
    return _named(stride, size_in_bytes(access), text)


def _named(stride: Poly, size: Poly | None, text: Callable[[Poly], str]) -> str:
    if not stride.terms:
        return "broadcast"
    if size is None:
        return "irregular"
    if stride.constant is not None and size.constant is not None:
        elements = Fraction(abs(stride.constant), size.constant)
        return "unit" if elements == 1 else f"strided({elements})"
    whole = stride.divided_by(size)
    if whole in (number(1), number(-1)):
        return "unit"
    return f"strided({text(whole)})" if whole is not None else f"strided(({text(stride)})/({text(size)}))"


def is_filled(step: int, width: int, places: int) -> bool:
    """Whether the elements that one iteration accesses, at so many places, leave nothing out until the next one's:
    members of structures, samples of pixels.

    >>> is_filled(32, 8, 4), is_filled(32, 8, 1)
    (True, False)
    """
    return abs(step) <= width * places


def worst(patterns: Iterable[str]) -> str:
    """The pattern that stands for several accesses; an array without accesses is `broadcast`."""
    ranks = {"broadcast": 0, "unit": 1, "strided": 2, "irregular": 3}
    return max(patterns, key=lambda p: ranks[p.partition("(")[0]], default="broadcast")
