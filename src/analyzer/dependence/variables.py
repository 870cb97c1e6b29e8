"""Scalar variables of one loop: private, with or without first and last values, reduced, or carrying a value between
iterations.

*Decides*: for every scalar that the loop assigns, how its iterations can be separated.
*Method*: `access.dataflow`, `reductions.updates`, liveness after the loop, `first_private`, `restored_values`,
  `previous_values`, `kept_answers`.
*Errs toward* a dependence that is not shown.

    for (...) { t = a[i]; b[i] = t * t; }        ->  private t
    for (...) s += a[i];                         ->  reduction s, +
    s = 0; for (...) { for (...) s += a[i][j]; b[i] = s; s = 0; }     ->  private s, with the value from before
    for (...) { b[i] = x; x = a[i]; }            ->  x is a[i - 1], from the second iteration on (`previous_values`)
    for (...) { b[i] = x; x = b[i] + x; }        ->  carried: b[i] takes the value of the iteration before
"""

from collections.abc import Iterable
from typing import assert_never

from ..access.accesses import Guard, Occurrence
from ..access.dataflow import Read, State, assignments
from ..access.domains import says
from ..access.flagged_flow import FlaggedFlow, flags
from ..facts.loop import Assumption, Reason, Separated
from ..ir.arithmetic import modulo
from ..ir.nodes import (
    Access,
    Anything,
    Assign,
    Branch,
    Call,
    Computed,
    Convert,
    Evaluate,
    Exit,
    Expression,
    Literal,
    Load,
    Loaded,
    Loop,
    Object,
    Opaque,
    Operation,
    Refused,
    Statement,
    Use,
    Variable,
    loops,
    nested_symbols,
    statements,
    tested_symbols,
    unconverted,
    uses,
    walk,
)
from ..ir.pointer_roots import root
from ..ir.polynomials import Symbol, symbol
from ..ir.reasons import AssumptionKind, ReasonCode
from ..ir.restored_values import is_put_back, is_restored
from ..ir.same import same
from ..reductions.argmin import best_so_far
from ..reductions.best_pairs import best_pair
from ..reductions.compensated import is_compensated
from ..reductions.extremum_chains import is_chained
from ..reductions.forwarding import forwarded
from ..reductions.found_flags import is_found_flag, looked_at
from ..reductions.partial_extrema import begins_part, begun_with
from ..reductions.toggles import is_toggled
from ..reductions.updates import Update, extremum_of, update_of
from ..settings.options import AnalysisOptions
from ..source.ctypes import Integer, Pointer, Unknown
from .aliased_scalars import behind_pointers
from .equal_conditions import set_in_all_or_none, set_where_read
from .finding import Finding, Problem
from .first_private import variable_from_before
from .function_facts import Surroundings, literals
from .growing_room import is_room
from .kept_answers import is_kept_answer
from .liveness import live_variables
from .previous_values import previous_value
from .running_extrema import is_running
from .same_stores import only_stored_alike
from .scope import Scope
from .short_circuit import speculated
from .witness.free_contents import inner_guards
from .witness.scalar_flow import carried, overwritten


def variables(around: Surroundings, scope: Scope, options: AnalysisOptions) -> Finding:
    """The finding for all scalars of one loop."""
    loop = scope.loop
    made: dict[int, list[tuple[Assign, bool]]] = {}
    for assign, certain in assignments(loop.body):
        assert isinstance(assign.target, Variable)
        made.setdefault(assign.target.key, []).append((assign, certain))
    flow = FlaggedFlow(around.certain, frozenset(made), flags=flags(loop.body))
    end = flow.with_exits(flow.body(loop.body, frozenset()), "continue", loop.key)
    live = live_variables(around, loop, frozenset(made))
    total = behind_pointers(scope)
    for found in made.values():
        total += _one(around, scope, found, flow.reads, end, live, options)
    return total


def _one(
    around: Surroundings,
    scope: Scope,
    made: list[tuple[Assign, bool]],
    reads: list[Read],
    end: State,
    live: frozenset[int],
    options: AnalysisOptions,
) -> Finding:
    loop, variable = scope.loop, made[0][0].target
    assert isinstance(variable, Variable)
    exposed = [r for r in reads if r.variable.key == variable.key]
    steps = any(i.variable.key == variable.key for i in loop.inductions)
    if steps and (exposed or _controls(loop, variable)):  # else it happens to step evenly, and is set anew
        return _counted(loop, variable, variable.key in live)
    if exposed and any(r.variable.key == variable.key for r in loop.recurrences):
        return Finding(separated=(Separated("counter", variable, variable.name, live=variable.key in live),))
    if variable.scope == "local" and loop.key in variable.loops:
        return Finding()
    if not exposed:
        folded = _folded(around, loop, made) if variable.key in live else None
        return _separate(around, scope, variable, made, end, live) if folded is None else folded
    if is_restored(around.function, loop, variable) or is_put_back(around.function, loop, variable):
        return Finding(separated=(_begun_anew(variable, variable.key in live),))
    flag = _flag(around, variable, made)
    if flag is not None and is_found_flag(loop, variable, lambda x: _is_seen(scope, x, live)):
        return flag + speculated(scope, variable.name, looked_at(loop))
    updates = _reduction(loop.body, variable, live) or _reduction(forwarded(loop.body, variable, live), variable, live)
    if updates:
        found = reduced(variable.name, variable, updates[0], made[0][0].place.line, options)
        return found + speculated(scope, variable.name, [part for update in updates for part in update.skipped])
    if is_toggled(around.function, loop, variable):
        turned = Update(variable, "^", floating=False, others=())
        return reduced(variable.name, variable, turned, made[0][0].place.line, options)
    if is_compensated(around.function, loop, variable, live):
        update = Update(variable, "+", floating=True, others=())
        return reduced(variable.name, variable, update, made[0][0].place.line, options)
    if best_pair(loop.body, variable) is not None:
        return Finding(separated=(Separated("best", variable, variable.name),))
    if is_kept_answer(around.function, loop, variable, live):
        return Finding(separated=(_begun_anew(variable, live=False),))
    needed = set_where_read(scope, variable) if variable.key not in live else None
    if needed is not None:
        return Finding(assumptions=needed, separated=(Separated("private", variable, variable.name),))
    at_will = _from_before(scope, made, variable.key in live) or previous_value(scope, variable, variable.key in live)
    return at_will or _carried(around, scope, made, exposed)


def _from_before(scope: Scope, made: list[tuple[Assign, bool]], live: bool) -> Finding | None:
    """A variable that all iterations set, or none does: each may begin with the value from before the loop."""
    variable = made[0][0].target
    assert isinstance(variable, Variable)
    assumptions = variable_from_before(scope, variable, len(made), live)
    if assumptions is None:
        assumptions = set_in_all_or_none(scope, variable, len(made))
    if assumptions is None:
        return None
    return Finding(assumptions=assumptions, separated=(_begun_anew(variable, live),))


def _is_seen(scope: Scope, place: Variable | Access, live: frozenset[int]) -> bool:
    """Whether anybody may read behind the loop, or in another iteration, what an iteration stores there."""
    return place.key in live if isinstance(place, Variable) else not scope.fresh(place.object)


def _begun_anew(variable: Variable, live: bool) -> Separated:
    """A variable that each iteration may begin with its value from before the loop."""
    return Separated("first_last" if live else "first", variable, variable.name)


def _separate(
    around: Surroundings,
    scope: Scope,
    variable: Variable,
    made: list[tuple[Assign, bool]],
    end: State,
    live: frozenset[int],
) -> Finding:
    """A variable that no iteration reads before it assigns it."""
    if variable.key not in live:
        return Finding(separated=(Separated("private", variable, variable.name),))
    if end is None or variable.key in end:
        return Finding(separated=(Separated("last", variable, variable.name),))
    if best_pair(scope.loop.body, variable) is not None:
        return Finding(separated=(Separated("best", variable, variable.name),))
    found = _from_before(scope, made, True)
    if found is None and only_stored_alike(scope, scope.of_scalar(variable)):
        return Finding(separated=(Separated("same", variable, variable.name),))
    return found or _last_decides(around, scope, variable, made)


def _last_decides(
    around: Surroundings, scope: Scope, variable: Variable, made: list[tuple[Assign, bool]]
) -> Finding:
    """A variable that only some iterations assign, and somebody reads afterwards: where what runs then is not followed,
    perhaps nobody does."""
    line, name = made[0][0].place.line, variable.name
    message = (
        f"`{name}` is read after the loop, and only some iterations assign it (line {line}): "
        "the last of them decides its value"
    )
    refused = any(isinstance(s, Refused) for s in statements(scope.loop.body))
    followed = not refused and around.continuations.structured(scope.loop)
    shown = followed and overwritten(scope, scope.of_scalar(variable))
    reason = Reason(ReasonCode.CARRIED_DEPENDENCE, message, line, (name, name), "*", (line, line))
    return Finding((Problem(reason, shown, shown, may_be_run=followed),))


def _folded(around: Surroundings, loop: Loop, made: list[tuple[Assign, bool]]) -> Finding | None:
    """A variable of which the last value that is assigned is the largest or the smallest one. Not what is kept with a
    best value: each thread has a best one of its own, and may assign where the sequential loop does not."""
    variable = made[0][0].target
    assert isinstance(variable, Variable)
    if best_pair(loop.body, variable) is not None:
        return None
    return _flag(around, variable, made) or _growing(around, loop, made)


def _flag(around: Surroundings, variable: Variable, made: list[tuple[Assign, bool]]) -> Finding | None:
    """`if (a[i] == x) found = 1;`: every iteration that assigns the variable assigns the same number, the largest or
    smallest that it ever has, so that it is their maximum or minimum."""
    known = around.literals.get(variable.key)
    here = {a.value.argument if isinstance(a.value, Convert) else a.value for a, _ in made}
    if known is None or len(here) != 1 or variable.scope != "local" or variable.addressed:
        return None
    (value,) = here
    if not isinstance(value, Literal) or not isinstance(variable.type, Integer):
        return None
    number = modulo(int(value.value), variable.type)
    if number not in (min(known), max(known)):
        return None
    largest = number == max(known)
    names = ("||", "&&") if known <= {0, 1} else ("max", "min")
    return _exactly_reduced(variable, names[0 if largest else 1])


def _growing(around: Surroundings, loop: Loop, made: list[tuple[Assign, bool]]) -> Finding | None:
    """`last = -1; for (i = 0; ...) if (a[i] == x) last = i;`: later iterations assign more, nothing larger was there
    before, be it from the loop itself, and so the last value is their maximum; or minimum, where it falls."""
    assign = made[0][0]
    variable, kept = assign.target, _counted_on(assign.value)
    if len(made) != 1 or made[0][1] or not isinstance(variable, Variable) or kept is None:
        return None
    use, behind = kept
    counts = any(i.variable.key == use.variable.key for i in loop.inductions)
    if not counts or variable.scope != "local" or variable.addressed or use.type != variable.type or use.value is None:
        return None
    outer, _ = around.occurrences.around[loop.key]
    if any(each.key not in variable.loops for each in outer):
        return None
    before = literals(around.function, beside=assign).get(variable.key)
    slope, first = use.value.coefficient(loop.counter).constant, use.value.without(loop.counter).constant
    if not before or not slope or first is None or use.value != symbol(loop.counter) * slope + first:
        return None
    if slope > 0:
        return _exactly_reduced(variable, "max") if max(before) <= first + behind else None
    return _exactly_reduced(variable, "min") if min(before) >= first + behind else None


def _counted_on(value: Expression) -> tuple[Use, int] | None:
    """A variable, and what is added to it: `i`, `i - 1`. (Unsigned numbers may wrap.)"""
    match value:
        case Use():
            return value, 0
        case Operation("+" | "-" as operator, Integer(signed=True), (Use() as use, Literal(value=int(by)))):
            return use, by if operator == "+" else -by
        case _:
            return None


def _exactly_reduced(variable: Variable, operator: str) -> Finding:
    """A reduction that gives the same in every order."""
    return Finding(separated=(Separated("reduction", variable, variable.name, operator),))


def _counted(loop: Loop, variable: Variable, live: bool) -> Finding:
    """A variable that the counter replaces; one that is only counted up is a sum."""
    stepping = Finding(separated=(Separated("counter", variable, variable.name, live=live),))
    if _controls(loop, variable) or not isinstance(variable.type, Integer):
        return stepping
    others = (s for s in statements(loop.body) if not (isinstance(s, Assign) and s.target == variable))
    if any(uses(s, variable) for s in others):
        return stepping
    return _exactly_reduced(variable, "+")


def _controls(loop: Loop, variable: Variable) -> bool:
    """Whether the variable is the loop's own: of several by that name (a global `i` that a function counts up), the one
    in its test."""
    alike = {i.variable.key for i in loop.inductions if i.variable.name == loop.variable}
    tests = (s for s in loop.body if isinstance(s, Evaluate) and s.control)
    return variable.key in alike and (len(alike) == 1 or any(uses(s, variable) for s in tests))


def _is(expression: object, variable: Variable) -> bool:
    return isinstance(expression, Use) and expression.variable.key == variable.key


# --- reductions


def _reduction(body: tuple[Statement, ...], variable: Variable, live: frozenset[int]) -> list[Update]:
    """The updates that all statements touching the variable are, when they are all of one operator; none else. `live`:
    variables whose value after the loop somebody may read."""
    found: list[Update] = []
    begun: list[Assign] = []
    if not _only_updates(body, variable, found, begun) or len({u.operator for u in found}) != 1:
        return []
    return found if all(begins_part(s, variable, body, found[0].operator, live) for s in begun) else []


def _only_updates(
    body: Iterable[Statement], variable: Variable, found: list[Update], begun: list[Assign]
) -> bool:
    return all(_only_update(s, variable, found, begun) for s in body)


def _only_update(statement: Statement, variable: Variable, found: list[Update], begun: list[Assign]) -> bool:
    """Whether all that it does to the variable is to update it, or to begin a part of an extremum."""
    match statement:
        case Assign(target=Variable(key=key)) if key == variable.key:
            update = update_of(statement)
        case Branch(then=then, otherwise=otherwise):
            update = extremum_of(statement)
            if update is None or not _targets(update, variable):
                if uses(statement, variable):
                    return False
                return _only_updates((*then, *otherwise), variable, found, begun)
        case Loop(body=inner):
            return _only_updates(inner, variable, found, begun)
        case Assign() if begun_with(statement, variable) is not None:
            begun.append(statement)
            return True
        case Assign() | Evaluate() | Exit() | Refused():
            return not uses(statement, variable)
        case _:
            assert_never(statement)
    if update is None:
        return False
    found.append(update)
    return not any(_is(e, variable) for other in update.others for e in walk(other))


def _targets(update: Update, variable: Variable) -> bool:
    return isinstance(update.target, Variable) and update.target.key == variable.key


def reduced(
    name: str, target: Variable | Object, update: Update, line: int, options: AnalysisOptions, array: bool = False
) -> Finding:
    """A reduction, with what reordering floating arithmetic means for it."""
    separated = Separated("reduction", target, name, update.operator, array, reorders_fp=update.reorders_fp)
    found = Finding(separated=(separated,))
    if not update.reorders_fp:
        return found
    if options.strict_fp:
        message = f"`{name}` sums floating-point values: another order gives another rounding"
        if update.operator == "*":
            message = f"`{name}` multiplies floating-point values: another order gives another rounding"
        return found + Finding((Problem(Reason(ReasonCode.FP_ORDER, message, line), True),))
    return found + Finding(assumptions=frozenset({Assumption(AssumptionKind.FP_REORDER, name, line)}))


# --- values carried from one iteration to the next


def _carried(around: Surroundings, scope: Scope, made: list[tuple[Assign, bool]], exposed: list[Read]) -> Finding:
    loop, name = scope.loop, exposed[0].variable.name
    found = scope.of_scalar(exposed[0].variable)
    followed = not any(isinstance(s, Refused) for s in statements(loop.body))
    followed = followed and not isinstance(exposed[0].variable.type, Unknown)  # perhaps it sums up, in whatever type
    followed = followed and not any(_may_be_set_by_call(a) for a, _ in made)
    open_ = _closed_form(scope, made, found) or _perhaps_extremum(loop.body, exposed[0].variable)
    room = is_room(loop.body, exposed[0].variable)
    open_ = open_ or room or is_chained(around.function, loop, exposed[0].variable)
    pair = carried(scope, found) if followed and not open_ else None
    best = None if room else best_so_far(loop.body, exposed[0].variable)
    if best is not None:
        shown = pair is not None
        reason = Reason(ReasonCode.CARRIED_DEPENDENCE, str(best), best.line, (name, name), "*", (best.line, best.line))
        return Finding((Problem(reason, shown, pair is not None and pair.of_contents),))
    if pair is None:
        read = next((r for r in exposed if r.certain), exposed[0])
        write = next((a for a, certain in made if certain), made[0][0])
        message = (
            f"line {read.line} may read the `{name}` that an earlier iteration assigned on line {write.place.line}"
        )
        lines = (write.place.line, read.line)
        shown = followed and is_running(scope, exposed[0].variable, made, exposed)
        message = message.replace(" may read the ", " reads the ") if shown else message
        reason = Reason(ReasonCode.CARRIED_DEPENDENCE, message, read.line, (name, name), "*", lines)
        return Finding((Problem(reason, shown, shown, may_be_run=followed and not open_),))
    line = pair.read.line
    if pair.always:
        message = (
            f"line {line} reads `{name}`, whose value comes from the iteration before (assigned on line "
            f"{pair.write.line})"
        )
    else:
        message = f"line {line} reads `{name}`, which line {pair.write.line} assigned in some iteration before"
    distance = "1" if pair.always else "*"
    reason = Reason(ReasonCode.CARRIED_DEPENDENCE, message, line, (name, name), distance, (pair.write.line, line))
    return Finding((Problem(reason, True, pair.of_contents),))


def _may_be_set_by_call(made: Assign) -> bool:
    """Whether nobody knows if the variable is set: a function that is not seen gets its address."""
    return isinstance(made.value, Opaque) and made.value.reason == made.text


def _closed_form(scope: Scope, made: list[tuple[Assign, bool]], found: tuple[Occurrence, ...]) -> bool:
    """Whether the variable may have a closed form that was not found: all its steps are known, and no data decides
    which of them are made."""
    decided = any(_on_data(scope, g) for o in found if o.write for g in inner_guards(scope, o))
    return not decided and not _is_followed_to_the_end(scope, made) and all(_steps(scope, a) for a, _ in made)


def _is_followed_to_the_end(scope: Scope, made: list[tuple[Assign, bool]]) -> bool:
    """Whether how often the loop runs only shows as the variable is divided on: `while (n) n /= 10;`. (Halves and
    doubles are shifts of the first value.)"""
    tests = (s for s in scope.loop.body if isinstance(s, Evaluate) and s.control)
    target = made[0][0].target
    assert isinstance(target, Variable)
    divided = any(_is_divided(unconverted(a.value)) for a, _ in made)
    return scope.loop.trip is None and divided and any(uses(t, target) for t in tests)


def _is_divided(value: Expression) -> bool:
    return isinstance(value, Operation) and value.operator == "/" and _is_scaled(value)


def _is_scaled(value: Operation) -> bool:
    """Whether it is a product with, or a part of, another number than a power of two, which no shift gives."""
    match value:
        case Operation(operator="*" | "/", arguments=arguments):
            factors = (e.value for e in map(unconverted, arguments) if isinstance(e, Literal))
            return not any(isinstance(by, int) and by & (by - 1) == 0 for by in factors)
        case _:
            return False


def _on_data(scope: Scope, guard: Guard) -> bool:
    """Whether a condition depends on what each iteration reads anew, or a call gives it."""
    symbols = nested_symbols(tested_symbols(guard.predicate))
    return any(_is_new(s) and scope.varies(s) for s in symbols) or not says(guard).exact


def _is_new(s: Symbol) -> bool:
    return isinstance(s.origin, Loaded) or (isinstance(s.origin, Computed) and (s.origin.given or s.origin.of_data))


def _perhaps_extremum(body: tuple[Statement, ...], variable: Variable) -> bool:
    """Whether the variable may be a maximum or minimum in the order of another type: `if (x > (int)u) u = x;`."""
    for s in statements(body):
        match s:
            case Branch(
                condition=Operation(arguments=(left, right)),
                then=(Assign(target=Variable(key=key), value=value),),
                otherwise=(),
            ) if key == variable.key and extremum_of(s) is None:
                sides = [_of_any_sign(e) for e in (left, right)]
                if any(_is(e, variable) for e in sides) and any(same(e, _of_any_sign(value)) for e in sides):
                    return True
            case _:
                pass
    return False


def _of_any_sign(expression: Expression) -> Expression:
    while isinstance(expression, Convert):
        to, source = expression.type, expression.argument.type
        if not (isinstance(to, Integer) and isinstance(source, Integer) and to.size == source.size):
            break
        expression = expression.argument
    return expression


def _steps(scope: Scope, made: Assign) -> bool:
    """Whether an integer or pointer moves on by a step, or is shifted, as no data decides, or is set from what the
    iterations count (`for (i = 0, j = n - 1; i < n; j = i++)`): then its value in each iteration may have a closed form
    that was not found. `x / 10`, `x * 5 + 1`, `x ^ x << 13`, `x & (x - 1)` and what a library makes of it have none."""
    assert isinstance(made.target, Variable)
    if not isinstance(made.target.type, Integer | Pointer):
        return False
    counted = {i.variable.key for each in (scope.loop, *loops(scope.loop.body)) for i in each.inductions}
    followed = {made.target.key} | counted
    whole, steers = unconverted(made.value), made.target.name == scope.loop.variable
    for e in walk(made.value):
        match e:
            case Load(access=access) if _may_be_kept(scope, access):
                pass
            case Load() | Call() | Opaque():
                return False
            case Operation(operator="&" | "|" | "^" | "%", arguments=(left, right)):
                if all(any(_is(x, made.target) for x in walk(side)) for side in (left, right)):
                    return False
            case Operation(operator="*" | "/" | "<<" | ">>") if not steers and (e is not whole or _is_scaled(e)):
                if any(_is(x, made.target) for x in walk(e)):
                    return False
            case Use(variable=variable, value=value) if variable.key in scope.assigned - followed:
                if value is None or any(map(scope.varies, value.symbols)):
                    return False
            case _:
                pass
    return any(isinstance(e, Use) and e.variable.key in followed for e in walk(made.value))


def _may_be_kept(scope: Scope, access: Access) -> bool:
    """Whether each iteration may read the same value again (`m->stride`): it reads the same place."""
    found = not isinstance(root(access.object), Anything)
    return found and not any(scope.varies(s) for i in access.subscripts for s in i.index.symbols)
