"""Functions that only look at the two elements that they are given: what `qsort` and `bsearch` compare with.

*Decides*: whether a function with a visible body reads nothing but its arguments and, by way of pointers, the elements
that they lead to, which hold no further pointers; and writes nothing but its own variables.
*Errs toward* no: what is not named here is refused.

    int by_size(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }            ->  yes
    int by_rank(const void *a, const void *b) { return rank[*(const int *)a] - rank[*(const int *)b]; } ->  no: `rank`
    int by_name(const void *a, const void *b) { return strcmp(*(char **)a, *(char **)b); }              ->  no: pointers
"""

from pycparser import c_ast

from ..source.ctypes import Array, CType, Floating, Integer, Pointer, Record, Void
from ..source.nodes import nodes
from ..source.unit import Definition, Unit
from . import syntax
from .pure_functions import HARMLESS, is_pure

_ALSO = (c_ast.ArrayRef, c_ast.PtrDecl, c_ast.StructRef, c_ast.UnaryOp)
_STEPS = ("++", "--", "p++", "p--")


def only_compares(unit: Unit, definition: Definition) -> bool:
    """Whether calls only read what their arguments lead to. Example: `only_compares(unit, definitions["by_size"])`."""
    known: dict[str, bool] = unit.__dict__.setdefault("_only_compares", {})
    if definition.name not in known:
        known[definition.name] = definition.node is not None and _only_compares(unit, definition.node)
    return known[definition.name]


def _only_compares(unit: Unit, function: c_ast.FuncDef) -> bool:
    declared = [*syntax.parameter_declarations(function), *nodes(function.body, c_ast.Decl)]
    if not all(_is_own(unit, d) for d in declared):
        return False
    casts = (unit.type_of(cast.to_type) for cast in nodes(function.body, c_ast.Cast))
    names = frozenset(d.name for d in declared)
    return all(_is_plain(unit, t) for t in casts) and _is_harmless(unit, function.body, names)


def _is_own(unit: Unit, declared: c_ast.Node) -> bool:
    """A variable of the function itself: a number, or a pointer to elements without pointers."""
    own = isinstance(declared, c_ast.Decl) and not {"static", "extern"} & set(declared.storage)
    return own and declared.name not in unit.globals_ and _is_plain(unit, unit.type_of(declared))


def _is_plain(unit: Unit, type_: CType) -> bool:
    match type_:
        case Pointer(target=target):
            return isinstance(target, Void) or _is_element(unit, target)
        case _:
            return isinstance(type_, Integer | Floating)


def _is_element(unit: Unit, type_: CType) -> bool:
    match type_:
        case Integer(volatile=volatile) | Floating(volatile=volatile):
            return not volatile
        case Array(element=element):
            return _is_element(unit, element)
        case Record(key=key):
            layout = unit.layouts.get(key)
            return layout is not None and all(_is_element(unit, m.type) for m in layout.members)
        case _:
            return False


def _is_harmless(unit: Unit, body: c_ast.Node, names: frozenset[str]) -> bool:
    pending = [body]
    while pending:
        each = pending.pop()
        match each:
            case c_ast.ID(name=name):
                if name not in names:
                    return False
            case c_ast.StructRef(name=base):  # the name of a member is none of a variable
                pending.append(base)
                continue
            case c_ast.Assignment(lvalue=target) if not isinstance(target, c_ast.ID):
                return False
            case c_ast.UnaryOp(op=op, expr=inner) if op in ("&", "&&") or (
                op in _STEPS and not isinstance(inner, c_ast.ID)
            ):
                return False
            case c_ast.FuncCall(name=c_ast.ID(name=name), args=arguments) if name not in names and is_pure(unit, name):
                pending += [] if arguments is None else [arguments]
                continue
            case c_ast.Decl(init=start):  # its type was looked at
                pending += [] if start is None else [start]
                continue
            case c_ast.Cast(expr=inner):
                pending.append(inner)
                continue
            case _ if not isinstance(each, (*HARMLESS, *_ALSO)):
                return False
        pending += [child for _, child in each.children()]
    return True
