"""Confronts what the analyser says of a nest with what runs of it show."""

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import Count, LoopFacts, Verdict
from analyzer.ir.reasons import AssumptionKind
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.expr import UnboundSymbolError

from . import nest as n
from .claims import Reader, describe
from .compare import bounds_of, claimed, expected, value_of
from .emit_c import LIBRARY, Writer, structs
from .emit_python import Emitter
from .from_c import written
from .machine import BUILTINS, TooLongError, UndefinedError
from .oracle import TRIPS, exercised, further_runs, shown_parallel
from .permute import ORDERS, Claim, EarlyExitError, Runner
from .shape import shape
from .trace import Entry, Recorder, Run, addresses, arguments

Entries: TypeAlias = list[tuple[dict[str, int], Run, Entry]]
CONTENTS = ("a", "b")
UNTESTED = (AssumptionKind.NO_EXIT, AssumptionKind.COLD)
"""Conditions that a run may break; counts are those of runs in which they hold."""
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
    """The facts of each nest's loops, by its name; none of a nest that the analyser fails on."""
    compiler = SourceOptions(compiler=shutil.which("gcc"))
    found = analyze_file(Path("/nests.c"), compiler, options or AnalysisOptions(), Path("/"), source(nests))
    if found.failed and len(nests) > 1:
        return {name: loops for x in nests for name, loops in answers([x], options).items()}
    return {f.function.name: f.loops for f in found.functions} if not found.failed else {}


class Judge:
    """One nest: its runs as written, and the checks of every answer."""

    def __init__(self, nest: n.Nest, facts: Sequence[LoopFacts], tally: Tally) -> None:
        self.nest, self.tally = nest, tally
        self.loops = n.loops(nest.body)
        if len(facts) != len(self.loops):
            raise AssertionError(f"{nest.seed}: {len(facts)} loops listed, {len(self.loops)} written")
        self.facts = dict(zip((s.id for s in self.loops), facts, strict=True))
        self.reader = Reader(nest)
        self.recorder = Recorder(nest)
        self.further: list[Run] = []
        self.more = further_runs(nest)
        self.runs: list[tuple[dict[str, int], str, Run]] = []
        self._record(nest.sizes, CONTENTS[:1])
        self._record(nest.sizes[2:4] or nest.sizes, CONTENTS[1:])

    def _record(self, sizes: Iterable[dict[str, int]], contents: Iterable[str]) -> None:
        for values in sizes:
            for seed in contents:
                try:
                    self.runs.append((values, seed, self.recorder.run(values, seed)))
                except UndefinedError:
                    self.tally.numbers["invalid runs"] += 1
                except TooLongError:
                    self.tally.numbers["invalid runs"] += 1
                    self.tally.numbers["runs too long"] += 1

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
            if any(c.kind in UNTESTED for c in facts.parallelism.conditions):
                numbers["loops with counts under a condition without a test"] += 1
            else:
                self._counts(s, facts)

    def _report(self, kind: str, s: n.Loop, text: str) -> None:
        self.tally.findings.append(Finding(kind, self.nest, s.id, self.facts[s.id].place.line, text))

    # --- yes

    def _yes(self, s: n.Loop, facts: LoopFacts, entries: Entries) -> None:
        if self.reader.rests_on_distinct(facts):
            self.tally.numbers["yes, overlap excluded by an assumption"] += 1
            return
        runner = Runner(self.nest, s, self.reader.claim(s, facts))
        found = self._conflict(s, runner.claim, entries) or self._permuted(s, facts, runner)
        if found is not None:
            kinds = {a.kind for a in facts.parallelism.assumptions}
            excused = kinds & self._excuses(found)
            self._report("assumed" if excused else "parallel", s, found + describe(facts))
        elif runner.unlisted:
            self._report("unlisted", s, f"{sorted(runner.unlisted)} neither private nor reduction" + describe(facts))

    def _excuses(self, found: str) -> set[str]:
        """Kinds of assumptions that a run may have broken: divisors are not assumed, nor rows of which only a step
        tells."""
        said = {"no-overflow", "bound-invariant", "user"}
        if "division by zero" in found or "rows of a step" in self.nest.features:
            return said
        return said | {"in-bounds"}

    def _conflict(self, s: n.Loop, claim: Claim, entries: Entries) -> str | None:
        named = claim.private | claim.last_private | claim.first_private | set(claim.reductions)
        inside = {d.var.name for d in n.walk_all(s.body) if isinstance(d, n.Declare)}
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
        """Where a cell lies during one entry of the loop; None when that depends on data: what memory held by then is
        not recorded (but pointers in memory never change)."""
        machine = self.recorder.machine
        names = dict(BUILTINS) | addresses(machine) | arguments(machine, sizes) | entry.outer
        names["ld_Q"] = lambda address: machine.plain()["ld_Q"](address) if address in machine.pointers else None
        try:
            found: int = eval(Emitter(self.nest, -1).address(spot), names)
        except (NameError, TypeError, UndefinedError):
            return None
        return found

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
        return any(e.conflicts or e.carried for entries in self._further(s) for e in entries)

    def _further(self, s: n.Loop) -> Iterator[list[Entry]]:
        """What the loop did at other sizes and contents, run by run."""
        for k in count():
            if k == len(self.further):
                found = next(self.more, None)
                if found is None:
                    return
                self.further.append(found)
            yield [e for e in self.further[k].entries if e.loop == s.id]

    # --- what is parallel in truth

    def _share(self, s: n.Loop, facts: LoopFacts, entries: Entries) -> None:
        own = [e for _, _, e in entries]
        if "overlap" in self.nest.features or not shown_parallel(self.nest, s, own):
            return
        found = facts.parallelism.verdict is Verdict.YES
        if not found and not self._stays_parallel(s, own):
            return
        if not exercised(s, (*(r for _, _, r in self.runs), *self.further)):
            return
        kind = shape(self.nest, s)
        self.tally.numbers[f"{kind}, parallel in truth"] += 1
        self.tally.numbers[f"{kind}, parallel in truth and answered yes"] += found
        if not found:
            reason = facts.parallelism.reason
            answer = f"{facts.parallelism.verdict.value} {reason.code}: {reason.message}" if reason else "unknown"
            self._report("missed", s, f"{kind}: {answer}")

    def _stays_parallel(self, s: n.Loop, own: list[Entry]) -> bool:
        """Whether no further run shows a dependence, alone or together with all others."""
        everything = list(own)
        for entries in self._further(s):
            if any(e.trips >= TRIPS for e in entries) and not shown_parallel(self.nest, s, entries):
                return False
            everything += entries
        return shown_parallel(self.nest, s, everything)

    # --- counts

    def _counts(self, s: n.Loop, facts: LoopFacts) -> None:
        wrong: set[str] = set()
        for sizes, _, run in self.runs:
            if any(v < 0 for v in sizes.values()):
                continue
            given = {k: v for k, v in arguments(self.recorder.machine, sizes).items() if isinstance(v, int)} | sizes
            mine = [e for e in run.entries if e.loop == s.id]
            told = [("executions", facts.counts.executions, len(mine), given)]
            told += [(name, c, v, given | e.outer) for e in mine for name, c, v in expected(self.nest, facts, e)]
            for name, claim, truth, values in told:
                names = values | {written(k): v for k, v in values.items()}
                if claim is None or name in wrong:
                    continue
                if self.nest.alias and self.reader.breaks(claim.assumptions):
                    self.tally.numbers["counts, overlap excluded by an assumption"] += 1
                    continue
                holds = self._within(s, name, claim, truth, names)
                if not holds or (claimed(claim) and not self._holds(s, name, claim, truth, names)):
                    wrong.add(name)

    def _within(self, s: n.Loop, name: str, count: Count, truth: int, names: dict[str, int]) -> bool:
        """Whether what is touched lies within its bounds, where arrays overlap."""
        bounds = bounds_of(count, names) if self.nest.alias and "footprint" in name else None
        if bounds is None or bounds[0] <= truth <= bounds[1]:
            return True
        told = f"{name} is within {bounds[0]} and {bounds[1]}, in truth {truth}, at {names}"
        self._report(_kind_of(count), s, told)
        return False

    def _holds(self, s: n.Loop, name: str, count: Count | None, truth: int, names: dict[str, int]) -> bool:
        assert count is not None
        try:
            value = value_of(count, names)
        except UnboundSymbolError as error:
            self._report("count", s, f"{name} = {_short(str(count.expr))}: {error}")
            return False
        if value is None:
            self.tally.numbers["exact counts with other symbols"] += 1
            return True
        self.tally.numbers["exact counts compared"] += 1
        if value == truth or (_names_exits(count) and truth < value):
            return True
        told = f"{name} = {_short(str(count.expr))} is {value}, in truth {truth}, at {names}"
        self._report(_kind_of(count), s, told)
        return False


def _short(text: str) -> str:
    return text if len(text) < 300 else text[:300] + " ..."


def _equal(one: Any, two: Any, exact: bool, bound: float = 1e-4) -> bool:
    if one == two or (one != one and two != two):
        return True
    if exact or not isinstance(one, float) or not isinstance(two, float):
        return False
    return one != one or two != two or abs(one - two) <= bound * max(1.0, abs(one), abs(two))


def _names_exits(count: Count) -> bool:
    """Whether a count is one of runs that leave no loop early: others do less."""
    return any(text.partition("(")[0] in UNTESTED for text in count.assumptions)


def _kind_of(count: Count) -> str:
    """A count that names arithmetic which must not wrap may be wrong where it does."""
    return "assumed count" if "no-overflow" in str(count.assumptions) else "count"



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
