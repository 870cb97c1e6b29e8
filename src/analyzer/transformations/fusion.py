"""Loops side by side as one, so that what the first brings from memory is there for the next one.

*Decides*: which loops right behind each other run equally often, use the same arrays, and may be one. *Legal* where
that one is parallel: what conflicts in it is in one iteration, and stays in its order; and where no variable, and no
memory that each iteration has for itself, leads from one loop to the other: the second reads what the last iteration of
the first has left there. *Source*: Kennedy, McKinley, "Maximizing loop parallelism and improving data locality via loop
fusion and distribution" (1993).
*Refuses* loops of which one is not parallel; statements in between.

    for i b[i] = a[i] + 1;  for i c[i] = a[i] * b[i];        for i { b[i] = a[i] + 1; c[i] = a[i] * b[i]; }
"""

from collections.abc import Iterator
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from ..dependence.chain import direct_loops
from ..dependence.function_facts import surroundings_of
from ..dependence.parallel import answer
from ..facts.loop import Parallelism, Verdict
from ..ir.nodes import (
    Access,
    Assign,
    Branch,
    Declared,
    Exit,
    Expression,
    Function,
    Loop,
    Object,
    Refused,
    Statement,
    Use,
    Variable,
    accesses_of,
    all_loops,
    statements,
)
from ..ir.polynomials import Poly, symbol
from ..loops.substitute import Substitution
from ..mapping.arrangements import Answers
from ..mapping.rearranged import Body, begun, inner, is_plain, makes_values, named, replaced, with_inner
from ..settings.options import AnalysisOptions

MAX_WORK = 400
"""Eliminations for the answer about one fused loop (`dependence.parallel.MAX_WORK` for a whole nest)."""

ROLES = ("private", "reduction", "counter")


class Fused(Struct, frozen=True):
    """`loops` become one, which is `loop`, of `function`, where the others are gone. `shared`: what they all use."""

    loops: tuple[Loop, ...]
    loop: Loop
    function: Function
    answers: Answers
    shared: tuple[str, ...]
    reorders: tuple[str, ...]


def fused(function: Function, run: tuple[Loop, ...], answers: Answers, options: AnalysisOptions) -> Iterator[Fused]:
    """Those of the loops of a run that may be one, in groups as large as they can be. Example: see the module."""
    known: Fused | None = None
    for first, second in pairwise(run):
        one = known if known is not None else Fused((first,), first, function, answers, (), ())
        made = _joined(one, second, options)
        if made is None and known is not None:
            yield known
        known = made
    if known is not None:
        yield known


def runs(body: Body, answers: Answers) -> Iterator[tuple[Loop, ...]]:
    """Loops right behind each other in a body that may be worth it, at first sight."""
    run: list[Loop] = []
    for at, s in enumerate(body):
        if isinstance(s, Loop) and _is_simple(s, answers):
            start = begun(body, s)
            adjacent = run and start and at >= 2 and body[at - 2] is run[-1]
            if adjacent and _run_alike(run[-1], s) and _shared(run[-1], s):
                run.append(s)
                continue
            if len(run) > 1:
                yield tuple(run)
            run = [s] if start else []
    if len(run) > 1:
        yield tuple(run)


def _run_alike(a: Loop, b: Loop) -> bool:
    """Whether both count the same."""
    return (a.trip, a.first, a.step) == (b.trip, b.first, b.step) and a.place.path == b.place.path


def _is_simple(loop: Loop, answers: Answers) -> bool:
    found = answers.get(loop.key)
    if found is None or found.verdict is not Verdict.YES or loop.inlined or not is_plain(loop):
        return False
    if any(s.role not in ROLES or (s.role == "counter" and s.live) for s in found.separated):
        return False
    if not all(begun(around.body, each) for around in all_loops(loop) for each in direct_loops(around.body)):
        return False  # it goes on from where another one has counted to
    return not any(isinstance(s, Exit | Refused) for s in statements(loop.body))


def _shared(a: Loop, b: Loop) -> tuple[str, ...]:
    """The memory of which an iteration of one uses what the same iteration of the other does: through subscripts that
    move alike with both loops. (A matrix that one goes through by rows and one by columns is not.)"""
    one, other = (_steps(loop) for loop in (a, b))
    return tuple(dict.fromkeys(str(x) for x in one if one[x] & other.get(x, frozenset())))


def _steps(loop: Loop) -> dict[Object, set[tuple[Poly | None, ...]]]:
    """By object, how the subscripts of each of its accesses change from one iteration to the next."""
    found: dict[Object, set[tuple[Poly | None, ...]]] = {}
    for s in statements(loop.body):
        for access in accesses_of(s):
            at = tuple(_step(sub.index, loop) for sub in access.subscripts)
            if any(step is not None and step.terms for step in at):
                found.setdefault(access.object, set()).add(at)
    return found


def _step(index: Poly, loop: Loop) -> Poly | None:
    return index.coefficient(loop.counter) if index.is_linear_in((loop.counter,)) else None


def _joined(one: Fused, other: Loop, options: AnalysisOptions) -> Fused | None:
    """With one more loop, where that is legal."""
    if _leads(one.loop, other, one.answers) or makes_values(other):
        return None
    moved = _Moved({other.counter: symbol(one.loop.counter)}, of=other.key, to=one.loop.key)
    loop = with_inner(one.loop, (*inner(one.loop), *moved.body(inner(other))))
    body = replaced(one.function.body, other.key, ())
    function = replace(one.function, body=replaced(body, loop.key, (loop,)))
    around = surroundings_of(function)
    around.work.limit = MAX_WORK
    found = answer(around, loop, options, explained=False)
    if found.verdict is not Verdict.YES or any(s.role not in ROLES for s in found.separated):
        return None
    loops = (*one.loops, other)
    shared = tuple(dict.fromkeys((*one.shared, *_shared(one.loop, other))))
    twice = _summed(one.answers[loop.key]) & _summed(one.answers[other.key])
    reorders = tuple(s.text for s in found.separated if s.target in twice and s.reorders_fp)
    return Fused(loops, loop, function, {**one.answers, loop.key: found}, shared, (*one.reorders, *reorders))


def _leads(one: Loop, other: Loop, answers: Answers) -> bool:
    """Whether a value may lead from one to the other by a variable, or by memory that each iteration has for itself."""
    own = {s.target for loop in (one, other) for s in answers[loop.key].separated if s.role == "private"}
    named_in = [{x for s in statements(loop.body) for x in named(s)} for loop in (one, other)]
    counts = [{i.variable for each in all_loops(loop) for i in each.inductions} for loop in (one, other)]
    if named_in[0] & (counts[1] - counts[0]) or named_in[1] & (counts[0] - counts[1]):
        return True
    used = [names - mine for names, mine in zip(named_in, counts, strict=True)]
    both = used[0] & used[1]
    set_ = {t for loop in (one, other) for s in statements(loop.body) if (t := _set(s)) is not None}
    summed = _summed(answers[one.key]) & _summed(answers[other.key])
    if any(isinstance(x, Variable) and x not in summed for x in both & set_):
        return True
    return any(x in both for x in own) or any(isinstance(x, Declared) and x.variable in own for x in both)


def _summed(found: Parallelism) -> set[Variable | Object]:
    return {s.target for s in found.separated if s.role == "reduction"}


def _set(s: Statement) -> Variable | None:
    return s.target if isinstance(s, Assign) and isinstance(s.target, Variable) else None


class _Moved(Substitution):
    """What stands in the loop `of` as it is in the loop `to`, of the same iterations: variables declared in there
    are declared here."""

    of: int = 0
    to: int = 0

    def expression(self, e: Expression) -> Expression:
        match e:
            case Use(variable=v) if self.of in v.loops:
                return replace(Substitution.expression(self, e), variable=self._variable(v))
            case _:
                return Substitution.expression(self, e)

    def access(self, a: Access) -> Access:
        match a.object:
            case Declared(variable=v) if self.of in v.loops:
                return replace(Substitution.access(self, a), object=Declared(self._variable(v)))
            case _:
                return Substitution.access(self, a)

    def statement(self, s: Statement) -> Statement:
        match s:
            case Assign(target=Variable() as v) if self.of in v.loops:
                return replace(Substitution.statement(self, s), target=self._variable(v))
            case _:
                return Substitution.statement(self, s)

    def _variable(self, v: Variable) -> Variable:
        return replace(v, loops=tuple(self.to if key == self.of else key for key in v.loops))

    def _inside(self, loop: Loop) -> Substitution:
        return self


def bodies(loop: Loop) -> Iterator[Body]:
    """The body of a loop, and of every loop in it, with those of branches apart."""
    for each in all_loops(loop):
        yield each.body
        yield from _of_branches(each.body)


def _of_branches(body: Body) -> Iterator[Body]:
    for s in body:
        if isinstance(s, Branch):
            yield from (s.then, s.otherwise)
            yield from _of_branches((*s.then, *s.otherwise))
