"""What constraints say of alternatives at a glance: by comparing numbers, before anything is eliminated.

*Decides*: which choices of a system hold whatever is chosen, and which leave one alternative only.
*Method*: of every linear form that a constraint bounds, its bounds; a constraint on the same form holds, fails, or is
open. *Errs toward* open.

    x == 7, (x >= 4 or x <= 2), (x >= 8 or y >= 0)      ->      x == 7, y >= 0
"""

from collections.abc import Iterable

from .poly import Monomial
from .system import Choice, Conjunction, Constraint

Form = tuple[tuple[Monomial, int], ...]
"""A polynomial without its constant term."""


def settled(constraints: Conjunction, choices: tuple[Choice, ...]) -> tuple[Conjunction, tuple[Choice, ...]] | None:
    """The same system without the choices that are no longer any; None where one has no alternative left. Example: see
    the module."""
    lows: dict[Form, int] = {}
    _learn(lows, constraints)
    pending = choices
    while True:
        left: list[Choice] = []
        forced: list[Constraint] = []
        for choice in pending:
            open_ = _open(lows, choice)
            if open_ is None:
                continue
            if not open_:
                return None
            if len(open_) > 1:
                left.append(choice)
            else:
                forced += open_[0]
        if not forced:
            return constraints, tuple(left)
        constraints += tuple(forced)
        _learn(lows, forced)
        pending = tuple(left)


def _learn(lows: dict[Form, int], constraints: Iterable[Constraint]) -> None:
    for c in constraints:
        for form, low in _bounds(c):
            lows[form] = max(low, lows.get(form, low))


def _open(lows: dict[Form, int], choice: Choice) -> list[Conjunction] | None:
    """The alternatives that may hold; None where one surely does."""
    found: list[Conjunction] = []
    for alternative in choice:
        truths = [_holds(lows, c) for c in alternative]
        if all(truths):
            return None
        if False not in truths:
            found.append(alternative)
    return found


def _holds(lows: dict[Form, int], constraint: Constraint) -> bool | None:
    """Whether the constraint holds, or fails, wherever the forms are at least as large as said; None: neither."""
    truths = [_reaches(lows, form, low) for form, low in _bounds(constraint)]
    return False if False in truths else None if None in truths else True


def _reaches(lows: dict[Form, int], form: Form, low: int) -> bool | None:
    if not form:
        return low <= 0
    if form in lows and lows[form] >= low:
        return True
    opposite = _negated(form)
    return False if opposite in lows and -lows[opposite] < low else None


def _bounds(c: Constraint) -> list[tuple[Form, int]]:
    """The constraint as forms that are at least so large."""
    terms = c.value.terms
    low = -c.value.constant_term
    form = terms[:-1] if low else terms
    return [(form, low), (_negated(form), -low)] if c.equal else [(form, low)]


def _negated(form: Form) -> Form:
    return tuple([(m, -c) for m, c in form])
