"""Values that are one of two, where a comparison of what the loop counts says which: ends of parts, neighbours.

*Decides*: what is known of such a value: it is the first one where the comparison holds, else the second one. The
larger or the smaller of two values that a loop computes is one of them as well. Where a loop is left before its end, it
has made no more iterations than it could, and what iterations keep in a variable is of one of them, or from before.
*Does not handle*: comparisons of data, and of several things at once: such a value is any value.

    hi = t == nt - 1 ? n : lo + chunk        ->      t == nt - 1 and hi == n, or t != nt - 1 and hi == lo + chunk
    lo = t < rest ? t*size + t : t*size + rest       t <= rest and lo == t*size + t, or t >= rest and ...
"""

from collections.abc import Iterable, Iterator

from ..ir.nodes import Compare, Computed, Either, Kept, Outermost, Passed, meaning_of, negate, nested_symbols
from ..ir.polynomials import Poly, Symbol, symbol
from ..polyhedra.system import Conjunction, System, at_least, either, equal, together


def meanings(symbols: Iterable[Symbol]) -> System:
    """What is known of these values, and of those that they are made of. Example: see the module."""
    found = sorted(nested_symbols(symbols), key=lambda s: s.key)
    return together(either(*_alternatives(s)) for s in found if _is_decided(s))


def _is_decided(s: Symbol) -> bool:
    match s.origin:
        case Computed(meaning=Either(decided=test)):
            return test is not None
        case Computed(loops=made_in, meaning=Outermost()):
            return bool(made_in)
        case Computed(meaning=Passed() | Kept()):
            return True
        case _:
            return False


def _alternatives(s: Symbol) -> Iterator[Conjunction]:
    match s.origin:
        case Computed(meaning=Either(values=(then, otherwise), decided=Compare() as test)):
            yield from ((*case, equal(symbol(s) - then)) for case in _cases(test))
            denied = negate(test)
            assert isinstance(denied, Compare)
            yield from ((*case, equal(symbol(s) - otherwise)) for case in _cases(denied))
        case Computed(meaning=Outermost(kind=kind, values=(a, b))):
            sign = 1 if kind == "max" else -1
            yield from ((at_least((x - y) * sign), equal(symbol(s) - x)) for x, y in ((a, b), (b, a)))
        case Computed(meaning=Passed(most=most)):
            yield (at_least(symbol(s)), at_least(most - symbol(s)))
            yield (equal(symbol(s)), at_least(-most - 1))
        case Computed(meaning=Kept(before=before, least=least, most=most)):
            yield (at_least(symbol(s) - least), at_least(most - symbol(s)))
            yield (equal(symbol(s) - before),)
        case _:
            pass


def extreme(s: Symbol) -> System:
    """What is known of the larger or the smaller of two values, wherever it is made: `max(0, m)` steps of a loop."""
    return either(*_alternatives(s)) if isinstance(meaning_of(s), Outermost) else System()


def one_of(value: Poly) -> tuple[Poly, ...]:
    """The polynomials of which a value is always one, itself where nothing in it is chosen: `m - 1` and `n - 1` of
    `(all ? m : n) - 1`."""
    for s in value.symbols:
        match s.origin:
            case Computed(meaning=Either(values=values, decided=Compare()) | Outermost(values=values)) if (
                value.is_linear_in((s,))
            ):
                return tuple(dict.fromkeys(each for v in values for each in one_of(value.substitute({s: v}))))
            case _:
                pass
    return (value,)


def _cases(test: Compare) -> Iterator[Conjunction]:
    value: Poly = test.value
    match test.relation:
        case ">=":
            yield (at_least(value),)
        case "==":
            yield (equal(value),)
        case "!=":
            yield (at_least(value - 1),)
            yield (at_least(-value - 1),)
