"""What the C library keeps for each thread, and a function sets or looks at around its loops: `errno`, the rounding
mode and the flags of floating-point arithmetic, the locale.

*Decides*: by syntax, for which loops of a function that matters: it, or a function that it calls, sets such a state (or
looks at the flags) outside of the loop, so that what the loop does in other threads nobody sees, or is done in another
mode. `errno` counts where it is set, and read in the loop or later. *Does not handle*: functions that are called
through pointers, and `errno` through a pointer to it.

    errno = 0;  for (i...) y[i] = log(x[i]);  return errno;                  ->  errno
    errno = 0;  p = malloc(n);  if (errno) return;  for (i...) y[i] = log(x[i]);          ->  none
    fesetround(FE_UPWARD);  for (i...) y[i] = x[i] / 3;                      ->  floating-point environment
"""

from collections.abc import Iterator
from itertools import takewhile

from pycparser import c_ast

from ..ir.c_library import ERRNO
from ..ir.nodes import StateOfThread, ThreadState
from ..source.nodes import nodes
from ..source.unit import Unit
from . import syntax
from .errno import is_errno

ENVIRONMENT = frozenset(
    (
        *("feclearexcept", "feraiseexcept", "fesetexceptflag", "fesetround", "fesetenv", "feupdateenv", "feholdexcept"),
        *("fetestexcept", "fegetexceptflag", "fesetmode", "feenableexcept", "fedisableexcept"),
        *("_mm_setcsr", "__builtin_ia32_ldmxcsr", "_controlfp_s"),
    )
)
LOCALE = frozenset(("uselocale",))
READS_ERRNO = "errno is read"


def thread_states(unit: Unit, function: c_ast.FuncDef) -> tuple[StateOfThread, ...]:
    """Each state that matters for a loop of a function. Example: see the module."""
    done = list(_done(unit, function.body, (function.decl.name,)))
    reads = [node for node, what in done if what == READS_ERRNO]
    found = []
    for loop in nodes(function.body, *syntax.LOOPS) if done else ():
        inside = {id(n) for n in nodes(loop)}
        calls = any(not _is_of_errno(n) for n in nodes(loop, c_ast.FuncCall))
        errno_counts = len(_done_with(function.body, loop, reads)) < len(reads)
        for node, what in done:
            asked = what is not ThreadState.ERRNO or errno_counts
            if isinstance(what, ThreadState) and asked and id(node) not in inside:
                found.append(StateOfThread(what, unit.place(node).line, unit.place(loop), calls))
    return tuple(dict.fromkeys(found))


def _done_with(body: c_ast.Node, loop: c_ast.Node, calls: list[c_ast.Node]) -> list[c_ast.Node]:
    """Those of some calls in a body that are over when the loop begins, and do not come again: they stand before it,
    not around it, and in no loop around it."""
    if not calls or nodes(body, c_ast.Goto):
        return []
    around = next(each for each in nodes(body, *syntax.LOOPS) if any(n is loop for n in nodes(each)))
    before = {id(n) for n in takewhile(lambda n: n is not around, nodes(body))}
    return [call for call in calls if id(call) in before and not any(n is loop for n in nodes(call))]


def _done(unit: Unit, body: c_ast.Node, above: tuple[str, ...]) -> Iterator[tuple[c_ast.Node, ThreadState | str]]:
    """What a body does to states of the thread, itself or by functions whose body is known."""
    stored = [n for n in nodes(body, c_ast.Assignment) if is_errno(unit, n.lvalue)]
    yield from ((n, ThreadState.ERRNO) for n in stored)
    calls = [n for n in nodes(body, c_ast.FuncCall) if isinstance(n.name, c_ast.ID)]
    only_stored = {id(n.lvalue.expr) for n in stored if n.op == "="}
    yield from ((call, READS_ERRNO) for call in calls if _is_of_errno(call) and id(call) not in only_stored)
    for call in calls:
        name = call.name.name
        if (definition := unit.seen(name)) is not None:
            yield from ((call, what) for what in _by_function(unit, name, definition.node, above))
        elif name in ENVIRONMENT | LOCALE:
            yield call, ThreadState.LOCALE if name in LOCALE else ThreadState.ENVIRONMENT


def _by_function(
    unit: Unit, name: str, function: c_ast.FuncDef, above: tuple[str, ...]
) -> frozenset[ThreadState | str]:
    known: dict[str, frozenset[ThreadState | str]] = unit.__dict__.setdefault("_states_of_thread", {})
    if name not in known:
        if name in above:
            return frozenset()
        known[name] = frozenset(what for _, what in _done(unit, function.body, (*above, name)))
    return known[name]


def _is_of_errno(call: c_ast.FuncCall) -> bool:
    return isinstance(call.name, c_ast.ID) and call.name.name in ERRNO
