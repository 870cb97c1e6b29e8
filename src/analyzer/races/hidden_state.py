"""Functions of the C library that keep something between their calls, or give what the next call overwrites.

*Decides*: which calls of them several threads may do at once: that is a race (C11 7.1.4p5, 7.24.5.8, 7.27.3, 7.24.6.2;
POSIX.1-2017 2.9.1). *Errs toward* silence: generators of random numbers are left out, which the usual libraries lock.

    #pragma omp parallel for   for (...) { char *word = strtok(line[i], " "); ... }
"""

from collections.abc import Iterator
from itertools import combinations_with_replacement

from .conflict import Conflict, Program, common
from .holding import are_held_apart, may_be_ordered
from .meeting import Asked
from .recorded import Step
from .teams import Team, Together

_TIMES = ("asctime", "ctime", "gmtime", "localtime")
KEPT_IN = {"strtok": "strtok", "strerror": "strerror", "setlocale": "locale", **dict.fromkeys(_TIMES, "time")}
"""What they use, by their names."""


def races_of_calls(asked: Asked, team: Team, program: Program) -> Iterator[Conflict]:
    """Example: see the module."""
    calls = [s for s in team.steps if s.call is not None and s.call.name in KEPT_IN]
    for a, b in combinations_with_replacement(calls, 2):
        if _name(a) == _name(b) and not are_held_apart(team, a, b, program):
            found = [t for t in team.at_once(a, b) if _has_both(asked, team, t)]
            sure = any(t.sure and not may_be_ordered(asked, team, t, a, b, program) for t in found)
            why = "" if sure else f"it calls `{a.occurrence.access.text}`, which keeps state between calls"
            yield from [Conflict(common(team, a, b), a, b, sure, why)] * bool(found)


def _name(step: Step) -> str:
    return "" if step.call is None else KEPT_IN[step.call.name]


def _has_both(asked: Asked, team: Team, together: Together) -> bool:
    return together.loop is None or together.loop in team.threads or asked.repeats(together.loop)
