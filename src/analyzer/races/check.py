"""The answer for each directive of a file."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ..dependence.function_facts import surroundings_of
from ..dependence.premises import settled
from ..loops import lower_function
from ..settings.options import SourceOptions
from ..source import load_unit
from ..source.listing import Listing
from ..source.unit import Definition, Pragma, Unit
from .conflicts import REPORTED, Conflict, Conflicts, conflicts
from .constructs import STARTS_THREADS, Construct, Role
from .marked import Marked, marked
from .meeting import Asked
from .recorded import Recorded, recorded
from .teams import Team

Answer: TypeAlias = Literal["race", "no-race", "unknown"]


OPENMP = 201511
"""The value of `_OPENMP` that most compilers have (4.5)."""


class Checked(Struct, frozen=True):
    """`accesses`: the two that meet, as the program writes them."""

    line: int
    path: str
    text: str
    answer: Answer
    message: str
    accesses: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def checked(
    path: Path, options: SourceOptions, root: Path | None = None, text: str | None = None
) -> tuple[Checked, ...]:
    """The answer for every directive of a file that lets code run at once, in source order.

    The file is read as compilers read it that know OpenMP. Raises InputError if it cannot be read.
    Example: `#pragma omp parallel for` above `for (i = 1; i < n; i++) a[i] = a[i - 1];` has a race between `a[i]` and
    `a[i - 1]`."""
    made: list[Marked] = []

    def change(listing: Listing, pragmas: list[tuple[int, Pragma]]) -> Listing:
        made.append(marked(listing, pragmas))
        return made[0].listing

    unit = load_unit(path, _with_openmp(options), root, text, change)
    constructs = made[0].constructs
    found: dict[int, list[Conflicts]] = {}
    for definition in unit.functions if constructs else ():
        if definition.node is not None:
            for team, outcome in _of_function(unit, definition, constructs):
                for key in {construct.key for construct in _answered(team)}:
                    found.setdefault(key, []).append(outcome)
    answers = [_answer(c, found.get(c.key, [])) for c in constructs.values() if c.role in REPORTED]
    return tuple(sorted(answers, key=lambda each: (each.path, each.line)))


def _with_openmp(options: SourceOptions) -> SourceOptions:
    given = any(d.partition("=")[0] == "_OPENMP" for d in options.defines)
    return options if given else replace(options, defines=(*options.defines, f"_OPENMP={OPENMP}"))


def _of_function(
    unit: Unit, definition: Definition, constructs: Mapping[str, Construct]
) -> Iterator[tuple[Team, Conflicts]]:
    function = settled(lower_function(unit, definition))
    record = recorded(function, constructs)
    if not record.entered:
        return
    asked = Asked(surroundings_of(function), {}, {})

    def here(path: str, line: int) -> object:
        return next((d.name for d in unit.functions if d.place.path == path and d.place.line <= line <= d.end_line), "")

    for team in _teams(record):
        yield team, conflicts(asked, team, here)


def _teams(record: Recorded) -> Iterator[Team]:
    """The teams that the function starts; and the one that calls it, if it leaves work to that."""
    starting = STARTS_THREADS | {Role.LANES}
    for extent in record.entered.values():
        if extent.entered.construct.role in starting:
            arm = extent.entered.arm
            yield Team(record, extent.entered, tuple(s for s in record.steps if arm in [e.arm for e in s.inside]))
    outermost = [e for e in record.entered.values() if not any(x.construct.role in STARTS_THREADS for x in e.around)]
    if any(e.entered.construct.role not in starting for e in outermost):
        yield Team(record, None, record.steps)


def _answered(team: Team) -> Iterator[Construct]:
    """The directives that the analysis of a team answers for."""
    if team.entered is not None:
        yield team.entered.construct
    for s in team.steps:
        for each in team.below(s.inside):
            if each.construct.role in REPORTED:
                yield each.construct


def _answer(construct: Construct, outcomes: list[Conflicts]) -> Checked:
    head = (construct.line, construct.path, construct.directive.text)
    if not outcomes:
        return Checked(*head, "unknown", "the code below it is not understood")
    own = [c for o in outcomes for c in o.found if c.construct == construct]
    sure = next((c for c in own if c.sure), None)
    if sure is not None:
        return Checked(*head, "race", _said(sure), _texts(sure))
    if own:
        return Checked(*head, "unknown", own[0].why or _said(own[0]), _texts(own[0]))
    needed = sorted({f"{a.kind}({a.text})" for o in outcomes for a in o.assumptions})
    return Checked(*head, "no-race", f"if {', '.join(needed)}" if needed else "")


def _texts(c: Conflict) -> tuple[str, ...]:
    return tuple(s.occurrence.access.text for s in (c.a, c.b))


def _said(c: Conflict) -> str:
    a, b = c.a, c.b
    does = ["stores to" if s.occurrence.write else "reads" for s in (a, b)]
    may = "may" if not c.sure else "can"
    x, y = _texts(c)
    if a is b:
        return f"two threads {may} store to `{x}` (line {a.line}) at once"
    return f"one thread {does[0]} `{x}` (line {a.line}) while another {may} be at `{y}` (line {b.line}), which it {does[1]}"
