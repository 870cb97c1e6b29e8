"""Returns of a function from the middle of its statements, written without a jump out of them.

*Decides*: for a function that calls are followed into, an equal body in which every `return` stands where the rest can
become the other branch of an `if` (`jumps.returns_are_structured`); None where it has none.
*Method*: a `return` in a loop keeps its value, notes that the function has returned, and ends the loop; what follows
asks for that. The two variables have names that no program has.
*Does not handle*: jumps that `gotos` leaves, a `return` in a case that falls through into the next one.

    for (...) { if (key[i] == x) return i; }  return -1;
    ->  for (...) { if (key[i] == x) { r = i; left = 1; break; } }  if (left) return r;  return -1;
"""

from collections.abc import Sequence
from copy import copy, deepcopy
from typing import Literal, TypeAlias

from pycparser import c_ast
from pycparser.c_parser import Coord

from ..source.nodes import nodes, of_tree
from . import gotos, jumps, syntax

Node: TypeAlias = c_ast.Node
Around: TypeAlias = Literal["loop", "switch", "nothing"]
"""What a `break` leaves."""


class _UnstructuredError(Exception):
    """A `return` that is not written otherwise."""


@of_tree
def body_of(function: c_ast.FuncDef) -> c_ast.Compound | None:
    """The body of a function as it is followed (see the module). Trees are not changed: what differs is copied."""
    body = gotos.structured(function.body)
    assert isinstance(body, c_ast.Compound)
    if jumps.returns_are_structured(body):
        return body
    if nodes(body, c_ast.Goto, c_ast.Label):
        return None
    try:
        written = _Returns(function).written(body)
    except _UnstructuredError:
        return None
    return written if jumps.returns_are_structured(written) else None


def is_rewritten(function: c_ast.FuncDef) -> bool:
    """Whether it has a `return` that is written otherwise."""
    body = body_of(function)
    return body is not None and bool(nodes(body, c_ast.Return)) and not jumps.returns_are_structured(function.body)


class _Returns:
    """The two variables of a function, and its statements written with them."""

    def __init__(self, function: c_ast.FuncDef) -> None:
        self.result_type: Node = function.decl.type.type
        self.at: Coord = function.body.coord
        self.has_value = any(n.expr is not None for n in nodes(function.body, c_ast.Return))
        self.value, self.left = (f"({what} of {function.decl.name})" for what in ("result", "end"))

    def written(self, body: c_ast.Compound) -> c_ast.Compound:
        declared = [gotos.flag(self.left, self.at)]
        if self.has_value:
            type_ = _renamed(self.result_type, self.value)
            declared.append(c_ast.Decl(self.value, [], [], [], [], type_, None, None, self.at))
        return c_ast.Compound([*declared, *self._outermost(syntax.items(body))], body.coord)

    def _outermost(self, block: Sequence[Node]) -> list[Node]:
        """Statements behind which the function ends: a `return` between them stays one."""
        done: list[Node] = []
        for node in block:
            if not jumps.has_jump(node, "return") or _stays(node):
                done.append(node)
            else:
                done += [*self._statement(node, "nothing"), self._ask(self._returned(node), node)]
        return done

    def _returned(self, node: Node) -> Node:
        return c_ast.Return(c_ast.ID(self.value, node.coord) if self.has_value else None, node.coord)

    def _ask(self, then: Node, node: Node, otherwise: Node | None = None) -> Node:
        return c_ast.If(c_ast.ID(self.left, node.coord), then, otherwise, node.coord)

    def _list(self, block: Sequence[Node], around: Around) -> list[Node]:
        """Statements that others may follow."""
        done: list[Node] = []
        for i, node in enumerate(block):
            if not jumps.has_jump(node, "return"):
                done.append(node)
                continue
            done += self._statement(node, around)
            rest = block[i + 1 :]
            if around == "loop":
                done += [] if _ends_itself(node) else [self._ask(c_ast.Break(node.coord), node)]
                continue
            last = [n for n in rest[-1:] if isinstance(n, c_ast.Break)]
            if len(rest) > len(last):
                skipped = c_ast.Compound(self._list(rest[: len(rest) - len(last)], around), node.coord)
                done.append(self._ask(c_ast.EmptyStatement(node.coord), node, skipped))
            return [*done, *last]
        return done

    def _statement(self, node: Node, around: Around) -> list[Node]:
        """A statement that holds a `return`."""
        match node:
            case c_ast.Return():
                return [*self._kept(node), *([] if around == "nothing" else [c_ast.Break(node.coord)])]
            case c_ast.Compound():
                return [self._block(node, around)]
            case c_ast.If(iftrue=then, iffalse=otherwise):
                arms = [None if n is None else self._block(n, around) for n in (then, otherwise)]
                return [_with(node, iftrue=arms[0], iffalse=arms[1])]
            case c_ast.For(stmt=stmt) | c_ast.While(stmt=stmt) | c_ast.DoWhile(stmt=stmt):
                return [_with(node, stmt=self._block(stmt, "loop"))]
            case c_ast.Switch():
                return [self._switch(node)]
            case _:
                raise _UnstructuredError

    def _block(self, node: Node, around: Around) -> c_ast.Compound:
        return c_ast.Compound(self._list(syntax.items(node), around), node.coord)

    def _switch(self, node: c_ast.Switch) -> Node:
        """Each case by itself, with a `break` at its end."""
        found: list[Node] = []
        for case in syntax.items(node.stmt):
            if not isinstance(case, c_ast.Case | c_ast.Default):
                raise _UnstructuredError
            run = case.stmts or []
            if any(jumps.has_jump(n, "return") for n in run):
                ends = any(jumps.ends_with_jump(run[-1], jump) for jump in ("break", "return", "continue"))
                if not ends and case is not syntax.items(node.stmt)[-1]:
                    raise _UnstructuredError
                run = self._case(run)
            found.append(_with(case, stmts=run))
        return _with(node, stmt=c_ast.Compound(found, node.stmt.coord))

    def _case(self, run: Sequence[Node]) -> list[Node]:
        """The statements of a case; a `return` in them skips the others, and `break` stands at the end only."""
        plain = [*run[:-1], *([] if isinstance(run[-1], c_ast.Break) else run[-1:])]
        return [*self._list(plain, "nothing"), c_ast.Break(run[-1].coord)]

    def _kept(self, node: c_ast.Return) -> list[Node]:
        value = c_ast.Assignment("=", c_ast.ID(self.value, node.coord), node.expr, node.coord)
        left = gotos.set_to(self.left, 1, node.coord)
        return [value, left] if node.expr is not None else [left]


def _stays(node: Node) -> bool:
    """Whether the returns in a statement of the function's outermost block are those that may stay."""
    return jumps.returns_are_structured(c_ast.Compound([node, c_ast.EmptyStatement()]))


def _ends_itself(node: Node) -> bool:
    """Whether a `return` in a statement of a loop ended that loop where it stood."""
    match node:
        case c_ast.Return():
            return True
        case c_ast.Compound() | c_ast.If():
            return all(_ends_itself(n) for n in node if jumps.has_jump(n, "return"))
        case _:
            return False


def _with(node: Node, **parts: Node | list[Node] | None) -> Node:
    changed = copy(node)
    for name, part in parts.items():
        setattr(changed, name, part)
    return changed


def _renamed(type_: Node, name: str) -> Node:
    """The type of a declaration for a variable of another name."""
    changed = inner = deepcopy(type_)
    while not isinstance(inner, c_ast.TypeDecl):
        inner = inner.type
    inner.declname = name
    return changed
