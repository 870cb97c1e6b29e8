"""Minimum or maximum with its position as partial results: which of those that `argmin` finds threads can keep apart.

*Decides*: whether a best value and what is kept with it, or a position alone, are touched by nothing else in the loop
than the one statement that keeps them, and compared as they are kept. Then threads that each take consecutive
iterations, in their order, find the same: of equal values the first one wins, or the last one where the test says so.
*Errs toward* no: values that are rounded or cut as they are kept, variables that others may reach.

    if (a[i] < best) { best = a[i]; at = i; }        ->  own `best` and `at` per thread, the smallest `best` wins
    if (a[i] > a[at]) at = i;                        ->  own `at` per thread, that of the largest `a[at]` wins
    if (a[i] >= best) continue; best = a[i]; at = i; ->  as the first one
"""

from collections.abc import Iterator

from msgspec import Struct

from ..ir.conditions import Known, conjuncts
from ..ir.exact_conversions import exact, keeps_values
from ..ir.nodes import (
    Assign,
    Branch,
    Expression,
    Load,
    Operation,
    Statement,
    Use,
    Variable,
    evaluated,
    expressions,
    statements,
    unconverted,
    walk,
)
from ..ir.polynomials import symbol
from ..ir.same import same
from ..source.ctypes import Floating, Integer
from .argmin import SMALLEST
from .updates import DENIED, only_arm


class BestPair(Struct, frozen=True):
    """`kept`: the variables; `best`: C for what is compared; `smallest`: which one wins; `first`: of equal ones."""

    kept: tuple[Variable, ...]
    best: str
    smallest: bool
    first: bool


def best_pair(body: tuple[Statement, ...], variable: Variable) -> BestPair | None:
    """The pair that a variable belongs to, where the iterations can be divided. Example: see the module."""
    for s in statements(body):
        match s:
            case Branch() if (alone := only_arm(s)) is not None and _assigns(alone[0], variable):
                return _pair(body, s, *alone)
            case _:
                pass
    return None


def _assigns(arm: tuple[Statement, ...], variable: Variable) -> bool:
    return any(isinstance(a, Assign) and a.target == variable for a in arm)


def _pair(body: tuple[Statement, ...], test: Branch, then: tuple[Statement, ...], holds: bool) -> BestPair | None:
    made = [a for a in then if isinstance(a, Assign) and isinstance(a.target, Variable)]
    kept = tuple(a.target for a in made if isinstance(a.target, Variable))
    keys = {v.key for v in kept}
    if len(kept) < len(then) or len(keys) < len(kept) or not all(map(_is_own, kept)):
        return None
    if any(_reads(a.value, keys) for a in made) or _is_touched_elsewhere(body, test, then, keys):
        return None
    parts = [p for p in conjuncts(test.condition, holds) if _reads(p.expression, keys)]
    return next(_compared(parts[0], made, kept), None) if len(parts) == 1 else None


def _is_own(variable: Variable) -> bool:
    plain = isinstance(variable.type, Integer | Floating) and not variable.type.volatile
    return plain and variable.scope in ("local", "parameter") and not variable.addressed


def _reads(expression: Expression, keys: set[int]) -> bool:
    return any(isinstance(e, Use) and e.variable.key in keys for e in walk(expression))


def _is_touched_elsewhere(
    body: tuple[Statement, ...], test: Branch, then: tuple[Statement, ...], keys: set[int]
) -> bool:
    inside = {id(test), *map(id, then)}
    others = [s for s in statements(body) if id(s) not in inside]
    reads = any(isinstance(e, Use) and e.variable.key in keys for s in others for e in evaluated(s))
    writes = (s.target for s in others if isinstance(s, Assign) and isinstance(s.target, Variable))
    indices = (i for a in then if isinstance(a, Assign) for i in expressions(a)[:-1])
    return reads or any(v.key in keys for v in writes) or any(_reads(i, keys) for i in indices)


def _compared(part: Known, made: list[Assign], kept: tuple[Variable, ...]) -> Iterator[BestPair]:
    match unconverted(part.expression):
        case Operation(operator="<" | "<=" | ">" | ">=" as asked, arguments=(a, b)):
            operator = asked if part.holds else DENIED[asked]
            for best, offered, smallest in ((b, a, SMALLEST[operator]), (a, b, not SMALLEST[operator])):
                plain, candidate = exact(best), exact(offered)
                if len(made) > 1 and any(_is_value(m, plain, candidate) for m in made):
                    assert isinstance(plain, Use)
                    yield BestPair(kept, plain.variable.name, smallest, len(operator) == 1)
                elif len(made) == 1 and _is_position(made[0], plain, candidate):
                    assert isinstance(plain, Load)
                    yield BestPair(kept, plain.access.text, smallest, len(operator) == 1)
        case _:
            pass


def _is_value(made: Assign, best: Expression, offered: Expression) -> bool:
    """Whether the best value is kept as it was compared."""
    value, kept = exact(made.value), made.target
    own = isinstance(kept, Variable) and isinstance(best, Use) and best.variable == kept and same(offered, value)
    return own and keeps_values(offered.type, kept.type)


def _is_position(made: Assign, best: Expression, offered: Expression) -> bool:
    """Whether `offered` is what `best` becomes where the position is set."""
    match best, offered, exact(made.value):
        case Load(access=old), Load(access=new), Use(value=value) if (
            value is not None and (old.object, old.field, old.offset) == (new.object, new.field, new.offset)
        ):
            uses = [e for i in best.index for e in walk(i) if isinstance(e, Use) and e.variable == made.target]
            at = uses[0].value if uses else None
            if at is None or len(at.symbols) != 1 or len(old.subscripts) != len(new.subscripts):
                return False
            (only,) = at.symbols
            pairs = zip(old.subscripts, new.subscripts, strict=True)
            return at == symbol(only) and all(x.index.substitute({only: value}) == y.index for x, y in pairs)
        case _:
            return False
