"""Files that an iteration opens for itself: if they are different ones, nobody sees in which order that is done.

*Decides*: whether a call opens a file by a name that need not be the same in all iterations, or uses the stream that
such a call of the same iteration gave.
*Errs toward* no: numbers of files (`open`), and streams of which it is not seen who opened them. That such files are
different ones is for nobody to say: it keeps a loop from being a `no`, and makes none parallel.

    sprintf(name, "out%d", i); f = fopen(name, "w"); fprintf(f, "%d", i); fclose(f);   ->  both
    f = fopen("out", "a"); fprintf(f, "%d", i); fclose(f);                             ->  neither
"""

from typing import TYPE_CHECKING

from ..ir.nodes import Anything, Call, Object, Returned, Text, evaluated, statements
from ..ir.pointer_roots import root

if TYPE_CHECKING:
    from .scope import Scope

_OPENING = ("fopen", "fopen64")


def is_of_own_file(scope: "Scope", call: Call) -> bool:
    if call.name in _OPENING:
        return not _names_one_file(scope, call)
    opened = [_opening(scope, x) for x in call.pointers]
    return any(each is not None and not _names_one_file(scope, each) for each in opened)


def _opening(scope: "Scope", x: Object) -> Call | None:
    """The call of the iteration that gave a stream."""
    match root(x):
        case Anything(pointer=Returned(function=function, place=place)) if function in _OPENING and scope.fresh(x):
            calls = _calls(scope, function)
            return next((c for c in calls if c.place == place or len(calls) == 1), None)
        case _:
            return None


def _calls(scope: "Scope", name: str) -> list[Call]:
    calls = (e for s in statements(scope.loop.body) for e in evaluated(s) if isinstance(e, Call))
    return [c for c in calls if c.name == name]


def _names_one_file(scope: "Scope", opening: Call) -> bool:
    """Whether the name is the same in all iterations: a text, or a string that none of them writes."""
    name = opening.arguments[0] if opening.arguments else None
    if name is None or not scope.repeats(name):
        return False
    return not any(_is_written(scope, x, opening) for x in opening.pointers if not isinstance(x, Text))


def _is_written(scope: "Scope", x: Object, opening: Call) -> bool:
    """Whether the loop stores to a string, or gives it to another function."""
    others = (c.call for c in scope.history.calls if c.call != opening)
    given = any(x in call.pointers and x not in call.read_only for call in others)
    return scope.fresh(x) or given or any(o.write for o in scope.accesses_to(x))
