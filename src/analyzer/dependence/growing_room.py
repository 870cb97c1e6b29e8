"""Memory that is made larger where it is too small, in variables of the function around the loop.

*Decides*: whether a variable says how much there is room for, and is asked nothing else, or leads to that memory: an
iteration that finds more room than it needs does the same, so that nothing is shown by the value that it finds.
*Errs toward* none: sizes that are used for anything else in the loop.

    if (len[i] > room) { work = realloc(work, len[i]); room = len[i]; }    ->  room, work
    if (len[i] > room) { room = len[i]; y[i] = room; }                     ->  none
"""

from ..ir import c_library as library
from ..ir.nodes import Assign, Branch, Call, Statement, Variable, statements, unconverted, uses
from ..source.ctypes import Pointer


def is_room(body: tuple[Statement, ...], variable: Variable) -> bool:
    """Example: see the module."""
    return any(_grows(branch, body, variable) for branch in statements(body) if isinstance(branch, Branch))


def _grows(branch: Branch, body: tuple[Statement, ...], variable: Variable) -> bool:
    """Whether the branch makes memory larger, and the variable is the pointer or the size."""
    stored = [s for s in statements(branch.then) if isinstance(s, Assign)]
    memory = {s.target for s in stored if _allocates(s)}
    sizes = {s.target for s in stored if isinstance(s.target, Variable) and uses(branch, s.target)} - memory
    if not memory or not sizes:
        return False
    inside = {id(s) for s in statements((branch,))}
    elsewhere = (s for s in statements(body) if id(s) not in inside)
    return variable in memory or (variable in sizes and not any(uses(s, variable) for s in elsewhere))


def _allocates(store: Assign) -> bool:
    value = unconverted(store.value)
    leads = isinstance(store.target, Variable) and isinstance(store.target.type, Pointer)
    return leads and isinstance(value, Call) and library.says_it_allocates(value.name)
