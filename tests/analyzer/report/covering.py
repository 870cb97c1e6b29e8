"""Which fixtures show all that reports can hold: `make test` tries on these what `make every` tries on all of them.

`python -m tests.analyzer.report.covering` (make covering) analyses every fixture and writes `covering.txt` anew: the
files that one finds by taking the one that adds most for its time, again and again. What a report holds is which
members of which structure are there, and every value of those that are words of a closed list.
"""

import json
import os
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from analyzer.report.document import Document
from analyzer.report.formats import render

from .documents import FIXTURES, analysed, schema

LISTED = Path(__file__).with_name("covering.txt")
EVERY = "BOATHULL_EVERY_FIXTURE"
"""Set in the environment: all fixtures are tried."""
WORDS = ("kind", "idiom", "code", "verdict", "parallel", "construct", "schedule", "operator", "model", "way")
"""Members that hold a word of a closed list; `code` of a reason, elsewhere it is code."""


def tried() -> list[Path]:
    """The fixtures that are listed, or all."""
    if os.environ.get(EVERY):
        return FIXTURES
    names = set(LISTED.read_text(encoding="utf-8").split())
    return [path for path in FIXTURES if path.stem in names]


def shown(value: Any, where: str = "") -> Iterator[str]:
    """What a part of a report shows, as JSON has it. Example: `.files.loops.parallel=yes`, `.files.loops.sweep`."""
    match value:
        case dict():
            for name, held in value.items():
                yield from shown(held, f"{where}.{name if name in _members() else '*'}")
        case list():
            for each in value:
                yield from shown(each, where)
        case str() if where.rpartition(".")[2] in WORDS and not where.endswith(("idioms.code", "alternatives.code")):
            yield f"{where}={value}"
        case None | "":
            pass
        case _:
            yield where


@cache
def _members() -> frozenset[str]:
    """The names of members in the schema: others are names of the program."""
    return frozenset(name for part in schema()["$defs"].values() for name in part.get("properties", ()))


def cheapest(shows: dict[str, frozenset[str]], costs: dict[str, float]) -> list[str]:
    """Names that together show all that any of them shows, and cost little: none of them is needless.

    Example: `cheapest({"a": frozenset("xy"), "b": frozenset("y")}, {"a": 2, "b": 3})` is `["a"]`."""
    left, found = frozenset().union(*shows.values()), list[str]()
    while left:
        best = max(sorted(shows), key=lambda name: len(shows[name] & left) / costs[name])
        found.append(best)
        left -= shows[best]
    for name in sorted(found, key=lambda name: -costs[name]):
        others = frozenset().union(*(shows[other] for other in found if other != name))
        if shows[name] <= others:
            found.remove(name)
    return sorted(found)


def _of(document: Document) -> frozenset[str]:
    return frozenset(shown(json.loads(render(document, "json"))))


def main() -> int:
    shows, costs = {}, {}
    for path in FIXTURES:
        started = time.process_time()
        shows[path.stem] = _of(analysed.__wrapped__(path))
        costs[path.stem] = time.process_time() - started
        print(path.stem, len(shows[path.stem]), f"{costs[path.stem]:.1f} s", file=sys.stderr)
    LISTED.write_text("\n".join(cheapest(shows, costs)) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
