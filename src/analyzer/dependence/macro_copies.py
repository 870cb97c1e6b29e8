"""Loops of the source that lowering duplicated: cases that fall through, and what follows a `switch` that returns.

*Decides*: which loops of the IR are one loop of the source; the answer for it, which has to hold in all of them; and
whether they do the same, so that the counts of one are those of all.
*Errs toward* unknown, and toward different.

    switch (k) { case 0: p = a; case 1: for (...) p[i] = b[i + 1]; }        one loop, two pairs of arrays
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import assert_never

from msgspec.structs import replace

from ..base.places import Place
from ..facts.loop import Assumption, Parallelism, Reason, Verdict
from ..ir.nodes import (
    Access,
    All,
    Any,
    Assign,
    Branch,
    Compare,
    Data,
    Evaluate,
    Exit,
    Function,
    Load,
    Loop,
    Predicate,
    Refused,
    Statement,
    evaluated,
    loops,
)
from ..ir.polynomials import Poly, Symbol
from ..ir.reasons import ReasonCode

Keys = tuple[int, ...]


def copies(function: Function, places: Iterable[tuple[str, Place]]) -> dict[str, Keys]:
    """Loop id -> keys of its loops in the IR, in their order. Example: see the module."""
    at_place: dict[Place, list[int]] = defaultdict(list)
    for loop in loops(function.body):
        if not loop.inlined:
            at_place[loop.place].append(loop.key)
    names: dict[Place, list[str]] = defaultdict(list)
    for identity, place in places:
        names[place].append(identity)
    found = {}
    for place, here in names.items():
        keys = at_place[place]
        whole = len(keys) <= len(here) or len(keys) % len(here) == 0  # else nobody knows which of them is which
        for k, identity in enumerate(here[: len(keys)]):
            found[identity] = tuple(keys[k :: len(here)]) if whole else tuple(keys)
    return found


def agreed(answers: Mapping[int, Parallelism], groups: Iterable[Keys]) -> dict[int, Parallelism]:
    """The answers, those for copies of one loop the same: what holds in all of them."""
    found = dict(answers)
    for keys in groups:
        if len(keys) > 1:
            found |= dict.fromkeys(keys, _in_all([answers[key] for key in keys]))
    return found


def _in_all(answers: list[Parallelism]) -> Parallelism:
    for verdict in (Verdict.NO, Verdict.UNKNOWN):
        for answer in answers:
            if answer.verdict is verdict:
                return answer
    if any(answer.reductions != answers[0].reductions for answer in answers):
        line = min((a.line for answer in answers for a in answer.assumptions), default=0)
        message = "this loop is reached in several ways, and sums up something else in each"
        return Parallelism(Verdict.UNKNOWN, reason=Reason(ReasonCode.IRREGULAR_CONTROL_FLOW, message, line))
    separated = dict.fromkeys(each for answer in answers for each in answer.separated)
    copied = {each.text for each in separated if each.role in ("first", "last", "first_last")}
    kept = tuple(each for each in separated if each.role != "private" or each.text not in copied)
    return replace(
        answers[0],
        verdict=Verdict.CONDITIONAL if any(a.verdict is Verdict.CONDITIONAL for a in answers) else Verdict.YES,
        assumptions=_merged(a for answer in answers for a in answer.assumptions),
        separated=kept,
        conditions=_merged(a for answer in answers for a in answer.conditions),
    )


def _merged(assumptions: Iterable[Assumption]) -> tuple[Assumption, ...]:
    named: dict[tuple[str, str], Assumption] = {}
    for a in sorted(set(assumptions)):
        named.setdefault((a.kind, a.text), a)
    return tuple(named.values())


def alike(found: Iterable[Loop]) -> bool:
    """Whether all copies of a loop run as often, under the same conditions, and touch the same places."""
    return len({tuple(_traits((loop,), {})) for loop in found}) == 1


def _traits(body: tuple[Statement, ...], counters: dict[Symbol, str]) -> Iterator[str]:
    """What counts and classes are made of, as text with the same names for the counters of all copies."""

    def text(value: Poly) -> str:
        return value.text(lambda s: counters.get(s, s.name))

    for s in body:
        for access in (e.access for e in evaluated(s) if isinstance(e, Load)):
            yield _place(access, text)
        match s:
            case Loop(counter=counter, trip=trip, body=inner):
                counters[counter] = f"counter {len(counters)}"
                yield "loop " + " ".join(f"{text(r.numerator)}/{r.denominator}" for r in trip or ()) + str(s.exact_trip)
                yield from _traits(inner, counters)
                yield "end"
            case Branch(predicate=predicate, then=then, otherwise=otherwise):
                yield "if " + _condition(predicate, text)
                yield from _traits(then, counters)
                yield "else"
                yield from _traits(otherwise, counters)
                yield "end"
            case Assign(target=Access() as target):
                yield "= " + _place(target, text)
            case Assign() | Evaluate() | Exit() | Refused():
                yield type(s).__name__
            case _:
                assert_never(s)


def _place(access: Access, text: Callable[[Poly], str]) -> str:
    return f"{access.object}.{access.field} " + " ".join(text(s.index) for s in access.subscripts)


def _condition(predicate: Predicate, text: Callable[[Poly], str]) -> str:
    match predicate:
        case Compare(value=value, relation=relation):
            return text(value) + relation
        case All(parts=parts) | Any(parts=parts):
            return f"{type(predicate).__name__}({', '.join(_condition(p, text) for p in parts)})"
        case Data():
            return "data"
        case _:
            assert_never(predicate)
