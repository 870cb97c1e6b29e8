"""Whether `reduction(||:f)` leaves in `f` what the loop leaves there.

*Decides*: that the accumulator of `&&` or `||` is 0 or 1 as the loop begins, or that the loop surely makes it 0 or 1.
OpenMP makes 0 or 1 of it in any case; C leaves a 5 as it is where no iteration updates it.
*Method*: its type is `_Bool`; the function gives a local variable nothing else anywhere; an assignment right before the
loop; an update that is under no condition, in loops that have an iteration.
*Errs toward* that it does not.

    int f = 0; for (...) f = f || c[i];         ->  yes
    for (i = 0; i < n; i++) f = f || c[i];      ->  not for a parameter f: it may be 5, and n may be 0
"""

from collections.abc import Iterator

from ..facts.loop import Clauses, Rewrite, Separated
from ..ir import nodes as ir
from ..ir.blocks import in_front_of
from ..ir.conditions import is_bool, is_truth
from ..ir.same import same_place
from .canonical import surely_runs

LOGICAL = ("&&", "||")


def leaves_truth(function: ir.Function, loop: ir.Loop, each: Separated) -> bool:
    """Whether the clause of a reduction by `&&` or `||` leaves what the loop does. Example: see the module."""
    targets = [a.target for a in _assignments(loop.body, each.target)]
    if targets and all(is_bool(t.type) for t in targets):
        return True
    if isinstance(each.target, ir.Variable) and _holds_truths(function, each.target):
        return True
    if each.array or not targets or not all(_is_one_place(targets[0], t) for t in targets):
        return False
    return _surely_assigns(loop, targets[0]) or _begins_with_truth(function.body, loop, targets[0])


def normalised(each: Separated) -> Clauses:
    """What is needed where the clause may leave something else."""
    named = f"let `{each.text}` be 0 or 1"
    if each.array:
        named = f"let the elements of `{each.text}` be 0 or 1"
    elif not each.text.isidentifier():
        named = f"use a local variable in place of `{each.text}`, and let it be 0 or 1"
    text = f"{named} before the loop: of a 5, reduction({each.operator}:...) makes 1, even where no iteration does"
    return Clauses(rewrites=(Rewrite("other", each.text, text, clause="reduction", operator=each.operator),))


def _assignments(body: tuple[ir.Statement, ...], target: object) -> Iterator[ir.Assign]:
    for s in ir.statements(body):
        if isinstance(s, ir.Assign) and target == (s.target if isinstance(s.target, ir.Variable) else s.target.object):
            yield s


def _is_one_place(a: ir.Variable | ir.Access, b: ir.Variable | ir.Access) -> bool:
    if isinstance(a, ir.Access) and isinstance(b, ir.Access):
        return same_place(a, b) and all(s.index.constant is not None for s in a.subscripts)
    return a == b


def _holds_truths(function: ir.Function, variable: ir.Variable) -> bool:
    """Whether a local variable is given nothing but 0 and 1, wherever it is given anything."""
    own = variable.scope == "local" and not variable.addressed
    seen = not any(isinstance(s, ir.Refused) for s in ir.statements(function.body))
    return own and seen and all(is_truth(a.value, variable) for a in _assignments(function.body, variable))


def _surely_assigns(loop: ir.Loop, target: ir.Variable | ir.Access) -> bool:
    """Whether an iteration takes place, and assigns the place whatever data say."""
    return surely_runs(loop) and any(
        _is_one_place(s.target, target)
        if isinstance(s, ir.Assign)
        else isinstance(s, ir.Loop) and _surely_assigns(s, target)
        for s in loop.body
    )


def _begins_with_truth(body: tuple[ir.Statement, ...], loop: ir.Loop, target: ir.Variable | ir.Access) -> bool:
    """Whether 0 or 1 is assigned before the loop, with nothing but assignments to variables in between."""
    for s in reversed(in_front_of(body, loop)):
        if not isinstance(s, ir.Assign) or any(isinstance(e, ir.Call) for v in ir.expressions(s) for e in ir.walk(v)):
            return False
        if _is_one_place(s.target, target):
            return is_truth(s.value)
        if not isinstance(s.target, ir.Variable):
            return False
    return False
