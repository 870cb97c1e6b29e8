"""Variables that each iteration leaves with the number that it found in them, or sets before anything else.

*Decides*: whether a local scalar has one and the same number (or is null) wherever an iteration of a loop begins
(`is_restored`), or leads where one and the same other pointer does (`is_put_back`): so no iteration reads what another
one left, and a copy per thread that begins with that value does; whether the first that an iteration does with a
variable is to set it (`is_set_first`).
*Method*: the numbers that the variable may have are carried through the function, from its beginning to the loop, and
through one iteration. What is tested for a number has it, or has it not, behind the test.
*Errs toward* no: variables of which addresses are taken, functions with a `goto`, values that are computed.

    s = 0; for (...) { for (...) s += a[i][j]; b[i] = s; s = 0; }                          ->  yes, 0
    p = NULL; for (...) { if (c[i]) p = malloc(n); ... if (p) { free(p); p = NULL; } }     ->  yes, null
    p = buffer; for (...) { ... p += n; ... p = buffer; }                                  ->  put back
    s = 0; for (...) { s += a[i]; if (s > 9) s = 0; }                                      ->  no
"""

from collections import Counter
from collections.abc import Sequence
from math import copysign
from typing import TypeAlias, assert_never

from ..source.ctypes import Complex, CType, Floating, Integer, Pointer
from .arithmetic import modulo
from .exact_conversions import is_value_of
from .nodes import (
    Assign,
    Branch,
    Convert,
    Evaluate,
    Exit,
    Expression,
    Function,
    Literal,
    Loop,
    Operation,
    Refused,
    Statement,
    Use,
    Variable,
    evaluated,
    is_literal,
    loops,
    statements,
    unconverted,
    uses,
)

Number: TypeAlias = int | float
Values: TypeAlias = frozenset[Number | Variable] | None
"""What a variable may be where control comes to, a pointer what another one is that never changes; None: anything. None
at all: control does not come there."""

NOWHERE: Values = frozenset()
LARGEST_EXACT = 1 << 24
"""Integers up to here are numbers of every floating type."""


def is_restored(function: Function, loop: Loop, variable: Variable) -> bool:
    """Whether the variable has one number at the beginning of every iteration. Example: see the module."""
    if variable.scope != "local" or variable.addressed or not isinstance(variable.type, Integer | Floating | Pointer):
        return False
    if not any(isinstance(s, Assign) and _is_set(s, variable) for s in statements(loop.body)):
        return False
    entering = numbers_entering(function, loop, variable)
    if entering is None or len(entering) != 1:
        return False
    return _is_left(loop, entering, _Run(variable))


def is_put_back(function: Function, loop: Loop, variable: Variable) -> bool:
    """Whether a pointer leads where another one does, which never changes, wherever an iteration begins. Example: see
    the module."""
    if variable.scope != "local" or variable.addressed or not isinstance(variable.type, Pointer) or _jumps(function):
        return False
    run = _Run(variable, fixed=_fixed_pointers(function))
    run.through(function.body, None)
    entering = run.entering.get(loop.key, NOWHERE)
    known = entering is not None and len(entering) == 1 and isinstance(next(iter(entering)), Variable)
    return known and _is_left(loop, entering, _Run(variable, fixed=run.fixed))


def _is_left(loop: Loop, entering: Values, once: "_Run") -> bool:
    """Whether an iteration leaves the value with which it begins."""
    end = once.through(loop.body, entering)
    return _either(end, once.left.get(("continue", loop.key), NOWHERE)) in (entering, NOWHERE)


def _fixed_pointers(function: Function) -> frozenset[int]:
    """Keys of the pointers that are set once at most, and in no loop."""
    inside = {key for each in loops(function.body) for key in _assigned(each.body)}
    often = Counter(_assigned(function.body))
    used = (e.variable for s in statements(function.body) for e in evaluated(s) if isinstance(e, Use))
    return frozenset(
        v.key
        for v in used
        if isinstance(v.type, Pointer) and v.scope in ("local", "parameter") and not v.addressed
        and v.key not in inside and often[v.key] <= (v.scope == "local")
    )


def _assigned(body: tuple[Statement, ...]) -> list[int]:
    """Keys of variables, one for each assignment."""
    return [s.target.key for s in statements(body) if isinstance(s, Assign) and isinstance(s.target, Variable)]


def _jumps(function: Function) -> bool:
    return any(isinstance(s, Refused) or (isinstance(s, Exit) and s.kind == "goto") for s in statements(function.body))


def numbers_entering(
    function: Function, loop: Loop, variable: Variable, keeping: Sequence[Assign] = ()
) -> frozenset[Number] | None:
    """What a local may be where the loop begins; `keeping`: assignments that leave the number that it has. Example: 0
    for s in the first loop of the module."""
    if _jumps(function):
        return None
    run = _Run(variable, frozenset(map(id, keeping)))
    run.through(function.body, None)
    found = run.entering.get(loop.key, NOWHERE)
    return None if found is None else frozenset(each for each in found if not isinstance(each, Variable))


def is_set_first(loop: Loop, variable: Variable) -> bool:
    """Whether an iteration sets the variable before it does anything else with it. Example: `x = 0; ... x += y`."""
    for statement in loop.body:
        inside = list(statements((statement,)))
        if any(uses(s, variable) for s in inside):
            return False
        if isinstance(statement, Assign) and _is(statement.target, variable):
            return True
        if any(isinstance(s, Assign) and _is(s.target, variable) for s in inside):
            return False
    return False


def _is(target: object, variable: Variable) -> bool:
    return isinstance(target, Variable) and target.key == variable.key


def _is_set(assign: Assign, variable: Variable) -> bool:
    return _is(assign.target, variable) and is_literal(assign.value)


class _Run:
    """The numbers of one variable. `entering`: by loop, where it begins; `left`: where it, or an iteration, is left."""

    def __init__(
        self, variable: Variable, keeping: frozenset[int] = frozenset(), fixed: frozenset[int] = frozenset()
    ) -> None:
        self.variable = variable
        self.keeping = keeping
        self.fixed = fixed
        self.entering: dict[int, Values] = {}
        self.left: dict[tuple[str, int | None], Values] = {}

    def through(self, body: Sequence[Statement], values: Values) -> Values:
        """Behind these statements."""
        for statement in body:
            values = self._behind(statement, values)
        return values

    def _behind(self, statement: Statement, values: Values) -> Values:
        match statement:
            case Assign(target=target, value=value) if _is(target, self.variable):
                kept = values == NOWHERE or id(statement) in self.keeping
                return values if kept else self._value(value)
            case Assign() | Evaluate() | Refused():
                return values
            case Exit(kind=kind, leaves=leaves):
                self.left[kind, leaves] = _either(self.left.get((kind, leaves), NOWHERE), values)
                return NOWHERE
            case Branch(condition=condition, then=then, otherwise=otherwise):
                taken, other = self._tested(condition, values)
                return _either(self.through(then, taken), self.through(otherwise, other))
            case Loop():
                return self._behind_loop(statement, values)
            case _:
                assert_never(statement)

    def _behind_loop(self, loop: Loop, values: Values) -> Values:
        self.entering[loop.key] = _either(self.entering.get(loop.key, NOWHERE), values)
        begin = values
        while True:
            end = self.through(loop.body, begin)
            again = _either(begin, _either(end, self.left.get(("continue", loop.key), NOWHERE)))
            if again == begin:
                return _either(begin, self.left.get(("break", loop.key), NOWHERE))
            begin = again  # only literals are added

    def _value(self, value: Expression) -> Values:
        plain = unconverted(value)
        if isinstance(plain, Use) and plain.variable.key in self.fixed and isinstance(plain.type, Pointer):
            return frozenset({plain.variable})
        return _number(value, self.variable.type)

    def _tested(self, condition: Expression, values: Values) -> tuple[Values, Values]:
        """The values with which a test holds, and does not."""
        if any(isinstance(each, Variable) for each in values or ()):
            return values, values
        match condition:
            case Operation(operator="!", arguments=(inner,)):
                return self._tested(inner, values)[::-1]
            case Operation(operator="==" | "!=" as operator, arguments=(a, b)):
                use, literal = (b, a) if is_literal(a) else (a, b)
                if not is_value_of(use, self.variable):
                    return values, values
                has, has_not = _having(values, self._equal_to(_literal(literal)))
                return (has, has_not) if operator == "==" else (has_not, has)
            case _ if is_value_of(condition, self.variable):
                zero, other = _having(values, self._equal_to(0))
                return other, zero
            case _:
                return values, values

    def _equal_to(self, number: Number | None) -> Values:
        """The values of the variable that a test takes for equal to a number: `c == 256` holds for no character."""
        type_ = self.variable.type
        if number is None or (isinstance(type_, Floating) and number == 0):  # of either sign
            return None
        same = _converted(number, type_)
        return None if same is None else frozenset({number} if same == number else ())


def _having(values: Values, of: Values) -> tuple[Values, Values]:
    """The values that are among some, and the others; both may be all of them where nobody knows those."""
    if of is None or values == NOWHERE:
        return values, values
    return (of, None) if values is None else (values & of, values - of)


def _either(a: Values, b: Values) -> Values:
    return None if a is None or b is None else a | b


def _number(value: Expression, type_: CType) -> Values:
    """The number that is left where a value is assigned to a variable of a type, if the value is a literal."""
    number = _converted(_literal(value), type_)
    return None if number is None else frozenset({number})


def _literal(value: Expression) -> Number | None:
    match value:
        case Literal(value=number):
            return number
        case Convert(type=type_, argument=argument):
            return _converted(_literal(argument), type_)
        case _:
            return None


def _converted(number: Number | None, type_: CType) -> Number | None:
    match type_, number:
        case Integer(name="_Bool"), int():
            return int(number != 0)
        case (Floating() | Complex()), float() if number == 0 and copysign(1, number) < 0:
            return None
        case Complex(), _ if number == 0:
            return 0
        case Integer(), int():
            return modulo(number, type_)
        case Floating(), int() if abs(number) <= LARGEST_EXACT:
            return number
        case Floating(size=8), float():
            return number
        case Floating(), float() if number.is_integer() and abs(number) <= LARGEST_EXACT:
            return number
        case Pointer(), 0:
            return 0
        case _:
            return None
