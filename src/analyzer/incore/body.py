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
from typing import assert_never, get_args

from msgspec import Struct

from models.incore import Needs

from ..base.places import Place
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
    Opaque,
    Operation,
    Predicate,
    Refused,
    Statement,
    Use,
    Variable,
    unconverted,
)
from ..ir.polynomials import Poly, Symbol, number
from ..source.ctypes import Complex, CType, Floating
from .courses import Spot, Touched, course_of, is_even, spot, varies_in
from .guards import UNKNOWN, is_guard, tests
from .guards import share as guarded
from .instructions import (
    BITS,
    COMPARISONS,
    WIDENING,
    divided,
    goes_on,
    instruction,
    is_extremum,
    is_product,
    kind,
    selects,
    simplified,
)
from .stores import Stores
from .unrolling import is_unrolled, trips
from .ways import Edge, Source, Value, Way, Ways, after, longest

SELECTION = "compare"
TRAPPING = ("+", "-", "*", "/")
"""Operations on floats that set flags, or stop the program (-ftrapping-math, which gcc takes for granted)."""
MASKED = 4
"""Bytes of the smallest elements that vectors of AVX leave out of an access."""


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
        self.stores = Stores(loop)
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
        self.stored[spot(touched)] = ways
        self.left.setdefault(("store", self.stores.number(s.target)), []).append(ways)

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
        selected = selects(s)
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
        return isinstance(predicate, Data) or varies_in(self.loop, predicate.value.symbols)

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
        for at in range(trips(inner)):
            self.numbers[inner.counter] = number(at)
            self.run(inner.body, share)
        self.numbers.pop(inner.counter, None)

    # --- expressions

    def _value(self, e: Expression, share: float) -> Ways:
        match e:
            case Literal():
                return {}
            case Use(value=value, variable=variable):
                if value is not None and is_even(self.loop, value, value.coefficient(self.loop.counter)):
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
                if not is_extremum(condition, then, otherwise):
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
                return self._call(simplified(e), longest([self._value(a, share) for a in arguments]), share)
            case Address(index=index):
                return longest([self._value(a, share) for a in index])
            case Opaque(parts=parts):
                return longest([self._value(a, share) for a in parts])
            case _:
                assert_never(e)

    def _operation(self, e: Operation, share: float) -> Ways:
        """Sums are deep on the left, so that their operations are taken one by one from there."""
        chain = [e]
        while goes_on(chain[-1]):
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
        product = None if not word.startswith("add ") else next((a for a in e.arguments if is_product(a)), None)
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
        steps = divided(e) if word == "integer-divide" else (word,)
        for step in steps:
            self._do(step, share)
        if isinstance(e.type, Floating | Complex) and e.operator in TRAPPING:
            self._may_trap("floats")
        if isinstance(e.type, Floating | Complex) or e.operator in WIDENING:
            self._widen(e.type)
        return reduce(after, steps, longest(ways.values()))

    def _call(self, name: str, ways: Ways, share: float) -> Ways:
        plain, word = name.removeprefix("__builtin_"), instruction(name)
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
        if (known := self.stored.get(spot(touched))) is not None:
            return known
        found: dict[Source, Way] = dict(after(address, f"load {access.object}"))
        for at in self.stores.to(access.object):
            distance = None if self.numbers else self.stores.distance(at, touched.course)
            if distance is not None:
                found[("store", at), distance] = Way() if self.stores.stays(at) else Way().then("forward")
        return found

    def _touch(self, access: Access, share: float, is_store: bool) -> Touched:
        touched = Touched(access, course_of(self.loop, access, self.numbers), is_store, share)
        key = self._place_of(touched), is_store
        self.always.add(key)
        if key not in self.places:
            self.places[key] = access.size
            if not touched.course.fixed or (is_store and not self.stores.stays(self.stores.number(access))):
                self.touched.append(touched)
        return touched

    def _place_of(self, touched: Touched) -> Spot:
        """Its element; of one that no polynomial says, that of this iteration of unrolled loops."""
        object_, row, address = spot(touched)
        if touched.course.regular or not self.numbers:
            return object_, row, address
        return object_, (*row, *self.numbers.values()), address

    def edges(self) -> Iterator[Edge]:
        """Which value that an iteration leaves needs which of those before."""
        ends: dict[Value, Ways] = {("scalar", key): self.held[key] for key in self.assigned}
        ends |= {value: longest(ways) for value, ways in self.left.items()}
        for target, ways in ends.items():
            for (source, distance), way in ways.items():
                if source in ends:
                    yield Edge(source, target, way, distance)


