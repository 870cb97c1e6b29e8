"""What is found of two steps of a team, and what is known of the file that they stand in."""

from collections.abc import Callable, Iterator

from msgspec import Struct

from ..facts.loop import Assumption
from ..ir.nodes import Variable
from .constructs import LOOPS, STARTS_THREADS, Construct, Role
from .recorded import Entered, Step
from .sharing import Definitions
from .teams import Team

REPORTED = STARTS_THREADS | LOOPS | {Role.SECTIONS, Role.TASK, Role.TARGET}
"""Roles of directives that are answered for."""


class Conflict(Struct, frozen=True):
    """Two accesses that race (`sure`), or of which that is not known, and `why`."""

    construct: Construct | None
    a: Step
    b: Step
    sure: bool
    why: str = ""
    missing: tuple[str, ...] = ()
    """Clauses that mend it."""


class Conflicts(Struct, frozen=True):
    """What was found of one team. `assumptions`: what the absence of others rests on."""

    found: tuple[Conflict, ...]
    assumptions: frozenset[Assumption] = frozenset()


class Program(Struct, frozen=True):
    """What is known of the file. `here`: which function stands at a path and line."""

    here: Definitions
    touches_nothing: Callable[[str], bool]
    """Whether a function, by its name, touches nothing that threads share."""
    stored_by_name: Callable[[str], frozenset[str] | None]
    """The variables of the file to which a function, by its name, may store; None where it may store elsewhere."""

    is_done_by_its_caller: Callable[[str], bool]
    """Whether the thread that calls a function, by its name, does all that it does, before it returns."""

    words: Callable[[str, int, int], frozenset[str]]
    """Those in the source of a file, from a line to a line."""

    is_zero_at_first: Callable[[Variable], bool]
    """Whether a variable is 0 when the program begins."""


def construct_of(entered: Entered | None) -> Construct | None:
    return None if entered is None else entered.construct


def common(team: Team, a: Step, b: Step) -> Construct | None:
    """The innermost directive around both that is answered for; where there is none, that of the first."""
    found = team.entered
    for x, y in zip(team.below(a.inside), team.below(b.inside), strict=False):
        if x.arm != y.arm:
            break
        found = x if x.construct.role in REPORTED else found
    if found is None:
        own = (e for s in (a, b) for e in team.below(s.inside) if e.construct.role in REPORTED)
        found = next(own, None)
    return construct_of(found)


def constructs_of(team: Team) -> Iterator[Entered]:
    return (e.entered for e in team.recorded.entered.values())
