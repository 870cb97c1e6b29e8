"""What it costs to know what the functions of a file do, before the first loop of it is analysed.

    python benchmarks/summaries.py FILE.c

Measured is CPU time of one process, per stage, each on top of those before it:

- *text to syntax*: preprocessing, parsing, types (`source.load_unit`; the compiler's own time is not in it);
- *calls*: for every function, what it leads to that nobody can look into (`inlining.unseen_below`);
- *effects*: for every function, its summary, if there is one (`effects.summary`);
- *loop IR*: every function that holds loops is lowered, with the calls in it followed: what the loops are analysed
  from, be there summaries or not;
- *points-to*: for every such function, what its pointers may lead to (`memory.escape.escapes`).

Summaries are calls, effects and points-to together. Functions without loops are lowered where another one needs them,
as in a run: that is part of the effects. Prints figures; asserts nothing.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from analyzer.base.recursion import deep_recursion
from analyzer.driver.garbage_collection import no_collections
from analyzer.loops import effects, inlining, lower_function, syntax
from analyzer.memory.escape import escapes
from analyzer.settings.options import SourceOptions
from analyzer.source import load_unit

SUMMARIES = ("calls", "effects", "points-to")


class Stages:
    """CPU seconds by the name of a stage."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        before = time.process_time()
        yield
        self.spent[name] = time.process_time() - before


@no_collections()
@deep_recursion()
def summarised(path: Path, said: Callable[[str], None] = print) -> dict[str, float]:
    """CPU seconds by stage. Example: `sum(summarised(Path("sqlite3.c")).values())` is that of all."""
    stages = Stages()
    with stages.stage("text to syntax"):
        unit = load_unit(path, SourceOptions(together=(str(path.resolve()),)))
    functions = [d for d in unit.functions if d.node is not None]
    looping = [d for d in functions if d.own and d.node is not None and syntax.holds_loops(d.node.body)]
    with stages.stage("calls"):
        for definition in functions:
            inlining.unseen_below(unit, definition)
    with stages.stage("effects"):
        made = sum(effects.summary(unit, definition) is not None for definition in functions)
    with stages.stage("loop IR"):
        lowered = [lower_function(unit, definition) for definition in looping]
    with stages.stage("points-to"):
        for function in lowered:
            escapes(function)
    said(f"{len(functions)} functions, {made} with a summary, {len(looping)} with loops")
    return stages.spent


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    spent = summarised(Path(sys.argv[1]))
    for name, seconds in spent.items():
        print(f"{name}: {seconds:.1f} s")
    print(f"summaries: {sum(spent[name] for name in SUMMARIES):.1f} s; in all: {sum(spent.values()):.1f} s")


if __name__ == "__main__":
    main()
