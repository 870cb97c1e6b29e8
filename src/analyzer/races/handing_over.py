"""Threads that wait in a loop for what another one stores: flags.

*Decides*: whether one access comes before another one as its thread sets a flag behind it, atomically, for which the
thread of the other one waits before it; whether accesses are those to the flag itself, which nothing else orders.
*Method*: a loop in which a thread does nothing but to read one shared variable, or to try to set it atomically, ends
only once another one has set it.
*Errs toward* neither: flags that may be set from the start, several threads that may set the flag, stores to it in
other places, no `flush` in between.

    thread 0:  data = 1;  #pragma omp atomic write release       thread 1:  do { #pragma omp atomic read acquire
                          flag = 1;                                              f = flag; } while (!f);   use(data);
"""

from collections.abc import Iterator

from msgspec import Struct

from models.expr.nodes import remembered

from ..ir.nodes import Compare, Declared, Literal, Loop, Object
from .conflict import Program
from .constructs import Role
from .recorded import Step
from .sharing import is_automatic, variable_of
from .teams import Team

_RELEASE, _ACQUIRE = ("seq_cst", "release", "acq_rel"), ("seq_cst", "acquire", "acq_rel")


class Wait(Struct, frozen=True):
    """A loop that waits for a flag. `read`: of the flag; `end`: what follows the loop in program order."""

    flag: Object
    read: Step
    end: int


@remembered("_waits_for_flags")
def waits(team: Team) -> tuple[Wait, ...]:
    """Example: see the module."""
    return tuple(wait for loop in _open_loops(team) for wait in _wait(team, loop))


@remembered("_open_loops")
def _open_loops(team: Team) -> tuple[Loop, ...]:
    """Those of which the number of iterations is not known, innermost ones."""
    loops = {s.occurrence.loops[-1].key: s.occurrence.loops[-1] for s in team.steps if s.occurrence.loops}
    return tuple(loop for loop in loops.values() if loop.trip is None)


def _wait(team: Team, loop: Loop) -> Iterator[Wait]:
    begin, end = team.recorded.extents[loop.key]
    inside = [s for s in team.steps if begin < s.at < end]
    shared = [s for s in inside if not _is_own(team, s)]
    flags = {s.occurrence.access.object for s in shared}
    stores = (s.occurrence.write and s.occurrence.within is None for s in shared)  # not those that take a lock
    reads = not any(stores) and all(s.call is None for s in shared)
    if len(flags) == 1 and reads and all(isinstance(flag, Declared) for flag in flags):
        yield Wait(shared[0].occurrence.access.object, shared[0], end)


def _is_own(team: Team, s: Step) -> bool:
    """Whether it is a variable of the thread: declared in what all threads run."""
    variable = variable_of(s)
    depth = 0 if team.entered is None else team.entered.depth
    inside = {loop.key for loop in s.occurrence.loops[depth - 1 :]}
    return variable is not None and is_automatic(variable) and bool(inside & {*variable.loops})


def are_of_flag(team: Team, a: Step, b: Step) -> bool:
    """Whether both get to the only flag for which threads wait."""
    found = waits(team)
    flags = {wait.flag for wait in found}
    accessed = {s.occurrence.access.object for s in (a, b)}
    return len(found) == len(_open_loops(team)) and len(flags) == 1 and accessed == flags


def are_never_handed_over(team: Team, a: Step, b: Step) -> bool:
    """Whether no flag orders two accesses: behind neither is one set for which there is a wait before the other one."""
    found = waits(team)
    threads = {loop.key for loop in team.threads}
    again = any({loop.key for loop in s.occurrence.loops} - threads for s in (a, b))
    if not found or len(found) < len(_open_loops(team)) or again:
        return False
    return not any(_may_come_before(team, wait, x, y) for wait in found for x, y in ((a, b), (b, a)))


def _may_come_before(team: Team, wait: Wait, first: Step, last: Step) -> bool:
    sets = (s for s in team.steps if s.occurrence.write and s.occurrence.access.object == wait.flag)
    behind = any(first.at < s.at and _are_on_one_way(s, first) and _is_released(team, first, s) for s in sets)
    return behind and wait.end <= last.at and _are_on_one_way(wait.read, last) and _is_acquired(team, wait, last)


def _is_released(team: Team, first: Step, store: Step) -> bool:
    """Whether a flag that is set hands over what its thread has stored before: the standard says so of no other."""
    return _has(store, *_RELEASE) or _is_flushed(team, first.at, store.at)


def _is_acquired(team: Team, wait: Wait, last: Step) -> bool:
    return _has(wait.read, *_ACQUIRE) or _is_flushed(team, wait.read.at, last.at)


def _are_on_one_way(x: Step, y: Step) -> bool:
    """Whether one thread may come to both: they are not in different sections or arms of conditions."""
    one, other = ({e.arm for e in s.inside if e.construct.role is Role.SECTION} for s in (x, y))
    pairs = zip(x.conditions, y.conditions, strict=False)
    apart = any(g.condition is h.condition and g.holds != h.holds for g, h in pairs)
    return not apart and (one == other or not one or not other)


def is_handed_over(team: Team, a: Step, b: Step, program: Program) -> bool:
    """Whether one of two accesses comes before the other one by a flag. Example: see the module."""
    found = (wait for wait in waits(team) if _is_down_at_first(team, wait, program))
    return any(_comes_before(team, wait, x, y) for wait in found for x, y in ((a, b), (b, a)))


def _is_down_at_first(team: Team, wait: Wait, program: Program) -> bool:
    """Whether the flag holds another number at first than those that threads store to it."""
    stores = [s for s in team.recorded.steps if s.occurrence.write and s.occurrence.access.object == wait.flag]
    inside = {s.at for s in team.steps}
    before = [s for s in stores if s.at not in inside and s.at < wait.read.at]
    variable = variable_of(wait.read)
    zero = variable is not None and program.is_zero_at_first(variable)
    first = _number(before[-1]) if before else 0 if zero else None
    return first is not None and all(_number(s) not in (None, first) for s in stores if s.at in inside)


def _number(s: Step) -> int | float | None:
    return s.occurrence.stored.value if isinstance(s.occurrence.stored, Literal) else None


def _comes_before(team: Team, wait: Wait, first: Step, last: Step) -> bool:
    sets = [s for s in team.steps if s.occurrence.write and s.occurrence.access.object == wait.flag]
    if not sets or wait.end > last.at or not _stands_beside(wait.read, last) or not _has(wait.read, "read"):
        return False
    return _is_acquired(team, wait, last) and all(_is_set_behind(team, s, first) for s in sets)


def _is_set_behind(team: Team, store: Step, first: Step) -> bool:
    """Whether one thread alone does both, and the store to the flag behind the other one."""
    if first.at > store.at or not _stands_beside(store, first) or not _is_of_one_thread(team, store):
        return False
    return _has(store, "write") and _is_released(team, first, store)


def _stands_beside(flag: Step, s: Step) -> bool:
    """Whether a thread that does `s` comes to the access to the flag as well: nothing more is around that."""
    own = [e.arm for e in flag.inside if e.construct.role is not Role.ATOMIC]
    arms = [g.arm for g in flag.conditions]
    return own == [e.arm for e in s.inside][: len(own)] and arms == [g.arm for g in s.conditions][: len(arms)]


def _is_of_one_thread(team: Team, s: Step) -> bool:
    """Whether only one thread ever does it, once."""
    if any(e.construct.role in (Role.SECTION, Role.SINGLE, Role.MASTER) for e in team.agents(s)):
        return True
    counters = {loop.counter for loop in team.threads}
    tests = (g.predicate for g in s.conditions)
    return any(isinstance(p, Compare) and p.relation == "==" and p.value.symbols <= counters != set() for p in tests)


def _has(s: Step, *words: str) -> bool:
    """Whether it is atomic, and what one of these clauses says."""
    operation = s.occurrence.within
    if operation is not None:
        return operation.order in words or ("write" if s.occurrence.write else "read") in words
    atomic = (e.construct.directive for e in s.inside if e.construct.role is Role.ATOMIC)
    return any(directive.has(*words) for directive in atomic)


def _is_flushed(team: Team, first: int, last: int) -> bool:
    return any(p.construct.role is Role.FLUSH and first < p.at < last for p in team.recorded.points)
