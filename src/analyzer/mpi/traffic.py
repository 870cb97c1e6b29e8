"""Network bytes of a nest: every MPI call in it, times how often it is made, as formulas in sizes, P and rank.

*Decides*: bytes by the model and bytes sent (`rules`), per entry of the nest. *Errs toward* a bound: what is sent is
exact only where count, datatype and communicator are known, no condition on data and no loop of unknown length decides
whether the call is made, and its target is a process. *Does not handle*: requests that are started again, one-sided
reads.

    for (k = 0; k < steps; k++) MPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, comm);    8*n*steps*ceil(log2 P)
"""

from collections.abc import Iterator, Mapping

from models.expr import Expr, add, sym

from ..base.places import Place
from ..counts.nest import Nest
from ..counts.scopes import Scope
from ..facts.network import Derived, Group, Message, Network, Tree, Turns
from ..ir.mpi_signatures import PREFIX, ROLES
from ..ir.nodes import (
    Assign,
    Call,
    Choice,
    Communicator,
    Computed,
    Counter,
    Either,
    Expression,
    Function,
    Known,
    Literal,
    Loop,
    Operation,
    Outermost,
    Quotient,
    Remainder,
    Share,
    Use,
    Variable,
    evaluated,
    meaning_of,
    statements,
    unconverted,
)
from ..ir.polynomials import Poly, Symbol, number, symbol
from ..ir.symbols import WEIGHTS, Kind, numbered
from ..polyhedra.powers import Fractional
from ..polyhedra.signs import Region, is_nonnegative
from ..polyhedra.summation import NotClosedError, Piece, total
from .handles import Types
from .rules import Model, Rule, is_silent, rule, stays_here


def network(nest: Nest, types: Types) -> Network | None:
    """All communication of the nest; None where it has none. `types`: the datatypes of its function."""
    found = _Traffic(nest, types)
    messages = tuple(m for call, scope in nest.messages for m in found.message(call, scope))
    if not messages:
        return None
    messages += tuple(_unseen(nest))
    known = [m for m in messages if m.sent is not None and m.model is not None]
    certain = [m.model for m in known if m.exact and m.model == m.sent]
    exact = len(known) == len(messages) and all(m.exact for m in messages)
    return Network(
        messages=messages,
        model=add(0, *(m.model for m in known if m.model is not None)),
        sent=add(0, *(m.sent for m in known if m.sent is not None)),
        least=add(0, *(m for m in certain if m is not None)),
        exact=exact,
        symmetric=exact and len(certain) == len(messages),
        derived=tuple(found.derived.values()),
        groups=tuple(found.groups.values()),
        waits=add(0, *(m.waits for m in known if m.waits is not None)),
        assumptions=nest.assumed(),
    )


def _unseen(nest: Nest) -> Iterator[Message]:
    """Calls of functions that were not looked into: they may send."""
    found: dict[str, int] = {}
    for statement in statements(nest.loop.body):
        for e in evaluated(statement):
            if isinstance(e, Call) and not (e.known or e.name.startswith(PREFIX) or stays_here(e.name)):
                found.setdefault(e.name, e.place.line)
    for name, line in found.items():
        yield Message(line, name, None, None, False, f"what {name}() in line {line} sends is not seen")


class _Traffic:
    def __init__(self, nest: Nest, types: Types) -> None:
        self.nest = nest
        self.types = types
        self.derived: dict[str, Derived] = {}
        self.groups: dict[Symbol, Group] = {}
        self._made: dict[str, Symbol] = {}

    def message(self, call: Call, scope: Scope) -> Iterator[Message]:
        found, line = rule(call.name), call.place.line
        if found is None:
            if not is_silent(call.name):
                why = f"what {call.name} in line {line} sends is not known"
                yield Message(line, call.name, None, None, False, why)
            return
        if found.model == "none":
            return
        roles = ROLES[call.name]
        values: dict[str, Known] = dict(zip(roles, call.values, strict=True)) if call.values else {}
        size = self._bytes(found, values)
        group = values.get("comm")
        if size is None or (found.model != "one" and not isinstance(group, Communicator)):
            why = f"count or datatype of {call.name} in line {line} is not known"
            yield Message(line, call.name, None, None, False, why)
            return
        yield self._counted(call, scope, found, size, values, group if isinstance(group, Communicator) else None)

    def _bytes(self, found: Rule, values: Mapping[str, Known]) -> Poly | None:
        """Count times size of the type; None where either is not known or may change while the nest runs."""
        count, type_ = ("rcount", "rtype") if found.received else ("count", "type")
        elements, bytes_ = values.get(count), self.types.size(values.get(type_))
        if not isinstance(elements, Poly) or bytes_ is None:
            return None
        size = elements * bytes_
        return None if any(self.nest.variance.varies(s) for s in size.symbols) else size

    def _received(self, values: Mapping[str, Known]) -> Poly | None:
        elements, bytes_ = values.get("rcount"), self.types.size(values.get("rtype"))
        return elements * bytes_ if isinstance(elements, Poly) and bytes_ is not None else None

    # --- one call

    def _counted(
        self, call: Call, scope: Scope, found: Rule, size: Poly, values: Mapping[str, Known], group: Communicator | None
    ) -> Message:
        line = call.place.line
        if group is not None:
            self._group(group)
        here, reaches = self._to_a_process(call, scope, values)
        times = self._factor(found.model, group)
        model, waits = self._sum(here, size * times), self._sum(here, self._factor(found.waits, group))
        sent, exact = model, reaches
        if found.sent == "forwarded" and size != self._received(values):
            reaches = False  # one of the two counts is for the root alone
        if found.sent != "=" and group is not None:
            exact = reaches
            sent = self._own(found.sent, group, values, here, size, line)
            if sent is None:
                sent, exact = model, False  # no process sends more
        if model is None or sent is None:
            why = f"the length of {call.name} in line {line} changes in a way that has no sum"
            return Message(line, call.name, None, None, False, why)
        certain = not any(s.kind in WEIGHTS for c in here.cases for s in c.weight.symbols)
        return Message(line, call.name, model, sent, exact and certain, waits=waits)

    def _factor(self, model: Model, group: Communicator | None) -> Poly:
        if model == "one" or group is None:
            return number(1)
        if model == "others":
            return symbol(group.size) - 1
        return symbol(self._symbol("stages", group, number(0)))

    def _own(
        self, kind: Tree, group: Communicator, values: Mapping[str, Known], scope: Scope, size: Poly, line: int
    ) -> Expr | None:
        """Bytes that this process sends in all calls; None where the root is not known."""
        root = values.get("root", number(0))
        if not isinstance(root, Poly) or any(self.nest.variance.varies(s) for s in root.symbols):
            return None
        if not set(scope.counters) & root.symbols:
            return self._sum(scope, size * symbol(self._symbol(kind, group, root)))
        return self._turns(kind, group, root, scope, size, line)

    def _turns(
        self, kind: Tree, group: Communicator, root: Poly, scope: Scope, size: Poly, line: int
    ) -> Expr | None:
        """With a root that moves there is no formula: the iterations are walked through when sizes are known."""
        loops = {loop.counter: loop for loop in self._loops()}
        if len(scope.cases) != 1 or any(c not in loops or not loops[c].trip for c in scope.counters):
            return None
        poly, case, known = self.nest.formulas.poly, scope.cases[0], self._group(group)
        counters = tuple(
            (_name(poly(symbol(c))), tuple((poly(r.numerator), r.denominator) for r in loops[c].trip or ()))
            for c in scope.counters
        )
        turns = Turns(counters, tuple(map(poly, case.constraints)), poly(case.weight * size))
        name = f"{kind}@{line}" + (f".{len(self.derived)}" if f"{kind}@{line}" in self.derived else "")
        self.derived[name] = Derived(name, kind, sym(known.rank), poly(root), sym(known.size), turns)
        return sym(name)

    def _loops(self) -> Iterator[Loop]:
        yield self.nest.loop
        yield from (s for s in statements(self.nest.loop.body) if isinstance(s, Loop))

    # --- to whom

    def _to_a_process(self, call: Call, scope: Scope, values: Mapping[str, Known]) -> tuple[Scope, bool]:
        """The part of the scope in which the target is a process, not MPI_PROC_NULL; and whether that is certain."""
        if "dest" not in values:
            return scope, True
        dest = values["dest"]
        chosen = _choice(self.nest.function, call.arguments[ROLES[call.name].index("dest")])
        if chosen is not None:
            choice, holds = chosen
            return self.nest.scopes.when(scope, choice.predicate, choice.place, holds, id(choice)), True
        if not isinstance(dest, Poly):
            return scope, False
        if dest.constant is not None:
            return (scope, True) if dest.constant >= 0 else (Scope((), (), ()), True)
        return scope, not _may_be_nobody(dest) and self._nonnegative(dest, scope)

    def _nonnegative(self, poly: Poly, scope: Scope) -> bool:
        for s in poly.symbols:  # (rank + 1) % np is a remainder: never negative
            if isinstance(s.origin, Computed) and isinstance(s.origin.meaning, Share) and not s.origin.loops:
                poly = poly - (s.origin.meaning.value - s.origin.meaning.divisor * symbol(s))
        facts = self.nest.scopes.facts
        return all(
            is_nonnegative(poly, Region(scope.counters, (*facts.constraints, *case.constraints)))
            for case in scope.cases
        )

    # --- formulas

    def _sum(self, scope: Scope, value: Poly) -> Expr | None:
        pieces: list[Piece] = []
        scopes = self.nest.scopes
        try:
            for case in scope.cases:
                region = Region(scope.counters, case.constraints)
                pieces += total(region, Fractional(case.weight * value), scopes.atoms, scopes.facts)
        except NotClosedError:
            return None
        return self.nest.formulas.pieces(pieces)

    def _group(self, group: Communicator) -> Group:
        if group.size not in self.groups:
            size, rank = (_name(self.nest.formulas.symbol(s)) for s in (group.size, group.rank))
            made = Group(group.name, size, rank)
            if group.split is not None:
                parent, color, key = group.split
                poly = self.nest.formulas.poly
                made = Group(group.name, size, rank, self._group(parent), poly(color), poly(key))
            self.groups[group.size] = made
        return self.groups[group.size]

    def _symbol(self, kind: Tree, group: Communicator, root: Poly) -> Symbol:
        known = self._group(group)
        at = self.nest.formulas.poly(root)
        of = "" if not root.terms else f" - {at}"
        name = f"ceil(log2 {known.size})" if kind == "stages" else f"{kind}({known.rank}{of}, {known.size})"
        if name not in self._made:
            origin = Computed(name, Place("", 0))
            self._made[name] = numbered(Kind.MESSAGE, len(self._made), name, origin, 0)
            self.derived[name] = Derived(name, kind, sym(known.rank), at, sym(known.size))
        return self._made[name]


def _name(expr: Expr) -> str:
    return str(getattr(expr, "name", expr))


def _may_be_nobody(dest: Poly) -> bool:
    """Whether a target is taken from somewhere as it is, such as a parameter or what MPI_Cart_shift found; what is
    computed from ranks and counters is a process."""
    return any(isinstance(meaning_of(s), Either | Outermost) for s in dest.symbols) or (
        len(dest.symbols) == 1 and dest == symbol(next(iter(dest.symbols))) and not _is_a_rank(next(iter(dest.symbols)))
    )


def _is_a_rank(s: Symbol) -> bool:
    match s.origin:
        case Counter() | Quotient() | Remainder() | Computed(loops=(), meaning=Share()):
            return True
        case Computed(place=place):
            return place.line == 0  # a symbol of a communicator
        case _:
            return False


def _choice(function: Function, argument: Expression) -> tuple[Choice, bool] | None:
    """`condition ? process : MPI_PROC_NULL` as the argument itself or as the only value that its variable ever gets;
    and whether the process is the one where the condition holds."""
    expression = unconverted(argument)
    passed: set[Variable] = set()
    while isinstance(expression, Use) and expression.variable not in passed:
        variable = expression.variable
        passed.add(variable)
        found = [s.value for s in statements(function.body) if isinstance(s, Assign) and s.target == variable]
        if len(found) != 1:
            return None
        expression = unconverted(found[0])
    if not isinstance(expression, Choice) or expression.operator != "?:":
        return None
    nobody = [_is_negative(arm) for arm in (expression.then, expression.otherwise)]
    return (expression, nobody[1]) if nobody.count(True) == 1 else None


def _is_negative(expression: Expression) -> bool:
    match unconverted(expression):
        case Literal(value=value):
            return value < 0
        case Operation(operator="neg", arguments=(Literal(value=value),)):
            return value > 0
        case _:
            return False
