"""Functions with a body that change nothing but what their arguments lead to, as far as their text says.

*Decides*: whether a function that is too large to be followed may be supposed to be independent: neither it nor what it
calls names a variable outside of all functions, or a `static` one, to store to it, or calls what shows the order of its
calls; error paths are not looked at.
*Errs toward* no. It is no proof (a pointer may lead to a global variable, or to a function that prints): what is
supposed stays a condition, and says that no error is reported.

    void hue(const struct pixel *p, double *h) { ... *h = x / 6; }              ->  yes
    void count(void) { calls++; }                                               ->  no
"""

from collections.abc import Collection, Iterator
from functools import partial

from pycparser import c_ast

from ..base.regex import regex
from ..ir import c_library as library
from ..ir import library_memory
from ..source.ctypes import element
from ..source.features import is_of_c_library
from ..source.nodes import nodes, of_tree
from ..source.unit import Definition, Unit
from . import syntax
from .errno import is_errno
from .error_paths import error_path, failing_arm, has_text
from .pure_functions import is_all_along, is_pure
from .reached_functions import leads_to_recursion, reached

_ATOMIC = regex(r"omp\s+atomic(?!.*\b(?:read|write|capture)\b)")


def is_confined(unit: Unit, definition: Definition) -> bool:
    """Whether the function and all that it leads to are: each is looked at once. Elements of tables of the program are
    such memory, too, if no function calls itself: a parameter says which, as an argument would."""
    if changes_only_arguments(unit, definition):
        return True
    return not leads_to_recursion(unit, definition) and is_all_along(unit, definition, partial(_called, tables=True))


def changes_only_arguments(unit: Unit, definition: Definition) -> bool:
    """Whether it stores to no variable outside of all functions, elements of tables among them."""
    return is_all_along(unit, definition, _called)


@of_tree
def changed_parameters(function: c_ast.FuncDef) -> tuple[int, ...]:
    """The numbers of the parameters behind which a function stores, whatever it gets, to a member or to what they lead
    to: no subscript and no other pointer says where. Example: 0 of `void put(struct list *l, int v)` with `l->n++;`."""
    names = [getattr(p, "name", None) for p in syntax.parameter_declarations(function)]
    done = [_stored(n) for s in syntax.items(function.body) for n in _always(s)]
    moved = {_moved(n) for n in nodes(function.body, c_ast.Assignment, c_ast.UnaryOp)}
    found = {name for name in done if name is not None} - moved
    return tuple(k for k, name in enumerate(names) if name in found)


def stores_behind_parameters(unit: Unit, definition: Definition) -> bool:
    """Whether a function, or what it calls, may store to what a parameter leads to itself: `p[i]`, `p->n` and `*p`, not
    what a member of it leads to (`p->at[i]`). Functions that are not seen may store behind what they get as it is."""
    every = (d.node for d in reached(unit, definition.name))
    return any(_stores_behind_its_own(unit, function) for function in every if function is not None)


def _stores_behind_its_own(unit: Unit, function: c_ast.FuncDef) -> bool:
    names = {getattr(p, "name", None) for p in syntax.parameter_declarations(function)} - {None}
    if any(_behind(n) in names for n in nodes(function.body, c_ast.Assignment, c_ast.UnaryOp)):
        return True
    for call in nodes(function.body, c_ast.FuncCall):
        given = {a.name for a in (call.args.exprs if call.args else ()) if isinstance(a, c_ast.ID)}
        name = call.name.name if isinstance(call.name, c_ast.ID) else ""
        if unit.seen(name) is None and not is_pure(unit, name) and given & names:
            return True
    return False


def _behind(statement: c_ast.Node) -> str | None:
    """The pointer to what is stored, or has an element or member that is."""
    match _place_stored(statement):
        case c_ast.ArrayRef(name=pointer) | c_ast.StructRef(name=pointer) | c_ast.UnaryOp(op="*", expr=pointer):
            return str(pointer.name) if isinstance(pointer, c_ast.ID) else None
        case _:
            return None


def _place_stored(statement: c_ast.Node) -> c_ast.Node | None:
    """What a statement stores to, or the structure of which that is a part: `p->a` of `p->a.b = x`."""
    match statement:
        case c_ast.Assignment(lvalue=place) | c_ast.UnaryOp(op="++" | "--" | "p++" | "p--", expr=place):
            pass
        case _:
            return None
    while isinstance(place, c_ast.StructRef) and place.type == ".":
        place = place.name
    return place


def _always(statement: c_ast.Node) -> Iterator[c_ast.Node]:
    """An expression and what is certainly computed with it: both of `a[i] = p->n++`, not what `&&` or `?` may leave
    out, nor the statements of a branch or a loop."""
    match statement:
        case c_ast.Assignment(lvalue=place, rvalue=value):
            yield statement
            yield from (*_always(place), *_always(value))
        case c_ast.UnaryOp(op=op, expr=inner) if op != "sizeof":
            yield statement
            yield from _always(inner)
        case c_ast.ArrayRef(name=name, subscript=subscript):
            yield from (*_always(name), *_always(subscript))
        case c_ast.BinaryOp(op=op, left=left, right=right) if op not in ("&&", "||"):
            yield from (*_always(left), *_always(right))
        case c_ast.Cast(expr=inner) | c_ast.StructRef(name=inner) | c_ast.Return(expr=inner) | c_ast.Decl(init=inner):
            if inner is not None:
                yield from _always(inner)
        case _:
            pass


def _stored(statement: c_ast.Node) -> str | None:
    """The pointer behind which a statement certainly stores: `p` of `p->n++`, `p->a.b = x` and `*p += x`."""
    match _place_stored(statement):
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


def _called(unit: Unit, definition: Definition, tables: bool = False) -> frozenset[str] | None:
    """The functions with a body that a confined one calls; None of one that is none. `tables`: see `_calls`."""
    known: dict[tuple[str, bool], frozenset[str] | None] = unit.__dict__.setdefault("_called_by_confined", {})
    key = (definition.name, tables)
    if key not in known:
        known[key] = _calls(unit, definition.node, tables) if definition.node is not None else None
    return known[key]


def _calls(unit: Unit, function: c_ast.FuncDef, tables: bool) -> frozenset[str] | None:
    """`tables`: elements of those may be stored to that a parameter or a local variable selects."""
    failing = _on_error_paths(unit, function)
    declared = [d for d in nodes(function, c_ast.Decl) if d is not function.decl]
    own = {d.name for d in declared if "static" not in (d.storage or ()) and "extern" not in (d.storage or ())}
    own -= set(unit.globals_)  # what a block hides is meant outside of it
    local = own | {str(getattr(p, "name", "")) for p in syntax.parameter_declarations(function)}
    for place in _changed(unit, function):
        name = _base(place)
        if name is not None and name not in own and not (tables and _is_selected(place, local)):
            return None
    called = set[str]()
    for call in nodes(function.body, c_ast.FuncCall):
        name = call.name.name if isinstance(call.name, c_ast.ID) else None
        if id(call) in failing:
            continue
        if name is None or name in own:
            if call.args is None or has_text(call):
                return None
            continue  # through a pointer: what is supposed of the function is supposed of what it calls with its data
        if unit.seen(name) is not None:
            called.add(name)
        elif not _is_harmless(unit, name):
            return None
    return frozenset(called)


def _changed(unit: Unit, function: c_ast.FuncDef) -> Iterator[c_ast.Node]:
    """What a function stores to, or takes the address of: not what it counts under `omp atomic`, nor constants."""
    for node in nodes(function.body, c_ast.Assignment, c_ast.UnaryOp):
        match node:
            case c_ast.Assignment(lvalue=place) if not (is_errno(unit, place) or _is_atomic(unit, node)):
                yield place
            case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--", expr=place) if not _is_atomic(unit, node):
                yield place
            case c_ast.UnaryOp(op="&", expr=place) if not _is_constant(unit, place):
                yield place
            case _:
                pass


def _is_atomic(unit: Unit, update: c_ast.Node) -> bool:
    """Whether an expert says that a statement is an atomic update: in whichever order they are done, the same number
    comes out. (Not `atomic read`, `write` or `capture`: who captures sees the order.)"""
    return any(_ATOMIC.match(pragma.text) for pragma in unit.pragmas_above(update))


def _is_constant(unit: Unit, place: c_ast.Node) -> bool:
    type_ = unit.globals_.get(_base(place) or "")
    return type_ is not None and bool(getattr(element(type_), "const", False))


def _on_error_paths(unit: Unit, function: c_ast.FuncDef) -> frozenset[int]:
    """The calls, by identity, that are made when something failed: they report it, or end the program; and those that
    show progress."""
    every = (f(unit, n) for n in nodes(function.body, c_ast.If) for f in (error_path, failing_arm))
    return frozenset(id(call) for arm in every if arm is not None for call in nodes(arm, c_ast.FuncCall))


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


def _is_selected(place: c_ast.Node, local: Collection[str]) -> bool:
    """Whether a subscript with one of these variables selects what is stored to: `Node[i].depth`."""
    subscripts = (n.subscript for n in nodes(place, c_ast.ArrayRef))
    return any(name.name in local for s in subscripts for name in nodes(s, c_ast.ID))


def _is_harmless(unit: Unit, name: str) -> bool:
    effect = library.effect(name)
    if effect is not None:
        return not effect.shows_order
    if is_pure(unit, name) or name in library.ERRNO or name in library.ALLOCATORS or not is_of_c_library(name):
        return True
    return library.block(name) is not None or library_memory.touching(name) is not None
