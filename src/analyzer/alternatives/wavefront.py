"""Wavefronts and colours: two nested loops that both carry dependences over constant distances.

*Decides*: whether all iterations (i, j) with one value of f*i + j may run at once: every distance vector then goes to a
later value. *Source*: Lamport, "The parallel execution of DO loops" (1974). Where a sweep reads neighbours on both
sides, new ones and old ones, at odd distances only, it may also update the cells of a chequerboard by colour, which
gives other values. *Errs toward* nothing: all that orders the iterations must have a constant distance.

    a[i][j] = a[i-1][j] + a[i][j-1]             (1, 0), (0, 1)              ->  i + j
    a[i][j] = a[i-1][j+1] + a[i][j-1]           (1, -1), (0, 1)             ->  2*i + j
    a[i][j] = a[i-1][j-1] + a[j][i]             not one distance            ->  none
"""

from ..facts.loop import Alternative, LoopFacts, Verdict
from ..ir.nodes import Access, Assign, Expression, Load, Loop, Statement, evaluated, statements
from ..ir.polynomials import number
from ..ir.reasons import ReasonCode
from ..loops.formula_text import in_variables
from .distances import Vector, between_all, forward, vectors
from .variant import Answers, Variants, are_parallel, clauses, data_statements, given, is_c, loads, stores

LARGEST_SKEW = 8


def found(variants: Variants, facts: LoopFacts) -> tuple[Alternative, ...]:
    """The wavefronts of a loop and the one directly inside of it. Example: see the module."""
    outer, inner = variants.loop, _only_inside(variants.loop)
    reason = facts.parallelism.reason
    if inner is None or reason is None or reason.code is not ReasonCode.CARRIED_DEPENDENCE:
        return ()
    if variants.verdicts.get(inner.key) is not Verdict.NO:
        return ()
    written = stores(inner.body)
    reads = [e for s in statements(inner.body) for e in loads(s)]
    distances = between_all(variants.nest, (outer, inner), written, [*written, *(e.access for e in reads)])
    if not distances:
        return ()
    skew = max([1, *(-(-(1 - v[1]) // v[0]) for v in distances if v[0])])
    shared = {a.object for a in written}
    carried: list[Expression] = [e for e in reads if e.access.object in shared]
    answers = variants.answers(variants.without(carried), (inner.key,)) if skew <= LARGEST_SKEW else ()
    if not are_parallel(answers):
        return ()
    return (_wavefront(variants, inner, skew, distances, answers), *_colours(variants, (outer, inner), distances))


def _only_inside(loop: Loop) -> Loop | None:
    """The loop that is all of another one's body."""
    match list(data_statements(loop.body)):
        case [Loop() as inner]:
            return inner
        case _:
            return None


def _wavefront(
    variants: Variants, inner: Loop, skew: int, distances: frozenset[Vector], answers: Answers
) -> Alternative:
    names = (variants.loop.variable or "the outer counter", inner.variable or "the inner counter")
    front = f"{names[0]} + {names[1]}" if skew == 1 else f"{skew}*{names[0]} + {names[1]}"
    text = (
        f"a wavefront: iterations with equal {front} are independent; go through the values of {front} in order, and "
        "through the iterations of each in parallel"
    )
    listed = ", ".join(str(v) for v in sorted(distances))
    legality = f"every dependence of the nest leads to a later {front} (distances {listed}): the results are equal"
    copies = clauses(answers, variants.loop.variable, inner.variable)
    return Alternative("wavefront", text, legality + given(answers), _code(variants, inner, skew, copies))


def _code(variants: Variants, inner: Loop, skew: int, copies: str | None) -> tuple[str, ...]:
    """The nest in C, where both variables go up by one between ends that no iteration of it changes."""
    outer, around = variants.loop, variants.nest.around
    counters = {outer.counter, inner.counter}
    ends = [end for loop in (outer, inner) for end in (loop.first, loop.last) if loop.step == number(1)]
    polys = [in_variables(end, around) for end in ends if end is not None and counters.isdisjoint(end.symbols)]
    if len(polys) != 4 or copies is None or not (outer.variable and inner.variable):
        return ()
    low_i, high_i, low_j, high_j = polys
    low, high = low_i * skew + low_j, high_i * skew + high_j
    i, j, times = outer.variable, inner.variable, "" if skew == 1 else f"{skew}*"
    if not all(map(is_c, (*polys, low, high))):
        return ()
    return (
        f"for (long front = {low}; front <= {high}; front++) {{",
        f"    #pragma omp parallel for{copies}",
        f"    for (long {i} = {low_i}; {i} <= {high_i}; {i}++) {{",
        f"        long {j} = front - {times}{i};",
        f"        if ({j} >= {low_j} && {j} <= {high_j}) {{",
        f"            /* the body of the loop in line {inner.place.line} */",
        "        }",
        "    }",
        "}",
    )


def _colours(variants: Variants, over: tuple[Loop, Loop], distances: frozenset[Vector]) -> tuple[Alternative, ...]:
    """Of a sweep that reads new values on one side and old ones on the other."""
    if any(sum(v) % 2 == 0 for v in distances) or not _both_sides(variants, over):
        return ()
    i, j = (loop.variable for loop in over)
    text = (
        f"two colours: all iterations with even {i} + {j} at once, then all others; each reads elements of the other "
        "colour alone"
    )
    legality = (
        "not equal: another order of updates gives other values after each sweep; a relaxation (Gauss-Seidel) "
        "converges to the same solution"
    )
    return (Alternative("colours", text, legality),)


def _both_sides(variants: Variants, over: tuple[Loop, Loop]) -> bool:
    """Whether some iterations come before those that they read from, and some after."""
    found: set[bool] = set()
    for s in statements(over[1].body):
        if isinstance(s, Assign):
            found |= _sides(variants, over, s)
    return found == {True, False}


def _sides(variants: Variants, over: tuple[Loop, Loop], s: Statement) -> set[bool]:
    target = s.target if isinstance(s, Assign) else None
    reads = [e.access for e in evaluated(s) if isinstance(e, Load)]
    of_one = [a for a in reads if isinstance(target, Access) and target.object == a.object]
    found = (vectors(variants.nest, over, target, a) for a in of_one if isinstance(target, Access))
    return {forward(v) == v for between in found for v in between or () if any(v)}
