"""Confronts what the analyser says of a nest with what runs of it show."""

import random
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from analyzer.analysis import analyze_file
from analyzer.facts import Count, LoopFacts, Verdict
from analyzer.options import AnalysisOptions, SourceOptions
from models.expr import UnboundSymbolError, evaluate

from . import nest as n
from .emit_c import LIBRARY, Writer, structs
from .emit_python import Emitter
from .machine import BUILTINS, TooLongError, UndefinedError
from .permute import ORDERS, PRIVATE, Claim, EarlyExitError, Runner
from .trace import Entry, Recorder, Run, addresses, arguments

Entries: TypeAlias = list[tuple[dict[str, int], Run, Entry]]
CONTENTS = ("a", "b")
NON_AFFINE = {
    "scatter",
    "data condition",
    "modulo",
    "exit",
    "leave",
    "shrink",
    "hostile",
    "narrow",
    "vector",
    "member bound",
    "overlap",
    "rows",
    "conditional",
    "extreme",
    "inner array",
    "either",
    "reindex",
    "indirect bound",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """`kind`: parallel (a yes that runs contradict), count (an exact count that is wrong), unlisted (a variable that
    the answer forgot to list), witness (a no that no run showed), missed (parallel in truth, not answered yes), assumed
    (contradicted, but the answer names an assumption that the run may break)."""

    kind: str
    nest: n.Nest
    loop: int
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: seed {self.nest.seed}, loop {self.loop}: {self.text}\n{Writer().nest(self.nest)}"


@dataclass(slots=True)
class Tally:
    """Figures of a campaign."""

    numbers: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)

    def of(self, kind: str) -> list[Finding]:
        return [f for f in self.findings if f.kind == kind]


def source(nests: Iterable[n.Nest]) -> str:
    """What the analyser reads."""
    return LIBRARY + structs() + "\n".join(Writer().nest(x) for x in nests)


def answers(nests: Sequence[n.Nest], options: AnalysisOptions | None = None) -> dict[str, tuple[LoopFacts, ...]]:
    """The facts of each nest's loops, by its name."""
    compiler = SourceOptions(compiler=shutil.which("gcc"))
    found = analyze_file(Path("/nests.c"), compiler, options or AnalysisOptions(), Path("/"), source(nests))
    assert not found.failed, [d.message for d in found.diagnostics]
    return {f.function.name: f.loops for f in found.functions}


class Judge:
    """One nest: its runs as written, and the checks of every answer."""

    def __init__(self, nest: n.Nest, facts: Sequence[LoopFacts], tally: Tally) -> None:
        self.nest, self.tally = nest, tally
        self.loops = n.loops(nest.body)
        if len(facts) != len(self.loops):
            raise AssertionError(f"{nest.seed}: {len(facts)} loops listed, {len(self.loops)} written")
        self.facts = dict(zip((s.id for s in self.loops), facts, strict=True))
        self.recorder = Recorder(nest)
        self.runs: list[tuple[dict[str, int], str, Run]] = []
        self._record(nest.sizes, CONTENTS[:1])
        self._record(nest.sizes[2:4], CONTENTS[1:])

    def _record(self, sizes: Iterable[dict[str, int]], contents: Iterable[str]) -> None:
        for values in sizes:
            for seed in contents:
                try:
                    self.runs.append((values, seed, self.recorder.run(values, seed)))
                except (UndefinedError, TooLongError):
                    self.tally.numbers["invalid runs"] += 1

    def judge(self) -> None:
        numbers = self.tally.numbers
        numbers["nests"] += 1
        numbers["runs"] += len(self.runs)
        if not any(r.totals["iterations"] for _, _, r in self.runs):
            numbers["nests without a valid run"] += 1
        for s in self.loops:
            facts = self.facts[s.id]
            numbers["loops"] += 1
            numbers[facts.parallelism.verdict.value] += 1
            entries = [(v, r, e) for v, _, r in self.runs for e in r.entries if e.loop == s.id]
            self._share(s, facts, entries)
            match facts.parallelism.verdict:
                case Verdict.YES:
                    self._yes(s, facts, entries)
                case Verdict.NO:
                    self._no(s, facts, entries)
                case _:
                    pass
            self._counts(s, facts)

    def _report(self, kind: str, s: n.Loop, text: str) -> None:
        self.tally.findings.append(Finding(kind, self.nest, s.id, self.facts[s.id].place.line, text))

    # --- yes

    def _yes(self, s: n.Loop, facts: LoopFacts, entries: Entries) -> None:
        if self._rests_on_distinct(facts):
            self.tally.numbers["yes, overlap excluded by an assumption"] += 1
            return
        runner = Runner(self.nest, s, self.claim(facts))
        found = self._conflict(facts, runner.claim, entries) or self._permuted(s, facts, runner)
        if found is not None:
            kinds = {a.kind for a in facts.parallelism.assumptions}
            excused = kinds & {"in-bounds", "no-overflow", "bound-invariant"}
            self._report("assumed" if excused else "parallel", s, found + describe(facts))
        elif runner.unlisted:
            self._report("unlisted", s, f"{sorted(runner.unlisted)} neither private nor reduction" + describe(facts))

    def claim(self, facts: LoopFacts) -> Claim:
        p = facts.parallelism
        told = [(t, "private") for t in p.private] + [(t, "last_private") for t in p.last_private]
        told += [(r.variable, r.operator) for r in p.reductions]
        spots = {text: spot for text, _ in told if (spot := self._cell(text, facts)) is not None}
        whole = {role: frozenset(self._object(t) for t, r in told if r == role and t not in spots) for role in PRIVATE}
        return Claim(
            whole["private"],
            whole["last_private"],
            {self._object(t): r for t, r in told if r not in PRIVATE and t not in spots},
            tuple((spots[t], r) for t, r in told if t in spots),
        )

    def _cell(self, text: str, facts: LoopFacts) -> n.Spot | None:
        """The place in the loop with this C text, if it is the same in all iterations."""
        body = self._loop_body(facts)
        changing = set(n.assigned(body)) | {s.var.name for s in self.loops if self.facts[s.id] is facts}
        for spot in n.walk_all(body):
            if isinstance(spot, n.Spot) and _plain(Writer().spot(spot)) == _plain(text):
                fixed = not changing & {v.name for v in n.walk(spot) if isinstance(v, n.Var)} and not spot.post
                return spot if fixed else None
        return None

    def _object(self, text: str) -> str:
        """The variable or object that a C text names."""
        name = re.match(r"\W*(\w+)", text)
        base = name[1] if name else text
        base = self._argument(base)
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

    def _rests_on_distinct(self, facts: LoopFacts) -> bool:
        """Whether the answer names an assumption that this nest breaks on purpose."""
        said = [(a.kind, set(re.findall(r"\w+", a.text))) for a in facts.parallelism.assumptions]
        return any(
            ("params-distinct" in kind and {one, two} <= words)
            or ("rows-distinct" in kind and one == two and one in words)
            for one, two, _ in self.nest.alias
            for kind, words in said
        )

    def _conflict(self, facts: LoopFacts, claim: Claim, entries: Entries) -> str | None:
        named = claim.private | claim.last_private | set(claim.reductions)
        inside = {d.var.name for d in n.walk_all(self._loop_body(facts)) if isinstance(d, n.Declare)}
        for sizes, run, entry in entries:
            self.recorder.machine.memory[:] = run.memory
            excused = {self._address(spot, sizes, entry) for spot, _ in claim.cells}
            if None in excused:
                continue
            left = {k for k, v in entry.conflicts.items() if set(v) - excused and k not in named and k not in inside}
            if left:
                return f"iterations conflict in {sorted(left)} at {sizes}, under {entry.outer}"
        return None

    def _address(self, spot: n.Spot, sizes: dict[str, int], entry: Entry) -> int | None:
        """Where a cell lies during one entry of the loop, memory being what the run left; None when that takes more."""
        machine = self.recorder.machine
        names = dict(BUILTINS) | addresses(machine) | machine.plain() | arguments(machine, sizes) | entry.outer
        try:
            found: int = eval(Emitter(self.nest, -1).address(spot), names)
        except (NameError, UndefinedError):
            return None
        return found

    def _loop_body(self, facts: LoopFacts) -> tuple[n.Stmt, ...]:
        return next(s.body for s in self.loops if self.facts[s.id] is facts)

    def _permuted(self, s: n.Loop, facts: LoopFacts, runner: Runner) -> str | None:
        exact = not any(r.reorders_fp for r in facts.parallelism.reductions)
        busy = [x for x in self.runs if any(e.loop == s.id and e.trips > 1 for e in x[2].entries)]
        for sizes, seed, run in busy[-4:]:
            for order in ORDERS:
                self.tally.numbers["permuted runs"] += 1
                try:
                    result, memory = runner.run(sizes, seed, order)
                except (EarlyExitError, UndefinedError, TooLongError) as error:
                    return f"{type(error).__name__} ({error}) at {sizes}, contents {seed}, {order}"
                difference = self._difference(run, result, memory, exact)
                if difference:
                    return f"{difference} at {sizes}, contents {seed}, {order}"
        return None

    def _difference(self, run: Run, result: tuple[Any, ...], memory: bytes, exact: bool) -> str | None:
        for one, two in zip(run.result, result, strict=True):
            if not _equal(one, two, exact):
                return f"result {one} became {two}"
        if run.memory == memory:
            return None
        for s in self.nest.storage:
            begin, end = self.recorder.machine.extent(s.name)
            if s.scope == "local" or run.memory[begin:end] == memory[begin:end]:
                continue
            text = _first_difference(s, run.memory[begin:end], memory[begin:end], exact)
            if text:
                return text
        return None

    # --- no

    def _no(self, s: n.Loop, facts: LoopFacts, entries: Entries) -> None:
        exits = any(isinstance(x, n.Break | n.Return) for x in n.walk_all(s.body))
        if exits or any(e.conflicts or e.carried for _, _, e in entries) or self._witnessed(s):
            self.tally.numbers["no, shown by a run"] += 1
        elif max((e.trips for _, _, e in entries), default=0) < 3:
            self.tally.numbers["no, never run validly for 3 iterations"] += 1
        else:
            reason = facts.parallelism.reason
            self._report("witness", s, f"no ({reason.code if reason else ''}: {reason.message if reason else ''})")

    def _witnessed(self, s: n.Loop) -> bool:
        """Whether further sizes and contents show a dependence of the loop."""
        rng = random.Random(self.nest.seed)
        top = 12 if len(self.loops) < 3 else 7
        for _ in range(8):
            sizes = {k: rng.randrange(4) if k in ("k", "w") else rng.randrange(3, top) for k in self.nest.sizes[0]}
            if "narrow" in self.nest.features and len(sizes) > 0 and rng.random() < 0.5:
                sizes[rng.choice(list(sizes))] = 270
            try:
                run = self.recorder.run(sizes, str(rng.random()))
            except (UndefinedError, TooLongError):
                continue
            if any(e.loop == s.id and (e.conflicts or e.carried) for e in run.entries):
                return True
        return False

    # --- what is parallel in truth

    def _share(self, s: n.Loop, facts: LoopFacts, entries: Entries) -> None:
        features = self.nest.features
        if features & NON_AFFINE or any(f.startswith("subscript") for f in features):
            return
        if max((e.trips for _, _, e in entries), default=0) < 2:
            return
        allowed = _reductions(s) | _inductions(s)
        if any(e.conflicts or e.carried - allowed for _, _, e in entries):
            return
        kind = "linearised" if "linearised" in features else "affine"
        self.tally.numbers[f"{kind}, parallel in truth"] += 1
        self.tally.numbers[f"{kind}, parallel in truth and answered yes"] += facts.parallelism.verdict is Verdict.YES
        if facts.parallelism.verdict is not Verdict.YES:
            reason = facts.parallelism.reason
            answer = (
                f"{facts.parallelism.verdict.value} {reason.code if reason else ''}: {reason.message if reason else ''}"
            )
            self._report("missed", s, answer)

    # --- counts

    def _counts(self, s: n.Loop, facts: LoopFacts) -> None:
        wrong: set[str] = set()
        for sizes, _, run in self.runs:
            if any(v < 0 for v in sizes.values()):
                continue
            mine = [e for e in run.entries if e.loop == s.id]
            self._compare(s, facts.counts.executions, "executions", len(mine), sizes, {}, wrong)
            for entry in mine:
                for name, count, value in self._expected(facts, entry):
                    self._compare(s, count, name, value, sizes, entry.outer, wrong)

    def _expected(self, facts: LoopFacts, entry: Entry) -> Iterator[tuple[str, Count | None, int]]:
        """Name, claim and truth of every count of one entry of the loop."""
        c, found = facts.counts, entry.counts
        yield "trip_count", c.trip_count, entry.trips
        yield "iterations", c.iterations, found["iterations"]
        yield "flops_fp32", c.flops_fp32, found["f"]
        yield "flops_fp64", c.flops_fp64, found["d"]
        yield "fp_other", c.fp_other, found["o"]
        yield "loads", c.loads, found["loads"]
        yield "stores", c.stores, found["stores"]
        if not found["j"]:
            yield "int_ops", c.int_ops, found["i"]
        if self.nest.alias:
            return
        touched = [sum(x[k] for x in entry.footprint.values()) for k in range(3)]
        yield "read_footprint", c.read_footprint, touched[0]
        yield "write_footprint", c.write_footprint, touched[1]
        yield "footprint", c.footprint, touched[2]
        plain = {x.name for x in self.nest.storage if x.role in ("data", "index") and "cell" not in repr(x.type)}
        known = {x.name for x in self.nest.storage}
        for array in facts.arrays:
            # A row named after a local pointer is part of some array's footprint: then no row says all of its own.
            if array.name in plain and all(a.name in known for a in facts.arrays):
                bytes_ = entry.footprint.get(array.name, (0, 0, 0))
                yield f"read_footprint of {array.name}", array.read_footprint, bytes_[0]
                yield f"write_footprint of {array.name}", array.write_footprint, bytes_[1]

    def _compare(
        self,
        s: n.Loop,
        count: Count | None,
        name: str,
        truth: int,
        sizes: dict[str, int],
        outer: dict[str, int],
        wrong: set[str],
    ) -> None:
        if count is None or count.expr is None or not count.exact or name in wrong:
            return
        numbers = self.tally.numbers
        given = {k: v for k, v in arguments(self.recorder.machine, sizes).items() if isinstance(v, int)}
        try:
            value = evaluate(count.expr, given | sizes | outer)
        except UnboundSymbolError:
            numbers["exact counts with other symbols"] += 1
            return
        numbers["exact counts compared"] += 1
        if value != truth:
            wrong.add(name)
            self._report(
                "count", s, f"{name} = {_short(str(count.expr))} is {value}, in truth {truth}, at {sizes} {outer}"
            )


def _short(text: str) -> str:
    return text if len(text) < 300 else text[:300] + " ..."


def _plain(text: str) -> str:
    return re.sub(r"[\s()]", "", text)


def describe(facts: LoopFacts) -> str:
    p = facts.parallelism
    return (
        f"\n  claimed: private {p.private}, last_private {p.last_private}, reductions "
        f"{[(r.variable, r.operator) for r in p.reductions]}, assumptions {[(a.kind, a.text) for a in p.assumptions]}"
    )


def _equal(one: Any, two: Any, exact: bool, bound: float = 1e-4) -> bool:
    if one == two or (one != one and two != two):
        return True
    if exact or not isinstance(one, float) or not isinstance(two, float):
        return False
    return one != one or two != two or abs(one - two) <= bound * max(1.0, abs(one), abs(two))


def _first_difference(s: n.Storage, one: bytes, two: bytes, exact: bool) -> str | None:
    import struct

    from .machine import scalars_of, size_of

    width = size_of(s.type)
    for at in range(0, len(one), width):
        if one[at : at + width] == two[at : at + width]:
            continue
        for offset, t in scalars_of(s.type):
            code = "<" + (t.code if isinstance(t, n.Num) else "Q")
            a, b = struct.unpack_from(code, one, at + offset)[0], struct.unpack_from(code, two, at + offset)[0]
            if not _equal(a, b, exact):
                return f"{s.name} at byte {at + offset}: {a} became {b}"
    return None


def _reductions(s: n.Loop) -> set[str]:
    """Scalars of which every use in the loop is in `v op= e`, op the same each time."""
    uses: Counter[str] = Counter(x.name for x in n.walk_all(s.body) if isinstance(x, n.Var))
    updates: Counter[str] = Counter()
    operators: dict[str, set[str]] = {}
    for x in n.walk_all(s.body):
        match x:
            case n.Assign(target=n.Var(name=name), op=op) if op:
                updates[name] += 1
                operators.setdefault(name, set()).add("+" if op == "-" else op)
            case n.Assign(target=n.Var(name=name), op="", value=n.Bin(op=op, a=n.Var(name=other))) if other == name:
                updates[name] += 2
                operators.setdefault(name, set()).add(op)
            case _:
                pass
    return {v for v, k in updates.items() if uses[v] == k and len(operators[v]) == 1}


def _inductions(s: n.Loop) -> set[str]:
    """Variables that every iteration of the loop moves on by the same amount, besides the loop's own."""
    found = {s.var.name} | {a.target.name for a in s.step if isinstance(a.target, n.Var)}
    changes: Counter[str] = Counter()
    for x in n.walk_all(s.body):
        match x:
            case n.Assign(target=n.Var(name=name)) | n.Step(var=n.Var(name=name)) | n.Loop(var=n.Var(name=name)):
                changes[name] += 1
            case n.Spot(base=n.Var(name=name), post=post) if post:
                changes[name] += 1
            case _:
                pass
    for x in s.body:
        match x:
            case n.Assign(target=n.Var(name=name), op="+" | "-", value=n.Const()) if changes[name] == 1:
                found.add(name)
            case n.Assign():
                found |= {
                    y.base.name for y in n.walk(x) if isinstance(y, n.Spot) and y.post and changes[y.base.name] == 1
                }
            case _:
                pass
    return found
