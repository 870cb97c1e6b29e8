"""C expressions on numbers: what they come to, and which memory they read and store to, one after the other.

*Decides*: the value of an expression as the program has it (`world`), calls left to `calls`.
*Errs toward* `StuckError`: undefined behaviour, complex numbers, vectors, inline assembly, order of pointers into
different objects.
"""

from collections.abc import Callable
from typing import Any

from pycparser import c_ast

from ...ir.arithmetic import promote, usual
from ...source.ctypes import Array, CType, Floating, Function, Integer, Pointer, Record
from ...source.layout import size_of
from ...source.unit import Unit
from ..witness.arithmetic import COMPARISONS, Number, StuckError, binary, converted, unary
from .constants import codes, constant, is_const
from .scalars import Node, Place, Scalars
from .world import CONST, FREE, FUNCTION, NONE, PRODUCT, SHIFT, START, Value, World

FIXED = (c_ast.Constant, c_ast.UnaryOp)
CHAR = Integer("char", 1, True)
Frame = dict[str, tuple[int, CType]]
"""The variables of a function that runs: where they are, and their types."""


class Expressions(Scalars):
    """Expressions of one unit."""

    def __init__(self, unit: Unit, world: World, steps: int) -> None:
        super().__init__(unit, world, steps)
        self.frames: list[Frame] = [{}]
        self.functions: list[str] = []
        self.globals: Frame = {}
        self.statics: dict[int, tuple[int, CType]] = {}
        self.texts: dict[int, int] = {}
        self.named: dict[int, str] = {}
        """The functions that objects stand for."""
        self.compared: tuple[Number, ...] = ()

    def call(self, node: c_ast.FuncCall) -> Value:
        raise StuckError("call")

    def choose(self, condition: Node) -> bool:
        return self.truth(self.value(condition))

    # --- values

    def value(self, node: Node) -> Value:
        self.steps -= 1
        if self.steps < self.floor:
            raise StuckError("too many steps")
        evaluate = VALUES.get(type(node))
        if evaluate is None:
            raise StuckError(type(node).__name__)
        return evaluate(self, node)

    def constant(self, node: c_ast.Constant) -> Value:
        return constant(node, self.abi) or self.text(node)

    def text(self, node: c_ast.Constant) -> Value:
        """A string: an object of its own."""
        key = id(node)
        if key not in self.texts:
            known = codes(node.value)

            def contents(byte: int, type_: CType) -> Number:
                if known is None or not isinstance(type_, Integer) or type_.size != 1 or not 0 <= byte <= len(known):
                    raise StuckError("text")
                return converted(known[byte] if byte < len(known) else 0, type_)

            size = None if known is None else len(known) + 1
            self.world.set(self.texts, key, self.world.object(CONST, size, contents))
        return Value(Pointer(CHAR, self.word), self.texts[key])

    def id(self, node: c_ast.ID) -> Value:
        constant = self.unit.constants.get(node.name)
        if constant is not None and self.variable(node.name) is None:
            return Value(self.int, constant)
        return self.load(node, self.place(node))

    def variable(self, name: str) -> tuple[int, CType] | None:
        return self.frames[-1].get(name)

    def place(self, node: Node) -> Place:
        match node:
            case c_ast.ID(name=name):
                address, type_ = self.variable(name) or self.of_file(name)
                return Place(address, type_)
            case c_ast.StructRef(name=base, type=kind, field=field):
                if kind == "->":
                    pointer = self.value(base)
                    inner = self.pointed(pointer)
                else:
                    inner = self.place(base)
                m = self.member(inner.type, field.name)
                bits = None if m.bit_width is None else (m.bit_offset, m.bit_width)
                return Place(inner.address + m.offset, m.type, bits, inner.tags)
            case c_ast.ArrayRef():
                return self.element(node)
            case c_ast.UnaryOp(op="*", expr=inner):
                return self.pointed(self.value(inner))
            case c_ast.Cast() | c_ast.FuncCall() | c_ast.TernaryOp() | c_ast.Assignment() | c_ast.ExprList():
                value = self.value(node)
                if not isinstance(value.type, Record) or not isinstance(value.number, int):
                    raise StuckError("no place")
                return Place(value.number, value.type)
            case _:
                raise StuckError("no place")

    def pointed(self, pointer: Value) -> Place:
        if not isinstance(pointer.type, Pointer):
            raise StuckError("no pointer")
        address = self.world.followed(pointer)
        self.world.kind(address)
        return Place(address, pointer.type.target, None, pointer.tags)

    def element(self, node: c_ast.ArrayRef) -> Place:
        base, by = self.value(node.name), self.value(node.subscript)
        if isinstance(by.type, Pointer):
            base, by = by, base
        length = self.length(node.name)
        index = int(self.world.number(by))
        if length is not None and not 0 <= index < length:
            raise StuckError("outside")
        return self.pointed(self.moved(base, index, by.tags))

    def length(self, node: Node) -> int | None:
        """Of an array that is a member, so that what lies behind it is another one."""
        match node:
            case c_ast.StructRef(name=base, type=kind, field=field):
                type_ = self.static_type(base)
                inner = type_.target if kind == "->" and isinstance(type_, Pointer) else type_
                if not isinstance(inner, Record) or inner.key not in self.unit.layouts:
                    return None
                m = self.unit.layouts[inner.key].member(field.name)
                if m is not None and isinstance(m.type, Array) and isinstance(m.type.length, int):
                    return m.type.length if m.type.length > 1 else None
            case _:
                pass
        return None

    def static_type(self, node: Node) -> CType | None:
        match node:
            case c_ast.ID(name=name):
                known = self.variable(name)
                return known[1] if known is not None else self.unit.globals_.get(name)
            case c_ast.StructRef(name=base, type=kind, field=field):
                type_ = self.static_type(base)
                inner = type_.target if kind == "->" and isinstance(type_, Pointer) else type_
                layout = self.unit.layouts.get(inner.key) if isinstance(inner, Record) else None
                m = layout.member(field.name) if layout is not None else None
                return None if m is None else m.type
            case c_ast.ArrayRef(name=base) | c_ast.UnaryOp(op="*", expr=base):
                match self.static_type(base):
                    case Array(element=target) | Pointer(target=target):
                        return target
        return None

    def moved(self, pointer: Value, by: int, tags: frozenset[int]) -> Value:
        if not isinstance(pointer.type, Pointer):
            raise StuckError("no pointer")
        start = self.world.followed(pointer)
        if start == 0:
            raise StuckError("null pointer")
        address = start + by * self.size(pointer.type.target)
        if address >> SHIFT != start >> SHIFT or address & (1 << SHIFT) - 1 < START:
            raise StuckError("outside")
        return Value(pointer.type, address, tags=pointer.tags | tags if tags else pointer.tags)

    def of_file(self, name: str) -> tuple[int, CType]:
        found = self.globals.get(name)
        if found is not None:
            return found
        type_ = self.unit.globals_.get(name)
        if type_ is not None:
            found = self._global(name, type_)
        elif name in self.unit.definitions or name in self.unit.prototypes:
            address = self.world.object(FUNCTION)
            self.world.set(self.named, address, name)
            found = (address, self.unit.prototypes.get(name, Function(self.int)))
        else:
            raise StuckError(name)
        self.world.set(self.globals, name, found)
        return found

    def _global(self, name: str, type_: CType) -> tuple[int, CType]:
        size, table = size_of(type_, self.unit.layouts), self.unit.tables.get(name)
        if not is_const(type_):
            return self.world.object(FREE, size), type_

        def contents(byte: int, of: CType) -> Number:
            if table is None or not isinstance(of, Integer) or byte % of.size:
                raise StuckError("constant")
            k = byte // of.size
            return converted(table[k] if k < len(table) else 0, of)

        return self.world.object(CONST, size, contents), type_

    # --- operators

    def unary(self, node: c_ast.UnaryOp) -> Value:
        operator, inner = node.op, node.expr
        match operator:
            case "&":
                place = self.place(inner)
                if place.bits is not None:
                    raise StuckError("bit-field")
                return Value(Pointer(place.type, self.word), place.address, tags=place.tags)
            case "*":
                return self.load(node, self.place(node))
            case "sizeof" | "_Alignof" | "__alignof__":
                return self.measured(node)
            case "++" | "--" | "p++" | "p--":
                place = self.place(inner)
                before = self.load(inner, place)
                after = self.store(node, place, self.stepped(before, 1 if "++" in operator else -1))
                return before if operator[0] == "p" else after
            case "!":
                value = self.value(inner)
                return Value(self.int, int(not self.truth(value)), tags=value.tags)
            case _:
                value = self.value(inner)
                type_ = promote(self.abi, value.type)
                number = self.world.number(self.converted(value, type_))
                return Value(type_, unary("neg" if operator == "-" else operator, number, type_), tags=value.tags)

    def stepped(self, value: Value, by: int) -> Value:
        if isinstance(value.type, Pointer):
            return self.moved(value, by, NONE)
        return self.combined("+", value, Value(self.int, by))

    def measured(self, node: c_ast.UnaryOp) -> Value:
        size = self.unit.constant(node)
        if size is None:
            type_ = self.static_type(node.expr)
            if type_ is None or node.op != "sizeof":
                raise StuckError("sizeof")
            size = self.size(type_)
        return Value(Integer("unsigned long", self.word, False), size)

    def binary(self, node: c_ast.BinaryOp) -> Value:
        if node.op in ("&&", "||"):
            left = self.value(node.left)
            if self.truth(left) == (node.op == "||"):
                return Value(self.int, int(node.op == "||"), tags=left.tags)
            right = self.value(node.right)
            return Value(self.int, int(self.truth(right)), tags=left.tags | right.tags)
        found = self.combined(node.op, self.value(node.left), self.value(node.right))
        if node.op == "*" and found.tags and not isinstance(node.left, FIXED) and not isinstance(node.right, FIXED):
            return Value(found.type, found.number, found.token, found.tags | {PRODUCT})
        return found

    def combined(self, operator: str, left: Value, right: Value) -> Value:
        world, tags = self.world, left.tags | right.tags
        if isinstance(left.type, Pointer) or isinstance(right.type, Pointer):
            return self.of_pointers(operator, left, right, tags)
        if not isinstance(left.type, Integer | Floating) or not isinstance(right.type, Integer | Floating):
            raise StuckError("type")
        if operator in ("<<", ">>"):
            type_ = promote(self.abi, left.type)
            a, b = world.number(self.converted(left, type_)), world.number(right)
            return Value(type_, binary(operator, a, b, type_), tags=tags)
        type_ = usual(self.abi, left.type, right.type)
        a = converted(world.number(left), type_)
        b = converted(world.number(right), type_)
        if operator in COMPARISONS:
            self.compared = (a, b)
            return Value(self.int, int(COMPARISONS[operator](a, b)), tags=tags)
        if operator == "&":
            self.compared = (a, b) if left.number is None or right.number is None else self.compared
        return Value(type_, binary(operator, a, b, type_), tags=tags)

    def of_pointers(self, operator: str, left: Value, right: Value, tags: frozenset[int]) -> Value:
        world = self.world
        if operator in COMPARISONS:
            a, b = int(world.number(left)), int(world.number(right))
            if operator not in ("==", "!=") and a >> SHIFT != b >> SHIFT:
                raise StuckError("order of pointers")
            self.compared = (a, b)
            return Value(self.int, int(COMPARISONS[operator](a, b)), tags=tags)
        if operator == "-" and isinstance(left.type, Pointer) and isinstance(right.type, Pointer):
            a, b = int(world.number(left)), int(world.number(right))
            if a >> SHIFT != b >> SHIFT:
                raise StuckError("distance of pointers")
            return Value(Integer("long", self.word, True), (a - b) // self.size(left.type.target), tags=tags)
        if operator == "+" and isinstance(right.type, Pointer):
            left, right = right, left
        if operator not in ("+", "-") or not isinstance(right.type, Integer):
            raise StuckError("pointers")
        by = int(world.number(right))
        return self.moved(left, by if operator == "+" else -by, right.tags)

    def assigned(self, node: c_ast.Assignment) -> Value:
        if node.op == "=":
            value = self.value(node.rvalue)
            place = self.place(node.lvalue)
        else:
            by = self.value(node.rvalue)
            place = self.place(node.lvalue)
            value = self.combined(node.op[:-1], self.load(node.lvalue, place), by)
        return self.store(node, place, value)

    def choice(self, node: c_ast.TernaryOp) -> Value:
        return self.value(node.iftrue if self.choose(node.cond) else node.iffalse)

    def cast(self, node: c_ast.Cast) -> Value:
        value = self.value(node.expr)
        return self.converted(value, self.unit.type_of(node.to_type))

    def sequence(self, node: c_ast.ExprList) -> Value:
        value = Value(self.int, 0)
        for each in node.exprs:
            value = self.value(each)
        return value

    def element_value(self, node: Node) -> Value:
        return self.load(node, self.place(node))


VALUES: dict[type, Callable[[Any, Any], Value]] = {
    c_ast.Constant: Expressions.constant,
    c_ast.ID: Expressions.id,
    c_ast.ArrayRef: Expressions.element_value,
    c_ast.StructRef: Expressions.element_value,
    c_ast.UnaryOp: Expressions.unary,
    c_ast.BinaryOp: Expressions.binary,
    c_ast.Assignment: Expressions.assigned,
    c_ast.TernaryOp: Expressions.choice,
    c_ast.FuncCall: lambda self, node: self.call(node),
    c_ast.Cast: Expressions.cast,
    c_ast.ExprList: Expressions.sequence,
}
