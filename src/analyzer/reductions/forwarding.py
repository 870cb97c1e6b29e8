"""Accumulators forwarded through temporaries: `t = s; t += a[i]; s = t;` folds a[i] into s.

*Decides*: for one scalar of a loop, the body in which temporaries that only carry its value to its next assignment, or
the value that it takes then, are written out, so that each statement shows whether it is an update.
*Method*: block by block; a temporary is written out where it is assigned and used in that block alone, by nothing but
such assignments, or branches that only choose its value.
*Errs toward* the body as it is. The order of evaluation is not that of the program any more: the result is good for
recognising updates and for nothing else.

    t = s; t = t + a[i]; s = t;             ->  s = s + a[i];
    if (x > m) { t = x; m = t; }            ->  if (x > m) m = x;
    t = m; if (x > t) t = x; m = t;         ->  m = x > m ? x : m;
    t = m; m = t > x ? t : x;               ->  m = m > x ? m : x;
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from ..ir.nodes import (
    Assign,
    Branch,
    Choice,
    Convert,
    Expression,
    Loop,
    Operation,
    Statement,
    Use,
    Variable,
    evaluated,
    is_use,
    parts,
    statements,
    walk,
)

Carried = Mapping[int, Expression]


def forwarded(body: tuple[Statement, ...], variable: Variable, live: frozenset[int]) -> tuple[Statement, ...]:
    """The body with temporaries (not `live` behind the loop) that carry the value of `variable` written out."""
    return _block(body, variable, live, _counts(body))


def _counts(body: tuple[Statement, ...]) -> tuple[Counter[int], Counter[int]]:
    """How often each scalar is read in a body, and how often it is assigned."""
    every = list(statements(body))
    read = Counter(e.variable.key for s in every for e in evaluated(s) if isinstance(e, Use))
    return read, Counter(s.target.key for s in every if isinstance(s, Assign) and isinstance(s.target, Variable))


def _block(
    body: tuple[Statement, ...], variable: Variable, live: frozenset[int], counts: tuple[Counter[int], Counter[int]]
) -> tuple[Statement, ...]:
    carried: dict[int, Expression] = {}
    read: Counter[int] = Counter()
    assigned: Counter[int] = Counter()
    made: list[Statement] = []
    copied = {key for s in body if (key := _copied_to(variable, s)) is not None}
    all_read, all_assigned = counts
    only_copied = {key for key in copied if (all_read[key], all_assigned[key]) == (1, 1)}
    for statement in _switched(body, all_read):
        match statement:
            case Assign(target=Variable() as target, value=value, induction=False):
                read.update(_reads(statement, carried))
                whole = expanded(value, carried)
                if whole is None:
                    return body
                if target.key == variable.key:
                    made.append(replace(statement, value=whole))
                    carried.clear()  # what they hold is no longer the value of the variable
                elif (_mentions(whole, variable) or target.key in only_copied) and _is_temporary(target, live):
                    carried[target.key] = whole
                    assigned[target.key] += 1
                else:
                    made.append(replace(statement, value=whole))  # what else the accumulator goes into shows
            case Branch() if (chosen := _chosen(statement, variable, live, carried)) is not None:
                read.update(_reads(statement, carried))
                key, carried[key] = chosen
                assigned[key] += len(statement.then) + len(statement.otherwise)
            case Branch(then=then, otherwise=otherwise):
                arms = [_block(arm, variable, live, counts) for arm in (then, otherwise)]
                made.append(replace(statement, then=arms[0], otherwise=arms[1]))
                carried = {} if _assigns(statement, variable) else carried
            case Loop(body=inner):
                made.append(replace(statement, body=_block(inner, variable, live, counts)))
                carried = {} if _assigns(statement, variable) else carried
            case _:
                made.append(statement)
    if any(read[key] != all_read[key] or assigned[key] != all_assigned[key] for key in assigned):
        return body  # something else reads or sets one of them
    return tuple(made)


def _switched(body: tuple[Statement, ...], all_read: Counter[int]) -> Iterator[Statement]:
    """The statements with each selector of a `switch` in the one branch that reads it, right behind: `switch (x > m)
    { case 1: m = x; }` is `if ((x > m) == 1) m = x;`."""
    selector: Assign | None = None
    for statement in body:
        if selector is not None:
            whole = _selected(selector, statement)
            yield from (selector, statement) if whole is None else (whole,)
            selector = None
        elif isinstance(statement, Assign) and statement.selects and _read_once(statement, all_read):
            selector = statement
        else:
            yield statement
    if selector is not None:
        yield selector


def _read_once(selector: Assign, all_read: Counter[int]) -> bool:
    return isinstance(selector.target, Variable) and all_read[selector.target.key] == 1


def _selected(selector: Assign, branch: Statement) -> Branch | None:
    """The branch with the value of the selector in its condition, if that is where it is read."""
    if not isinstance(branch, Branch) or not isinstance(selector.target, Variable):
        return None
    value = {selector.target.key: selector.value}
    condition = expanded(branch.condition, value) if any(_reads_in(branch.condition, value)) else None
    return None if condition is None else replace(branch, condition=condition)


def _reads(statement: Statement, carried: Carried) -> Iterator[int]:
    """Which of the temporaries a statement reads, once for each time."""
    for s in statements((statement,)):
        yield from (e.variable.key for e in evaluated(s) if isinstance(e, Use) and e.variable.key in carried)


def _reads_in(expression: Expression, carried: Carried) -> Iterator[int]:
    return (e.variable.key for e in walk(expression) if isinstance(e, Use) and e.variable.key in carried)


def _copied_to(variable: Variable, statement: Statement) -> int | None:
    """The scalar that `variable = t` copies."""
    match statement:
        case Assign(target=Variable(key=key), value=Use(variable=copied)) if key == variable.key:
            return copied.key
        case _:
            return None


def _chosen(
    branch: Branch, variable: Variable, live: frozenset[int], carried: Carried
) -> tuple[int, Expression] | None:
    """What a temporary holds after a branch that does nothing else than set it: of `if (x > t) t = x;` with the value
    of the variable in t, `x > s ? x : s`."""
    targets = {_only_target(arm) for arm in (branch.then, branch.otherwise) if arm}
    target = next(iter(targets), None)
    if target is None or len(targets) > 1 or not _is_temporary(target, live):
        return None
    copies = {key: value for key, value in carried.items() if is_use(value, variable)}
    if any(key not in copies for key in _reads_in(branch.condition, carried)):
        return None  # of what was computed before, other parts may have changed since
    condition = expanded(branch.condition, copies)
    then, otherwise = (_after(arm, target, carried) for arm in (branch.then, branch.otherwise))
    if condition is None or then is None or otherwise is None:
        return None
    whole = Choice("?:", condition, branch.predicate, then, otherwise, target.type, branch.place)
    return (target.key, whole) if _mentions(then, variable) or _mentions(otherwise, variable) else None


def _only_target(arm: tuple[Statement, ...]) -> Variable | None:
    """The scalar that an arm sets, if it does nothing else."""
    match arm:
        case (Assign(target=Variable() as target),):
            return target
        case _:
            return None


def _after(arm: tuple[Statement, ...], target: Variable, carried: Carried) -> Expression | None:
    """What the only target of an arm holds after it, or still holds if the arm is empty."""
    match arm:
        case (Assign(value=value),):
            return expanded(value, carried)
        case _:
            return carried.get(target.key)


def _assigns(statement: Statement, variable: Variable) -> bool:
    """Whether something inside sets the variable: what was computed from it before is not its value any more."""
    return any(isinstance(s, Assign) and s.target == variable for s in statements((statement,)))


def _mentions(expression: Expression, variable: Variable) -> bool:
    return any(isinstance(e, Use) and e.variable.key == variable.key for e in walk(expression))


def _is_temporary(target: Variable, live: frozenset[int]) -> bool:
    return target.scope == "local" and not target.addressed and target.key not in live


def expanded(expression: Expression, carried: Carried) -> Expression | None:
    """The expression with the temporaries in it written out; None where one stands in more than arithmetic and choices
    (`t > x ? t : x`)."""
    match expression:
        case Use(variable=variable):
            return carried.get(variable.key, expression)
        case Operation(arguments=arguments):
            inner = tuple(expanded(a, carried) for a in arguments)
            known = tuple(a for a in inner if a is not None)
            return replace(expression, arguments=known) if len(known) == len(inner) else None
        case Choice(condition=condition, then=then, otherwise=otherwise):
            made = expanded(condition, carried), expanded(then, carried), expanded(otherwise, carried)
            if made[0] is None or made[1] is None or made[2] is None:
                return None
            return replace(expression, condition=made[0], then=made[1], otherwise=made[2])
        case Convert(argument=argument):
            whole = expanded(argument, carried)
            return None if whole is None else replace(expression, argument=whole)
        case _:
            held = (e for part in parts(expression) for e in walk(part))
            return None if any(isinstance(e, Use) and e.variable.key in carried for e in held) else expression
