"""Pointers of the whole program that assignments in the same file lead into one array.

*Decides*: for two global pointers, or one and a global array, how many elements apart some assignments have them point:
`now = store; next = store + 1;`, or in one function `now = p; next = &p[8];`.
*Errs toward* none: for offsets that are no numbers, for initialisers, and for assignments in other files.
"""

from collections.abc import Iterator
from itertools import combinations

from msgspec import Struct
from pycparser import c_ast

from ..ir.nodes import SharedArray
from ..source.nodes import nodes
from ..source.unit import Unit
from .shifted_arguments import Given, bytes_of_elements, declared_names, leads_into

MOST_ASSIGNED = 100
"""Assignments of a file that are compared two by two."""


class _Set(Struct, frozen=True):
    """An assignment to a pointer of the program, in the function with this number."""

    pointer: str
    given: Given
    function: int
    line: int
    element: int


def shared_globals(unit: Unit) -> tuple[SharedArray, ...]:
    """What the assignments of a file show. Example: see the module."""
    known: tuple[SharedArray, ...] | None = unit.__dict__.get("_shared_globals")
    if known is None:
        assigned = list(_assigned(unit))[:MOST_ASSIGNED]
        known = unit.__dict__["_shared_globals"] = tuple(dict.fromkeys(_shared(assigned)))
    return known


def _assigned(unit: Unit) -> Iterator[_Set]:
    for number, definition in enumerate(unit.functions):
        if definition.node is None:
            continue
        hidden = declared_names(definition.node)
        for node in nodes(definition.node.body, c_ast.Assignment):
            match node:
                case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=pointer), rvalue=value) if pointer not in hidden:
                    size = bytes_of_elements(unit, unit.globals_[pointer]) if pointer in unit.globals_ else 0
                    given = leads_into(unit, value, hidden) if size else None
                    if given is not None and given.name != pointer:
                        yield _Set(pointer, given, number, unit.place(node).line, size)


def _shared(assigned: list[_Set]) -> Iterator[SharedArray]:
    for one, other in combinations(assigned, 2):
        alike = one.given.name == other.given.name and one.element == other.element
        together = one.given.is_global == other.given.is_global and (
            one.given.is_global or one.function == other.function
        )
        if alike and together and one.pointer != other.pointer:
            behind = other.given.behind - one.given.behind
            yield SharedArray(one.pointer, other.pointer, behind, other.line, one.element)
    for one in assigned:
        if one.given.is_global:
            yield SharedArray(one.pointer, one.given.name, -one.given.behind, one.line, one.element)
