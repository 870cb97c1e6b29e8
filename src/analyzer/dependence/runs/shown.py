"""Loops that runs of the program's own text show to be no parallel ones.

*Decides*: for a loop, whether some run of its function shows that an iteration uses what an earlier one stored, that
data say in each iteration whether there is a next one, or that several write something out (`loop_run`), with the two
accesses, or the exit.
*Method*: a few runs, with other values for what the program does not say: arguments, globals, memory of others, what
functions give that are not visible. They go through the functions that are called, which the loop IR does not follow
where they call themselves, one of many, or what nobody can look into.
*Errs toward* nothing: what a run does not come through, contents that do not occur, as the user or an expert says.

    for (i = 0; i < n; i++) append(list, x[i]);       ->  line 12 reads `list->n`, which line 12 stored before
"""

from contextlib import suppress
from random import Random

from pycparser import c_ast

from ...facts.loop import Reason
from ...ir.nodes import Call, Loop, evaluated, statements
from ...ir.reasons import ReasonCode
from ...loops.c_text import c_text
from ...source.unit import Definition, Unit
from ..pragmas import promise
from ..witness.arithmetic import StuckError
from .loop_run import Exit, LoopRun, ShownError, Target
from .scalars import Node
from .watched import Flow, Output
from .ways import Ways

ROUNDS = 10
"""States that are tried."""

HOPELESS = 4
"""States from which the loop was not reached, before no others are tried."""

MOST_STEPS = 4000
"""Expressions and statements that are run for one loop."""


OF_ACCESSES = (ReasonCode.CARRIED_DEPENDENCE, ReasonCode.NON_AFFINE_ACCESS, ReasonCode.MAY_ALIAS)
"""Reasons of an open answer that name accesses. Where the loop IR has all that the loop does, `executed` was asked."""


def shown_by_runs(unit: Unit, definition: Definition, node: Node, loop: Loop, open_: ReasonCode) -> Reason | None:
    """The dependence that a run shows, if one does. `node`: the loop in the program's text; `open_`: why nothing else
    is known of it."""
    if loop.independent or loop.holding or promise(loop) or definition.node is None:
        return None
    if open_ in OF_ACCESSES and not _calls_unseen(loop):
        return None
    moved = (*(i.variable.name for i in loop.inductions), *(r.variable.name for r in loop.recurrences))
    target = Target(definition, node, frozenset((*moved, loop.variable or "")))
    steps, reached, ways = MOST_STEPS, False, Ways(definition.node, node)
    for seed in range(ROUNDS):
        if steps <= 0 or (seed >= HOPELESS and not reached):
            return None
        run = LoopRun(unit, Random(seed), steps, target, ways)
        with suppress(ShownError, StuckError, RecursionError):
            run.begin()
        if run.found is not None:
            return _Said(unit, node).of(run.found)
        steps, reached = run.steps, reached or run.reached
    return None


def _calls_unseen(loop: Loop) -> bool:
    return any(isinstance(e, Call) and e.unseen for s in statements(loop.body) for e in evaluated(s))


class _Said:
    """What is said of a loop."""

    def __init__(self, unit: Unit, loop: Node) -> None:
        self.unit, self.loop = unit, unit.place(loop)

    def of(self, found: Flow | Output | Exit) -> Reason:
        match found:
            case Flow():
                return self.flow(found)
            case Output():
                return self.output(found)
            case Exit():
                return self.exit(found)

    def where(self, node: Node) -> tuple[str, int]:
        """Where something stands, in words, and the line of it in the file of the loop."""
        place = self.unit.place(node)
        if place.path == self.loop.path:
            return f"line {place.line}", place.line
        return f"line {place.line} of {place.path}", self.loop.line

    def flow(self, found: Flow) -> Reason:
        (reading, line), (storing, made) = self.where(found.read), self.where(found.stored)
        read, stored = c_text(found.read), c_text(_target(found.stored))
        message = f"{reading} reads `{read}`, which {storing} writes as `{stored}` in an earlier iteration"
        return Reason(ReasonCode.CARRIED_DEPENDENCE, message, line, (stored, read), "*", (made, line))

    def output(self, found: Output) -> Reason:
        where, line = self.where(found.node)
        message = f"`{found.name}` ({where}) {found.effect}: in another order of its calls that would differ"
        calls = (f"{found.name}(...)", f"{found.name}(...)")
        return Reason(ReasonCode.SIDE_EFFECT, message, line, calls, "1", (line, line))

    def exit(self, found: Exit) -> Reason:
        test = c_text(found.condition)
        decides = "decides in each iteration whether there is a next one"
        if found.left.kind == "end":
            line = self.unit.place(found.condition).line
            message = f"the test `{test}` on line {line} {decides}"
            return Reason(ReasonCode.UNKNOWN_TRIP_COUNT, message, line, (test, test), "1")
        kind, line = found.left.kind, self.unit.place(found.left.node).line
        message = f"`{kind}` on line {line} ends the loop: `{test}` {decides}"
        return Reason(ReasonCode.EARLY_EXIT, message, line, (test, kind), "1")


def _target(node: Node) -> Node:
    """What is stored to."""
    match node:
        case c_ast.Assignment(lvalue=target) | c_ast.UnaryOp(expr=target):
            return target
        case c_ast.Decl(name=name):
            return c_ast.ID(name, node.coord)
        case _:
            return node
