"""Wrap-around variables: scalars that hand to the next iteration what this one can read as well.

*Decides*: for one scalar of a loop, the expression that every iteration gives to it for the next one, if that follows
from the number of the iteration: it is made of numbers, of variables that no iteration changes or that step evenly, and
of elements of memory at such places. Then the scalar holds, from the second iteration on, the value of that expression
one iteration before. That nothing stores to those elements is for `dependence.previous_values` to say.
*Method*: its only assignment, in the loop's own body, with temporaries of the iteration written out.
*Errs toward* none: a second assignment, one under a condition or in an inner loop, loops that may be left or continued
early, calls, `?:`, pointers that the loop moves, subscripts that use a temporary of no known value.

    for (i = 0; i < n; i++) { a[i] = b[i] - before;  before = b[i]; }       ->  b[i]
    for (i = 0; i < n; i++) { a[i] = b[last];  last = i; }                  ->  i
    for (i = 0; i < n; i++) { s = a * s;  a = b[i]; }                       ->  a: b[i];  s: none
"""

from msgspec.structs import replace

from ..ir.invariance import is_invariant
from ..ir.nodes import (
    Assign,
    Convert,
    Declared,
    Evaluate,
    Exit,
    Expression,
    Literal,
    Load,
    Loop,
    Operation,
    Pointee,
    Refused,
    Statement,
    Use,
    Variable,
    evaluated,
    is_use,
    statements,
    walk,
)
from ..ir.pointer_roots import root
from ..ir.polynomials import Poly, symbol
from ..source.ctypes import Floating, Integer


def handed_on(loop: Loop, variable: Variable) -> Expression | None:
    """What each iteration gives to the variable for the next one. Example: see the module."""
    if loop.trip is None or not loop.exact_trip or not _is_plain(variable):
        return None
    every = list(statements(loop.body))
    if any(isinstance(s, Exit | Refused) or _decides(s, variable) for s in every):
        return None
    made = [s for s in every if isinstance(s, Assign) and s.target == variable]
    if len(made) != 1 or not any(s is made[0] for s in loop.body):
        return None
    found = _Expansion(loop, every)
    for statement in loop.body:
        if statement is made[0]:
            break
        found.passes(statement)
    return found.of(made[0].value)


def _is_plain(variable: Variable) -> bool:
    match variable.type:
        case Integer(volatile=False, atomic=False) | Floating(volatile=False, atomic=False):
            return variable.scope in ("local", "parameter") and not variable.addressed
        case _:
            return False


def _decides(statement: Statement, variable: Variable) -> bool:
    """Whether it is a test of a loop that asks for the variable."""
    control = isinstance(statement, Evaluate) and statement.control
    return control and any(is_use(e, variable) for e in evaluated(statement))


class _Expansion:
    """Expressions of one loop with the temporaries written out that its iterations have set so far."""

    def __init__(self, loop: Loop, every: list[Statement]) -> None:
        self.loop = loop
        targets = [s.target.key for s in every if isinstance(s, Assign) and isinstance(s.target, Variable)]
        self.once = {key for key in targets if targets.count(key) == 1}
        self.moved = {*targets, *(i.variable.key for i in loop.inductions), *(r.variable.key for r in loop.recurrences)}
        self.known: dict[int, Expression] = {}

    def passes(self, statement: Statement) -> None:
        """A statement before the one that is asked about."""
        match statement:
            case Assign(target=Variable() as target, value=value) if target.key in self.once and _is_plain(target):
                whole = self.of(value)
                if whole is not None:
                    self.known[target.key] = whole if whole.type == target.type else Convert(target.type, whole)
            case _:
                pass

    def of(self, e: Expression) -> Expression | None:
        match e:
            case Literal():
                return e
            case Use(variable=variable) if not self._is_known(e):
                return self.known.get(variable.key)
            case Use():
                return e
            case Load():
                return e if all(map(self._is_place, walk(e))) else None
            case Operation(arguments=arguments):
                inner = tuple(x for a in arguments if (x := self.of(a)) is not None)
                return replace(e, arguments=inner) if len(inner) == len(arguments) else None
            case Convert(argument=argument):
                whole = self.of(argument)
                return None if whole is None else replace(e, argument=whole)
            case _:
                return None

    def _is_known(self, e: Use) -> bool:
        """Whether the value follows from the number of the iteration."""
        counter, value = self.loop.counter, e.value
        if isinstance(value, Poly):
            rest, step = value.without(counter), value.coefficient(counter)
            even = rest + step * symbol(counter) == value and counter not in step.symbols
            if even and is_invariant(rest, self.loop.key) and is_invariant(step, self.loop.key):
                return True
        own = e.variable.scope in ("local", "parameter") and not e.variable.addressed
        return own and e.variable.key not in self.moved

    def _is_place(self, e: Expression) -> bool:
        """Whether a part of a subscripted expression, as it stands, leads to the same place in a later iteration that
        has the values of this one."""
        match e:
            case Literal() | Operation() | Convert():
                return True
            case Use():
                return self._is_known(e)
            case Load(access=access) if not access.volatile and not access.atomic:
                match root(access.object):
                    case Declared(variable=variable) | Pointee(variable=variable):
                        return variable.key not in self.moved and self.loop.key not in variable.loops
            case _:
                pass
        return False
