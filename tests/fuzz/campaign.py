"""Many inputs through the command: none may end in an error of ours, take more than 10 s of CPU or more than 500 MB.

`python -m tests.fuzz.campaign -n 50000 --seed 1 --corpus DIR` (make fuzz) prints the figures; each finding stands in
the folder of `--out` as a text, cut down as far as it still shows the same.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha1
from pathlib import Path
from random import Random

from msgspec import Struct, field

from .extremes import texts
from .grammar import unit
from .hostile import SHAPES
from .minimise import minimised
from .mutate import mutated
from .running import Job, Run, run, warm

FIXTURES = Path(__file__).parents[2] / "fixtures" / "c"
LONGEST_PIECE = 60
"""Lines of a file of the corpus that one input is made of."""

OPTIONS: tuple[tuple[str, ...], ...] = (
    *((), (), ("-t", "h200"), ("-t", "h200"), ("-t", "gtx470", "--size", "n=1000", "--strict-fp")),
    ("-t", "h200", "-f", "json=o.json", "-f", "html=o.html", "-f", "sarif=o.sarif", "-f", "csv=o.csv", "-f", "concise"),
    (
        "-f",
        "markdown",
        "-f",
        "github=o",
        "-f",
        "gitlab=p",
        "-f",
        "jsonl=q",
        "--assume",
        "none",
        "--count-as",
        "textual",
    ),
    ("-t", "h200,gtx470", "--assume", "members", "--top", "3", "--count-as", "references"),
)


class Tally(Struct):
    """What a campaign found so far."""

    inputs: int = 0
    loops: int = 0
    codes: Counter[int] = field(default_factory=Counter)
    defects: Counter[str] = field(default_factory=Counter)
    places: Counter[str] = field(default_factory=Counter)
    cpu_s: float = 0
    slowest: tuple[float, int] = (0, 0)
    largest: tuple[float, int] = (0, 0)


def corpus(folders: Sequence[Path]) -> list[str]:
    """The texts of all C files of these folders; a file that is no UTF-8 is read as Latin-1."""
    files = sorted(f for folder in folders for f in folder.rglob("*.[ch]") if f.is_file())
    return [f.read_bytes().decode("latin-1").replace("\0", "") for f in files]


def job(seed: int, number: int, material: Sequence[str]) -> Job:
    """The input of this number: the same whenever it is asked for."""
    random = Random(f"{seed}/{number}")
    kind = random.random()
    if kind < 0.45:
        text = unit(random)
    elif kind < 0.85:
        text = mutated(_piece(material, random), [_piece(material, random), unit(random)], random)
    elif kind < 0.92:
        text = mutated(unit(random), [_piece(material, random)], random)
    elif kind < 0.97:
        shape, most = random.choice(list(SHAPES.values()))
        text = shape(random.randint(3, max(4, min(40, most))))
    else:
        text = mutated(random.choice(texts()), [unit(random)], random, 2)
    return Job(text, random.choice(OPTIONS), random.random() < 0.6)


def _piece(material: Sequence[str], random: Random) -> str:
    """Some lines of a file of the corpus, from the beginning of a definition where there is one."""
    lines = random.choice(material).split("\n")
    starts = [k for k, line in enumerate(lines) if line[:1].isalpha() or line.startswith(("#", "_"))] or [0]
    start = random.choice(starts)
    return "\n".join(lines[start : start + random.randint(10, LONGEST_PIECE)]) + "\n"


def campaign(inputs: int, seed: int, material: Sequence[str], out: Path | None, first: int = 0) -> Tally:
    """Runs the inputs and counts; of each kind of finding the first one is written to `out`, cut down."""
    tally = Tally()
    for number in range(first, first + inputs):
        each = job(seed, number, material)
        found = run(each)
        _count(tally, number, found)
        if number % 500 == 499:
            print(figures(tally), file=sys.stderr, flush=True)
        if not found.defect:
            continue
        what = f"{found.defect}: {found.place}"
        tally.places[what] += 1
        print(f"input {number}: {what} ({found.cpu_s:.1f} s, {found.peak_mb:.0f} MB)", file=sys.stderr, flush=True)
        if out is not None and tally.places[what] == 1:
            _write(out, f"{seed}-{number}", each, found, what)
    return tally


def _count(tally: Tally, number: int, found: Run) -> None:
    tally.inputs += 1
    tally.loops += found.loops
    tally.cpu_s += found.cpu_s
    tally.codes[found.code] += 1
    tally.defects[found.defect] += 1
    tally.slowest = max(tally.slowest, (found.cpu_s, number))
    tally.largest = max(tally.largest, (found.peak_mb, number))


def _write(out: Path, name: str, each: Job, found: Run, what: str) -> None:
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{name}-{sha1(what.encode()).hexdigest()[:8]}.c"
    path.write_text(each.text, encoding="utf-8", errors="surrogateescape")
    small = minimised(each, found)
    said = "".join(f"// {line}\n" for line in (what, f"options: {each.options}, built-in: {each.builtin}"))
    path.with_suffix(".small.c").write_text(said + small, encoding="utf-8", errors="surrogateescape")
    path.with_suffix(".txt").write_text(f"{what}\n{found.said}", encoding="utf-8", errors="replace")


def figures(tally: Tally) -> str:
    """The table of a campaign."""
    rows: Iterator[tuple[str, object]] = iter(
        (
            ("inputs", tally.inputs),
            ("loops that were found in them", tally.loops),
            ("exits, by code", ", ".join(f"{code}: {times}" for code, times in sorted(tally.codes.items()))),
            ("errors of ours", tally.defects["crash"]),
            ("more than 10 s of CPU", tally.defects["time"]),
            ("more than 500 MB", tally.defects["memory"]),
            ("kinds of findings", len(tally.places)),
            ("CPU, all together", f"{tally.cpu_s:.0f} s"),
            ("slowest", f"{tally.slowest[0]:.2f} s (input {tally.slowest[1]})"),
            ("largest", f"{tally.largest[0]:.0f} MB (input {tally.largest[1]})"),
        )
    )
    return "\n".join(f"{name:32} {value}" for name, value in rows)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("-n", type=int, default=1000, help="number of inputs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument(
        "--corpus", type=Path, action="append", default=[], help="C code to mutate, beside the fixtures"
    )
    parser.add_argument("--out", type=Path, help="folder of the findings")
    chosen = parser.parse_args(arguments)
    warm()
    tally = campaign(chosen.n, chosen.seed, corpus([FIXTURES, *chosen.corpus]), chosen.out, chosen.first)
    print(figures(tally))
    for place, times in tally.places.most_common():
        print(f"{times:6}  {place}")
    return int(bool(tally.places))


if __name__ == "__main__":
    sys.exit(main())
