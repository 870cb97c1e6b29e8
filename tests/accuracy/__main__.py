"""`python -m tests.accuracy` (make accuracy): measured times of kernels beside those that the program predicts.

    python -m tests.accuracy --measure NAME [--polybench DIR] [--rounds N]   calibrates and measures this machine
    python -m tests.accuracy --ways NAME [--polybench DIR]                   anew with vectors and threads, on the same
    python -m tests.accuracy [--polybench DIR]                               joins what is kept in validation/accuracy
    python -m tests.accuracy --residuals                                     what the ends of ranges are made of
    python -m tests.accuracy --published                                     what others published of devices

Writes validation/accuracy.md, and what docs/accuracy.md says of it. Kernels are in a part to tune on and a part to
judge on (kernels.toml): of the second one only the figures are looked at while a model is changed. NAME is the folder
of validation/accuracy that the machine has; one that does something else measures that as well."""

import argparse
import sys
import tempfile
from pathlib import Path

from models.calibration.machine import this_machine

from . import polybench, published, published_page, summary
from .choices import gains, judged
from .join import residuals, statistics
from .joined import Joined, joined
from .kernels import kernels
from .measure import measured, measured_ways
from .page import page
from .records import FOLDER, Record, records

PAGE = FOLDER.parent / "accuracy.md"


def _measure(record: Record, suite: Path | None, rounds: int, *, only_ways: bool) -> None:
    machine = this_machine()
    if machine.is_busy:
        print(f"other programs are running (load {machine.load:.1f}): times will be too long", file=sys.stderr)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if not only_ways:
            record.calibrate(machine)
            found = measured(kernels(), machine, folder, rounds)
            record.keep_times(found + (polybench.measured(suite, folder, rounds) if suite is not None else []))
        found = measured_ways(kernels(), machine, folder, rounds)
        record.keep_ways(found + (polybench.measured_ways(suite, folder, rounds) if suite is not None else []))


def _published() -> None:
    found = list(published.judged())
    for part in ("judge", "tune"):
        print(part, statistics(j.compared for j in found if j.compared.part == part))
        for cause, (low, high) in published.beyond(j.compared for j in found if j.compared.part == part).items():
            print(f"{part}, waits for {cause}: published over the low end {low:.2f}, over the high end {high:.2f}")
    print("all", statistics(j.compared for j in found))
    (FOLDER.parent / published_page.PAGE_NAME).write_text(published_page.page(found), encoding="utf-8")


def _residuals(machines: list[Joined]) -> None:
    for cause, (low, high) in residuals(c for m in machines for c in m.found if c.part == "tune").items():
        print(f"{cause}: {low:.2f} to {high:.2f}")
    low, high = gains(choice for m in machines for choice, _ in m.ways if choice.part == "tune")
    print(f"gain: {low:.2f} to {high:.2f}")


def _print(machine: Joined) -> None:
    for part in dict.fromkeys(c.part for c in machine.found):
        name = f"{machine.name}, {part}"
        print(name, statistics(c for c in machine.found if c.part == part))
        if ways := [row for row in machine.ways if row[0].part == part]:
            print(f"{name}, on all threads", statistics(c for _, c in ways))
            print(name, judged(choice for choice, _ in ways))


def main() -> int:
    raw = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(prog="accuracy", description=__doc__, formatter_class=raw)
    parser.add_argument("--measure", metavar="NAME")
    parser.add_argument("--ways", metavar="NAME")
    parser.add_argument("--polybench", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--residuals", action="store_true")
    parser.add_argument("--published", action="store_true")
    given = parser.parse_args()
    if given.published:
        _published()
        return 0
    name = given.measure or given.ways
    if name is not None:
        _measure(Record(FOLDER / name), given.polybench, given.rounds, only_ways=given.measure is None)
    machines = [joined(record, given.polybench) for record in records()]
    if given.residuals:
        _residuals(machines)
        return 0
    for machine in machines:
        _print(machine)
    if given.polybench is not None:  # without the suite the page would lose its part
        PAGE.write_text(page(machines), encoding="utf-8")
        times = list(summary.results(machines, (j.compared for j in published.judged())))
        text = summary.PAGE.read_text(encoding="utf-8")
        text = summary.written(text, times, list(summary.decisions(machines)))
        summary.PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
