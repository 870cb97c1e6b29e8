"""Truth by execution over many nests; `python -m tests.truth.campaign -n 10000 --seed 1` (make truth) gives figures.

With `--files`, over programs of several C files instead (tests/programs).
"""

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Sequence

from .generate import generate
from .judge import Finding, Judge, Tally, answers
from .shape import SHAPES
from .shrink import shrunk

BATCH = 20
FATAL = ("failed", "parallel", "count")


def run(seeds: Iterable[str], batch: int = BATCH) -> Tally:
    """Generates, analyses, executes and compares the nests of these seeds."""
    tally = Tally()
    for group in _groups(list(seeds), batch):
        nests = [generate(seed) for seed in group]
        found = answers(nests)
        for nest in nests:
            if nest.name not in found:
                tally.findings.append(Finding("failed", nest, 0, 0, "internal error of the analyser"))
                continue
            try:
                Judge(nest, found[nest.name], tally).judge()
            except Exception as error:
                error.add_note(f"seed {nest.seed}")
                raise
    return tally


def _groups(seeds: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (seeds[k : k + size] for k in range(0, len(seeds), size))


def figures(tally: Tally) -> str:
    """The table of a campaign."""
    x = tally.numbers
    rows = [
        (k, x[k])
        for k in (
            "nests",
            "nests without a valid run",
            "loops",
            "yes",
            "no",
            "unknown",
            "runs",
            "invalid runs",
            "permuted runs",
        )
    ]
    rows += [
        ("internal errors of the analyser", len(tally.of("failed"))),
        ("yes contradicted by a run", len(tally.of("parallel"))),
        ("yes contradicted only outside its named assumptions", len(tally.of("assumed"))),
        ("yes, overlap excluded by an assumption", x["yes, overlap excluded by an assumption"]),
        ("yes with an unlisted variable", len(tally.of("unlisted"))),
        ("no, shown by a run", x["no, shown by a run"]),
        ("no, not shown", len(tally.of("witness"))),
        *[(k, x[k]) for k in ("no, never run validly for 3 iterations",)],
        ("exact counts compared", x["exact counts compared"]),
        ("exact counts with other symbols", x["exact counts with other symbols"]),
        ("wrong exact counts", len(tally.of("count"))),
        ("counts, overlap excluded by an assumption", x["counts, overlap excluded by an assumption"]),
        ("wrong only outside their assumptions", len(tally.of("assumed count"))),
    ]
    lines = [f"{k:55} {v:9}" for k, v in rows]
    for kind in SHAPES:
        truth, said = x[f"{kind}, parallel in truth"], x[f"{kind}, parallel in truth and answered yes"]
        share = f"{100 * said / truth:.1f} %" if truth else "-"
        lines.append(f"{kind + ', parallel in truth: answered yes':55} {said:9} of {truth} = {share}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="truth", description=__doc__)
    parser.add_argument("-n", type=int, default=1000, help="number of nests")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0, help="number of the first nest")
    parser.add_argument("--show", type=int, default=10, help="findings printed per kind")
    kinds = "failed,parallel,count,unlisted,assumed,witness"
    parser.add_argument("--kinds", default=kinds, help="kinds of findings to print")
    parser.add_argument("--shrink", action="store_true", help="remove what a finding does not need before printing it")
    parser.add_argument("--files", action="store_true", help="programs of two to four files instead of nests")
    options = parser.parse_args(arguments)
    if options.files:
        return _programs(options.n, options.seed, options.first, options.shrink)
    started = time.process_time()
    tally = run(f"{options.seed}-{k}" for k in range(options.first, options.first + options.n))
    for kind in options.kinds.split(","):
        for finding in tally.of(kind)[: options.show]:
            print(shrunk(finding) if options.shrink else finding)
    print(figures(tally))
    print(f"{'CPU seconds':55} {time.process_time() - started:9.0f}")
    return int(any(tally.of(kind) for kind in FATAL))


def _programs(n: int, seed: str, first: int, shrink: bool) -> int:
    from tests.programs.campaign import main as programs

    return programs(["-n", str(n), "--seed", seed, "--first", str(first), *(["--shrink"] if shrink else [])])


if __name__ == "__main__":
    sys.exit(main())
