"""Calls of which somebody sees the order, made by two iterations under conditions that data decide.

*Decides*: for a loop that calls what prints, reads files or keeps state between calls, whether two iterations from some
state make such calls. What prints has to print something else in each iteration.
*Errs toward* nothing: what a trial does not run, calls that only a supposed state leads to, contents that do not occur,
files that an iteration opens for itself.

    for (...) if (a[i] < 0) printf("%d\\n", i);      ->  two lines, in their order
"""

from msgspec.structs import replace

from ...facts.loop import Reason
from ...ir import c_library as library
from ...ir.nodes import Call
from ...ir.reasons import ReasonCode
from ..finding import Finding, Problem
from ..function_facts import Surroundings
from ..own_files import is_of_own_file
from ..scope import Scope
from .decided import Ways, WaysFromAnywhere, is_open


def ordered_calls(around: Surroundings, scope: Scope, total: Finding) -> Finding:
    """The finding with a call of which the order shows, where its problems leave that open; else as it is."""
    if not any(p.reason.code is ReasonCode.SIDE_EFFECT for p in total.problems) or not is_open(scope, total):
        return total
    for ways in (Ways(around, scope), WaysFromAnywhere(around, scope)):
        for seed in ways.seeds():
            run = ways.begun(seed)
            if run is None or not any(_shows(scope, call) for _, call in run.ordered):
                continue
            ways.next(run)
            shown = next((call for k, call in run.ordered if k == 1 and _shows(scope, call)), None)
            if shown is not None:
                return replace(total, problems=(_problem(shown), *total.problems))
    return total


def _shows(scope: Scope, call: Call) -> bool:
    """Whether another iteration does not do the same."""
    effect = library.effect(call.name)
    assert effect is not None
    differs = not effect.is_output or not all(map(scope.repeats, call.arguments))
    return differs and not is_of_own_file(scope, call)


def _problem(call: Call) -> Problem:
    effect = library.effect(call.name)
    assert effect is not None
    message = effect.in_words(call.name)
    called = f"{call.name}(...)"
    line = call.place.line
    return Problem(Reason(ReasonCode.SIDE_EFFECT, message, line, (called, called), "1", (line, line)), True, True)
