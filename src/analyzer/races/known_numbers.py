"""What the numbers that the program itself sets say of two steps of a team (`by_values`).

*Decides*: whether two iterations of a divided loop, two threads, or an iteration of each of two divided loops get to
one place. *Errs toward* perhaps.

    int lo = t == 0 ? 0 : 49, hi = t == 0 ? 50 : 100;  for (i = lo; i < hi; i++) a[i] = t;  of two threads  ->  surely
"""

from collections.abc import Iterator
from itertools import chain

from ..ir.nodes import Computed, Entry, Flipped, Loop, made_of, nested_symbols
from ..ir.polynomials import Symbol
from .by_values import meet_by_values, meet_in_two_loops
from .known_values import Values
from .meeting import Asked, Meets, Met
from .recorded import Step
from .stretches import place_of
from .teams import Team


def by_numbers(asked: Asked, team: Team, loop: Loop, a: Step, b: Step) -> Met | None:
    """What the numbers say that the program itself sets; None where they say nothing."""
    for values, is_sample in values_of(asked, team, loop, a, b):
        known = meet_by_values(values, loop, a, b, team.threads)
        if known is Meets.SURELY or (known is Meets.NEVER and not is_sample):
            return Met(known)
    return None


def values_of(asked: Asked, team: Team, loop: Loop, a: Step, b: Step) -> Iterator[tuple[Values, bool]]:
    """The numbers that the program itself sets, and these with a sample of the one size that it does not."""
    if asked.values is None:
        return
    yield asked.values, False
    at = a.occurrence.loops.index(loop)
    inside = {each.key for each in a.occurrence.loops[at:]}
    named = _in_bounds(team, a, b) | _masks(a, b)
    parts = (s for s in nested_symbols(named) if not isinstance(s.origin, Computed) or not made_of(s.origin))
    for among in (named, parts):
        made = ((s, s.origin) for s in among if isinstance(s.origin, Entry | Computed))
        sizes = [s for s, origin in made if not inside & {*origin.loops}]
        if len(sizes) == 1:
            yield asked.values.sampled(sizes[0]), True
            return


def _are_of_every_thread(team: Team, a: Step, b: Step) -> bool:
    """Whether every thread of a team does both, in one go: no barrier is in a loop around both."""
    if team.entered is None or any(team.agents(s) for s in (a, b)):
        return False
    common = (x for x in a.occurrence.loops if x in b.occurrence.loops and x not in team.threads)
    inner = [team.recorded.extents[x.key] for x in common if x in a.occurrence.loops[team.entered.depth :]]
    return not any(place_of(first) <= at < place_of(end) for first, end in inner for at in team.barriers)


def of_two_threads(asked: Asked, team: Team, loop: Loop, a: Step, b: Step) -> Meets:
    """What the numbers say of two threads that the program itself sets, or of which one is a sample: of how many there
    are, which both do all, or of the iterations of two loops, each of which any thread may do."""
    every = [(_by(values, team, loop, a, b), is_sample) for values, is_sample in values_of(asked, team, loop, a, b)]
    known = [how for how, is_sample in every if how is Meets.SURELY or not is_sample]
    return Meets.SURELY if Meets.SURELY in known else next(iter(known), Meets.PERHAPS)


def _by(values: Values, team: Team, loop: Loop, a: Step, b: Step) -> Meets:
    if _are_of_every_thread(team, a, b):
        return meet_by_values(values, loop, a, b, ())
    x, y = (_divided_alone(team, s) for s in (a, b))
    if x is None or y is None or x is y or have_one_schedule(team, a, b):
        return Meets.PERHAPS
    if any(min(a.at, b.at) < at / 4 < max(a.at, b.at) for at in team.barriers):
        return Meets.PERHAPS  # in one round of a loop around both, they are not done at once
    return meet_in_two_loops(values, (x, a), (y, b), team.threads)


def have_one_schedule(team: Team, a: Step, b: Step) -> bool:
    """Whether one static schedule says which thread does two steps, each of which an agent does."""
    x, y = (team.agents(s)[-1].construct.schedule for s in (a, b))
    return x is not None and x == y


def _divided_alone(team: Team, s: Step) -> Loop | None:
    """The loop of which threads divide the iterations, where nothing else decides who does a step."""
    agents = team.agents(s)
    loops = team.divided(s, agents[0]) if len(agents) == 1 else ()
    return loops[0] if len(loops) == 1 else None


def _in_bounds(team: Team, a: Step, b: Step) -> frozenset[Symbol]:
    """What the numbers of iterations are made of, of the loops around two steps."""
    loops = (loop for s in (a, b) for loop in s.occurrence.loops if loop not in team.threads)
    return frozenset(s for loop in loops for r in loop.trip or () for s in r.numerator.symbols)


def _masks(a: Step, b: Step) -> frozenset[Symbol]:
    """With what numbers that select elements are made others: `s` of `a[i ^ s]`."""
    selecting = (s.index.symbols for each in (a, b) for s in each.occurrence.access.subscripts)
    made = (s.origin.meaning for s in nested_symbols(chain(*selecting)) if isinstance(s.origin, Computed))
    return frozenset(s for each in made if isinstance(each, Flipped) for s in each.divisor.symbols)
