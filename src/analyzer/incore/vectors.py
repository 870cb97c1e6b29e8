"""What compilers make vectors of: the rules of gcc and clang at -O3 without -ffast-math.

A loop becomes vectors where it ends by its test alone, calls nothing that is no instruction, and its iterations are
independent as far as a compiler sees: pointers that may overlap are compared before the loop. Sums of floats keep
their order, so that a loop with one has vectors only where these may be added in another (`reordered`: -ffast-math),
or where a pragma says `simd`; so do largest and smallest floats, where one may be no number. Stores through an index
or at places apart, and divisions of integers, are never vectors; neither is what needs a pointer or a bound that a
store may change (`memory`), nor an unrolled loop that asks where its counter is. What only some iterations do needs
vectors with masks: to access memory (AVX), and to compute floats, which may trap (AVX-512; clang, and gcc with
-fno-trapping-math, compute them in all iterations).

*Source*: gcc's -fopt-info-vec-missed and clang's -Rpass-missed=loop-vectorize; -ffast-math in gcc's manual.
*Not known here*: what their cost models refuse although it is possible.
"""

from models.incore import Vectors

from ..facts.loop import LoopFacts, Separated, Verdict
from ..ir.nodes import Exit, Loop, Variable
from ..source.ctypes import Integer
from .body import Done
from .courses import paces, varies_in
from .memory import distinct, reread, stored


def vectors_of(loop: LoopFacts, done: Done, around: LoopFacts | None = None) -> tuple[Vectors, str]:
    """Whether an innermost loop becomes vectors, and what keeps it from that. `around`: the loop right around it, of
    which several iterations at once may make a vector, so that each sum keeps its order.

    Example: `s += a[i]` of floats: `reordered`, "a sum of floats in order"."""
    own = _alone(loop, done)
    if own[0] != "reordered":
        return own
    by_hand = any("simd" in text.replace("(", " ").split() for _, text in loop.loop.pragmas)
    return ("compiled", "") if by_hand or (around is not None and _side_by_side(loop, done, around)) else own


def _side_by_side(loop: LoopFacts, done: Done, around: LoopFacts) -> bool:
    """Whether iterations of the loop around lie in a vector side by side: they are independent and all do as many
    iterations of this one, the only loop in it, and what one of these accesses is one element for all of them, or
    neighbours. Neighbours that this loop moves on as well are if it has a known number of iterations, rows have a known
    length, and nothing has to be compared before the loop."""
    counter, inner = around.loop.counter, loop.loop.counter
    answer = around.parallelism
    if answer.verdict is not Verdict.YES or answer.reductions or not around.loop.exact_trip:
        return False
    if not _is_run_by_all(loop.loop, around.loop):
        return False
    fixed = all(ratio.numerator.constant is not None for ratio in loop.loop.trip or ()) and _is_apart(done, around)
    for t in done.touched:
        address, rows = t.course.address, (s for i in t.course.row for s in i.symbols)
        beside = address.coefficient(counter)
        others = (s for s in (*rows, *(s for s in address.symbols if s != counter)) if s != inner)
        if not t.course.regular or varies_in(around.loop, others):
            return False
        if beside.terms and (beside.constant != t.access.size or (inner in address.symbols and not fixed)):
            return False
        if fixed and address.coefficient(inner).constant is None:
            return False
    return True


def _is_run_by_all(inner: Loop, around: Loop) -> bool:
    """Whether each iteration of the loop around runs the inner one, as the only one, and as often as the others."""
    keys = [s.key for s in around.body if isinstance(s, Loop)]
    if keys != [inner.key] or any(isinstance(s, Exit) for s in around.body):
        return False
    return not any(varies_in(around, ratio.numerator.symbols) for ratio in inner.trip or ())


def _is_apart(done: Done, around: LoopFacts) -> bool:
    """Whether a compiler knows that what the inner loop reads is not what the loop around it stores."""
    stores = [target.object for target in stored(around.loop)]
    return all(t.is_store or distinct(t.access.object, store) for t in done.touched for store in stores)


def _alone(loop: LoopFacts, done: Done) -> tuple[Vectors, str]:
    if done.leaves or not loop.loop.exact_trip or loop.loop.trip is None:
        return "never", "it may end before its last iteration"
    if done.calls:
        return "never", f"it calls {done.calls[0]}"
    for t, how, _ in paces(done.touched):
        if t.is_store and how != "unit":
            return "never", "it stores where an index says" if how == "scattered" else "it stores at places far apart"
    if read := reread(loop.loop):
        return "never", f"a store may change {read}, as far as a compiler knows"
    if done.split:
        return "never", "compilers tell the cases of its counter apart"
    if any(each.role == "best" for each in loop.parallelism.separated):
        return "never", "it keeps where the best one is"
    if done.needs != "nothing" and any(beside > 1 for _, _, beside in paces(done.touched)):
        return "never", "only some iterations access members side by side"
    if any(kind == "integer-divide" for kind in done.work):
        return "never", "no vector divides integers"
    answer = loop.parallelism
    if answer.verdict not in (Verdict.YES, Verdict.CONDITIONAL):
        return "never", "an iteration needs what one before it makes"
    if any(r.array for r in answer.reductions):
        return "never", "it adds up where an index says"
    if any(r.reorders_fp for r in answer.reductions):
        return "reordered", "a sum of floats in order"
    if any(each.operator in ("min", "max") and _is_of_floats(each, done) for each in answer.separated):
        return "reordered", "the larger of floats, one of which may be no number"
    return "compiled", ""


def _is_of_floats(each: Separated, done: Done) -> bool:
    if isinstance(each.target, Variable):
        return not isinstance(each.target.type, Integer)
    return any(kind.startswith("compare fp") for kind in done.work)
