"""Compaction: what some iterations keep is stored one behind the other.

*Decides*: whether the place of the next element is all that orders the iterations. *Errs toward* no.

    for (i = 0; i < n; i++) if (a[i] > 0) b[k++] = a[i];         ->  compaction
    for (i = 0; i < n; i++) if (a[i] > b[k]) b[k++] = a[i];      ->  none: what was kept decides
"""

from collections.abc import Iterator

from msgspec.structs import replace

from ..facts.loop import Alternative, LoopFacts
from ..ir.nodes import (
    Access,
    Assign,
    Branch,
    Evaluate,
    Literal,
    Loop,
    Object,
    Operation,
    Statement,
    Use,
    Variable,
    evaluated,
    is_use,
    statements,
    unconverted,
)
from ..ir.polynomials import symbol
from ..source.ctypes import Integer
from .variant import Answers, Variants, are_parallel, given, loads


def found(variants: Variants, facts: LoopFacts) -> tuple[Alternative, ...]:
    """The compaction that a loop is, if it is one. Example: see the module."""
    for index in _indices(variants.loop):
        kept = _kept(variants.loop, index)
        answers = variants.answers(replace(variants.loop, body=_spread(variants.loop, index, kept))) if kept else ()
        if are_parallel(answers):
            return (_compaction(kept[0], index, answers),)
    return ()


def _compaction(kept: Assign, index: Variable, answers: Answers) -> Alternative:
    text = (
        "a compaction: count what each thread keeps, scan the counts, then let each thread store from its own start. "
        f"If its order does not matter, `#pragma omp atomic capture` for `{index.name}` does (line {kept.place.line})"
    )
    legality = "only the place depends on the iterations before: the results are equal (with `atomic`: reordered)"
    return Alternative("compaction", text, legality + given(answers))


def _indices(loop: Loop) -> list[Variable]:
    """The variables that only go up by one, under a condition."""
    found: dict[Variable, bool] = {}
    for s in statements(loop.body):
        if isinstance(s, Assign) and isinstance(s.target, Variable) and isinstance(s.target.type, Integer):
            found[s.target] = found.get(s.target, True) and not s.induction and _goes_up(s)
    return [variable for variable, only in found.items() if only and not variable.addressed]


def _goes_up(s: Assign) -> bool:
    match unconverted(s.value):
        case Operation(operator="+", arguments=(a, b)):
            one, own = unconverted(b), isinstance(s.target, Variable) and is_use(a, s.target)
            return own and isinstance(one, Literal) and one.value == 1
        case _:
            return False


def _kept(loop: Loop, index: Variable) -> list[Assign]:
    """The stores at the index, into arrays that the loop does not read, where that is all it is used for; none where it
    is used otherwise."""
    found: list[Assign] = []
    read = {load.access.object for s in statements(loop.body) for load in loads(s)}
    for s in statements(loop.body):
        uses = [e for e in evaluated(s) if isinstance(e, Use) and e.variable == index]
        at_index = isinstance(s, Assign) and any(is_use(e, index) for e in s.index)
        if at_index and isinstance(s, Assign) and len(uses) == 1 and _is_new(s.target, read):
            found.append(s)
        elif uses and not (isinstance(s, Assign) and s.target == index):
            return []
    return found


def _is_new(target: Variable | Access, read: set[Object]) -> bool:
    return isinstance(target, Access) and bool(target.subscripts) and target.object not in read


def _spread(loop: Loop, index: Variable, kept: list[Assign]) -> tuple[Statement, ...]:
    """The body with a place of its own for what each iteration keeps, and without the index."""

    def changed(body: tuple[Statement, ...]) -> Iterator[Statement]:
        for s in body:
            match s:
                case Assign(target=Access() as target) if any(s is k for k in kept):
                    yield replace(s, target=_own_place(loop, target), index=())
                case Assign(target=Variable() as target) if target == index:
                    yield Evaluate(Literal(0, index.type), s.place, s.text)
                case Branch():
                    yield replace(s, then=tuple(changed(s.then)), otherwise=tuple(changed(s.otherwise)))
                case Loop():
                    yield replace(s, body=tuple(changed(s.body)))
                case _:
                    yield s

    return tuple(changed(loop.body))


def _own_place(loop: Loop, target: Access) -> Access:
    """The element of the array that has the number of the iteration."""
    *rows, last = target.subscripts
    return replace(target, subscripts=(*rows, replace(last, index=symbol(loop.counter), extent=None)), wraps=())
