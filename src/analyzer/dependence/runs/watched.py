"""What iterations of a loop leave to later ones, as a run shows it.

*Decides*: for a loop that is run, which values one iteration stored and a later one reads (`Flow`), and whether such a
value *matters*: it becomes part of an address, is stored elsewhere, is handed to what nobody can look into, or says
whether something else is stored. What only goes into an update of its own (`s += x`, `if (x > m) m = x`) may be a
reduction, and does not.
*Errs toward* no flow: values that were the same before, counters that step evenly, pointers among them.

    list->a[list->n++] = x;     ->  list->n, which is part of an address
"""

from random import Random

from msgspec import Struct
from pycparser import c_ast

from ...ir import c_library as library
from ...loops.c_text import c_text
from ...source.ctypes import Pointer, Void
from ...source.nodes import nodes, of_tree
from ...source.unit import Definition, Unit
from .calls import Calls
from .scalars import Node, Place
from .world import NONE, PRODUCT, Cell, Token, Value, World

UNSET = Value(Void(), None)

ORDERED = ("<", "<=", ">", ">=")


class Written(Struct, frozen=True):
    """The last store to a cell: in which iteration, where, and what was there as that iteration began."""

    iteration: int
    node: Node
    before: Value | None


class Flow(Struct, frozen=True):
    """A value that an iteration stored, and a later one reads."""

    cell: Cell
    stored: Node
    read: Node
    distance: int
    of_data: bool
    """It was computed from what iterations read anew."""


class Output(Struct, frozen=True):
    """A call that writes something out, in two iterations."""

    name: str
    effect: str
    node: Node


class Watched(Calls):
    """A run that watches one loop."""

    def __init__(self, unit: Unit, draw: Random, steps: int) -> None:
        super().__init__(unit, World(draw), steps)
        self.now = -1
        self.written: dict[Cell, Written] = {}
        self.before: dict[Cell, Value] = {}
        """What was in cells before the loop first stored to them."""
        self.scattered: dict[int, bool] = {}
        """Pieces of text that access places of which data say where they are, such as a list of indices."""
        self.extreme: dict[Cell, bool] = {}
        """Cells that may hold the largest or smallest of something, or where that is."""
        self.writers: dict[Cell, frozenset[int]] = {}
        self.flows: dict[int, Flow] = {}
        self.met: dict[tuple[int, int], frozenset[Cell]] = {}
        """The cells that a piece of text read in an iteration."""
        self.matter: dict[int, str] = {}
        self.elsewhere: dict[tuple[int, Cell], bool] = {}
        """Cells to which values that flow were stored."""
        self.depend: dict[int, bool] = {}
        """Flows of which the cell is stored to again with a value made from them."""
        self.variables: dict[int, bool] = {}
        """Variables of functions, by their addresses."""
        self.printed: dict[str, tuple[int, tuple[object, ...]]] = {}
        self.shown: dict[str, Output] = {}
        self.control: list[frozenset[int]] = []
        self.ordered: list[bool] = []
        """Of the branches around, whether their conditions compare which of two values is larger."""
        self.conditions: list[Value] = []
        self.decided_by: list[frozenset[int]] = [NONE]
        """For each function that runs, what its conditions were computed from."""
        self.condition = Value(self.int, 0)
        """Of the branch that ended last."""
        self.is_bound = False
        """Whether calls give how often the loop runs."""
        self.starts: list[dict[Cell, Value | None]] = []

    # --- what conditions decide about

    def decide(self, condition: Node, wished: bool) -> Value:
        found = super().decide(condition, wished)
        tags = frozenset(t for t in found.tags if t > 0)
        if tags and len(self.functions) > 1:
            self.decided_by[-1] |= tags
        return found

    def entered(self, definition: Definition, values: list[Value]) -> Value:
        """What a function gives depends on its conditions, too."""
        depth = len(self.decided_by)
        self.decided_by.append(NONE)
        try:
            found = super().entered(definition, values)
            tags = self.decided_by[-1]
        finally:
            del self.decided_by[depth:]
        return Value(found.type, found.number, found.token, found.tags | tags) if tags else found

    def by_control(self, value: Value) -> Value:
        """A value with what the branches around it depend on."""
        tags = frozenset(t for c in self.conditions for t in c.tags if t > 0)
        return Value(value.type, value.number, value.token, value.tags | tags) if tags else value

    def store(self, node: Node, place: Place, value: Value) -> Value:
        begins = isinstance(node, c_ast.Decl) or isinstance(value.type, Pointer)  # its scope is in the branch
        return super().store(node, place, value if begins or self.now < 0 else self.by_control(value))

    # --- what is read and stored

    def made(self, address: int) -> None:
        self.world.set(self.variables, address, True)

    def token(self, node: Node, cell: Cell) -> Token:
        k = self.now
        if k < 0:
            return Token(-1, False)
        before: set[Cell] = set()
        for i in range(k):
            before |= self.met.get((i, id(node)), NONE)
        return Token(k, bool(before) and cell not in before)

    def of_call(self, node: c_ast.FuncCall, doubtful: bool) -> Token:
        k = self.now
        if k < 0:
            return Token(-1, False, True)
        before = any((i, id(node)) in self.met for i in range(k))
        self.meet(node, 0)
        return Token(k, before and not doubtful and not self.is_bound, True)

    def meet(self, node: Node, cell: Cell) -> None:
        key = (self.now, id(node))
        known: frozenset[Cell] = self.met.get(key, frozenset())
        if cell not in known:
            self.world.set(self.met, key, known | {cell})

    def reads(self, node: Node, place: Place, value: Value) -> Value:
        if self.now < 0:
            return value
        cell = place.cell
        self.meet(node, cell)
        self.goes_to(node, place)
        written = None if PRODUCT in place.tags else self.written.get(cell)
        if written is None or written.iteration >= self.now:
            return value
        held = self.world.cells[cell]
        if written.before is not None and self.world.same(held, written.before):
            return value
        number = -1 - len(self.flows)
        flow = Flow(cell, written.node, node, self.now - written.iteration, self.is_of_data(held.tags))
        self.world.set(self.flows, number, flow)
        return Value(value.type, value.number, value.token, value.tags | {number})

    def stores(self, node: Node, place: Place, value: Value) -> None:
        if self.now < 0:
            return
        cell, world = place.cell, self.world
        self.goes_to(node, place)
        known = self.written.get(cell)
        again = known is not None and known.iteration == self.now
        before = known.before if known is not None and again else world.cells.get(cell)
        if known is None:
            world.set(self.before, cell, world.cells.get(cell, UNSET))
        world.set(self.written, cell, Written(self.now, node, before))
        if self.is_extreme(node):
            world.set(self.extreme, cell, True)
        world.set(self.writers, cell, self.writers.get(cell, frozenset()) | {self.now})
        is_variable = self.is_variable(cell)
        for tag in value.tags:
            if tag < 0:
                if self.flows[tag].cell == cell:
                    world.set(self.depend, tag, True)
                elif not is_variable:
                    world.set(self.elsewhere, (tag, cell), True)
        for tags in self.control:
            for tag in tags:
                if self.flows[tag].cell == cell:
                    world.set(self.depend, tag, True)
                elif not is_variable:
                    self.matters(tags, "control")

    def goes_to(self, node: Node, place: Place) -> None:
        """An iteration reads, or stores to, a place."""
        self.matters(place.tags, "address")
        if self.is_of_data(place.tags):
            self.world.set(self.scattered, id(node), True)

    def is_of_data(self, tags: frozenset[int]) -> bool:
        """Whether something was computed from what iterations read anew."""
        return any(t > 0 and self.world.tokens[t].anew for t in tags)

    def is_extreme(self, node: Node) -> bool:
        """Whether a store may keep the largest or smallest of something, or where it is: `if (x[i] < x[at]) at = i`."""
        if not any(self.ordered) or not isinstance(node, c_ast.Assignment) or node.op != "=":
            return False
        return c_text(node.lvalue) not in c_text(node.rvalue)

    def is_variable(self, cell: Cell) -> bool:
        """Whether a cell is a variable with a name."""
        named = (*self.globals.values(), *self.statics.values())
        return cell in self.variables or any(cell == address for address, _ in named)

    def matters(self, tags: frozenset[int], how: str) -> None:
        for tag in tags:
            if tag < 0 and tag not in self.matter:
                self.world.set(self.matter, tag, how)

    def gets(self, node: c_ast.FuncCall, name: str, values: list[Value], doubtful: bool) -> None:
        if self.now < 0 or doubtful:
            return
        for value in values:
            self.matters(value.tags, "call")
        for tags in self.control:
            self.matters(tags, "control")
        effect = library.effect(name) if name not in self.unit.definitions else None
        if effect is not None and effect.is_output:
            key, written = f"{name} {id(node)}", tuple(v.number if v.number is not None else v.token for v in values)
            first = self.printed.get(key, (self.now, written))
            self.world.set(self.printed, key, first)
            if first[0] != self.now and first[1] != written:
                self.world.set(self.shown, name, Output(name, effect.value, node))

    def branches(self, node: c_ast.If, condition: Value) -> None:
        self.conditions.append(condition)
        flows, is_ordered = frozenset(t for t in condition.tags if t < 0), _orders(node.cond)
        self.control.append(NONE if is_ordered else flows)
        self.ordered.append(is_ordered)

    def joins(self) -> None:
        self.condition = self.conditions.pop()
        self.control.pop()
        self.ordered.pop()

    # --- iterations

    def ends(self) -> None:
        """An iteration has ended: what variables hold now."""
        cells = self.world.cells
        self.starts.append({c: cells.get(c) for c in self.written if self.is_variable(c)})

    def begins_with(self, cell: Cell) -> list[Value | None]:
        """What a variable held as the iterations began."""
        return [self.before[cell], *(each.get(cell) for each in self.starts)]


@of_tree
def _orders(condition: Node) -> bool:
    """Whether a condition compares which of two values is larger, as those of a minimum or maximum do."""
    return any(n.op in ORDERED for n in nodes(condition, c_ast.BinaryOp))
