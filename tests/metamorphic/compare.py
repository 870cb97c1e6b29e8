"""The answers about a file against those about its rewritten text."""

import random
import re
from collections import Counter
from dataclasses import dataclass, field

from analyzer.facts.loop import Assumption, Count, LoopFacts, Parallelism, Verdict
from models.expr import UnboundSymbolError, evaluate, free_symbols

from .scene import Mark, Rewrite

SIZES = 8
FAR = 20
WORD = re.compile(r"[A-Za-z_]\w*")
Answers = dict[Mark, LoopFacts]


def _lost(old: Parallelism, new: Parallelism) -> list[str]:
    """Assumptions of the first answer of which the second has none of this kind about any of these variables."""
    if any(a.kind == "user" for a in new.assumptions):
        return []
    named = {(a.kind, word) for a in new.assumptions for word in WORD.findall(a.text)}
    kinds = {a.kind for a in new.assumptions}

    def kept(a: Assumption) -> bool:
        known = any((a.kind, w) in named for w in WORD.findall(a.text))
        return known or (a.kind == "fp-reorder" and a.kind in kinds)  # `*p` for `b[i]`

    return [f"{a.kind}({a.text})" for a in old.assumptions if not kept(a)]


@dataclass
class Comparison:
    """`wrong`: one of two answers is. `changed[rewrite, before, after]`: what verdicts became. `equal`: so many exact
    counts. `lost`: assumptions that a `yes` does without."""

    wrong: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    changed: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    examples: dict[tuple[str, str, str], list[str]] = field(default_factory=dict)
    equal: int = 0
    not_compared: Counter[str] = field(default_factory=Counter)
    loops: dict[str, LoopFacts] = field(default_factory=dict)
    """Those of the file that is compared, by id."""

    def loop(self, name: str, rewrites: tuple[Rewrite, ...], before: LoopFacts, after: LoopFacts, where: str) -> None:
        old, new = before.parallelism, after.parallelism
        weaker = any(r.weaker for r in rewrites)
        key = (name, old.verdict.value, new.verdict.value)
        self.changed[key] += 1
        rested = {a.kind for a in old.assumptions} & {r.forgets for r in rewrites}
        excused = weaker if new.verdict is Verdict.YES else bool(rested)
        if {old.verdict, new.verdict} == {Verdict.YES, Verdict.NO} and not excused:
            reason = old.reason or new.reason
            self.wrong.append(f"{name}: {where}: {key[1]} -> {key[2]}: {reason and reason.message}")
        elif old.verdict is not new.verdict:
            reason = new.reason or old.reason
            self.examples.setdefault(key, []).append(f"{where}: {reason and reason.message}")
        if old.verdict is new.verdict is Verdict.YES:
            self.lost += [f"{name}: {where}: {text}" for text in _lost(old, new)]
        around = self.around(before)
        least = max(r.least for r in rewrites) if before.loop.kind != "do" else FAR
        for count in sorted(frozenset.intersection(*(r.keeps for r in rewrites))):
            place = f"{name}: {where}: {count}"
            self._count(place, getattr(before.counts, count), getattr(after.counts, count), least, around)

    def around(self, loop: LoopFacts) -> frozenset[str]:
        """The variables of the loops around."""
        found: set[str] = set()
        parent = self.loops.get(loop.parent or "")
        while parent is not None:
            found.add(parent.loop.variable or "")
            parent = self.loops.get(parent.parent or "")
        return frozenset(found)

    def _count(
        self, where: str, old: Count | None, new: Count | None, least: int, around: frozenset[str]
    ) -> None:
        """`around`: names that have small values only, those that sizes leave them: then all sizes are large."""
        if old is None or new is None or not (old.exact and new.exact) or old.expr is None or new.expr is None:
            return
        names = free_symbols(old.expr) | free_symbols(new.expr)
        plain = {n: n.partition("@")[0].split("->")[-1].rpartition(".")[2] for n in names}
        if {plain[n] for n in free_symbols(old.expr)} != {plain[n] for n in free_symbols(new.expr)}:
            self.not_compared["other symbols"] += 1
            return
        rng, inner = random.Random(where), around & set(plain.values())
        least = FAR if inner else least
        for k in range(SIZES):
            values = {x: k + least if k < 4 else rng.randrange(least, 60) for x in sorted(set(plain.values()))}
            values |= {x: rng.randrange(2, 5) for x in sorted(inner)}
            given = {n: values[plain[n]] for n in names}
            try:
                x, y = evaluate(old.expr, given), evaluate(new.expr, given)
            except (UnboundSymbolError, ZeroDivisionError):
                self.not_compared["no value"] += 1
                return
            if x != y:
                self.wrong.append(f"{where}: {old.expr} is {x}, {new.expr} is {y} at {given}")
                return
        self.equal += 1
