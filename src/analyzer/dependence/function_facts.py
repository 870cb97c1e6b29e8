"""Facts about a whole function that the tests of its loops share."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from msgspec import Struct, field

from ..access.accesses import Occurrences, occurrences
from ..access.continuations import Continuations, continuations
from ..access.dataflow import Certain, live_after
from ..access.domains import condition, surroundings
from ..access.mentions import Mentions
from ..ir.arithmetic import modulo
from ..ir.nodes import (
    Assign,
    Branch,
    Convert,
    Function,
    Literal,
    Loop,
    Object,
    Predicate,
    Variable,
    negate,
    statements,
)
from ..ir.polynomials import Poly
from ..memory.escape import Escapes, escapes
from ..memory.own_tables import OwnTables, own_tables
from ..memory.tables import Table, table_of
from ..polyhedra.parts import about
from ..polyhedra.system import RELAXED, Feasibility, System, Work, at_least, feasible, proves
from ..source.ctypes import Integer, Pointer
from .named_rows import named_rows
from .scope import Scope
from .side_effects import History
from .until_loop import until

Found = TypeVar("Found")


class Surroundings(Struct):
    """One function under analysis; what begins with an underscore are caches."""

    function: Function
    occurrences: Occurrences
    known: Escapes
    continuations: Continuations
    assigned: frozenset[int]
    """Scalars that some statement assigns."""
    work: Work = field(default_factory=Work)
    """Spent on the nest under test, and what may be."""
    _literals: dict[int, frozenset[int]] | None = None
    _runs: dict[int, bool] = field(default_factory=dict)
    _holds: dict[int, bool | None] = field(default_factory=dict)
    _mentions: Mentions = field(default_factory=Mentions)
    _answers: dict[object, Any] = field(default_factory=dict)
    _tables: dict[int, OwnTables | None] = field(default_factory=dict)
    _until: dict[int, Escapes] = field(default_factory=dict)
    _named_rows: frozenset[Poly] | None = None
    _owners: dict[Table, str] | None = None
    set_first: dict[tuple[int, Object], bool] = field(default_factory=dict)
    """By key of a loop and memory that it reads: whether each of its iterations sets what it reads (`liveness`)."""
    _live: dict[tuple[int, frozenset[int]], frozenset[int]] = field(default_factory=dict)

    def scope(self, loop: Loop) -> Scope:
        supposing = self.function.supposing or self.function.conditional
        nest = (*self.occurrences.around[loop.key][0], loop)[0]
        tables = self.own_tables(nest)
        inside = self.occurrences.inside(loop)
        here = partial(self.known_until, nest)
        asked = (self.named_rows, self.owners)
        return Scope(loop, inside, self.known, self.history(loop), self.work, supposing, tables, here, *asked)

    def named_rows(self) -> frozenset[Poly]:
        """The lengths of rows of which the function gives evidence."""
        if self._named_rows is None:
            self._named_rows = named_rows(self.occurrences.all)
        return self._named_rows

    def owners(self) -> Mapping[Table, str]:
        """The kinds of structures in which the function finds pointers, by table: those of which it is one alone."""
        if self._owners is None:
            found: dict[Table, set[str]] = {}
            for access in (o.access for o in self.occurrences.all if isinstance(o.access.type, Pointer)):
                kind = access.structure.key if access.structure is not None else ""
                found.setdefault(table_of(access), set()).add(kind)
            self._owners = {table: kind for table, (kind, *others) in found.items() if kind and not others}
        return self._owners

    def known_until(self, nest: Loop) -> Escapes:
        """What is known of pointers as long as the nest runs: what the function stores later does not count."""
        if nest.key not in self._until:
            cut = until(self.function, nest)
            self._until[nest.key] = self.known if cut is None else escapes(cut)
        return self._until[nest.key]

    def own_tables(self, nest: Loop) -> OwnTables | None:
        """What the tables of pointers that the function allocated lead to until a nest has ended."""
        if nest.key not in self._tables:
            self._tables[nest.key] = own_tables(self.function, self.known, nest)
        return self._tables[nest.key]

    def history(self, loop: Loop) -> History:
        """What the function does to memory before it first gets to the loop, and to scalars anywhere."""
        start, _ = self.occurrences.ranges[loop.key]
        written = frozenset(o.access.object for o in self.occurrences.all[:start] if o.write)
        found = self.occurrences
        return History(
            written,
            self.assigned,
            found.leaving(loop),
            found.scalars_of(loop),
            found.calls_of(loop),
            found.divisions_of(loop),
            found.supposed_of(loop),
        )

    @property
    def literals(self) -> dict[int, frozenset[int]]:
        if self._literals is None:
            self._literals = literals(self.function)
        return self._literals

    @property
    def certain(self) -> Certain:
        return Certain(self.runs, self.holds, self._mentions.of, self._mentions.last)

    def read_after(self, loop: Loop, wanted: frozenset[int]) -> frozenset[int]:
        """Which of the variables may be read after the loop before they are assigned again (`live_after`)."""
        key = (loop.key, wanted)
        if key not in self._live:
            self._live[key] = frozenset(live_after(self.continuations.after(loop), self.certain, wanted))
        return self._live[key]

    def once(self, question: object, answer: Callable[[], Found]) -> Found:
        """What is found the same for all that ask, worked out for the first."""
        if question not in self._answers:
            self._answers[question] = answer()
        found: Found = self._answers[question]
        return found

    def runs(self, loop: Loop) -> bool:
        """Whether the loop has at least one iteration whenever it is reached."""
        if loop.key not in self._runs:
            self._runs[loop.key] = loop.at_least > 0 or self._has_iteration(loop)
        return self._runs[loop.key]

    def _has_iteration(self, loop: Loop) -> bool:
        if not loop.exact_trip or loop.trip is None:
            return False
        around = surroundings(*self.occurrences.around[loop.key])
        return all(proves(around, at_least(ratio.numerator - 1), self.work) for ratio in loop.trip)

    def holds(self, branch: Branch) -> bool | None:
        """Whether the condition is true, or false, whenever it is evaluated."""
        key = id(branch)
        if key not in self._holds:
            around = surroundings(*self.occurrences.branches[key])
            self._holds[key] = _decided(around, branch.predicate, self.work)
        return self._holds[key]


def _decided(around: System, predicate: Predicate, work: Work) -> bool | None:
    fails, holds = condition(negate(predicate)), condition(predicate)
    near = about(around, fails + holds)
    if fails != RELAXED and feasible(near + fails, work) is Feasibility.EMPTY:
        return True
    return False if holds != RELAXED and feasible(near + holds, work) is Feasibility.EMPTY else None


def literals(function: Function, beside: Assign | None = None) -> dict[int, frozenset[int]]:
    """By key of a scalar: the integers that the function assigns to it, where it assigns nothing else (`beside` one
    statement)."""
    found: dict[int, set[int]] = {}
    open_: set[int] = set()
    for s in statements(function.body):
        if isinstance(s, Assign) and isinstance(s.target, Variable) and s is not beside:
            value = s.value.argument if isinstance(s.value, Convert) else s.value
            type_ = s.target.type
            if isinstance(value, Literal) and isinstance(value.value, int) and isinstance(type_, Integer):
                found.setdefault(s.target.key, set()).add(modulo(value.value, type_))
            else:
                open_.add(s.target.key)
    return {key: frozenset(values) for key, values in found.items() if key not in open_}


def surroundings_of(function: Function) -> Surroundings:
    targets = (s.target for s in statements(function.body) if isinstance(s, Assign))
    assigned = frozenset(t.key for t in targets if isinstance(t, Variable))
    found = occurrences(function)
    return Surroundings(function, found, escapes(function), continuations(function), assigned)
