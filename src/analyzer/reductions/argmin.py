"""Minimum or maximum with its position: `if (a[i] < best) { best = a[i]; at = i; }`.

*Decides*: whether a variable that carries a value is one of such a pair, or the position alone (`if (a[i] > a[at]) at =
i;`), to say so. *Does not decide* the verdict: `best_pairs` does.
"""

from collections.abc import Iterator

from msgspec import Struct

from ..ir.nodes import Assign, Branch, Convert, Expression, Load, Operation, Statement, Use, Variable, statements, walk
from ..ir.same import same
from ..source.ctypes import Integer

SMALLEST = {"<": True, "<=": True, ">": False, ">=": False}
"""Whether the operator picks the smaller one, with what is kept on the right."""


class Best(Struct, frozen=True):
    """What a statement keeps: `value` None where only the position is kept; `positions` the other variables."""

    line: int
    smallest: bool
    value: str | None
    positions: tuple[str, ...]

    def __str__(self) -> str:
        kind, where = "smallest" if self.smallest else "largest", " and ".join(f"`{p}`" for p in self.positions)
        what = f"the {kind} value so far in `{self.value}` and its position in {where}"
        if self.value is None:
            what = f"in {where} where the {kind} value so far was"
        return f"line {self.line} keeps {what}: each iteration needs those before"


def best_so_far(body: tuple[Statement, ...], variable: Variable) -> Best | None:
    """The statement that makes the variable one of a best value and its position. Example: see the module."""
    for s in statements(body):
        match s:
            case Branch(condition=condition, then=then, otherwise=()) if then:
                kept = {a.target.key: a for a in then if isinstance(a, Assign) and isinstance(a.target, Variable)}
                if len(kept) == len(then) and variable.key in kept:
                    found = next(_pairs(condition, list(kept.values()), s.place.line), None)
                    if found is not None:
                        return found
            case _:
                pass
    return None


def _pairs(condition: Expression, kept: list[Assign], line: int) -> Iterator[Best]:
    for c in walk(condition):
        if not isinstance(c, Operation) or c.operator not in SMALLEST or len(c.arguments) != 2:
            continue
        for side, smallest in ((1, SMALLEST[c.operator]), (0, not SMALLEST[c.operator])):
            best, offered = _plain(c.arguments[side]), _plain(c.arguments[1 - side])
            for a in kept:
                others = tuple(_name(o) for o in kept if o is not a)
                if _uses(offered, a):
                    continue
                if isinstance(best, Use) and _uses(best, a) and same(offered, _plain(a.value)) and others:
                    yield Best(line, smallest, _name(a), others)
                if isinstance(best, Load) and _selects(best, a) and not others:
                    yield Best(line, smallest, None, (_name(a),))


def _plain(expression: Expression) -> Expression:
    while isinstance(expression, Convert):
        expression = expression.argument
    return expression


def _uses(expression: Expression, kept: Assign) -> bool:
    return any(isinstance(e, Use) and e.variable == kept.target for e in walk(expression))


def _selects(best: Load, kept: Assign) -> bool:
    """Whether an integer selects the value, and the place where another one was found becomes that integer."""
    assert isinstance(kept.target, Variable)
    integer = isinstance(kept.target.type, Integer) and isinstance(_plain(kept.value), Use)
    return integer and _uses(best, kept) and not _uses(kept.value, kept)


def _name(kept: Assign) -> str:
    assert isinstance(kept.target, Variable)
    return kept.target.name
