"""What is not followed in a team: calls of which the effects are not known, values that one thread gives to the others,
copies that go their own ways."""

from collections.abc import Iterator

from msgspec.structs import replace

from ..ir.c_library import ALLOCATORS, ERRNO, Effect, effect
from ..ir.nodes import Allocated, Anything, Call, Declared, Object, Variable, is_use, walk
from ..ir.pointer_roots import root
from ..source.ctypes import Array, Floating, Integer, Pointer
from .conflict import Conflict, Program, common, construct_of, constructs_of
from .constructs import LOOPS, Construct
from .hidden_state import KEPT_IN
from .holding import are_held_apart, is_atomic
from .recorded import Entered, Step
from .sharing import Definitions, base_name, home, is_automatic, variable_of
from .teams import Team

_OF_ENVIRONMENT = ("getenv", "secure_getenv")
"""Functions that read what only `setenv` and its like change."""


def not_followed(team: Team, program: Program) -> Iterator[Conflict]:
    """What is not known of the whole: calls of which the effects are not, values that one thread gives to the others,
    copies that step in each thread."""
    here = program.here
    for s in team.steps:
        if s.call is not None and (why := _effect(team, s, s.call, program)):
            yield Conflict(common(team, s, s), s, s, False, why)
    for s in team.steps:
        variable, made = variable_of(s), home(team, s, here)
        if variable is None or isinstance(made, str) or isinstance(variable.type, Array):
            continue
        first = team.recorded.entered[made.arm].first
        if not any(at < first for at in team.recorded.pointed.get(variable.key, ())):
            continue
        inside = [x for x in team.steps if made.arm in x.arms]
        by_pointer = any(_may_be_by_pointer(x, variable) for x in inside)
        if by_pointer or _names_a_pointer(team, made.construct, inside, variable, program):
            why = f"a pointer leads to `{variable.name}` from before on, which is not the copy of it that is made here"
            yield Conflict(made.construct, s, s, False, why)
    for each in constructs_of(team):
        inside = [s for s in team.steps if each.arm in s.arms]
        for name in each.construct.directive.lists("copyprivate") if inside else ():
            given = (v for s in inside if (v := variable_of(s)) is not None and v.name == name)
            if any(isinstance(v.type, Pointer) for v in given):
                why = f"all threads get the pointer `{name}` of one of them"
                yield Conflict(construct_of(team.entered), inside[0], inside[0], False, why)
        if each.construct.role in LOOPS and inside:
            yield from _stepping(team, each, inside, here)
            yield from _meant_by_others(team, each, inside, here)


def _may_be_by_pointer(s: Step, variable: Variable) -> bool:
    """Whether a step may get to a variable otherwise than by its name."""
    x = s.occurrence.access
    if s.call is not None:
        return effect(s.call.name) is None
    return (variable_of(s) == variable and base_name(x.text) != variable.name) or isinstance(root(x.object), Anything)


def _names_a_pointer(
    team: Team, construct: Construct, inside: list[Step], variable: Variable, program: Program
) -> bool:
    """Whether the text of a construct has a pointer in it that leads to a variable. (What it leads to is accessed as if
    by name, where nothing else is stored in the pointer.)"""
    lines = [s.line for s in inside if s.occurrence.access.place.path == construct.path]
    names = team.recorded.pointers.get(variable.key, frozenset())
    return bool(names) and not names.isdisjoint(program.words(construct.path, construct.line, max(lines, default=0)))


def _stepping(team: Team, each: Entered, inside: list[Step], here: Definitions) -> Iterator[Conflict]:
    """Copies that the iterations of a divided loop count on from what the thread before left in them."""
    for loop in team.divided(inside[-1], each)[:1]:
        for induction in loop.inductions:
            name = induction.variable.name
            if name == loop.variable or name in each.construct.directive.lists("linear"):
                continue
            own = [s for s in inside if variable_of(s) == induction.variable]
            if _is_only_stored(inside, induction.variable):
                continue
            if any(home(team, s, here) == each for s in own) and any(_goes_on(s, induction.variable) for s in own):
                yield Conflict(each.construct, inside[0], inside[0], False, f"each thread has a `{name}` that steps")


def _is_only_stored(inside: list[Step], variable: Variable) -> bool:
    """Whether all that is done with the value is to make it anew, and to store it in memory: it selects nothing."""
    reads = [s for s in inside if variable_of(s) == variable and not s.occurrence.write]
    stores = [s.occurrence for s in inside if s.occurrence.write and (variable_of(s) == variable or _is_in_memory(s))]
    used = [e for o in stores if o.stored is not None for e in walk(o.stored) if is_use(e, variable)]
    return len(reads) == len(used)


def _is_in_memory(s: Step) -> bool:
    access = s.occurrence.access
    return bool(access.subscripts) and not isinstance(access.type, Pointer)


def _goes_on(s: Step, variable: Variable) -> bool:
    """Whether it stores what is made of the value before."""
    stored = s.occurrence.stored
    return s.occurrence.write and (stored is None or any(is_use(e, variable) for e in walk(stored)))


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
    if known is Effect.RELEASES and _is_used_by_a_task(team, step, call):
        return f"it calls `{name}` for what a task may still use"
    if name in KEPT_IN or name in ERRNO or name in _OF_ENVIRONMENT:
        return ""
    if name in ALLOCATORS or (known is not None and known.keeps_values and known is not Effect.RELEASES):
        return ""
    if known is not None and call.pointers and all(_is_of_a_thread(team, step, x, program) for x in call.pointers):
        return ""
    if name == "omp_fulfill_event" and any(e.construct.directive.has("detach") for e in step.inside):
        return ""  # in the task itself: that ends no later
    if known is None and not call.pointers and program.touches_nothing(name):
        return ""
    if known is None and (_meets_nothing(team, name, program) or _is_alone(team, step, name, program)):
        return ""
    if known is None:
        return f"it calls `{name}`, of which the effects are not known"
    return f"it calls `{name}`, which {known.value}: what it does to memory is not looked at"


def _is_used_by_a_task(team: Team, step: Step, call: Call) -> bool:
    """Whether a task that nobody has waited for gets to memory of which a call gets the address."""
    beside = {arm for arm, steps in team.tasks.items() if step.at in steps}
    return any(beside & s.arms and s.occurrence.access.object in call.pointers for s in team.steps)


def _meets_nothing(team: Team, name: str, program: Program) -> bool:
    """Whether what a function reads is stored to by nobody of the team, and what it stores to is always atomic."""
    stored = program.stored_by_name(name)
    if stored is None:
        return False
    for s in team.steps:
        variable = variable_of(s)
        own = variable is not None and is_automatic(variable) and not variable.addressed
        named = variable is not None and variable.name in stored
        if (named or (s.occurrence.write and not own)) and not is_atomic(team, s):
            return False
    return True


def _is_alone(team: Team, step: Step, name: str, program: Program) -> bool:
    """Whether nobody gets to memory that others could get to, while a thread is in the function: all that do hold what
    it holds."""
    if not program.is_done_by_its_caller(name):
        return False
    beside = (s for s in team.steps if team.meet_between_barriers(step, s) and not _is_out_of_reach(s))
    return all(are_held_apart(team, step, s, program) for s in beside)


def _is_out_of_reach(step: Step) -> bool:
    """Whether the step gets to a variable that no pointer leads to: no array, which is one where it is handed over."""
    variable = variable_of(step)
    if variable is None or not isinstance(variable.type, Integer | Floating | Pointer):
        return False
    return is_automatic(variable) and not variable.addressed


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
