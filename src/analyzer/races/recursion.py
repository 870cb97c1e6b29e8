"""What a function does to variables of the file where it calls itself: the same once more.

*Decides*: the steps of such a call, as far as they are to scalars of the file outside of loops, with the critical
sections and atomic updates around them. What else the call does stays unknown.

    void visit(struct node *p) { total += p->key;   #pragma omp task  visit(p->left); ... }
"""

from collections.abc import Iterator

from msgspec.structs import replace

from .constructs import HOLDS
from .recorded import Recorded, Step
from .sharing import variable_of


def with_recursion(record: Recorded, name: str) -> Recorded:
    """The steps with those of calls of the function itself, by its name; all is in a loop over threads."""
    calls = [s for s in record.steps if s.call is not None and s.call.name == name]
    own = [s for s in record.steps if _is_of_file(s)] if calls else []
    more = [again for call in calls for again in _again(call, own)]
    return replace(record, steps=tuple(sorted((*record.steps, *more), key=lambda s: s.at))) if more else record


def _is_of_file(s: Step) -> bool:
    variable = variable_of(s)
    plain = len(s.occurrence.loops) == 1 and all(e.construct.role in HOLDS for e in s.inside)
    return variable is not None and variable.scope == "global" and not variable.per_thread and plain


def _again(call: Step, own: list[Step]) -> Iterator[Step]:
    for s in own:
        occurrence = replace(s.occurrence, where=call.occurrence.where, position=call.occurrence.position)
        yield Step(occurrence, call.at, (*call.inside, *s.inside), call.conditions)
