"""The legal arrangements of a parallel nest: which of its loops may be thread dimensions together.

*Decides*: for a parallel loop, other orders of its nest in which the outermost loops are all parallel, so that each
combination of their iterations may be a thread, with all loops inside one after the other as the program has them.
*Method*: the nest is rearranged (`rearranged`), and the dependence analysis asked whether the loop that moved outwards
is parallel there. It is if no two of its iterations conflict, whatever the loops inside do: the distance of every
dependence is 0 along it. Then all conflicting accesses are in one thread, and in there their order is the program's,
so that the program stays equal. For `c[i][j] += a[i][k]*b[k][j]` the distance is (0, +, 0) in (i, k, j).
*Refuses* an answer that needs more conditions than the loop's own; a sum into a scalar that every thread would repeat.
*Errs toward* the nest as it is, and toward few: `MOST_ASKED` questions for a nest.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import takewhile

from msgspec import Struct, field
from msgspec.structs import replace

from ..dependence.chain import parallel_chain
from ..dependence.function_facts import surroundings_of
from ..dependence.parallel import answer
from ..dependence.scope import Scope
from ..facts.loop import Parallelism
from ..ir.nodes import Function, Loop, Object, Variable, loops, statements
from ..settings.options import AnalysisOptions
from .rearranged import (
    Body,
    Hoisted,
    begun,
    divided,
    hoisted,
    inner,
    is_plain,
    is_rearrangeable,
    named,
    replaced,
    with_inner,
)

MOST_ASKED = 6
"""Questions to the dependence analysis for one nest; each takes about as long as that of the loop itself."""

MAX_WORK = 600
"""Eliminations for one question (`dependence.parallel.MAX_WORK` for a whole nest)."""

COPIES = ("private", "first", "last", "first_last")

Answers = Mapping[int, Parallelism]


class Arrangement(Struct, frozen=True):
    """`root`: the nest; `threads`: its outermost loops, of which every combination of iterations is a thread; `answers`
    for these, by key; `begins`: what stands before the nest, in `function`; `moves`: how it came about."""

    function: Function
    root: Loop
    threads: tuple[Loop, ...]
    answers: Answers
    begins: Body = ()
    moves: tuple[Hoisted, ...] = ()


class Search(Struct):
    """`loop`: parallel, of `function`, whose answers by key are `answers`."""

    function: Function
    loop: Loop
    answers: Answers
    options: AnalysisOptions
    left: int = MOST_ASKED
    _scopes: list[Scope] = field(default_factory=list)

    def whole(self, turned: Callable[[], bool]) -> Iterator[Arrangement]:
        """Of the nest as one kernel, as it is first. `turned`: asked after those with the same loop outermost, whether
        others are wanted, too. Where the outermost has to leave what its last iteration stores, so that each has a copy
        of that, others are looked for first."""
        return self._of(self.loop, self.answers, turned)

    def parts(self, turned: Callable[[], bool]) -> tuple[Iterator[Arrangement], ...]:
        """Of the nest as several kernels, one after the other; empty where it is not to be divided."""
        chain = parallel_chain(self.loop, self.answers)
        if not all(map(is_plain, chain)) or not is_rearrangeable(self.loop):
            return ()
        pieces = divided(chain[-1], self.answers[self.loop.key])
        roots = (_around(chain[:-1], piece) for piece in pieces)
        return tuple(self._of(root, _answers_of(root, self.answers), turned) for root in roots)

    def _of(self, root: Loop, answers: Answers, turned: Callable[[], bool]) -> Iterator[Arrangement]:
        every, is_free = parallel_chain(root, answers), is_rearrangeable(root)
        chain = tuple(takewhile(lambda each: _has_no_last(answers[each.key]), every))
        plain = self._plain(root, chain, answers)
        if chain:
            yield plain
            if is_free:
                yield from self._extended(plain)
        found = list(self._turned(plain)) if is_free and (not chain or turned()) else []
        if not chain and not found:
            found = [self._plain(root, every, answers)]
        for each in found:
            yield each
            if is_free:
                yield from self._extended(each)

    def _plain(self, root: Loop, threads: tuple[Loop, ...], answers: Answers) -> Arrangement:
        return Arrangement(self._with(root, ()), root, threads, {each.key: answers[each.key] for each in threads})

    def _turned(self, plain: Arrangement) -> Iterator[Arrangement]:
        """With another loop outermost."""
        start = begun(self.function.body, self.loop)
        for leader in _leaders(plain.root.body):
            moved = self._moved((*start, plain.root), leader, plain, outer=())
            if moved is not None:
                yield moved

    def _extended(self, known: Arrangement) -> Iterator[Arrangement]:
        """With one more loop as threads, and so on."""
        body = inner(known.threads[-1])
        for leader in _leaders(body):
            moved = self._moved(body, leader, known, outer=known.threads)
            if moved is not None:
                yield moved
                yield from self._extended(moved)

    def _moved(self, body: Body, leader: Loop, known: Arrangement, outer: tuple[Loop, ...]) -> Arrangement | None:
        """With `leader` hoisted over a body inside of the loops `outer`, where that is legal."""
        move = hoisted(body, leader, self._scope().varies) if self.left > 0 else None
        if move is None or not (move.crossed or move.taken > 1 or move.repeated):
            return None
        root, begins = move.loop, move.before
        if outer:
            root, begins = _around(outer[:-1], with_inner(outer[-1], (*begins, root))), known.begins
        self.left -= 1
        function = self._with(root, begins)
        found = self._answer(function, root, move)
        if found is None:
            return None
        answers = {**known.answers, move.loop.key: found}
        threads = tuple(takewhile(lambda each: _has_no_last(answers[each.key]), parallel_chain(root, answers)))
        if all(each.key != move.loop.key for each in threads):
            return None
        return Arrangement(function, root, threads, answers, begins, (*known.moves, move))

    def _with(self, root: Loop, begins: Body) -> Function:
        """The function with another nest in place of the loop."""
        if root is self.loop:
            return self.function
        return replace(self.function, body=replaced(self.function.body, self.loop.key, (*begins, root)))

    def _scope(self) -> Scope:
        if not self._scopes:
            self._scopes.append(surroundings_of(self.function).scope(self.loop))
        return self._scopes[0]

    def _answer(self, function: Function, root: Loop, move: Hoisted) -> Parallelism | None:
        """The answer for the loop that moved, if it may be threads."""
        around = surroundings_of(function)
        around.work.limit = MAX_WORK
        found = answer(around, move.loop, self.options, explained=False)
        mine = self.answers[self.loop.key]
        if not found.is_parallel or not set(found.conditions) <= set(mine.conditions):
            return None
        if not _has_no_last(found):
            return None
        for s in found.separated:
            repeats = isinstance(s.target, Variable) and s.target.key in move.repeated
            if repeats and s.role not in COPIES:
                return None  # a sum that each of the iterations would add to
            if s.role in COPIES and not isinstance(s.target, Variable) and self._is_elsewhere(s.target, root):
                return None
        return found

    def _is_elsewhere(self, target: Object, root: Loop) -> bool:
        """Whether parts of the nest that are another kernel use what the iterations would have copies of."""

        def uses(loop: Loop) -> int:
            return sum(target in tuple(named(s)) for s in statements(loop.body))

        return uses(root) < uses(self.loop)


def _has_no_last(found: Parallelism) -> bool:
    """Whether no memory has to be what the last iteration stores, or the best of all."""
    kept = ("last", "first_last")
    return all(s.role != "best" and (s.role not in kept or isinstance(s.target, Variable)) for s in found.separated)


def _leaders(body: Body) -> Iterator[Loop]:
    """Loops that may move outwards: of those that run equally often the innermost, last one."""
    found: dict[object, Loop] = {}
    for loop in loops(body):
        found[loop.trip] = loop
    yield from found.values()


def _around(outer: tuple[Loop, ...], loop: Loop) -> Loop:
    """Perfectly nested loops with another one in place of the only loop directly in the last."""
    for each in outer[::-1]:
        loop = with_inner(each, tuple(loop if isinstance(s, Loop) else s for s in inner(each)))
    return loop


def _answers_of(root: Loop, answers: Answers) -> dict[int, Parallelism]:
    """The answers for the loops of a part, of what it uses."""
    used = {x for s in statements((root,)) for x in named(s)}
    keys = {each.key for each in loops((root,))}
    return {
        key: replace(found, separated=tuple(s for s in found.separated if s.target in used))
        for key, found in answers.items()
        if key in keys
    }
