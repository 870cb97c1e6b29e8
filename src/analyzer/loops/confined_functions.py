"""Functions with a body that change nothing but what their arguments lead to, as far as their text says.

*Decides*: whether a function that is too large to be followed may be supposed to be independent: neither it nor what it
calls names a variable outside of all functions, or a `static` one, to store to it, or calls what nobody knows.
*Errs toward* no. It is no proof (a pointer may lead to a global variable): what is supposed stays a condition.

    void hue(const struct pixel *p, double *h) { ... *h = x / 6; }              ->  yes
    void count(void) { calls++; }                                               ->  no
"""

from pycparser import c_ast

from ..ir import c_library as library
from ..ir import library_memory
from ..source.features import is_of_c_library
from ..source.nodes import nodes, of_tree
from ..source.unit import Definition, Unit
from . import syntax
from .errno import is_errno
from .pure_functions import is_all_along, is_pure


def is_confined(unit: Unit, definition: Definition) -> bool:
    """Whether the function and all that it leads to are: each is looked at once."""
    return is_all_along(unit, definition, _called)


@of_tree
def changed_parameters(function: c_ast.FuncDef) -> tuple[int, ...]:
    """The numbers of the parameters behind which a function stores, whatever it gets, to a member or to what they lead
    to: no subscript and no other pointer says where. Example: 0 of `void put(struct list *l, int v)` with `l->n++;`."""
    names = [getattr(p, "name", None) for p in syntax.parameter_declarations(function)]
    done = [_stored(s) for s in syntax.items(function.body)]
    moved = {_moved(n) for n in nodes(function.body, c_ast.Assignment, c_ast.UnaryOp)}
    found = {name for name in done if name is not None} - moved
    return tuple(k for k, name in enumerate(names) if name in found)


def _stored(statement: c_ast.Node) -> str | None:
    """The pointer behind which a statement certainly stores: `p` of `p->n++`, `p->a.b = x` and `*p += x`."""
    match statement:
        case c_ast.Assignment(lvalue=place):
            pass
        case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--", expr=place):
            pass
        case _:
            return None
    while isinstance(place, c_ast.StructRef) and place.type == ".":
        place = place.name
    match place:
        case c_ast.StructRef(type="->", name=c_ast.ID(name=name)) | c_ast.UnaryOp(op="*", expr=c_ast.ID(name=name)):
            return str(name)
        case _:
            return None


def _moved(node: c_ast.Node) -> str | None:
    """The variable that a node sets, or takes the address of."""
    match node:
        case c_ast.Assignment(lvalue=c_ast.ID(name=name)):
            return str(name)
        case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--" | "&", expr=c_ast.ID(name=name)):
            return str(name)
        case _:
            return None


def _called(unit: Unit, definition: Definition) -> frozenset[str] | None:
    """The functions with a body that a confined one calls; None of one that is none."""
    known: dict[str, frozenset[str] | None] = unit.__dict__.setdefault("_called_by_confined", {})
    if definition.name not in known:
        known[definition.name] = _calls(unit, definition.node) if definition.node is not None else None
    return known[definition.name]


def _calls(unit: Unit, function: c_ast.FuncDef) -> frozenset[str] | None:
    declared = [d for d in nodes(function, c_ast.Decl) if d is not function.decl]
    own = {d.name for d in declared if "static" not in (d.storage or ()) and "extern" not in (d.storage or ())}
    own -= set(unit.globals_)  # what a block hides is meant outside of it
    stored = [n.lvalue for n in nodes(function.body, c_ast.Assignment) if not is_errno(unit, n.lvalue)]
    stored += [n.expr for n in nodes(function.body, c_ast.UnaryOp) if n.op in ("++", "--", "p++", "p--", "&")]
    if any((name := _base(place)) is not None and name not in own for place in stored):
        return None
    called = set[str]()
    for call in nodes(function.body, c_ast.FuncCall):
        name = call.name.name if isinstance(call.name, c_ast.ID) else None
        if name is None or name in own:
            return None
        found = unit.definitions.get(name)
        if found is not None and found.node is not None:
            called.add(name)
        elif not _is_harmless(unit, name):
            return None
    return frozenset(called)


def _base(place: c_ast.Node) -> str | None:
    """The name of what is stored to; None behind what a call gives, or a number."""
    while not isinstance(place, c_ast.ID):
        match place:
            case c_ast.ArrayRef(name=inner) | c_ast.StructRef(name=inner):
                place = inner
            case c_ast.UnaryOp(expr=inner) | c_ast.Cast(expr=inner) | c_ast.BinaryOp(left=inner):
                place = inner
            case _:
                return None
    return str(place.name)


def _is_harmless(unit: Unit, name: str) -> bool:
    effect = library.effect(name)
    if effect is not None and effect.shows_order:
        return False
    if is_pure(unit, name) or name in library.ERRNO or not is_of_c_library(name):
        return True
    return library.block(name) is not None or library_memory.touching(name) is not None
