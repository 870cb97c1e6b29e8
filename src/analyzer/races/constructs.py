"""What a directive does to the code below it, as far as races are concerned.

team      several threads run what follows (`parallel`, `teams`)
divide    iterations of the loop that follows, or the sections in the block, are divided among them
lanes     iterations of the loop that follows run side by side (`simd`)
one       one thread runs what follows: `single`, a section; `master`: always the same one
task      a thread, perhaps another one, runs what follows some time later
hold      only one thread at a time runs what follows: `critical`, `atomic`, `ordered`
point     threads, tasks or iterations wait for each other here: `barrier`, `taskwait`, `ordered depend`; or they
          may in a way that is not followed (`flush`); or a lock is taken or given back
"""

from enum import Enum, auto
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from .directive import Directive


class Role(Enum):
    __hash__ = object.__hash__  # Enum's is a call in Python, and roles are looked up for each pair of accesses

    TEAM = auto()
    TEAM_LOOP = auto()
    TEAM_SECTIONS = auto()
    LOOP = auto()
    LANES = auto()
    TASK_LOOP = auto()
    SECTIONS = auto()
    SECTION = auto()
    SINGLE = auto()
    SCOPE = auto()
    MASTER = auto()
    TASK = auto()
    GROUP = auto()
    TARGET = auto()
    CRITICAL = auto()
    ATOMIC = auto()
    ORDERED = auto()
    BARRIER = auto()
    TASK_WAIT = auto()
    FLUSH = auto()
    DOACROSS = auto()
    LOCK = auto()
    UNLOCK = auto()


TASKS = frozenset((Role.TASK, Role.TASK_LOOP))
STARTS_THREADS = frozenset((Role.TEAM, Role.TEAM_LOOP, Role.TEAM_SECTIONS))
LOOPS = frozenset((Role.TEAM_LOOP, Role.LOOP, Role.LANES, Role.TASK_LOOP))
POINTS = frozenset((Role.BARRIER, Role.TASK_WAIT, Role.FLUSH, Role.DOACROSS, Role.LOCK, Role.UNLOCK))
HOLDS = frozenset((Role.CRITICAL, Role.ATOMIC, Role.ORDERED))
Id: TypeAlias = int


class Construct(Struct, frozen=True):
    """A directive that does one of these things; `key` tells it apart from others of its file. `threads`: the program
    with marks has a loop over the numbers of the threads in it. `of`: that of the directive of which it is the
    outer part (`target_task`). `is_empty`: no code is below it."""

    key: Id
    role: Role
    directive: Directive
    path: str = ""
    threads: bool = False
    of: Id | None = None
    is_empty: bool = False

    @property
    def line(self) -> int:
        return self.directive.line

    @property
    def waits_at_end(self) -> bool:
        """Whether all threads of the team wait for each other behind it. Gangs of OpenACC do not; workers and lanes of
        one gang do (OpenACC 3.3, 2.9.2 to 2.9.4)."""
        is_of_gangs = self.directive.has("gang") or not self.directive.has("worker", "vector")
        if self.directive.family == "acc" and is_of_gangs:
            return False
        divided = (Role.LOOP, Role.SECTIONS, Role.SINGLE, Role.SCOPE)
        return self.role in divided and not self.directive.has("nowait") and "distribute" not in self.directive.name

    @property
    def associated(self) -> int | None:
        """How many loops, each in the one before, it divides as one; None where that is not known."""
        return self.directive.number("collapse") if self.directive.has("collapse") else 1

    @property
    def is_of_one_thread(self) -> bool:
        """Whether it says itself that a single thread runs it, at once: then it is as if it were not there."""
        never = any((c.argument or "").rpartition(":")[2].strip() in ("0", "false") for c in self.directive.named("if"))
        words = self.directive.name
        one_team = "teams" in words and "parallel" not in words and self.directive.number("num_teams") == 1
        return never or self.directive.number("num_threads") == 1 or one_team

    @property
    def condition(self) -> str | None:
        """The condition in C under which several threads run it."""
        for clause in self.directive.named("if"):
            modifier, _, rest = (clause.argument or "").partition(":")
            if modifier.strip() in ("parallel", "task", "taskloop", "simd"):
                return rest.strip()
            if modifier.strip() not in ("target", "cancel"):
                return (clause.argument or "").strip() or None
        return None

    @property
    def schedule(self) -> str | None:
        """A static one, with the size of its parts: two loops with as many iterations that have it give those of one
        number to one thread (OpenMP 5.2 11.5.3)."""
        found = next((c.argument or "" for c in self.directive.named("schedule")), "")
        kind, _, part = "".join(found.split()).rpartition(":")[2].partition(",")
        return f"static,{part}" if kind == "static" and (not part or part.isdigit()) else None


def target_task(directive: Directive) -> Directive | None:
    """The task that a combined construct is on the host, where that does not wait for the device.

    Example: `target nowait map(a) depend(out: a)` of `target parallel for nowait map(a) depend(out: a)`."""
    name = directive.name
    if name[0] != "target" or {"data", "update"} & {*name} or len(name) < 2 or not directive.has("nowait"):
        return None
    return replace(directive, name=("target",), argument=None)


def role_of(directive: Directive) -> Role | None:
    """None where a directive says nothing of who runs what, when. `kernels` leaves that to the compiler, which looks
    at dependences itself."""
    return _of_openmp(directive) if directive.family == "omp" else _of_openacc(directive)


def _of_openmp(directive: Directive) -> Role | None:
    words = directive.name
    team = bool({"parallel", "teams"} & {*words})
    match words:
        case ("ordered",) if directive.has("depend", "doacross"):
            return Role.DOACROSS
        case ("target",):
            return Role.TASK if directive.has("nowait") else Role.TARGET
        case ("target", "enter" | "exit", "data") | ("target", "update" | "data"):
            return None
        case ("barrier",):
            return Role.BARRIER
        case ("taskwait",):
            return Role.TASK_WAIT
        case ("flush",):
            return Role.FLUSH
        case (("critical" | "atomic" | "ordered" | "task" | "section" | "single" | "scope") as word,):
            return Role[word.upper()]
        case ("master" | "masked",):
            return Role.MASTER
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
