"""What the analyser says of each loop of a program, and which symbols its formulas need."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import Count, Counts, FileFacts, LoopFacts
from analyzer.ir.nodes import Loop, statements
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.expr import Expr
from models.expr.evaluation import free_symbols

COUNTS = (
    "trip_count",
    "iterations",
    "loads",
    "stores",
    "bytes_loaded",
    "bytes_stored",
    "footprint",
    "read_footprint",
    "write_footprint",
)
"""In the order in which runtime.c writes them."""

_READABLE = re.compile(r"[A-Za-z_](?:[\w.\[\] +*-]|->)*\Z")
_MADE_UP = re.compile(r"(?:p|trip|exit|share|part)@")
"""Weights and trips that are not known on entry."""
_TAKEN = re.compile(r"[(,=?:{]\s*&\s*[A-Za-z_]\w*\s*[,);:}]")
"""The address of a plain variable is taken."""


@dataclass(slots=True)
class Claim:
    """One loop: `number` in the recording, `symbols` the names and C texts whose values are recorded."""

    number: int
    facts: LoopFacts
    file: str
    symbols: dict[str, str]
    objects: tuple[str, ...]
    """Plain names of what it goes through. Local ones must have their address taken, or they have no hooks."""
    innermost: bool
    taken: bool
    """Local scalars of its function may be in memory, where they cannot be told from arrays."""
    instrumented: bool = True
    tested: bool = True
    """It has a condition; without one, what a trip is depends on where the body leaves it."""
    whole: bool = True
    """All loops in it are instrumented and have conditions: its iterations can be counted."""


@dataclass(slots=True)
class Program:
    """The files with loops, by their path below `root`, and the claims about all loops, by number."""

    root: Path
    sources: set[str] = field(default_factory=set)
    texts: dict[str, str] = field(default_factory=dict)
    claims: dict[int, Claim] = field(default_factory=dict)

    def unit(self, file: str) -> int:
        """A number for each source; 0 for all headers, whose functions are part of many."""
        return sorted(self.sources).index(file) + 1 if file in self.sources else 0

    def of(self, file: str) -> Iterator[Claim]:
        return (c for c in self.claims.values() if c.file == file)


def program(root: Path, sources: Iterable[Path], options: SourceOptions) -> Program:
    """Every source analysed by itself; a header's loops are taken from the first that includes it."""
    found = Program(root)
    for source in sources:
        facts = analyze_file(source, options, AnalysisOptions(), root)
        found.sources.add(facts.path)
        for file in (facts, *facts.headers):
            if file.path not in found.texts:
                _add(found, file)
    return found


def _add(found: Program, file: FileFacts) -> None:
    text = found.texts[file.path] = (found.root / file.path).read_text(errors="surrogateescape")
    lines = text.split("\n")
    starts = [f.function.place.line for f in file.functions] + [len(lines) + 1]
    for function in file.functions:
        first = function.function.place.line
        body = "\n".join(lines[first - 1 : min(s for s in starts if s > first) - 1])
        by_id = {loop.id: loop for loop in function.loops}
        for loop in function.loops:
            number = len(found.claims) + 1
            symbols = _symbols(loop, _around(loop, by_id), lines)
            objects = tuple(dict.fromkeys(a.name for a in loop.arrays if a.name.isidentifier()))
            taken = bool(_TAKEN.search(body))
            found.claims[number] = Claim(number, loop, file.path, symbols, objects, _innermost(loop), taken)


def _around(loop: LoopFacts, by_id: Mapping[str, LoopFacts]) -> list[LoopFacts]:
    """The loops that this one is in, innermost first."""
    found = []
    while loop.parent is not None:
        loop = by_id[loop.parent]
        found.append(loop)
    return found


def _innermost(loop: LoopFacts) -> bool:
    return not any(isinstance(s, Loop) for s in statements(loop.loop.body))


def _symbols(loop: LoopFacts, around: Sequence[LoopFacts], lines: Sequence[str]) -> dict[str, str]:
    """What can be read where the loop is entered: not what a `for` sets itself, nothing that the loops around it set
    but their variables, and `n@12`, the n of line 12, only where n is not set again before the loop."""
    names = {s for name in COUNTS for e in formulas(loop.counts, name) for s in free_symbols(e)}
    variables = {x.loop.variable for x in around if x.loop.kind == "for"}
    nest = lines[around[-1].place.line - 1 : around[-1].end_line] if around else ()
    found = {}
    for name in sorted(names):
        text, at, line = name.partition("@")
        own = loop.loop.kind == "for" and text == loop.loop.variable
        if own or not _READABLE.match(text) or _MADE_UP.match(name):
            continue
        if at:
            held = line.isdigit() and int(line) < loop.place.line
            held = held and not _is_set(text, lines[int(line) : loop.place.line - 1])
        else:
            held = text in variables or not _is_set(text, nest)
        if held:
            found[name] = text
    return found


def _is_set(name: str, lines: Iterable[str]) -> bool:
    """Whether the text of these lines shows it."""
    word = rf"(?<![\w.>]){re.escape(name)}(?!\w)"
    changes = re.compile(rf"{word}\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|{word}\s*(?:\+\+|--)|(?:\+\+|--|&)\s*{word}")
    return any(changes.search(line) for line in lines)


def formulas(counts: Counts, name: str) -> list[Expr]:
    """The value of a count, where it is exact, or else its bounds."""
    count: Count | None = getattr(counts, name)
    if count is None:
        return []
    return [e for e in ((count.expr,) if count.exact else (count.low, count.high)) if e is not None]
