"""Pointer variables that nothing but functions set, which get their addresses: `if (allocate((void **)&p, n)) return;`.

*Decides*: the variables of a function that it hands to such functions, and itself only sets to null; and of which all
these functions say by their names that they allocate or release memory. That what they give is new memory, and that
they keep no address, is not seen: it is assumed by name where it matters (`memory.alias`). Of variables that the
function sets itself: those that it hands to nothing but functions that release memory.
*Errs toward* none: a function that is seen to store something else than null, or what a call gave, sets nothing so.

    double *x = NULL; allocate((void **)&x, n); ... release((void **)&x);      ->  x, only by allocators
    unpack(m, &columns, &values);                                             ->  columns and values
    int *p = first; resize(&p, n);                                            ->  none: it may still be what `first` is
    int *p = NULL; skip(&p, first);                                           ->  none: it may be part of that
    int *p = my_alloc(n); ... my_free((void **)&p);                           ->  p, only released
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from pycparser import c_ast

from ..ir import c_library as library
from ..ir.nodes import SetBy
from ..source.nodes import nodes
from ..source.unit import Unit
from .allocations import is_named_allocator
from .error_flags import is_zero
from .syntax import addresses_taken, name_addressed, names_in, parameter_declarations, without_casts


def set_by_calls(unit: Unit, function: c_ast.FuncDef) -> Mapping[str, SetBy]:
    """The names, and whether only allocators have the address. Example: see the module."""
    taken = Counter(addresses_taken(function))
    if not taken:
        return {}
    handed: dict[str, list[str]] = {}
    own = set(_set_otherwise(unit, function))
    elements = {d.name: _elements(d.type) for d in nodes(function, c_ast.Decl) if d.name is not None}
    for call in nodes(function, c_ast.FuncCall):
        called = call.name.name if isinstance(call.name, c_ast.ID) else ""
        arguments = call.args.exprs if call.args is not None else []
        set_there = [name for argument in arguments for name in name_addressed(argument)]
        given = {elements.get(n, "") for a in arguments if not name_addressed(a) for n in names_in(a)}
        for name in set_there:
            handed.setdefault(name, []).append(called)
            if {elements.get(name, ""), "void"} & given - {""}:
                own.add(name)  # it may be set to what is made of a pointer that the call gets
    found: dict[str, SetBy] = {}
    for name, functions in handed.items():
        if name not in own and len(functions) == taken[name] and all(_is_trusted(unit, f) for f in functions):
            alone = all(_manages_memory(unit, f) for f in functions) and any(is_allocator(unit, f) for f in functions)
            found[name] = "allocators" if alone else "calls"
    return found


def only_released(unit: Unit, function: c_ast.FuncDef) -> frozenset[str]:
    """The names of variables that lead to what allocators gave, or nowhere, and of which only functions get the address
    that say by their names that they release memory, and that leave null in them. Example: see the module."""
    taken = Counter(addresses_taken(function))
    released = Counter[str]()
    for call in nodes(function, c_ast.FuncCall) if taken else ():
        called = call.name.name if isinstance(call.name, c_ast.ID) else ""
        if library.says_it_releases(called) and _is_trusted(unit, called):
            released.update(name for argument in call.args or () for name in name_addressed(argument))
    elsewhere = set(_set_otherwise(unit, function, gives=is_allocator)) if released else set()
    return frozenset(name for name, times in released.items() if times == taken[name] and name not in elsewhere)


def _elements(type_: c_ast.Node) -> str:
    """What a pointer or an array is declared to hold; empty for anything else."""
    match type_:
        case c_ast.PtrDecl(type=c_ast.TypeDecl(type=c_ast.IdentifierType(names=names))):
            return " ".join(names)
        case c_ast.PtrDecl(type=c_ast.TypeDecl(type=c_ast.Struct(name=name) | c_ast.Union(name=name))):
            return f"struct {name}"
        case c_ast.PtrDecl(type=inner) | c_ast.ArrayDecl(type=inner):
            return "*" if isinstance(type_, c_ast.PtrDecl) else _elements(c_ast.PtrDecl([], inner))
        case _:
            return ""


def is_allocator(unit: Unit, function: str) -> bool:
    """By its name, or by what the user says."""
    return library.says_it_allocates(function) or is_named_allocator(unit, function)


def _manages_memory(unit: Unit, function: str) -> bool:
    return is_allocator(unit, function) or library.says_it_releases(function)


def _set_otherwise(
    unit: Unit, function: c_ast.FuncDef, gives: Callable[[Unit, str], bool] = lambda unit, called: False
) -> Iterator[str]:
    """Names that the function itself sets to something else than null, or what certain functions give."""

    def is_plain(value: c_ast.Node) -> bool:
        match without_casts(value):
            case c_ast.FuncCall(name=c_ast.ID(name=called)):
                return gives(unit, called)
            case _:
                return is_zero(unit, value)

    for node in nodes(function, c_ast.Assignment, c_ast.Decl, c_ast.UnaryOp):
        match node:
            case c_ast.Assignment(lvalue=c_ast.ID(name=name), op=op, rvalue=value):
                if op != "=" or not is_plain(value):
                    yield name
            case c_ast.Decl(name=str(name), init=c_ast.Node() as value) if not is_plain(value):
                yield name
            case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--", expr=c_ast.ID(name=name)):
                yield name
            case _:
                pass
    yield from (d.name for d in parameter_declarations(function) if d.name is not None)


def _is_trusted(unit: Unit, function: str) -> bool:
    """Whether nothing shows that a function stores a pointer that was there before: it is not seen, or all that it
    stores through its parameters is null, or what a call gave."""
    definition = unit.definitions.get(function)
    if definition is None or definition.node is None:
        return bool(function)
    body = definition.node.body
    given = {d.name for d in parameter_declarations(definition.node)}
    for node in nodes(body, c_ast.Assignment, c_ast.FuncCall):
        match node:
            case c_ast.Assignment(lvalue=c_ast.UnaryOp(op="*", expr=c_ast.ID(name=str(name))), rvalue=value):
                if name in given and not is_zero(unit, value) and not isinstance(without_casts(value), c_ast.FuncCall):
                    return False
            case c_ast.Assignment(lvalue=target) if given & set(names_in(target)):
                return False
            case c_ast.FuncCall(args=c_ast.ExprList(exprs=arguments)):
                passed = {a.name for a in map(without_casts, arguments) if isinstance(a, c_ast.ID)} & given
                through = {d.name for d in parameter_declarations(definition.node) if _leads_to_pointers(d)}
                called = node.name.name if isinstance(node.name, c_ast.ID) else ""
                if passed & through and not _manages_memory(unit, called):
                    return False
            case _:
                pass
    return True


def _leads_to_pointers(declaration: c_ast.Node) -> bool:
    return isinstance(declaration.type, c_ast.PtrDecl) and not isinstance(declaration.type.type, c_ast.TypeDecl)
