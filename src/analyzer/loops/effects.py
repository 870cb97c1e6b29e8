"""Summaries of functions that are not followed: which parts of memory a call may read and write.

*Decides*: for a visible function that is too large to be followed from its callers, the sections of what its pointer
parameters lead to, and of arrays of the program, that it may read or write. A section has, per subscript, the numbers
between which it lies, or nothing. *Method*: the function is lowered on its own, once; every access in it counts,
whatever its control flow is. What it calls is part of that.
*Errs toward* None, no summary: it may leave the program, print, allocate, keep or return an address, follow a pointer
that it finds in memory, change a variable that is no local of its own, use something `volatile`, `_Atomic`,
`_Thread_local` or `static`, or calls what is not understood, itself among that.

    void scale(double m[2][2], double by) { m[0][0] *= by; m[0][1] *= by; ... }     reads and writes m[0..1][0..1]
    void fill(int n, int *a) { for (int k = 0; k < n; k++) a[k] = k; }              writes a[?]
    int next(void) { static int n; return n++; }                                    None
"""

from collections.abc import Iterator
from itertools import product
from math import prod

from msgspec import Struct
from msgspec.structs import replace
from pycparser import c_ast

from ..base.places import Place
from ..ir import nodes as ir
from ..ir.arithmetic import is_atomic, is_volatile
from ..ir.polynomials import Poly, Symbol
from ..ir.reasons import AssumptionKind
from ..source.ctypes import CType, Floating, Integer, Pointer, Void
from ..source.held import held
from ..source.unit import Definition, Unit
from . import inlining as following
from . import syntax

Span = tuple[int, int] | None
"""The first and the last value of a subscript; None: it may be any."""

MOST_TOUCHES = 100
MOST_ELEMENTS = 1000
DEEPEST = 8
"""Functions that are summarised for each other."""


class Touch(Struct, frozen=True):
    """A section that a call may read, or write: of what the parameter of this number leads to, or of the variable of
    the program by this name. `access` is one of those in it. `sure`: every call writes all of it."""

    root: int | str
    write: bool
    access: ir.Access
    spans: tuple[Span, ...]
    sure: bool = False


class Summary(Struct, frozen=True):
    """What a call may do to memory. `variables`: scalars of the program that it may read; `guesses`: names of it that
    only a missing header can define."""

    result: CType
    parameters: tuple[CType, ...]
    touches: tuple[Touch, ...]
    variables: tuple[str, ...]
    guesses: tuple[str, ...]
    error_paths: tuple[tuple[Place, str], ...] = ()
    """Where branches begin that are supposed not to be taken, and their tests."""

    @property
    def stores_anywhere(self) -> bool:
        """Whether it may write to elements of which nothing is known."""
        return any(touch.write and None in touch.spans for touch in self.touches)


def summary(unit: Unit, definition: Definition, supposing: bool = False) -> Summary | None:
    """The summary of a function (see the module), made once; `supposing`: where there is none, that of the function as
    it is when no error path is taken."""
    plain = _made(unit, definition, False)
    return _made(unit, definition, True) if supposing and plain is None else plain


def _made(unit: Unit, definition: Definition, supposing: bool) -> Summary | None:
    from .lower import lower_definition

    name, known = definition.name, _known(unit, supposing)
    if name not in known:
        begun: list[str] = unit.__dict__.setdefault("_summaries_begun", [])
        if name in begun or len(begun) >= DEEPEST:
            return None
        begun.append(name)
        if _may_be_made(unit, definition, supposing):
            function = lower_definition(unit, definition, supposing, called=supposing)
            known[name] = _of_function(unit, definition, function)
            if not supposing:
                _lowered(unit)[name] = function
        begun.pop()
    return known.setdefault(name, None)


def lowered(unit: Unit, definition: Definition) -> ir.Function:
    """The IR of a function, of which its summary is made as well where callers will ask for it; it is lowered once for
    both."""
    from .lower import lower_definition

    name, node, known = definition.name, definition.node, _known(unit, False)
    if name in _lowered(unit):
        return _lowered(unit).pop(name)
    function = lower_definition(unit, definition)
    large = node is not None and not following.can_be_followed(node)
    if large and name not in known and _may_be_made(unit, definition, False):
        known[name] = _of_function(unit, definition, function)
    return function


def _known(unit: Unit, supposing: bool) -> dict[str, Summary | None]:
    name = "_summaries_supposing" if supposing else "_summaries"
    found: dict[str, Summary | None] = unit.__dict__.setdefault(name, {})
    return found


def _lowered(unit: Unit) -> dict[str, ir.Function]:
    """Functions that were lowered for their summaries: they need not be again."""
    found: dict[str, ir.Function] = unit.__dict__.setdefault("_lowered", {})
    return found


def _may_be_made(unit: Unit, definition: Definition, supposing: bool) -> bool:
    """What a look at the syntax decides, before the function is lowered."""
    from .suppositions import is_open_in_calls

    node = definition.node
    if node is None or not all(isinstance(p, c_ast.Decl) for p in syntax.parameter_declarations(node)):
        return False
    if not isinstance(unit.type_of(node.decl.type.type), Void | Integer | Floating):
        return False
    return is_open_in_calls(unit, definition) if supposing else following.calls_nothing_else(unit, definition)


def _of_function(unit: Unit, definition: Definition, function: ir.Function) -> Summary | None:
    assert definition.node is not None
    result = unit.type_of(definition.node.decl.type.type)
    reading = _Reading(unit, function)
    if not function.complete or not reading.is_understood():
        return None
    types = tuple(v.type for v in function.parameters)
    touches = reading.found()
    if len(touches) > MOST_TOUCHES:
        return None
    return Summary(result, types, touches, tuple(reading.variables), function.guesses, tuple(reading.error_paths))


class _Reading:
    """A function that is read for its summary."""

    def __init__(self, unit: Unit, function: ir.Function) -> None:
        self.unit = unit
        self.body = function.body
        self.number = {v.key: k for k, v in enumerate(function.parameters)}
        self.touches: dict[object, Touch] = {}
        self.written: dict[object, set[tuple[int, ...]]] = {}
        """Elements that every call writes, by the place that they are of."""
        self.variables: dict[str, None] = {}
        self.error_paths: dict[tuple[Place, str], None] = {}

    def is_understood(self) -> bool:
        """Whether the function does nothing that a summary cannot say; what it does is noted."""
        return all(self._statement(s, around) for s, around in _statements(self.body, Around({}, True)))

    def found(self) -> tuple[Touch, ...]:
        """What it may read and write."""
        return tuple(self._settled(touch) for touch in self.touches.values())

    def _settled(self, touch: Touch) -> Touch:
        elements = _elements(touch.spans)
        written = self.written.get(_place(touch), set())
        return replace(touch, sure=touch.write and elements is not None and elements <= written)

    def _statement(self, s: ir.Statement, around: "Around") -> bool:
        if isinstance(s, ir.Refused) or not all(self._expression(e) for e in ir.evaluated(s)):
            return False
        loads = (e.access for e in ir.evaluated(s) if isinstance(e, ir.Load))
        if not all(self._access(a, around, write=False) for a in loads):
            return False
        match s:
            case ir.Branch(supposed=AssumptionKind.COLD, place=place, text=text):
                self.error_paths[place, text] = None
                return True
            case ir.Assign(target=ir.Variable() as variable):
                return variable.scope in ("local", "parameter") and self._is_ordinary(variable)
            case ir.Assign(target=ir.Access() as access, value=value):
                kept = isinstance(access.type, Integer | Floating) and not _leads(value)
                return kept and self._access(access, around, write=True)
            case _:
                return True

    def _expression(self, e: ir.Expression) -> bool:
        match e:
            case ir.Call():
                return (e.known or e.closed) and e.supposed is None and e.made is None and not e.pointers
            case ir.Use(variable=variable):
                if variable.scope == "global":
                    self.variables[variable.name] = None
                return variable.scope != "static" and self._is_ordinary(variable)
            case ir.Convert(type=Integer() | Floating(), argument=argument):
                return not _leads(argument)
            case ir.Address(object=ir.Declared(variable=variable)):
                return self._is_ordinary(variable)
            case _:
                return True

    def _is_ordinary(self, variable: ir.Variable) -> bool:
        """Whether a variable is neither volatile nor one per thread, nor a pointer that may be changed through its
        address."""
        types = tuple(held(variable.type, self.unit.layouts))
        special = variable.per_thread or any(is_volatile(t) or is_atomic(t) for t in types)
        moved = variable.addressed and variable.scope != "global" and any(isinstance(t, Pointer) for t in types)
        return not special and not moved

    def _access(self, access: ir.Access, around: "Around", write: bool) -> bool:
        """Notes an access; False where a summary cannot say what it touches."""
        if access.volatile or access.atomic or access.bits or not access.size:
            return False
        match access.object:
            case ir.Text():
                return not write
            case ir.Declared(variable=ir.Variable(scope="local" | "parameter") as variable):
                return self._is_ordinary(variable)
            case ir.Declared(variable=ir.Variable(scope="global", per_thread=False) as variable):
                root: int | str = variable.name
            case ir.Pointee(variable=variable) if variable.key in self.number:
                root = self.number[variable.key]
            case _:
                return False
        strides = tuple(s.stride.constant if s.stride is not None else None for s in access.subscripts)
        if None in strides or any(s.row_pointer for s in access.subscripts):
            return False
        spans = tuple(None if access.wraps else _span(s.index, around.counters) for s in access.subscripts)
        self._note(Touch(root, write, replace(access, restricted=(), wraps=()), spans), around.sure)
        return True

    def _note(self, touch: Touch, sure: bool) -> None:
        """Notes an access to a section; `sure`: to one element, which every call touches."""
        place = _place(touch)
        one = _elements(touch.spans) if all(span is not None and span[0] == span[1] for span in touch.spans) else None
        written = self.written.setdefault(place, set())
        if not touch.write and one is not None and one <= written:
            return  # its own value
        if touch.write and one is not None and sure:
            written |= one
        key = (place, touch.write)
        found = self.touches.get(key, touch)
        self.touches[key] = replace(found, spans=tuple(map(_hull, found.spans, touch.spans)))


def _place(touch: Touch) -> object:
    """Equal for sections of which the same subscripts are the same place."""
    access = touch.access
    units = tuple((s.stride, s.extent) for s in access.subscripts)
    return (touch.root, units, access.offset, access.size, access.type, access.structure)


def _elements(spans: tuple[Span, ...]) -> set[tuple[int, ...]] | None:
    """The elements of a section, if they are not too many."""
    known = [range(span[0], span[1] + 1) for span in spans if span is not None]
    return set(product(*known)) if len(known) == len(spans) and prod(map(len, known)) <= MOST_ELEMENTS else None


def _leads(e: ir.Expression) -> bool:
    """Whether a value is an address, or may be made of one."""
    if isinstance(e, ir.Load | ir.Use):
        return isinstance(e.type, Pointer)
    return isinstance(e, ir.Address) or any(map(_leads, ir.parts(e)))


# --- where subscripts lie

class Around(Struct, frozen=True):
    """The largest value of the counter of each loop around whose number of iterations is a number; `sure`: every call
    comes here."""

    counters: dict[Symbol, int]
    sure: bool


def _statements(body: tuple[ir.Statement, ...], around: Around) -> Iterator[tuple[ir.Statement, Around]]:
    """Every statement with what is around it."""
    for s in body:
        yield s, around
        perhaps = replace(around, sure=False)
        match s:
            case ir.Branch(then=then, otherwise=otherwise):
                yield from _statements(then, perhaps)
                yield from _statements(otherwise, perhaps)
            case ir.Loop(body=inner):
                most, counters = _most(s), around.counters
                test, rest = _at_the_test(inner)
                yield from _statements(test, perhaps if most is None else Around({**counters, s.counter: most}, False))
                last = {} if most is None else {s.counter: max(most - 1, 0)}
                yield from _statements(rest, Around({**counters, **last}, False))
            case _:
                pass
        if any(isinstance(each, ir.Exit) for each in ir.statements((s,))):
            around = perhaps


def _at_the_test(body: tuple[ir.Statement, ...]) -> tuple[tuple[ir.Statement, ...], tuple[ir.Statement, ...]]:
    """What is done up to the test of a loop, perhaps once more than the rest, and the rest."""
    tests = [k for k, s in enumerate(body) if _holds_test(s)]
    end = tests[-1] + 1 if tests else 0
    return body[:end], body[end:]


def _holds_test(s: ir.Statement) -> bool:
    """Whether the test of the loop around is in a statement."""
    match s:
        case ir.Branch(then=then, otherwise=otherwise):
            return any(map(_holds_test, (*then, *otherwise)))
        case _:
            return isinstance(s, ir.Evaluate) and s.control


def _most(loop: ir.Loop) -> int | None:
    """How often a loop runs at most: the value of its counter in its last test."""
    if loop.wraps or loop.presumed or loop.trip is None:
        return None
    found = [most for r in loop.trip if (most := r.constant) is not None]
    return max(min(found), loop.at_least, 0) if found else None


def _span(index: Poly, counters: dict[Symbol, int]) -> Span:
    if not index.is_affine or not index.symbols <= counters.keys():
        return None
    low = high = index.constant_term
    for s in index.symbols:
        by = (index.coefficient(s).constant or 0) * counters[s]
        low, high = low + min(by, 0), high + max(by, 0)
    return low, high


def _hull(a: Span, b: Span) -> Span:
    return None if a is None or b is None else (min(a[0], b[0]), max(a[1], b[1]))
