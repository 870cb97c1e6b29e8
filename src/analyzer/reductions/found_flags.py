"""Flags that say whether some iteration found something, and keep the others from looking.

*Decides*: whether an integer is only asked in order to skip what comes next, and all that a loop does beside setting it
is to compute what no one else sees. Then who looks anyway finds nothing else: the flag is what it would be if nobody
asked.
*Errs toward* no: a loop that leaves something else behind, or calls what is not known.

    if (stop) continue;  if (a[i] != i + 1) stop = 1;         ->  stop || a[i] != i + 1
    if (stop) continue;  b[i] = a[i];  if (!a[i]) stop = 1;   ->  no: which b[i] are set depends on the order
"""

from collections.abc import Callable, Iterator
from typing import assert_never

from ..ir.nodes import (
    Access,
    Assign,
    Branch,
    Call,
    Evaluate,
    Exit,
    Expression,
    Loop,
    Refused,
    Statement,
    Use,
    Variable,
    evaluated,
    statements,
    walk,
)


def is_found_flag(loop: Loop, flag: Variable, is_seen: Callable[[Variable | Access], bool]) -> bool:
    """See the module. `is_seen`: whether anybody may read, behind the loop or in another iteration, what it stores to a
    place."""
    return all(_only_finds(s, flag, is_seen) for s in statements(loop.body))


def looked_at(loop: Loop) -> Iterator[Expression]:
    """All that iterations evaluate which others may skip."""
    for s in statements(loop.body):
        if not (isinstance(s, Evaluate) and s.control):
            yield from evaluated(s)


def _only_finds(statement: Statement, flag: Variable, is_seen: Callable[[Variable | Access], bool]) -> bool:
    calls = (e for e in evaluated(statement) if isinstance(e, Call))
    if not all(call.known or call.closed for call in calls):
        return False
    match statement:
        case Branch():
            return True
        case Assign(target=target, value=value):
            own = isinstance(target, Variable) and target.key == flag.key
            return not _uses(value, flag) and (own or statement.induction or not is_seen(target))
        case Evaluate(value=value):
            return not _uses(value, flag)
        case Loop():
            return True
        case Exit(kind=kind):
            return kind in ("continue", "break")
        case Refused():
            return False
        case _:
            assert_never(statement)


def _uses(expression: Expression, flag: Variable) -> bool:
    return any(isinstance(e, Use) and e.variable.key == flag.key for e in walk(expression))
