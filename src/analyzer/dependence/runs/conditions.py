"""Conditions that are to come out one way or the other.

*Decides*: what a condition comes to. One that looks at open values first is tried again with other ones, a few times,
if it does not come out as wished.
*Errs toward* nothing: it comes to what it comes to.

    if (p->key == key && p->flags & 12)        to be true    ->  key = 3, p->key = 3, p->flags = 4
"""

from collections.abc import Callable

from pycparser import c_ast

from ..witness.arithmetic import StuckError
from .expressions import Expressions
from .scalars import Node
from .world import Value

TRIES = 8
"""Values that are tried for one condition."""

NEAR = (0, 1, -1, 0, 7)
"""How far from what it is compared with a value is chosen. What has room for one more has room for some."""


class Conditions(Expressions):
    """Expressions, and what is wished of them."""

    def decide(self, condition: Node, wished: bool) -> Value:
        """What a condition comes to: as wished, if what it looks at first can make it so."""
        match condition:
            case c_ast.UnaryOp(op="!", expr=inner):
                found = self.decide(inner, not wished)
                return Value(self.int, int(not self.truth(found)), tags=found.tags)
            case c_ast.BinaryOp(op="&&" | "||" as operator, left=first, right=second):
                return self.either(first, second, operator == "||", wished)
            case c_ast.FuncCall(name=c_ast.ID(name="__builtin_expect"), args=c_ast.ExprList(exprs=[inner, _])):
                return self.decide(inner, wished)
            case _:
                return self.tried(lambda: self.value(condition), lambda v: self.truth(v) == wished)

    def either(self, first: Node, second: Node, stops: bool, wished: bool) -> Value:
        """`&&` and `||`: what decides at once is the first operand being `stops`."""
        wish = wished if wished != stops or self.world.toss() else not stops
        left = self.decide(first, wish)
        if self.truth(left) == stops:
            return Value(self.int, int(stops), tags=left.tags)
        right = self.decide(second, wished)
        return Value(self.int, int(self.truth(right)), tags=left.tags | right.tags)

    def tried(self, evaluate: Callable[[], Value], is_right: Callable[[Value], bool]) -> Value:
        world = self.world
        outer, world.hints, world.drawing = (world.hints, world.drawing), (), False
        mark = world.mark
        try:
            for k in range(TRIES):
                self.looks_anew()
                drawn = world.drawn
                try:
                    found = evaluate()
                    if is_right(found) or world.drawn == drawn or k == TRIES - 1:
                        return found
                except StuckError:
                    if world.drawn == drawn or k == TRIES - 1 or self.steps < self.floor:
                        raise
                near = tuple(v + by for v in self.compared if isinstance(v, int) for by in NEAR)
                world.take_back(mark)
                world.hints, world.drawing = near, True
            raise AssertionError
        finally:
            world.hints, world.drawing = outer

    def looks_anew(self) -> None:
        """Nothing has been compared yet."""
        self.compared = ()

    def choose(self, condition: Node) -> bool:
        return self.truth(self.decide(condition, self.world.toss()))
