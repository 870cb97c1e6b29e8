"""Pointer parameters that calls in the same file lead into one array, or into one of the whole program.

*Decides*: for two parameters of a function, or one and a global variable, how many elements apart some call of it has
them point, by the text of that call: `smooth(v + 1, v, n)`, `add(&x[0], &x[3])`, `scale(x, x, n)`, `step(grid + 1)`,
`blur(p->data, p->data)`, `copy(v + k + 1, v + k)`, `double *w = v + 1; copy(w, v);`, `w = v + 1; copy(w, v);`; and
which structures are one, `turn(m, m)`, whether the call gets them or their addresses.
*Errs toward* none: for arguments with calls or effects in them, for two that differ by more than a number, for
variables that are set more than once, and for calls in other files. Toward one array: where `p->data` has changed since
a variable took it over.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations

from msgspec import Struct
from pycparser import c_ast

from models.expr.nodes import remembered

from ..ir.nodes import SharedArray, Variable
from ..source.ctypes import Array, Complex, CType, Floating, Integer, Pointer, Record, Void
from ..source.layout import size_of
from ..source.nodes import nodes
from ..source.unit import Unit
from .c_text import c_text
from .syntax import assignments, parameter_declarations


class Given(Struct, frozen=True):
    """A pointer: the variable it leads into, whether that is a global one, and how many elements behind its begin."""

    name: str
    is_global: bool
    behind: int


class _Call(Struct, frozen=True):
    """A call in view, and the names that the function around it, the caller, declares. `begun`: what those of its
    pointers begin with that it never sets again."""

    node: c_ast.FuncCall
    hidden: frozenset[str]
    begun: Mapping[str, c_ast.Node]
    caller: str
    parameters: tuple[str, ...]


class _Handed(Struct, frozen=True):
    """The pointers that a call gets, each with its number, by a function that has these parameters."""

    given: tuple[tuple[int, Given], ...]
    line: int
    caller: str
    parameters: tuple[str, ...]


class _Shown(Struct, frozen=True):
    """What a call shows: the parameter with the number `second`, or the variable of the program, leads so many elements
    behind the parameter `first`."""

    first: int
    second: int | str
    behind: int
    line: int


MOST_HANDED_ON = 4
"""Calls one in another by which pointers are followed."""


def shared_arrays(unit: Unit, name: str, parameters: tuple[Variable, ...]) -> tuple[SharedArray, ...]:
    """What the calls of a function show. Example: that `b` of `smooth(a, b, n)` leads one element before `a`."""
    found = dict[SharedArray, None]()
    for shown in _shown(unit, name, MOST_HANDED_ON) if any(map(_counts_elements, parameters)) else ():
        named = (shown.first, *([shown.second] if isinstance(shown.second, int) else ()))
        if all(k < len(parameters) and _counts_elements(parameters[k]) for k in named):
            first = parameters[shown.first]
            second = shown.second if isinstance(shown.second, str) else parameters[shown.second]
            found[SharedArray(first, second, shown.behind, shown.line, bytes_of_elements(unit, first.type))] = None
    return tuple(found)


def _shown(unit: Unit, name: str, depth: int) -> tuple[_Shown, ...]:
    """Asked of each function for all that it calls, and kept: many functions call the same ones."""
    known: dict[tuple[str, int], tuple[_Shown, ...]] = unit.__dict__.setdefault("_shown_by_calls", {})
    if (name, depth) not in known:
        known[name, depth] = tuple(dict.fromkeys(_in_calls(unit, name, depth)))
    return known[name, depth]


def _in_calls(unit: Unit, name: str, depth: int) -> Iterator[_Shown]:
    for call in _handed(unit, name):
        for (k, x), (m, y) in combinations(call.given, 2):
            if x.name == y.name:
                yield _Shown(k, m, y.behind - x.behind, call.line)
        for k, x in call.given:
            if x.is_global:
                yield _Shown(k, x.name, -x.behind, call.line)
        handed = [(k, x, call.parameters.index(x.name)) for k, x in call.given if x.name in call.parameters]
        if depth and handed:
            yield from _handed_on(handed, _shown(unit, call.caller, depth - 1))


def _handed_on(given: list[tuple[int, Given, int]], shown: tuple[_Shown, ...]) -> Iterator[_Shown]:
    """What calls show of the parameters that a function hands on: each by its number there, and by its own number."""
    for before in shown:
        for k, x, number in given:
            if number == before.first and isinstance(before.second, str):
                yield _Shown(k, before.second, before.behind - x.behind, before.line)
            for m, y, other in given:
                if (number, other) == (before.first, before.second):
                    yield _Shown(k, m, before.behind + y.behind - x.behind, before.line)


def _counts_elements(parameter: Variable) -> bool:
    """Whether it leads to elements, or has members that may."""
    type_ = parameter.type
    return isinstance(type_, Record) or (isinstance(type_, Pointer) and not isinstance(type_.target, Void))


def _handed(unit: Unit, name: str) -> tuple[_Handed, ...]:
    """What the calls of a function hand to it."""
    known: dict[str, tuple[_Handed, ...]] = unit.__dict__.setdefault("_handed_by_calls", {})
    if name not in known:
        known[name] = tuple(_pointers(unit, call) for call in _calls(unit).get(name, ()))
    return known[name]


def _pointers(unit: Unit, call: _Call) -> _Handed:
    arguments = call.node.args.exprs if call.node.args is not None else []
    listed = ((k, _leads_into(unit, a, call)) for k, a in enumerate(arguments))
    given = tuple((k, x) for k, x in listed if x is not None)
    return _Handed(given, unit.place(call.node).line, call.caller, call.parameters)


@remembered("_calls_by_name")
def _calls(unit: Unit) -> dict[str, list[_Call]]:
    """The calls in the functions of a file, by the name of what they call."""
    known: dict[str, list[_Call]] = {}
    for name, call in _every_call(unit):
        known.setdefault(name, []).append(call)
    return known


def _every_call(unit: Unit) -> Iterator[tuple[str, _Call]]:
    for definition in unit.functions:
        node = definition.node
        if node is None:
            continue
        hidden = declared_names(node)
        parameters = tuple(str(getattr(p, "name", "")) for p in parameter_declarations(node))
        begun = _begun(node)
        for call in nodes(node.body, c_ast.FuncCall):
            if isinstance(call.name, c_ast.ID):
                yield call.name.name, _Call(call, hidden, begun, definition.name, parameters)


def _begun(function: c_ast.FuncDef) -> dict[str, c_ast.Node]:
    """The pointers of a function that hold what they begin with, or are set to once, for good, unless somebody has
    their address."""
    declared = [d for d in nodes(function.body, c_ast.Decl) if isinstance(d.type, c_ast.PtrDecl)]
    made = [*((d.name, d.init) for d in declared if d.init is not None), *assignments(function.body)]
    named, times = Counter(d.name for d in declared), Counter(name for name, _ in made)
    once = ((name, value) for name, value in made if named[name] == 1 == times[name])
    return {name: value for name, value in once if value is not None and not _has_effects(value)}


def declared_names(function: c_ast.FuncDef) -> frozenset[str]:
    """The parameters and variables of a function."""
    declared = (*parameter_declarations(function), *nodes(function.body, c_ast.Decl))
    return frozenset(str(getattr(d, "name", "")) for d in declared)


def bytes_of_elements(unit: Unit, type_: CType) -> int:
    """Of the numbers, structures or rows that a pointer leads to; 0: none of these, or not known before a run."""
    target = type_.target if isinstance(type_, Pointer) else None
    if isinstance(target, Integer | Floating | Complex | Array | Record):
        return size_of(target, unit.layouts) or 0
    return 0


def _leads_into(unit: Unit, argument: c_ast.Node, call: _Call) -> Given | None:
    """The same of any argument whose text says, beside another argument of the same call, where it leads."""
    plain = leads_into(unit, argument, call.hidden)
    if plain is not None and plain.name not in call.begun:
        return plain
    terms, behind = ((), 0) if _has_effects(argument) else _terms(unit, argument, call.begun)
    name = " + ".join(sorted(terms))
    return Given(name, name in unit.globals_ and name not in call.hidden, behind) if terms else None


def _has_effects(expression: c_ast.Node) -> bool:
    """Whether it may have another value each time that it is evaluated."""
    found = nodes(expression, c_ast.Assignment, c_ast.FuncCall, c_ast.UnaryOp)
    return any(not isinstance(e, c_ast.UnaryOp) or "++" in e.op or "--" in e.op for e in found)


def _terms(unit: Unit, argument: c_ast.Node, begun: Mapping[str, c_ast.Node]) -> tuple[tuple[str, ...], int]:
    """The text of what is added up in an address, and the sum of the numbers among it."""
    constant = unit.constant(argument)
    if constant is not None:
        return (), constant
    match argument:
        case c_ast.BinaryOp(op="+", left=left, right=right):
            pass
        case c_ast.BinaryOp(op="-", left=left, right=right) if (less := unit.constant(right)) is not None:
            terms, behind = _terms(unit, left, begun)
            return terms, behind - less
        case c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef(name=left, subscript=right)):
            pass
        case c_ast.ID(name=name) if name in begun:
            return _terms(unit, begun[name], {other: value for other, value in begun.items() if other != name})
        case c_ast.Cast(expr=inner):
            return (c_text(inner),), 0
        case _:
            return (c_text(argument),), 0
    (one, by), (other, more) = _terms(unit, left, begun), _terms(unit, right, begun)
    return (*one, *other), by + more


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
