"""Truth by execution over programs of several files: `python -m tests.programs.campaign -n 10000 --seed 1`."""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from .generate import generate
from .judge import Finding, Judge, Tally
from .shrink import shrunk

FATAL = ("failed", "parallel", "conditional", "refused")


def run(seeds: Iterable[str], say: Callable[[Finding], None] = lambda found: None) -> Tally:
    """Generates, analyses, executes and compares the programs of these seeds. `say` is told of findings at once."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(tally, Path(folder))
        for seed in seeds:
            before = len(tally.findings)
            judge.judge(generate(seed))
            for finding in tally.findings[before:]:
                say(finding)
    return tally


def figures(tally: Tally) -> str:
    """The table of a campaign."""
    rows = sorted(tally.numbers.items())
    rows += [(f"findings: {kind}", len(tally.of(kind))) for kind in FATAL]
    rows += [(f"not run: {why}", k) for why, k in tally.left.most_common()]
    return "\n".join(f"{name:70} {number:9}" for name, number in rows)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="programs", description=__doc__)
    parser.add_argument("-n", type=int, default=200, help="number of programs")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    parser.add_argument("--shrink", action="store_true", help="remove what a finding does not need before printing it")
    options = parser.parse_args(arguments)
    started = time.time()

    def say(found: Finding) -> None:
        print(shrunk(found) if options.shrink else found, flush=True)

    tally = run((f"{options.seed}-{k}" for k in range(options.first, options.first + options.n)), say)
    print(figures(tally))
    print(f"{'seconds':70} {time.time() - started:9.0f}")
    return int(bool(tally.findings))


if __name__ == "__main__":
    sys.exit(main())
