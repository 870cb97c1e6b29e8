"""Functions of the file that cannot be followed where they are called, recursive ones: whether they touch nothing that
threads share, store to nothing but variables of the file, or have done all that they do when they return.

*Decides*: by the text of a function and of all that it calls: it names no variable of the file but constants and marks,
follows no pointer, and calls nothing else than such functions, the C library's arithmetic, and output. Or: what it
stores to is its own, or a variable of the file, by its name, and atomically. Or: all that it calls is seen, or known to
store nothing of its own, and no directive is in it, so that no task and no other thread does a part of it.
*Errs toward* no.

    int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }       ->  touches nothing
    void count(struct node *p) { #pragma omp atomic ... n += 1; count(p->next); }        ->  stores to n
    void walk(struct node *p) { p->seen = 1; walk(p->next); }      ->  neither, but all is done by its caller
"""

from collections.abc import Callable, Iterator

from pycparser import c_ast

from ..ir.c_library import ALLOCATORS, effect, is_known
from ..source.nodes import nodes
from ..source.selection import MARK
from ..source.unit import Unit


def touches_nothing(unit: Unit, name: str) -> bool:
    """Whether a call of the function, by its name, touches nothing that threads share. Example: see the module."""
    return all(f is not None and _is_of_its_own(unit, f) for f in _reached(unit, name, _is_harmless))


def stored_by_name(unit: Unit, atomic: frozenset[str], name: str) -> frozenset[str] | None:
    """The variables of the file that a call of the function may store to, atomically; None where it may store in other
    ways, or to other memory that is not its own. `atomic`: names of marks. Example: see the module."""
    found = set[str]()
    for function in _reached(unit, name, _is_harmless):
        names = None if function is None else _targets(function, atomic)
        if names is None:
            return None
        found |= names
    return frozenset(n for n in found if not n.startswith(MARK))


def is_done_by_its_caller(unit: Unit, name: str) -> bool:
    """Whether the thread that calls the function does all that it does, before it returns. Example: see the module."""

    def has_marks(function: c_ast.FuncDef) -> bool:
        return any(isinstance(n, c_ast.ID) and n.name.startswith(MARK) for n in nodes(function.body, c_ast.ID))

    return all(f is not None and not has_marks(f) for f in _reached(unit, name, _is_of_the_library))


def _reached(unit: Unit, name: str, harmless: Callable[[str], bool]) -> Iterator[c_ast.FuncDef | None]:
    """The functions that a call leads to, but for harmless ones, itself first; None for one that is not seen, behind
    which nothing is known."""
    pending, seen = [name], set[str]()
    while pending:
        called = pending.pop()
        if called in seen or harmless(called):
            continue
        seen.add(called)
        definition = unit.definitions.get(called)
        node = None if definition is None else definition.node
        yield node
        pending += [] if node is None else [*_called(node)]


def _targets(function: c_ast.FuncDef, atomic: frozenset[str]) -> set[str] | None:
    """The variables that are not its own to which it stores, atomically; None where it stores in other ways."""
    unary = [n for n in nodes(function.body, c_ast.UnaryOp) if isinstance(n, c_ast.UnaryOp)]
    assigned = (n.lvalue for n in nodes(function.body, c_ast.Assignment) if isinstance(n, c_ast.Assignment))
    targets = [*assigned, *(n.expr for n in unary if n.op in ("++", "--", "p++", "p--"))]
    own = {d.name for d in nodes(function, c_ast.Decl) if isinstance(d, c_ast.Decl)}
    statics = any("static" in (d.storage or ()) for d in nodes(function.body, c_ast.Decl) if isinstance(d, c_ast.Decl))
    if statics or any(n.op == "&" for n in unary) or not all(isinstance(t, c_ast.ID) for t in targets):
        return None
    found = {t.name for t in targets if isinstance(t, c_ast.ID)} - own
    kept = [*_kept_targets(function, atomic)]
    plain = [t for t in targets if isinstance(t, c_ast.ID) and t.name in found and not t.name.startswith(MARK)]
    return found if all(any(t is k for k in kept) for t in plain) else None


def _kept_targets(function: c_ast.FuncDef, atomic: frozenset[str]) -> Iterator[c_ast.Node]:
    """What is stored to under an atomic mark: `if (!mark) ; else n += 1;`."""
    for n in nodes(function.body, c_ast.If):
        if isinstance(n, c_ast.If) and n.iffalse is not None and {x.name for x in nodes(n.cond, c_ast.ID)} & atomic:
            yield from (a.lvalue for a in nodes(n.iffalse, c_ast.Assignment) if isinstance(a, c_ast.Assignment))
            yield from (u.expr for u in nodes(n.iffalse, c_ast.UnaryOp) if isinstance(u, c_ast.UnaryOp))


def _is_harmless(name: str) -> bool:
    found = effect(name)
    return is_known(name) or (found is not None and found.is_output) or name.startswith("omp_get_")


def _is_of_the_library(name: str) -> bool:
    """Whether it is known that it starts nothing and calls nothing of the program."""
    found = effect(name)
    return is_known(name) or name in ALLOCATORS or (found is not None and found.keeps_values)


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
