"""A run of a function until a loop of it has had some iterations.

*Decides*: what the first iterations of a loop show, from some state in which the function gets to it: a value that one
stores and a later one reads (`Flow`), something that two write out (`Output`), an exit or a test that data decide about
(`Exit`).
*Method*: conditions are wished such that the function gets to the loop; where it does not, the run goes back some
statements. Before one of the iterations the run is kept: that iteration ends the loop, by what it reads anew, and, with
all else as it was, does not.
*Errs toward* nothing found.
"""

from itertools import pairwise
from random import Random

from msgspec import Struct
from pycparser import c_ast

from ...loops import syntax
from ...source.ctypes import Pointer
from ...source.nodes import nodes
from ...source.unit import Definition, Unit
from ..witness.arithmetic import Number, StuckError
from .scalars import Node
from .statements import Left, Statements
from .watched import Flow, Output, Watched
from .ways import LEAVES, Ways
from .world import Cell, Value

MOST_BACK = 40
"""Times that a run goes back some statements, where it left the way."""

ITERATIONS = 4

TRIES = 3
"""Of one iteration."""


class Exit(Struct, frozen=True):
    """An exit, or a test, that data decide about."""

    left: Left
    condition: Node


class Target(Struct, frozen=True):
    """A loop, the function that it is in, and its counters: variables of which the values are known without running."""

    definition: Definition
    loop: Node
    counters: frozenset[str]


class ShownError(Exception):
    """The loop has been run; nothing that comes after it matters."""


class LoopRun(Watched):
    """One run; `found`: what it shows."""

    def __init__(self, unit: Unit, draw: Random, steps: int, target: Target, ways: Ways) -> None:
        super().__init__(unit, draw, steps)
        self.target, self.ways = target, ways
        self.found: Flow | Output | Exit | None = None
        self.reached = self.leaving = False
        self.backs = MOST_BACK
        self.decided: dict[int, tuple[Left, Node, Value]] = {}
        """By how statements were left: the condition that did."""

    def begin(self) -> None:
        """Runs the function. Raises `ShownError` when the loop was run, `StuckError` when it is not reached."""
        definition = self.target.definition
        assert definition.node is not None
        for parameter in syntax.parameter_declarations(definition.node):
            self.bind(self.frames[-1], parameter, None)
        self.functions.append(definition.name)
        self.run(definition.node.body)
        raise StuckError("not reached")

    # --- the way to the loop, and through it

    @property
    def is_outside(self) -> bool:
        """Whether the function itself runs, and no other one."""
        return len(self.functions) == 1

    def wanted(self, node: c_ast.If) -> bool:
        if self.is_outside:
            then, otherwise = (self.ways.way(branch, self.now >= 0) for branch in (node.iftrue, node.iffalse))
            if then != otherwise:
                return (then > otherwise) != (self.leaving and LEAVES in (then, otherwise))
        return Statements.wanted(self, node)

    def may_go_back(self) -> bool:
        if not self.is_outside or self.leaving or self.backs <= 0 or self.steps < self.floor:
            return False
        self.backs -= 1
        return True

    def has_missed(self, item: Node) -> bool:
        return self.now < 0 and self.ways.holds(item)

    def is_unwanted(self, left: Left, items: list[Node]) -> bool:
        if self.now >= 0:
            return left.kind in ("return", "goto") or (left.kind == "break" and id(items[0]) in self.ways.direct)
        return left.kind != "continue" and any(map(self.ways.holds, items))

    def case(self, node: c_ast.Switch) -> Number | None:
        if self.is_outside and self.ways.holds(node):
            items = (node.stmt.block_items if isinstance(node.stmt, c_ast.Compound) else None) or []
            at = next((k for k, item in enumerate(items) if self.ways.holds(item)), 0)
            labels = [i for i in items[: at + 1] if isinstance(i, c_ast.Case | c_ast.Default)]
            return self.unit.constant(labels[-1].expr) if labels and isinstance(labels[-1], c_ast.Case) else None
        return Statements.case(self, node)

    def goes_on(self, loop: Node, k: int) -> bool:
        return (self.is_outside and self.ways.holds(loop)) or Statements.goes_on(self, loop, k)

    def loop(self, loop: Node) -> Left | None:
        if loop is self.target.loop and self.is_outside:
            self.reached = True
            self.watch()
            raise ShownError
        return Statements.loop(self, loop)

    def watch(self) -> None:
        """The first iterations of the loop."""
        if isinstance(self.target.loop, c_ast.For):
            self.run(self.target.loop.init)
        ending = self.world.draw.choice((1, 1, 2))
        for k in range(ITERATIONS):
            self.now = k
            if k == ending:
                self.found = self.exit(k)
            if self.found is not None or not self.stays(k):
                return
            self.ends()
            self.found = self.carried(k) if k >= 1 else None

    def stays(self, k: int) -> bool:
        """Whether iteration k is run to its end, in one of a few tries."""
        mark = self.world.mark
        for left in reversed(range(TRIES)):
            try:
                if self.iterated(k, False) is None:
                    return True
            except StuckError:
                if not left or self.steps < 0:
                    raise
            self.world.take_back(mark)
        return False

    def iterated(self, k: int, leaving: bool) -> Left | None:
        self.leaving = leaving
        wished = not leaving or (self.ways.may_leave and self.world.toss(0.7))
        return Statements.iteration(self, self.target.loop, k, wished)

    def test(self, loop: Node, wished: bool) -> Value:
        """The test of a loop. What a call returns is a bound like any other where a counter is compared with it."""
        named = {n.name for n in nodes(loop.cond, c_ast.ID)} if loop is self.target.loop else set()
        self.is_bound = not named.isdisjoint(self.target.counters)
        try:
            return Statements.test(self, loop, wished)
        finally:
            self.is_bound = False

    # --- exits

    def exit(self, k: int) -> Exit | None:
        """How iteration k can end the loop, if what it reads anew says so, and it can go on, too."""
        mark = self.world.mark
        self.decided.clear()
        try:
            left = self.iterated(k, True)
        except StuckError:
            left = None
        condition = None if left is None else self.exit_condition(left)
        is_anew = condition is not None and self.is_anew(condition[1], k)
        self.fixed = self.steady(k) if is_anew else {}
        self.world.take_back(mark)
        if left is None or condition is None or not is_anew:
            return None
        try:
            stays = self.iterated(k, False) is None
        except StuckError:
            stays = False
        self.fixed = {}
        self.world.take_back(mark)
        return Exit(left, condition[0]) if stays else None

    def steady(self, k: int) -> dict[Cell, Number]:
        """What iteration k read first, and does not read anew."""
        world, tokens = self.world, self.world.tokens
        new = ((c, v.token) for c, v in world.cells.items() if v.number is None and tokens[v.token].iteration == k)
        return {c: world.chosen[t] for c, t in new if t in world.chosen and not tokens[t].anew}

    def exit_condition(self, left: Left) -> tuple[Node, Value] | None:
        """The condition by which an iteration was left, and what it came to."""
        if left.kind == "end":
            return None if left.value is None else (left.node.cond, left.value)
        found = self.decided.get(id(left))
        return None if found is None else found[1:]

    def branch(self, node: c_ast.If) -> Left | None:
        left = Statements.branch(self, node)
        if left is not None and self.leaving and self.is_outside:
            self.decided.setdefault(id(left), (left, node.cond, self.condition))
        return left

    def is_anew(self, test: Value, k: int) -> bool:
        """Whether a condition was computed from what iteration k met anew, and from no other calls of its own."""
        tokens = [self.world.tokens[t] for t in test.tags if t > 0]
        return any(t.anew for t in tokens) and all(t.anew or t.iteration < k or not t.called for t in tokens)

    # --- dependences

    def carried(self, last: int) -> Flow | Output | None:
        """What iterations up to this one leave to each other."""
        for output in self.shown.values():
            return output
        return next((flow for number, flow in self.flows.items() if self.is_dependence(number, flow, last)), None)

    def is_dependence(self, number: int, flow: Flow, last: int) -> bool:
        if id(flow.stored) in self.ways.header and not isinstance(self.world.cells[flow.cell].type, Pointer):
            return False  # a counter: its values may be known without running
        if self.is_variable(flow.cell):
            if last < 2 or not flow.of_data or not (self.depend.get(number) or flow.distance > 1):
                return False  # a copy of what this iteration has at hand, or not seen long enough
            if self.name_of(flow.cell) in self.target.counters or self.is_even(flow.cell):
                return False
        if flow.cell in self.extreme or not self.scattered.keys().isdisjoint((id(flow.stored), id(flow.read))):
            return False
        return number in self.matter or self.is_stored_elsewhere(number)

    def name_of(self, cell: Cell) -> str:
        return next((name for name, (address, _) in self.frames[0].items() if address == cell), "")

    def is_even(self, cell: Cell) -> bool:
        """Whether a variable moves in even steps, or was not seen to do anything else."""
        values = [None if v is None else v.number for v in self.begins_with(cell)]
        known = [v for v in values if v is not None]
        return len(known) < 3 or len({b - a for a, b in pairwise(known)}) < 2

    def is_stored_elsewhere(self, number: int) -> bool:
        """Whether what one iteration stored becomes part of what another stores, in a place of its own."""
        found = (cell for tag, cell in self.elsewhere if tag == number)
        return any(len(self.writers.get(cell, ())) == 1 for cell in found)
