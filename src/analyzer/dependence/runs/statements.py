"""C statements, one after the other.

*Decides*: how control goes, and where a run goes back to that has left its way.
*Errs toward* `StuckError`: jumps into blocks, loops with more iterations than are run.
"""

from msgspec import Struct
from pycparser import c_ast

from ...loops import syntax
from ...source.nodes import nodes, of_tree
from ..witness.arithmetic import Number, StuckError
from .declarations import Declarations, declared
from .scalars import Node
from .ways import leaves_function, stops
from .world import Value

MOST_INNER = 24
"""Iterations of a loop."""

class Left(Struct, frozen=True):
    """How statements were left before their end: a `break`, a `return` ..., or a test that failed (`end`)."""

    kind: str
    node: Node
    value: Value | None = None


BACK = Left("back", c_ast.EmptyStatement())


class Statements(Declarations):
    """Statements of the functions of a unit."""

    def wanted(self, node: c_ast.If) -> bool:
        """Which way to go."""
        then, otherwise = stops(node.iftrue), stops(node.iffalse)
        if then != otherwise:
            return otherwise
        then, otherwise = leaves_function(node.iftrue), leaves_function(node.iffalse)
        return self.world.toss() if then == otherwise else self.world.toss(0.2 if then else 0.8)

    def goes_on(self, loop: Node, k: int) -> bool:
        """Whether a loop is to have iteration k."""
        return self.world.toss(0.7 if k == 0 else 0.3) and k < 3

    def branches(self, node: c_ast.If, condition: Value) -> None:
        """A branch begins that a condition decided about."""

    def joins(self) -> None:
        """It has ended."""

    # --- statements

    def run(self, node: Node | None) -> Left | None:
        self.steps -= 1
        if self.steps < self.floor:
            raise StuckError("too many steps")
        match node:
            case None | c_ast.EmptyStatement() | c_ast.Pragma() | c_ast.Typedef() | c_ast.StaticAssert():
                return None
            case c_ast.Compound():
                return self.block(node.block_items or [])
            case c_ast.Decl():
                self.declare(node)
            case c_ast.DeclList(decls=decls):
                for each in decls:
                    self.declare(each)
            case c_ast.If():
                return self.branch(node)
            case c_ast.For() | c_ast.While() | c_ast.DoWhile():
                return self.loop(node)
            case c_ast.Switch():
                return self.switch(node)
            case c_ast.Return(expr=expr):
                return Left("return", node, None if expr is None else self.value(expr))
            case c_ast.Break():
                return Left("break", node)
            case c_ast.Continue():
                return Left("continue", node)
            case c_ast.Goto():
                return Left("goto", node)
            case c_ast.Label(stmt=stmt) | c_ast.Case(stmts=[stmt]):
                return self.run(stmt)
            case c_ast.Case(stmts=stmts) | c_ast.Default(stmts=stmts):
                return self.sequence_of(stmts or [])
            case _:
                self.value(node)
        return None

    def block(self, items: list[Node]) -> Left | None:
        frame = self.frames[-1]
        names = {n for item in items for n in declared(item)}
        if not names:
            return self.sequence_of(items)
        outer = {name: frame.get(name) for name in names}
        try:
            return self.sequence_of(items)
        finally:
            for name, before in outer.items():
                if before is None:
                    frame.pop(name, None)
                else:
                    frame[name] = before

    def sequence_of(self, items: list[Node], start: int = 0) -> Left | None:
        k, jumps = start, 0
        marks: list[int] = []
        while k < len(items):
            del marks[k - start :]
            marks.append(self.world.mark)
            try:
                left = self.run(items[k])
            except StuckError:
                if not self.may_go_back():
                    raise
                left = BACK
            if left is None and self.has_missed(items[k]) and self.may_go_back():
                left = BACK
            if left is not None:
                at = self.label(items, left)
                if at is not None and jumps <= 3:
                    k, jumps = at, jumps + 1
                    marks += [self.world.mark] * (k - start - len(marks))
                    continue
                if left is not BACK and (not self.is_unwanted(left, items) or not self.may_go_back()):
                    return left
                k = self.back_from(items, start, k)
                self.world.take_back(marks[k - start])
                continue
            k += 1
        return None

    def back_from(self, items: list[Node], start: int, k: int) -> int:
        """The statement to go back to: the last one that sets what the condition of this one names, or one of those
        before it."""
        draw = self.world.draw
        names = _tested(items[k])
        setting = [j for j in range(start, k) if not names.isdisjoint(_sets(items[j]))] if names else []
        if setting and draw.random() < 0.7:
            return setting[-1] if draw.random() < 0.6 else draw.choice(setting)
        return max(start, k - draw.choice((0, 1, 1, 2, 3, 6)))

    def is_unwanted(self, left: Left, items: list[Node]) -> bool:
        """Whether statements should not be left so."""
        return False

    def has_missed(self, item: Node) -> bool:
        """Whether a statement that was to be stopped in has come to its end."""
        return False

    def may_go_back(self) -> bool:
        """Whether statements that were run are taken back, to be run again in another way."""
        return False

    def label(self, items: list[Node], left: Left) -> int | None:
        if left.kind != "goto" or not isinstance(left.node, c_ast.Goto):
            return None
        name = left.node.name
        return next((k for k, s in enumerate(items) if isinstance(s, c_ast.Label) and s.name == name), None)

    def branch(self, node: c_ast.If) -> Left | None:
        condition = self.decide(node.cond, self.wanted(node))
        chosen = node.iftrue if self.truth(condition) else node.iffalse
        self.branches(node, condition)
        try:
            return self.run(chosen)
        finally:
            self.joins()

    def loop(self, loop: Node) -> Left | None:
        if isinstance(loop, c_ast.DoWhile) and syntax.is_once(loop):
            left = self.run(loop.stmt)
            return left if left is not None and left.kind not in ("break", "continue") else None
        frame = self.frames[-1]
        names = tuple(declared(loop.init)) if isinstance(loop, c_ast.For) else ()
        outer = {name: frame.get(name) for name in names}
        try:
            if isinstance(loop, c_ast.For):
                self.run(loop.init)
            for k in range(MOST_INNER):
                left = self.iteration(loop, k, self.goes_on(loop, k))
                if left is not None:
                    return left if left.kind in ("return", "goto") else None
            raise StuckError("too many iterations")
        finally:
            frame.update({name: before for name, before in outer.items() if before is not None})

    def iteration(self, loop: Node, k: int, wished: bool) -> Left | None:
        """One iteration, with its test; what ends the loop."""
        if not isinstance(loop, c_ast.DoWhile) and loop.cond is not None:
            test = self.test(loop, wished)
            if not self.truth(test):
                return Left("end", loop, test)
        left = self.run(loop.stmt)
        if left is not None and left.kind != "continue":
            return left
        if isinstance(loop, c_ast.For) and loop.next is not None:
            self.value(loop.next)
        if isinstance(loop, c_ast.DoWhile):
            test = self.test(loop, wished)
            if not self.truth(test):
                return Left("end", loop, test)
        return None

    def test(self, loop: Node, wished: bool) -> Value:
        return self.decide(loop.cond, wished)

    def case(self, node: c_ast.Switch) -> Number | None:
        """The case to go to."""
        cases = _cases(node)
        known = [self.unit.constant(each.expr) for each in cases if isinstance(each, c_ast.Case)]
        return self.world.draw.choice(known) if known else None

    def switch(self, node: c_ast.Switch) -> Left | None:
        wished = self.case(node)

        def evaluate() -> Value:
            found = self.value(node.cond)
            self.world.number(found)
            self.compared = () if wished is None else (wished,) * 3
            return found

        found = self.tried(evaluate, lambda v: wished is None or self.world.number(v) == wished)
        if not isinstance(node.stmt, c_ast.Compound):
            raise StuckError("switch")
        items, at, number = node.stmt.block_items or [], None, self.world.number(found)
        for k, item in enumerate(items):
            if isinstance(item, c_ast.Case) and self.unit.constant(item.expr) == number:
                at = k
                break
            if isinstance(item, c_ast.Default):
                at = k
        left = None if at is None else self.sequence_of(items, at)
        return None if left is not None and left.kind == "break" else left


@of_tree
def _tested(node: Node) -> frozenset[str]:
    """The variables in the condition of a statement."""
    condition = getattr(node, "cond", None)
    return frozenset() if condition is None else frozenset(n.name for n in nodes(condition, c_ast.ID))


@of_tree
def _sets(node: Node) -> frozenset[str]:
    """The variables that a statement may set, or whose members it does."""
    places = [n.lvalue for n in nodes(node, c_ast.Assignment)]
    places += [n.expr for n in nodes(node, c_ast.UnaryOp) if n.op in ("&", "++", "--", "p++", "p--")]
    names = (n.name for place in places for n in nodes(place, c_ast.ID))
    return frozenset(names) | frozenset(n.name for n in nodes(node, c_ast.Decl) if n.name and n.init is not None)


@of_tree
def _cases(node: c_ast.Switch) -> list[Node]:
    items = node.stmt.block_items if isinstance(node.stmt, c_ast.Compound) else None
    return [s for s in items or [] if isinstance(s, c_ast.Case | c_ast.Default)]
