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
    """Whether nothing stands before the loop in its function that goes elsewhere, as a macro may, or that names the
    variable."""
    first = text.at(loop.line, loop.column)
    function = text.function(first)
    if function is None:
        return False
    header, before = range(text.declaration(function[0]), function[0]), range(function[0] + 1, first)
    named = any(text.is_at(k, name) for k in (*header, *before))
    return not named and not any(text.is_at(k, *_ELSEWHERE) or _may_be_macro(text, k) for k in before)


def _may_be_macro(text: Text, k: int) -> bool:
    """Whether token k is a name that is called, or that is a statement."""
    is_statement = text.is_at(k + 1, ";") and text.is_at(k - 1, ";", "{", "}")
    return text.tokens[k].text.isidentifier() and (text.is_at(k + 1, "(") or is_statement)
