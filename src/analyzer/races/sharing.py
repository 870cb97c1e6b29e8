"""Which variables the threads of a team share.

*Decides*: whether two threads that do an access by the same name get to one variable: by the clauses of the constructs
around it, up to those that start the team, by where the variable is declared, and by what the standard says of the
counters of divided loops (OpenMP 5.2 5.1).
*Errs toward* shared.
"""

from collections.abc import Callable
from functools import partial

from ..ir.nodes import Declared, Variable
from .constructs import LOOPS, Role
from .recorded import Entered, Step
from .teams import Team

COPIES = (
    "private",
    "firstprivate",
    "lastprivate",
    "reduction",
    "task_reduction",
    "in_reduction",
    "linear",
)
"""Clauses that give each thread, iteration or task a variable of its own."""

Definitions = Callable[[str, int], object]
"""What tells, by a path and a line, which function stands there."""


def variable_of(step: Step) -> Variable | None:
    """The variable that is accessed itself, or an element or a member of it."""
    x = step.occurrence.access.object
    return x.variable if isinstance(x, Declared) else None


def is_shared(team: Team, step: Step, here: Definitions) -> bool:
    """Whether two threads of the team that do this get to one place by one name. (What pointers lead to is.)

    Example: with `#pragma omp parallel for private(t)`, `t` is not; nor is the counter of that loop."""
    variable = variable_of(step)
    if variable is None:
        return True
    if variable.per_thread:
        return False
    around = team.below(step.inside)
    own = around if team.entered is None else (team.entered, *around)
    task = next((each for each in reversed(around) if each.construct.role is Role.TASK), None)
    if is_declared_in(team, step, variable):
        return task is not None and is_given_to(task, variable)
    if any(_has_copy(each, step, variable, here) for each in own):
        return False
    if task is not None and _is_automatic(variable) and team.entered is None:
        return is_given_to(task, variable)  # else each task has a copy of it: OpenMP 5.2 5.1.1
    return True


def is_declared_in(team: Team, step: Step, variable: Variable) -> bool:
    """Whether each thread has one of its own, as it comes to the declaration itself."""
    if not _is_automatic(variable):
        return False
    if team.entered is None:
        return True
    inside = {loop.key for loop in step.occurrence.loops[team.entered.depth :]}
    return any(key in inside for key in variable.loops)


def is_given_to(task: Entered, variable: Variable) -> bool:
    """Whether a task shares a variable with the thread that makes it."""
    directive = task.construct.directive
    return variable.name in directive.lists("shared") or _default(task) == "shared"


def _has_copy(each: Entered, step: Step, variable: Variable, here: Definitions) -> bool:
    directive = each.construct.directive
    if not is_named(each, step, variable, here):
        return False
    if variable.name in directive.lists(*COPIES):
        return True
    if _default(each) in ("private", "firstprivate") and variable.name not in directive.lists("shared"):
        return True
    if each.construct.role not in LOOPS:
        return False
    loops = step.occurrence.loops[each.depth : each.depth + each.construct.associated]
    return variable.name in [loop.variable for loop in loops]


def is_named(each: Entered, step: Step, variable: Variable, here: Definitions) -> bool:
    """Whether a clause can mean this variable: a local one of the function of the construct; one of the file where it
    is named there, as other functions use that itself."""
    place = variable.place if _is_automatic(variable) else step.occurrence.access.place
    function = partial(here, each.construct.path)
    return place.path == each.construct.path and function(place.line) == function(each.construct.line)


def _default(each: Entered) -> str:
    return next((c.argument or "" for c in each.construct.directive.named("default")), "").strip()


def _is_automatic(variable: Variable) -> bool:
    return variable.scope in ("local", "parameter")
