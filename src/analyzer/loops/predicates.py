"""Functions that only answer yes or no.

*Decides*: whether every `return` of a function gives 0, 1 or the value of a test, both answers among them, and the
function does nothing else: it stores to variables of its own alone, and calls only what computes. To leave a loop of
such a function is one of its answers, and no failure.
*Errs toward* no: a function that gives another number, or that changes something, may fail.

    for (d = 0; d < 3; d++) if (x[d] > far) return 0;   return 1;                     ->  yes
    for (i = 0; i < n; i++) { if (x[i] < 0) return 0; y[i] = sqrt(x[i]); }  return 1; ->  no
    for (i = 0; i < n; i++) if (x[i] < 0) return -1;    return 0;                     ->  no
"""

from pycparser import c_ast

from ..source.nodes import nodes
from ..source.unit import Unit
from .pure_functions import is_closed, is_pure
from .syntax import without_casts

_TESTS = ("==", "!=", "<", "<=", ">", ">=", "&&", "||")
_EITHER = frozenset((0, 1))


def only_answers(unit: Unit, function: c_ast.FuncDef) -> bool:
    """Example: see the module."""
    given = [_answers(unit, each.expr) for each in nodes(function.body, c_ast.Return)]
    if any(answers is None for answers in given) or frozenset[int]().union(*filter(None, given)) != _EITHER:
        return False
    return _keeps_to_itself(function) and all(_computes(unit, call) for call in nodes(function.body, c_ast.FuncCall))


def _answers(unit: Unit, value: c_ast.Node | None) -> frozenset[int] | None:
    """What a `return` may give; None if that is more than yes and no."""
    match without_casts(value) if value is not None else None:
        case None:
            return None
        case c_ast.BinaryOp(op=op) if op in _TESTS:
            return _EITHER
        case c_ast.UnaryOp(op="!"):
            return _EITHER
        case other:
            number = unit.constant(other)
            return frozenset((number,)) if number in _EITHER else None


def _keeps_to_itself(function: c_ast.FuncDef) -> bool:
    """Whether all that it stores to are variables of its own, or parts of them."""
    declared = [d for d in nodes(function, c_ast.Decl) if d is not function.decl]
    own = {d.name for d in declared if not {"static", "extern"} & set(d.storage or ())}
    arrays = {d.name for d in nodes(function.body, c_ast.Decl) if isinstance(d.type, c_ast.ArrayDecl)}
    steps = (n.expr for n in nodes(function.body, c_ast.UnaryOp) if n.op in ("++", "--", "p++", "p--", "&"))
    changed = [*(n.lvalue for n in nodes(function.body, c_ast.Assignment)), *steps]
    return all(_is_part(place, own, own & arrays) for place in changed)


def _is_part(place: c_ast.Node, own: set[str], arrays: set[str]) -> bool:
    match place:
        case c_ast.ID(name=name):
            return name in own
        case c_ast.StructRef(type=".", name=inner):
            return _is_part(inner, own, arrays)
        case c_ast.ArrayRef(name=inner):
            return _is_part(inner, arrays, arrays)
        case _:
            return False


def _computes(unit: Unit, call: c_ast.FuncCall) -> bool:
    if not isinstance(call.name, c_ast.ID):
        return False
    definition = unit.seen(call.name.name)
    return is_pure(unit, call.name.name) if definition is None else is_closed(unit, definition)
