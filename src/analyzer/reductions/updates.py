"""Statements that fold a value into an accumulator: `s += x`, `s = x + s - y`, `if (x > m) m = x`, `ok = ok && c`.

*Decides*: for one statement, whether it is such an update, of which variable or element, and by which operator.
*Errs toward* no: an update is one only when applying such statements in any order gives the same accumulator: up to
rounding for floating `+` and `*`, exactly for everything else. That is why types count: an `int` that accumulates
doubles truncates at every step, a `_Bool` saturates, a narrowed minimum wraps.
*Does not handle*: `s = s / x`, positions of extrema (argmax), conditional overwriting (`if (c) s = x`).

    s = s + a[i] - b[i]          ->  Update(s, "+", others=(a[i], b[i]))
    if (x > m) m = x;            ->  Update(m, "max", others=(x,))
"""

from collections.abc import Callable, Iterator

from msgspec import Struct

from models.expr.nodes import remembered

from ..ir.arithmetic import is_vector
from ..ir.conditions import SWAPPED, Known, conjuncts, is_truth, truth
from ..ir.nodes import (
    Access,
    Assign,
    Branch,
    Call,
    Choice,
    Convert,
    Expression,
    Literal,
    Load,
    Loop,
    Opaque,
    Operation,
    Statement,
    Use,
    Variable,
    evaluated,
    statements,
    walk,
)
from ..ir.same import same, same_place
from ..source.ctypes import Complex, CType, Floating, Integer


class Update(Struct, frozen=True):
    """`target = target operator value`. `others`: what the statement evaluates besides the accumulator itself."""

    target: Variable | Access
    operator: str
    floating: bool
    others: tuple[Expression, ...]
    skipped: tuple[Expression, ...] = ()
    """What is evaluated or not as the accumulator says: c in `ok = ok && c`, y in `if (x > m && y) m = x`."""

    @property
    def reorders_fp(self) -> bool:
        return self.floating and self.operator in ("+", "*")


IsSelf = Callable[[Expression], bool]

FOLDS = {"+": "+", "-": "+", "*": "*", "&": "&", "|": "|", "^": "^"}
EXTREMA = {name + suffix: name[1:] for name in ("fmin", "fmax") for suffix in ("", "f", "l")}
DENIED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
"""But for NaN, with which both are false; what minima and maxima are then is not looked at (docs/soundness.md)."""
FUSED = ("fma", "fmaf", "fmal")


def update_of(statement: Assign) -> Update | None:
    """The update that one assignment is, if it is one."""
    target = statement.target
    is_self = _reads(target)
    found = _folded(statement.value, target.type, is_self)
    if found is None:
        return None
    operator, others = found
    if any(is_self(part) for other in others for part in walk(other)):
        return None
    skipped = tuple(_skipped(statement.value, is_self))
    return Update(target, operator, isinstance(target.type, Floating | Complex), others, skipped)


def _skipped(value: Expression, is_self: IsSelf) -> Iterator[Expression]:
    """The operands of `&&`, `||` and `?:` that are evaluated or not as the accumulator says."""
    for e in walk(value):
        if isinstance(e, Choice) and any(map(is_self, walk(e.condition))):
            yield from (arm for arm in (e.then, e.otherwise) if not isinstance(arm, Literal))


def extremum_of(branch: Branch) -> Update | None:
    """`if (x > m) m = x;` without an else, or with nothing but the else (`if (x <= m) continue; m = x;`), `m` on either
    side; further conditions may be joined by `&&`. A truth value is an extremum, too: `if (!f) f = x == 3;`."""
    match only_arm(branch := asked_once(branch)):
        case (Assign(target=target, value=value),), holds:
            pass
        case _:
            return None
    is_self = _reads(target)
    conditions = conjuncts(branch.condition, holds)
    deciding = [c for c in conditions if any(is_self(e) for e in walk(c.expression))]
    if len(deciding) != 1 or any(is_self(e) for e in walk(value)):
        return None
    operator = _selects(deciding[0], value, target.type, is_self)
    skipped = tuple(c.expression for c in conditions[conditions.index(deciding[0]) + 1 :])
    if operator is None and _stays_decided(deciding[0], value, target.type, is_self):
        operator, skipped = "&&" if deciding[0].holds else "||", (*skipped, value)
    if operator is None:
        return None
    others = (*(c.expression for c in conditions if c is not deciding[0]), value)
    return Update(target, operator, isinstance(target.type, Floating), others, skipped)


def _stays_decided(condition: Known, value: Expression, target: CType, is_self: IsSelf) -> bool:
    """Whether the accumulator takes a truth value for as long as it is 0, or is not 0."""
    return isinstance(target, Integer | Floating) and is_self(truth(condition.expression)) and is_truth(value)


def asked_once(branch: Branch) -> Branch:
    """The branch that asks the same once more, as in a critical section: `if (x > m) { if (x > m) m = x; }`."""
    match only_arm(branch):
        case (Branch() as again,), holds if same(branch.condition, again.condition):
            alone = only_arm(again)
            return again if alone is not None and alone[1] is holds else branch
        case _:
            return branch


def only_arm(branch: Branch) -> tuple[tuple[Statement, ...], bool] | None:
    """The branch of an `if` that does something where the other one does nothing, and whether the condition holds
    there."""
    if branch.then and branch.otherwise:
        return None
    return (branch.then, True) if branch.then else (branch.otherwise, False)


def _reads(target: Variable | Access) -> IsSelf:
    def is_self(expression: Expression) -> bool:
        match expression, target:
            case Use(variable=variable), Variable():
                return variable.key == target.key
            case Load(access=access), Access():
                return same_place(access, target)
            case _:
                return False

    return is_self


def _stripped(expression: Expression, keep: CType) -> Expression:
    """The expression without conversions that a value of type `keep` survives modulo its own width."""
    while isinstance(expression, Convert) and _survives(keep, expression.type):
        expression = expression.argument
    return expression


def _survives(value: CType, through: CType) -> bool:
    match value, through:
        case Integer(), Integer():
            return through.name != "_Bool" and through.size >= value.size
        case Floating(), Floating() | Complex():
            return True
        case _:
            return isinstance(value, Complex) and isinstance(through, Complex)


# --- arithmetic


def _folded(
    value: Expression, target: CType, is_self: IsSelf
) -> tuple[str, tuple[Expression, ...]] | None:
    """Operator and remaining operands when `value` is the accumulator folded with something."""
    if isinstance(value, Convert) and (value.type == target or _survives(target, value.type)):
        value = value.argument
    match value:
        case Operation(operator=operator) if operator in FOLDS:
            others = _spine(value, FOLDS[operator], target, is_self)
            return (FOLDS[operator], others) if others is not None and _exact(FOLDS[operator], target) else None
        case Choice(operator="?:"):
            return _extremum(value, target, is_self) or _conditional(value, target, is_self)
        case Choice(operator=operator, condition=condition, then=then, otherwise=otherwise):
            other = {"&&": then, "||": otherwise}[operator]
            for mine, rest in ((condition, other), (other, condition)):
                joined = truth(mine)
                if is_self(joined):
                    return operator, (rest,)
                if isinstance(joined, Choice) and joined.operator == operator:  # `ok && a && b` is `(ok && a) && b`
                    inner = _folded(joined, target, is_self)
                    return (operator, (*inner[1], rest)) if inner is not None else None
            return None
        case Call(name=name, arguments=arguments):
            return _called(name.removeprefix("__builtin_"), arguments, target, is_self)
        case _:
            return None


def _exact(operator: str, target: CType) -> bool:
    """Whether folding in this type does not depend on the order. A `_Bool` is only a truth value: with 2, `^` makes 1
    of both."""
    match target:
        case Integer(name="_Bool"):
            return operator in ("|", "&", "*")
        case Integer():
            return True
        case Floating() | Complex():
            return operator in ("+", "*")
        case _:
            return False


def _spine(
    value: Expression, family: str, target: CType, is_self: IsSelf
) -> tuple[Expression, ...] | None:
    """The operands beside the path from the root to the accumulator, all operators on it being of one family; None
    when there is no such path or the accumulator would be negated or changed in type on the way."""
    stripped = _stripped(value, target)
    if is_self(stripped):
        return ()
    match value:
        case Convert(type=type_, argument=argument) if _survives(target, type_) and _commutes(argument, type_):
            return _spine(argument, family, target, is_self)
        case Operation(operator=operator, type=type_, arguments=(left, right)) if FOLDS.get(operator) == family:
            if not _survives(target, type_):
                return None
            inner = _spine(left, family, target, is_self)
            if inner is not None:
                return (*inner, right)
            inner = _spine(right, family, target, is_self) if operator != "-" else None
            return None if inner is None else (left, *inner)
        case _:
            return None


def _commutes(argument: Expression, to: CType) -> bool:
    """Whether converting the result is the same as converting the operands: between floating types (but for
    rounding), and from a wider integer to a narrower one."""
    match argument.type, to:
        case (Floating() | Complex()), (Floating() | Complex()):
            return True
        case Integer(size=size), Integer(size=narrow):
            return narrow <= size and to.name != "_Bool"
        case _:
            return False


def _conditional(
    value: Choice, target: CType, is_self: IsSelf
) -> tuple[str, tuple[Expression, ...]] | None:
    """`c ? s + x : s`: folds, or leaves the accumulator as it is."""
    for kept, folded in ((value.otherwise, value.then), (value.then, value.otherwise)):
        if is_self(_stripped(kept, target)):
            found = _folded(folded, target, is_self)
            return (found[0], (value.condition, *found[1])) if found else None
    return None


def _called(
    name: str, arguments: tuple[Expression, ...], target: CType, is_self: IsSelf
) -> tuple[str, tuple[Expression, ...]] | None:
    if name in EXTREMA and isinstance(target, Floating):
        for mine, other in ((0, 1), (1, 0)):
            if is_self(_plain(arguments[mine], target)):
                return EXTREMA[name], (arguments[other],)
    if name in FUSED and isinstance(target, Floating) and is_self(_stripped(arguments[2], target)):
        return "+", arguments[:2]
    return None


# --- extrema and truth values


def _extremum(
    value: Choice, target: CType, is_self: IsSelf
) -> tuple[str, tuple[Expression, ...]] | None:
    """`x > m ? x : m` and its variants."""
    then_mine, else_mine = (is_self(_plain(e, target)) for e in (value.then, value.otherwise))
    if then_mine == else_mine:
        return None
    other = value.otherwise if then_mine else value.then
    match conjuncts(value.condition, True):
        case (condition,):
            operator = _selects(condition, other, target, is_self)
        case _:
            return None
    if operator is None:
        return None
    if then_mine:
        operator = "min" if operator == "max" else "max"
    return operator, (other,)


def _selects(condition: Known, value: Expression, target: CType, is_self: IsSelf) -> str | None:
    """`max` when the condition says that `value` is larger than the accumulator, `min` when smaller."""
    match truth(condition.expression):
        case Operation(operator=relation, type=compared, arguments=(left, right)) if relation in SWAPPED:
            pass
        case _:
            return None
    if not condition.holds:
        relation = DENIED[relation]
    if is_self(_plain(left, target)):
        left, right = right, left
        relation = SWAPPED[relation]
    offered = _plain(value, target)
    if not is_self(_plain(right, target)) or not same(_plain(left, target), offered):
        return None
    if not _ordered(offered.type, target, compared):
        return None
    return "max" if relation[0] == ">" else "min"


def _plain(expression: Expression, target: CType) -> Expression:
    """Without conversions that keep the order of values against those that the accumulator holds."""
    while isinstance(expression, Convert) and _monotone(expression.argument.type, expression.type, target):
        expression = expression.argument
    return expression


def _monotone(source: CType, to: CType, target: CType) -> bool:
    """Whether converting orders values alike. Rounded to a narrower type than that of the accumulator, a larger value
    may compare as equal, or be stored as a smaller one."""
    match source, to:
        case Integer(), Integer():
            return to.name != "_Bool" and _holds_all(to, source)
        case (Integer() | Floating()), Floating():
            return not isinstance(target, Floating) or to.size >= target.size
        case _:
            return False


def _holds_all(wide: Integer, narrow: Integer) -> bool:
    """Whether every value of `narrow` is one of `wide`."""
    if wide.signed == narrow.signed:
        return wide.size >= narrow.size
    return wide.signed and wide.size > narrow.size


def _ordered(source: CType, target: CType, compared: CType) -> bool:
    """Whether comparing in one type and storing in another orders the values alike."""
    match target, compared:
        case Integer(), Integer():
            return isinstance(source, Integer) and _holds_all(target, source) and _holds_all(compared, target)
        case Floating(), Floating():
            return isinstance(source, Integer | Floating)
        case _:
            return False


@remembered("_computes_with_vectors")
def computes_with_vectors(loop: Loop) -> bool:
    """Whether a loop has arithmetic on vectors, which is not looked into: it may be a sum."""
    return any(isinstance(e, Opaque) and is_vector(e.type) for s in statements(loop.body) for e in evaluated(s))
