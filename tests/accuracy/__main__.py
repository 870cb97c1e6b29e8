"""`python -m tests.accuracy` (make accuracy): measured times of kernels beside those that the program predicts.

    python -m tests.accuracy --measure [--polybench DIR] [--rounds N]   calibrates and measures this machine
    python -m tests.accuracy --measure ways [--polybench DIR]           with vectors and threads, on the same machine
    python -m tests.accuracy [--polybench DIR]                          joins what is kept in validation/accuracy
    python -m tests.accuracy --residuals                                what the ends of ranges are made of
    python -m tests.accuracy --published                                what others published of devices (published.md)

Writes validation/accuracy.md, and what docs/accuracy.md says of it. Kernels are in a part to tune on and a part to
judge on (kernels.toml): of the second one only the figures are looked at while a model is changed. A machine that does
something else measures that as well."""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import msgspec

from models.calibration.machine import this_machine
from models.calibration.measuring import measure
from models.calibration.profile import device_file
from models.catalogue import Device, load_device

from . import polybench, published, published_page, summary
from .choices import Choice, gains, judged
from .join import Compared, residuals, statistics
from .kernels import kernels
from .measure import Measured, measured, measured_ways
from .page import page
from .predict import Predicted, predicted
from .versions import Way

FOLDER = Path(__file__).resolve().parents[2] / "validation" / "accuracy"
HOST, TIMES, IN_WAYS = FOLDER / "host.toml", FOLDER / "measured.json", FOLDER / "ways.json"
PAGE = FOLDER.parent / "accuracy.md"


def kept(times: Path = TIMES) -> list[Measured]:
    """The measured times that are committed."""
    return msgspec.json.decode(times.read_bytes(), type=list[Measured])


def in_ways(host: Device, suite: Path | None = None) -> Iterator[tuple[Choice, Compared]]:
    """Every choice between ways of running a kernel, and its time on all threads beside the one predicted."""
    known = {kernel.name: kernel for kernel in kernels()}
    for (name, _), group in groupby(sorted(kept(IN_WAYS), key=_case), _case):
        measured_by_way = {m.way: m for m in group}
        m = measured_by_way["threads"]
        suite_kernel = name.partition(":")[2]
        if suite_kernel and suite is None:
            continue
        predicted_by_way: dict[Way, Predicted] = {}
        for way in measured_by_way:
            if suite_kernel:
                assert suite is not None
                p = polybench.predicted(suite, suite_kernel, host, way)
            else:
                p = predicted(known[name].source, known[name].function, host, known[name].known(m.sizes), way)
            if p is not None:
                predicted_by_way[way] = p
        if "host" not in predicted_by_way or "threads" not in predicted_by_way:
            continue
        part, short = ("PolyBench", suite_kernel) if suite_kernel else (known[name].part, name)
        seconds = {way: measured_by_way[way].seconds for way in predicted_by_way}
        likely = {way: p.time.likely for way, p in predicted_by_way.items()}
        p = predicted_by_way["threads"]
        yield (
            Choice(short, part, m.sizes, seconds, likely),
            Compared(short, part, m.sizes, m.seconds, p.time, p.waits_for),
        )


def _case(m: Measured) -> tuple[str, tuple[int, ...]]:
    return m.kernel, tuple(m.sizes.values())


def compared(found: list[Measured], host: Device, suite: Path | None = None) -> Iterator[Compared]:
    """Each measured time with the one predicted for it; PolyBench only where its folder is given."""
    known = {kernel.name: kernel for kernel in kernels()}
    for m in found:
        group, _, name = m.kernel.partition(":")
        if group == polybench.GROUP:
            if suite is not None:
                p = polybench.predicted(suite, name, host)
                yield Compared(name, "PolyBench", m.sizes, m.seconds, p and p.time, p.waits_for if p else "")
            continue
        kernel = known[m.kernel]
        p = predicted(kernel.source, kernel.function, host, kernel.known(m.sizes))
        yield Compared(m.kernel, kernel.part, m.sizes, m.seconds, p and p.time, p.waits_for if p else "")


def _measure(suite: Path | None, rounds: int, only_ways: bool) -> None:
    machine = this_machine()
    if machine.is_busy:
        print(f"other programs are running (load {machine.load:.1f}): times will be too long", file=sys.stderr)
    FOLDER.mkdir(exist_ok=True)
    if not only_ways:
        HOST.write_text(device_file(machine, measure(machine)), encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if not only_ways:
            found = measured(kernels(), machine, folder, rounds)
            _keep(TIMES, found + (polybench.measured(suite, folder, rounds) if suite is not None else []))
        found = measured_ways(kernels(), machine, folder, rounds)
        _keep(IN_WAYS, found + (polybench.measured_ways(suite, folder, rounds) if suite is not None else []))


def _keep(file: Path, found: list[Measured]) -> None:
    file.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=0) + b"\n")


def _published() -> None:
    found = list(published.judged())
    for part in ("judge", "tune"):
        print(part, statistics(j.compared for j in found if j.compared.part == part))
        for cause, (low, high) in published.beyond(j.compared for j in found if j.compared.part == part).items():
            print(f"{part}, waits for {cause}: published over the low end {low:.2f}, over the high end {high:.2f}")
    print("all", statistics(j.compared for j in found))
    (FOLDER.parent / published_page.PAGE_NAME).write_text(published_page.page(found), encoding="utf-8")


def main() -> int:
    raw = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(prog="accuracy", description=__doc__, formatter_class=raw)
    parser.add_argument("--measure", nargs="?", const="all", choices=("all", "ways"))
    parser.add_argument("--polybench", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--residuals", action="store_true")
    parser.add_argument("--published", action="store_true")
    given = parser.parse_args()
    if given.published:
        _published()
        return 0
    if given.measure is not None:
        _measure(given.polybench, given.rounds, given.measure == "ways")
    host = load_device(HOST)
    found, ways = list(compared(kept(), host, given.polybench)), list(in_ways(host, given.polybench))
    if given.residuals:
        for cause, (low, high) in residuals(c for c in found if c.part == "tune").items():
            print(f"{cause}: {low:.2f} to {high:.2f}")
        low, high = gains(choice for choice, _ in ways if choice.part == "tune")
        print(f"gain: {low:.2f} to {high:.2f}")
        return 0
    for part in dict.fromkeys(c.part for c in found):
        print(part, statistics(c for c in found if c.part == part))
        print(part, "on all threads", statistics(c for _, c in ways if c.part == part))
        print(part, judged(choice for choice, _ in ways if choice.part == part))
    if given.polybench is not None:  # without the suite the page would lose its part
        PAGE.write_text(page(found, ways, host), encoding="utf-8")
        times = list(summary.results(found, (c for _, c in ways), (j.compared for j in published.judged())))
        chosen = list(summary.decisions(choice for choice, _ in ways))
        text = summary.written(summary.PAGE.read_text(encoding="utf-8"), times, chosen)
        summary.PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
