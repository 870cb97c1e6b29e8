"""Whether a loop would be parallel but for one part of it.

*Decides*: the answer for a loop of which some reads are replaced, or some statements left out, by the analysis that
answers for loops as they are. Where that is yes, the part is all that orders the iterations.
*Errs toward* no.

    for (...) { t += a[i]; s[i] = t; }      without the read of t in the first statement      ->  yes: t alone
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TypeAlias

from msgspec.structs import replace

from ..counts.nest import Nest
from ..dependence.function_facts import Surroundings, surroundings_of
from ..dependence.parallel import answer
from ..dependence.premises import with_loops
from ..dependence.scope import Scope
from ..facts.loop import Parallelism, Verdict
from ..ir.nodes import (
    Access,
    Assign,
    Branch,
    Declared,
    Evaluate,
    Expression,
    Load,
    Loop,
    Statement,
    Subscript,
    Variable,
    evaluated,
    loops,
    statements,
)
from ..ir.polynomials import Poly, number, symbol
from ..loops.substitute import Substitution
from ..settings.options import AnalysisOptions
from ..source.ctypes import Floating, Integer, Pointer

Answers: TypeAlias = tuple[Parallelism, ...]

OTHER = -1
"""The key of a variable that no program has."""


class Reading(Substitution):
    """Expressions with others in place of some of their parts, by identity."""

    parts: Mapping[int, Expression] = {}

    def expression(self, e: Expression) -> Expression:
        return self.parts[id(e)] if id(e) in self.parts else Substitution.expression(self, e)

    def _inside(self, loop: Loop) -> Substitution:
        return self


class Variants:
    """One nest, and what its root would be in other words."""

    def __init__(self, nest: Nest, verdicts: Mapping[int, Verdict], options: AnalysisOptions) -> None:
        self.nest, self.loop, self.verdicts, self._options = nest, nest.loop, verdicts, options

    @cached_property
    def around(self) -> Surroundings:
        """Of the function as it is."""
        return surroundings_of(self.nest.function)

    @cached_property
    def scope(self) -> Scope:
        return self.around.scope(self.loop)

    def without(self, reads: Iterable[Expression]) -> Loop:
        """The loop with other values in place of these reads: nothing is known of these but that they stay."""
        parts = dict(_others({id(e) for e in reads}, self.loop.body, (self.loop,)))
        return Reading({}, parts=parts).loop(self.loop)

    def answers(self, changed: Loop, inner: Iterable[int] = ()) -> Answers:
        """The answers for the changed loop and those inside of it with these keys: only whether they are yes counts.
        Costs an analysis of the function."""
        function = self.nest.function
        function = replace(function, body=with_loops(function.body, {changed.key: changed}))
        around = surroundings_of(function)
        asked = {changed.key, *inner}
        wanted = (loop for loop in loops(function.body) if loop.key in asked)
        return tuple(answer(around, loop, self._options, explained=False) for loop in wanted)


def _others(
    reads: set[int], body: tuple[Statement, ...], around: tuple[Loop, ...]
) -> Iterator[tuple[int, Expression]]:
    """A value for each of the reads that may be another one in each iteration of the loops around it: an element of a
    constant array that nothing else names."""
    for s in body:
        for e in evaluated(s):
            if id(e) in reads:
                type_ = replace(e.type, const=True) if isinstance(e.type, Integer | Floating | Pointer) else e.type
                size = getattr(e.type, "size", None) or 1
                variable = Variable("other", OTHER, type_, "global", s.place, by_name=True)
                at = Subscript(Poly.sum(symbol(loop.counter) for loop in around), None, number(size))
                access = Access(Declared(variable), (at,), "", 0, e.type, size, "other", s.place)
                yield id(e), Load(access)
        match s:
            case Branch(then=then, otherwise=otherwise):
                yield from _others(reads, (*then, *otherwise), around)
            case Loop(body=inner):
                yield from _others(reads, inner, (*around, s))
            case _:
                pass


def are_parallel(answers: Answers) -> bool:
    """Whether there are answers, and all of them are yes."""
    return bool(answers) and all(answer.verdict is Verdict.YES for answer in answers)


def given(answers: Answers) -> str:
    """What the answers rest on, in words; empty where they rest on nothing."""
    names = sorted({f"{a.kind}({a.text})" for answer in answers for a in answer.assumptions})
    return f"; given {', '.join(names)}" if names else ""


def clauses(answers: Answers, *counters: str | None) -> str | None:
    """The clauses of a directive beside the part that was left out; None where copies alone would not do. `counters`:
    the variables of the loops, which nobody may read afterwards."""
    every = [s for answer in answers for s in answer.separated]
    separated = [s for s in every if s.text not in counters]
    kept = any(s.role == "counter" and s.live for s in every)
    if kept or any(s.role != "private" or not isinstance(s.target, Variable) for s in separated):
        return None
    names = sorted({s.text for s in separated})
    return f" private({', '.join(names)})" if names else ""


def one_back(loop: Loop) -> Callable[[Poly], Poly]:
    """A value as it was in the iteration before."""
    before = {loop.counter: symbol(loop.counter) - 1}
    return lambda value: value.substitute(before)


def loads(statement: Statement) -> list[Load]:
    """The reads of memory of a statement itself."""
    return [e for e in evaluated(statement) if isinstance(e, Load)]


def stores(body: tuple[Statement, ...]) -> list[Access]:
    return [s.target for s in statements(body) if isinstance(s, Assign) and isinstance(s.target, Access)]


def data_statements(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """The statements of a body that do more than run its loop, or begin those in it."""
    begun = {i.variable for s in body if isinstance(s, Loop) for i in s.inductions}
    for s in body:
        control = isinstance(s, Evaluate) and s.control
        counts = isinstance(s, Assign) and (s.induction or s.target in begun)
        if not control and not counts:
            yield s


def is_c(value: Poly) -> bool:
    """Whether the text of a value is C: no rounded quotient, and no value that has no name."""
    return not set("/`@") & set(str(value))
