"""Subscripts that are kept inside of an array at its borders, as they are everywhere else.

    max(0, i - 1), i < n - 1 ? i + 1 : n - 1, (i + 1) % n        ->      i - 1, i + 1, i + 1

*Decides* a subscript that most iterations of a loop have, for the way that neighbours lie to each other; which elements
are touched at the borders is asked elsewhere.
*Leaves* extremes of which both values move, choices that data decide, and remainders by less than `PERIOD`."""

from collections.abc import Callable

from ..ir.nodes import Compare, Counter, Either, Outermost, Remainder, Rest, meaning_of, nested_symbols
from ..ir.polynomials import Poly, Symbol

PERIOD = 64
"""Iterations from one wrap to the next that make a border of it."""


def away_from_borders(index: Poly, moves: Callable[[Symbol], bool]) -> Poly:
    """`moves`: whether a symbol changes in the nest. Example: see the module."""
    between = {s: value for s in index.symbols if (value := _between(s, moves)) is not None}
    return away_from_borders(index.substitute(between), moves) if between else index


def _between(s: Symbol, moves: Callable[[Symbol], bool]) -> Poly | None:
    """What a symbol is but at the borders; None where it has none."""
    match s.origin:
        case Remainder(value=value, divisor=divisor) if divisor >= PERIOD and _is_counted(value, moves):
            return value
        case _:
            pass
    match meaning_of(s):
        case Outermost(values=values):
            return _moving(values, moves)
        case Either(values=values, decided=Compare(value=decided, relation=">=")) if _is_counted(decided, moves):
            return _moving(values, moves)
        case Rest(value=value, divisor=length) if not any(map(moves, length.symbols)):
            return value if _is_counted(value, moves) else None
        case _:
            return None


def _moving(values: tuple[Poly, Poly], moves: Callable[[Symbol], bool]) -> Poly | None:
    moving = [value for value in values if any(map(moves, value.symbols))]
    return moving[0] if len(moving) == 1 and _is_counted(moving[0], moves) else None


def _is_counted(value: Poly, moves: Callable[[Symbol], bool]) -> bool:
    """Whether counters change it, and nothing else."""
    made_of = (s for s in nested_symbols(value.symbols) if nested_symbols((s,)) == {s})
    changing = [s for s in made_of if moves(s)]
    return bool(changing) and all(isinstance(s.origin, Counter) for s in changing)
