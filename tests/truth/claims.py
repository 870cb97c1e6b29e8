"""What an answer of the analyser claims of a loop, in the names of the generated nest."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from analyzer.facts.loop import LoopFacts

from . import nest as n
from .emit_c import Writer
from .from_c import safe
from .permute import FIRST_LAST, PRIVATE, Claim


class Reader:
    """Reads the answers for one nest."""

    def __init__(self, nest: n.Nest) -> None:
        self.nest = nest

    def claim(self, loop: n.Loop, facts: LoopFacts) -> Claim:
        """The privatisations and reductions of an answer, whole objects and single cells apart."""
        p = facts.parallelism
        both = [t for t in p.first_private if t in p.last_private]
        told = [(t, "private") for t in p.private] + [(t, "last_private") for t in p.last_private if t not in both]
        told += [(t, "first_private") for t in p.first_private if t not in both] + [(t, FIRST_LAST) for t in both]
        told += [(r.variable, r.operator) for r in p.reductions]
        spots = {text: spot for text, role in told if (spot := self._cell(text, loop, role in PRIVATE)) is not None}
        whole = {role: frozenset(self._object(t) for t, r in told if r == role and t not in spots) for role in PRIVATE}
        return Claim(
            whole["private"],
            whole["last_private"] | whole[FIRST_LAST],
            {self._object(t): r for t, r in told if r not in PRIVATE and t not in spots},
            tuple((part, r) for t, r in told if t in spots for part in _scalars(spots[t])),
            whole["first_private"] | whole[FIRST_LAST],
            frozenset(i.variable for i in facts.clauses.inductions if i.step is None)
            | {s.text for s in p.separated if s.role in ("best", "same")},
        )

    def rests_on_distinct(self, facts: LoopFacts) -> bool:
        """Whether the answer names an assumption that this nest breaks on purpose."""
        return self.breaks(f"{a.kind}({a.text})" for a in facts.parallelism.assumptions)

    def breaks(self, assumptions: Iterable[str]) -> bool:
        """Whether one of these, `params-distinct(a,b)`, is an assumption that this nest breaks on purpose."""
        said = [(text.partition("(")[0], set(re.findall(r"\w+", text.partition("(")[2]))) for text in assumptions]
        return any(
            ("params-distinct" in kind and {one, two} <= words)
            or ("rows-distinct" in kind and one == two and one in words)
            for one, two, _ in self.nest.alias
            for kind, words in said
        )

    def _cell(self, text: str, loop: n.Loop, settled: bool) -> n.Spot | None:
        """The place in the loop with this C text, if it is the same in all iterations; `settled`: whether that is said
        of places in which the variable of the loop occurs, too (`b[i % 2]` where i is even)."""
        changing = set(n.assigned(loop.body)) | (set() if settled else {loop.var.name})
        for written, spot in self._spots(loop):
            if (numbered := _numbered(spot, text)) is not None:
                return numbered
            if written.steps and _plain(text) in {_plain(Writer().spot(each)) for each in (written, spot)}:
                fixed = not changing & {v.name for v in n.walk(spot) if isinstance(v, n.Var)} and not spot.post
                return spot if fixed else None
        return None

    def _spots(self, loop: n.Loop) -> Iterator[tuple[n.Spot, n.Spot]]:
        """Every place in the loop and in the helpers that it calls, as it is written, and in the names of the loop."""
        helpers = {h.name: h for h in self.nest.helpers}
        for node in n.walk_all(loop.body):
            match node:
                case n.Spot():
                    yield node, node
                case n.Call(name=name, args=args) if name in helpers:
                    given = {p.name: a for p, a in zip(helpers[name].params, args, strict=True)}
                    for spot in n.walk_all(helpers[name].body):
                        if isinstance(spot, n.Spot) and isinstance(given.get(spot.base.name), n.Var):
                            yield spot, _with_arguments(spot, given)

    def _object(self, text: str) -> str:
        """The variable or object that a C text names."""
        name = re.match(r"\W*(\w+)", text)
        base = self._argument(safe(name[1] if name else text))
        base = next((other for one, other, _ in self.nest.alias if one == base), base)
        names = {x.name for x in self.nest.storage}
        if f"{base}_rows" in names:
            return f"{base}_rows"
        return f"{base}_data" if f"{base}_data" in names else base

    def _argument(self, name: str) -> str:
        """What a call in the nest passes for the parameter of a helper; any other name as it is."""
        calls = [c for c in n.walk_all(self.nest.body) if isinstance(c, n.Call)]
        for helper in self.nest.helpers:
            for position, p in enumerate(helper.params):
                for call in calls:
                    given = call.args[position] if call.name == helper.name else None
                    if p.name == name and isinstance(given, n.Var):
                        return given.name
        return name


def _numbered(spot: n.Spot, text: str) -> n.Spot | None:
    """The place of the same array that a text with numbers for subscripts names: `b[0]` where `b[i % 2]` is written."""
    numbers = re.findall(r"\[(\d+)\]", text)
    subscripted = len(numbers) == len(spot.steps) and all(isinstance(s, n.Index) for s in spot.steps)
    if not numbers or not subscripted or text != spot.base.name + "".join(f"[{k}]" for k in numbers):
        return None
    return n.Spot(spot.base, tuple(n.Index(n.Const(int(k))) for k in numbers))


def _scalars(spot: n.Spot) -> Iterator[n.Spot]:
    """The numbers and pointers that a place consists of."""
    steps: list[n.Index | n.Field]
    match n.spot_type(spot):
        case n.Struct(members=members):
            steps = [n.Field(name) for name, _, _ in members]
        case n.Arr(n=int() as count):
            steps = [n.Index(n.Const(k)) for k in range(count)]
        case _:
            yield spot
            return
    for step in steps:
        yield from _scalars(n.Spot(spot.base, (*spot.steps, step)))


def _with_arguments(node: Any, given: Mapping[str, n.Expr]) -> Any:
    """A part of a helper with the arguments of a call in place of its parameters."""
    match node:
        case n.Var(name=name):
            return given.get(name, node)
        case tuple():
            return tuple(_with_arguments(part, given) for part in node)
        case _ if is_dataclass(node) and not isinstance(node, type):
            return replace(node, **{f.name: _with_arguments(getattr(node, f.name), given) for f in fields(node)})
        case _:
            return node


def _plain(text: str) -> str:
    return re.sub(r"[\s()]", "", text)


def describe(facts: LoopFacts) -> str:
    """One line of what was claimed."""
    p = facts.parallelism
    return (
        f"\n  claimed: private {p.private}, first {p.first_private}, last {p.last_private}, reductions "
        f"{[(r.variable, r.operator) for r in p.reductions]}, assumptions {[(a.kind, a.text) for a in p.assumptions]}"
    )
