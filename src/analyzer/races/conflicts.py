"""Races of one team of threads: two of them may be at one place in memory at once, and one of them stores there.

*Decides*: for every pair of accesses that may run at once, whether they race, never meet, or nobody knows.
*Method*: by variables that are shared (`sharing`), by what runs at once (`teams`), by what is held (critical sections,
locks, atomic accesses), and by the dependence test between two iterations of the loop over threads or of the divided
loop itself (`meeting`).
*Errs toward* not known. *Limits*: MOST_PAIRS pairs.
"""

from collections.abc import Hashable, Iterator
from itertools import combinations_with_replacement

from msgspec import Struct

from ..access.accesses import kind
from ..facts.loop import Assumption
from ..ir.c_library import ALLOCATORS, effect
from ..ir.nodes import Declared, Loop
from .constructs import LOOPS, STARTS_THREADS, Construct, Role
from .meeting import Asked, Meets, met
from .mending import missing
from .recorded import Entered, Step
from .sharing import Definitions, is_shared, variable_of
from .teams import Team

MOST_WORK = 4000
"""Eliminations for one team."""

MOST_PAIRS = 4000
"""Of accesses of one team that are compared."""

REPORTED = STARTS_THREADS | LOOPS | {Role.SECTIONS, Role.TASK}
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


def conflicts(asked: Asked, team: Team, here: Definitions) -> Conflicts:
    """The races of one team of threads, and what may be one."""
    asked.allow(MOST_WORK)
    shared = list(_distinct(team, [s for s in team.steps if s.call is None and is_shared(team, s, here)]))
    written = {s.occurrence.access.object for s in shared if s.occurrence.write}
    found = [_of_call(team, s) for s in team.steps if s.call is not None and _may_do_anything(s)]
    needed: frozenset[Assumption] = frozenset()
    settled: set[Hashable] = set()
    tried = 0
    for a, b in combinations_with_replacement(shared, 2):
        if not (a.occurrence.write or b.occurrence.write) or _are_held_apart(team, a, b):
            continue
        if a.occurrence.access.object not in written and b.occurrence.access.object not in written:
            continue
        where = _common(team, a, b)
        about = (where, *sorted((str(a.occurrence.access.object), str(b.occurrence.access.object))))
        if about in settled:
            continue
        for loop in team.at_once(a, b):
            tried += 1
            if tried > MOST_PAIRS:
                why = f"more than {MOST_PAIRS} pairs of accesses to compare"
                return Conflicts((*found, Conflict(_construct(team.entered), a, b, False, why)), needed)
            outcome, assumptions = _between(asked, team, loop, a, b)
            needed |= assumptions
            if outcome is not Meets.NEVER:
                sure = outcome is Meets.SURELY and not _may_be_one_lock(team, a, b) and not team.waits_by_flags
                found.append(
                    Conflict(where, a, b, sure, "", _clauses(asked, team, where, loop, shared) if sure else ())
                )
                if sure:
                    settled.add(about)
                    break
    return Conflicts(tuple(found), needed)


def _between(asked: Asked, team: Team, loop: Loop | None, a: Step, b: Step) -> tuple[Meets, frozenset[Assumption]]:
    if loop is not None:
        lanes = team.entered.construct.directive.number("safelen") if team.entered and team.role is Role.LANES else None
        threads = team.threads(a)
        answer = met(asked, loop, a.occurrence, b.occurrence, lanes or 0, lists=loop not in threads)
        if threads and loop not in threads and answer.how is not Meets.NEVER:
            of_threads = met(asked, threads[0], a.occurrence, b.occurrence)  # each may have its own place
            answer = of_threads if of_threads.how is not Meets.SURELY else answer
        return answer.how, answer.assumptions
    x, y = a.occurrence.access, b.occurrence.access
    if x.object == y.object and isinstance(x.object, Declared):
        if not x.subscripts and not y.subscripts and x.offset == y.offset:
            return Meets.SURELY, frozenset()
        pairs = [(s.index - t.index).constant for s, t in zip(x.subscripts, y.subscripts, strict=False)]
        if any(pairs):
            return Meets.NEVER, frozenset()
        alike = len(x.subscripts) == len(y.subscripts) and x.offset == y.offset and all(p == 0 for p in pairs)
        return (Meets.SURELY if alike else Meets.PERHAPS), frozenset()
    threads = team.threads(a)
    if threads:
        answer = met(asked, threads[0], a.occurrence, b.occurrence)
        return (Meets.NEVER if answer.how is Meets.NEVER else Meets.PERHAPS), answer.assumptions
    return Meets.PERHAPS, frozenset()


def _clauses(
    asked: Asked, team: Team, where: Construct | None, loop: Loop | None, shared: list[Step]
) -> tuple[str, ...]:
    """Those that the directive of a divided loop lacks."""
    if loop is None or where is None or where.role not in LOOPS:
        return ()
    if loop.key not in asked.mended:
        variables = frozenset(v for s in shared if (v := variable_of(s)) is not None)
        asked.mended[loop.key] = missing(asked.around, loop, variables)
    return asked.mended[loop.key]


def _distinct(team: Team, steps: list[Step]) -> Iterator[Step]:
    """One of each set that is alike in all that is asked about."""
    seen: set[Hashable] = set()
    for s in steps:
        stretches = tuple(i for i, stretch in enumerate(team.stretches) if s.at in stretch)
        key = (kind(s.occurrence), tuple(e.arm for e in s.inside), stretches, team.locks(s))
        if key not in seen:
            seen.add(key)
            yield s


def _of_call(team: Team, s: Step) -> Conflict:
    assert s.call is not None
    return Conflict(_common(team, s, s), s, s, False, f"it calls `{s.call.name}`, of which the effects are not known")


def _may_do_anything(s: Step) -> bool:
    return s.call is not None and s.call.name not in ALLOCATORS and effect(s.call.name) is None


def _construct(entered: Entered | None) -> Construct | None:
    return None if entered is None else entered.construct


def _common(team: Team, a: Step, b: Step) -> Construct | None:
    """The innermost directive around both that is answered for."""
    found = team.entered
    for x, y in zip(team.below(a.inside), team.below(b.inside), strict=False):
        if x.arm != y.arm:
            break
        found = x if x.construct.role in REPORTED else found
    return _construct(found)


# --- what is held


def _are_held_apart(team: Team, a: Step, b: Step) -> bool:
    if team.holds(a) & team.holds(b):
        return True
    if team.locks(a) & team.locks(b) and not _may_be_one_lock(team, a, b):
        return True
    return all(_is_atomic(team, s) for s in (a, b))


def _may_be_one_lock(team: Team, a: Step, b: Step) -> bool:
    """Whether both hold what may be the same one of several locks."""
    return any("[" in name or "->" in name for name in team.locks(a)) and any(
        "[" in name or "->" in name for name in team.locks(b)
    )


def _is_atomic(team: Team, step: Step) -> bool:
    """Whether the access itself is atomic: what is updated, stored to or read as such, not what else the statement
    reads."""
    around = [e for e in team.below(step.inside) if e.construct.role is Role.ATOMIC]
    if not around:
        return False
    words = {c.name for c in around[-1].construct.directive.clauses}
    x = step.occurrence.access
    if "read" in words:
        return not step.occurrence.write
    beside = [
        s.occurrence
        for s in team.steps
        if any(e.arm == around[-1].arm for e in s.inside) and s.occurrence.access.object == x.object
    ]
    if "capture" in words:
        return any(o.write for o in beside) and any(not o.write for o in beside)
    return any(o.write for o in beside)
