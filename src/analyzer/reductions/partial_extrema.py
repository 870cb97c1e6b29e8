"""Extrema of an iteration that begin with the extremum so far.

*Decides*: whether a scalar that takes over the accumulator (`part = most;`) is nothing but a part of the same extremum:
all else that happens to it are updates by the same operator, and updates of the accumulator by it. Wherever it begins,
with the extremum so far or with that of a few iterations, what remains in the end is the same.
*Errs toward* no: other uses, another type (what is rounded up is larger than all that was there).

    part = most;  for (...) if (x[j] > part) part = x[j];  if (part > most) most = part;       ->  yes
    part = most;  ...  y[i] = part;                                                            ->  no
"""

from collections.abc import Iterable

from ..ir.exact_conversions import is_value_of
from ..ir.nodes import Assign, Branch, Loop, Statement, Variable, evaluated, is_use
from .updates import extremum_of


def begins_part(
    statement: Statement, accumulator: Variable, body: Iterable[Statement], operator: str, live: frozenset[int]
) -> bool:
    """Whether a statement of the loop begins such a part of an accumulator. `body`: that of the loop; `live`: variables
    whose value after the loop somebody may read."""
    part = begun_with(statement, accumulator)
    return part is not None and part.key not in live and all(_is_of_part(s, part, accumulator, operator) for s in body)


def begun_with(statement: Statement, accumulator: Variable) -> Variable | None:
    """The scalar of the same type that takes over the accumulator."""
    match statement:
        case Assign(target=Variable(scope="local", addressed=False) as part, value=value):
            return part if is_value_of(value, accumulator) and part.type == accumulator.type else None
        case _:
            return None


def _is_of_part(statement: Statement, part: Variable, accumulator: Variable, operator: str) -> bool:
    """Whether what a statement does to the part, if anything, is to begin it, to update it, or to use it up."""
    if begun_with(statement, accumulator) == part:
        return True
    uses = any(is_use(e, part) for e in evaluated(statement))
    match statement:
        case Branch(then=then, otherwise=otherwise):
            update = extremum_of(statement)
            if update is not None and update.target == part:
                return update.operator == operator
            if update is not None and update.target == accumulator:
                return not uses or (len(update.others) == 1 and is_value_of(update.others[0], part))
            return not uses and all(_is_of_part(s, part, accumulator, operator) for s in (*then, *otherwise))
        case Loop(body=inner):
            return not uses and all(_is_of_part(s, part, accumulator, operator) for s in inner)
        case Assign(target=target):
            return not uses and target != part
        case _:
            return not uses
