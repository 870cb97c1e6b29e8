"""Groups of iterations: dependences that reach over several iterations leave those in between free.

*Decides*: the smallest distance of all dependences of an innermost loop, where each is constant and it is 2 or more: so
many consecutive iterations may run at once. *Errs toward* none.

    for (i = 4; i < n; i++) a[i] = a[i-4] + b[i];        ->  4
"""

from ..facts.loop import Alternative, LoopFacts
from ..ir.nodes import Expression, loops, statements
from ..ir.reasons import ReasonCode
from .distances import between_all
from .variant import Variants, are_parallel, clauses, given, loads, stores

LARGEST_GROUP = 1 << 20


def found(variants: Variants, facts: LoopFacts) -> tuple[Alternative, ...]:
    """The vector lanes of a loop, if it has two or more. Example: see the module."""
    loop, reason = variants.loop, facts.parallelism.reason
    if reason is None or reason.code is not ReasonCode.CARRIED_DEPENDENCE or any(loops(loop.body)):
        return ()
    written = stores(loop.body)
    reads = [e for s in statements(loop.body) for e in loads(s)]
    distances = between_all(variants.nest, (loop,), written, [*written, *(e.access for e in reads)])
    if not distances:
        return ()
    least = min(v[0] for v in distances)
    shared = {a.object for a in written}
    carried: list[Expression] = [e for e in reads if e.access.object in shared]
    answers = variants.answers(variants.without(carried)) if 2 <= least <= LARGEST_GROUP else ()
    copies = clauses(answers, loop.variable)
    if not are_parallel(answers) or copies is None:
        return ()
    text = f"`#pragma omp simd safelen({least}){copies}` above the loop: {least} consecutive iterations may run at once"
    legality = f"every dependence reaches over {least} iterations or more: the results are equal"
    return (Alternative("groups", text, legality + given(answers)),)
