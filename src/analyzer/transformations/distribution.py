"""A loop that is not parallel as several, of which some are.

*Decides*: where the body of a loop may be cut, so that a loop for each piece, one after the other, does the same.
*Legal* where nothing leads from a later piece to an earlier one in a later iteration, through memory or by a variable;
a floating scalar that leads forwards gets an element for each iteration (scalar expansion). Pieces are then put
together again as long as that leaves them parallel, or not.
*Source*: Kennedy, McKinley, "Loop distribution with arbitrary control flow" (1990).
*Errs toward* few pieces: cuts are only looked for between statements of the body, in their order.

    for i { b[i] = f(a[i]); s[i] = s[i - 1] + b[i]; }        for i b[i] = f(a[i]);  for i s[i] = s[i - 1] + b[i];
"""

from collections.abc import Iterator
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from ..access.accesses import Occurrence
from ..counts.nest import Nest
from ..dependence.function_facts import surroundings_of
from ..dependence.outcome import Independent
from ..dependence.pairs import between
from ..dependence.parallel import answer
from ..dependence.scope import Scope
from ..facts.loop import Assumption, Parallelism, Verdict
from ..ir.nodes import (
    Assign,
    Call,
    Declared,
    Exit,
    Function,
    Loop,
    Opaque,
    Refused,
    Variable,
    accesses_of,
    evaluated,
    loops,
    stands_in,
    statements,
)
from ..ir.polynomials import symbol
from ..ir.reasons import ReasonCode
from ..mapping.arrangements import Answers
from ..mapping.rearranged import Body, begun, inner, is_plain, makes_values, named, replaced, with_inner
from ..settings.options import AnalysisOptions
from ..source.ctypes import Floating
from .elements import LARGEST, Expansion, array_of, copy_of

MOST_PIECES = 12
"""Of one body: each is asked about once or twice."""

MAX_WORK = 200
"""Eliminations for one question (`dependence.parallel.MAX_WORK` for a whole nest)."""


class Distributed(Struct, frozen=True):
    """`loop` becomes `parts`, one after the other; `pieces`: the statements of each, as they were. `expanded`: scalars
    of which each iteration gets an element. `given`: what that rests on."""

    loop: Loop
    pieces: tuple[Body, ...]
    parts: tuple[Loop, ...]
    expanded: tuple[Variable, ...]
    function: Function
    answers: Answers
    given: tuple[Assumption, ...]


def distributed(nest: Nest, answers: Answers, options: AnalysisOptions) -> Distributed | None:
    """The loop of a nest as several; None where it is parallel as it is, or nothing comes free. Example: see the
    module."""
    loop, found = nest.loop, answers.get(nest.loop.key)
    if found is None or found.verdict is not Verdict.NO or not _is_plain_enough(nest, loop):
        return None
    if found.reason is None or found.reason.code is not ReasonCode.CARRIED_DEPENDENCE:
        return None
    pieces = _statements(loop)
    if not 2 <= len(pieces) <= MOST_PIECES or not _are_in_lines(loop, pieces):
        return None
    around = surroundings_of(nest.function)
    around.work.limit = MAX_WORK * len(pieces)
    cut = _cut(around.scope(loop), loop, pieces)
    if cut is None or len(cut[0]) < 2 or not all(_may_assume(a, options) for a in cut[1]):
        return None
    asked = _Asked(nest.function, loop, answers, options)
    groups = asked.merged(list(cut[0]))
    if len(groups) < 2 or not any(asked.is_parallel(groups, at) for at in range(len(groups))):
        return None
    return asked.made(groups, cut[1])


def _may_assume(a: Assumption, options: AnalysisOptions) -> bool:
    return not a.kind.is_condition and options.assume != "none"


def _is_plain_enough(nest: Nest, loop: Loop) -> bool:
    if loop.inlined or not is_plain(loop) or not begun(nest.function.body, loop):
        return False
    every = list(statements(loop.body))
    if any(isinstance(s, Exit | Refused) for s in every):
        return False
    calls = (e for s in every for e in evaluated(s) if isinstance(e, Call | Opaque))
    if any(isinstance(e, Opaque) or e.pointers or not (e.known or e.closed) for e in calls):
        return False
    return not makes_values(loop)


def _statements(loop: Loop) -> tuple[Body, ...]:
    """The pieces of a body that are never cut: a loop goes with what begins it."""
    body, found = inner(loop), list[Body]()
    starts = {id(s) for each in body if isinstance(each, Loop) for s in begun(body, each)}
    pending: Body = ()
    for s in body:
        pending = (*pending, s)
        if id(s) not in starts:
            found.append(pending)
            pending = ()
    return tuple(found)


def _are_in_lines(loop: Loop, pieces: tuple[Body, ...]) -> bool:
    """Whether the pieces stand one below the other in the text of the loop, so that lines tell them apart."""
    spans = [[s.place.line for s in statements(piece)] for piece in pieces]
    below = all(max(a) < min(b) for a, b in pairwise(spans))
    return below and all(stands_in(loop, s) for piece in pieces for s in statements(piece))


def _cut(
    scope: Scope, loop: Loop, pieces: tuple[Body, ...]
) -> tuple[tuple[Body, ...], tuple[Assumption, ...]] | None:
    """The pieces between all places where the body may be cut, and what that rests on."""
    owner = {id(a): at for at, piece in enumerate(pieces) for s in statements(piece) for a in accesses_of(s)}
    placed = [(owner[id(o.access)], o) for o in scope.occurrences if id(o.access) in owner]
    elsewhere = [o for o in scope.occurrences if id(o.access) not in owner]
    if any(o.write for o in elsewhere) or _is_changed(elsewhere, placed):
        return None
    held = set[int]()  # cuts that something forbids: cut k is before piece k
    given = set[Assumption]()
    for at, source in placed:
        for to, sink in placed:
            if to < at and (source.write or sink.write) and not set(range(to + 1, at + 1)) <= held:
                outcome = between(scope, source, sink, show=False)
                if isinstance(outcome, Independent):
                    given |= outcome.assumptions
                else:
                    held |= set(range(to + 1, at + 1))
    for first, last in _tied(loop, pieces):
        held |= set(range(first + 1, last + 1))
    free = [0, *(k for k in range(1, len(pieces)) if k not in held), len(pieces)]
    groups = tuple(tuple(s for piece in pieces[a:b] for s in piece) for a, b in pairwise(free))
    return groups, tuple(sorted(given))


def _is_changed(control: list[Occurrence], placed: list[tuple[int, Occurrence]]) -> bool:
    """Whether the loop stores where its test reads."""
    return any(c.access.object == o.access.object for c in control for _, o in placed if o.write)


def _tied(loop: Loop, pieces: tuple[Body, ...]) -> Iterator[tuple[int, int]]:
    """The first and the last of the pieces that a variable keeps together."""
    counts = loop.inductions[0].variable
    names = [{_variable(x) for s in statements(piece) for x in named(s)} for piece in pieces]
    set_ = [{_variable(s.target) for s in statements(piece) if isinstance(s, Assign)} for piece in pieces]
    for v in frozenset[Variable | None]().union(*set_) - {None, counts}:
        used = [at for at, found in enumerate(names) if v in found]
        if v is not None and used and not _is_expandable(v, loop):
            yield used[0], used[-1]


def _variable(x: object) -> Variable | None:
    match x:
        case Variable():
            return x
        case Declared(variable=variable):
            return variable
        case _:
            return None


def _is_expandable(v: Variable, loop: Loop) -> bool:
    return loop.key in v.loops and isinstance(v.type, Floating) and not v.addressed


class _Asked:
    """Whether the loops of pieces are parallel, each beside the others."""

    def __init__(self, function: Function, loop: Loop, answers: Answers, options: AnalysisOptions) -> None:
        self.function, self.loop, self.answers, self.options = function, loop, answers, options
        self.known: dict[tuple[int, ...], Parallelism] = {}

    def merged(self, groups: list[Body]) -> list[Body]:
        """The pieces with neighbours put together that are both parallel, and are so as one, or both not."""
        at = 0
        while at + 1 < len(groups):
            now = (self.is_parallel(groups, at), self.is_parallel(groups, at + 1))
            together = [*groups[:at], (*groups[at], *groups[at + 1]), *groups[at + 2 :]]
            if now[0] == now[1] and self.is_parallel(together, at) == now[0]:
                groups = together
            else:
                at += 1
        return groups

    def is_parallel(self, groups: list[Body], at: int) -> bool:
        return self._answer(groups, at).verdict is Verdict.YES

    def _answer(self, groups: list[Body], at: int) -> Parallelism:
        key = tuple(id(s) for s in groups[at])
        if key not in self.known:
            function, parts, _ = self._written(groups, at)
            around = surroundings_of(function)
            around.work.limit = MAX_WORK
            self.known[key] = answer(around, parts[at], self.options)
        return self.known[key]

    def _written(self, groups: list[Body], whole: int) -> tuple[Function, tuple[Loop, ...], tuple[Variable, ...]]:
        """The function with a loop for each group, of which that of number `whole` counts as the loop has."""
        expanded = tuple(v for v in _locals(self.loop) if sum(v in _names(g) for g in groups) > 1)
        change = Expansion(
            {}, arrays={v.key: Declared(array_of(v, self.loop)) for v in expanded}, at=symbol(self.loop.counter)
        )
        parts = []
        for at, group in enumerate(groups):
            part = with_inner(self.loop, change.body(group))
            parts.append(part if at == whole else copy_of(part, LARGEST + at))
        start = begun(self.function.body, self.loop)
        body = tuple(s for part in parts for s in (*start, part))
        function = replace(self.function, body=replaced(self.function.body, self.loop.key, body))
        return function, tuple(parts), expanded

    def made(self, groups: list[Body], given: tuple[Assumption, ...]) -> Distributed:
        function, parts, expanded = self._written(groups, 0)
        own = {part.key: self._answer(groups, at) for at, part in enumerate(parts)}
        return Distributed(self.loop, tuple(groups), parts, expanded, function, {**self.answers, **own}, given)


def _locals(loop: Loop) -> tuple[Variable, ...]:
    """The floating scalars that are declared in a loop, and not in another one in there."""
    found = {v for s in statements(loop.body) for v in map(_variable, named(s)) if v is not None}
    inside = {each.key for each in loops(loop.body)}
    return tuple(sorted((v for v in found if _is_expandable(v, loop) and inside.isdisjoint(v.loops)), key=_key))


def _key(v: Variable) -> int:
    return v.key


def _names(group: Body) -> set[Variable | None]:
    return {_variable(x) for s in statements(group) for x in named(s)}
