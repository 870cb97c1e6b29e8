"""What is worked out anew only where it is asked for another value than the last time.

*Decides*: whether a variable is the value that was asked for last, or what was worked out for it, and no iteration can
tell which one that was: what is kept is made of the value that is asked for and of what never changes, it is right for
the value that is kept when the loop begins, and it is used behind the test alone. So each iteration may begin with both
as they are before the loop.
*Errs toward* no: what two zeros of different signs are told apart by (they are equal, and so the answer for one is used
for the other), values that are read after the loop, what is kept at first and cannot be worked out here.

    at = 0; c = 1; for (i...) { if (x[i] != at) { c = cos(x[i]); at = x[i]; }  s += c; }      ->  yes
    at = 0; c = 0; for (i...) { if (x[i] != at) { c = cos(x[i]); at = x[i]; }  s += c; }      ->  no: cos(0) is 1
    at = 0; c = 0; for (i...) { if (x[i] != at) { c = sin(x[i]); at = x[i]; }  s += 1/c; }    ->  no: of -0 it is -0
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from ..base.regex import regex
from ..ir.exact_conversions import exact, keeps_values
from ..ir.nodes import (
    Assign,
    Branch,
    Call,
    Convert,
    Expression,
    Function,
    Literal,
    Load,
    Loop,
    Operation,
    Statement,
    Use,
    Variable,
    statements,
    uses,
)
from ..ir.restored_values import numbers_entering
from ..ir.same import same
from ..source.ctypes import Floating

EVEN = regex(r"(cos|cosh|fabs)[fl]?\Z")
"""Functions that give the same of a value and of its negative."""
AT_ZERO = {"cos": 1, "cosh": 1, "fabs": 0}


class Kept(Struct, frozen=True):
    """The test, the block that it stands in, what is asked for, the variable that keeps it, and the answers."""

    test: Branch
    block: Sequence[Statement]
    asked: Expression
    key: Variable
    answers: dict[Variable, Expression]


def is_kept_answer(function: Function, loop: Loop, variable: Variable, live: frozenset[int]) -> bool:
    """Whether it is such a variable, with all that is kept beside it. Example: see the module."""
    for kept in _found(loop.body):
        names = {kept.key, *kept.answers}
        if variable not in names:
            continue
        begun = numbers_entering(function, loop, kept.key)
        return (
            all(v.scope == "local" and not v.addressed and v.key not in live for v in names)
            and _are_used_behind(loop, kept, names)
            and begun is not None
            and len(begun) == 1
            and all(_is_right(function, loop, kept, v, next(iter(begun))) for v in kept.answers)
        )
    return False


def _found(body: Sequence[Statement]) -> Iterator[Kept]:
    for s in body:
        match s:
            case Branch(condition=condition, then=then, otherwise=otherwise):
                made = {a.target: a.value for a in then if isinstance(a, Assign) and isinstance(a.target, Variable)}
                if not otherwise and len(made) == len(then):
                    yield from _of_test(s, body, condition, made)
                yield from _found(then)
                yield from _found(otherwise)
            case Loop(body=inner):
                yield from _found(inner)
            case _:
                pass


def _of_test(
    test: Branch, block: Sequence[Statement], condition: Expression, made: dict[Variable, Expression]
) -> Iterator[Kept]:
    """`if (x != at) { answer = f(x); at = x; }`."""
    match condition:
        case Operation(operator="!=", arguments=(a, b)):
            for asked, key in ((exact(a), exact(b)), (exact(b), exact(a))):
                if isinstance(key, Use) and _keeps(made, key.variable, asked):
                    answers = {v: value for v, value in made.items() if v != key.variable}
                    yield Kept(test, block, asked, key.variable, answers)
        case _:
            pass


def _keeps(made: dict[Variable, Expression], key: Variable, asked: Expression) -> bool:
    """Whether the variable is set to what was asked for, an element or a variable, as it is."""
    is_set = isinstance(asked, Use) and asked.variable in made
    if is_set or not isinstance(asked, Use | Load) or key not in made:
        return False
    return same(exact(made[key]), asked) and keeps_values(asked.type, key.type)


def _are_used_behind(loop: Loop, kept: Kept, names: set[Variable]) -> bool:
    """Whether nothing but the test sets the variables, and all else that uses them stands behind it in its block: of
    what was asked for nothing does, as it may be a zero of either sign."""
    place = next(k for k, s in enumerate(kept.block) if s is kept.test)
    inside = {id(s) for s in statements((kept.test,))}
    behind = {id(s) for s in statements(tuple(kept.block[place + 1 :]))}
    for s in statements(loop.body):
        if isinstance(s, Assign) and s.target in names and id(s) not in inside:
            return False
        if id(s) not in inside and any(uses(s, v) for v in (names if id(s) not in behind else {kept.key})):
            return False
    return True


def _is_right(function: Function, loop: Loop, kept: Kept, answer: Variable, first: float) -> bool:
    """Whether what the answer begins with is the answer for what is kept at first, and two equal values have one."""
    begun = numbers_entering(function, loop, answer)
    value = kept.answers[answer]
    targets = (s.target for s in statements(loop.body) if isinstance(s, Assign))
    sign = _sign(value, kept, {v for v in targets if isinstance(v, Variable)})
    told_apart = sign != 1 and isinstance(kept.key.type, Floating)
    return begun is not None and sign is not None and not told_apart and begun == {_number(value, kept, first)}


def _sign(e: Expression, kept: Kept, changed: set[Variable]) -> int | None:
    """What becomes of a value if what is asked for is a zero of the other sign: 1, it stays as it is, -1, it may have
    the other sign; None where it is made of anything else that changes."""
    if same(e, kept.asked):
        return -1
    match e:
        case Literal():
            return 1
        case Use(variable=variable):
            return 1 if variable not in changed and variable.scope == "local" and not variable.addressed else None
        case Convert(argument=argument):
            return _sign(argument, kept, changed)
        case Operation(operator="*" | "/" | "neg", arguments=arguments):
            signs = [_sign(a, kept, changed) for a in arguments]
            return None if None in signs else min(s for s in signs if s is not None)
        case Call(name=name, arguments=(argument,), known=True) if EVEN.match(name):
            return None if _sign(argument, kept, changed) is None else 1
        case _:
            return None


def _number(e: Expression, kept: Kept, first: float) -> float | None:
    """The answer for what is kept at first, where it can be told without rounding."""
    if same(e, kept.asked):
        return first
    match e:
        case Literal(value=int() | float() as value):
            return value
        case Convert(argument=argument, type=Floating()):
            return _number(argument, kept, first)
        case Operation(operator="*", arguments=(a, b)):
            zero = any(_number(x, kept, first) == 0 and _is_constant(y) for x, y in ((a, b), (b, a)))
            return 0 if zero else None
        case Operation(operator="/", arguments=(a, b)):
            return 0 if _number(a, kept, first) == 0 and _is_constant(b) else None
        case Call(name=name, arguments=(argument,)) if (found := EVEN.match(name)) is not None:
            return AT_ZERO[found[1]] if _number(argument, kept, first) == 0 else None
        case _:
            return None


def _is_constant(e: Expression) -> bool:
    """Whether it is a number of moderate size and not 0, or a product or quotient of two of them: neither too large nor
    too small for any type."""
    match e:
        case Literal(value=int() | float() as value):
            return 1e-9 < abs(value) < 1e9
        case Convert(argument=argument, type=Floating()):
            return _is_constant(argument)
        case Operation(operator="*" | "/", type=Floating(), arguments=(Literal() as a, Literal() as b)):
            return _is_constant(a) and _is_constant(b)
        case _:
            return False
