"""Pointer parameters that calls in the same file lead into one array, or into one of the whole program.

*Decides*: for two parameters of a function, or one and a global variable, how many elements apart some call of it has
them point, by the text of that call: `smooth(v + 1, v, n)`, `add(&x[0], &x[3])`, `scale(x, x, n)`, `step(grid + 1)`.
*Errs toward* none: for other arguments, for offsets that are no numbers, and for calls in other files.
"""

from collections.abc import Iterator
from itertools import combinations

from msgspec import Struct
from pycparser import c_ast

from ..ir.nodes import SharedArray, Variable
from ..source.ctypes import CType, Floating, Integer, Pointer, Void
from ..source.nodes import nodes
from ..source.unit import Unit
from .syntax import parameter_declarations


class Given(Struct, frozen=True):
    """A pointer: the variable it leads into, whether that is a global one, and how many elements behind its begin."""

    name: str
    is_global: bool
    behind: int


class _Call(Struct, frozen=True):
    """A call in view, and the names that the function around it declares."""

    node: c_ast.FuncCall
    hidden: frozenset[str]


def shared_arrays(unit: Unit, name: str, parameters: tuple[Variable, ...]) -> tuple[SharedArray, ...]:
    """What the calls of a function show. Example: that `b` of `smooth(a, b, n)` leads one element before `a`."""
    pointers = [(k, v) for k, v in enumerate(parameters) if _counts_elements(v)]
    found = dict[SharedArray, None]()
    for call in _calls(unit).get(name, []) if pointers else []:
        arguments = call.node.args.exprs if call.node.args is not None else []
        if len(arguments) == len(parameters):
            given = [(v, leads_into(unit, arguments[k], call.hidden)) for k, v in pointers]
            found |= dict.fromkeys(_shared([(v, g) for v, g in given if g is not None], unit.place(call.node).line))
    return tuple(found)


def _shared(given: list[tuple[Variable, Given]], line: int) -> Iterator[SharedArray]:
    for (a, x), (b, y) in combinations(given, 2):
        if x.name == y.name:
            yield SharedArray(a, b, y.behind - x.behind, line, bytes_of_numbers(a.type))
    for a, x in given:
        if x.is_global:
            yield SharedArray(a, x.name, -x.behind, line, bytes_of_numbers(a.type))


def _counts_elements(parameter: Variable) -> bool:
    return isinstance(parameter.type, Pointer) and not isinstance(parameter.type.target, Void)


def _calls(unit: Unit) -> dict[str, list[_Call]]:
    """The calls in the functions of a file, by the name of what they call."""
    known: dict[str, list[_Call]] | None = unit.__dict__.get("_calls_by_name")
    if known is None:
        known = unit.__dict__["_calls_by_name"] = {}
        for name, call in _every_call(unit):
            known.setdefault(name, []).append(call)
    return known


def _every_call(unit: Unit) -> Iterator[tuple[str, _Call]]:
    for definition in unit.functions:
        node = definition.node
        if node is None:
            continue
        hidden = declared_names(node)
        for call in nodes(node.body, c_ast.FuncCall):
            if isinstance(call.name, c_ast.ID):
                yield call.name.name, _Call(call, hidden)


def declared_names(function: c_ast.FuncDef) -> frozenset[str]:
    """The parameters and variables of a function."""
    declared = (*parameter_declarations(function), *nodes(function.body, c_ast.Decl))
    return frozenset(str(getattr(d, "name", "")) for d in declared)


def bytes_of_numbers(type_: CType) -> int:
    """Of what a pointer leads to; 0: no numbers."""
    target = type_.target if isinstance(type_, Pointer) else None
    return target.size if isinstance(target, Integer | Floating) else 0


def leads_into(unit: Unit, argument: c_ast.Node, hidden: frozenset[str]) -> Given | None:
    """What a pointer leads into, where `hidden` are the names that the function around it declares."""
    by: c_ast.Node | None = None
    sign = 1
    match argument:
        case c_ast.ID(name=name):
            pass
        case c_ast.BinaryOp(op="+" | "-" as op, left=c_ast.ID(name=name), right=by):
            sign = 1 if op == "+" else -1
        case c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef(name=c_ast.ID(name=name), subscript=by)):
            pass
        case _:
            return None
    elements = 0 if by is None else unit.constant(by)
    if elements is None:
        return None
    return Given(name, name in unit.globals_ and name not in hidden, sign * elements)
