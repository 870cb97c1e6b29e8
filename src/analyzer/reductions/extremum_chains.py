"""A maximum and a minimum of which one comparison is made only where the other one fails.

*Decides*: whether two variables are the largest and the smallest value so far, the second comparison is in the `else`
of the first one, and both begin with one value. Then no element that is larger than the largest is smaller than the
smallest one: the two comparisons may be made apart, and no iteration depends on another one.
*Errs toward* no: where they begin differently, an element that sets one of the two may keep the other one from it.

    hi = lo = a[0]; for (i...) if (a[i] > hi) hi = a[i]; else if (a[i] < lo) lo = a[i];     ->  yes
    hi = 0; lo = 9; for (i...) if (a[i] > hi) hi = a[i]; else if (a[i] < lo) lo = a[i];     ->  no
"""

from collections.abc import Sequence

from msgspec.structs import replace

from ..ir.blocks import in_front_of
from ..ir.nodes import (
    Assign,
    Branch,
    Expression,
    Function,
    Loop,
    Statement,
    Variable,
    is_use,
    statements,
    unconverted,
    uses,
)
from ..ir.same import same
from .updates import Update, extremum_of

OPPOSITE = {"max": "min", "min": "max"}


def is_chained(function: Function, loop: Loop, variable: Variable) -> bool:
    """Whether the variable is one of two such extrema, with which the loop does nothing else. Example: see the
    module."""
    for chain in (s for s in statements(loop.body) if isinstance(s, Branch)):
        pair = _pair(chain)
        if pair is not None and variable in pair:
            alone = all(_is_left_alone(s, chain, pair) for s in statements(loop.body))
            return alone and _begin_alike(in_front_of(function.body, loop), pair)
    return False


def _pair(branch: Branch) -> tuple[Variable, Variable] | None:
    """The two variables of a chain."""
    match branch.otherwise:
        case (Branch(otherwise=()) as other,):
            first, second = extremum_of(replace(branch, otherwise=())), extremum_of(other)
        case _:
            return None
    if first is None or second is None or not _are_of_one_value(first, second):
        return None
    match first.target, second.target:
        case Variable() as one, Variable() as another if one.type == another.type and one != another:
            return one, another
        case _:
            return None


def _are_of_one_value(first: Update, second: Update) -> bool:
    """Whether one is the maximum and one the minimum of the same values, with no condition more."""
    opposite = OPPOSITE.get(first.operator) == second.operator
    return opposite and len(first.others) == 1 == len(second.others) and same(first.others[0], second.others[0])


def _is_left_alone(s: Statement, chain: Branch, pair: tuple[Variable, Variable]) -> bool:
    """Whether a statement is of the chain, holds it, or concerns neither of the two."""
    own = any(s is each for each in statements((chain,))) or any(chain is each for each in statements((s,)))
    return own or not any(uses(s, v) or (isinstance(s, Assign) and s.target == v) for v in pair)


def _begin_alike(before: Sequence[Statement], pair: tuple[Variable, Variable]) -> bool:
    """Whether the last that is done to the two in front of the loop gives them one value, with nothing in between but
    assignments to variables."""
    set_last: dict[Variable, Expression] = {}
    for s in reversed(before):
        match s:
            case Assign(target=Variable() as target, value=value) if target in pair:
                if target in set_last:
                    return False
                set_last[target] = value
                if len(set_last) == 2:
                    later, earlier = (unconverted(v) for v in set_last.values())
                    return same(later, earlier) or is_use(later, target)
            case _ if any(isinstance(x, Assign) and x.target in pair for x in statements((s,))):
                return False
            case Assign(target=Variable()):
                pass
            case _ if set_last:
                return False
            case _:
                pass
    return False
