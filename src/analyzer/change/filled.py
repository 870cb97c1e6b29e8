"""Arrays of the program that a loop stores as a whole, and first: what was in them before does not go to the device.

*Decides*: for a loop that runs on the device, the variables of which it stores every element and needs none before;
only of a loop that its function comes to in any case, before anything else can be done with them.
*Errs toward* none, so that too much is copied.

    static double a[N];
    void fill(void) { for (i = 0; i < N; i++) a[i] = 0; }                       a
    void fill(int k) { if (k) return; for (i = 0; i < N; i++) a[i] = 0; }       nothing: a keeps what it has
"""

from ..report.loop_entries import LoopEntry
from .text import Text, UnreadableError

_ELSEWHERE = ("return", "goto", "if", "switch", "for", "while", "do", "?", "&&", "||")


def filled(text: Text, loop: LoopEntry) -> frozenset[str]:
    """The names of the variables. Example: see the module."""
    wholes = {m.name for m in loop.maps if m.direction == "from" and m.exact and m.length is None}
    try:
        return frozenset(name for name in wholes if _is_first(text, loop, name))
    except UnreadableError:
        return frozenset()


def _is_first(text: Text, loop: LoopEntry, name: str) -> bool:
    """Whether nothing stands before the loop in its function that goes elsewhere, or that names the variable."""
    first = text.at(loop.line, loop.column)
    function = text.function(first)
    if function is None:
        return False
    before = range(text.declaration(function[0]), first)
    return not any(text.is_at(k, *_ELSEWHERE, name) for k in before)
