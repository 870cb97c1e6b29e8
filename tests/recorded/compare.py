"""Holds the claims about a program's loops against a recording of them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from models.expr import Expr
from models.expr.evaluation import evaluate, free_symbols

from .claims import COUNTS, Claim, Program
from .instrument import Symbols


@dataclass(frozen=True, slots=True)
class Difference:
    """A count that a run contradicts. `said`: the formula, with `=`, or with the bound that it is."""

    claim: Claim
    count: str
    said: str
    value: int | Fraction | float
    truth: int
    at: Mapping[str, int]
    assumed: bool
    """It may be one of the named assumptions that does not hold in this run: arrays overlap."""

    def __str__(self) -> str:
        sizes = ", ".join(f"{name} = {value}" for name, value in self.at.items())
        where = f" ({sizes})" if sizes else ""
        return f"{self.claim.facts.id}\n    {self.count} {self.said} = {self.value}, counted {self.truth}{where}"


@dataclass(slots=True)
class Comparison:
    """`compared` counts one number of one entry of a loop; `open` those that were not, by reason."""

    compared: int = 0
    run: set[int] = field(default_factory=set)
    differences: list[Difference] = field(default_factory=list)
    open: Counter[str] = field(default_factory=Counter)

    def wrong(self, assumed: bool = False) -> list[list[Difference]]:
        """By loop and count."""
        found: dict[tuple[str, str], list[Difference]] = {}
        for d in self.differences:
            if d.assumed == assumed:
                found.setdefault((d.claim.facts.id, d.count), []).append(d)
        return list(found.values())


def compare(program: Program, symbols: Symbols, lines: Iterable[str]) -> Comparison:
    """`lines` as runtime.c writes them; a last one without an end is no entry."""
    found = Comparison()
    for line in lines:
        if not line.endswith("\n"):
            continue
        number, *fields = line.split()
        claim = program.claims[int(number)]
        found.run.add(claim.number)
        if fields == ["dropped"]:
            found.open["an entry with too many accesses to keep"] += len(COUNTS)
            continue
        truth = dict(zip(COUNTS, map(int, fields), strict=False))
        stack = int(fields[len(COUNTS)])
        texts = zip(symbols.of(claim), fields[len(COUNTS) + 1 :], strict=False)
        _entry(found, claim, truth, stack, {name: int(text) for name, text in texts if text != "-"})
    return found


def _entry(found: Comparison, claim: Claim, truth: dict[str, int], stack: int, sizes: dict[str, int]) -> None:
    for count, actual in truth.items():
        reason = _unfit(claim, count, stack)
        claims = [] if reason else list(_claims(claim, count))
        usable = [(said, e) for said, e in claims if free_symbols(e) <= sizes.keys()]
        needed = {s: sizes[s] for _, e in usable for s in sorted(free_symbols(e))}
        if reason or not claims:
            found.open[reason or "no number is claimed"] += 1
        elif not usable:
            found.open["a symbol has no value at entry"] += 1
        elif any(value < 0 for value in needed.values()):
            found.open["a size below zero, outside the formula's domain"] += 1
        else:
            found.compared += 1
            for said, e in usable:
                value = evaluate(e, needed)
                if not {"=": value == actual, ">=": value <= actual, "<=": value >= actual}[said]:
                    assumed = _assumed(claim, count, value > actual)
                    found.differences.append(Difference(claim, count, f"{said} {e}", value, actual, needed, assumed))


def _unfit(claim: Claim, count: str, stack: int) -> str:
    """Why the recording says nothing certain of this count."""
    if count == "trip_count":
        return "" if claim.tested else "a loop without a condition"
    if count == "iterations":
        return "" if claim.whole else "a loop inside has no condition, or is made by a macro"
    if stack and claim.taken:
        return "local scalars are in memory, since an address is taken"
    return ""


def _assumed(claim: Claim, count: str, larger: bool) -> bool:
    """Where pointers that are taken to be distinct lead to the same bytes, fewer of them are touched."""
    if getattr(claim.facts.counts, count).assumptions:
        return True
    distinct = any(a.kind in ("params-distinct", "rows-distinct") for a in claim.facts.parallelism.assumptions)
    return "footprint" in count and larger and distinct


def _claims(claim: Claim, count: str) -> Iterator[tuple[str, Expr]]:
    """A formula that is exact, or else its bounds."""
    said = getattr(claim.facts.counts, count)
    if said is None:
        return
    for sign, e in (("=", said.expr),) if said.exact else ((">=", said.low), ("<=", said.high)):
        if e is not None:
            yield sign, e


def table(program: Program, found: Comparison, ended: str) -> str:
    """The counts compared, the wrong ones, and what was not compared and why."""
    wrong, assumed = found.wrong(), found.wrong(assumed=True)
    lines = [f"{same[0]}{f', and {len(same) - 1} more' if len(same) > 1 else ''}" for same in wrong]
    rows = [
        ("loops", len(program.claims)),
        ("loops recorded", len(found.run)),
        ("loops that are made by a macro, or whose text was not found", _lost(program)),
        ("counts compared", found.compared),
        ("wrong counts, by loop", len(wrong)),
        ("wrong only where a named assumption may not hold, by loop", len(assumed)),
    ]
    rows += [(f"  not compared: {reason}", number) for reason, number in found.open.most_common()]
    return "\n".join([*lines, *(f"{name:70} {number:9}" for name, number in rows), f"the program ended: {ended}"])


def _lost(program: Program) -> int:
    return sum(not claim.instrumented for claim in program.claims.values())
