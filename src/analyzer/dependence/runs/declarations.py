"""Variables of functions, as they are declared and initialised.

*Errs toward* `StuckError`: designators, arrays of a length that only a run knows.
"""

from collections.abc import Iterator

from pycparser import c_ast

from ...source.ctypes import Array, CType, Function, Integer, Pointer, Record
from ...source.layout import size_of
from ..witness.arithmetic import StuckError
from .conditions import Conditions
from .constants import codes, is_const
from .scalars import Node, Place
from .world import FREE, OWN, ZERO, Value


class Declarations(Conditions):
    """Expressions, and the variables that they name."""

    def declare(self, node: Node) -> None:
        if not isinstance(node, c_ast.Decl) or node.name is None or isinstance(node.type, c_ast.FuncDecl):
            return
        type_ = self.unit.type_of(node)
        if isinstance(type_, Function):
            return
        if "extern" in node.storage:
            self.frames[-1][node.name] = self.of_file(node.name)
            return
        if isinstance(type_, Array) and type_.length is None and isinstance(node.init, c_ast.InitList):
            type_ = Array(type_.element, len(node.init.exprs))
        if "static" in node.storage:
            self.frames[-1][node.name] = self.static(node, type_)
            return
        size = size_of(type_, self.unit.layouts)
        if size is None:
            raise StuckError("size")
        address = self.world.object(OWN, size)
        self.frames[-1][node.name] = (address, type_)
        self.made(address)
        if node.init is not None:
            self.initialise(node, address, type_, node.init)

    def made(self, address: int) -> None:
        """A variable of a function."""

    def static(self, node: c_ast.Decl, type_: CType) -> tuple[int, CType]:
        key = id(node)
        if key not in self.statics:
            is_fixed = (is_const(type_) and not isinstance(type_, Pointer)) and node.init is not None
            address = self.world.object(OWN if is_fixed else FREE, size_of(type_, self.unit.layouts))
            self.world.set(self.statics, key, (address, type_))
            if is_fixed:
                now, self.now = self.now, -1
                try:
                    self.initialise(node, address, type_, node.init)
                finally:
                    self.now = now
        return self.statics[key]

    def initialise(self, node: Node, address: int, type_: CType, init: Node) -> None:
        match type_, init:
            case (Array() | Record()), c_ast.InitList(exprs=parts):
                self.world.fill(address, self.size(type_), ZERO)
                members = self.layout(type_).members if isinstance(type_, Record) else ()
                for k, part in enumerate(parts):
                    if isinstance(part, c_ast.NamedInitializer):
                        raise StuckError("designator")
                    if isinstance(type_, Array):
                        self.initialise(node, address + k * self.size(type_.element), type_.element, part)
                    elif k < len(members) and members[k].bit_width is None:
                        self.initialise(node, address + members[k].offset, members[k].type, part)
                    else:
                        raise StuckError("initialiser")
            case Array(element=Integer(size=1) as character), c_ast.Constant(value=str(text)):
                known = codes(text)
                if known is None:
                    raise StuckError("text")
                self.world.fill(address, self.size(type_), ZERO)
                for k, code in enumerate(known):
                    self.store(node, Place(address + k, character), Value(character, code))
            case _, c_ast.InitList(exprs=[inner]):
                self.initialise(node, address, type_, inner)
            case _:
                self.store(node, Place(address, type_), self.value(init))



def declared(node: Node | None) -> Iterator[str]:
    match node:
        case c_ast.Decl(name=str(name)):
            yield name
        case c_ast.DeclList(decls=decls):
            for each in decls:
                yield from declared(each)
        case _:
            pass
