"""`python -m tests.accuracy.forms --polybench DIR`: what other forms of nests gain, predicted and measured.

Calibrates this machine, writes the forms of each kernel of PolyBench that `--suggest loops` writes, runs it with the
large data set as it is and as it is then, interleaved, on one thread, and holds the outputs for the medium data set
against each other, bit by bit, without operations that round once for two. Writes validation/forms.md."""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from msgspec import Struct
from tests.clauses.answers import report

from analyzer.change.nests.rearranged import best, rearranged
from analyzer.report.codec import from_json
from analyzer.report.document import Document
from models.calibration.machine import this_machine
from models.calibration.measuring import measure
from models.calibration.profile import device_file

from .measure import interleaved, run
from .polybench import TIMER, programs

PAGE = Path(__file__).resolve().parents[2] / "validation" / "forms.md"
ROUNDS = 5


class Formed(Struct, frozen=True):
    """One program: what was written, how much faster that is likely to make all of it, and is."""

    name: str
    forms: tuple[str, ...]
    likely: float
    low: float
    high: float
    measured: float
    seconds: tuple[float, float]
    is_equal: bool


def formed(suite: Path, source: Path, host: Path, folder: Path) -> Formed | None:
    """One kernel; None where no form is written."""
    options = ["-DLARGE_DATASET", "-DPOLYBENCH_USE_SCALAR_LB", f"-I{suite / 'utilities'}", f"-I{source.parent}"]
    found = report([source], ("--no-cache", "--host", str(host), *options))
    document = from_json(found.decode("utf-8", "surrogateescape"), "the report")
    changes = [file for file in rearranged(document) if file.after != file.before]
    if not changes:
        return None
    (file,) = changes
    texts = (file.before, file.after)
    measured = _seconds(suite, source, texts, folder)
    outputs = [_output(suite, source, text, folder) for text in texts]
    changed = {loop.id for loop, _ in file.changed}
    likely, low, high = (_gain(document, changed, end) for end in ("likely", "low", "high"))
    forms = tuple(f"{word}, line {loop.line}" for loop, word in file.changed)
    equal = outputs[0] == outputs[1]
    return Formed(source.stem, forms, likely, low, high, measured[0] / measured[1], measured, equal)


def _gain(document: Document, changed: set[str], end: str) -> float:
    """Of the function that is timed: its loops as they are, over the same with the forms of some. An end of the range
    has each form's own gain at that end."""
    total = saved = 0.0
    for file in document.files:
        for loop in file.loops:
            host = loop.prediction("host")
            if loop.parent is None and loop.function.startswith("kernel_") and host is not None:
                seconds = host.all_executions_s or host.time_s
                total += seconds.likely if seconds is not None else 0.0
            way = best(loop) if loop.id in changed else None
            if way is not None:
                gain = next(g for g in way.gains or () if g.candidate == "host")
                saved += gain.before_s.likely * (1 - 1 / getattr(gain.speedup, end))
    return total / (total - saved)


def _seconds(suite: Path, source: Path, texts: tuple[str, str], folder: Path) -> tuple[float, float]:
    timer = folder / "timer.c"
    timer.write_text(TIMER)
    built = []
    for text, name in zip(texts, ("as_it_is", "formed"), strict=True):
        program, version = folder / f"{source.stem}.{name}", folder / f"{source.stem}.{name}.c"
        version.write_text(text)
        flags = ["-DLARGE_DATASET", "-DPOLYBENCH_TIME", "-DCLOCK=CLOCK_THREAD_CPUTIME_ID", "-O3", "-march=native"]
        places = [f"-I{suite / 'utilities'}", f"-I{source.parent}"]
        run(["cc", *flags, *places, "-o", str(program), str(version), str(timer), "-lm"])
        built.append([str(program)])
    as_it_is, changed = (median(samples) for samples in interleaved(built, ROUNDS))
    return as_it_is, changed


def _output(suite: Path, source: Path, text: str, folder: Path) -> str:
    version, program = folder / "dumped.c", folder / "dumped"
    version.write_text(text)
    flags = ["-O2", "-ffp-contract=off", "-DMEDIUM_DATASET", "-DPOLYBENCH_DUMP_ARRAYS"]
    places = [f"-I{suite / 'utilities'}", f"-I{source.parent}"]
    run(["cc", *flags, *places, "-o", str(program), str(version), str(suite / "utilities" / "polybench.c"), "-lm"])
    return subprocess.run([program], check=True, capture_output=True, text=True).stderr


def page(rows: list[Formed], tried: int, machine: str) -> str:
    """The page of what was found."""
    factors = sorted(max(r.measured / r.likely, r.likely / r.measured) for r in rows)
    inside = sum(r.low <= r.measured <= r.high for r in rows)
    lines = [
        "# Other forms of nests: predicted and measured gains",
        "",
        f"Made by `python -m tests.accuracy.forms --polybench DIR` on {machine}, calibrated in the same run: gcc -O3",
        f"-march=native, one thread, large data set, medians of {ROUNDS} interleaved runs. Of {tried} kernels, those",
        "that `--suggest loops` changes; predicted is the gain of the whole timed function.",
        "",
        f"Changed: **{len(rows)}**; equal bit by bit (medium data set, `-ffp-contract=off`):",
        f"**{sum(r.is_equal for r in rows)}**; faster: **{sum(r.measured > 1 for r in rows)}**; median error factor",
        f"of the gain **{median(factors):.2f}**, measured gains in the predicted range **{inside} of {len(rows)}**.",
        "",
        "| kernel | forms | as it is | changed | gain | likely gain | low to high | equal |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for r in sorted(rows, key=lambda r: r.measured):
        before, after = (f"{1000 * s:.3g} ms" for s in r.seconds)
        span = f"{r.low:.2f} to {r.high:.2f}"
        equal = "yes" if r.is_equal else "**no**"
        cells = (r.name, "; ".join(r.forms), before, after, f"{r.measured:.2f}", f"{r.likely:.2f}", span, equal)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--polybench", type=Path, required=True)
    suite = parser.parse_args().polybench.resolve()
    with tempfile.TemporaryDirectory() as made:
        folder, machine = Path(made), this_machine()
        host = folder / "host.toml"
        host.write_text(device_file(machine, measure(machine)))
        sources = list(programs(suite))
        rows = [found for source in sources if (found := formed(suite, source, host, folder)) is not None]
    PAGE.write_text(page(rows, len(sources), machine.name))
    return 0 if all(row.is_equal for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
