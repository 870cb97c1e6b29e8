"""The names that formulas of a file are over, for whoever gives them values."""

from typing import TYPE_CHECKING

from .facts import FunctionFacts, SizeSymbol
from .source.unit import Unit

if TYPE_CHECKING:

    from .mpi.facts import Network


def size_symbols(unit: Unit, functions: list[FunctionFacts]) -> tuple[SizeSymbol, ...]:
    """Size symbols of the formulas per function, and the integer macros of the file."""
    from models.expr import free_symbols

    found = {SizeSymbol(name, "file", value, "macro") for name, value in unit.macros.items()}
    for function in functions:
        for loop in function.loops:
            for count in loop.counts.formulas:
                for name in free_symbols(count):
                    found.add(SizeSymbol(name, function.function.name, None, "unknown"))
            found |= _network_symbols(function.function.name, loop.network)
        if function.communication is not None:
            found |= _network_symbols(function.function.name, function.communication.network)
    return tuple(sorted(found, key=lambda s: (s.scope, s.name)))


def _network_symbols(scope: str, network: "Network | None") -> set[SizeSymbol]:
    """Sizes in what is sent; the positions in trees are no sizes."""
    from models.expr import free_symbols

    if network is None:
        return set()
    made = {derived.name for derived in network.derived}
    names = (free_symbols(network.model) | free_symbols(network.sent)) - made
    names |= {name for group in network.groups for name in (group.size, group.rank)}
    return {SizeSymbol(name, scope, None, "unknown") for name in names}
