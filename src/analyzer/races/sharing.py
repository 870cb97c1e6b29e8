"""Which variables the threads and tasks of a team share.

*Decides*: what makes the variable that a step gets to by its name: the construct that gives each thread, iteration or
task one of its own, or nothing, so that all threads of the team share it. Two steps can race only for one that the same
thing made. It rests on the clauses of the constructs around the step, on where the variable is declared, and on what
the standard says of the counters of divided loops, and of tasks (OpenMP 5.2 5.1).
*Errs toward* shared. What pointers lead to is shared; a clause may name a section of it.
"""

from collections.abc import Callable
from typing import Literal, TypeAlias

from ..ir.nodes import Declared, Variable
from ..source.ctypes import Floating, Integer, Pointer
from .constructs import LOOPS, TASKS
from .recorded import Entered, Step
from .teams import Team

COPIES = ("private", "firstprivate", "lastprivate", "reduction", "in_reduction", "linear")
"""Clauses that give each thread, iteration or task a variable of its own."""

Definitions: TypeAlias = Callable[[str, int], object]
"""What tells, by a path and a line, which function stands there."""

Home: TypeAlias = "Entered | Literal['each', 'all']"
"""The construct that makes a variable; `each`: every thread comes to its declaration itself; `all`: it is there before
the threads are."""


def variable_of(step: Step) -> Variable | None:
    """The variable that is accessed itself, or an element or a member of it."""
    x = step.occurrence.access.object
    return x.variable if isinstance(x, Declared) else None


def home(team: Team, step: Step, here: Definitions) -> Home:
    """What makes the variable, or the memory, that the step gets to.

    Example: with `#pragma omp parallel for private(t)`, that directive makes `t`, and the counter of its loop."""
    variable = variable_of(step)
    if variable is None:
        return _of_memory(team, step, here)
    if variable.per_thread:
        return "all" if _is_by_pointer(team, step, variable, step.at) else "each"
    made: Home = "each" if _is_declared_in(team, step, variable) else "all"
    around = team.around(step)
    for each in around[:-1] if step.clause else around:
        if _is_by_pointer(team, step, variable, team.recorded.entered[each.arm].first):
            continue
        of_task = each.construct.role in TASKS and _is_of_a_call(each, variable, here)
        if of_task or _counts(team, each, step, variable, here):
            made = each
        elif not is_named(each, step, variable, here):
            continue
        elif _has_copy(each, variable):
            made = each
        elif each.construct.role in TASKS and made != "all" and not _is_given_to(each, variable):
            made = each  # OpenMP 5.2 5.1.1: such a variable is `firstprivate`
    return made


def _of_memory(team: Team, step: Step, here: Definitions) -> Home:
    """Of what a pointer leads to: a section of it may be one of each thread, by the name of the pointer."""
    access = step.occurrence.access
    name = base_name(access.text)
    for each in reversed(team.around(step)):
        c = each.construct
        items = (item for clause in c.directive.named(*COPIES) for item in clause.items)
        named = any("[" in item and item.partition("[")[0].strip() == name for item in items)
        if named and access.place.path == c.path and here(c.path, access.place.line) == here(c.path, c.line):
            return each
    return "all"


def base_name(text: str) -> str:
    """The variable with which an access begins, as the program writes it."""
    return text.lstrip("(&*").partition("[")[0].partition(".")[0].partition("-")[0].rstrip(")")


def _is_declared_in(team: Team, step: Step, variable: Variable) -> bool:
    """Whether each thread of the team comes to the declaration itself."""
    if not is_automatic(variable):
        return False
    if team.entered is None:
        return True
    around = team.entered.depth - team.entered.construct.threads
    inside = {loop.key for loop in step.occurrence.loops[around:]}
    return any(key in inside for key in variable.loops)


def _is_given_to(task: Entered, variable: Variable) -> bool:
    """Whether a task shares a variable with the thread that makes it. One on a device does with what is mapped: all but
    scalars and pointers is, unless a clause says otherwise (OpenMP 5.2 5.8.1)."""
    directive = task.construct.directive
    if "target" in directive.name:
        named = variable.name in directive.lists("map", "reduction", "lastprivate")
        return named or not isinstance(variable.type, Integer | Floating | Pointer)
    return variable.name in directive.lists("shared") or _default(task) == "shared"


def _has_copy(each: Entered, variable: Variable) -> bool:
    directive = each.construct.directive
    if variable.name in directive.lists(*COPIES):
        return True
    return _default(each) in ("private", "firstprivate") and variable.name not in directive.lists("shared")


def _is_of_a_call(each: Entered, variable: Variable, here: Definitions) -> bool:
    """Whether a function declares it that is called in a construct, anew each time."""
    place, c = variable.place, each.construct
    elsewhere = place.path != c.path or here(place.path, place.line) != here(c.path, c.line)
    return variable.inlined and is_automatic(variable) and elsewhere


def _counts(team: Team, each: Entered, step: Step, variable: Variable, here: Definitions) -> bool:
    """Whether it counts the iterations of the loops that a construct divides."""
    if each.construct.role not in LOOPS or variable.name not in team.recorded.counters.get(each.arm, ()):
        return False
    return variable.scope != "global" or is_named(each, step, variable, here)


def _is_by_pointer(team: Team, step: Step, variable: Variable, before: int) -> bool:
    """Whether it gets there by a pointer that leads to the variable from before a construct on: then it is not the copy
    that the construct makes."""
    name = base_name(step.occurrence.access.text)
    taken = team.recorded.pointed.get(variable.key, ())
    return name != variable.name and bool(taken) and all(at < before for at in taken)


def is_named(each: Entered, step: Step, variable: Variable, here: Definitions) -> bool:
    """Whether a clause can mean this variable: a local one of the function of the construct, not declared in that; one
    of the file where it is named there, as other functions use that itself."""
    place = variable.place if variable.scope != "global" else step.occurrence.access.place
    construct = each.construct
    if variable.scope != "global" and place.path == construct.path and place.line > construct.line:
        return False
    return place.path == construct.path and here(place.path, place.line) == here(construct.path, construct.line)


def _default(each: Entered) -> str:
    return next((c.argument or "" for c in each.construct.directive.named("default")), "").strip()


def is_automatic(variable: Variable) -> bool:
    return variable.scope in ("local", "parameter")

