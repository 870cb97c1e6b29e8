"""Flags that keep a loop from doing more once something has failed.

*Decides*: which variables make the iterations do nothing when they have some value; whether a branch sets one of them
so, where something was not to be had, and does little else: such a branch is an error path; and whether an assignment
keeps in one of them what a call says of its success.
*Errs toward* no: a flag that says that something was found (`if (a[i] == x) found = 1;`, `found = fits(a[i]);`) is
none.

    if (status == FAILED) continue;  ...  if (q == NULL) { status = FAILED; continue; }      ->  the second branch
    if (status == FAILED) continue;  ...  status = store(view);                              ->  the assignment
    if (!failed) { int code = store(view);  if (code != 0) failed = code; }                  ->  the second branch
    if (ok) { ... if (at < end) { list[at] = j; ++at; } else ok = 0; }                       ->  the other branch
    own = status; if (own == FAILED) continue;  ...  if (own == FAILED) status = FAILED;     ->  the second branch
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct
from pycparser import c_ast

from ..source.ctypes import CType, Function, Pointer
from ..source.nodes import nodes, of_tree
from ..source.unit import Unit
from .c_text import c_text
from .syntax import LOOPS, assigned_names, declared_names, items, without_casts


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
    `outcomes`: variables that only keep what calls say of their success. `copies`: of which flag some of these are
    copies, that an iteration sets where something fails, and in the end hands on to it. `moving`: names of what loops
    change."""

    flags: tuple[Flag, ...] = ()
    left_early: frozenset[str] = frozenset()
    outcomes: frozenset[str] = frozenset()
    copies: Mapping[str, str] = {}
    moving: frozenset[str] = frozenset()


NO_FLAGS = Flags()


def flags(unit: Unit, root: c_ast.Node) -> Flags:
    """Those that loops in this code test: `if (status == FAILED) continue;`, `if (!ok) break;`."""
    found = dict.fromkeys(flag for test in _skipping(root) for flag in _flags(unit, test))
    found |= dict.fromkeys(flag.negated for test in _around_all(root) for flag in _flags(unit, test))
    if not found:
        return Flags(moving=_moving(root))
    early = (_left_early(unit, loop) for loop in nodes(root, c_ast.For))
    left_early = frozenset(t for t in early if t is not None)
    copies = _copies(unit, root, tuple(found), left_early)
    return Flags(tuple(found), left_early, _outcomes(unit, root), copies, _moving(root))


@of_tree
def _moving(root: c_ast.Node) -> frozenset[str]:
    return frozenset[str]().union(*(assigned_names(loop) | declared_names(loop) for loop in nodes(root, *LOOPS)))


def _copies(
    unit: Unit, root: c_ast.Node, known: tuple[Flag, ...], left_early: frozenset[str]
) -> Mapping[str, str]:
    """The flags that begin each iteration as a copy of another one, and that it only sets besides where something was
    not to be had, or to what calls say that are made to do something; with the one that they are a copy of."""
    asking = [n for n in nodes(root, c_ast.If) if _asks_for_failure(unit, n.cond, left_early)]
    failing = frozenset(id(s) for branch in asking for s in items(branch.iftrue))
    bodies = (items(loop.stmt) for loop in nodes(root, *LOOPS))
    copied = dict(pair for body in bodies for s in body if (pair := _copied(s)) is not None)
    return {own: of for own, of in copied.items() if _tells_of_failures(unit, root, own, of, known, failing)}


def _copied(statement: c_ast.Node) -> tuple[str, str] | None:
    match statement:
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=own), rvalue=c_ast.ID(name=of)):
            return str(own), str(of)
        case c_ast.Decl(name=str(own), init=c_ast.ID(name=of)):
            return own, str(of)
        case _:
            return None


def _tells_of_failures(
    unit: Unit, root: c_ast.Node, own: str, of: str, known: tuple[Flag, ...], failing: frozenset[int]
) -> bool:
    """Whether a flag that is a copy is only set besides by statements that are done where something has failed."""
    stops = [flag for flag in known if flag.name == own]
    steps = (n.expr for n in nodes(root, c_ast.UnaryOp) if n.op in ("&", "++", "--", "p++", "p--"))
    changed = any(isinstance(each, c_ast.ID) and each.name == own for each in steps)
    begun = (n for n in nodes(root, c_ast.Decl) if n.name == own and n.init is not None)
    sets = (n for n in nodes(root, c_ast.Assignment) if isinstance(n.lvalue, c_ast.ID) and n.lvalue.name == own)
    others = [n for n in (*begun, *sets) if _copied(n) != (own, of)]
    return bool(stops) and not changed and all(_sets_after_failure(unit, n, stops, failing) for n in others)


def _sets_after_failure(unit: Unit, made: c_ast.Node, stops: list[Flag], failing: frozenset[int]) -> bool:
    match made:
        case c_ast.Assignment(op="=", rvalue=c_ast.FuncCall() as call):
            return _is_made_to_change(unit, call)
        case c_ast.Assignment(op="=", rvalue=value) if id(made) in failing:
            number = unit.constant(value)
            return number is not None and any(flag.stops_at(number) for flag in stops)
        case _:
            return False


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
    if _keeps_what_failed(unit, test, branch, known) or _hands_on(unit, test, branch, known):
        return True
    if not _asks_for_failure(unit, test, known.left_early):
        return False
    return _stops_all(unit, branch, known)


def _stops_all(unit: Unit, branch: c_ast.Node, known: Flags) -> bool:
    """Whether a branch sets one of the flags so that nothing more is done; it calls nothing, and has no loop."""
    made = _set(unit, branch)
    stops = (any(flag.name == name and flag.stops_at(value) for flag in known.flags) for name, value in made)
    return any(stops) and not nodes(branch, c_ast.FuncCall, *LOOPS)


def finds_no_room(unit: Unit, node: c_ast.If | c_ast.TernaryOp, known: Flags) -> bool:
    """Whether the other branch sets one of the flags where there is no room left for what the first one appends:
    `if (at < end) { list[at] = j; ++at; } else { ok = 0; break; }`."""
    match node:
        case c_ast.If(
            cond=c_ast.BinaryOp(op="<" | "<=" | "!=", left=c_ast.ID(name=at)), iftrue=one, iffalse=other
        ) if other is not None and known.flags:
            counted = any(_is_count(n, at) for n in nodes(one, c_ast.UnaryOp))
            appends = any(_is_place(n.subscript, at) for n in nodes(one, c_ast.ArrayRef))
            return counted and appends and _stops_all(unit, other, known)
        case _:
            return False


def _is_count(step: c_ast.UnaryOp, at: str) -> bool:
    return step.op in ("++", "p++") and isinstance(step.expr, c_ast.ID) and step.expr.name == at


def _is_place(subscript: c_ast.Node, at: str) -> bool:
    match subscript:
        case c_ast.ID(name=name) | c_ast.UnaryOp(op="p++", expr=c_ast.ID(name=name)):
            return bool(name == at)
        case _:
            return False


def _keeps_what_failed(unit: Unit, test: c_ast.Node, branch: c_ast.Node, known: Flags) -> bool:
    """Whether a flag, of which 0 means that all is well, gets what a call has said that is not 0: `if (code != 0)
    failed = code;`."""
    match [s for s in items(branch) if not isinstance(s, c_ast.Pragma)]:
        case [c_ast.Assignment(op="=", lvalue=c_ast.ID(name=flag), rvalue=c_ast.ID(name=code))]:
            stops = Flag(flag, 0, True) in known.flags
            return stops and code in known.outcomes and _is_not_zero(unit, test, code)
        case _:
            return False


def _hands_on(unit: Unit, test: c_ast.Node, branch: c_ast.Node, known: Flags) -> bool:
    """Whether a flag is set where its copy is, and nothing else is done: `if (own == FAILED) status = FAILED;`."""
    tested = [flag.name for flag in _flags(unit, test) if flag in known.flags and flag.name in known.copies]
    match items(branch):
        case [c_ast.Assignment(op="=", lvalue=c_ast.ID(name=flag), rvalue=value)] if len(tested) == 1:
            (own,) = tested
            is_own = isinstance(value, c_ast.ID) and value.name == own
            return known.copies[own] == flag and (is_own or unit.constant(value) is not None)
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
