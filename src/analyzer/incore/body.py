"""One iteration of a loop as a core does it: operations, accesses, and ways of dependences.

The body is walked once, in order, with what each scalar holds. Counted is what compilers leave: an access once per
iteration and element, none whose place stays the same, no addresses, a product and a sum as one operation, and of two
sides of a branch each as often as it is taken. A value goes from a store to the load of a later iteration where their
places differ by a number of iterations; it stays in a register where no other store of the loop may change the same
memory (predictive commoning and store motion of compilers), and otherwise goes through memory (`forward`).

*Takes* a loop within, of a few iterations, as unrolled; another one is left out.
*Does not see* what a compiler simplifies by algebra, and conditions that it takes out of the loop.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from typing import TypeAlias, assert_never, get_args

from msgspec import Struct

from models.incore import Needs, Pace

from ..base.places import Place
from ..counts.coalescing import is_filled
from ..ir.c_library import cost
from ..ir.invariance import varies
from ..ir.members import element_part, row_part
from ..ir.nodes import (
    Access,
    Address,
    All,
    Any,
    Assign,
    Branch,
    Call,
    Choice,
    Convert,
    Data,
    Evaluate,
    Exit,
    Expression,
    Literal,
    Load,
    Loop,
    Object,
    Opaque,
    Operation,
    Predicate,
    Refused,
    Statement,
    Use,
    Variable,
    statements,
    unconverted,
)
from ..ir.polynomials import ZERO, Poly, Symbol, number
from ..source.ctypes import Complex, CType, Floating
from .guards import UNKNOWN, is_guard, tests
from .guards import share as guarded
from .memory import distinct
from .ways import Edge, Source, Value, Way, Ways, after, longest

UNROLLED = 16
"""Iterations of a loop that compilers unroll completely where its body is small (gcc: max-completely-peel-times)."""
UNROLLED_STATEMENTS = 96
"""Statements that there are then (gcc: max-completely-peeled-insns, 200)."""
SELECTION = "compare"
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
WIDENING = ("+", "-", "*", "<<", ">>")
"""Operations on integers that vectors do in the type that C promotes to; comparisons and bits stay in memory's."""
BITS = ("popcount", "clz", "ctz", "ffs", "parity")
"""Functions of compilers that are an instruction, and count bits or look for one: on x86 in the time of a product."""
TRAPPING = ("+", "-", "*", "/")
"""Operations on floats that set flags, or stop the program (-ftrapping-math, which gcc takes for granted)."""
MASKED = 4
"""Bytes of the smallest elements that vectors of AVX leave out of an access."""
NO_INSTRUCTION = ("round", "lround", "llround")
"""Functions of few operations that are calls without -ffast-math: they round half away from zero, as no instruction."""
LINE = 64
"""Bytes of a line: of x86 and of most Arm processors."""
INSTRUCTION = 2
"""Operations of a library function up to which compilers put an instruction in its place."""


class Course(Struct, frozen=True):
    """The places that an access goes through: `address` in bytes from the start of its `row`, which the subscripts of
    the pointers say that are followed on the way (none: from the start of the object), and `step`, in bytes from one
    iteration to the next. `regular`: every iteration accesses the same row, and goes on by the same step."""

    row: tuple[Poly, ...]
    address: Poly
    step: Poly
    regular: bool

    @property
    def fixed(self) -> bool:
        """Whether every iteration accesses the same place."""
        return self.regular and not self.step.terms

    @property
    def is_shifted(self) -> bool:
        """Whether it begins elsewhere than at a line, if its array and the rows of it begin there."""
        return self.regular and self.address.constant_term % LINE != 0


class Touched(Struct, frozen=True):
    """One access of the body; `share`: in how many of the iterations it is made."""

    access: Access
    course: Course
    is_store: bool
    share: float


class Done(Struct, frozen=True):
    """What an iteration does. `work`: operations by kind; `masked`: with both sides of all branches; `edges`: which
    value needs which; `calls`: functions that are called; `leaves`: the loop may end in it; `needs`: for what only some
    iterations do, among others; `split`: an unrolled loop in it asks where the counter is."""

    work: Mapping[str, float]
    masked: Mapping[str, float]
    touched: tuple[Touched, ...]
    edges: tuple[Edge, ...]
    calls: tuple[str, ...]
    leaves: bool
    element: int
    needs: Needs
    split: bool


def done_in(loop: Loop, weights: Mapping[int, float]) -> Done:
    """One iteration of the loop; `weights`: by line how often a branch on data is taken. Worked out once: all loops
    around ask for it."""
    known: tuple[Mapping[int, float], Done] | None = loop.__dict__.get("_done")
    if known is not None and known[0] == weights:
        return known[1]
    walk = _Walk(loop, weights)
    walk.run(loop.body, 1.0)
    walk.compiled_calls()
    edges, touched, calls = tuple(walk.edges()), tuple(walk.touched), tuple(walk.calls)
    for key, size in walk.places.items():
        if key not in walk.always:
            walk.need("accesses" if size >= MASKED else "rich")
    done = Done(walk.work, walk.masked, touched, edges, calls, walk.leaves, walk.element, walk.needs, walk.split)
    loop.__dict__["_done"] = weights, done
    return done


def is_unrolled(loop: Loop) -> bool:
    """Whether compilers put the iterations of an inner loop one after the other."""
    return 0 < _times(loop) <= UNROLLED and _unrolled_statements(loop) <= UNROLLED_STATEMENTS


def _times(loop: Loop) -> int:
    """The number of iterations, where the code says it; else 0."""
    known = [r.numerator.constant for r in loop.trip or () if r.denominator == 1]
    return min((t for t in known if t is not None), default=0) if loop.exact_trip and None not in known else 0


def _unrolled_statements(loop: Loop) -> int:
    """With all loops within unrolled; many where one of them cannot be."""
    total = 0
    for s in loop.body:
        if isinstance(s, Loop):
            total += _unrolled_statements(s) if _times(s) else UNROLLED_STATEMENTS
        elif not (isinstance(s, Evaluate) and s.control) and not (isinstance(s, Assign) and s.induction):
            total += 1
    return total * (_times(loop) or 1)


def kind(operator: str, type_: CType) -> str:
    """The operation of a core that an operator of this type is.

    Example: `kind("*", double)` is `multiply fp64`."""
    if isinstance(type_, Floating | Complex):
        part = type_.part if isinstance(type_, Complex) else type_
        word = {"+": "add", "-": "add", "*": "multiply", "/": "divide"}.get(operator, "compare")
        return f"{word} {'fp32' if part.size <= 4 else 'fp64'}"
    if operator in COMPARISONS:
        return "compare"
    return {"*": "integer-multiply", "/": "integer-divide", "%": "integer-divide"}.get(operator, "integer")


def paces(touched: Iterable[Touched]) -> list[tuple[Touched, Pace, int]]:
    """Each access with how far it moves from one iteration to the next, and how many elements side by side an iteration
    accesses there: `unit` also for members of structures, if these are all of them."""
    everything = list(touched)
    groups: dict[object, set[Poly]] = {}
    for t in everything:
        groups.setdefault(_group(t), set()).add(t.course.address)
    return [(t, *_pace(t, len(groups[_group(t)]))) for t in everything]


def _group(t: Touched) -> object:
    return t.access.object, t.course.row, t.is_store, t.course.step


def _pace(t: Touched, beside: int) -> tuple[Pace, int]:
    if not t.course.regular:
        return "scattered", 1
    step, size = t.course.step.constant, t.access.size
    if step is None or not size or not is_filled(step, size, beside):  # of a type that nothing declares: no size
        return "apart", 1
    return "unit", max(1, abs(step) // size)


Spot: TypeAlias = tuple[Object, tuple[Poly, ...], Poly]
"""An element of memory: an object, a row of it, and the address there."""


class _Walk:
    """The walk through one iteration."""

    def __init__(self, loop: Loop, weights: Mapping[int, float]) -> None:
        self.loop, self.weights = loop, weights
        self.work: dict[str, float] = {}
        self.masked: dict[str, float] = {}
        self.touched: list[Touched] = []
        self.calls: list[str] = []
        self.leaves = False
        self.element = 0
        self.needs: Needs = "nothing"
        self.split = False
        self.chosen = False
        """Whether only some iterations come here."""
        self.always: set[tuple[Spot, bool]] = set()
        """The places that are accessed whatever the conditions around this one say."""
        self.held: dict[int, Ways] = {}
        self.assigned: dict[int, None] = {}
        self.stored: dict[Spot, Ways] = {}
        self.places: dict[tuple[Spot, bool], int] = {}
        """All that are accessed, with their size in bytes."""
        self.numbers: dict[Symbol, Poly] = {}
        targets = (s.target for s in statements(loop.body) if isinstance(s, Assign))
        self.stores = [target for target in targets if isinstance(target, Access)]
        self.number = {id(store): at for at, store in enumerate(self.stores)}
        self.stores_to: dict[Object, list[int]] = {}
        for at, store in enumerate(self.stores):
            self.stores_to.setdefault(store.object, []).append(at)
        self.kept: dict[int, bool] = {}
        self.courses: dict[int, Course] = {}
        self.left: dict[Value, list[Ways]] = {}
        self.entered: dict[Place, list[str]] = {}
        for call in loop.compiled_calls:
            self.entered.setdefault(call.place, []).append(call.name)

    # --- statements

    def run(self, body: Iterable[Statement], share: float) -> None:
        for s in body:
            if waiting := self.entered.get(s.place):
                self._enter(waiting.pop(), share)
            match s:
                case Assign(induction=True):
                    continue
                case Assign():
                    self._assign(s, share)
                case Evaluate(control=True):
                    continue
                case Evaluate(value=value):
                    self._value(value, share)
                case Branch():
                    self._branch(s, share)
                case Loop():
                    self._inner(s, share)
                case Exit(kind=how):
                    self.leaves = self.leaves or how != "continue"
                case Refused():
                    self.leaves = True
                case _:
                    assert_never(s)

    def compiled_calls(self) -> None:
        """Those of which no statement shows how often they are made."""
        for name in (name for waiting in self.entered.values() for name in waiting):
            self._enter(name, 1.0)

    def _enter(self, name: str, share: float) -> None:
        self.calls.append(name)
        self._do("enter", share)

    def _assign(self, s: Assign, share: float) -> None:
        ways = self._value(s.value, share)
        if isinstance(s.target, Variable):
            self.held[s.target.key] = ways
            self.assigned[s.target.key] = None
            return
        for index in s.index:
            self._value(index, share)
        touched = self._touch(s.target, share, is_store=True)
        self.stored[_spot(touched)] = ways
        self.left.setdefault(("store", self.number[id(s.target)]), []).append(ways)

    def _branch(self, s: Branch, share: float) -> None:
        ways = self._condition(s.condition, share)
        on_data, differs = not is_guard(s.predicate), self._differs(s.predicate)
        self._test(s.predicate, share)
        taken = 0.0 if s.supposed is not None else self._taken(s, on_data)
        before, chosen, always = self.held, self.chosen, self.always
        self.chosen = chosen or differs
        one, then = self._arm(s.then, share * taken, before, always)
        other, otherwise = self._arm(s.otherwise, share * (1 - taken), before, always)
        self.held, self.chosen = other, chosen
        self.always = then & otherwise if differs else then | otherwise
        selected = _selects(s)
        if on_data and not selected:
            self.work["branch"] = self.work.get("branch", 0.0) + share * min(taken, 1 - taken)
        for key in one.keys() | other.keys():
            if one.get(key) == other.get(key):
                continue
            begin = before.get(key, {(("scalar", key), 1): Way()})
            both = longest((one.get(key, begin), other.get(key, begin)))
            self.held[key] = after(longest((ways, both)), SELECTION) if selected else both

    def _arm(
        self, body: Iterable[Statement], share: float, held: dict[int, Ways], always: set[tuple[Spot, bool]]
    ) -> tuple[dict[int, Ways], set[tuple[Spot, bool]]]:
        """What variables hold behind an arm of a branch, and the places that were accessed by then."""
        self.held, self.always = dict(held), set(always)
        self.run(body, share)
        return self.held, self.always

    def _taken(self, s: Branch, on_data: bool) -> float:
        """In how many iterations its condition holds."""
        return self.weights.get(s.place.line, UNKNOWN) if on_data else guarded(s.predicate, self.loop, self.numbers)

    def _differs(self, predicate: Predicate) -> bool:
        """Whether a condition may hold in some iterations of the loop and not in others."""
        if isinstance(predicate, All | Any):
            return any(map(self._differs, predicate.parts))
        return isinstance(predicate, Data) or self._varies(predicate.value.symbols)

    def _test(self, predicate: Predicate, share: float) -> None:
        """What is asked of the counter in each iteration: a comparison and a jump are one operation."""
        for _ in range(tests(predicate, self.loop.counter)):
            self._do("integer", share)
            self.split = self.split or bool(self.numbers)

    def _condition(self, e: Expression, share: float) -> Ways:
        """The ways to what is compared: the comparison and a selection by it are one operation (the larger of two)."""
        plain = unconverted(e)
        if isinstance(plain, Operation) and plain.operator in COMPARISONS and not plain.address:
            self._do(kind(plain.operator, plain.type), share)
            if isinstance(plain.type, Floating):
                self._widen(plain.type)
            return longest([self._value(a, share) for a in plain.arguments])
        return self._value(e, share)

    def _select(self, type_: CType) -> None:
        """A selection of its own in vectors; otherwise it is one operation with the comparison, or a jump."""
        word = kind("<", type_)
        self.masked[word] = self.masked.get(word, 0.0) + 1

    def _inner(self, inner: Loop, share: float) -> None:
        """A loop that is unrolled: its iterations one after the other, each with its number in place of the counter.
        Another one does what it does by itself."""
        if not is_unrolled(inner):
            return
        for at in range(_times(inner)):
            self.numbers[inner.counter] = number(at)
            self.run(inner.body, share)
        self.numbers.pop(inner.counter, None)

    # --- expressions

    def _value(self, e: Expression, share: float) -> Ways:
        match e:
            case Literal():
                return {}
            case Use(value=value, variable=variable):
                if value is not None and self._is_even(value, value.coefficient(self.loop.counter)):
                    return {}  # the counter says what it is
                return self.held.setdefault(variable.key, {(("scalar", variable.key), 1): Way()})
            case Load(access=access, index=index):
                return self._load(access, index, share)
            case Operation(arguments=arguments, address=True):
                return longest([self._value(a, share) for a in arguments])
            case Operation():
                return self._operation(e, share)
            case Choice(operator=operator, condition=condition, predicate=predicate, then=then, otherwise=otherwise):
                sides = [self._condition(condition, share)]
                if operator == "?:" and tests(predicate, self.loop.counter):
                    self._do("integer", share)  # the comparison
                    self._do("integer", share)  # the selection
                chosen, self.chosen = self.chosen, self.chosen or self._differs(predicate)
                sides += (self._value(side, share) for side in (then, otherwise))
                self.chosen = chosen
                if not _is_extremum(condition, then, otherwise):
                    self._select(e.type)
                return after(longest(sides), SELECTION)
            case Convert(argument=argument, type=type_):
                ways = self._value(argument, share)
                if isinstance(type_, Floating) == isinstance(getattr(argument, "type", type_), Floating):
                    return ways
                self._do("convert", share)
                if isinstance(type_, Floating):
                    self._may_trap("conversions")
                return after(ways, "convert")
            case Call(arguments=arguments):
                return self._call(_simplified(e), longest([self._value(a, share) for a in arguments]), share)
            case Address(index=index):
                return longest([self._value(a, share) for a in index])
            case Opaque(parts=parts):
                return longest([self._value(a, share) for a in parts])
            case _:
                assert_never(e)

    def _operation(self, e: Operation, share: float) -> Ways:
        """Sums are deep on the left, so that their operations are taken one by one from there."""
        chain = [e]
        while _goes_on(chain[-1]):
            first = chain[-1].arguments[0]
            assert isinstance(first, Operation)
            chain.append(first)
        ways: Ways | None = None
        for operation in reversed(chain):
            ways = self._one(operation, ways, share)
        return ways or {}

    def _one(self, e: Operation, first: Ways | None, share: float) -> Ways:
        """Of an operation whose first operand has these ways, where it is known already."""
        word = kind(e.operator, e.type)
        product = None if not word.startswith("add ") else next((a for a in e.arguments if _is_product(a)), None)
        known = {} if first is None else {0: first}
        ways = {
            at: known[at] if at in known else self._value(a, share)
            for at, a in enumerate(e.arguments)
            if a is not product
        }
        if product is not None:
            assert isinstance(product, Operation)
            factors = longest([self._value(a, share) for a in product.arguments])
            precision = word.partition(" ")[2]
            self._may_trap("floats")
            self._do(f"fused {precision}", share)
            self._widen(e.type)
            return longest((after(factors, f"fused {precision}"), after(longest(ways.values()), word)))
        steps = _divided(e) if word == "integer-divide" else (word,)
        for step in steps:
            self._do(step, share)
        if isinstance(e.type, Floating | Complex) and e.operator in TRAPPING:
            self._may_trap("floats")
        if isinstance(e.type, Floating | Complex) or e.operator in WIDENING:
            self._widen(e.type)
        return reduce(after, steps, longest(ways.values()))

    def _call(self, name: str, ways: Ways, share: float) -> Ways:
        plain, word = name.removeprefix("__builtin_"), _instruction(name)
        if plain.startswith(BITS):
            self.need("rich")
        if word.startswith(("call", "root")):
            self.calls.append(plain)
        self._do(word, share)
        return after(ways, word)

    def _do(self, kind: str, share: float) -> None:
        self.work[kind] = self.work.get(kind, 0.0) + share
        self.masked[kind] = self.masked.get(kind, 0.0) + 1

    def need(self, more: Needs) -> None:
        """Something that vectors cannot do as they do all else."""
        self.needs = max(self.needs, more, key=get_args(Needs).index)

    def _may_trap(self, what: Needs) -> None:
        """An operation on floats, which compilers do only where C does it."""
        if self.chosen:
            self.need(what)

    def _widen(self, type_: CType) -> None:
        part = type_.part if isinstance(type_, Complex) else type_
        self.element = max(self.element, getattr(part, "size", 0) or 0)  # nobody knows the size of an undeclared type

    # --- memory

    def _load(self, access: Access, index: Iterable[Expression], share: float) -> Ways:
        address = longest([self._value(part, share) for part in index])
        touched = self._touch(access, share, is_store=False)
        if (known := self.stored.get(_spot(touched))) is not None:
            return known
        found: dict[Source, Way] = dict(after(address, f"load {access.object}"))
        for at in self.stores_to.get(access.object, ()):
            distance = self._distance(at, touched.course)
            if distance is not None:
                found[("store", at), distance] = Way() if self._stays(at) else Way().then("forward")
        return found

    def _touch(self, access: Access, share: float, is_store: bool) -> Touched:
        touched = Touched(access, self._course(access, self.numbers), is_store, share)
        key = self._place_of(touched), is_store
        self.always.add(key)
        if key not in self.places:
            self.places[key] = access.size
            if not touched.course.fixed or (is_store and not self._stays(self.number[id(access)])):
                self.touched.append(touched)
        return touched

    def _place_of(self, touched: Touched) -> Spot:
        """Its element; of one that no polynomial says, that of this iteration of unrolled loops."""
        object_, row, address = _spot(touched)
        if touched.course.regular or not self.numbers:
            return object_, row, address
        return object_, (*row, *self.numbers.values()), address

    def _course(self, access: Access, numbers: Mapping[Symbol, Poly]) -> Course:
        """`numbers`: those of the counters of unrolled loops."""
        row, address = _place(access)
        if address is None:
            return Course(row, ZERO, ZERO, regular=False)
        if numbers:
            row, address = tuple(i.substitute(numbers) for i in row), address.substitute(numbers)
        step = address.coefficient(self.loop.counter)
        stays = not any(self._varies(i.symbols) for i in row)
        return Course(row, address, step, stays and self._is_even(address, step))

    def _is_even(self, address: Poly, step: Poly) -> bool:
        rest = address.without(self.loop.counter).symbols
        if self.loop.counter in step.symbols or not address.is_linear_in((self.loop.counter,)):
            return False
        return not self._varies((*rest, *step.symbols))

    def _varies(self, symbols: Iterable[Symbol]) -> bool:
        return any(varies(s, {self.loop.key}.__contains__, lambda read: True) for s in symbols)

    def _distance(self, at: int, load: Course) -> int | None:
        """How many iterations before the load the store to its object wrote its place; None where that is no number
        >= 1."""
        store = self._store(at)
        if self.numbers or not (load.regular and store.regular) or (store.row, store.step) != (load.row, load.step):
            return None
        apart = load.address.distance(store.address)
        if apart is None:
            return None
        if load.fixed:
            return 1 if apart == 0 else None
        size = load.step.constant
        if not size or apart % size or apart // size < 1:
            return None
        return apart // size

    def _store(self, at: int) -> Course:
        """The course of a store, loops within taken as they are."""
        if at not in self.courses:
            self.courses[at] = self._course(self.stores[at], {})
        return self.courses[at]

    def _stays(self, at: int) -> bool:
        """Whether what this store leaves can be kept in a register: no other store of the loop may change its place."""
        if at not in self.kept:
            self.kept[at] = self._is_kept(at)
        return self.kept[at]

    def _is_kept(self, at: int) -> bool:
        store, course = self.stores[at], self._store(at)
        if not course.regular:
            return False
        for object_, numbers in self.stores_to.items():
            if object_ == store.object:
                beside = map(self._store, numbers)
                if any(b.row != course.row or (b.address - course.address).constant is None for b in beside):
                    return False
            elif not distinct(object_, store.object) and any(self.stores[n].type == store.type for n in numbers):
                return False
        return True

    def edges(self) -> Iterator[Edge]:
        """Which value that an iteration leaves needs which of those before."""
        ends: dict[Value, Ways] = {("scalar", key): self.held[key] for key in self.assigned}
        ends |= {value: longest(ways) for value, ways in self.left.items()}
        for target, ways in ends.items():
            for (source, distance), way in ways.items():
                if source in ends:
                    yield Edge(source, target, way, distance)


def _spot(t: Touched) -> Spot:
    return t.access.object, t.course.row, t.course.address


def _place(access: Access) -> tuple[tuple[Poly, ...], Poly | None]:
    """The subscripts up to the last pointer that is followed, and the bytes from where it leads to; None for elements
    of a size that nothing declares."""
    row, behind = row_part(access), element_part(access)
    parts = [s.index * s.stride for s in behind if s.stride is not None]
    if len(parts) < len(behind):
        return tuple(s.index for s in access.subscripts), None
    return tuple(s.index for s in row), Poly.sum(parts) + access.offset


def _selects(s: Branch) -> bool:
    """Whether compilers make a selection of the branch: at most two scalars, which nothing dear computes, and no
    arithmetic on floats, which may trap."""
    sides = (*s.then, *s.otherwise)
    return len(sides) <= 2 and all(
        isinstance(a, Assign) and isinstance(a.target, Variable) and _is_cheap(a.value) for a in sides
    )


def _is_extremum(condition: Expression, then: Expression, otherwise: Expression) -> bool:
    """`a < b ? a : b`: one operation that compares and selects."""
    match unconverted(condition):
        case Operation(operator="<" | "<=" | ">" | ">=", arguments=arguments):
            compared = [unconverted(a) for a in arguments]
            return all(any(unconverted(side) == a for a in compared) for side in (then, otherwise))
        case _:
            return False


def _is_cheap(e: Expression) -> bool:
    match unconverted(e):
        case Literal() | Use() | Load():
            return True
        case Operation(operator="+" | "-", arguments=arguments, type=type_) if not isinstance(type_, Floating):
            return all(isinstance(unconverted(a), Literal | Use | Load) for a in arguments)
        case _:
            return False


def _divided(e: Operation) -> tuple[str, ...]:
    """What compilers put in place of a division of integers, or its remainder, by a number: a shift and what corrects
    it for negative ones, or a product with the reciprocal."""
    divisor = unconverted(e.arguments[-1])
    if not isinstance(divisor, Literal):
        return ("integer-divide",)
    if _is_power_of_two(divisor.value):
        return ("integer",) if not getattr(e.type, "signed", True) else ("integer",) * 3
    quotient = ("integer-multiply", "integer")
    return quotient if e.operator == "/" else (*quotient, "integer-multiply", "integer")


def _is_power_of_two(value: int | float) -> bool:
    return isinstance(value, int) and value > 0 and value & (value - 1) == 0


def _goes_on(e: Operation) -> bool:
    """Whether the first operand is an operation by itself: no product that is done with the sum, no address."""
    first = e.arguments[0] if e.arguments else None
    return isinstance(first, Operation) and not first.address and not (e.operator in ("+", "-") and _is_product(first))


def _is_product(e: Expression) -> bool:
    return isinstance(e, Operation) and e.operator == "*" and isinstance(e.type, Floating)


def _simplified(call: Call) -> str:
    """What compilers call in place of a function: `square`, of two factors, of `pow(x, 2)`."""
    stem = call.name.removeprefix("__builtin_").removesuffix("f")
    exponent = unconverted(call.arguments[-1]) if stem == "pow" and call.arguments else None
    if isinstance(exponent, Literal) and exponent.value == 2:
        return call.name.replace("pow", "square")
    return call.name


def _instruction(name: str) -> str:
    """The operation that a function is, a root among them; `call` where compilers leave it."""
    plain = name.removeprefix("__builtin_")
    stem = plain.removesuffix("f")
    precision = "fp32" if plain != stem else "fp64"
    if plain.startswith(BITS):
        return "integer-multiply"
    if stem in ("sqrt", "fma", "square"):
        return {"sqrt": "root", "fma": "fused", "square": "multiply"}[stem] + f" {precision}"
    if stem not in NO_INSTRUCTION and _operations(name) <= INSTRUCTION:
        return f"compare {precision}"
    return f"call {plain}"


def _operations(name: str) -> int:
    try:
        found = cost(name)
    except KeyError:
        return INSTRUCTION + 1
    return found.flops + found.fp_other + found.int_ops
