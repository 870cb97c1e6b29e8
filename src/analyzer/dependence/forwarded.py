"""Accumulators that take a way round: `t = s; t += a[i]; s = t;` folds a[i] into s.

*Decides*: for one scalar of a loop, the body in which temporaries that only carry its value to its next assignment are
written out, so that each statement shows whether it is an update.
*Method*: block by block; a temporary is written out where it is assigned and used in that block alone, by nothing but
such assignments.
*Errs toward* the body as it is. The order of evaluation is not that of the program any more: the result is good for
recognising updates and for nothing else.

    t = s; t = t + a[i]; s = t;     ->      s = s + a[i];
"""

from collections import Counter
from collections.abc import Mapping

from msgspec.structs import replace

from ..loops.ir import (
    Assign,
    Branch,
    Convert,
    Expression,
    Loop,
    Operation,
    Statement,
    Use,
    Variable,
    evaluated,
    parts,
    statements,
    walk,
)

Carried = Mapping[int, Expression]


def forwarded(body: tuple[Statement, ...], variable: Variable, live: frozenset[int]) -> tuple[Statement, ...]:
    """The body with temporaries (not `live` behind the loop) that carry the value of `variable` written out."""
    return _block(body, variable, live, _counts(body))


def _counts(body: tuple[Statement, ...]) -> tuple[Counter[int], Counter[int]]:
    """How often each scalar is read in a body, and how often it is assigned."""
    every = list(statements(body))
    read = Counter(e.variable.key for s in every for e in evaluated(s) if isinstance(e, Use))
    return read, Counter(s.target.key for s in every if isinstance(s, Assign) and isinstance(s.target, Variable))


def _block(
    body: tuple[Statement, ...], variable: Variable, live: frozenset[int], counts: tuple[Counter[int], Counter[int]]
) -> tuple[Statement, ...]:
    carried: dict[int, Expression] = {}
    read: Counter[int] = Counter()
    assigned: Counter[int] = Counter()
    made: list[Statement] = []
    for statement in body:
        match statement:
            case Assign(target=Variable() as target, value=value, induction=False):
                read.update(e.variable.key for e in walk(value) if isinstance(e, Use) and e.variable.key in carried)
                whole = expanded(value, carried)
                if whole is None:
                    return body
                if target.key == variable.key:
                    made.append(replace(statement, value=whole))
                    carried.clear()  # what they hold is no longer the value of the variable
                elif _mentions(whole, variable) and _is_temporary(target, live):
                    carried[target.key] = whole
                    assigned[target.key] += 1
                else:
                    made.append(statement)
            case Branch(then=then, otherwise=otherwise):
                arms = [_block(arm, variable, live, counts) for arm in (then, otherwise)]
                made.append(replace(statement, then=arms[0], otherwise=arms[1]))
                carried = {} if _assigns(statement, variable) else carried
            case Loop(body=inner):
                made.append(replace(statement, body=_block(inner, variable, live, counts)))
                carried = {} if _assigns(statement, variable) else carried
            case _:
                made.append(statement)
    all_read, all_assigned = counts
    if any(read[key] != all_read[key] or assigned[key] != all_assigned[key] for key in assigned):
        return body  # something else reads or sets one of them
    return tuple(made)


def _assigns(statement: Statement, variable: Variable) -> bool:
    """Whether something inside sets the variable: what was computed from it before is not its value any more."""
    return any(isinstance(s, Assign) and s.target == variable for s in statements((statement,)))


def _mentions(expression: Expression, variable: Variable) -> bool:
    return any(isinstance(e, Use) and e.variable.key == variable.key for e in walk(expression))


def _is_temporary(target: Variable, live: frozenset[int]) -> bool:
    return target.scope == "local" and not target.addressed and target.key not in live


def expanded(expression: Expression, carried: Carried) -> Expression | None:
    """The expression with the temporaries in it written out; None where one stands in more than arithmetic."""
    match expression:
        case Use(variable=variable):
            return carried.get(variable.key, expression)
        case Operation(arguments=arguments):
            inner = tuple(expanded(a, carried) for a in arguments)
            known = tuple(a for a in inner if a is not None)
            return replace(expression, arguments=known) if len(known) == len(inner) else None
        case Convert(argument=argument):
            whole = expanded(argument, carried)
            return None if whole is None else replace(expression, argument=whole)
        case _:
            held = (e for part in parts(expression) for e in walk(part))
            return None if any(isinstance(e, Use) and e.variable.key in carried for e in held) else expression
