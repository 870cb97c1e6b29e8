"""The verdict: whether the iterations of a loop may run in any order, merged from all parts of the analysis.

*Decides*: `parallelism(function, options)`: yes, no or unknown for every loop of a function, as definitions.md says.
*Errs toward* unknown: a yes needs every pair of accesses disproved (under named assumptions), every scalar private or
reduced, and nothing that blocks; a no needs a dependence or an ordered effect that certainly exists for some sizes.
"""

from collections.abc import Iterable
from functools import partial

from msgspec.structs import replace

from ..access.nest_limits import too_deep
from ..facts.loop import Assumption, Parallelism, Reason, Separated, Verdict
from ..ir import c_library as library
from ..ir.nodes import Access, Anything, Function, Loaded, Loop, Refused, Returned, loops, nested_symbols, statements
from ..ir.pointer_roots import root
from ..ir.reasons import AssumptionKind, ReasonCode
from ..memory.alias import Overlap
from ..polyhedra.system import Work
from ..settings.options import AnalysisOptions
from .blockers import blockers
from .condition_groups import MOST_PARTS, are_too_many, groups, text, without_implied
from .escaping_copies import handed_out
from .finding import Finding, Problem, problem
from .function_facts import Surroundings, surroundings_of
from .held_conditions import is_held
from .lent_scratch import lent
from .memory_accesses import memory
from .pragmas import believed, promise
from .premises import of_loop
from .scope import Scope
from .sums_by_calls import sums_by_calls
from .thread_objects import of_threads
from .variables import variables
from .witness.early_exits import leaving
from .witness.rewrites import revisits
from .witness.two_iterations import repeats

PRECEDENCE = (
    ReasonCode.INLINE_ASM,
    ReasonCode.IRREGULAR_CONTROL_FLOW,
    ReasonCode.VOLATILE,
    ReasonCode.EARLY_EXIT,
    ReasonCode.UNKNOWN_TRIP_COUNT,
    ReasonCode.UNKNOWN_CALL,
    ReasonCode.SIDE_EFFECT,
    ReasonCode.CARRIED_DEPENDENCE,
    ReasonCode.NON_AFFINE_ACCESS,
    ReasonCode.MAY_ALIAS,
    ReasonCode.TOO_COMPLEX,
)
"""Which reason is given when there are several. A code that is not here comes before all of these."""

UNANSWERED = {
    AssumptionKind.PARAMS_DISTINCT: ReasonCode.MAY_ALIAS,
    AssumptionKind.MEMBERS_DISTINCT: ReasonCode.MAY_ALIAS,
    AssumptionKind.ROWS_DISTINCT: ReasonCode.MAY_ALIAS,
    AssumptionKind.IN_BOUNDS: ReasonCode.NON_AFFINE_ACCESS,
    AssumptionKind.NO_OVERFLOW: ReasonCode.NON_AFFINE_ACCESS,
    AssumptionKind.BOUND_INVARIANT: ReasonCode.UNKNOWN_TRIP_COUNT,
    AssumptionKind.FP_REORDER: ReasonCode.FP_ORDER,
    AssumptionKind.USER: ReasonCode.CARRIED_DEPENDENCE,
}
"""The reason code when an assumption of this kind is not allowed."""

ASSERTABLE = {
    ReasonCode.CARRIED_DEPENDENCE,
    ReasonCode.NON_AFFINE_ACCESS,
    ReasonCode.MAY_ALIAS,
    ReasonCode.TOO_COMPLEX,
    ReasonCode.UNKNOWN_CALL,
    ReasonCode.SIDE_EFFECT,
}
"""Reasons that the user's word `independent` settles."""

MAX_WORK = 2500
"""Eliminations spent on the loops of one nest before the rest counts as too complex; one takes up to a millisecond."""

SHARES = 8
"""Of a nest of many loops, each may spend this part of what is left: few need much. One whose iterations a pragma
divides may spend as much as a nest: somebody has worked out that it is parallel, so an answer is likely to be found."""

FOR_A_NO = 150
"""Eliminations spent on a dependence that can only turn a refusal into a no."""

FOR_A_TIME = 50
"""Eliminations spent on an answer of which only a time depends."""

FOLLOWED = {ReasonCode.EARLY_EXIT, ReasonCode.UNKNOWN_TRIP_COUNT, ReasonCode.CARRIED_DEPENDENCE, ReasonCode.SIDE_EFFECT}
"""Reasons beside which a dependence through memory can still be shown: all statements are understood."""


def parallelism(
    function: Function, options: AnalysisOptions, wanted: frozenset[int] | None = None
) -> dict[int, Parallelism]:
    """The answer, by key, for every loop of the function, and for the loops of inlined callees inside of a parallel one
    (callees' other loops are answered where they are defined). `wanted`: only for those of nests that have one of these
    loops, by key. Raises nothing of its own.

    Example: for `for (i = 1; i < n; i++) a[i] = a[i - 1];` the verdict is NO with reason `carried-dependence`,
    accesses `a[i]` and `a[i - 1]`, distance 1."""
    around = surroundings_of(function)
    nests: dict[int, list[Loop]] = {}
    for loop in loops(function.body):
        if _listed_here(around, loop):
            outer, _ = around.occurrences.around[loop.key]
            nests.setdefault((*outer, loop)[0].key, []).append(loop)
    asked = [nest for nest in nests.values() if wanted is None or any(loop.key in wanted for loop in nest)]
    return {key: found for nest in asked for key, found in _of_nest(around, nest, options).items()}


def _of_nest(around: Surroundings, nest: list[Loop], options: AnalysisOptions) -> dict[int, Parallelism]:
    """The answers for the loops of one nest, in their order. Each may spend a share of what the ones before left; inner
    loops, of which less is to be decided, come first. Loops of callees are answered where they are defined; here they
    only matter inside of a parallel loop."""
    deep = too_deep(nest[0], around.occurrences.around[nest[0].key][0])
    if deep is not None:
        return {loop.key: _too_complex(loop, deep) for loop in nest}
    work = around.work = Work()
    found: dict[int, Parallelism] = {}
    beyond = 0  # what loops with a pragma spent beside their shares

    def ask(loop: Loop, left: int) -> None:
        nonlocal beyond
        begun, share = work.done, max(0, MAX_WORK + beyond - work.done) // min(left, SHARES)
        work.limit = begun + (MAX_WORK if promise(loop) else share)
        said = believed(loop) if options.assume == "pragmas" else loop
        found[loop.key] = answer(around, said, options)
        beyond += max(0, work.done - begun - share)

    own = [loop for loop in nest if not loop.inlined]
    for left, loop in zip(range(len(own), 0, -1), reversed(own), strict=True):
        ask(loop, left)
    for loop in nest:
        if loop.inlined:
            parent = found.get(around.occurrences.around[loop.key][0][-1].key)
            if parent is not None and parent.verdict is Verdict.YES:
                ask(loop, SHARES)
    return {loop.key: found[loop.key] for loop in nest if loop.key in found}


def of_inlined(function: Function, inlined: Iterable[Loop], options: AnalysisOptions) -> dict[int, Parallelism]:
    """The answers, by key, for loops of inlined callees inside of loops that are not parallel, which `parallelism`
    leaves out: for the time that they take, and with no more work than that is worth. What is no `yes` need not be
    explained."""
    around = surroundings_of(function)
    found = {}
    for loop in inlined:
        around.work = Work()
        around.work.limit = FOR_A_TIME
        problems = _problems(around, around.scope(loop), options, explained=False)
        found[loop.key] = _verdict(around, loop, problems, options)
    return found


def _too_complex(loop: Loop, why: str) -> Parallelism:
    return Parallelism(Verdict.UNKNOWN, reason=Reason(ReasonCode.TOO_COMPLEX, why, loop.place.line))


def _listed_here(around: Surroundings, loop: Loop) -> bool:
    """Whether the loop belongs to a nest of this function: not one of an inlined callee that stands on its own."""
    outer, _ = around.occurrences.around[loop.key]
    return not all(each.inlined for each in (*outer, loop))


def answer(around: Surroundings, loop: Loop, options: AnalysisOptions, explained: bool = True) -> Parallelism:
    """The answer for one loop. Where it need not be `explained`, it is only asked whether the loop is parallel: nobody
    looks for what shows that it is not."""
    scope = around.scope(loop)
    total = _problems(around, scope, options, explained)
    if not explained and total.problems and not loop.independent:
        return _verdict(around, loop, total, options)
    total = _witnessed(around, scope, total)
    verdict = _verdict(around, loop, total, options)
    small = next((p.only_if for p in total.problems if p.only_if and p.reason == verdict.reason), "")
    return _unless_small(around, loop, options, verdict, small) if small else verdict


def _problems(around: Surroundings, scope: Scope, options: AnalysisOptions, explained: bool = True) -> Finding:
    """What keeps the iterations from running in any order, or has to be assumed: with memory only where nothing else
    decides, or, where it is to be `explained`, a dependence through memory may show that the order matters."""
    loop = scope.loop
    if scope.supposing:
        scope.lent = lent(around, scope)
    total = blockers(around, scope)
    unseen = any(p.reason.code is ReasonCode.UNKNOWN_CALL for p in total.problems)
    total += sums_by_calls(around, scope, options) + _bounds(scope, unseen) + _wraps(around, loop)
    if not _hopeless(loop):
        total += variables(around, scope, options)
    if not _settled(loop, total):
        total += memory(around, scope, options)
    elif explained and not any(p.shown for p in total.problems):
        total += leaving(around, scope) + revisits(scope)
        if not any(p.shown for p in total.problems) and _followed(scope, total):
            scope.hurry(FOR_A_NO)
            found = memory(around, scope, options).problems
            total += Finding(tuple(p for p in found if p.shown and p.reason.code == ReasonCode.CARRIED_DEPENDENCE))
    return of_threads(around, scope, total + handed_out(around, scope, total))


def _witnessed(around: Surroundings, scope: Scope, total: Finding) -> Finding:
    """The same, with what runs of two iterations and more show of it, where something is open."""
    if any(p.shown for p in total.problems):
        if repeats(around, scope):
            return total
        total = replace(total, problems=tuple(replace(p, shown=False) for p in total.problems))
    if not total.problems:
        return total
    from .witness.trials import witnessed  # of most loops nothing is open

    return witnessed(around, scope, total)


def _unless_small(
    around: Surroundings, loop: Loop, options: AnalysisOptions, found: Parallelism, small: str
) -> Parallelism:
    """The reason names the comment by which the user says that a size is never 0, or so small, if that is all that is
    missing."""
    if not _may_comment(loop, options) or found.reason is None:
        return found
    if answer(around, replace(loop, independent=f"not so: {small}"), options).verdict is not Verdict.YES:
        return found
    message = f"{found.reason.message}; if it never is, say `// analyze: independent`"
    return replace(found, reason=replace(found.reason, message=message))


def _may_comment(loop: Loop, options: AnalysisOptions) -> bool:
    """Whether `// analyze: independent` is still to be said, and would be believed."""
    return not loop.independent and options.assume != "none"


def _hopeless(loop: Loop) -> bool:
    """Whether the loop holds what is not understood, and what the user's word does not settle either: nothing could be
    shown of its variables."""
    return any(isinstance(s, Refused) and s.code not in ASSERTABLE for s in statements(loop.body))


def _settled(loop: Loop, total: Finding) -> bool:
    """Whether the answer is known without looking at memory: something blocks that no independence could help."""
    if any(p.shown and not (loop.independent and p.of_contents) for p in total.problems):
        return True
    codes = {p.reason.code for p in total.problems}
    return bool(codes - ASSERTABLE) or (not loop.independent and ReasonCode.UNKNOWN_CALL in codes)


def _followed(scope: Scope, total: Finding) -> bool:
    """Whether all that the loop does to memory is in view, whatever else blocks it: calls print, or do not return."""
    effects = (library.effect(c.call.name) for c in scope.history.calls)
    return {p.reason.code for p in total.problems} <= FOLLOWED and all(
        e is not None and (e.is_output or e is library.Effect.NO_RETURN) for e in effects
    )


def _bounds(scope: Scope, unseen: bool) -> Finding:
    """A number of iterations that depends on memory must not change while the loop runs. `unseen`: the loop calls what
    may do anything, which is said already: that this may change a bound, too, is no reason beside it."""
    presumed = (each.presumed for each in (scope.loop, *loops(scope.loop.body)))
    kind = AssumptionKind.BOUND_INVARIANT
    total = Finding(assumptions=frozenset(Assumption(kind, name, line) for each in presumed for name, line in each))
    for s in nested_symbols(s for r in scope.loop.trip or () for s in r.numerator.symbols):
        if isinstance(s.origin, Loaded) and scope.loop.key in s.origin.loops:
            text, line = s.origin.access.text, s.origin.access.place.line
            match scope.stored(s):
                case Overlap.ASSUMED:
                    total += Finding(assumptions=frozenset({Assumption(kind, text, line)}))
                case Overlap.SAME if not unseen or _is_given_by_call(s.origin.access):
                    total += problem(ReasonCode.UNKNOWN_TRIP_COUNT, f"the loop may change its bound `{text}`", line)
                case _:
                    pass
    return total


def _is_given_by_call(access: Access) -> bool:
    base = root(access.object)
    return isinstance(base, Anything) and isinstance(base.pointer, Returned)


def _wraps(around: Surroundings, loop: Loop) -> Finding:
    """Loop variables and tests must not wrap, in the loop itself and in those around and inside it."""
    outer, _ = around.occurrences.around[loop.key]
    total = Finding()
    for each in (*outer, loop, *loops(loop.body)):
        if each.wraps:
            total += around.once(("wraps", each.key), partial(_own_wraps, around, each))
    return total


def _own_wraps(around: Surroundings, loop: Loop) -> Finding:
    enclosing, guards = around.occurrences.around[loop.key]
    found = of_loop(loop, enclosing, guards, around.work)
    return sum((finding for _, finding in found), Finding())


def _verdict(around: Surroundings, loop: Loop, total: Finding, options: AnalysisOptions) -> Parallelism:
    shown = [p for p in total.problems if p.shown and not (loop.independent and p.of_contents)]
    if shown:
        return _despite(loop, _refused(Verdict.NO, _first(shown), total))
    assumptions = total.assumptions
    open_problems = list(total.problems)
    if loop.independent and all(p.reason.code in ASSERTABLE for p in open_problems):
        if open_problems:
            assumptions |= {Assumption(AssumptionKind.USER, loop.independent, loop.place.line)}
        open_problems = []
    if open_problems:
        refused = _refused(Verdict.UNKNOWN, _first(open_problems), total)
        return _despite(loop, _with_lever(loop, refused, options))
    if assumptions and options.assume == "none":
        needed = min(assumptions)
        message = f"parallel only under the assumption {needed.kind}({needed.text})"
        reason = Reason(UNANSWERED[needed.kind], message, needed.line)
        return _refused(Verdict.UNKNOWN, Problem(reason), total)
    needed_conditions = without_implied(_named(frozenset(a for a in assumptions if a.kind.is_condition)))
    said = [holds for each in (*around.occurrences.around[loop.key][0], loop) for holds in each.holding]
    held = tuple(c for c in needed_conditions if is_held(c, said))
    conditions = tuple(c for c in needed_conditions if c not in held)
    if are_too_many(conditions):
        listed = [f"{group[0].kind}({text(group)})" for group in groups(conditions)]
        several = f"{len(listed)} conditions" if len(listed) > 1 else f"a condition on more than {MOST_PARTS} things"
        message = f"parallel only under {several}, which nobody would test: {', '.join(listed)}"
        return _refused(Verdict.UNKNOWN, Problem(Reason(ReasonCode.TOO_COMPLEX, message, loop.place.line)), total)
    verdict = Verdict.CONDITIONAL if conditions else Verdict.YES
    plain = (a for a in assumptions if not a.kind.is_condition)
    assumptions = frozenset(a for a in plain if not _is_asked_for(a, needed_conditions))
    made = _named(assumptions | {Assumption(AssumptionKind.USER, str(c), c.line) for c in held})
    return Parallelism(verdict, made, separated=_separated(total), conditions=conditions, held=held)


def _is_asked_for(a: Assumption, conditions: Iterable[Assumption]) -> bool:
    """Whether a condition says what an assumption does: that two parameters lead to different memory."""
    same = AssumptionKind.DISTINCT if a.kind == AssumptionKind.PARAMS_DISTINCT else None
    return any(c.kind == same and c.text == a.text for c in conditions)


def _named(assumptions: frozenset[Assumption]) -> tuple[Assumption, ...]:
    """One of each kind and text: the first line that needs it."""
    first: dict[tuple[AssumptionKind, str], Assumption] = {}
    for a in sorted(assumptions):
        first.setdefault((a.kind, a.text), a)
    return tuple(first.values())


def _separated(total: Finding) -> tuple[Separated, ...]:
    return tuple(dict.fromkeys(total.separated))


def _refused(verdict: Verdict, why: Problem, total: Finding) -> Parallelism:
    return Parallelism(verdict, (), why.reason, _separated(total))


def _with_lever(loop: Loop, answer: Parallelism, options: AnalysisOptions) -> Parallelism:
    """The reason names what the user can say to settle it, where pointers may overlap: nothing worse stands beside that
    (PRECEDENCE)."""
    reason = answer.reason
    if reason is None or reason.code != ReasonCode.MAY_ALIAS or not _may_comment(loop, options):
        return answer
    said = "if no iteration changes what another one uses, `// analyze: independent` before the loop says so"
    return replace(answer, reason=replace(reason, message=f"{reason.message}; {said}"))


def _despite(loop: Loop, answer: Parallelism) -> Parallelism:
    """The reason of a refusal says so where the user called the loop independent."""
    if not loop.independent or answer.reason is None:
        return answer
    why = "contradicts" if answer.verdict is Verdict.NO else "is not settled by"
    message = f"{answer.reason.message}; this {why} `{loop.said_by}`"
    return replace(answer, reason=replace(answer.reason, message=message))


def _first(problems: list[Problem]) -> Problem:
    """The most telling problem: by code, then constant distances, then line. An assertion is not what is in the way
    where there is anything else: without that, it would be a condition."""

    def rank(p: Problem) -> tuple[bool, int, int, int]:
        code, distance = p.reason.code, p.reason.distance or "*"
        order = PRECEDENCE.index(code) if code in PRECEDENCE else -1
        clarity = 0 if distance.isdigit() else 3 if distance == "*" else 2 if distance[0] == "-" else 1
        return (p.ends_program, order, clarity, p.reason.line)

    return min(problems, key=rank)
