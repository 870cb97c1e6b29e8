"""Jumps out of loops.

*Decides*: which jumps of a loop end it (`out_of`), and which of a function seem to say that something failed, with all
the loops around them at an end (`failures`).
*Errs toward* none: a `break`, and a `return` of what the loop found, may be what the loop is there for, but where the
test asks for nothing of the loop: someone else wants it to stop; so is every jump of a loop behind which the program
ends: to get there is the failure.

    if (a[i] < 0) return -1;    if ((status = f(i)) != 0) return status;    if (k[i] >= n) goto out;      ->  failures
    if (interrupted) break;     if (job->cancelled) break;                                                ->  failures
    if (a[i] == x) break;       if (a[i] == x) return i;                                                  ->  none
    for (i = 0; i < n; i++) if (++digit[i] != 0) return;    abort();                                      ->  none
"""

from collections.abc import Iterator

from pycparser import c_ast

from ..ir import c_library as library
from ..source.nodes import identifiers, nodes, of_tree
from .syntax import LOOPS, assigned_names, declared_names, items


@of_tree
def failures(root: c_ast.Node) -> frozenset[int]:
    """`id` of the jumps that end all the loops of a function around them, for no reason but a failure: each `return` of
    what the loop did not compute, each `goto` to where that is not used."""
    loops = (loop for loop in _outermost(root) if not any(map(_ends_program, _behind(loop, root))))
    return frozenset(id(jump) for loop in loops for jump in out_of(loop) if _fails(jump, loop, root))


def out_of(loop: c_ast.Node) -> Iterator[c_ast.Node]:
    """The jumps in a loop statement that end it."""
    inside = {label.name for label in nodes(loop, c_ast.Label)}
    yield from nodes(loop, c_ast.Return)
    yield from (jump for jump in nodes(loop, c_ast.Goto) if jump.name not in inside)
    yield from _breaks(loop.stmt)


def _outermost(node: c_ast.Node) -> Iterator[c_ast.Node]:
    if isinstance(node, LOOPS):
        yield node
        return
    for child in node:
        yield from _outermost(child)


def _behind(loop: c_ast.Node, root: c_ast.Node) -> list[c_ast.Node]:
    """The statement behind a loop, if its block has one."""
    for block in nodes(root, c_ast.Compound):
        statements = items(block)
        at = next((k for k, statement in enumerate(statements) if statement is loop), None)
        if at is not None:
            return statements[at + 1 : at + 2]
    return []


def _ends_program(statement: c_ast.Node) -> bool:
    """Whether a statement calls, on every way through it, what never returns."""
    match statement:
        case c_ast.FuncCall(name=c_ast.ID(name=name)):
            return library.never_returns(name)
        case c_ast.Compound():
            return any(map(_ends_program, items(statement)))
        case c_ast.DoWhile(stmt=inner):
            return _ends_program(inner)
        case _:
            return False


def _breaks(node: c_ast.Node | None) -> Iterator[c_ast.Node]:
    """Those that end the loop around a statement."""
    if isinstance(node, c_ast.Break):
        yield node
    if node is not None and not isinstance(node, (*LOOPS, c_ast.Switch)):
        for child in node:
            yield from _breaks(child)


def _fails(jump: c_ast.Node, loop: c_ast.Node, root: c_ast.Node) -> bool:
    computed = (assigned_names(loop) | declared_names(loop)) - results(loop)
    match jump:
        case c_ast.Return(expr=value):
            return value is None or not identifiers(value) & computed
        case c_ast.Goto(name=label):
            return not any(identifiers(statement) & computed for statement in _from(label, root))
        case c_ast.Break():
            return stop(jump, loop) is not None
        case _:
            return False


def stop(jump: c_ast.Break, loop: c_ast.Node) -> c_ast.If | None:
    """The statement with which someone else may stop a loop: its test asks for nothing that the loop computes, as far
    as names and calls say, and all that it does ends with this jump."""
    computed = assigned_names(loop) | declared_names(loop)
    found = next((n for n in nodes(loop.stmt, c_ast.If) if jump in items(n.iftrue)[-1:]), None)
    if found is None or identifiers(found.cond) & computed:
        return None
    return None if any(nodes(found.cond, c_ast.FuncCall, c_ast.Assignment, c_ast.ArrayRef)) else found


def _from(label: str, root: c_ast.Node) -> Iterator[c_ast.Node]:
    """The statements from a label on, up to where its block ends."""
    for block in nodes(root, c_ast.Compound):
        statements = items(block)
        for k, statement in enumerate(statements):
            if isinstance(statement, c_ast.Label) and statement.name == label:
                yield from statements[k:]


@of_tree
def results(loop: c_ast.Node) -> frozenset[str]:
    """Variables that hold nothing but what calls say."""
    called, other = set[str](), set[str]()
    for node in nodes(loop, c_ast.Assignment, c_ast.Decl):
        match node:
            case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=c_ast.FuncCall()):
                called.add(name)
            case c_ast.Decl(name=name, init=c_ast.FuncCall()):
                called.add(name)
            case c_ast.Assignment(lvalue=c_ast.ID(name=name)) | c_ast.Decl(name=name, init=c_ast.Node()):
                other.add(name)
            case _:
                pass
    return frozenset(called - other)
