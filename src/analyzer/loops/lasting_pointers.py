"""Pointers that a function keeps from one call to the next, for itself alone: `static` ones, set only to new memory.

*Decides*: by the text of a function, which of its static pointers lead to memory that nothing else leads to: they are
set to null and to what allocators give, numbers and structures of what they lead to are used, they are asked whether
they are null, and handed to calls of which nobody takes the value; and nothing else.
*Errs toward* none. That no call keeps the pointer where another one of the program finds it is not seen: it is assumed
where it matters (`memory.alias`).

    static double *t; if (!t) t = malloc(n); fill(t); t[0] = 1;      ->  t
    static double *t, *u; if (!t) t = malloc(n); u = t;              ->  neither: at the next call both lead there
    static double *t; if (!t) t = malloc(n); return t;               ->  not t: it may come back as an argument
    static double (*t)[9]; if (!t) t = malloc(n); u = *t;            ->  not t: the array is where it leads
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec import Struct
from pycparser import c_ast

from ..ir import c_library as library
from ..source.ctypes import Array, CType, Layout
from ..source.nodes import nodes
from ..source.typing import expression_type
from ..source.unit import Abi, Unit
from .error_flags import is_zero
from .handed_pointers import is_allocator
from .syntax import parameter_declarations, without_casts


def lasting_pointers(unit: Unit, function: c_ast.FuncDef) -> frozenset[str]:
    """The names of these pointers. Example: see the module."""
    declared = [d for d in nodes(function.body, c_ast.Decl) if d.name is not None]
    times = Counter(d.name for d in (*declared, *parameter_declarations(function)))
    static = [d for d in declared if "static" in (d.storage or ()) and times[d.name] == 1]
    own = {d.name: unit.type_of(d) for d in static if d.init is None or is_zero(unit, d.init)}
    if not own:
        return frozenset()
    harmless = {id(use) for use in (*_asked_and_set(unit, function.body), *_followed(unit, own, function.body))}
    elsewhere = {n.name for n in nodes(function.body, c_ast.ID) if id(n) not in harmless}
    targets = [a.lvalue for a in nodes(function.body, c_ast.Assignment) if isinstance(a.lvalue, c_ast.ID)]
    return frozenset(name.name for name in targets if name.name in own.keys() - elsewhere)


def _asked_and_set(unit: Unit, body: c_ast.Node) -> Iterator[c_ast.Node]:
    """What is asked whether it is null, is set to new memory, or is handed to a call."""
    for node in nodes(body, c_ast.UnaryOp, c_ast.BinaryOp, c_ast.If):
        match node:
            case c_ast.UnaryOp(op="!", expr=name) | c_ast.If(cond=name):
                yield name
            case c_ast.BinaryOp(op="==" | "!=" | "&&" | "||", left=left, right=right):
                yield from (left, right)
            case _:
                pass
    for statement in _statements(body):
        match statement:
            case c_ast.Assignment(op="=", lvalue=name, rvalue=value) if _is_new(unit, value):
                yield name
            case _:
                yield from _lent(statement)


def _statements(body: c_ast.Node) -> Iterator[c_ast.Node]:
    for node in nodes(body, c_ast.Compound, c_ast.If, c_ast.For, c_ast.While, c_ast.DoWhile):
        match node:
            case c_ast.Compound(block_items=items):
                yield from items or ()
            case c_ast.If(iftrue=then, iffalse=otherwise):
                yield from (arm for arm in (then, otherwise) if arm is not None)
            case _:
                yield node.stmt


def _lent(statement: c_ast.Node) -> Iterator[c_ast.Node]:
    """What a call gets whose value nobody takes."""
    match statement:
        case c_ast.FuncCall(name=c_ast.ID(), args=c_ast.ExprList(exprs=arguments)):
            yield from map(without_casts, arguments)
        case _:
            pass


def _is_new(unit: Unit, value: c_ast.Node) -> bool:
    """Whether it is null, or the value of a call that allocates, or says so by its name."""
    match without_casts(value):
        case c_ast.FuncCall(name=c_ast.ID(name=called)):
            moves = "realloc" in called.lower()
            return not moves and (called in library.ALLOCATORS or is_allocator(unit, called))
        case _:
            return is_zero(unit, value)


# --- what pointers lead to


class _Own(Struct):
    """The scope of expressions that begin with one of the pointers."""

    abi: Abi
    layouts: dict[str, Layout]
    types: Mapping[str, CType]
    unit: Unit

    def enumerator(self, name: str) -> int | None:
        return None

    def object_type(self, name: str) -> CType | None:
        return self.types.get(name)

    def type_of(self, node: c_ast.Node) -> CType:
        return self.unit.type_of(node)

    def block_type(self, node: c_ast.Compound) -> CType | None:
        return None


def _followed(unit: Unit, own: Mapping[str, CType], body: c_ast.Node) -> Iterator[c_ast.Node]:
    """The names of pointers that are followed to a number, a structure or another pointer; to an array only where a
    call gets it: else that is a pointer again, as is what `&` makes of any of them."""
    scope = _Own(unit.abi, dict(unit.layouts), own, unit)
    steps = [(node, before) for node in nodes(body, *_STEPS) if (before := _before(node)) is not None]
    inner = {id(before) for _, before in steps}
    addressed = {id(u.expr) for u in nodes(body, c_ast.UnaryOp) if u.op == "&"}
    lent = {id(node) for statement in _statements(body) for node in _lent(statement)}
    for place, before in steps:
        if id(place) in inner or id(place) in addressed:
            continue
        while (further := _before(before)) is not None:
            before = further
        if isinstance(before, c_ast.ID) and before.name in own:
            type_ = expression_type(place, scope)
            if id(place) in lent or not (type_ is None or isinstance(type_, Array)):
                yield before


_STEPS = (c_ast.ArrayRef, c_ast.StructRef, c_ast.UnaryOp)


def _before(node: c_ast.Node) -> c_ast.Node | None:
    """Of an element, a member, or what a pointer leads to, where the last step to it begins."""
    match node:
        case c_ast.ArrayRef(name=before) | c_ast.StructRef(name=before) | c_ast.UnaryOp(op="*", expr=before):
            return before
        case _:
            return None
