"""Trip counts of all headers against executions: `python -m tests.counters.campaign` (make counters).

Every exact or bounded count, every first and last value of a counter, and every `yes` is held against what gcc's code
does with a table of inputs. A claim that names arithmetic that does not wrap (`no-overflow(n - 1)`) says nothing where
it does wrap; one that is excused in every run in which its loop has an iteration is of no use, and listed, too.
Exit status 1 when a claim is wrong.
"""

import argparse
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import Count, LoopFacts, Verdict
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.expr import Expr, UnboundSymbolError, evaluate, parse

from .execution import CAP, MOST_ASSUMED, Entry, execute
from .headers import Header, headers, sample

BATCH = 100


@dataclass(slots=True)
class Claims:
    """What is said of one loop. `assumed`: the arithmetic that its answers are said to rest on."""

    header: Header
    facts: LoopFacts
    assumed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        counts = self.facts.counts
        said = [t for c in (counts.trip_count, counts.loads, counts.stores) for t in self.overflows(c)] + self.of_answer
        self.assumed = list(dict.fromkeys(said))[:MOST_ASSUMED]

    @property
    def of_answer(self) -> list[str]:
        return [a.text for a in self.facts.parallelism.assumptions if a.kind == "no-overflow"]

    def overflows(self, count: Count | None) -> list[str]:
        return re.findall(r"no-overflow\((.*?)\)$", "\n".join(count.assumptions), re.M) if count is not None else []

    def excused(self, texts: Sequence[str], entry: Entry) -> bool:
        """Whether one of these assumptions does not hold in this entry."""
        if entry.iterations is None and any(map(self.header.is_step, texts)):
            return True  # it may wrap later on
        bits = [entry.wrapped if self.header.is_step(t) else entry.broken >> self.assumed.index(t) & 1 for t in texts]
        return any(bits)


@dataclass(slots=True)
class Tally:
    """`wrong` by header: the first entry that contradicts each claim. `idle`: headers whose assumption is never kept.
    `known`: headers by form and by how their trip count is known."""

    numbers: Counter[str] = field(default_factory=Counter)
    wrong: dict[tuple[int, str], str] = field(default_factory=dict)
    idle: dict[int, str] = field(default_factory=dict)
    known: Counter[tuple[str, str]] = field(default_factory=Counter)


def source(chosen: Sequence[Header]) -> str:
    """What is analysed."""
    return "\n".join(_function(k, h) for k, h in enumerate(chosen))


def _function(number: int, h: Header) -> str:
    read = f"a[{h.reads}]" if h.reads else f"b[{h.counter}]"
    body = f"a[{h.counter}] = {read} + 1;"
    arrays = "unsigned *restrict a, const unsigned *restrict b"
    text = h.text.format(d=f"{h.type} ", o=f"{h.type} ", s="", b=body)
    return f"void f{number}({h.type} n, {h.other} m, {arrays})\n{{\n    {text}\n}}"


def claims(chosen: Sequence[Header]) -> list[Claims]:
    """The answers, in the order of the headers."""
    found: list[Claims] = []
    compiler = SourceOptions(compiler=shutil.which("gcc"))
    for first in range(0, len(chosen), BATCH):
        part = chosen[first : first + BATCH]
        file = analyze_file(Path("/counters.c"), compiler, AnalysisOptions(), Path("/"), source(part))
        for h, function in zip(part, file.functions, strict=True):
            found.append(Claims(h, function.loops[-1]))
    return found


def judge(chosen: Sequence[Header]) -> Tally:
    """The claims about these headers against their runs."""
    said, tally = claims(chosen), Tally()
    for each in said:
        tally.numbers["headers"] += 1
        tally.known[each.header.form, _known(each)] += 1
    useful: Counter[int] = Counter()
    ran: Counter[int] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for entry in execute(chosen, [c.assumed for c in said], Path(folder)):
            tally.numbers["entries"] += 1
            if entry.iterations is None:
                tally.numbers[f"entries of more than {CAP} iterations"] += 1
            mine = said[entry.header]
            held = _compare(tally, mine, entry)
            if entry.iterations:
                ran[entry.header] += 1
                useful[entry.header] += held
    for k in ran:
        trip = said[k].facts.counts.trip_count
        if said[k].overflows(trip) and not useful[k]:
            tally.idle[k] = f"{_function(k, said[k].header)}\n    {trip}"
    return tally


def _known(mine: Claims) -> str:
    trip = mine.facts.counts.trip_count
    if trip is None or trip.expr is None or not trip.exact:
        return "unknown" if trip is None or trip.expr is None else "bound"
    return "assumed" if mine.overflows(trip) else "exact"


def _compare(tally: Tally, mine: Claims, entry: Entry) -> bool:
    """Counts what is wrong; whether the trip count's assumptions hold."""
    trip = mine.facts.counts.trip_count
    texts = mine.overflows(trip)
    held = not mine.excused(texts, entry)
    if entry.iterations is None and mine.header.type in ("int", "long"):  # it may overflow, later on
        return held
    yes = mine.facts.parallelism.verdict is Verdict.YES
    if yes and entry.conflict and not mine.excused(mine.of_answer, entry):
        _wrong(tally, mine, entry, "yes", "an iteration reads what another one writes")
    if any(v < 0 for v in entry.inputs.values()):  # symbols are sizes, and sizes are >= 0
        return held
    for name in ("trip_count", "iterations", "loads", "stores"):
        _count(tally, mine, entry, name)
    if entry.iterations and held and not mine.excused(mine.of_answer, entry):
        rising = mine.header.step > 0
        ends = (entry.low, entry.high)
        for name, text in (("lower", mine.facts.lower), ("upper", mine.facts.upper)):
            actual = ends[name == "upper"]
            last = (name == "upper") == rising
            if text is not None and not (last and entry.iterations is None):
                _value(tally, mine, entry, name, parse(text), actual)
    return held


def _count(tally: Tally, mine: Claims, entry: Entry, name: str) -> None:
    count: Count | None = getattr(mine.facts.counts, name)
    if count is None or count.expr is None:
        return
    if mine.excused(mine.overflows(count), entry):
        return
    if count.exact:
        _value(tally, mine, entry, name, count.expr, entry.iterations)
        return
    for sign, bound in (("at least", count.low), ("at most", count.high)):
        if bound is not None:
            _value(tally, mine, entry, f"{name} {sign}", bound, entry.iterations)


def _value(tally: Tally, mine: Claims, entry: Entry, name: str, said: Expr, actual: int | None) -> None:
    value = _at(said, entry.inputs)
    if value is None:
        tally.numbers["claims with other symbols"] += 1
        return
    tally.numbers["claims compared"] += 1
    if actual is None:
        right = name.endswith("at least") or value > CAP
    elif name.endswith("at least"):
        right = value <= actual
    elif name.endswith("at most"):
        right = value >= actual
    else:
        right = value == actual
    if not right:
        _wrong(tally, mine, entry, name, f"{said} is {value}")


def _at(e: Expr, inputs: Mapping[str, int]) -> int | None:
    try:
        return evaluate(e, inputs)  # type: ignore[no-any-return]
    except (UnboundSymbolError, ZeroDivisionError):
        return None


def _wrong(tally: Tally, mine: Claims, entry: Entry, name: str, text: str) -> None:
    tally.numbers[f"wrong {name}"] += 1
    if (entry.header, name) not in tally.wrong:
        at = ", ".join(f"{k} = {v}" for k, v in entry.inputs.items())
        often = f"more than {CAP}" if entry.iterations is None else entry.iterations
        ran = f"{often} iterations, {entry.low} .. {entry.high}"
        tally.wrong[entry.header, name] = f"{_function(entry.header, mine.header)}\n    {name}: {text} ({at}); {ran}"


def table(tally: Tally) -> str:
    """The figures: what was compared, what was wrong, and how trip counts are known, by form."""
    lines = [f"{name:60} {number:9}" for name, number in tally.numbers.items()]
    wrong = Counter(name for _, name in tally.wrong)
    lines += [f"{'headers with a wrong ' + name:60} {number:9}" for name, number in wrong.most_common()]
    lines.append(f"{'headers whose assumption no run with an iteration keeps':60} {len(tally.idle):9}")
    lines.append(f"\n{'trip count':24} {'exact':>7} {'assumed':>8} {'bound':>6} {'unknown':>8}")
    for form in dict.fromkeys(f for f, _ in tally.known):
        row = [tally.known[form, kind] for kind in ("exact", "assumed", "bound", "unknown")]
        lines.append(f"{form:24} {row[0]:7} {row[1]:8} {row[2]:6} {row[3]:8}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="counters", description=__doc__, formatter_class=form)
    parser.add_argument("--share", type=int, default=1, help="one of so many headers (default: all)")
    parser.add_argument("--show", type=int, default=20, help="wrong claims that are printed")
    parser.add_argument("--form", default="", help="only headers whose form begins so")
    options = parser.parse_args(arguments)
    chosen = list(headers()) if options.share == 1 else sample(options.share)
    tally = judge([h for h in chosen if h.form.startswith(options.form)])
    shown = [*list(tally.wrong.values())[: options.show], *list(tally.idle.values())[: options.show]]
    print("\n\n".join([*shown, table(tally)]))
    return int(bool(tally.wrong))


if __name__ == "__main__":
    sys.exit(main())
