"""What makes threads wait for each other though no race is there.

*Decides*: whether all that the iterations of a divided loop do with what threads share is in one critical section, so
that the threads take turns; and whether threads store again and again to elements beside each other, by their numbers,
so that the lines of their caches go to and fro. *Errs toward* silence.

    #pragma omp parallel for   for (...) {  #pragma omp critical  { s += f(a[i]); }  }      ->  they take turns
    sum[omp_get_thread_num()] += a[i];                                                     ->  one line of the cache
"""

from collections.abc import Iterator

from msgspec import Struct

from ..ir.polynomials import number
from .constructs import LOOPS, Role
from .recorded import Entered, Step
from .sharing import Definitions, home, variable_of
from .teams import Team

LINE_BYTES = 64
"""Of the caches of common processors."""


class Advice(Struct, frozen=True):
    """About one directive, by its key."""

    key: int
    why: str


def advice(team: Team, here: Definitions) -> Iterator[Advice]:
    """What slows the threads of a team down. Example: see the module."""
    if team.entered is None:
        return
    for each in dict.fromkeys(e for s in team.steps for e in (team.entered, *team.below(s.inside))):
        if each.construct.role in LOOPS and _takes_turns(team, each, here):
            why = "all that its iterations share is in one `critical`: the threads take turns"
            yield Advice(each.construct.key, why)
    stored = next((s for s in team.steps if _is_beside_others(team, s)), None)
    if stored is not None:
        text = stored.occurrence.access.text.partition("[")[0]
        why = f"threads store to elements of `{text}` beside each other (line {stored.line}): they share a cache line"
        yield Advice(team.entered.construct.key, why)


def _takes_turns(team: Team, each: Entered, here: Definitions) -> bool:
    inside = [s for s in team.steps if each.arm in s.arms and not s.clause]
    touched = [s for s in inside if s.occurrence.access.subscripts or variable_of(s) is None]
    stores = [s for s in inside if s.occurrence.write and home(team, s, here) == "all"]
    sections = [_critical(s) for s in (*touched, *stores)]
    return bool(stores) and None not in sections and len({s for s in sections if s is not None}) == 1


def _critical(step: Step) -> int | None:
    return next((e.arm for e in step.inside if e.construct.role is Role.CRITICAL), None)


def _is_beside_others(team: Team, step: Step) -> bool:
    """Whether a thread stores again and again to an element next to those of others, by its number alone."""
    access = step.occurrence.access
    if not step.occurrence.write or not team.threads or not access.subscripts:
        return False
    again = step.occurrence.loops[team.entered.depth :] if team.entered is not None else ()
    last = access.subscripts[-1]
    counter = team.threads[0].counter
    stride = None if last.stride is None else last.stride.constant
    if not again or last.index.symbols != {counter} or not last.index.is_affine or stride is None:
        return False
    step_of = last.index.substitute({counter: number(1)}) - last.index.substitute({counter: number(0)})
    return step_of.constant is not None and 0 < abs(step_of.constant * stride) < LINE_BYTES
