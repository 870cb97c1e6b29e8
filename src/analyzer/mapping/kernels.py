"""The legal mappings of a nest as facts: what each of its kernels counts, and how neighbouring threads touch arrays.

Of each arrangement (`arrangements`) five forms:

    plain    every combination of iterations of the thread loops is a thread
    tiled    a thread has 2 x 2 or 4 x 4 of them, of the two innermost thread loops, so that what it loads for one it
             has for others; blocks have tiles of it in shared memory
    staged   of arrays whose neighbours along the innermost thread loop lie apart, and along the next one side by side,
             a block has a tile in shared memory, and goes through that the one way and through memory the other, as
             one that transposes a matrix does
    block    it is a thread block, whose threads share the parallel loops inside: neighbours are their iterations, and
             where these add up, a tree in shared memory combines what they have
    rows     it is `ROWS` threads in different warps, which share those loops: neighbours are iterations of the
             innermost thread loop

*Gives nothing* for a loop without loops inside, or inside a parallel loop, which moves as a whole.
"""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from models.expr import Expr, add, div, maximum, minimum, mul, num

from .. import counts, species
from ..counts import totals
from ..counts.nest import Nest, build
from ..counts.paces import coalescing_along, kept_scope, symbols_of
from ..dependence.chain import direct_loops
from ..facts.loop import ArrayFacts, Kernel, LoopFacts, Parallelism
from ..ir.nodes import Loop, all_loops
from ..ir.polynomials import Symbol
from ..ir.same import location_of
from ..polyhedra.effort import Effort
from ..settings.options import AnalysisOptions
from ..species import classes
from .arrangements import COPIES, Arrangement, Search
from .words import described, staged, tiled

Answers = Mapping[int, Parallelism]
Stage = tuple[Kernel, ...]

BLOCK, ROWS = 256, 32
"""Threads that share the loops inside: of a block, and of a column of a block of 32 x 32."""

MOST_STEPS = 60_000
"""Steps for all arrangements of one nest (`polyhedra.effort`)."""

TILES = (2, 4)
"""Elements of a thread along each side of what it computes: 16 sums fit into registers, in any precision."""

LIKE_NEIGHBOURS = ("unit", "broadcast")


class Made(Struct, frozen=True):
    """Loads or stores of one place of an array, and the symbols in its subscripts."""

    array: str
    place: object
    writes: bool
    places: frozenset[Symbol]


def mappings(nest: Nest, facts: LoopFacts, answers: Answers, options: AnalysisOptions) -> tuple[tuple[Stage, ...], ...]:
    """See `LoopFacts.mappings`. Raises TooMuchWorkError where the effort of the nest does not suffice.

    Example: of `for i { for k { for j c[i][j] += a[i][k]*b[k][j]; } }` two of one kernel: i, and i with j."""
    around = any(key in answers and answers[key].is_parallel for key in (each.key for each in nest.around))
    if not facts.parallelism.is_parallel or around or len(facts.nest) < 2 or not facts.arrays:
        return ()
    search = Search(nest.function, nest.loop, answers, options)
    effort = Effort(MOST_STEPS)
    found: list[Kernel] = []

    def wanting() -> bool:
        """Whether in all kernels so far neighbouring threads access places that are apart, or update what is shared."""
        return not any(map(_is_smooth, found))

    def stage(arrangements: Iterable[Arrangement]) -> Stage:
        found.clear()
        for a in arrangements:
            found.extend(_kernels(nest, facts, a, answers, options, effort))
        return tuple(found)

    whole = stage(search.whole(wanting))
    parts = tuple(map(stage, search.parts(wanting)))
    return ((whole,), parts) if parts else ((whole,),)


def _is_smooth(kernel: Kernel) -> bool:
    """One with arrays that go through shared memory is not: another order of the loops may do without that."""
    updates = kernel.facts.parallelism.reductions
    return not updates and not kernel.staged and all(x.coalescing in LIKE_NEIGHBOURS for x in kernel.facts.arrays)


def _kernels(
    nest: Nest, facts: LoopFacts, a: Arrangement, answers: Answers, options: AnalysisOptions, effort: Effort
) -> Iterator[Kernel]:
    """The forms of one arrangement."""
    outermost = None if a.moves or a.root is not nest.loop else len(a.threads)
    if a.root is not nest.loop:
        nest = build(a.function, a.root, nest.around, effort)
        facts = _counted(nest, facts, a, options)
    threads = _runs(nest, a.threads[-1])
    left = dict(_accesses(nest, a.threads[-1]))
    accesses = add(num(0), *left.values())
    yield Kernel(facts, threads, accesses, described(a), outermost=outermost)
    for side in TILES:
        yield from _tiled(nest, facts, a, threads, left, side)
    yield from _staged(nest, facts, a, threads, left)
    yield from _shared(nest, facts, a, answers, threads, accesses)


def _tiled(
    nest: Nest, facts: LoopFacts, a: Arrangement, threads: Expr, left: Mapping[Made, Expr], side: int
) -> Iterator[Kernel]:
    """With several elements for each thread, where that saves loads."""
    if len(a.threads) < 2:
        return
    two = [each.counter for each in a.threads[-2:]]
    inside = {each.counter for each in all_loops(a.root)} - {each.counter for each in a.threads}
    private = {str(s.target) for answer in a.answers.values() for s in answer.separated if s.role in COPIES}
    again = {
        made: sum(counter not in made.places for counter in two)
        for made in left
        if not made.writes and made.array not in private and not inside.isdisjoint(made.places)
    }
    if not any(again.values()):
        return
    accesses = add(num(0), *(div(runs, side ** again.get(made, 0)) for made, runs in left.items()))
    names = tuple(x.name for x in facts.arrays if any(made.array == x.name for made, times in again.items() if times))
    yield Kernel(facts, div(threads, side**2), accesses, tiled(a, side, names), side)


def _staged(
    nest: Nest, facts: LoopFacts, a: Arrangement, threads: Expr, left: Mapping[Made, Expr]
) -> Iterator[Kernel]:
    """With tiles of arrays that are only read or only written, where nothing is inside of the thread loops."""
    if len(a.threads) < 2 or any(True for _ in direct_loops(a.threads[-1].body)):
        return
    along = coalescing_along(nest, a.threads[-2:-1])
    apart = [x for x in facts.arrays if x.access in ("r", "w") and x.coalescing.startswith("strided")]
    names = tuple(x.name for x in apart if along.get(x.name) == "unit")
    if not names:
        return
    arrays = tuple(_turned(x, "unit") if x.name in names else x for x in facts.arrays)
    accesses = add(num(0), *(mul(3, runs) if made.array in names else runs for made, runs in left.items()))
    yield Kernel(replace(facts, arrays=arrays), threads, accesses, staged(a, names), staged=names)


def _shared(
    nest: Nest, facts: LoopFacts, a: Arrangement, answers: Answers, threads: Expr, accesses: Expr
) -> Iterator[Kernel]:
    """With several threads for what is one in the plain form."""
    inside = tuple(direct_loops(a.threads[-1].body))
    if not inside or not all(_may_be_shared(nest, each, answers) for each in inside):
        return
    within = maximum(*(_runs(nest, each) for each in inside))
    along = coalescing_along(nest, inside)
    turned = replace(facts, arrays=tuple(_turned(x, along.get(x.name)) for x in facts.arrays))
    sums = tuple(each for each in inside if answers[each.key].reductions)
    for form, count, as_form in (("block", BLOCK, turned), ("rows", ROWS, facts)):
        divided = minimum(within, mul(count, threads))
        combined = mul(2, divided) if sums else num(0)  # each writes what it has, and reads that of others
        yield Kernel(as_form, divided, add(accesses, combined), described(a, form, inside, sums))


def _turned(array: ArrayFacts, pace: str | None) -> ArrayFacts:
    """As neighbours along other loops go through it; those apart have a sector for each access."""
    return array if pace in (None, array.coalescing) else replace(array, coalescing=pace, sectors=None)


def _may_be_shared(nest: Nest, loop: Loop, answers: Answers) -> bool:
    """Whether threads of a block may share the iterations: they are parallel, and sum up at most what is one element
    for the whole block."""
    answer = answers.get(loop.key)
    if answer is None or not answer.is_parallel:
        return False
    if not answer.reductions:
        return True
    summed = {s.target for s in answer.separated if s.role == "reduction"}
    stores = (t for t in nest.touches if t.writes and loop.counter in t.scope.counters)
    places = [t.access for t in stores if t.access.object in summed]
    counters = {each.counter for each in all_loops(loop)}
    return all(counters.isdisjoint(symbols_of(access)) for access in places)


def _counted(nest: Nest, facts: LoopFacts, a: Arrangement, options: AnalysisOptions) -> LoopFacts:
    """The facts of the nest in another order."""
    answers = [a.answers[each.key] for each in a.threads]
    assumed = [x for answer in (facts.parallelism, *answers) for x in answer.assumptions]
    separated = tuple(dict.fromkeys(s for answer in answers for s in answer.separated))
    algorithm = classes.algorithm_class(nest, a.answers)
    counted = counts.count(nest, a.answers, options.count_as, algorithm)
    return replace(
        facts,
        parallelism=replace(facts.parallelism, assumptions=tuple(dict.fromkeys(assumed)), separated=separated),
        algorithm=algorithm,
        species=species.species(nest, a.answers),
        arrays=counts.arrays(nest, a.answers),
        counts=replace(counted, executions=facts.counts.executions),
        mappings=(),
    )


def _runs(nest: Nest, loop: Loop) -> Expr:
    """How often the body of a loop runs in one entry of the nest."""
    return totals.value(nest, totals.combined(nest.bodies[loop.key].runs))


def _accesses(nest: Nest, last: Loop) -> Iterator[tuple[Made, Expr]]:
    """How often each is made if it is made once for all iterations of the loops inside of `last`, the innermost thread
    loop, that do not change its place, and once for several in one iteration."""
    for touch in nest.touches:
        if not touch.control:
            access, scope = touch.access, kept_scope(nest, last, touch)
            runs = totals.value(nest, totals.combined(scope.runs))
            yield Made(str(access.object), (location_of(access), scope.path), touch.writes, symbols_of(access)), runs
