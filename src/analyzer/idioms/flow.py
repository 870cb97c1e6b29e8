"""Reads whose values reach an expression through scalars of the nest: `item = B[i]; A[i] = item;` reads B.

*Method*: a scalar has the values that reach this place in its block: of the last assignment before it, and of those
behind that one in branches and loops; where the block has none before it, of all assignments in the nest.
*Errs toward* more reads."""

from collections.abc import Mapping

from ..loops.ir import Assign, Branch, Evaluate, Expression, Load, Statement, Use, parts, statements

Body = tuple[Statement, ...]
Assigned = Mapping[int, tuple[Assign, ...]]
"""Every assignment in the nest, by the key of the scalar it sets."""


def flowing(value: Expression, body: Body, assigned: Assigned) -> list[Load]:
    """The reads that flow into the value of a statement of `body`."""
    at = next((n for n, s in enumerate(body) if _value_of(s) is value), 0)
    found: list[Load] = []
    _follow(value, body[:at], assigned, set(), found)
    return found


def _value_of(statement: Statement) -> Expression | None:
    match statement:
        case Assign(value=value) | Evaluate(value=value) | Branch(condition=value):
            return value
        case _:
            return None


def _follow(
    expression: Expression, before: Body, assigned: Assigned, seen: set[tuple[int, int]], found: list[Load]
) -> None:
    """Adds the reads to `found`: handing them up from scalar to scalar would take as long as the way is, for each."""
    match expression:
        case Load():
            found.append(expression)
        case Use(variable=variable) if variable.key in assigned:
            for assign, earlier in _reaching(variable.key, before, assigned):
                visit = (id(assign), len(earlier))
                if visit not in seen:
                    seen.add(visit)
                    _follow(assign.value, earlier, assigned, seen, found)
        case _:
            for part in parts(expression):
                _follow(part, before, assigned, seen, found)


def _reaching(key: int, before: Body, assigned: Assigned) -> list[tuple[Assign, Body]]:
    """The assignments whose values a scalar may have behind `before`, each with what comes before it in the block."""
    setting = {id(a) for a in assigned[key]}
    for at in range(len(before) - 1, -1, -1):
        statement = before[at]
        if isinstance(statement, Assign) and id(statement) in setting:
            later = (s for s in statements(before[at + 1 :]) if isinstance(s, Assign) and id(s) in setting)
            return [(statement, before[:at]), *((s, ()) for s in later)]
    return [(a, ()) for a in assigned[key]]
