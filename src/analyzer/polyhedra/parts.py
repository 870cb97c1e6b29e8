"""A system split into parts without common symbols, which are decided separately.

Ten choices of two alternatives about different symbols are 20 cases, and not 1024. A quotient has its dividend's
symbols in common with what those occur in.

    i >= 0, n - 1 - i >= 0, (m == 0 or m == 4)      ->      {i >= 0, n - 1 - i >= 0}, {m == 0 or m == 4}
"""

from msgspec import Struct
from msgspec.structs import replace

from ..ir.polynomials import Symbol
from .system import System, made_of, symbols_of


class _Group(Struct):
    """Places of constraints and choices that belong together, and the symbols that tie them."""

    items: list[int]
    symbols: set[Symbol]


def parts(wanted: System) -> list[System]:
    """The parts of a system, those with the fewest choices first: it is empty exactly when one of them is. Example: see
    the module."""
    found = [_part(wanted, sorted(g.items)) for g in _groups(_tied(wanted))]
    return sorted(found, key=lambda part: len(part.choices))


def about(context: System, subject: System) -> System:
    """What a system says of the symbols of another one, and of those that it relates to them: it proves of them what
    the whole system proves, unless no integers satisfy that."""
    tied = [*_tied(context), symbols_of(subject)]
    group = next(g for g in _groups(tied) if len(tied) - 1 in g.items)
    kept = sorted(k for k in group.items if k < len(tied) - 1)
    part = _part(context, kept)
    return part if len(kept) == len(tied) - 1 else replace(part, exact=False)


def _tied(wanted: System) -> list[frozenset[Symbol]]:
    """The symbols of each constraint, and then of each choice."""
    choices = (frozenset[Symbol]().union(*[made_of(c.value) for a in choice for c in a]) for choice in wanted.choices)
    return [*(made_of(c.value) for c in wanted.constraints), *choices]


def _part(wanted: System, items: list[int]) -> System:
    first = len(wanted.constraints)
    constraints = tuple([wanted.constraints[k] for k in items if k < first])
    return System(constraints, tuple([wanted.choices[k - first] for k in items if k >= first]), wanted.exact)


def _groups(tied: list[frozenset[Symbol]]) -> list[_Group]:
    of: dict[Symbol, _Group] = {}
    groups: dict[int, _Group] = {}
    for k, symbols in enumerate(tied):
        mine = groups[k] = _Group([k], set(symbols))
        for other in {id(of[s]): of[s] for s in symbols if s in of}.values():
            mine.items += other.items
            mine.symbols |= other.symbols
            del groups[other.items[0]]
        of.update(dict.fromkeys(mine.symbols, mine))
    return list(groups.values())
