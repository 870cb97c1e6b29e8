"""Evaluates the check of every conditional answer where it would stand, while the program runs its own example.

`python -m tests.conditions.campaign DIR --analyze="src -Iinclude" --build='make -k CFLAGS="-O1 -w" LIBS=$RECORDER'
--run="./program example"` analyses the sources as one program, copies the tree, writes recorders into the copy, builds
it by the command, which has to link the library $RECORDER, runs the example, and prints a table: how often each
conditional loop was reached, and its conditions held and failed. Commands are run by the shell in the copy; several
`--run` add up. `cold` and `no-exit` are watched at their lines; conditions with neither a test nor a line are counted.
A check that the compiler refuses is reported, left out, and the program built again. Exit status 1 where one is refused
or crashes; 2 where the program cannot be built. The program must have one thread: build it without OpenMP.
"""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .answers import AnalysisError, Condition, Loop, conditional, read
from .insert import Numbered, recorded, refused_checks

HERE = Path(__file__).parent
ATTEMPTS = 20
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "LC_ALL": "C"}


class BuildError(Exception):
    """The program cannot be built, for a reason that is not a check."""


@dataclass(slots=True)
class Counts:
    reached: int = 0
    held: int = 0
    failed: int = 0
    crashed: bool = False


@dataclass(slots=True)
class Campaign:
    """The copy of a program in `folder`, its conditional loops by file, and what is known of their conditions."""

    folder: Path
    files: dict[Path, list[Numbered]]
    refused: dict[int, str] = field(default_factory=dict)
    watched: set[int] = field(default_factory=set)
    """The conditions that have recorders."""
    missing: dict[int, str] = field(default_factory=dict)
    """Why a condition, or one of its lines, has none."""
    counts: dict[int, Counts] = field(default_factory=dict)

    @property
    def loops(self) -> list[Numbered]:
        return [numbered for listed in self.files.values() for numbered in listed]

    def write(self, originals: dict[Path, str]) -> None:
        """All files with recorders; one that stays as it is keeps its time, so that it is not built again."""
        for path, listed in self.files.items():
            done = recorded(originals[path], str(path), listed, self.refused.keys())
            text = done.text
            self.watched.update(done.watched)
            self.missing.update(done.missing)
            target = self.folder / path
            if target.read_text(errors="surrogateescape") != text:
                target.write_text(text, errors="surrogateescape")


def numbered(answers: Mapping[Path, Sequence[Loop]]) -> dict[Path, list[Numbered]]:
    """Loops and conditions get the numbers that follow each other."""
    found: dict[Path, list[Numbered]] = {}
    loops, conditions = 1, 1
    for path, listed in sorted(answers.items()):
        for loop in sorted(listed, key=lambda loop: (loop.line, loop.column)):
            found.setdefault(path, []).append(Numbered(loop, loops, conditions))
            loops, conditions = loops + 1, conditions + len(loop.required)
    return found


def run_campaign(root: Path, work: Path, options: argparse.Namespace) -> Campaign:
    """Analyse, copy, insert, build, run: the campaign with its counts."""
    if options.answers:
        answers = dict(read(options.answers.read_bytes(), root))
    else:
        answers = conditional(root, shlex.split(options.analyze))
    wanted = {
        path.relative_to(root): [loop for loop in loops if loop.is_divided or not options.divided]
        for path, loops in answers.items()
    }
    tree, log = work / "tree", work / "log"
    shutil.copytree(root, tree, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    campaign = Campaign(tree, numbered(wanted))
    library = _recorder(campaign, work)
    environment = os.environ | ENVIRONMENT | {"RECORDER": str(library), "CONDITIONS_LOG": str(log)}
    _build(campaign, options.build, environment)
    for command in options.run:
        status, printed = _shell(command, tree, environment)
        if status:
            print(f"exit status {status}: {command}\n{printed[-300:]}", file=sys.stderr)
    campaign.counts = counted(log.read_text() if log.exists() else "")
    return campaign


def _recorder(campaign: Campaign, work: Path) -> Path:
    """The library that the program is linked with."""
    loop_of = [n.number for n in campaign.loops for _ in n.numbers]
    lines = [
        f"#define CONDITIONS {len(loop_of)}",
        f"#define LOOPS {len(campaign.loops)}",
        f"#define LOOP_OF {{{', '.join(map(str, [0, *loop_of]))}}}",
    ]
    (work / "numbers.h").write_text("\n".join(lines) + "\n")
    for command in (
        ["gcc", "-O1", "-fPIC", "-I", str(work), "-c", str(HERE / "recorder.c"), "-o", "recorder.o"],
        ["ar", "rcs", "librecorder.a", "recorder.o"],
    ):
        subprocess.run(command, cwd=work, check=True)
    return work / "librecorder.a"


def _shell(command: str, folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    """The exit status of a command, and what it prints."""
    done = subprocess.run(
        command, shell=True, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    return done.returncode, done.stdout.decode(errors="replace")


def _build(campaign: Campaign, command: str, environment: dict[str, str]) -> None:
    """Again without the checks that the compiler refuses."""
    originals = {path: (campaign.folder / path).read_text(errors="surrogateescape") for path in campaign.files}
    for _ in range(ATTEMPTS):
        campaign.write(originals)
        status, printed = _shell(command, campaign.folder, environment)
        if not status:
            return
        refused = refused_checks(printed)
        if not refused.keys() - campaign.refused.keys():
            raise BuildError(printed)
        campaign.refused.update(refused)
    raise BuildError("the compiler goes on refusing checks")


def counted(log: str) -> dict[int, Counts]:
    """The sums of all runs. Example: two lines `1 10 9 1` become 20 times reached, 18 held and 2 failed."""
    found: dict[int, Counts] = {}
    for line in log.splitlines():
        number, *values = line.split()
        counts = found.setdefault(int(number), Counts())
        if values == ["crashed"]:
            counts.crashed = True
            continue
        for name, value in zip(("reached", "held", "failed"), values, strict=True):
            setattr(counts, name, getattr(counts, name) + int(value))
    return found


def outcome(campaign: Campaign, number: int, condition: Condition) -> tuple[str, str, str]:
    """What was seen of a condition, as the table has it: how often it held and failed, and a remark."""
    counts = campaign.counts.get(number, Counts())
    remark = campaign.missing.get(number, "")
    if number in campaign.refused:
        return "", "", f"refused by the compiler: {campaign.refused[number]}"
    if counts.crashed:
        return "", "", "crashed"
    if number not in campaign.watched:
        return "", "", remark
    held = counts.held if condition.check is not None else counts.reached - counts.failed
    return str(held), str(counts.failed), remark


def table(campaign: Campaign) -> str:
    lines = ["| loop | condition | reached | held | failed | |", "|---|---|---|---|---|---|"]
    for path, listed in campaign.files.items():
        for n in listed:
            for number, condition in zip(n.numbers, n.loop.required, strict=True):
                held, failed, remark = outcome(campaign, number, condition)
                reached = campaign.counts.get(number, Counts()).reached
                named = f"`{condition.kind}({condition.text})`"
                lines.append(f"| {path}:{n.loop.line} | {named} | {reached} | {held} | {failed} | {remark} |")
    return "\n".join(lines)


def totals(campaign: Campaign) -> dict[str, int]:
    """Conditions by what became of them."""
    every = {k: c for n in campaign.loops for k, c in zip(n.numbers, n.loop.required, strict=True)}
    counts = {k: campaign.counts.get(k, Counts()) for k in every}
    tests = {k for k, c in every.items() if c.check is not None}
    lines = {k for k in campaign.watched if k not in tests}
    whole = campaign.watched - campaign.missing.keys() - campaign.refused.keys()

    def run(some: set[int]) -> list[Counts]:
        return [counts[k] for k in some & whole if counts[k].reached and not counts[k].crashed]

    figures = {"conditional loops": len(campaign.loops), "conditions": len(every)}
    figures |= {"checks": len(tests), "checks inserted": len(tests & campaign.watched - campaign.refused.keys())}
    figures |= {"checks refused by the compiler": len(campaign.refused)}
    figures |= {"checks that crashed": sum(c.crashed for c in counts.values())}
    for name, some in (("checks", tests), ("conditions of lines", lines)):
        done = run(some)
        figures[f"{name} run"] = len(done)
        figures[f"{name} that always held"] = sum(not c.failed for c in done)
        figures[f"{name} that failed"] = sum(c.failed > 0 for c in done)
        figures[f"{name}: evaluations"] = sum(c.reached for c in done)
        figures[f"{name}: failures"] = sum(c.failed for c in done)
    figures["conditions of lines, watched"] = len(lines & whole)
    figures["conditions of lines, not all of them watched"] = len(campaign.missing.keys() & lines)
    figures["conditions with neither"] = len(every.keys() - campaign.watched)
    figures["loops reached"] = sum(any(counts[k].reached for k in n.numbers) for n in campaign.loops)
    return figures


def main(arguments: Sequence[str] | None = None) -> int:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="conditions", description=__doc__, formatter_class=form)
    parser.add_argument("root", type=Path, metavar="DIR", help="the program's folder, which is copied")
    parser.add_argument("--analyze", default=".", help="arguments of analyze, run in DIR")
    parser.add_argument(
        "--answers", type=Path, metavar="JSON", help="what analyze said, run in DIR, in place of --analyze"
    )
    parser.add_argument("--build", required=True, metavar="COMMAND")
    parser.add_argument("--run", action="append", default=[], metavar="COMMAND")
    parser.add_argument("--divided", action="store_true", help="only loops below a pragma that divides them")
    parser.add_argument("--work", type=Path, help="a new folder for the copy, which is kept")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        work = (options.work or Path(scratch)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        try:
            campaign = run_campaign(options.root.resolve(), work, options)
        except (AnalysisError, BuildError) as error:
            print(f"conditions: {error}", file=sys.stderr)
            return 2
    print(table(campaign))
    print("\n".join(f"{name:48} {value:10}" for name, value in totals(campaign).items()))
    return int(bool(campaign.refused) or any(c.crashed for c in campaign.counts.values()))


if __name__ == "__main__":
    sys.exit(main())
