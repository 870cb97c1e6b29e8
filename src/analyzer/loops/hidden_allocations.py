"""Functions of the program that give new memory, where arithmetic with its address hides that: they move the start to a
round address, or keep the address in a list of their own.

*Decides*: whether all that a function returns is null, or made of what an allocator of the C library gave: of local
variables that get their value from its call, from each other, from numbers, and from nothing else. `new`: nobody else
gets the address; `kept`: the function stores it somewhere as well.
*Errs toward* none of this, and the function is followed: returns of parameters and globals, pointers that are read from
memory. *Does not handle*: variables that are set by their addresses, but for `posix_memalign(&p, ...)`.

    p = malloc(n + 63);  return (void *)(((uintptr_t)p + 63) & ~63);         ->  new
    a.p = malloc(n + 15);  a.l = (a.l + 15) & ~15;  return a.p;              ->  new, of a union
    p = malloc(n);  list[used++] = p;  return (void *)((size_t)p + 8);       ->  kept
    return (void *)((size_t)pool + n);                                       ->  none
"""

from collections.abc import Iterator
from typing import Literal

from pycparser import c_ast

from ..ir.c_library import ALLOCATORS
from ..source.ctypes import Integer
from ..source.nodes import nodes
from ..source.unit import Definition, Unit
from . import syntax

How = Literal["new", "kept"]


def hidden(unit: Unit, definition: Definition) -> How | None:
    """How a function gives new memory, if arithmetic hides it. Example: see the module."""
    known: dict[str, How | None] = unit.__dict__.setdefault("_hidden_allocations", {})
    if definition.name not in known:
        node = definition.node
        known[definition.name] = None if node is None else _hidden(unit, node)
    return known[definition.name]


def _hidden(unit: Unit, function: c_ast.FuncDef) -> How | None:
    body = function.body
    if not any(_allocates(call) for call in nodes(body, c_ast.FuncCall)) or not _computes_addresses(body):
        return None
    declared = [*syntax.parameter_declarations(function), *nodes(body, c_ast.Decl)]
    own = {d.name for d in nodes(body, c_ast.Decl) if not {"static", "extern"} & set(d.storage)}
    numbers = {d.name for d in declared if isinstance(unit.type_of(d), Integer)}
    made = _made_of([(name, value) for name, value in _settings(body) if name in own], numbers)
    addressed = {_variable(u.expr) for u in nodes(body, c_ast.UnaryOp) if u.op == "&"}
    returned = [r.expr for r in nodes(body, c_ast.Return)]
    if addressed & made or not all(r is not None and _is_made_of(r, made | numbers) for r in returned):
        return None
    addresses = [r for r in returned if _variables(r)]
    if not addresses or not all(_names(made, r) for r in addresses):
        return None
    return "kept" if any(_names(made, value) for value in _stored(body, own)) else "new"


def _allocates(call: c_ast.Node) -> bool:
    return isinstance(call, c_ast.FuncCall) and isinstance(call.name, c_ast.ID) and call.name.name in ALLOCATORS


def _computes_addresses(body: c_ast.Node) -> bool:
    """Whether something is made to an integer, or looked at as one: the address may be."""
    unions = any(nodes(d.type, c_ast.Union) for d in nodes(body, c_ast.Decl))
    return unions or any(not nodes(c.to_type, c_ast.PtrDecl) for c in nodes(body, c_ast.Cast))


def _settings(body: c_ast.Node) -> Iterator[tuple[str, c_ast.Node]]:
    """Variables, whole or in part, and what they are set to."""
    yield from ((d.name, d.init) for d in nodes(body, c_ast.Decl) if d.init is not None)
    yield from ((name, a.rvalue) for a in nodes(body, c_ast.Assignment) if (name := _variable(a.lvalue)) is not None)


def _variable(place: c_ast.Node) -> str | None:
    """The variable of which a place is the whole or a member."""
    match place:
        case c_ast.ID(name=name):
            return str(name)
        case c_ast.StructRef(type=".", name=inner):
            return _variable(inner)
        case _:
            return None


def _made_of(sets: list[tuple[str, c_ast.Node]], numbers: set[str]) -> set[str]:
    """The variables that hold addresses of new memory, and nothing but such addresses and numbers."""
    made: set[str] = set()
    while more := {x for x, value in sets if x not in made and (_gives(value) or _names(made, value))}:
        made |= more
    while bad := {x for x, value in sets if x in made and not (_gives(value) or _is_made_of(value, made | numbers))}:
        made -= bad
    return made


def _variables(value: c_ast.Node) -> set[str]:
    members = {id(ref.field) for ref in nodes(value, c_ast.StructRef)}
    return {n.name for n in nodes(value, c_ast.ID) if id(n) not in members}


def _names(made: set[str], value: c_ast.Node) -> bool:
    return not made.isdisjoint(_variables(value))


def _gives(value: c_ast.Node) -> bool:
    while isinstance(value, c_ast.Cast):
        value = value.expr
    return _allocates(value)


def _is_made_of(value: c_ast.Node, names: set[str]) -> bool:
    """Whether a value is computed from these variables and numbers, and reads no pointer from anywhere."""
    if nodes(value, c_ast.FuncCall, c_ast.ArrayRef) or any(u.op in ("*", "&") for u in nodes(value, c_ast.UnaryOp)):
        return False
    return _variables(value) <= names and all(ref.type == "." for ref in nodes(value, c_ast.StructRef))


def _stored(body: c_ast.Node, own: set[str]) -> Iterator[c_ast.Node]:
    """What is stored in memory, or in variables that outlive the call."""
    yield from (a.rvalue for a in nodes(body, c_ast.Assignment) if _variable(a.lvalue) not in own)
