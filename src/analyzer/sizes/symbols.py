"""The names that formulas of a file are over, for whoever gives them values."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..facts.loop import FunctionFacts, LoopFacts, SizeSymbol
from ..ir.formula_names import line_of_trip
from ..source.unit import Unit

if TYPE_CHECKING:
    from ..facts.network import Network


def size_symbols(unit: Unit, functions: list[FunctionFacts]) -> tuple[SizeSymbol, ...]:
    """Size symbols of the formulas per function, and the integer macros of the file. What the loops around a loop
    change, such as their counters, is no size in its formulas; a parameter of the same name in another function is.

    Example: of `for (i = 0; i < n; i++) for (j = 0; j <= i; j++)` only `n`."""
    from models.expr import free_symbols

    found = {SizeSymbol(name, "file", value, "macro") for name, value in unit.macros.items()}
    for function in functions:
        for loop in function.loops:
            named = {name for count in loop.counts.formulas for name in free_symbols(count)}
            named |= _network_symbols(loop.network)
            found |= {_unknown(name, function) for name in named if is_settable(name, loop)}
        if function.communication is not None:
            found |= {_unknown(name, function) for name in _network_symbols(function.communication.network)}
    return tuple(sorted(found, key=lambda s: (s.scope, s.name)))


def is_settable(name: str, loop: LoopFacts) -> bool:
    """Whether this name in the formulas of a loop is a size that a user can give: a counter of a loop around it has
    many values. A mean trip count (`trip@LINE`) can be given wherever it is."""
    return name not in loop.changing or line_of_trip(name) is not None


def settable(sizes: Mapping[str, int], loop: LoopFacts) -> dict[str, int]:
    """Those of the sizes of a function that are sizes in this loop, too: `i` may be a counter here and a parameter,
    or what a loop left in it, elsewhere."""
    return {name: value for name, value in sizes.items() if is_settable(name, loop)}


def _unknown(name: str, function: FunctionFacts) -> SizeSymbol:
    return SizeSymbol(name, function.function.name, None, "unknown")


def _network_symbols(network: "Network | None") -> set[str]:
    """Sizes in what is sent; the positions in trees are no sizes."""
    from models.expr import free_symbols

    if network is None:
        return set()
    made = {derived.name for derived in network.derived}
    names = (free_symbols(network.model) | free_symbols(network.sent)) - made
    return {*names, *(name for group in network.groups for name in (group.size, group.rank))}
