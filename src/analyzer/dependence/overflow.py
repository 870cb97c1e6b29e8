"""Integer arithmetic that must not wrap: proved from ranges, else assumed by name, else refused."""

from ..facts.loop import Assumption
from ..ir.nodes import Counter, Loop, Wrap
from ..ir.reasons import AssumptionKind, ReasonCode
from ..loops.formula_text import overflow_text
from ..polyhedra.loop_bounds import extremes
from ..polyhedra.parts import about
from ..polyhedra.system import Feasibility, System, Work, at_least, feasible, proves
from .finding import Finding, problem

CREDIBLE_TRIP = 100


def obligation(
    context: System, wrap: Wrap, code: ReasonCode, around: tuple[Loop, ...], work: Work
) -> Finding:
    """Nothing when `low <= value <= high` is proved in `context`; the assumption `no-overflow` for arithmetic that
    merely might wrap; a problem with this `code` for a narrowing that the program asks for, or when no run of the loops
    `around` with enough iterations each could keep the assumption. What is not proved before `work` is spent is not
    proved."""
    ends = tuple(at_least(v) for v in (wrap.value - wrap.low, -wrap.value + wrap.high))
    related = about(context, System(ends))
    above, below = (proves(related, end, work) for end in ends)
    if above and below:
        return Finding()
    line, text = wrap.place.line, overflow_text(wrap, around)
    if wrap.explicit or not is_credible(wrap, around, above, below, work):
        message = f"`{text}` is taken modulo its type, and may leave the range {wrap.low} .. {wrap.high}"
        return problem(code, message, line)
    return Finding(assumptions=frozenset({Assumption(AssumptionKind.NO_OVERFLOW, text, line)}))


def is_credible(wrap: Wrap, around: tuple[Loop, ...], above: bool, below: bool, work: Work | None = None) -> bool:
    """Whether for some sizes the value stays in range throughout the loops, each of unknown length running
    CREDIBLE_TRIP times, if it can (`n % 8` is never so large): arithmetic that wraps sooner (a hash) is meant to.
    `above`, `below`: that end is proved."""
    wanted = []
    for ratio in (r for loop in around for r in loop.trip or ()):
        often, twice = (at_least(ratio.numerator - trip * ratio.denominator + 1) for trip in (CREDIBLE_TRIP, 2))
        known = ratio.numerator.constant is not None
        wanted.append(twice if known or feasible(System((often,)), work) is Feasibility.EMPTY else often)
    lows, highs = extremes(wrap.value, around, -1), extremes(wrap.value, around, 1)
    wanted += [at_least(low.value - wrap.low) for low in lows if len(lows) == 1 and not above]
    wanted += [at_least(-high.value + wrap.high) for high in highs if len(highs) == 1 and not below]
    of_sizes = (c for c in wanted if not any(isinstance(s.origin, Counter) for s in c.value.symbols))
    return feasible(System(tuple(of_sizes)), work) is not Feasibility.EMPTY
