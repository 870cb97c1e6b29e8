"""What the text of a function may name, and what it may hand to others.

All subscripts that the generator writes lie in [-64, 192) of every array: a *position* is an `int` expression whose
value does, whatever the input is. Loop counters run over at most [0, 32), each step adds at most 3 to one, and values
of index arrays lie in [0, 32).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

PARAMETERS = {
    "v": "double {}",
    "k": "int {}",
    "n": "int {}",
    "in": "const double *{}",
    "out": "double *{}",
    "at": "double *{}",
    "map": "const int *{}",
    "open map": "int *{}",
    "field": "struct field *{}",
    "cells": "struct cell *{}",
    "cell": "struct cell *{}",
}
"""How a parameter of each role is declared. `at`: leads to one number; `map`: an array of positions; `cells`: an array
of structures, `cell`: one of them."""


@dataclass(frozen=True, slots=True)
class Helper:
    """A function that others call. `result`: v (a number), k (a position), p (a pointer to a number) or empty. `marks`:
    what it does besides (static, global, keeps, ends, hidden)."""

    name: str
    file: int
    result: str
    roles: tuple[str, ...]
    marks: frozenset[str] = frozenset()
    own: bool = False
    """It is static."""

    def head(self, names: Sequence[str]) -> str:
        """Its declaration without the semicolon."""
        kind = {"v": "double ", "k": "int ", "p": "double *", "": "void "}[self.result]
        listed = ", ".join(PARAMETERS[r].format(x) for r, x in zip(self.roles, names, strict=True))
        return f"{'static ' if self.own else ''}{kind}{self.name}({listed or 'void'})"


@dataclass(slots=True)
class Scope:
    """Names by what they can be used for, as C texts."""

    file: int
    values: list[str] = field(default_factory=list)
    assigned: list[str] = field(default_factory=list)
    """Numbers of the function itself that it may change."""
    positions: list[str] = field(default_factory=list)
    sizes: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    spots: list[str] = field(default_factory=list)
    maps: list[str] = field(default_factory=list)
    open_maps: list[str] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    one_cell: list[str] = field(default_factory=list)
    fields: list[str] = field(default_factory=list)
    macros: list[str] = field(default_factory=list)
    """Function-like ones of one number."""
    has_put: bool = False
    """There is a macro that stores."""
    rows: list[str] = field(default_factory=list)
    """Tables of 32 pointers."""
    shifts: list[str] = field(default_factory=list)
    """Constants from -3 to 3."""

    def add(self, role: str, name: str) -> None:
        """A parameter, or a variable that can be used like one."""
        match role:
            case "v":
                self.values.append(name)
            case "k":
                self.positions.append(name)
            case "n":
                self.sizes.append(name)
            case "in":
                self.sources.append(name)
            case "out":
                self.sources.append(name)
                self.targets.append(name)
            case "at":
                self.spots.append(name)
            case "map":
                self.maps.append(name)
            case "open map":
                self.maps.append(name)
                self.open_maps.append(name)
            case "field":
                self._add_field(name)
            case "cells":
                self.cells.append(name)
            case "cell":
                self.one_cell.append(name)
            case _:
                raise ValueError(role)

    def _add_field(self, name: str) -> None:
        self.fields.append(name)
        member = f"{name[1:]}." if name.startswith("&") else f"{name}->"
        for array in ("u", "v"):
            self.sources.append(member + array)
            self.targets.append(member + array)
        self.maps.append(f"{member}map")
        self.open_maps.append(f"{member}map")
        self.values.append(f"{member}sum")
        self.cells.append(f"{member}cells")
