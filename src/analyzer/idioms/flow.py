"""Reads whose values reach an expression through scalars of the nest: `item = B[i]; A[i] = item;` reads B.

*Method*: a scalar has the values that reach this place in its block: of the last assignment before it, and of those
behind that one in branches and loops; where the block has none before it, of all assignments in the nest.
*Errs toward* more reads."""

from collections.abc import Mapping

from ..ir.nodes import Assign, Branch, Evaluate, Expression, Load, Statement, Use, parts, statements
from ..polyhedra.effort import Effort

Body = tuple[Statement, ...]
Assigned = Mapping[int, tuple[Assign, ...]]
"""Every assignment in the nest, by the key of the scalar it sets."""


def flowing(value: Expression, body: Body, assigned: Assigned, effort: Effort) -> list[Load]:
    """The reads that flow into the value of a statement of `body`."""
    at = next((n for n, s in enumerate(body) if _value_of(s) is value), 0)
    found: list[Load] = []
    seen: set[tuple[int, int]] = set()
    pending: list[tuple[Expression | Assign, Body]] = [(value, body[:at])]  # not by recursion: scalars make long chains
    while pending:
        expression, before = pending.pop()
        match expression:
            case Assign():
                if (id(expression), len(before)) not in seen:
                    effort.spend(3)
                    seen.add((id(expression), len(before)))
                    pending.append((expression.value, before))
            case Load():
                found.append(expression)
            case Use(variable=variable) if variable.key in assigned:
                reaching = _reaching(variable.key, before, assigned)
                effort.spend((8 + len(before) + 2 * len(reaching)) // 16)
                pending += reaching[::-1]
            case _:
                pending += [(part, before) for part in parts(expression)[::-1]]
    return found


def _value_of(statement: Statement) -> Expression | None:
    match statement:
        case Assign(value=value) | Evaluate(value=value) | Branch(condition=value):
            return value
        case _:
            return None


def _reaching(key: int, before: Body, assigned: Assigned) -> list[tuple[Assign, Body]]:
    """The assignments whose values a scalar may have behind `before`, each with what comes before it in the block."""
    setting = {id(a) for a in assigned[key]}
    for at in range(len(before) - 1, -1, -1):
        statement = before[at]
        if isinstance(statement, Assign) and id(statement) in setting:
            later = (s for s in statements(before[at + 1 :]) if isinstance(s, Assign) and id(s) in setting)
            return [(statement, before[:at]), *((s, ()) for s in later)]
    return [(a, ()) for a in assigned[key]]
