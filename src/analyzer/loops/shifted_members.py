"""Members of structures that assignments in the same file lead into one array.

*Decides*: for two pointers of one structure, how many elements apart some assignments have them point:
`s->inner = s->all + 1;`, or in one function `s->old = p; s->new = &p[8];` with a parameter p, or a structure with both
of them, `struct fields s = {p, p + 8};`.
*Errs toward* none: where the other member is set anew further down, as in an exchange; for offsets that are no numbers,
for variables that the function sets, for members of members, for structures outside of functions, and for assignments
in other files.
Structures are told apart by the names of their members alone.
"""

from collections.abc import Iterator
from itertools import combinations

from msgspec import Struct
from pycparser import c_ast

from ..ir.nodes import SharedArray
from ..source.nodes import nodes
from ..source.unit import Unit
from .c_text import c_text
from .own_members import listed
from .shifted_arguments import bytes_of_elements, declared_names, leads_into
from .syntax import assigned_names, parameter_declarations

MOST_ASSIGNED = 100
"""Assignments of a file that are compared two by two."""


class _Set(Struct, frozen=True):
    """An assignment to a member of the structure `of`, or its initial value, in the function with this number: it leads
    so many elements behind `where` does, a variable or another member of the structure."""

    member: str
    of: str
    function: int
    where: str
    behind: int
    line: int


def shared_members(unit: Unit) -> tuple[SharedArray, ...]:
    """What the assignments of a file show. Example: see the module."""
    known: tuple[SharedArray, ...] | None = unit.__dict__.get("_shared_members")
    if known is None:
        assigned = list(_assigned(unit))[:MOST_ASSIGNED]
        known = unit.__dict__["_shared_members"] = tuple(dict.fromkeys(_shared(unit, assigned)))
    return known


def _assigned(unit: Unit) -> Iterator[_Set]:
    for number, definition in enumerate(unit.functions):
        if definition.node is None:
            continue
        body = definition.node.body
        moving = assigned_names(body) | (declared_names(definition.node) - _parameters(definition.node))
        made = list(nodes(body, c_ast.Assignment))
        for k, node in enumerate(made):
            match node:
                case c_ast.Assignment(op="=", lvalue=c_ast.StructRef(name=of, field=c_ast.ID(name=member))):
                    where = _where(unit, node.rvalue, c_text(of), moving)
                    if where is not None and where[0] != f".{member}" and not _is_set(made[k + 1 :], of, where[0]):
                        yield _Set(f".{member}", c_text(of), number, *where, unit.place(node).line)
        yield from _initialised(unit, body, number, moving)


def _initialised(unit: Unit, body: c_ast.Node, number: int, moving: frozenset[str]) -> Iterator[_Set]:
    """What the structures begin with that a function declares, or writes as `(struct fields){p, p + 8}`."""
    for node in nodes(body, c_ast.Decl, c_ast.CompoundLiteral):
        if isinstance(node.init, c_ast.InitList):
            place = unit.place(node)
            type_ = unit.type_of(node.type if isinstance(node, c_ast.CompoundLiteral) else node)
            for value, member in listed(unit, type_, node.init):
                given = leads_into(unit, value, moving)
                if given is not None and given.name not in moving:
                    yield _Set(f".{member.name}", f"{{}} {place}", number, given.name, given.behind, place.line)


def _is_set(later: list[c_ast.Assignment], of: c_ast.Node, where: str) -> bool:
    """Whether the member that another one was set to leads elsewhere afterwards: the two have changed places."""
    places = (a.lvalue for a in later if isinstance(a.lvalue, c_ast.StructRef))
    return any(f".{place.field.name}" == where and c_text(place.name) == c_text(of) for place in places)


def _parameters(function: c_ast.FuncDef) -> frozenset[str]:
    return frozenset(str(getattr(p, "name", "")) for p in parameter_declarations(function))


def _where(unit: Unit, value: c_ast.Node, of: str, moving: frozenset[str]) -> tuple[str, int] | None:
    """Behind which variable, or which member of the same structure, a pointer leads, and how far."""
    by: c_ast.Node | None = None
    sign = 1
    match value:
        case c_ast.StructRef() as member:
            pass
        case c_ast.BinaryOp(op="+" | "-" as op, left=c_ast.StructRef() as member, right=by):
            sign = 1 if op == "+" else -1
        case c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef(name=c_ast.StructRef() as member, subscript=by)):
            pass
        case _:
            given = leads_into(unit, value, moving)
            return None if given is None or given.name in moving else (given.name, given.behind)
    elements = 0 if by is None else unit.constant(by)
    if elements is None or c_text(member.name) != of:
        return None
    return f".{member.field.name}", sign * elements


def _shared(unit: Unit, assigned: list[_Set]) -> Iterator[SharedArray]:
    for one in assigned:
        if one.where.startswith(".") and (element := _element(unit, one.where, one.member)):
            yield SharedArray(one.where, one.member, one.behind, one.line, element)
    for one, other in combinations(assigned, 2):
        alike = (one.of, one.function, one.where) == (other.of, other.function, other.where)
        if alike and one.member != other.member and (element := _element(unit, one.member, other.member)):
            yield SharedArray(one.member, other.member, other.behind - one.behind, other.line, element)


def _element(unit: Unit, first: str, second: str) -> int:
    """The bytes of what both members lead to, in all structures that have both; 0 where that is not one size."""
    found = set[int]()
    for layout in unit.layouts.values():
        members = [layout.member(name[1:]) for name in (first, second)]
        if None not in members:
            found |= {bytes_of_elements(unit, m.type) for m in members if m is not None}
    return found.pop() if len(found) == 1 else 0
