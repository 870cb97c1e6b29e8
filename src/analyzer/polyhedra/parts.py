"""A system split into parts without common symbols, which are decided separately.

Ten choices of two alternatives about different symbols are 20 cases, and not 1024. A quotient has its dividend's
symbols in common with what those occur in.

    i >= 0, n - 1 - i >= 0, (m == 0 or m == 4)      ->      {i >= 0, n - 1 - i >= 0}, {m == 0 or m == 4}
"""

from msgspec import Struct

from ..ir.polynomials import Symbol
from .system import System, symbols_of


class _Group(Struct):
    """Places of constraints and choices that belong together, and the symbols that tie them."""

    items: list[int]
    symbols: set[Symbol]


def parts(wanted: System) -> list[System]:
    """The parts of a system, those with the fewest choices first: it is empty exactly when one of them is. Example: see
    the module."""
    items = [*(System((c,)) for c in wanted.constraints), *(System((), (c,)) for c in wanted.choices)]
    found = [_joined([items[k] for k in sorted(g.items)], wanted.exact) for g in _groups(items)]
    return sorted(found, key=lambda part: len(part.choices))


def about(context: System, subject: System) -> System:
    """What a system says of the symbols of another one, and of those that it relates to them: it proves of them what
    the whole system proves, unless no integers satisfy that."""
    items = [*(System((c,)) for c in context.constraints), *(System((), (c,)) for c in context.choices), subject]
    group = next(g for g in _groups(items) if len(items) - 1 in g.items)
    kept = sorted(k for k in group.items if k < len(items) - 1)
    return _joined([items[k] for k in kept], context.exact and len(kept) == len(items) - 1)


def _joined(items: list[System], exact: bool) -> System:
    constraints = tuple(c for item in items for c in item.constraints)
    return System(constraints, tuple(c for item in items for c in item.choices), exact)


def _groups(items: list[System]) -> list[_Group]:
    of: dict[Symbol, _Group] = {}
    groups: dict[int, _Group] = {}
    for k, item in enumerate(items):
        mine = groups[k] = _Group([k], set(symbols_of(item)))
        for other in {id(of[s]): of[s] for s in mine.symbols if s in of}.values():
            mine.items += other.items
            mine.symbols |= other.symbols
            del groups[other.items[0]]
        of.update(dict.fromkeys(mine.symbols, mine))
    return list(groups.values())
