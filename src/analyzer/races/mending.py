"""Clauses that a loop directive lacks."""

from collections.abc import Iterator

from ..dependence.function_facts import Surroundings
from ..dependence.parallel import answer
from ..facts.loop import Separated, Verdict
from ..ir.nodes import Declared, Loop, Variable
from ..settings.options import AnalysisOptions

_CLAUSES = {"private": "private", "first": "firstprivate", "last": "lastprivate", "first_last": "lastprivate"}


def missing(around: Surroundings, loop: Loop, shared: frozenset[Variable]) -> tuple[tuple[str, str], ...]:
    """The clauses that make the iterations of a divided loop independent, each with the variable that it is for, of
    those that threads share; none where no clauses do.

    Example: `s` and `reduction(+: s)` for `for (...) s += a[i];`."""
    found = answer(around, loop, AnalysisOptions(), explained=False)
    if found.verdict is not Verdict.YES:
        return ()
    return tuple(dict.fromkeys(clause for s in found.separated for clause in _clauses(s, shared)))


def _clauses(s: Separated, shared: frozenset[Variable]) -> Iterator[tuple[str, str]]:
    variable = s.target.variable if isinstance(s.target, Declared) else s.target
    if not isinstance(variable, Variable) or variable not in shared or s.part:
        return
    if s.role == "reduction" and s.text == variable.name:
        yield variable.name, f"reduction({s.operator}: {variable.name})"
    elif s.role in _CLAUSES:
        if s.role == "first_last":
            yield variable.name, f"firstprivate({variable.name})"
        yield variable.name, f"{_CLAUSES[s.role]}({variable.name})"
