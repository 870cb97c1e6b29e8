"""Calls: into functions whose bodies are read, of the C library, and of what nobody can look into.

*Decides*: what a call gives and does. A function of the program is run. One that is not visible may do nothing, give
any value, and have set what it got the address of and nobody else did. One that cannot be run to its end is taken for
such a one, but what it gives is *doubtful*: no exit is shown by it.
*Errs toward* `StuckError`: what ends the program, library functions that neither are pure nor listed here.

    for (...) append(list, x[i]);       static void append(...) { if (l->n < l->cap || grow(l)) l->a[l->n++] = x; }
"""

from pycparser import c_ast

from ...ir import c_library as library
from ...ir.c_library import ALLOCATORS
from ...loops import syntax
from ...loops.c_text import c_text
from ...source.ctypes import Array, CType, Function, Pointer, Void
from ...source.layout import size_of
from ...source.unit import Definition, Unit
from ..witness.arithmetic import StuckError
from ..witness.trial import DEPEND_ON_TEXT
from .scalars import Place
from .statements import Statements
from .world import FREE, GONE, HEAP, OWN, SHIFT, ZERO, Token, Value, World

DEEPEST = 10
"""Functions that call each other."""

MOST_IN_CALL, MOST_BEFORE = 500, 80
"""Expressions and statements of one call, in which a call has three quarters of what is left; the same before the
loop."""

BY_TEXT = DEPEND_ON_TEXT | {"strlen", "strnlen", "strspn", "strcspn", "atoi"}
"""Functions that give the same for the same arguments, as memory says."""


class Calls(Statements):
    """Statements with calls that are followed."""

    def __init__(self, unit: Unit, world: World, steps: int) -> None:
        super().__init__(unit, world, steps)
        self.results: dict[tuple[object, ...], Value] = {}
        """What library functions gave, by their names and arguments."""

    def call(self, node: c_ast.FuncCall) -> Value:
        arguments = list(node.args.exprs) if node.args is not None else []
        name = self.called(node)
        if name == "__builtin_expect" and arguments:
            return self.value(arguments[0])
        constant = self.unit.constant(node) if name.startswith("__builtin_") or name == "offsetof" else None
        if constant is not None:
            return Value(self.int, constant)
        if library.effect(name) is library.Effect.NO_RETURN or "boathull" in name:
            raise StuckError(name)
        definition = self.unit.definitions.get(name)
        values = [self.value(a) for a in arguments]
        if definition is None and name in KNOWN:
            return KNOWN[name](self, node, values)
        if definition is not None and definition.node is not None:
            return self.followed(node, definition, values)
        if library.is_known(name) and definition is None:
            return self.computed(node, name, values)
        if name.startswith(("__builtin_", "__atomic_", "__sync_")):
            raise StuckError(name)
        return self.unseen(node, name, values)

    def called(self, node: c_ast.FuncCall) -> str:
        """The name of the function; of one behind a pointer, where that is known."""
        name = node.name.name if isinstance(node.name, c_ast.ID) else ""
        if name and self.variable(name) is None and name not in self.unit.globals_:
            return str(name)
        pointer = self.value(node.name)
        address = self.world.number(pointer)
        if address == 0:
            raise StuckError("null pointer")
        return self.named.get(int(address), "")

    # --- functions of the program

    def followed(self, node: c_ast.FuncCall, definition: Definition, values: list[Value]) -> Value:
        world, mark, depth, floor = self.world, self.world.mark, len(self.frames), self.floor
        if len(self.functions) >= DEEPEST:
            return self.unseen(node, definition.name, values, doubtful=True)
        most = MOST_IN_CALL if self.now >= 0 else MOST_BEFORE
        self.floor = max(floor, self.steps - min(most, 3 * (self.steps - floor) // 4))
        try:
            return self.entered(definition, values)
        except StuckError:
            if self.steps < floor:
                raise
            world.take_back(mark)
            del self.frames[depth:], self.functions[depth:]
            self.floor = floor
            return self.unseen(node, definition.name, values, doubtful=True)
        finally:
            self.floor = floor

    def entered(self, definition: Definition, values: list[Value]) -> Value:
        assert definition.node is not None
        declared = syntax.parameter_declarations(definition.node)
        if len(values) < len(declared):
            raise StuckError("arguments")
        result = self.unit.type_of(definition.node.decl.type.type)
        frame: dict[str, tuple[int, CType]] = {}
        for parameter, value in zip(declared, values, strict=False):
            self.bind(frame, parameter, value)
        self.frames.append(frame)
        self.functions.append(definition.name)
        left = self.run(definition.node.body)
        self.frames.pop()
        self.functions.pop()
        if left is not None and left.kind != "return":
            raise StuckError(left.kind)
        if isinstance(result, Void):
            return Value(result, 0)
        if left is None or left.value is None:
            raise StuckError("no value")
        return self.converted(left.value, result)

    def bind(self, frame: dict[str, tuple[int, CType]], parameter: c_ast.Node, value: Value | None) -> None:
        """Makes a parameter; None: it may have any value."""
        type_ = self.unit.type_of(parameter)
        if isinstance(type_, Array):
            type_ = Pointer(type_.element, self.word)
        if isinstance(type_, Function):
            type_ = Pointer(type_, self.word)
        size = size_of(type_, self.unit.layouts)
        if size is None:
            raise StuckError("size")
        address = self.world.object(FREE if value is None else OWN, size)
        frame[parameter.name or ""] = (address, type_)
        self.made(address)
        if value is not None:
            self.store(parameter, Place(address, type_), value)

    # --- others

    def unseen(self, node: c_ast.FuncCall, name: str, values: list[Value], doubtful: bool = False) -> Value:
        self.gets(node, name, values, doubtful)
        for value in values:
            if isinstance(value.type, Pointer) and value.number:
                number = int(value.number) >> SHIFT
                if self.world.kinds.get(number) in (OWN, HEAP):
                    self.world.set(self.world.kinds, number, FREE)
        return self.given(node, self.result(node, name), doubtful)

    def result(self, node: c_ast.FuncCall, name: str) -> CType:
        prototype = self.unit.prototypes.get(name) if name else None
        if prototype is None and not isinstance(node.name, c_ast.ID):
            pointer = self.static_type(node.name)
            prototype = pointer.target if isinstance(pointer, Pointer) else None
        return prototype.result if isinstance(prototype, Function) else self.int

    def given(self, node: c_ast.FuncCall, type_: CType, doubtful: bool) -> Value:
        return Value(type_, 0) if isinstance(type_, Void) else self.world.open(type_, self.of_call(node, doubtful))

    def of_call(self, node: c_ast.FuncCall, doubtful: bool) -> Token:
        """What a call gives."""
        return Token(-1, False)

    def gets(self, node: c_ast.FuncCall, name: str, values: list[Value], doubtful: bool) -> None:
        """A function that is not seen, or cannot be run, gets values."""

    # --- the C library

    def computed(self, node: c_ast.FuncCall, name: str, values: list[Value]) -> Value:
        """Some number that is computed from the arguments."""
        found = self.by_arguments(node, self.result(node, name), values)
        tags = frozenset(t for v in values for t in v.tags)
        return Value(found.type, found.number, found.token, found.tags | tags)

    def by_arguments(self, node: c_ast.FuncCall, type_: CType, values: list[Value]) -> Value:
        """An open value, the same one for the same arguments."""
        key = (c_text(node.name), *(self.world.number(v) for v in values))
        if key not in self.results:
            self.world.set(self.results, key, self.given(node, type_, False))
        return self.results[key]

    def by_text(self, node: c_ast.FuncCall, values: list[Value]) -> Value:
        """The same for the same arguments."""
        name, where = c_text(node.name), self.world.number(values[0])
        if where == 0:
            raise StuckError("null pointer")
        if name in ("strcmp", "strcasecmp") and where == self.world.number(values[1]):
            return Value(self.int, 0)
        return self.by_arguments(node, self.result(node, name), values)

    def allocated(self, node: c_ast.FuncCall, values: list[Value]) -> Value:
        kind = ZERO if c_text(node.name) == "calloc" else HEAP
        return Value(Pointer(Void(), self.word), self.world.object(kind))

    def filled(self, node: c_ast.FuncCall, values: list[Value]) -> Value:
        to, what, size = values
        number = int(self.world.number(size))
        if number:
            self.world.fill(int(self.world.number(to)), number, ZERO if self.world.number(what) == 0 else FREE)
        return to

    def moved_block(self, node: c_ast.FuncCall, values: list[Value]) -> Value:
        to, start, size = (int(self.world.number(v)) for v in values)
        world = self.world
        if size:
            world.kind(start)
            cells = world.within(start, size)
            held = [(c, world.cells[c], world.sizes.get(c, 0) if isinstance(c, int) else 0) for c in cells]
            world.fill(to, size, world.kind(start) if world.kind(start) in (OWN, ZERO, HEAP) else FREE)
            for cell, value, width in held:  # they may overlap
                at = cell if isinstance(cell, int) else cell[0]
                if isinstance(cell, int):
                    world.put(to + at - start, width, value)
                else:
                    world.put((to + at - start, cell[1]), 0, value)
        return Value(values[0].type, to, tags=values[0].tags)

    def freed(self, node: c_ast.FuncCall, values: list[Value]) -> Value:
        address = int(self.world.number(values[0]))
        if address:
            if self.world.kind(address) not in (FREE, HEAP, ZERO):
                raise StuckError("freed")
            self.world.set(self.world.kinds, address >> SHIFT, GONE)
        return Value(Void(), 0)

    def resized(self, node: c_ast.FuncCall, values: list[Value]) -> Value:
        return values[0] if self.world.number(values[0]) else self.allocated(node, values)

    def absolute(self, node: c_ast.FuncCall, values: list[Value]) -> Value:
        number = self.world.number(values[0])
        return Value(values[0].type, -number if number < 0 else number, tags=values[0].tags)


KNOWN = {
    **dict.fromkeys(BY_TEXT, Calls.by_text),
    **dict.fromkeys(ALLOCATORS, Calls.allocated),
    **dict.fromkeys(("memset", "__builtin_memset"), Calls.filled),
    **dict.fromkeys(("memcpy", "memmove", "__builtin_memcpy", "__builtin_memmove"), Calls.moved_block),
    **dict.fromkeys(("abs", "labs", "fabs", "fabsf"), Calls.absolute),
    "free": Calls.freed,
    "realloc": Calls.resized,
}
