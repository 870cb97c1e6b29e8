"""Quick bounds on alternatives by comparing numbers, before anything is eliminated.

*Decides*: which choices of a system hold whatever is chosen, and which leave one alternative only.
*Method*: of every linear form that a constraint bounds, its bounds; a constraint on the same form holds, fails, or is
open. *Errs toward* open.

    x == 7, (x >= 4 or x <= 2), (x >= 8 or y >= 0)      ->      x == 7, y >= 0
"""

from itertools import cycle

from models.expr.nodes import remembered

from ..ir.polynomials import Poly
from .system import Choice, Conjunction, Constraint


def settled(constraints: Conjunction, choices: tuple[Choice, ...]) -> tuple[Conjunction, tuple[Choice, ...]] | None:
    """The same system without the choices that are no longer any; None where one has no alternative left. Example: see
    the module.

    What one choice leaves is known when the next is asked, and every other time they are asked backwards: of
    `x >= 0, x != 0, x != 1, ...`, as a switch has it, each is settled only by the one before."""
    lows: dict[Poly, int] = {}
    for c in constraints:
        _learn(lows, c)
    pending = choices
    for order in cycle((1, -1)):
        left: list[Choice] = []
        forced: list[Constraint] = []
        for choice in pending[::order]:
            open_ = _open(lows, choice)
            if open_ is None:
                continue
            if not open_:
                return None
            if len(open_) > 1:
                left.append(choice)
                continue
            for c in open_[0]:
                _learn(lows, c)
            forced += open_[0]
        pending = tuple(left[::order])
        constraints += tuple(forced)
        if not forced:
            break
    return constraints, pending


def _learn(lows: dict[Poly, int], constraint: Constraint) -> None:
    for form, _, low in _bounds(constraint):
        lows[form] = max(low, lows.get(form, low))


def _open(lows: dict[Poly, int], choice: Choice) -> list[Conjunction] | None:
    """The alternatives that may hold; None where one surely does."""
    found: list[Conjunction] = []
    for alternative in choice:
        truths = [_holds(lows, c) for c in alternative]
        if all(truths):
            return None
        if False not in truths:
            found.append(alternative)
    return found


def _holds(lows: dict[Poly, int], constraint: Constraint) -> bool | None:
    """Whether the constraint holds, or fails, wherever the forms are at least as large as said; None: neither."""
    truths = [_reaches(lows, *bound) for bound in _bounds(constraint)]
    return False if False in truths else None if None in truths else True


def _reaches(lows: dict[Poly, int], form: Poly, opposite: Poly, low: int) -> bool | None:
    if not form.terms:
        return low <= 0
    if lows.get(form, low - 1) >= low:
        return True
    return False if opposite in lows and -lows[opposite] < low else None


def _bounds(c: Constraint) -> list[tuple[Poly, Poly, int]]:
    """The constraint as forms that are at least so large, each with its opposite."""
    form, opposite, low = _form(c.value)
    return [(form, opposite, low), (opposite, form, -low)] if c.equal else [(form, opposite, low)]


@remembered("_form")
def _form(value: Poly) -> tuple[Poly, Poly, int]:
    """A polynomial without its constant term, the opposite of that, and the least value of the former with which the
    whole is not negative."""
    low = -value.constant_term
    form = Poly(value.terms[:-1]) if low else value
    return form, -form, low
