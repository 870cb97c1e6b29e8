"""The answer for each directive of a file."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace
from pycparser import c_ast

from ..base.places import Place
from ..dependence.function_facts import surroundings_of
from ..dependence.premises import settled
from ..facts.directives import CheckedDirective
from ..ir import symbols
from ..ir.nodes import Counter, Function, Loop, Ratio
from ..ir.polynomials import number
from ..loops import lower_function
from ..settings.options import SourceOptions
from ..source.listing import Listing
from ..source.nodes import nodes
from ..source.unit import Definition, Pragma, Unit
from .clause_steps import with_clauses
from .conflicts import REPORTED, Conflict, Conflicts, Program, conflicts
from .constructs import STARTS_THREADS, Construct, Role
from .copies import Lack, lacks
from .marked import Marked, marked
from .meeting import Asked
from .recorded import Recorded, recorded
from .teams import Team

Load: TypeAlias = Callable[..., Unit]

FEW = 4
"""Threads of a team, where products with their number are too much."""

_CALLED = 1 << 40
"""Key of the loop over the threads that call a function: above those of all others."""

OPENMP = 201511
"""The value of `_OPENMP` that most compilers have (4.5)."""


def checked(load: Load, options: SourceOptions) -> tuple[CheckedDirective, ...]:
    """The answer for every directive of a file that lets code run at once, in source order. `load`: reads the file
    with options, as compilers do that know OpenMP, and a change of its listing (`source.load_unit`).

    Example: `#pragma omp parallel for` above `for (i = 1; i < n; i++) a[i] = a[i - 1];` has a race between `a[i]` and
    `a[i - 1]`."""
    answers = _answers(load, _with_openmp(options), None)
    if any(answer.answer == "unknown" and construct.role is Role.TEAM for construct, answer in answers.items()):
        few = _answers(load, _with_openmp(options), FEW)
        races = {
            c: replace(a, message=f"{a.message}, with {FEW} threads") for c, a in few.items() if a.answer == "race"
        }
        answers = {c: races.get(c, a) if a.answer == "unknown" else a for c, a in answers.items()}
    return tuple(sorted(answers.values(), key=lambda each: each.place))


class _Found(Struct):
    """Of one directive, wherever its function is called."""

    outcomes: list[Conflicts] = []
    lacks: list[Lack] = []


def _answers(load: Load, options: SourceOptions, threads: int | None) -> dict[Construct, CheckedDirective]:
    made: list[Marked] = []

    def change(listing: Listing, pragmas: list[tuple[int, Pragma]]) -> Listing:
        made.append(marked(listing, pragmas, threads))
        return made[0].listing

    unit = load(options=options, change=change)
    constructs = made[0].constructs
    found = {c.key: _Found() for c in constructs.values()}
    program = _program(unit, made[0])
    own = [d for d in unit.functions if d.node is not None and any(_stands_in(c, d) for c in constructs.values())]
    called = {d.name: tuple(_callers(unit, d, frozenset())) for d in own}
    every = [caller for d in own for caller in called[d.name] or (d,)]
    for definition in {d.name: d for d in every}.values():
        _look_at(unit, program, definition, constructs, found)
    for definition in own:
        within = [c for c in constructs.values() if _stands_in(c, definition)]
        if definition not in every and any(c.role in REPORTED and not found[c.key].outcomes for c in within):
            _look_at(unit, program, definition, constructs, found)
    return {c: _answer(c, found[c.key]) for c in constructs.values() if c.role in REPORTED}


def _callers(unit: Unit, definition: Definition, been: frozenset[str]) -> Iterator[Definition]:
    """The functions that call one, where all that do are in view: what they give it is known."""
    node = definition.node
    is_static = node is not None and "static" in (node.decl.storage or ())
    if not is_static or definition.name in unit.addressed or definition.name in been:
        return
    for caller in unit.functions:
        if definition.name in caller.calls and caller.node is not None and caller.name != definition.name:
            further = tuple(_callers(unit, caller, been | {definition.name}))
            yield from further or (caller,)


def _program(unit: Unit, found: Marked) -> Program:
    def here(path: str, line: int) -> object:
        return next((d.name for d in unit.functions if d.place.path == path and d.place.line <= line <= d.end_line), "")

    locks: dict[str, frozenset[Place]] = {}
    for definition in unit.functions if any(c.role is Role.LOCK for c in found.constructs.values()) else ():
        for node in nodes(definition.node.body, c_ast.Decl) if definition.node is not None else ():
            locks[node.name] = locks.get(node.name, frozenset()) | {unit.place(node)}
    shown = {path: unit.path for path, _ in found.atomic}
    return Program(here, frozenset((shown[path], line) for path, line in found.atomic), locks)


def _stands_in(construct: Construct, definition: Definition) -> bool:
    return construct.path == definition.place.path and definition.place.line <= construct.line <= definition.end_line


def _look_at(
    unit: Unit,
    program: Program,
    definition: Definition,
    constructs: Mapping[str, Construct],
    found: dict[int, _Found],
) -> None:
    """Adds what one function shows of the directives in it, and in what it calls."""
    function = settled(lower_function(unit, definition))

    here = program.here
    record = with_clauses(recorded(function, constructs), here)
    asked = Asked(surroundings_of(function))
    for team in _teams(record):
        _add(team, conflicts(asked, team, program), found)
    if _leaves_work(record):
        called = replace(function, body=(_over_threads(function),))
        asked = Asked(surroundings_of(called))
        record = with_clauses(recorded(called, constructs), here)
        team = Team(record, None, record.steps)
        _add(team, conflicts(asked, team, program), found)
    for extent in record.entered.values():
        found[extent.entered.construct.key].lacks += lacks(record, extent, here)


def _with_openmp(options: SourceOptions) -> SourceOptions:
    given = any(d.partition("=")[0] == "_OPENMP" for d in options.defines)
    return options if given else replace(options, defines=(*options.defines, f"_OPENMP={OPENMP}"))


def _add(team: Team, outcome: Conflicts, found: dict[int, _Found]) -> None:
    for key in {construct.key for construct in _answered(team)}:
        found[key].outcomes.append(outcome)


def _teams(record: Recorded) -> Iterator[Team]:
    """The teams that the function starts."""
    for extent in record.entered.values():
        if extent.entered.construct.role in STARTS_THREADS | {Role.LANES}:
            arm = extent.entered.arm
            yield Team(record, extent.entered, tuple(s for s in record.steps if arm in [e.arm for e in s.inside]))


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


def _answer(construct: Construct, found: _Found) -> CheckedDirective:
    head = (Place(construct.path, construct.line), construct.directive.text)
    if construct.is_of_one_thread:
        return CheckedDirective(*head, "no-race", "one thread runs it")
    if not found.outcomes:
        return CheckedDirective(*head, "unknown", "the code below it is not understood")
    own = [c for o in found.outcomes for c in o.found if c.construct == construct]
    sure = next((c for c in own if c.sure), None)
    lacking = tuple(dict.fromkeys((*(m for c in own if c.sure for m in c.missing), *(k.clause for k in found.lacks))))
    if sure is not None:
        mends = f"; {', '.join(lacking)} is missing" if lacking else ""
        return CheckedDirective(*head, "race", f"{_said(sure)}{mends}", _texts(sure), lacking)
    lost = "; ".join(dict.fromkeys(f"{k.why}: {k.clause} is missing" for k in found.lacks))
    if own:
        message = own[0].why or _said(own[0])
        return CheckedDirective(*head, "unknown", f"{lost}; {message}" if lost else message, _texts(own[0]), lacking)
    needed = sorted({f"{a.kind}({a.text})" for o in found.outcomes for a in o.assumptions})
    only_if = f"if {', '.join(needed)}" if needed else ""
    return CheckedDirective(*head, "no-race", lost or only_if, (), lacking)


def _texts(c: Conflict) -> tuple[str, ...]:
    return () if c.why else tuple(s.occurrence.access.text for s in (c.a, c.b))


def _said(c: Conflict) -> str:
    """In words, what two threads do at once."""
    can = "can" if c.sure else "may"
    store, other = (c.a, c.b) if c.a.occurrence.write else (c.b, c.a)
    x, y = store.occurrence.access.text, other.occurrence.access.text
    if not other.occurrence.write:
        same = "it" if x == y else f"the same place as `{y}`"
        return f"one thread {can} store to `{x}` (line {store.line}) while another reads {same} (line {other.line})"
    if x == y:
        lines = f"line {store.line}" if store.line == other.line else f"lines {store.line} and {other.line}"
        return f"two threads {can} store to `{x}` ({lines}) at once"
    return f"two threads {can} store to one place, as `{x}` (line {store.line}) and `{y}` (line {other.line}), at once"
