"""Scans and linear recurrences: every iteration combines what the one before kept with something new.

*Decides*: whether a running value, in a variable or in the elements of an array, is all that orders the iterations, and
whether it is combined by one associative operator (a scan) or by sums and products (a linear recurrence, whose steps
x -> a*x + b compose to steps of the same form). *Source*: Blelloch, "Prefix sums and their applications" (1990).
*Refuses* running values of other forms, or that only some iterations combine.

    for (i = 1; i < n; i++) s[i] = s[i-1] + a[i];                  ->  scan
    for (i = 0; i < n; i++) { t += a[i]; s[i] = t; }               ->  scan, `inscan`
    for (i = 1; i < n; i++) x[i] = a[i] * x[i-1] + b[i];           ->  recurrence
    for (i = 1; i < n; i++) x[i] = x[i-1] * x[i-1];                ->  none
"""

from functools import partial

from msgspec.structs import replace

from ..facts.loop import Alternative, LoopFacts
from ..idioms.scan import is_linear
from ..ir.nodes import Access, Assign, Branch, Expression, Load, Statement, Use, Variable, evaluated, statements
from ..reductions.combining import is_target
from ..reductions.updates import Update, update_of
from ..source.ctypes import CType, Floating, Integer
from .distances import is_regular
from .variant import Answers, Reading, Variants, are_parallel, clauses, data_statements, given, loads, one_back

SUMS = {"+": "sum", "*": "product", "min": "minimum", "max": "maximum"}
"""What a running value is called."""


def found(variants: Variants, facts: LoopFacts) -> tuple[Alternative, ...]:
    """The scan or recurrence that a loop is, if it is one. Example: see the module."""
    for statement in data_statements(variants.loop.body):
        found = _in_memory(variants, statement) if isinstance(statement, Assign) else None
        found = found or _in_a_variable(variants, statement)
        if found is not None:
            return (found,)
    return ()


def _in_memory(variants: Variants, assign: Assign) -> Alternative | None:
    """Of `s[i] = s[i-1] + a[i]`."""
    target = assign.target
    if not isinstance(target, Access) or not is_regular(variants.nest, target):
        return None
    previous = [load for load in loads(assign) if _is_one_back(variants, target, load.access)]
    answers = variants.answers(variants.without(previous)) if previous else ()
    if not are_parallel(answers):
        return None
    in_place = Reading({}, parts={id(load): Load(target, load.index) for load in previous})
    update = update_of(replace(assign, value=in_place.expression(assign.value)))
    if update is not None:
        return _scan(update, target.text, answers)
    if _composes(target.type) and is_linear(assign.value, partial(is_target, target=previous[0].access)):
        return _recurrence(target.text, previous[0].access.text, target.type, answers)
    return None


def _composes(type_: CType) -> bool:
    """Whether sums and products may be regrouped: with other rounding, or modulo 2^w."""
    return isinstance(type_, Floating) or (isinstance(type_, Integer) and not type_.signed and type_.size >= 4)


def _is_one_back(variants: Variants, target: Access, read: Access) -> bool:
    """Whether an access reads what the iteration before stored."""
    if (target.object, target.field, target.type) != (read.object, read.field, read.type):
        return False
    back = one_back(variants.loop)
    moved = [back(s.index) for s in target.subscripts]
    moves = any(back(s.index) != s.index for s in target.subscripts)
    return moves and moved == [s.index for s in read.subscripts]


def _in_a_variable(variants: Variants, statement: Statement) -> Alternative | None:
    """Of `t += a[i]; s[i] = t;`, where the update may stand under a condition that does not read `t`."""
    match statement:
        case Assign(target=Variable()) as assign:
            pass
        case Branch(then=(Assign(target=Variable()) as assign,), otherwise=()):
            pass
        case _:
            return None
    target = assign.target
    assert isinstance(target, Variable)
    everywhere = list(statements(variants.loop.body))
    if sum(isinstance(s, Assign) and s.target == target for s in everywhere) != 1:
        return None
    own = [e for e in evaluated(assign) if _is_use(target, e)]
    every = [e for s in everywhere for e in evaluated(s) if _is_use(target, e)]
    others = [s for s in data_statements(variants.loop.body) if s is not statement and _reads(s, target)]
    if not own or (statement is not assign and any(_is_use(target, e) for e in evaluated(statement))):
        return None
    answers = variants.answers(variants.without(every))
    if not are_parallel(answers):
        return None
    update = update_of(assign)
    if update is None:
        linear = _composes(target.type) and is_linear(assign.value, partial(_is_use, target))
        return _recurrence(target.name, target.name, target.type, answers) if linear and statement is assign else None
    copies = clauses(answers, variants.loop.variable, target.name)
    how = None if copies is None else _directives(variants, statement, target, others, update.operator, copies)
    return _scan(update, target.name, answers, how) if others else None


def _is_use(variable: Variable, e: Expression) -> bool:
    return isinstance(e, Use) and e.variable == variable


def _reads(s: Statement, variable: Variable) -> bool:
    """Whether a statement, or one inside of it, reads the variable."""
    return any(_is_use(variable, e) for t in statements((s,)) for e in evaluated(t))


def _directives(
    variants: Variants, update: Statement, target: Variable, others: list[Statement], operator: str, copies: str
) -> str | None:
    """What OpenMP has for a running value in a variable: all that reads it stands behind the update, or before it."""
    body = list(data_statements(variants.loop.body))
    at = next(k for k, s in enumerate(body) if s is update)
    before = [any(s is o for o in others) for s in body[:at]]
    after = [any(s is o for o in others) for s in body[at:]]
    if any(before) and any(after):
        return None
    kind = "exclusive" if any(before) else "inclusive"
    where = f"{'before' if any(before) else 'after'} `{_head(update)}`"
    return (
        f"`#pragma omp parallel for reduction(inscan,{operator}:{target.name}){copies}` above the loop and "
        f"`#pragma omp scan {kind}({target.name})` {where} (line {update.place.line})"
    )


def _head(statement: Statement) -> str:
    """The text of a statement, of an `if` its first line."""
    return statement.text if isinstance(statement, Assign | Branch) else ""


def _scan(update: Update, name: str, answers: Answers, directives: str | None = None) -> Alternative:
    what = SUMS.get(update.operator, f"result of `{update.operator}`")
    kept = f"keep it in a variable, which OpenMP scans with `reduction(inscan,{update.operator}:...)`"
    text = f"a parallel scan of `{name}` (running {what}): {directives or kept}; on a GPU a library's scan"
    legality = _regrouped(update.reorders_fp, f"`{update.operator}` is associative")
    return Alternative("scan", text, legality + given(answers))


def _recurrence(name: str, previous: str, type_: CType, answers: Answers) -> Alternative:
    text = (
        f"a parallel scan of the steps: each makes a*x + b of `{previous}`, and two of them make one of the same form; "
        f"scan the pairs (a, b), then apply each to the first `{name}`"
    )
    legality = _regrouped(isinstance(type_, Floating), "steps of this form are associative")
    return Alternative("recurrence", text, legality + given(answers))


def _regrouped(rounds: bool, why: str) -> str:
    return f"{why}; {'the sums are regrouped, so rounding differs' if rounds else 'the results are equal'}"
