"""Whether two steps that may run at once get to one place."""

from ..ir.nodes import Counter, Declared, Entry, Loaded, Loop, nested_symbols
from ..ir.polynomials import ZERO
from ..ir.same import same_place
from .admissions import are_of_one_pass
from .constructs import TASKS, Role
from .items import are_in_one
from .known_numbers import by_numbers, have_one_schedule, of_two_threads
from .list_walks import are_of_other_nodes
from .meeting import Asked, Meets, Met, met
from .recorded import Step
from .sharing import Definitions, variable_of
from .teams import Team, Together
from .tickets import are_of_tickets


def meet(asked: Asked, team: Team, together: Together, a: Step, b: Step, here: Definitions) -> Met:
    """In iterations that may run at once, whether they never get to one place, surely do for some sizes, or perhaps."""
    loop = together.loop
    if any(rule(team, together, a, b, here) for rule in (are_of_tickets, are_of_one_pass)):
        return Met(Meets.NEVER)
    if are_of_other_nodes(team, together, a, b):
        return Met(Meets.NEVER)
    if loop is None:
        return _in_one_iteration(asked, team, a, b)
    lanes = team.entered.construct.directive.number("safelen") if team.entered and team.role is Role.LANES else None
    first, last = (s.occurrence for s in (a, b))
    conditional = any(e.construct.condition is not None for e in team.around(a))
    lists = loop not in team.threads and not conditional  # the condition may be that no element is in it twice
    of_thread = loop in team.threads
    rounds = team.rounds(a, b) if of_thread else None
    answer = met(asked, loop, first, last, lanes or 0, lists=lists, always=of_thread, rounds=rounds)
    if together.of_threads and loop not in team.threads and team.threads and answer.how is not Meets.NEVER:
        of_threads = met(asked, team.threads[0], first, last, always=True)  # each may have its own place
        answer = of_threads if of_threads.how is not Meets.SURELY else answer
    if answer.how is not Meets.NEVER and loop not in team.threads and _is_selected(answer, a, b):
        answer = by_numbers(asked, team, loop, a, b) or answer
    if answer.how is Meets.PERHAPS and loop in team.threads:
        answer = Met(of_two_threads(asked, team, loop, a, b))
    return answer if answer.how is Meets.NEVER else _of_one_number(asked, team, together, a, b) or answer


def _is_selected(answer: Met, a: Step, b: Step) -> bool:
    """Whether the answer is open, or what is read from memory selects an element."""
    symbols = (x for s in (a, b) for t in s.occurrence.access.subscripts for x in nested_symbols(t.index.symbols))
    return answer.how is Meets.PERHAPS or any(isinstance(x.origin, Loaded) for x in symbols)


def _of_one_number(asked: Asked, team: Team, together: Together, a: Step, b: Step) -> Met | None:
    """That one thread does both, as two loops with one static schedule give it iterations of one number."""
    x, y = (team.agents(s) for s in (a, b))
    if not x or not y or together.loop is None or not have_one_schedule(team, a, b):
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
    around = [loop for loop in a.occurrence.loops if loop in b.occurrence.loops]
    if x.object == y.object and around and not asked.meet_in_one(around[-1], a.occurrence, b.occurrence):
        return Met(Meets.NEVER)
    if x.object == y.object and same_place(x, y) and not (x.subscripts and _moves(a, b)):
        return Met(Meets.SURELY)
    if are_in_one(x, y) and x.subscripts and _begin_alike(a, b):
        return Met(Meets.SURELY)
    if x.object == y.object and isinstance(x.object, Declared) and len(x.subscripts) == len(y.subscripts):
        gaps = [(s.index - t.index).constant for s, t in zip(x.subscripts, y.subscripts, strict=True)]
        if any(gaps):
            return Met(Meets.NEVER)
    return _as_of_threads(asked, team, a, b) if team.threads else Met(Meets.PERHAPS)


def _as_of_threads(asked: Asked, team: Team, a: Step, b: Step) -> Met:
    """What is known of two threads that do the two: that they meet, or that their pointers lead to different memory.
    (`master` says of two threads that not both do it.)"""
    answer = met(asked, team.threads[0], a.occurrence, b.occurrence, always=True)
    if answer.how is Meets.NEVER:
        one = a.occurrence.access.object == b.occurrence.access.object or _is_own(a)
        first = any(e.construct.role is Role.MASTER for s in (a, b) for e in team.agents(s))
        return Met(Meets.PERHAPS) if one or (first and not answer.assumptions) else answer
    inside = any(loop in b.occurrence.loops for loop in a.occurrence.loops if loop not in team.threads)
    return Met(Meets.PERHAPS) if inside else answer


def _begin_alike(a: Step, b: Step) -> bool:
    """Whether the first iterations of loops that are around only one of two steps get to one place.

    Example: `for (i = k; i < k + 8; i++) a[i] = 0;` and `for (j = k; j < k + 8; j++) s += a[j];`"""
    begun = []
    for s, other in ((a, b), (b, a)):
        own = [loop for loop in s.occurrence.loops if loop not in other.occurrence.loops]
        common = len(s.occurrence.loops) - len(own)
        if any(g.depth > common for g in s.conditions) or any(loop.trip is None or _is_empty(loop) for loop in own):
            return False
        begun.append([x.index.substitute({loop.counter: ZERO for loop in own}) for x in s.occurrence.access.subscripts])
    fixed = all(isinstance(s.origin, Counter | Entry) for index in begun[0] for s in index.symbols)
    return fixed and begun[0] == begun[1]


def _is_empty(loop: Loop) -> bool:
    return any(r.numerator.constant is not None and r.numerator.constant <= 0 for r in loop.trip or ())


def is_of_a_number(team: Team, step: Step) -> bool:
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
