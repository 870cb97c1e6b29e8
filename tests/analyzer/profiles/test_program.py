"""A real program of several files, compiled with --coverage, run and analysed with its profile.

The truth is counted apart from gcov: a copy of the program has a counter before each loop and one in its body."""

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from analyzer.command.cli import main

FIXTURES = Path(__file__).parents[3] / "fixtures" / "c" / "profile"
MISSING = next((tool for tool in ("gcc", "gcov", "gprof") if shutil.which(tool) is None), None)
pytestmark = pytest.mark.skipif(MISSING is not None, reason=f"{MISSING} is not installed")

_LOOP = re.compile(r"^(\s*)((?:for|while) \(.*\) \{|do \{)$")
_COUNTERS = """
#include <stdio.h>
#include <stdlib.h>
static long counted_entries[1000], counted_steps[1000];
static void counted_report(void) {
  for (int i = 0; i < 1000; i++)
    if (counted_entries[i])
      fprintf(stderr, "COUNTED %s %d %ld %ld\\n", __FILE__, i, counted_entries[i], counted_steps[i]);
}
static int counted_asked;
#define ENTER(i) (counted_asked++ ? 0 : atexit(counted_report), counted_entries[i]++)
#define STEP(i) counted_steps[i]++;
"""


def _run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120, check=True)


def _truth(folder: Path, arguments: tuple[str, ...]) -> dict[tuple[str, int], tuple[int, int]]:
    """Entries and iterations of every loop, by file and line: those of all loops of the fixtures."""
    folder.mkdir()
    for path in sorted(FIXTURES.iterdir()):
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            found = _LOOP.match(line)
            assert found or not re.match(r"\s*(for|while|do)\b", line), f"{path}:{number}: no loop that can be counted"
            if found:
                lines[number - 1] = f"{found[1]}ENTER({number}); {found[2]} STEP({number})"
        text = "\n".join([*lines, ""])
        if path.name == "sparse.h":  # once for each unit that includes it
            text = text.replace("#ifndef SPARSE_H", "#ifndef SPARSE_H\n#line 1")
        (folder / path.name).write_text(f"{_COUNTERS if path.suffix == '.c' else ''}{text}", encoding="utf-8")
    sources = sorted(path.name for path in FIXTURES.glob("*.c"))
    _run("gcc", "-O0", "-o", "counted", *sources, "-lm", cwd=folder)
    done = _run("./counted", *arguments, cwd=folder)
    assert "WRONG" not in done.stdout
    assert done.stdout.count("right") == 2
    counts: dict[tuple[str, int], tuple[int, int]] = {}
    for name, line, entries, steps in re.findall(r"COUNTED (\S+) (\d+) (\d+) (\d+)", done.stderr):
        key = _where(name, int(line))
        known = counts.get(key, (0, 0))
        counts[key] = known[0] + int(entries), known[1] + int(steps)
    return counts


def _where(unit: str, line: int) -> tuple[str, int]:
    """The counters of a header's loops are in the units that include it, under the line in the header."""
    text = (FIXTURES / unit).read_text(encoding="utf-8").splitlines()
    is_here = line <= len(text) and _LOOP.match(text[line - 1])
    return (unit if is_here else "sparse.h"), line


def build(folder: Path, *flags: str) -> None:
    folder.mkdir(exist_ok=True)
    for path in FIXTURES.iterdir():
        shutil.copy(path, folder / path.name)
    sources = sorted(path.name for path in FIXTURES.glob("*.c"))
    _run("gcc", "-O0", *flags, "-o", "heat", *sources, "-lm", cwd=folder)


@pytest.fixture(scope="module")
def profiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program with its profile of one run beside it."""
    folder: Path = tmp_path_factory.mktemp("profile") / "heat"
    build(folder, "--coverage")
    _run("./heat", cwd=folder)
    _run("gcov", "-b", "--json-format", *sorted(p.name for p in folder.glob("*.gcda")), cwd=folder)
    assert len(list(folder.glob("*.gcov.json.gz"))) == 3
    return folder


def analysed(folder: Path, *flags: str) -> dict[str, Any]:
    out = folder / "report.json"
    assert main([*map(str, sorted(folder.glob("*.c"))), "-t", "h200", "-f", f"json={out}", *flags]) == 0
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return found


def _loops(report: dict[str, Any]) -> dict[tuple[str, int], dict[str, Any]]:
    return {(f["path"].rsplit("/", 1)[-1], loop["line"]): loop for f in report["files"] for loop in f["loops"]}


def test_trip_counts_are_those_of_the_run(profiled: Path, tmp_path: Path) -> None:
    truth = _truth(tmp_path / "counted", ())
    loops = _loops(analysed(profiled, "--profile", str(profiled)))
    assert loops.keys() == truth.keys()
    assert len(truth) == 15
    for place, (entries, iterations) in truth.items():
        loop = loops[place]
        assert loop["profile"]["entries"] == entries, place
        assert loop["profile"]["iterations"] == iterations, place
        assert loop["trip_count"]["value"] == pytest.approx(iterations / entries), place


def test_runs_add_up(profiled: Path, tmp_path: Path) -> None:
    """Two runs of one program into one profile, and one profile from two folders."""
    other = tmp_path / "heat"
    shutil.copytree(profiled, other)
    for path in other.glob("*.gcda"):
        path.unlink()
    build(other, "--coverage")
    _run("./heat", "8", "6", cwd=other)
    _run("gcov", "-b", "--json-format", *sorted(p.name for p in other.glob("*.gcda")), cwd=other)
    small, large = _truth(tmp_path / "a", ("8", "6")), _truth(tmp_path / "b", ())
    loops = _loops(analysed(other, "--profile", str(other)))
    assert {key: (x["profile"]["entries"], x["profile"]["iterations"]) for key, x in loops.items()} == small
    _run("./heat", cwd=other)
    _run("gcov", "-b", "--json-format", *sorted(p.name for p in other.glob("*.gcda")), cwd=other)
    loops = _loops(analysed(other, "--profile", str(other)))
    for key, loop in loops.items():
        assert loop["profile"]["iterations"] == small[key][1] + large[key][1], key


def test_sizes_and_weights_come_from_the_run(profiled: Path) -> None:
    report = analysed(profiled, "--profile", str(profiled))
    symbols = {(s["scope"].rsplit("/", 1)[-1], s["name"]): s for s in report["symbols"]}
    assert (
        symbols["matrix.c:heat_matrix", "width"] | {"value": 40, "source": "profile"}
        == symbols["matrix.c:heat_matrix", "width"]
    )
    assert symbols["matrix.c:heat_matrix", "height"]["value"] == 30
    assert symbols["sparse.h:dot", "n"]["value"] == 1200
    conditions = {c["line"]: c for c in _loops(report)["matrix.c", 15]["conditions"]}
    assert conditions[21]["source"] == "profile"
    assert conditions[21]["weight"] == pytest.approx(140 / 4800)  # 2 * (40 + 30) neighbours are outside
    assert conditions[4]["source"] == "assumed"  # `&&`: several conditions on a line
    dot = _loops(report)["sparse.h", 18]
    assert all(p["time_s"] is not None for p in dot["predictions"])


def test_what_the_user_says_wins(profiled: Path) -> None:
    report = analysed(profiled, "--profile", str(profiled), "--size", "heat_matrix:width=7")
    values = {(s["scope"].rsplit(":", 1)[-1], s["name"]): (s["value"], s["source"]) for s in report["symbols"]}
    assert values["heat_matrix", "width"] == (7, "option")


def test_the_projection_is_printed_with_coverage_and_speedups(
    profiled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*map(str, sorted(profiled.glob("*.c"))), "-t", "h200", "--profile", str(profiled)]) == 0
    text = capsys.readouterr().out
    assert "Projection  coverage from predicted host times, since the profile has none" in text
    assert re.search(r"reduction +\d+\.\d % +\S+x +\S+x +\S+x", text)
    report = analysed(profiled, "--profile", str(profiled))
    projection = report["projection"]
    assert not projection["measured"]
    assert sum(b["coverage"] for b in projection["blocks"]) == pytest.approx(1)
    assert sum(i["coverage"] for i in projection["idioms"]) == pytest.approx(1)
    by_idiom = {i["idiom"]: i for i in projection["idioms"]}
    assert set(by_idiom["stream"]["speedups"]) >= {"all threads", "h200"}
    remaining = sum(b["coverage"] / b["speedup"] for b in projection["blocks"])
    assert projection["remaining"] == pytest.approx(remaining)


def test_times_of_functions_by_gprof(tmp_path: Path) -> None:
    folder = tmp_path / "timed"
    build(folder, "-pg")
    _run("./heat", "300", "200", cwd=folder)
    flat = _run("gprof", "-b", "-p", "heat", "gmon.out", cwd=folder).stdout
    (folder / "times.txt").write_text(flat, encoding="utf-8")
    if re.search(r"^ +\d+\.\d\d .* multiply$", flat, re.MULTILINE) is None:
        pytest.skip("the run was too short for gprof")
    projection = analysed(folder, "--profile", str(folder / "times.txt"))["projection"]
    assert projection["measured"]
    shares = {b["loop"].split(":")[1]: b["coverage"] for b in projection["blocks"]}
    found = re.search(r"^ *(\d+\.\d+).* multiply$", flat, re.MULTILINE)
    assert found is not None
    assert shares["multiply"] == pytest.approx(float(found[1]) / 100)


# --- stale profiles


def _refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    sources = [*map(str, sorted(folder.glob("*.c")))]
    assert main([*sources, "-t", "h200", "--profile", str(folder)]) == 2
    said = capsys.readouterr().err
    assert "stale for " in said
    assert "to refresh it compile with -O0 --coverage, run, and `gcov -b --json-format *.gcda`" in said
    return said


@pytest.mark.parametrize("as_old_as_it_was", [False, True])
@pytest.mark.parametrize("file", ["solver.c", "sparse.h"])
def test_a_changed_source_is_refused(
    profiled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str, *, as_old_as_it_was: bool
) -> None:
    folder = tmp_path / "heat"
    shutil.copytree(profiled, folder)
    _moved(folder, profiled)
    changed = folder / file
    before = changed.stat()
    changed.write_text("\n\n" + changed.read_text(encoding="utf-8"), encoding="utf-8")
    if as_old_as_it_was:
        os.utime(changed, (before.st_atime, before.st_mtime))
    said = _refused(folder, capsys)
    assert file in said
    assert ("was changed after the profile was made" in said) != as_old_as_it_was


def _moved(folder: Path, origin: Path) -> None:
    """The profile as if the program had been compiled in `folder`."""
    import gzip

    for path in folder.glob("*.gcov.json.gz"):
        text = gzip.decompress(path.read_bytes()).decode().replace(str(origin), str(folder))
        made = path.stat().st_mtime
        path.write_bytes(gzip.compress(text.encode()))
        os.utime(path, (made, made))


def test_a_cut_source_is_refused(profiled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "heat"
    shutil.copytree(profiled, folder)
    cut = (folder / "matrix.c").read_text(encoding="utf-8").splitlines()[:42]
    (folder / "matrix.c").write_text("\n".join(cut) + "\n", encoding="utf-8")
    hour = time.time() - 3600
    os.utime(folder / "matrix.c", (hour, hour))
    assert "the source ends at line 42" in _refused(folder, capsys)
