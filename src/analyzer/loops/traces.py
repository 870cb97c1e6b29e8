"""Calls that trace what a program does, for whoever looks for an error in it.

*Decides*: whether a statement is nothing but such a call: of a function that cannot be seen, one word of whose name
says so, which gets a text and any number of arguments, as a printing one does, and whose value nobody uses.
*Errs toward* no: a call with an argument that does something, a text that stores a number (`%n`), and a function that
only prints (`message("row %d", i)`) are none.

    G_debug(5, "row %d of %d", i, n);        ->  yes
    log_message("row %d", i);                ->  no: it is what the loop is for
    G_debug(5, "row %d", count++);           ->  no
"""

from functools import partial

from pycparser import c_ast

from ..ir import c_library as library
from ..source.ctypes import Function
from ..source.unit import Unit
from .error_paths import has_text, texts
from .pure_functions import is_pure
from .state_words import says_it_changes
from .syntax import has_effects, without_casts


def is_trace(unit: Unit, node: c_ast.Node) -> bool:
    """Whether a statement only traces. Example: see the module."""
    match without_casts(node):
        case c_ast.FuncCall(name=c_ast.ID(name=name)) as call if library.says_it_traces(name):
            pass
        case _:
            return False
    if says_it_changes(name) or unit.seen(name) is not None or library.effect(name) is not None:
        return False
    type_ = unit.prototypes.get(name)
    if not isinstance(type_, Function) or not type_.variadic:
        return False
    if name in unit.elsewhere and unit.elsewhere[name].changes:
        return False
    stores = any("%n" in text for text in texts(call))
    return has_text(call) and not stores and not any(has_effects(a, partial(is_pure, unit)) for a in call.args.exprs)
