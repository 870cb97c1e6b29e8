"""Variables whose addresses a function only lends: to functions that use them while they run, and keep none.

*Decides*: the names of a function's variables of which each `&name` is an argument of a function that is seen and does
nothing with the parameter but to load and store what it leads to, to compare it, and to lend it in turn. Nobody has the
address once such a call is over: a function that is not seen, and does not get it, leaves the variable as it is.
*Errs toward* none: a parameter that is assigned, computed with, or leads to an array or a structure.

    void make(void **at, size_t n) { void *new = malloc(n); if (new) *at = new; }
    make((void **)&p, n); report(x);  p[i] = 0;              ->  p: `report` cannot have changed it
    make((void **)&p, n); keep(&p);  p[i] = 0;               ->  none, if `keep` is not seen, or stores what it gets
"""

from collections import Counter

from pycparser import c_ast

from ..source.ctypes import Floating, Function, Integer, Pointer
from ..source.nodes import nodes
from ..source.unit import Definition, Unit
from .syntax import addresses_taken, declared_names, name_addressed, parameter_declarations, without_casts


def lent_names(unit: Unit, function: c_ast.FuncDef) -> frozenset[str]:
    """The names. Example: see the module."""
    taken = Counter(addresses_taken(function))
    if not taken:
        return frozenset()
    own, lent = declared_names(function, 1), Counter[str]()
    for call in nodes(function, c_ast.FuncCall):
        for k, argument in enumerate(call.args.exprs if call.args is not None else ()):
            names = name_addressed(argument)
            lent.update(names if names and _forgets(unit, call, k, own) else ())
    return frozenset(name for name, times in taken.items() if lent[name] == times)


def _forgets(unit: Unit, call: c_ast.FuncCall, argument: int, own: frozenset[str]) -> bool:
    """Whether a function that is called keeps nothing of where an argument leads; `own`: names that hide functions."""
    if not isinstance(call.name, c_ast.ID) or call.name.name in own:
        return False
    definition = unit.seen(call.name.name)
    return definition is not None and definition.node is not None and _forgets_parameter(unit, definition, argument)


def _forgets_parameter(unit: Unit, definition: Definition, number: int) -> bool:
    known: dict[tuple[str, int], bool] = unit.__dict__.setdefault("_forgets_parameter", {})
    key = definition.name, number
    if key not in known:
        known[key] = False  # of itself, nothing more
        known[key] = _is_only_used(unit, definition, number)
    return known[key]


def _is_only_used(unit: Unit, definition: Definition, number: int) -> bool:
    function = definition.node
    assert function is not None
    declared = parameter_declarations(function)
    type_ = unit.type_of(function.decl)
    if not isinstance(type_, Function) or not number < len(declared) == len(type_.parameters):
        return False
    match type_.parameters[number]:
        case Pointer(target=Pointer() | Integer() | Floating()) if isinstance(declared[number], c_ast.Decl):
            name, own = declared[number].name, declared_names(function, 1)
            hidden = any(d.name == name for d in nodes(function.body, c_ast.Decl))
            return not hidden and _keeps_none(unit, function.body, name, own)
        case _:
            return False


def _keeps_none(unit: Unit, node: c_ast.Node, name: str, own: frozenset[str]) -> bool:
    """Whether a piece of code uses the parameter of a name in no other way than the module says."""
    match node:
        case c_ast.ID(name=used):
            return bool(used != name)
        case c_ast.UnaryOp(op="&", expr=c_ast.UnaryOp(op="*") | c_ast.ArrayRef()):
            return not any(n.name == name for n in nodes(node, c_ast.ID))
        case c_ast.UnaryOp(op="*" | "!", expr=c_ast.ID(name=used)) if used == name:
            return True
        case c_ast.ArrayRef(name=c_ast.ID(name=used), subscript=at) if used == name:
            return _keeps_none(unit, at, name, own)
        case c_ast.BinaryOp(op="==" | "!=", left=left, right=right):
            sides = (side for side in (left, right) if not _is(side, name))
            return all(_keeps_none(unit, side, name, own) for side in sides)
        case c_ast.FuncCall(args=c_ast.ExprList(exprs=arguments)):
            kept = (a for k, a in enumerate(arguments) if not (_is(a, name) and _forgets(unit, node, k, own)))
            return all(_keeps_none(unit, each, name, own) for each in (node.name, *kept))
        case _:
            return all(_keeps_none(unit, child, name, own) for child in node)


def _is(value: c_ast.Node, name: str) -> bool:
    plain = without_casts(value)
    return isinstance(plain, c_ast.ID) and plain.name == name
