"""`python -m tests.accuracy` (make accuracy): measured times of kernels beside those that the program predicts.

    python -m tests.accuracy --measure [--polybench DIR] [--rounds N]   calibrates and measures this machine
    python -m tests.accuracy [--polybench DIR]                          joins what is kept in validation/accuracy
    python -m tests.accuracy --residuals                                what the ends of ranges are made of
    python -m tests.accuracy --published                                what others published of devices (published.md)

Writes validation/accuracy.md. Kernels are in a part to tune on and a part to judge on (kernels.toml): of the second one
only the figures are looked at while a model is changed. A machine that does something else measures that as well."""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from models.calibration.machine import this_machine
from models.calibration.measuring import measure
from models.calibration.profile import device_file
from models.catalogue import Device, load_device

from . import polybench, published, published_page
from .join import Compared, residuals, statistics
from .kernels import kernels
from .measure import Measured, measured
from .page import page
from .predict import predicted

FOLDER = Path(__file__).resolve().parents[2] / "validation" / "accuracy"
HOST, TIMES = FOLDER / "host.toml", FOLDER / "measured.json"
PAGE = FOLDER.parent / "accuracy.md"


def kept() -> list[Measured]:
    """The measured times that are committed."""
    return msgspec.json.decode(TIMES.read_bytes(), type=list[Measured])


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


def _measure(suite: Path | None, rounds: int) -> None:
    machine = this_machine()
    if machine.is_busy:
        print(f"other programs are running (load {machine.load:.1f}): times will be too long", file=sys.stderr)
    FOLDER.mkdir(exist_ok=True)
    HOST.write_text(device_file(machine, measure(machine)), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        found = measured(kernels(), machine, Path(folder), rounds)
        if suite is not None:
            found += polybench.measured(suite, Path(folder), rounds)
    TIMES.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=0) + b"\n")


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
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--polybench", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--residuals", action="store_true")
    parser.add_argument("--published", action="store_true")
    given = parser.parse_args()
    if given.published:
        _published()
        return 0
    if given.measure:
        _measure(given.polybench, given.rounds)
    host = load_device(HOST)
    found = list(compared(kept(), host, given.polybench))
    if given.residuals:
        for cause, (low, high) in residuals(c for c in found if c.part == "tune").items():
            print(f"{cause}: {low:.2f} to {high:.2f}")
        return 0
    for part in dict.fromkeys(c.part for c in found):
        print(part, statistics(c for c in found if c.part == part))
    if given.polybench is not None:  # without the suite the page would lose its part
        PAGE.write_text(page(found, host), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
