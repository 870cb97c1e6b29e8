"""A file with marks, and what its functions show of its directives."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property, partial
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from ..dependence.function_facts import surroundings_of
from ..dependence.premises import settled
from ..ir import symbols
from ..ir.nodes import Counter, Function, Loop, Ratio, Variable
from ..ir.polynomials import number
from ..loops import lower_function
from ..loops.elements_read import does_more_than_read
from ..loops.own_memory import is_done_by_its_caller, stored_by_name, touches_nothing
from ..settings.options import SourceOptions
from ..source.constant_tables import numbers
from ..source.features import is_of_c_library
from ..source.listing import Listing
from ..source.nodes import declarations
from ..source.unit import Definition, Pragma, Unit
from .advice import advice
from .allocated_memory import with_allocations
from .clause_steps import with_clauses
from .conflict import REPORTED, Conflict, Conflicts, Program
from .conflicts import conflicts
from .constructs import LOOPS, STARTS_THREADS, TASKS, Construct, Role
from .copies import Lack, lacks
from .known_values import Values
from .maps import unmapped
from .marked import Marked, marked
from .meeting import Asked
from .recorded import Recorded, Step, recorded
from .recursion import with_recursion
from .teams import Team

Load: TypeAlias = Callable[..., Unit]
"""Reads the file with options, and a change of its listing (`source.load_unit`)."""

FEW = 4
"""Threads of a team, where products with their number are too much."""

MOST_CALLERS = 8
"""Of a function, that are looked at for what they give it."""

MOST_LINES = 1500
"""Of a file, of whose functions it is asked what their callers give them: in longer ones that takes too long."""

_CALLED = 1 << 40
"""Key of the loop over the threads that call a function: above those of all others."""


class Found(Struct):
    """Of one directive."""

    outcomes: list[Conflicts] = field(default_factory=list)
    lacks: list[Lack] = field(default_factory=list)
    advice: list[str] = field(default_factory=list)

    def of(self, construct: Construct) -> list[Conflict]:
        return [c for o in self.outcomes for c in o.found if c.construct == construct]

    def says_more(self, other: "Found", construct: Construct) -> bool:
        """Whether it says more than what is known without the callers: all but that nothing is known, of a race."""
        is_open = bool(self.of(construct)) and not self.has_race(construct)
        return bool(self.outcomes) and not (is_open and other.has_race(construct))

    def has_race(self, construct: Construct) -> bool:
        return any(c.sure for c in self.of(construct))

    def is_settled(self, construct: Construct) -> bool:
        """Whether nothing that callers give changes the answer: there is no race, and that rests on nothing."""
        return bool(self.outcomes) and not self.of(construct) and not any(o.assumptions for o in self.outcomes)


class Reading(Struct, dict=True):
    """`threads`: how many a team has (None: any number); `again`: functions that call themselves stand there once
    more."""

    load: Load
    options: SourceOptions
    threads: int | None = None
    again: bool = False
    _shown: dict[str, dict[int, Found]] = field(default_factory=dict)

    @cached_property
    def _read(self) -> tuple[Unit, Marked]:
        made: list[Marked] = []

        def change(listing: Listing, pragmas: list[tuple[int, Pragma]]) -> Listing:
            made.append(marked(listing, pragmas, self.threads, self.again))
            return made[0].listing

        return replace(self.load(options=self.options, change=change), in_full=True), made[0]

    @property
    def constructs(self) -> Mapping[str, Construct]:
        return self._read[1].constructs

    def numbered(self, names: list[str]) -> list[str]:
        """Those of the functions that ask for the numbers of threads, or that get them from what they call, or from
        their callers."""
        return [d.name for d in self._functions if d.name in names and self._numbered & self._reached(d)]

    @cached_property
    def _numbered(self) -> frozenset[str]:
        """The functions in which the program asks for the numbers of threads; all where that is in none of them."""
        found: set[str] = set()
        for line in self._read[1].numbered:
            here = {d.name for d in self._functions if d.place.line <= line <= d.end_line}
            found |= here or {d.name for d in self._functions}
        return frozenset(found)

    def _reached(self, definition: Definition) -> set[str]:
        """The names of the function, of those of its callers that are looked at, and of what these call."""
        waiting = [definition, *self._callers(definition)]
        found: set[str] = set()
        while waiting:
            each = waiting.pop()
            if each.name not in found:
                found.add(each.name)
                waiting += [d for d in self._functions if d.name in each.calls]
        return found

    @property
    def is_recursive(self) -> bool:
        """Whether a function calls itself."""
        return any(d.name in d.calls for d in self._functions)

    @cached_property
    def holding(self) -> dict[str, list[Construct]]:
        """The constructs in the functions that have any, by their names."""
        found = ((d, [c for c in self.constructs.values() if _stands_in(c, d)]) for d in self._functions)
        return {d.name: constructs for d, constructs in found if constructs}

    @cached_property
    def _functions(self) -> tuple[Definition, ...]:
        return tuple(d for d in self._read[0].functions if d.node is not None)

    def found(self, names: list[str]) -> dict[int, Found]:
        """What these functions show, of the constructs in them and in what they call; where a function is called in
        view alone, and more is known of what it gets there, that."""
        every = _merged([self._shown_by(d) for d in self._functions if d.name in names])
        for d in self._functions:
            own = [c for c in self.holding.get(d.name, ()) if c.role in REPORTED and d.name in names]
            if all(every.get(c.key, Found()).is_settled(c) for c in own):
                continue
            called = _merged([self._shown_by(caller) for caller in self._callers(d)])
            for c in own:
                if c.key in called and called[c.key].says_more(every.get(c.key, Found()), c):
                    every[c.key] = called[c.key]
        return every

    def _callers(self, definition: Definition) -> tuple[Definition, ...]:
        """The functions that call one, where all that do are in view."""
        unit, node = self._read[0], definition.node
        if node is None or definition.name in unit.addressed or len(unit.source_lines) > MOST_LINES:
            return ()
        if "static" not in (node.decl.storage or ()) and not self._is_program:
            return ()
        callers = tuple(d for d in unit.functions if definition.name in d.calls and d.name != definition.name)
        return callers if len(callers) <= MOST_CALLERS and all(d.node is not None for d in callers) else ()

    @cached_property
    def _is_program(self) -> bool:
        """Whether the file is all of a program: `main` is in it, and no function of another file is called."""
        functions = self._read[0].functions
        defined = {d.name for d in functions}
        alone = len(self.options.together) < 2
        called = frozenset[str]().union(*(d.calls for d in functions)) - defined
        return "main" in defined and (alone or all(map(is_of_c_library, called)))

    def _shown_by(self, definition: Definition) -> dict[int, Found]:
        if definition.name not in self._shown:
            self._shown[definition.name] = self._look_at(definition)
        return self._shown[definition.name]

    def _look_at(self, definition: Definition) -> dict[int, Found]:
        """What one function shows of the directives in it, and in what it calls."""
        found: dict[int, Found] = {}
        function = settled(lower_function(self._read[0], definition))
        record = with_allocations(with_clauses(recorded(function, self.constructs), self._program.here), function)
        asked = self._asked(function, record, definition)
        for team in _teams(record):
            _add(team, conflicts(asked, team, self._program), found)
            for one in advice(team, self._program.here):
                found.setdefault(one.key, Found()).advice.append(one.why)
        if _leaves_work(record):
            called = replace(function, body=(_over_threads(function),))
            record = with_clauses(recorded(called, self.constructs), self._program.here)
            record = with_recursion(record, definition.name)
            asked = self._asked(called, record, definition)
            team = Team(record, None, tuple(s for s in record.steps if not _is_in_a_team(s)))
            _add(team, conflicts(asked, team, self._program), found)
        for extent in record.entered.values():
            key = extent.entered.construct.key
            each = found.setdefault(key, Found())
            each.lacks += lacks(record, extent, self._program.here)
            each.lacks += unmapped(record, extent, self._read[1].on_device, self._program.here)
        return found

    def _asked(self, function: Function, record: Recorded, definition: Definition) -> Asked:
        asked = Asked(surroundings_of(function))
        asked.values = Values(record, partial(self._initial, definition), asked.are_apart)
        return asked

    def _initial(self, definition: Definition, variable: Variable) -> tuple[int, ...] | None:
        """What an array holds when a function begins, or where it declares it."""
        unit = self._read[0]
        if variable.scope == "local":
            named = (n for n in declarations(definition.node) if n.name == variable.name)
            found = next((n for n in named if unit.place(n) == variable.place), None)
            return None if found is None else numbers(found, unit.constant)
        others = [d for d in unit.functions if d.name != "main" or definition.name != "main"]
        own = variable.scope == "global" and (variable.name in unit.statics or self._is_program)
        kept = own and not any(does_more_than_read(d, variable.name) for d in others)
        return unit.tables.get(variable.name) if kept else None

    @cached_property
    def _program(self) -> Program:
        unit, _ = self._read

        @cache
        def here(path: str, line: int) -> object:
            every = (d for d in unit.functions if d.place.path == path and d.place.line <= line <= d.end_line)
            return next((d.name for d in every), "")

        marks = frozenset(mark for mark, c in self.constructs.items() if c.role is Role.ATOMIC)
        stored = cache(partial(stored_by_name, unit, marks))

        def words(path: str, first: int, last: int) -> frozenset[str]:
            lines = unit.source_lines[first - 1 : last] if path == unit.path else []
            return frozenset(re.findall(r"\w+", "\n".join(lines)))

        def is_zero_at_first(variable: Variable) -> bool:
            return variable.scope == "global" and self._is_program and variable.name not in unit.initial

        own, whole = (cache(partial(asked, unit)) for asked in (touches_nothing, is_done_by_its_caller))
        return Program(here, own, stored, whole, words, is_zero_at_first)


def _is_in_a_team(step: Step) -> bool:
    """Whether the function itself starts the threads that do it, and not in a task."""
    first = next((e for e in step.inside if e.construct.role in STARTS_THREADS | TASKS), None)
    return first is not None and first.construct.role in STARTS_THREADS


def _merged(parts: list[dict[int, Found]]) -> dict[int, Found]:
    found: dict[int, Found] = {}
    for part in parts:
        for key, each in part.items():
            into = found.setdefault(key, Found())
            into.outcomes += each.outcomes
            into.lacks += each.lacks
            into.advice += each.advice
    return found


def _stands_in(construct: Construct, definition: Definition) -> bool:
    return construct.path == definition.place.path and definition.place.line <= construct.line <= definition.end_line


def _add(team: Team, outcome: Conflicts, found: dict[int, Found]) -> None:
    for key in {construct.key for construct in _answered(team)}:
        found.setdefault(key, Found()).outcomes.append(outcome)


def _teams(record: Recorded) -> Iterator[Team]:
    """The teams that the function starts; what an iteration of one divided loop divides again (OpenACC: `gang`,
    `vector`) is done by a team of its own."""
    for extent in record.entered.values():
        again = extent.entered.construct.role is Role.LOOP and any(e.construct.role in LOOPS for e in extent.around)
        if again or extent.entered.construct.role in STARTS_THREADS | {Role.LANES}:
            arm = extent.entered.arm
            yield Team(record, extent.entered, tuple(s for s in record.steps if arm in s.arms))


def _leaves_work(record: Recorded) -> bool:
    """Whether it has work for the team that calls it."""
    outermost = [e for e in record.entered.values() if not any(x.construct.role in STARTS_THREADS for x in e.around)]
    return any(e.entered.construct.role not in STARTS_THREADS | {Role.LANES} for e in outermost)


def _over_threads(function: Function) -> Loop:
    """A loop over the threads that call a function."""
    counter = symbols.program(_CALLED, "thread", Counter(_CALLED), _CALLED)
    trip = (Ratio(number(FEW), 1),)
    return Loop(
        _CALLED, counter, "for", function.place, function.place.line, trip, True, None, None, None, None, function.body
    )


def _answered(team: Team) -> Iterator[Construct]:
    """The directives that the analysis of a team answers for."""
    if team.entered is not None:
        yield team.entered.construct
    for s in team.steps:
        for each in team.below(s.inside):
            if each.construct.role in REPORTED:
                yield each.construct
