"""What the C library keeps for each thread, and a function sets or looks at around its loops: `errno`, the rounding
mode and the flags of floating-point arithmetic, the locale.

*Decides*: by syntax, which of these states the function sets itself, with the lines: what loops behind them do in other
threads is then seen by nobody, or done in another mode. `errno` counts where the function also reads it.

    errno = 0;  for (i...) y[i] = log(x[i]);  return errno;                  ->  errno
    fesetround(FE_UPWARD);  for (i...) y[i] = x[i] / 3;                      ->  floating-point environment
"""

from pycparser import c_ast

from ..ir.c_library import ERRNO
from ..ir.nodes import ThreadState
from ..source.nodes import nodes
from ..source.unit import Unit
from .errno import is_errno

ENVIRONMENT = frozenset(
    (
        *("feclearexcept", "feraiseexcept", "fesetexceptflag", "fesetround", "fesetenv", "feupdateenv", "feholdexcept"),
        *("fesetmode", "feenableexcept", "fedisableexcept", "_mm_setcsr", "__builtin_ia32_ldmxcsr", "_controlfp_s"),
    )
)
LOCALE = frozenset(("uselocale",))


def thread_states(unit: Unit, function: c_ast.FuncDef) -> tuple[tuple[ThreadState, int], ...]:
    """Each state that a function sets, and the line. Example: see the module."""
    calls = [n for n in nodes(function.body, c_ast.FuncCall) if isinstance(n.name, c_ast.ID)]
    names = {n.name.name for n in calls} - unit.definitions.keys()
    found = [(n, state) for n in calls if n.name.name in names for state in _set_by(n.name.name)]
    if not names.isdisjoint(ERRNO):
        stored = [n for n in nodes(function.body, c_ast.Assignment) if is_errno(unit, n.lvalue)]
        reads = sum(n.name.name in ERRNO for n in calls) - len(stored)
        found += [(n, ThreadState.ERRNO) for n in stored if reads]
    return tuple((state, unit.place(node).line) for node, state in found)


def _set_by(name: str) -> tuple[ThreadState, ...]:
    return (ThreadState.ENVIRONMENT,) * (name in ENVIRONMENT) + (ThreadState.LOCALE,) * (name in LOCALE)
