"""What a directive does to the code below it, as far as races are concerned.

team      several threads run what follows (`parallel`, `teams`)
divide    iterations of the loop that follows, or the sections in the block, are divided among them
lanes     iterations of the loop that follows run side by side (`simd`)
one       one thread runs what follows: `single`, a section; `master`: always the same one
task      a thread, perhaps another one, runs what follows some time later
hold      only one thread at a time runs what follows: `critical`, `atomic`, `ordered`
point     threads or tasks wait for each other here: `barrier`, `taskwait`; or they may in a way that
          is not followed (`flush`, `ordered depend`); or a lock is taken or given back
"""

from enum import Enum, auto
from typing import TypeAlias

from msgspec import Struct

from .directive import Directive


class Role(Enum):
    TEAM = auto()
    TEAM_LOOP = auto()
    TEAM_SECTIONS = auto()
    LOOP = auto()
    LANES = auto()
    TASK_LOOP = auto()
    SECTIONS = auto()
    SECTION = auto()
    SINGLE = auto()
    MASTER = auto()
    TASK = auto()
    GROUP = auto()
    CRITICAL = auto()
    ATOMIC = auto()
    ORDERED = auto()
    BARRIER = auto()
    TASK_WAIT = auto()
    FLUSH = auto()
    LOCK = auto()
    UNLOCK = auto()


STARTS_THREADS = frozenset((Role.TEAM, Role.TEAM_LOOP, Role.TEAM_SECTIONS))
LOOPS = frozenset((Role.TEAM_LOOP, Role.LOOP, Role.LANES, Role.TASK_LOOP))
POINTS = frozenset((Role.BARRIER, Role.TASK_WAIT, Role.FLUSH, Role.LOCK, Role.UNLOCK))
HOLDS = frozenset((Role.CRITICAL, Role.ATOMIC, Role.ORDERED))
Id: TypeAlias = int


class Construct(Struct, frozen=True):
    """A directive that does one of these things; `key` tells it apart from others of its file."""

    key: Id
    role: Role
    directive: Directive
    path: str = ""

    @property
    def line(self) -> int:
        return self.directive.line

    @property
    def waits_at_end(self) -> bool:
        """Whether all threads of the team wait for each other behind it."""
        divided = (Role.LOOP, Role.SECTIONS, Role.SINGLE)
        return self.role in divided and not self.directive.has("nowait") and "distribute" not in self.directive.name

    @property
    def associated(self) -> int:
        """How many loops, each in the one before, it divides as one."""
        return self.directive.number("collapse") or 1


def role_of(directive: Directive) -> Role | None:
    """None where a directive says nothing of who runs what, when. `kernels` leaves that to the compiler, which looks
    at dependences itself."""
    return _of_openmp(directive) if directive.family == "omp" else _of_openacc(directive)


def _of_openmp(directive: Directive) -> Role | None:
    words = directive.name
    team = bool({"parallel", "teams"} & {*words})
    match words:
        case ("ordered",) if directive.has("depend", "doacross"):
            return Role.FLUSH
        case ("target",) | ("target", "enter" | "exit", "data") | ("target", "update"):
            return Role.TASK if directive.has("nowait") and words == ("target",) else None
        case ("barrier",):
            return Role.BARRIER
        case ("taskwait",):
            return Role.TASK_WAIT
        case ("flush",):
            return Role.FLUSH
        case (("critical" | "atomic" | "ordered" | "task" | "section" | "single") as word,):
            return Role[word.upper()]
        case ("master" | "masked" | "scope",):
            return Role.MASTER if words != ("scope",) else None
        case ("taskgroup",):
            return Role.GROUP
        case (*_, "sections"):
            return Role.TEAM_SECTIONS if team else Role.SECTIONS
        case (*_, "taskloop") | (*_, "taskloop", "simd"):
            return Role.TEAM_LOOP if team else Role.TASK_LOOP
        case (*_, "for" | "loop" | "distribute") | (*_, "for" | "distribute", "simd"):
            return Role.TEAM_LOOP if team else Role.LOOP
        case ("simd",) | ("target", "simd"):
            return Role.LANES
        case (*_, "parallel" | "teams") | (*_, "parallel", "master" | "masked"):
            return Role.TEAM
        case _:
            return None


def _of_openacc(directive: Directive) -> Role | None:
    match directive.name:
        case ("parallel", "loop"):
            return None if directive.has("seq", "auto") else Role.TEAM_LOOP
        case ("kernels", "loop"):
            return Role.TEAM_LOOP if directive.has("independent") else None
        case ("loop",):
            return None if directive.has("seq", "auto") else Role.LOOP
        case ("parallel",):
            return Role.TEAM
        case ("atomic",):
            return Role.ATOMIC
        case _:
            return None
