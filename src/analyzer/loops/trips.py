"""How often a loop runs, from its test as a predicate in its counter."""

from ..polyhedra.poly import Poly, Symbol, number
from .ir import All, Compare, Computed, Counter, Entry, Loaded, Predicate, Quotient, Ratio, Remainder


def ratios(test: Predicate, counter: Symbol, loop: int, after_body: bool) -> tuple[tuple[Ratio, ...], bool]:
    """Bounds on the number of iterations, and whether together they are exactly it.

    The test holds in iteration k while `a - c*k >= 0`, so the loop runs ceil((a + 1) / c) times; one more when the
    test follows the body (`after_body`). Parts of the test that say nothing of k make the answer a bound only.
    """
    match test:
        case Compare(value=value, relation=relation):
            ratio = _ratio(value, relation, counter, loop)
            if ratio is None:
                return (), False
            if after_body:
                ratio = Ratio(ratio.numerator + ratio.denominator, ratio.denominator)
            return (ratio,), True
        case All(parts=parts):
            found = [ratios(p, counter, loop, after_body) for p in parts]
            return tuple(dict.fromkeys(r for rs, _ in found for r in rs)), all(exact for _, exact in found)
        case _:
            return (), False


def _ratio(value: Poly, relation: str, counter: Symbol, loop: int) -> Ratio | None:
    step = value.coefficient(counter).constant
    rest = value.without(counter)
    if step is None or step == 0 or value != rest + Poly((((counter,), 1),)) * step:
        return None
    if varies(rest, loop):
        return None
    if relation == ">=":
        return Ratio(rest + 1, -step) if step < 0 else None
    if relation == "!=":
        if abs(step) == 1:
            return Ratio(rest * -step)
        exact = rest.divided_by(step)
        return None if exact is None else Ratio(-exact)
    return None


def varies(value: Poly, loop: int) -> bool:
    """Whether a value is known to differ between iterations of a loop: it counts inner iterations, or is computed in
    the body. What is read from memory (`s->n`) is judged later, when all stores of the loop are known."""
    return any(_symbol_varies(s, loop) for s in value.symbols)


def _symbol_varies(s: Symbol, loop: int) -> bool:
    match s.origin:
        case Counter(loop=own):
            return own >= loop
        case Entry(loops=loops) | Computed(loops=loops):
            return loop in loops
        case Quotient(value=value) | Remainder(value=value):
            return varies(value, loop)
        case Loaded(access=access, loops=loops):
            return loop in loops and any(varies(x.index, loop) for x in access.subscripts)


def last_iteration(trip: tuple[Ratio, ...] | None) -> Poly | None:
    """The counter of the last iteration, where that is a polynomial."""
    if trip is None or len(trip) != 1:
        return None
    numerator, denominator = trip[0].numerator, trip[0].denominator
    if denominator == 1:
        return numerator - 1
    known = numerator.constant
    return None if known is None else number(-(-known // denominator) - 1)
