"""Which conditions on data are satisfiable: memory may hold anything at function entry.

*Decides*: for conditions that the program evaluates in two iterations of a loop, whether some contents of parameters,
globals and the memory behind them give each the wanted outcome, all at once.
*Method*: each condition gets a lever (`free_inputs`): a load, an argument or the result of an unseen call that the
conditions before it do not mention and that nothing in view has written. Setting the levers in the order in which they
were found satisfies all: none changes a condition that was settled earlier.
*Errs toward* no: memory that the function wrote before the loop, its own arrays and `const` data are not free.
*Limits*: the contents are those at the first entry of the loop; who uses them fixes the counters of outer loops at 0.

    if (b[i] > 0) { j++; a[j] = b[i]; }      ->  can be true in one iteration and in the next
    if (b[i] > 0) x = 1; if (b[i] > 0) y = x;  ->  cannot be false at the first and true at the second
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from models.expr.nodes import remembered

from ...access.accesses import Departure, Guard, Occurrence
from ...access.dataflow import assignments
from ...access.domains import says
from ...access.subscripts import subscripts
from ...ir.arithmetic import interval
from ...ir.c_library import never_returns
from ...ir.conditions import Known, conjuncts, is_truth, truth
from ...ir.members import disjoint_members
from ...ir.nodes import (
    Access,
    Call,
    Choice,
    Counter,
    Entry,
    Evaluate,
    Expression,
    Literal,
    Load,
    Loaded,
    Operation,
    Use,
    Variable,
    parts,
    unconverted,
)
from ...ir.polynomials import Poly, number
from ...ir.same import same
from ...source.ctypes import Integer
from ..iterations import EARLIER, LATER
from ..ordering import never_zero
from ..scope import Scope
from ..unreached import unreached
from .entry_values import carried_before, comes_first, free_contents, is_const, walks
from .free_inputs import MIRRORED, NEGATED, Lever, is_free, levers, reaches

FOLLOWED = (Entry, Counter, Loaded)
"""Values that are not computed from others in a way that is not seen."""

MOST_DEMANDS = 40
"""Conditions settled together; with more, nothing is promised."""


class Demand(Struct, frozen=True):
    """That a condition holds, or does not, in the earlier or the later iteration."""

    condition: Expression
    holds: bool
    side: int


class Mention(Struct, frozen=True):
    """A value that a condition depends on, in one of the two iterations."""

    leaf: Load | Use | Call
    side: int


def possible(
    scope: Scope,
    demands: Iterable[Demand],
    fixed: Iterable[Mention] = (),
    entering: frozenset[int] = frozenset(),
    distance: int | None = None,
) -> bool:
    """Whether some contents satisfy all demands, those of the earlier iteration first, without a change to the values
    that are `fixed` otherwise. `entering`: scalars that have the values with which the iteration began wherever the
    demands mention them. `distance`: how far the iterations are apart, if that is chosen. Example: see the module."""
    demands = list(demands)
    if len(demands) > MOST_DEMANDS:
        return False
    choice = _Contents(scope, entering, list(fixed), distance)
    return all(choice.settle(d.condition, d.holds, d.side) for d in sorted(demands, key=lambda d: d.side))


def staying(
    scope: Scope, but: Departure | None = None, tested: bool = True, of: tuple[Occurrence, ...] = ()
) -> list[Demand] | None:
    """Demands under which the loop has a second iteration that runs to its end (or to one exit), and the program does
    not end; None where it cannot. `tested`: its test is among what lets it go on. `of`: the accesses that are asked
    about, if only they matter: not what ends inner loops around none of them."""
    departures = [d for d in scope.history.departures if d is not but and not (of and _ends_another(scope, d, of))]
    if len(departures) > MOST_DEMANDS:
        return None
    found = []
    calls = (c.at for c in scope.history.calls if never_returns(c.call.name))
    ending = (at for at in calls if unreached(scope, at) is None)
    for at in (*(d.at for d in departures), *ending):
        guards = inner_guards(scope, at)
        if not guards:
            return None
        found.append((guards[-1].condition, not guards[-1].holds))
    found += [(test.expression, test.holds) for test in _undecided_tests(scope)] if tested else []
    return [Demand(test, holds, side) for side in (EARLIER, LATER) for test, holds in found]


def _ends_another(scope: Scope, departure: Departure, of: tuple[Occurrence, ...]) -> bool:
    """Whether an exit only ends, or goes on with, a loop inside that is around none of the accesses."""
    left = departure.exit.leaves
    return left in scope.inner and not any(loop.key == left for o in of for loop in o.loops)


@remembered("_undecided_tests")
def _undecided_tests(scope: Scope) -> list[Known]:
    """The parts of the loop's test that its counted iterations do not stand for. A part that depends on what the loop
    itself computes (`p` in `while (p) p = p->next`) may hold again, unless the loop makes it a constant."""
    return [part for part in open_tests(scope) if not _may_go_on(scope, part.expression)]


def open_tests(scope: Scope) -> list[Known]:
    """The parts of the loop's test that no number of iterations stands for."""
    loop = scope.loop
    if loop.trip is not None and loop.exact_trip:
        return []
    tests = [s.value for s in loop.body if isinstance(s, Evaluate) and s.control]
    open_ = [part for test in tests for part in conjuncts(test, True)]
    if loop.trip is not None:
        open_ = [p for p in open_ if not all(isinstance(e, Use) and e.value is not None for e in leaves(p.expression))]
    return open_


def _may_go_on(scope: Scope, part: Expression) -> bool:
    uses = (e.variable.key for e in leaves(part) if isinstance(e, Use))
    state = {key for key in uses if key in scope.assigned}
    return bool(state) and all(
        any(_leads_back(scope, e, key) if isinstance(e, Use) else True for e in leaves(value))
        for key in state
        for value in _assigned_values(scope)[key]
    )


def _leads_back(scope: Scope, use: Use, key: int) -> bool:
    """Whether a value is that of the variable, or made from it by way of another one (`low = middle + 1`)."""
    made = _assigned_values(scope).get(use.variable.key, ())
    return use.variable.key == key or any(isinstance(e, Use) and e.variable.key == key for v in made for e in leaves(v))


@remembered("_assigned_values")
def _assigned_values(scope: Scope) -> dict[int, list[Expression]]:
    """What the loop assigns to each scalar."""
    found: dict[int, list[Expression]] = {}
    for a, _ in assignments(scope.loop.body):
        if isinstance(a.target, Variable):
            found.setdefault(a.target.key, []).append(a.value)
    return found


def required(scope: Scope, o: Occurrence, side: int) -> list[Demand]:
    """Those conditions of an access that constraints do not say in full."""
    guards = inner_guards(scope, o)
    return [Demand(g.condition, g.holds, side) for g in guards if not says(g).exact]


def inner_guards(scope: Scope, o: Occurrence) -> list[Guard]:
    """The conditions of an access inside the loop."""
    depth = scope.level(o)
    return [g for g in o.guards if g.depth > depth]


class _Contents(Struct):
    """Demands settled so far."""

    scope: Scope
    entering: frozenset[int]
    fixed: list[Mention]
    distance: int | None = None
    settled: list[tuple[Demand, list[Mention]]] = field(default_factory=list)

    def settle(self, test: Expression, holds: bool, side: int) -> bool:
        test = _tested(test)
        if self.known(test, holds, side):
            return True
        match test:
            case Literal(value=value):
                return bool(value) == holds
            case Operation(operator="!", arguments=(inner,)):
                return self.settle(inner, not holds, side)
            case Choice(operator="&&", condition=first, then=second) if holds:
                return self.all_((first, True), (second, True), side=side)
            case Choice(operator="||", condition=first, otherwise=second) if not holds:
                return self.all_((first, False), (second, False), side=side)
            case Choice(operator="&&", condition=first, then=second):
                return self.settle(first, False, side) or self.all_((first, True), (second, False), side=side)
            case Choice(operator="||", condition=first, otherwise=second):
                return self.settle(first, True, side) or self.all_((first, False), (second, True), side=side)
            case Operation(operator="==" | "!=", arguments=(Operation(operator="&") as bits, Literal(value=0))):
                return self.settle(bits, holds == (test.operator == "!="), side)
            case Operation(operator="&", arguments=(x, y)) if not any(isinstance(e, Literal) for e in (x, y)):
                first, last = (y, x) if any(map(self.moves, leaves(y))) else (x, y)
                return any(self.common_bits(test, *pair, holds, side) for pair in ((first, last), (last, first)))
            case Operation(operator=relation, arguments=(left, right)) if relation in NEGATED:
                wanted = relation if holds else NEGATED[relation]
                turned = (left, wanted, right), (right, MIRRORED[wanted], left)
            case _:
                turned = ((test, "!=" if holds else "==", Literal(0, test.type)),) * 2
        if any(self.pulled(test, holds, by, relation, other, side) for by, relation, other in turned):
            self.settled.append((Demand(test, holds, side), self.mentions(test, side)))
            return True
        if isinstance(test, Choice):
            chosen = self.all_((test.condition, True), (test.then, holds), side=side)
            return chosen or self.all_((test.condition, False), (test.otherwise, holds), side=side)
        return False

    def common_bits(self, test: Expression, by: Expression, other: Expression, hold: bool, side: int) -> bool:
        """Chooses one operand of `by & other`: with all bits where the other one has any, or with none."""
        before, type_ = len(self.settled), by.type
        if not isinstance(type_, Integer) or (hold and not self.settle(other, True, side)):
            return False
        all_bits = -1 if type_.signed else (1 << 8 * type_.size) - 1
        if self.pulled(test, hold, by, "==", Literal(all_bits if hold else 0, type_), side):
            self.settled.append((Demand(test, hold, side), self.mentions(test, side)))
            return True
        del self.settled[before:]
        return False

    def all_(self, *wanted: tuple[Expression, bool], side: int) -> bool:
        """Settles all, or nothing."""
        before = len(self.settled)
        if all(self.settle(test, holds, side) for test, holds in wanted):
            return True
        del self.settled[before:]
        return False

    def known(self, test: Expression, holds: bool, side: int) -> bool:
        """Whether the same was asked before: in this iteration, or in the other one of what does not change."""
        return any(
            d.holds == holds
            and same(d.condition, test)
            and (d.side == side or not any(self.moves(e) for e in leaves(test)))
            for d, _ in self.settled
        )

    def pulled(
        self, test: Expression, holds: bool, by: Expression, relation: str, other: Expression, side: int
    ) -> bool:
        """Whether some lever of the operand `by` is free and makes the comparison true."""
        found = levers(by, self.scope.definition)
        bound = (ms for d, ms in self.settled if not (_twins(d, test, holds, relation) or _differs(d, by, relation)))
        settled = [m for ms in bound for m in ms]
        others = (*self.fixed, *settled)
        return any(reaches(x, relation, other) and self.available(x, test, by, side, others) for x in found)

    def available(
        self, lever: Lever, test: Expression, by: Expression, side: int, others: Iterable[Mention]
    ) -> bool:
        """Whether the lever is free, and moves nothing else that matters."""
        if not self.free(lever.leaf):
            return False
        mine, mentioned = Mention(lever.leaf, side), self.mentions(test, side)
        twice = sum(_same_leaf(m.leaf, lever.leaf) for m in mentioned) > 1
        if twice and not isinstance(unconverted(by), Choice):  # `x < 0 ? -x : x` holds x three times
            return False
        within = (m for m in mentioned if not _same_leaf(m.leaf, lever.leaf))
        return not any(self.touches(mine, m) for m in (*others, *within))

    def mentions(self, test: Expression, side: int) -> list[Mention]:
        found: list[Mention] = []
        for leaf in inputs(test):
            known = self.scope.definition(leaf.variable) if isinstance(leaf, Use) else None
            found += [Mention(leaf, side)] if known is None else self.mentions(known, side)
            if isinstance(leaf, Use) and leaf.value is not None:
                loads = (s.origin.access for s in leaf.value.symbols if isinstance(s.origin, Loaded))
                found += [Mention(Load(access), side) for access in loads]
        return found

    def moves(self, leaf: Load | Use | Call) -> bool:
        """Whether the value may be another one in each iteration."""
        match leaf:
            case Use(value=None, variable=variable):
                made = self.scope.definition(variable)
                return variable.key in self.scope.assigned if made is None else any(map(self.moves, leaves(made)))
            case Use(value=value):
                assert value is not None
                return any(self.scope.varies(s) for s in value.symbols)
            case Load(access=access):
                moving = any(self.scope.varies(s) for i in subscripts(access) for s in i.symbols)
                return moving or self.stored(access)
            case Call():
                return True

    def stored(self, access: Access) -> bool:
        """Whether the loop stores to the object."""
        return any(write.access.object == access.object for write in self.scope.writes)

    # --- what is free, and what it moves

    def free(self, leaf: Load | Use | Call) -> bool:
        match leaf:
            case Load(access=access):
                return free_contents(self.scope, access)
            case Use(variable=variable, value=value):
                given = variable.scope in ("parameter", "global") and not is_const(variable.type)
                entering = value is None or all(isinstance(s.origin, Entry) for s in value.symbols)
                return given and entering and variable.key not in self.scope.history.assigned
            case Call():
                return True

    def touches(self, mine: Mention, other: Mention) -> bool:
        """Whether setting one value may change another: itself, or what the program computes from it."""
        if isinstance(mine.leaf, Load) and self.is_new(mine.leaf, mine.side, other):
            return False
        if self.derived(other.leaf) and other.side == mine.side and not self.made_before(other.leaf, mine.leaf):
            return True
        match mine.leaf, other.leaf:
            case Load(access=a), Load(access=b):
                return not separate(self.scope, a, mine.side, b, other.side, self.distance)
            case Use(variable=v), Use(variable=w):
                return v.key == w.key
            case Call() as call, Call():
                return call is other.leaf and mine.side == other.side
            case _:
                return False

    def is_new(self, lever: Load, side: int, other: Mention) -> bool:
        """Whether the lever is in memory that the loop gets to anew in each iteration, and the other value was known
        before: a pointer to it, the same place in another iteration, or another member."""
        pointers = walks(self.scope, lever)
        match other.leaf:
            case Use(variable=variable):
                return variable.key in pointers
            case Load(access=access):
                same_walk = access.object == lever.access.object and bool(pointers)
                return same_walk and (side != other.side or disjoint_members(access, lever.access))
            case Call():
                return False

    def made_before(self, leaf: Load | Use | Call, lever: Load | Use | Call) -> bool:
        """Whether earlier iterations made a value that the loop stores, and had not read the lever then."""
        match leaf, lever:
            case Load(access=made), Load(access=chosen) if made.object == chosen.object:
                return comes_first(self.scope, made, chosen)
            case Use(variable=variable), Load(access=chosen):
                return carried_before(self.scope, variable, chosen)
            case _:
                return False

    def derived(self, leaf: Load | Use | Call) -> bool:
        """Whether the loop computes the value from others."""
        match leaf:
            case Use(value=None, variable=variable):
                stepping = any(i.variable.key == variable.key for i in self.scope.loop.inductions)
                return variable.key in self.scope.assigned - self.entering and not stepping
            case Use(variable=variable, value=value):
                if variable.key in self.entering & self.scope.assigned:
                    return False
                return value is not None and not all(isinstance(s.origin, FOLLOWED) for s in value.symbols)
            case Load(access=access):
                return self.stored(access) and not free_contents(self.scope, access)
            case Call():
                return False


def separate(
    scope: Scope, a: Access, a_side: int, b: Access, b_side: int, distance: int | None = None
) -> bool:
    """Whether two accesses surely are to different places, or may be taken to be; in iterations so far apart."""
    if a.object != b.object:
        return True  # pointers may be chosen such that they lead to different memory
    if len(a.subscripts) != len(b.subscripts):
        return False
    pairs = tuple(zip(subscripts(a), subscripts(b), strict=True))
    if a_side == b_side:
        return any(_is_never_zero(x - y) for x, y in pairs)
    if a_side == LATER:
        pairs = tuple((y, x) for x, y in pairs)
    differences = [scope.difference(x, y) for x, y in pairs]
    if distance is not None:
        chosen = {scope.distance: number(distance)}
        return any(d.substitute(chosen).constant not in (None, 0) for d in differences)
    return any(never_zero(d, scope.distance) for d in differences)


def _is_never_zero(value: Poly) -> bool:
    low, high = interval(value)
    return (low is not None and low > 0) or (high is not None and high < 0)


# --- conditions as trees


def _twins(demand: Demand, test: Expression, holds: bool, relation: str) -> bool:
    """Whether the same was asked in the other iteration: where both turn out to be about the same places, one value far
    enough up or down serves both."""
    return relation != "==" and demand.holds == holds and same(demand.condition, test)


def _differs(demand: Demand, by: Expression, relation: str) -> bool:
    """Whether both times the same value only has to be another one than some number: there are more values than
    demands."""
    match _tested(demand.condition):
        case Operation(operator="==" | "!=" as asked, arguments=(left, Literal())):
            return relation == "!=" == (asked if demand.holds else NEGATED[asked]) and same(left, by)
        case _:
            return False


def _tested(condition: Expression) -> Expression:
    """`x` for `x != 0` and for conversions of a truth value."""
    inner = truth(condition)
    return inner if is_truth(inner) else condition


def leaves(expression: Expression) -> Iterator[Load | Use | Call]:
    """The values that an expression is computed from."""
    if isinstance(expression, Load | Use | Call):
        yield expression
    for part in parts(expression):
        yield from leaves(part)


def inputs(expression: Expression) -> Iterator[Load | Use | Call]:
    """The leaves that decide about the value: what a call that is not seen gives is free, whatever it gets."""
    if isinstance(expression, Load | Use | Call):
        yield expression
    if not (isinstance(expression, Call) and is_free(expression)):
        for part in parts(expression):
            yield from inputs(part)


def _same_leaf(a: Load | Use | Call, b: Load | Use | Call) -> bool:
    return a is b or (not isinstance(a, Call) and same(a, b))
