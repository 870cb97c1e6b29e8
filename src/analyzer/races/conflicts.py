"""Races of one team of threads: two of them may be at one place in memory at once, and one of them stores there.

*Decides*: for every pair of steps that may run at once, whether they race, never meet, or nobody knows.
*Method*: by what makes the variables that they get to (`sharing`), by what runs at once (`teams`), by what is held
(critical sections, locks, atomic accesses), and by the dependence test between two iterations of the loop over threads
or of the divided loop itself (`meeting`).
*Errs toward* not known. *Limits*: MOST_PAIRS pairs.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from itertools import combinations_with_replacement

from msgspec import Struct
from msgspec.structs import replace

from ..access.accesses import kind
from ..base.places import Place
from ..facts.loop import Assumption
from ..ir.c_library import ALLOCATORS, Effect, effect
from ..ir.nodes import Allocated, Call, Declared, Object
from ..ir.same import same_place
from ..source.ctypes import Array, Floating, Integer, Pointer
from .constructs import LOOPS, STARTS_THREADS, TASKS, Construct, Role
from .meeting import Asked, Meets, Met, met
from .mending import missing
from .recorded import Entered, Step
from .sharing import Definitions, Home, home, is_automatic, variable_of
from .teams import Team, Together

MOST_WORK = 4000
"""Eliminations for one team."""

MOST_PAIRS = 4000
"""Of steps of one team that are compared."""

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
    """What is known of the file. `here`: which function stands at a path and line; `atomic`: paths and lines with calls
    that are atomic; `locks`: where variables are declared that are locks, by name."""

    here: Definitions
    atomic: frozenset[tuple[str, int]]
    locks: Mapping[str, frozenset[Place]]
    touches_nothing: Callable[[str], bool]
    """Whether a function, by its name, touches nothing that threads share."""

    def locks_in(self, team: Team) -> frozenset[str]:
        """Those that are declared in the construct: each thread has one of its own."""
        if team.entered is None:
            return frozenset()
        c = team.entered.construct
        return frozenset(f"&{name}" for name, places in self.locks.items() if any(self._is_in(c, p) for p in places))

    def _is_in(self, construct: Construct, place: Place) -> bool:
        if place.path != construct.path or place.line <= construct.line:
            return False
        return self.here(place.path, place.line) == self.here(construct.path, construct.line)


class _Shared(Struct, frozen=True):
    """A step, and what makes the variable that it gets to."""

    step: Step
    home: Home


def conflicts(asked: Asked, team: Team, program: Program) -> Conflicts:
    """The races of one team of threads, and what may be one."""
    asked.allow(MOST_WORK)
    shared = [_Shared(s, home(team, s, program.here)) for s in _distinct(team)]
    shared = [each for each in shared if _may_be_shared(team, each)]
    found = [*_unseen(team, program)]
    needed: frozenset[Assumption] = frozenset()
    settled: set[Hashable] = set()
    tried = 0
    for x, y in combinations_with_replacement(shared, 2):
        a, b = x.step, y.step
        if not _may_race(asked, team, x, y, program):
            continue
        where = _common(team, a, b)
        about = (where, *sorted((str(a.occurrence.access.object), str(b.occurrence.access.object))))
        if about in settled:
            continue
        for together in _in_one_home(team, x, team.at_once(a, b)):
            tried += 1
            if tried > MOST_PAIRS:
                why = f"more than {MOST_PAIRS} pairs of accesses to compare"
                return Conflicts((*found, Conflict(_construct(team.entered), a, b, False, why)), needed)
            answer = _between(asked, team, together, a, b)
            needed |= answer.assumptions
            if answer.how is Meets.NEVER:
                continue
            sure = answer.how is Meets.SURELY and together.sure and not _may_be_ordered(team, a, b)
            sure = sure and not _is_of_a_number(team, a)
            clauses = _clauses(asked, where, together, shared) if sure else ()
            found.append(Conflict(where, a, b, sure, "", clauses))
            if sure:
                settled.add(about)
                break
    return Conflicts(tuple(found), needed)


def _may_be_shared(team: Team, each: _Shared) -> bool:
    """Whether another step could get to the same variable while this one does: a task, if each thread has its own."""
    if each.home == "all":
        return True
    if each.home == "each":
        return _is_automatic(each.step) and any(e.construct.role in TASKS for e in _constructs(team))
    return any(e.construct.role in TASKS and e.arm != each.home.arm for e in _constructs(team))


def _is_automatic(step: Step) -> bool:
    variable = variable_of(step)
    return variable is not None and is_automatic(variable)


def _constructs(team: Team) -> Iterator[Entered]:
    return (e.entered for e in team.recorded.entered.values())


def _may_race(asked: Asked, team: Team, x: _Shared, y: _Shared, program: Program) -> bool:
    a, b = x.step.occurrence, y.step.occurrence
    if not (a.write or b.write) or asked.are_apart(a.access.object, b.access.object) or x.home != y.home:
        return False
    return not _are_held_apart(team, x.step, y.step, program)


def _in_one_home(team: Team, x: _Shared, found: Iterator[Together]) -> Iterator[Together]:
    """Those in which both get to one variable: not in two iterations of which each has its own."""
    for together in found:
        loop = together.loop
        if loop is None or x.home == "all":
            yield together
        elif x.home == "each":
            variable = variable_of(x.step)
            keys = variable.loops if variable is not None else ()
            outside = loop in team.threads or loop.key in keys
            if not outside:
                yield together
        else:
            loops = x.step.occurrence.loops
            inner = loops[x.home.depth + (x.home.construct.associated or 1 if x.home.construct.role in LOOPS else 0) :]
            if loop in inner:
                yield together


def _between(asked: Asked, team: Team, together: Together, a: Step, b: Step) -> Met:
    loop = together.loop
    if loop is None:
        return _in_one_iteration(asked, team, a, b)
    lanes = team.entered.construct.directive.number("safelen") if team.entered and team.role is Role.LANES else None
    first, last = (s.occurrence for s in (a, b))
    conditional = any(e.construct.condition is not None for e in team.around(a))
    lists = loop not in team.threads and not conditional  # the condition may be that no element is in it twice
    answer = met(asked, loop, first, last, lanes or 0, lists=lists, always=loop in team.threads)
    if together.of_threads and loop not in team.threads and team.threads and answer.how is not Meets.NEVER:
        of_threads = met(asked, team.threads[0], first, last, always=True)  # each may have its own place
        answer = of_threads if of_threads.how is not Meets.SURELY else answer
    return answer if answer.how is Meets.NEVER else _of_one_number(asked, team, together, a, b) or answer


def _of_one_number(asked: Asked, team: Team, together: Together, a: Step, b: Step) -> Met | None:
    """That one thread does both, as two loops with one static schedule give it iterations of one number."""
    x, y = (team.agents(s) for s in (a, b))
    if not x or not y or together.loop is None or x[-1].construct.schedule is None:
        return None
    if x[-1].construct.schedule != y[-1].construct.schedule:
        return None
    if x[-1].arm == y[-1].arm and together.loop in team.divided(a, x[-1]):
        return None
    first, last = (team.divided(s, agents[-1]) for s, agents in ((a, x), (b, y)))
    if len(first) != 1 or len(last) != 1 or first[0].trip is None or first[0].trip != last[0].trip:
        return None
    equal = asked.only_at_equal_numbers(together.loop, a.occurrence, b.occurrence, first[0], last[0])
    return Met(Meets.NEVER) if equal else None


def _in_one_iteration(asked: Asked, team: Team, a: Step, b: Step) -> Met:
    """Of a task and what goes on beside it."""
    x, y = a.occurrence.access, b.occurrence.access
    if x.object == y.object and same_place(x, y) and not (x.subscripts and _moves(a, b)):
        return Met(Meets.SURELY)
    if x.object == y.object and isinstance(x.object, Declared) and len(x.subscripts) == len(y.subscripts):
        gaps = [(s.index - t.index).constant for s, t in zip(x.subscripts, y.subscripts, strict=True)]
        if any(gaps):
            return Met(Meets.NEVER)
    if team.threads:
        answer = met(asked, team.threads[0], a.occurrence, b.occurrence, always=True)
        around = [loop for loop in a.occurrence.loops if loop in b.occurrence.loops and loop not in team.threads]
        if answer.how is Meets.NEVER:
            return Met(Meets.PERHAPS) if _is_own(a) else answer
        return answer if not around else Met(Meets.PERHAPS)
    return Met(Meets.PERHAPS)


def _is_of_a_number(team: Team, step: Step) -> bool:
    """Whether a task gets to the place of the thread that runs it, be that which it is."""
    if not any(e.construct.role in TASKS for e in team.agents(step)):
        return False
    counters = {loop.counter for loop in team.threads}
    return any(counters & s.index.symbols for s in step.occurrence.access.subscripts)


def _moves(a: Step, b: Step) -> bool:
    """Whether what selects the places may have changed between the two."""
    return a.occurrence.loops != b.occurrence.loops


def _is_own(step: Step) -> bool:
    """Whether each thread has one of its own of what is accessed."""
    variable = variable_of(step)
    return variable is not None and bool(variable.loops)


def _clauses(
    asked: Asked, where: Construct | None, together: Together, shared: list[_Shared]
) -> tuple[str, ...]:
    """Those that the directive of a divided loop lacks."""
    loop = together.loop
    if loop is None or where is None or where.role not in LOOPS:
        return ()
    if loop.key not in asked.mended:
        named = (s.step for s in shared if s.home == "all" and s.step.occurrence.access.place.path == where.path)
        variables = frozenset(v for s in named if (v := variable_of(s)) is not None and is_automatic(v))
        asked.mended[loop.key] = missing(asked.around, loop, variables)
    return asked.mended[loop.key]


def _distinct(team: Team) -> Iterator[Step]:
    """One of each set of accesses that is alike in all that is asked about."""
    seen: set[Hashable] = set()
    for s in team.steps:
        if s.call is None:
            stretches = tuple(i for i, stretch in enumerate(team.stretches) if s.at in stretch)
            beside = tuple(arm for arm, steps in team.tasks.items() if s.at in steps)
            key = (kind(s.occurrence), tuple(e.arm for e in s.inside), stretches, beside, team.locks(s), s.clause)
            if key not in seen:
                seen.add(key)
                yield s


def _unseen(team: Team, program: Program) -> Iterator[Conflict]:
    """What is not known of the whole: calls of which the effects are not, values that one thread gives to the others,
    copies that step in each thread."""
    here = program.here
    for s in team.steps:
        if s.call is not None and (why := _effect(team, s, s.call, program)):
            yield Conflict(_common(team, s, s), s, s, False, why)
    for s in team.steps:
        variable, made = variable_of(s), home(team, s, here)
        if variable is None or isinstance(made, str) or isinstance(variable.type, Array):
            continue
        if any(at < team.recorded.entered[made.arm].first for at in team.recorded.pointed.get(variable.key, ())):
            why = f"a pointer leads to `{variable.name}` from before on, which is not the copy of it that is made here"
            yield Conflict(made.construct, s, s, False, why)
    for each in _constructs(team):
        inside = [s for s in team.steps if each.arm in [e.arm for e in s.inside]]
        for name in each.construct.directive.lists("copyprivate") if inside else ():
            given = (v for s in inside if (v := variable_of(s)) is not None and v.name == name)
            if any(isinstance(v.type, Pointer) for v in given):
                why = f"all threads get the pointer `{name}` of one of them"
                yield Conflict(_construct(team.entered), inside[0], inside[0], False, why)
        if each.construct.role in LOOPS and inside:
            yield from _stepping(team, each, inside, here)
            yield from _meant_by_others(team, each, inside, here)


def _stepping(team: Team, each: Entered, inside: list[Step], here: Definitions) -> Iterator[Conflict]:
    """Copies that the iterations of a divided loop count on from what the thread before left in them."""
    for loop in team.divided(inside[-1], each)[:1]:
        for induction in loop.inductions:
            name = induction.variable.name
            if name == loop.variable or name in each.construct.directive.lists("linear"):
                continue
            own = (s for s in inside if variable_of(s) == induction.variable)
            if any(home(team, s, here) == each for s in own):
                yield Conflict(each.construct, inside[0], inside[0], False, f"each thread has a `{name}` that steps")


def _meant_by_others(team: Team, each: Entered, inside: list[Step], here: Definitions) -> Iterator[Conflict]:
    """Counters that are variables of the file: functions that are called use the variable itself."""
    for s in inside:
        variable = variable_of(s)
        if variable is None or variable.name not in team.recorded.counters.get(each.arm, ()):
            continue
        if variable.scope == "global" and home(team, s, here) == "all":
            why = f"line {s.line} uses the variable `{variable.name}` of the file, not the counter of the loop"
            yield Conflict(each.construct, s, s, False, why)


def _effect(team: Team, step: Step, call: Call, program: Program) -> str:
    """In words, what a call may do to memory that is shared; empty where it does nothing."""
    name, known = call.name, effect(call.name)
    if name in ALLOCATORS or (known is not None and known.keeps_values and known is not Effect.RELEASES):
        return ""
    if known is not None and call.pointers and all(_is_of_a_thread(team, step, x, program) for x in call.pointers):
        return ""
    if known is None and not call.pointers and program.touches_nothing(name):
        return ""
    if known is None:
        return f"it calls `{name}`, of which the effects are not known"
    return f"it calls `{name}`, which {known.value}: what it does to memory is not looked at"


def _is_of_a_thread(team: Team, step: Step, x: Object, program: Program) -> bool:
    """Whether each thread has one of its own of some memory: a copy, or what it allocated."""
    inside = {loop.counter for loop in step.occurrence.loops[team.entered.depth - 1 :]} if team.entered else set()
    match x:
        case Declared(variable=variable):
            access = replace(step.occurrence.access, object=x, text=variable.name)
            return home(team, replace(step, occurrence=replace(step.occurrence, access=access)), program.here) != "all"
        case Allocated(loops=counters):
            return bool(inside & {*counters})
        case _:
            return False


def _construct(entered: Entered | None) -> Construct | None:
    return None if entered is None else entered.construct


def _common(team: Team, a: Step, b: Step) -> Construct | None:
    """The innermost directive around both that is answered for; where there is none, that of the first."""
    found = team.entered
    for x, y in zip(team.below(a.inside), team.below(b.inside), strict=False):
        if x.arm != y.arm:
            break
        found = x if x.construct.role in REPORTED else found
    if found is None:
        own = (e for s in (a, b) for e in team.below(s.inside) if e.construct.role in REPORTED)
        found = next(own, None)
    return _construct(found)


# --- what is held


def _are_held_apart(team: Team, a: Step, b: Step, program: Program) -> bool:
    if team.holds(a) & team.holds(b):
        return True
    if team.has_plain_locks and not team.are_groups and (team.locks(a) & team.locks(b)) - program.locks_in(team):
        return True
    return all(_is_atomic(team, s, program) for s in (a, b))


def _may_be_ordered(team: Team, a: Step, b: Step) -> bool:
    """Whether something that is not followed may keep them apart: locks that are selected, flags."""
    return team.waits_by_flags or (not team.has_plain_locks and bool(team.locks(a)) and bool(team.locks(b)))


def _is_atomic(team: Team, step: Step, program: Program) -> bool:
    """Whether the access itself is atomic: what is updated, stored to or read as such, not what else the statement
    reads."""
    access = step.occurrence.access
    if access.atomic or (isinstance(access.type, Integer | Floating) and access.type.atomic):
        return True
    if (access.place.path, access.place.line) in program.atomic:
        return True
    around = [e for e in team.around(step) if e.construct.role is Role.ATOMIC]
    if not around:
        return False
    words = {c.name for c in around[-1].construct.directive.clauses}
    if "read" in words:
        return not step.occurrence.write
    inside = (s.occurrence for s in team.steps if any(e.arm == around[-1].arm for e in s.inside))
    beside = [o for o in inside if o.access.object == access.object and same_place(o.access, access)]
    read, stored = any(not o.write for o in beside), any(o.write for o in beside)
    return read and stored if "capture" in words else stored
