"""Functions of the file that cannot be followed where they are called, recursive ones, and that touch nothing that
threads share.

*Decides*: by the text of a function and of all that it calls: it names no variable of the file but constants and marks,
follows no pointer, and calls nothing else than such functions, the C library's arithmetic, and output.
*Errs toward* no.

    int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }       ->  yes
    void walk(struct node *p) { p->seen = 1; walk(p->next); }            ->  no
"""

from collections.abc import Iterator

from pycparser import c_ast

from ..ir.c_library import effect, is_known
from ..source.nodes import nodes
from ..source.selection import MARK
from ..source.unit import Unit


def touches_nothing(unit: Unit, name: str) -> bool:
    """Whether a call of the function, by its name, touches nothing that threads share. Example: see the module."""
    pending, seen = [name], set[str]()
    while pending:
        called = pending.pop()
        if called in seen or _is_harmless(called):
            continue
        seen.add(called)
        definition = unit.definitions.get(called)
        if definition is None or definition.node is None or not _is_of_its_own(unit, definition.node):
            return False
        pending += [*_called(definition.node)]
    return True


def _is_harmless(name: str) -> bool:
    found = effect(name)
    return is_known(name) or (found is not None and found.is_output) or name.startswith("omp_get_")


def _called(function: c_ast.FuncDef) -> Iterator[str]:
    for call in nodes(function.body, c_ast.FuncCall):
        yield call.name.name if isinstance(call.name, c_ast.ID) else ""


def _is_of_its_own(unit: Unit, function: c_ast.FuncDef) -> bool:
    """Whether it uses no memory but its own variables and arrays."""
    if any(isinstance(n, c_ast.StructRef) and n.type == "->" for n in nodes(function.body, c_ast.StructRef)):
        return False
    if any(n.op == "*" for n in nodes(function.body, c_ast.UnaryOp)):
        return False
    declared = {d.name: d for d in nodes(function, c_ast.Decl)}
    statics = any("static" in (d.storage or ()) for d in declared.values() if d is not function.decl)
    arrays = {n.name.name for n in nodes(function.body, c_ast.ArrayRef) if isinstance(n.name, c_ast.ID)}
    own = all(isinstance(getattr(declared.get(name), "type", None), c_ast.ArrayDecl) for name in arrays)
    used = {n.name for n in nodes(function.body, c_ast.ID)}
    outside = (name for name in used - declared.keys() - unit.prototypes.keys() if not _is_constant(unit, name))
    return own and not statics and not any(outside)


def _is_constant(unit: Unit, name: str) -> bool:
    return name.startswith(MARK) or name in unit.constants or name in unit.values or name in unit.definitions
