"""Functions of the program that give new memory, where arithmetic with its address hides that: they move the start to a
round address, or keep the address in a list of their own.

*Decides*: whether all that a function returns is null, or made of what an allocator of the C library gave: of local
variables that get their value from its call, or from each other and numbers, and from nothing else. `new`: nobody else
gets the address; `kept`: the function stores it somewhere, or hands it to another one, as well.
*Errs toward* none of this, and the function is followed: returns of parameters and globals, integers that may be the
address of something else, pointers that are read from memory, one name for two variables. *Does not handle*: variables
that are set by their addresses.

    p = malloc(n + 63);  return (void *)(((uintptr_t)p + 63) & ~63);         ->  new
    a.p = malloc(n + 15);  a.l = (a.l + 15) & ~15;  return a.p;              ->  new, of a union
    p = malloc(n);  list[used++] = p;  return (void *)((size_t)p + 8);       ->  kept
    return (void *)((size_t)pool + n);                                       ->  none
"""

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from pycparser import c_ast

from ..ir.c_library import ALLOCATORS, EFFECTS
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
    parameters = [d for d in syntax.parameter_declarations(function) if d.name]
    locals_ = [d for d in nodes(body, c_ast.Decl) if not {"static", "extern"} & set(d.storage)]
    times = Counter(d.name for d in (*parameters, *nodes(body, c_ast.Decl)))
    once = [d for d in (*parameters, *locals_) if times[d.name] == 1]
    own = {d.name for d in once}
    sets = [(name, value) for name, value in _settings(body) if name in own]
    numbers = _numbers({d.name for d in once if isinstance(unit.type_of(d), Integer)}, sets)
    given = {d.name for d in parameters}
    made = _made_of([(name, value) for name, value in sets if name not in given], numbers)
    shown = {_variable(u.expr) for u in nodes(body, c_ast.UnaryOp) if u.op == "&"}
    shown |= {_variable(a) for call in nodes(body, c_ast.FuncCall) for a in _given(call) if not isinstance(a, c_ast.ID)}
    returned = [r.expr for r in nodes(body, c_ast.Return)]
    if shown & made or not all(r is not None and _is_address(r, made, numbers) for r in returned):
        return None
    if not any(_names(made, r) for r in returned):
        return None
    reached = _reached(sets)
    return "kept" if any(_names(reached, value) for value in _stored(body, own)) else "new"


def _allocates(call: c_ast.Node) -> bool:
    return isinstance(call, c_ast.FuncCall) and isinstance(call.name, c_ast.ID) and call.name.name in ALLOCATORS


def _computes_addresses(body: c_ast.Node) -> bool:
    """Whether an address is made to an integer, or looked at as one: not `malloc((size_t)n * m)`."""
    unions = any(nodes(d.type, c_ast.Union) for d in nodes(body, c_ast.Decl))
    to_numbers = [c.expr for c in nodes(body, c_ast.Cast) if not nodes(c.to_type, c_ast.PtrDecl)]
    reached = _reached(list(_settings(body))) if to_numbers else set()
    return unions or any(_names(reached, value) or any(map(_allocates, nodes(value))) for value in to_numbers)


def _settings(body: c_ast.Node) -> Iterator[tuple[str, c_ast.Node]]:
    """Variables, whole or in part, and what they are set to."""
    yield from ((d.name, d.init) for d in nodes(body, c_ast.Decl) if d.init is not None)
    for a in nodes(body, c_ast.Assignment):
        name = _variable(a.lvalue)
        if name is not None:
            yield name, a.rvalue if a.op == "=" else c_ast.BinaryOp(a.op[:-1], a.lvalue, a.rvalue)


def _variable(place: c_ast.Node) -> str | None:
    """The variable of which a place is the whole or a member."""
    match place:
        case c_ast.ID(name=name):
            return str(name)
        case c_ast.StructRef(type=".", name=inner):
            return _variable(inner)
        case _:
            return None


def _numbers(candidates: set[str], sets: list[tuple[str, c_ast.Node]]) -> set[str]:
    """Integers that are computed from integers alone: the address of something else is in none of them, unless the
    caller passes one."""
    numbers = set(candidates)
    while bad := {x for x, value in sets if x in numbers and not _is_computed(value, numbers)}:
        numbers -= bad
    return numbers


def _made_of(sets: list[tuple[str, c_ast.Node]], numbers: set[str]) -> set[str]:
    """The variables that hold addresses of new memory, and nothing else."""
    made = _reached(sets)
    while bad := {x for x, value in sets if x in made and not _is_address(value, made, numbers)}:
        made -= bad
    return made


def _reached(sets: list[tuple[str, c_ast.Node]]) -> set[str]:
    """The variables to which the addresses of new memory come."""
    reached: set[str] = set()
    while more := {x for x, value in sets if x not in reached and (_gives(value) or _names(reached, value))}:
        reached |= more
    return reached


def _is_address(value: c_ast.Node, made: set[str], numbers: set[str]) -> bool:
    """Whether a value is a constant, what an allocator gives, or one of the made addresses that numbers move. A number
    alone is none: it may be the address of something else."""
    match value:
        case c_ast.Cast(expr=inner) | c_ast.UnaryOp(op="~" | "-", expr=inner):
            return _is_address(inner, made, numbers)
        case c_ast.BinaryOp(left=left, right=right):
            sides = (left, right) if _names(made, left) else (right, left)
            return _is_address(sides[0], made, numbers) and _is_computed(sides[1], made | numbers)
        case c_ast.TernaryOp(iftrue=one, iffalse=other):
            return _is_address(one, made, numbers) and _is_address(other, made, numbers)
        case c_ast.Constant():
            return True
        case _:
            return _gives(value) or _variable(value) in made


def _variables(value: c_ast.Node) -> set[str]:
    members = {id(ref.field) for ref in nodes(value, c_ast.StructRef)}
    return {n.name for n in nodes(value, c_ast.ID) if id(n) not in members}


def _names(made: set[str], value: c_ast.Node) -> bool:
    return not made.isdisjoint(_variables(value))


def _gives(value: c_ast.Node) -> bool:
    return _allocates(syntax.without_casts(value))


def _is_computed(value: c_ast.Node, names: set[str]) -> bool:
    """Whether a value is computed from these variables and constants, and reads nothing else from anywhere."""
    if nodes(value, c_ast.FuncCall, c_ast.ArrayRef) or any(u.op in ("*", "&") for u in nodes(value, c_ast.UnaryOp)):
        return False
    return _variables(value) <= names and all(ref.type == "." for ref in nodes(value, c_ast.StructRef))


_KEEP_NOTHING = frozenset(("memset", "bzero", "free", *(name for name, effect in EFFECTS.items() if effect.is_output)))


def _given(call: c_ast.FuncCall) -> tuple[c_ast.Node, ...]:
    """What a call gets that may keep it, or change it."""
    name = call.name.name if isinstance(call.name, c_ast.ID) else None
    return () if call.args is None or name in _KEEP_NOTHING or _allocates(call) else tuple(call.args.exprs)


def _stored(body: c_ast.Node, own: set[str]) -> Iterator[c_ast.Node]:
    """What is stored in memory, in variables that outlive the call, or handed to a function that may do so."""
    yield from (a.rvalue for a in nodes(body, c_ast.Assignment) if _variable(a.lvalue) not in own)
    for call in nodes(body, c_ast.FuncCall):
        yield from _given(call)
