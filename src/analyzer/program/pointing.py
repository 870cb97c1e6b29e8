"""Memory as a function names it: from the objects and pointer expressions of the IR to `Pointer` paths."""

from collections.abc import Iterable

from models.expr import Expr, mul

from ..base.places import Place
from ..facts.loop import FunctionFacts
from ..ir.c_library import ALLOCATORS
from ..ir.invariance import varies
from ..ir.nodes import (
    Access,
    Address,
    Allocated,
    Anything,
    Call,
    Choice,
    Convert,
    Declared,
    Expression,
    Function,
    Held,
    Load,
    Object,
    Operation,
    Pointee,
    Returned,
    Rows,
    Text,
    Use,
    Variable,
    accesses_of,
    loops,
    statements,
)
from ..ir.polynomials import Poly
from ..source.ctypes import Array as ArrayType
from ..source.ctypes import CType
from ..source.ctypes import Pointer as PointerType
from .integers import integer
from .outline import Pointer, Region, Same


class Pointing:
    """Names the memory of one lowered function. `regions`, `labels` and `choices` (pointers that may be the same)
    collect what it met."""

    def __init__(self, function: Function, statics: frozenset[str]) -> None:
        self.function, self.statics = function, statics
        self.regions: dict[Pointer, Region] = {}
        self.labels: dict[Pointer, str] = {}
        self.choices: list[Same] = []

    def of_object(self, object_: Object) -> Pointer:
        match object_:
            case Declared(variable=variable):
                return self.declared(variable)
            case Pointee(variable=variable):
                return self.variable(variable)
            case Allocated(call=call, place=place):
                return self.heap(call, place, None)
            case Rows(base=base, field=field):
                return (*self.of_object(base), field)
            case Text():
                return ("text",)
            case Anything(pointer=Held(variable=variable)):
                return self.variable(variable)  # what it points to at one time or another
            case Anything(pointer=Returned(place=place)):
                return ("result", place)
            case Anything(text=text):
                return ("unknown", text)

    def declared(self, variable: Variable) -> Pointer:
        match variable.scope:
            case "global" if variable.name in self.statics:
                pointer: Pointer = ("static", variable.name)
            case "global":
                pointer = ("global", variable.name)
            case "static":
                pointer = ("static", f"{self.function.name}.{variable.name}")
            case _:
                pointer = ("local", variable.name, variable.place)
        size = self.size_of(variable)
        is_array = isinstance(variable.type, ArrayType)
        self.regions.setdefault(pointer, Region(pointer, variable.name, size, pointer[0] == "local", is_array))
        return pointer

    def size_of(self, variable: Variable) -> Expr | None:
        type_: CType = variable.type
        count = 1
        while isinstance(type_, ArrayType):
            length = type_.length
            if not isinstance(length, int):
                return None
            type_, count = type_.element, count * length
        size = getattr(type_, "size", None)
        return mul(count, size) if isinstance(size, int) else None

    def variable(self, variable: Variable) -> Pointer:
        """What a pointer variable points to."""
        pointer: Pointer = ("pointer", variable.name, variable.place)
        if variable.scope == "global":
            pointer = ("static", variable.name, "") if variable.name in self.statics else ("pointed", variable.name)
        elif variable.scope == "static":  # one for all calls
            pointer = ("static", f"{self.function.name}.{variable.name}", "")
        self.labels.setdefault(pointer, variable.name)
        return pointer

    def heap(self, call: str, place: Place, size: Expr | None) -> Pointer:
        pointer: Pointer = ("heap", place)
        known = self.regions.get(pointer)
        if known is None or (known.bytes is None and size is not None):
            self.regions[pointer] = Region(pointer, f"{call}@{place.line}", size, call != "calloc")
        return pointer

    def pointer(self, expression: Expression) -> Pointer | None:
        """The memory that the value of an expression leads to; None where it is no pointer, or to nothing known."""
        match expression:
            case Address(object=None) | Address(object=Text()):
                return None
            case Address(object=object_) if object_ is not None:
                return self.of_object(object_)
            case Use(variable=variable, type=PointerType()):
                return self.variable(variable)
            case Load(access=access) if isinstance(access.type, PointerType):
                return (*self.of_object(access.object), access.field)
            case Convert(argument=argument):
                return self.pointer(argument)
            case Call(name=name, place=place, arguments=arguments) if name in ALLOCATORS:
                sizes = [integer(a) for a in arguments[-2 if name == "calloc" else -1 :]]
                known = [size for size in sizes if size is not None]
                return self.heap(name, place, mul(*known) if known and len(known) == len(sizes) else None)
            case Call(name=name, place=place, made=Allocated()):
                return self.heap(name, place, None)
            case Call(place=place, type=PointerType()):
                return ("result", place)
            case Operation(arguments=arguments):
                return next((p for a in arguments if (p := self.pointer(a)) is not None), None)
            case Choice(then=then, otherwise=otherwise):
                left, right = self.pointer(then), self.pointer(otherwise)
                if left is not None and right is not None:
                    self.choices.append(Same(left, right))
                return left or right
            case _:
                return None


# --- what loops around change


def arrays(
    facts: FunctionFacts, statics: frozenset[str]
) -> tuple[dict[str, dict[str, Pointer]], dict[str, frozenset[str]], Pointing]:
    """By loop, the memory behind the names of the arrays in its facts, and the arrays of which it touches another
    section in each iteration of the loops around it."""
    pointing = Pointing(facts.function, statics)
    named: dict[str, dict[str, Pointer]] = {}
    varying: dict[str, frozenset[str]] = {}
    for loop in facts.loops:
        own = {loop.loop.key, *(inner.key for inner in loops(loop.loop.body))}
        accesses = [a for s in statements(loop.loop.body) for a in accesses_of(s)]
        named[loop.id] = {}
        for access in accesses:
            named[loop.id].setdefault(str(access.object), pointing.of_object(access.object))
        varying[loop.id] = frozenset(str(a.object) for a in accesses if moves(a, own))
    return named, varying, pointing


def moves(access: Access, own: Iterable[int] = ()) -> bool:
    """Whether the place of an access depends on a loop that is not among `own` (keys)."""
    return any(depends(s.index, frozenset(own)) for s in access.subscripts)


def depends(poly: Poly, own: frozenset[int] = frozenset()) -> bool:
    return any(varies(s, lambda loop: loop not in own, lambda read: True) for s in poly.symbols)
