"""Flags that keep a loop from doing more once something has failed.

*Decides*: which variables make the iterations do nothing when they have some value; whether a branch sets one of them
so, where something was not to be had, and does little else: such a branch is an error path; and whether an assignment
keeps in one of them what a call says of its success.
*Errs toward* no: a flag that says that something was found (`if (a[i] == x) found = 1;`, `found = fits(a[i]);`) is
none.

    if (status == FAILED) continue;  ...  if (q == NULL) { status = FAILED; continue; }      ->  the second branch
    if (status == FAILED) continue;  ...  status = store(view);                              ->  the assignment
    if (!failed) { int code = store(view);  if (code != 0) failed = code; }                  ->  the second branch
"""

from collections.abc import Iterator

from msgspec import Struct
from pycparser import c_ast

from ..source.ctypes import CType, Function, Pointer
from ..source.nodes import nodes, of_tree
from ..source.unit import Unit
from .c_text import c_text
from .syntax import LOOPS, items, without_casts


class Flag(Struct, frozen=True):
    """Iterations do nothing when the variable `name` is `value`; or is anything but that."""

    name: str
    value: int
    differs: bool

    def stops_at(self, value: int) -> bool:
        return (value == self.value) != self.differs

    @property
    def negated(self) -> "Flag":
        return Flag(self.name, self.value, not self.differs)


class Flags(Struct, frozen=True):
    """Those that loops of some code test. `left_early`: tests that hold behind a loop which a failure has ended.
    `outcomes`: variables that only keep what calls say of their success."""

    flags: tuple[Flag, ...] = ()
    left_early: frozenset[str] = frozenset()
    outcomes: frozenset[str] = frozenset()


NO_FLAGS = Flags()


def flags(unit: Unit, root: c_ast.Node) -> Flags:
    """Those that loops in this code test: `if (status == FAILED) continue;`, `if (!ok) break;`."""
    found = dict.fromkeys(flag for test in _skipping(root) for flag in _flags(unit, test))
    found |= dict.fromkeys(flag.negated for test in _around_all(root) for flag in _flags(unit, test))
    if not found:
        return NO_FLAGS
    early = (_left_early(unit, loop) for loop in nodes(root, c_ast.For))
    return Flags(tuple(found), frozenset(t for t in early if t is not None), _outcomes(unit, root))


def _outcomes(unit: Unit, root: c_ast.Node) -> frozenset[str]:
    """Variables that are only set to what calls say that are made to do something: `code = store(view);`."""
    said: set[str] = set()
    otherwise: set[str] = set()
    for node in nodes(root, c_ast.Assignment, c_ast.Decl):
        match node:
            case c_ast.Assignment(lvalue=c_ast.ID(name=name), rvalue=value) | c_ast.Decl(name=name, init=value):
                tells = isinstance(value, c_ast.FuncCall) and _is_made_to_change(unit, value)
                (said if tells else otherwise if value is not None else set()).add(str(name))
            case _:
                pass
    return frozenset(said - otherwise)


def _left_early(unit: Unit, loop: c_ast.For) -> str | None:
    """The test of a loop that is only left in its middle where something was not to be had: `for (j = 0; j < n; j++) {
    p = row(j); if (p == NULL) break; ... }` ends with `j < n` then."""
    branches = [s for s in items(loop.stmt) if isinstance(s, c_ast.If) and s.iffalse is None]
    ends = [s for s in branches if all(isinstance(i, c_ast.Break) for i in items(s.iftrue))]
    breaks = nodes(loop.stmt, c_ast.Break)
    tested = isinstance(loop.cond, c_ast.BinaryOp) and loop.cond.op in ("<", "!=")
    if not tested or not ends or not all(_asks_for_failure(unit, s.cond) for s in ends):
        return None
    inner = sum(len(nodes(n, c_ast.Break)) for n in nodes(loop.stmt, *LOOPS, c_ast.Switch))
    return c_text(loop.cond) if len(breaks) - inner <= len(ends) else None


@of_tree
def _skipping(root: c_ast.Node) -> list[c_ast.Node]:
    """The tests of branches of loops that only end the iteration, or the loop."""
    statements = (s for loop in nodes(root, *LOOPS) for s in items(loop.stmt))
    branches = (s for s in statements if isinstance(s, c_ast.If) and s.iffalse is None)
    return [s.cond for s in branches if all(isinstance(i, c_ast.Continue | c_ast.Break) for i in items(s.iftrue))]


@of_tree
def _around_all(root: c_ast.Node) -> list[c_ast.Node]:
    """The tests of branches that hold all that a loop does."""
    bodies = (items(loop.stmt) for loop in nodes(root, *LOOPS))
    whole = (body[0] for body in bodies if len(body) == 1)
    return [s.cond for s in whole if isinstance(s, c_ast.If) and s.iffalse is None]


def _flags(unit: Unit, test: c_ast.Node) -> Iterator[Flag]:
    match test:
        case c_ast.ID(name=name):
            yield Flag(name, 0, True)
        case c_ast.UnaryOp(op="!", expr=c_ast.ID(name=name)):
            yield Flag(name, 0, False)
        case c_ast.BinaryOp(op="==" | "!=" as op, left=c_ast.ID(name=name), right=right):
            value = unit.constant(right)
            if value is not None:
                yield Flag(name, value, op == "!=")
        case c_ast.BinaryOp(op="&&", left=left, right=right):  # what the other part says stays as it is
            yield from (*_flags(unit, left), *_flags(unit, right))
        case _:
            pass


def only_sets_a_flag(unit: Unit, test: c_ast.Node, branch: c_ast.Node, known: Flags) -> bool:
    """Whether a branch, taken where something failed, sets one of the flags so that nothing more is done, and does
    little else: it calls nothing, and has no loop."""
    if not known.flags:
        return False
    if _keeps_what_failed(unit, test, branch, known):
        return True
    if not _asks_for_failure(unit, test, known.left_early):
        return False
    made = _set(unit, branch)
    stops = (any(flag.name == name and flag.stops_at(value) for flag in known.flags) for name, value in made)
    return any(stops) and not nodes(branch, c_ast.FuncCall, *LOOPS)


def _keeps_what_failed(unit: Unit, test: c_ast.Node, branch: c_ast.Node, known: Flags) -> bool:
    """Whether a flag, of which 0 means that all is well, gets what a call has said that is not 0: `if (code != 0)
    failed = code;`."""
    match [s for s in items(branch) if not isinstance(s, c_ast.Pragma)]:
        case [c_ast.Assignment(op="=", lvalue=c_ast.ID(name=flag), rvalue=c_ast.ID(name=code))]:
            stops = Flag(flag, 0, True) in known.flags
            return stops and code in known.outcomes and _is_not_zero(unit, test, code)
        case _:
            return False


def _is_not_zero(unit: Unit, test: c_ast.Node, name: str) -> bool:
    match test:
        case c_ast.ID(name=tested):
            return bool(tested == name)
        case c_ast.BinaryOp(op="!=" | "<" | ">", left=c_ast.ID(name=tested), right=right):
            return tested == name and is_zero(unit, right)
        case _:
            return False


def keeps_outcome(unit: Unit, node: c_ast.Assignment, known: Flags) -> bool:
    """Whether it sets a flag to what a call says that is made to do something: it gets what it may change."""
    match node:
        case c_ast.Assignment(
            op="=" | "&=", lvalue=c_ast.ID(name=name), rvalue=c_ast.FuncCall() as call
        ):
            return any(flag.name == name for flag in known.flags) and _is_made_to_change(unit, call)
        case _:
            return False


def _is_made_to_change(unit: Unit, call: c_ast.FuncCall) -> bool:
    return isinstance(call.name, c_ast.ID) and _may_change_things(unit.prototypes.get(call.name.name))


def _may_change_things(type_: CType | None) -> bool:
    parameters = type_.parameters if isinstance(type_, Function) else ()
    return any(isinstance(p, Pointer) and not getattr(p.target, "const", False) for p in parameters)


def _set(unit: Unit, branch: c_ast.Node) -> Iterator[tuple[str, int]]:
    for statement in items(branch):
        match statement:
            case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=value):
                number = unit.constant(value)
                if number is not None:
                    yield name, number
            case _:
                pass


def _asks_for_failure(unit: Unit, test: c_ast.Node, left_early: frozenset[str] = frozenset()) -> bool:
    """Whether it asks what a call gave, whether a variable or member is null, 0 or less, or whether a loop was left
    early."""
    if left_early and c_text(test) in left_early:
        return True
    match test:
        case c_ast.UnaryOp(op="!", expr=c_ast.ID() | c_ast.StructRef() | c_ast.FuncCall()) | c_ast.FuncCall():
            return True
        case c_ast.BinaryOp(op="==" | "!=" | "<", left=c_ast.FuncCall()):
            return True
        case c_ast.BinaryOp(op="==" | "<", left=c_ast.ID() | c_ast.StructRef(), right=right):
            return is_zero(unit, right)
        case c_ast.BinaryOp(op="||", left=left, right=right):
            return all(_asks_for_failure(unit, part, left_early) for part in (left, right))
        case _:
            return False


def is_zero(unit: Unit, node: c_ast.Node) -> bool:
    """`0`, `NULL`, `(T *) 0`, an enumerator of that value."""
    return unit.constant(without_casts(node)) == 0
