"""Searches: a loop that is left at the first iteration that finds something.

*Decides*: whether the loop does nothing else: its iterations store nothing and keep nothing, so that all threads may
look, and the smallest match counts. *Errs toward* no.

    for (i = 0; i < n; i++) if (a[i] == x) return i;                      ->  search
    for (i = 0; i < n; i++) { s += a[i]; if (s > x) break; }              ->  none
"""

from msgspec.structs import replace

from ..facts.loop import Alternative, LoopFacts
from ..ir.nodes import Branch, Exit, loops, statements
from ..ir.polynomials import number
from ..ir.reasons import ReasonCode
from ..loops.formula_text import in_variables
from .variant import Variants, are_parallel, data_statements, given, is_c, stores


def found(variants: Variants, facts: LoopFacts) -> tuple[Alternative, ...]:
    """The search that a loop is, if it is one. Example: see the module."""
    loop, reason = variants.loop, facts.parallelism.reason
    if reason is None or reason.code is not ReasonCode.EARLY_EXIT or loop.trip is None or any(loops(loop.body)):
        return ()
    matches = [s for s in data_statements(loop.body) if isinstance(s, Branch) and _leaves(s)]
    if len(matches) != 1 or stores(loop.body):
        return ()
    body = tuple(replace(s, then=(), otherwise=()) if s is matches[0] else s for s in loop.body)
    if any(isinstance(s, Exit) for s in statements(body)):
        return ()
    answers = variants.answers(replace(loop, body=body, exact_trip=True))
    if not are_parallel(answers) or any(s.role not in ("private", "counter") for s in answers[0].separated):
        return ()
    text = (
        f"a parallel search: all threads look for a match (`{matches[0].text}`) and the smallest one counts, "
        "`reduction(min:first)`; what follows a match is done once, after the loop"
    )
    legality = "iterations before the match change nothing; what later iterations read must be there, too"
    return (Alternative("search", text, legality + given(answers), _code(variants, matches[0])),)


def _leaves(branch: Branch) -> bool:
    """Whether one arm leaves the loop at its end, and the other does nothing."""
    arms = [arm for arm in (branch.then, branch.otherwise) if arm]
    return len(arms) == 1 and isinstance(arms[0][-1], Exit) and not any(loops(arms[0]))


def _code(variants: Variants, match: Branch) -> tuple[str, ...]:
    """The loop in C, where its variable goes up by one and the match is its only statement."""
    loop, around = variants.loop, variants.nest.around
    if loop.step != number(1) or loop.first is None or loop.trip is None or len(loop.trip) != 1 or loop.at_least:
        return ()
    low = in_variables(loop.first, around)
    end = in_variables(loop.first + loop.trip[0].numerator, around)
    only = len(list(data_statements(loop.body))) == 1 and bool(match.then) and _is_condition(match.text)
    if not only or loop.variable is None or loop.trip[0].denominator != 1 or not (is_c(low) and is_c(end)):
        return ()
    i = loop.variable
    return (
        f"long first = {end} > {low} ? {end} : {low};",
        "#pragma omp parallel for reduction(min:first)",
        f"for (long {i} = {low}; {i} < {end}; {i}++)",
        f"    if ({i} < first && {match.text.removeprefix('if ')})",
        f"        first = {i};",
        f"/* {i} is first from here on; where it is less than {end}, what line {match.place.line} does */",
    )


def _is_condition(text: str) -> bool:
    return text.startswith("if (") and text.endswith(")")
