"""Moves of the overview come with the block to paste, which is the one of the JSON, or with the command that writes
it."""

import json
import re
import shlex
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from analyzer.report.document import ChangeEntry, EditEntry
from analyzer.report.move_change import hows

from ...conftest import Analyze
from .documents import FIXTURES, analysed

TERMS = " + ".join(f"exp(sin(x[i] * {k})) * exp(cos(x[i] * {k}))" for k in range(1, 5))
HEAVY = f"for (int i = 0; i < LENGTH; i++) y[i] = {TERMS};"
OTHER = "double last{k}(const double *x) {{ double s = 0; for (int i = 0; i < 9; i++) s = s / 3 + x[i]; return s; }}\n"
BY_BLOCK = "void heavy(double *restrict y, const double *restrict x)\n{\n    %s\n}\n" % HEAVY  # noqa: UP031
BESIDE = "void beside(double *restrict y, const double *restrict x) { %s }\n" % HEAVY  # noqa: UP031


@pytest.fixture
def tree(source: Callable[..., Path]) -> Path:
    """Two files with a loop each that is worth a move, among so many others that the overview is shown."""
    many = "".join(OTHER.format(k=k) for k in range(25))
    source(f"#include <math.h>\n#define LENGTH 9000000\n{BY_BLOCK}{many}", "src/own_line.c")
    return source(f"#include <math.h>\n#define LENGTH 8000000\n{BESIDE}{many}", "src/one_line.c").parent


def moves(text: str) -> Iterator[tuple[str, list[str]]]:
    """Place of each move, and the lines below its headline, without their margin."""
    section = text.partition("Worth a move")[2].partition("\n\n")[0]
    for place, lines in re.findall(r"^  (\S+) in \w+\(\)\n((?:      .*\n?)+)", section, re.MULTILINE):
        yield place, [line[6:] for line in lines.splitlines()[1:]]


def joined(lines: list[str]) -> str:
    """A block as one text in which it does not matter where its lines are broken."""
    return " ".join("\n".join(lines).replace("\\\n", " ").split())


def test_a_move_has_the_block_of_the_json(analyze: Analyze, tree: Path) -> None:
    found = dict(moves(analyze("src", "-t", "h200", "-j", 1).out))
    saved = json.loads(analyze("src", "-t", "h200", "-j", 1, "-f", "json").out)
    loops = next(file["loops"] for file in saved["files"] if file["path"] == "src/own_line.c")
    assert len(found) == 2
    lines = found[next(place for place in found if place.startswith("src/own_line.c"))]
    (edit,) = next(loop["change"]["edits"] for loop in loops if loop["line"] == 5)
    assert joined(lines) == joined(edit["text"].splitlines())
    assert all(line.endswith(" \\") for line in lines[:-1])


def test_the_block_stands_in_a_terminal_of_any_width(
    analyze: Analyze, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = []
    for width in ("60", "100"):
        monkeypatch.setenv("COLUMNS", width)
        text = analyze("src", "-t", "h200", "-j", 1).out
        shown.append(joined(dict(moves(text))["src/own_line.c:5:5"]))
    assert shown[0] == shown[1]


def test_a_command_writes_what_has_no_room_or_is_more(analyze: Analyze, tree: Path) -> None:
    """Beside a brace in one line the pragma needs line breaks of its own."""
    found = dict(moves(analyze("src", "-t", "h200", "-j", 1).out))
    (command,) = next(lines for place, lines in found.items() if place.startswith("src/one_line.c:3:"))
    name, *arguments = shlex.split(command)
    assert name == "analyze"
    assert "+#pragma omp target teams distribute parallel for" in analyze(*arguments).out


TRANSPOSED = "#pragma omp parallel for"
DIVIDED = """void turned(int n, double *restrict a, const double *restrict b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i * n + j] = b[j * n + i] + 5;
}
"""


def test_a_directive_for_a_loop_that_is_best_divided_is_for_the_faster_of_both_places(
    analyze: Analyze, source: Callable[..., Path]
) -> None:
    source(DIVIDED, "src/turned.c")
    arguments = ("src/turned.c", "-t", "h200", "--size", "n=4000", "--min-speedup", "25", "--no-cache")
    (file,) = json.loads(analyze(*arguments, "-f", "json").out)["files"]
    loop = file["loops"][0]
    assert loop["recommendation"]["candidate"] == "split"
    times = {p["candidate"]: p["time_s"] for p in loop["predictions"]}
    assert times["host-threads"]["likely"] < times["target"]["likely"]
    assert (loop["change"]["form"], loop["change"]["directive"]) == ("openmp", TRANSPOSED)
    alone = {"device": "xeon6248", "candidate": "host-threads", "time_s": times["host-threads"]}
    assert loop["change"]["alone"] == alone
    page = analyze(*arguments, "-f", "html").out
    assert "no directive divides the loop: this one gives " in page
    asked = analyze(*arguments, "--suggest", "openmp-target").out
    assert "+    #pragma omp target teams distribute parallel for" in asked


PROGRAM = """static float a[3000000], b[3000000];
static void made(void)
{
    for (int i = 0; i < 3000000; i++)
        a[i] = i;
}
static void used(int k)
{
    for (int i = 0; i < 3000000; i++)
        b[i] = b[i] / 2 + k * a[i];
}
int main(void)
{
    made();
    for (int k = 0; k < 500; k++)
        used(k);
    return (int)b[7];
}
"""


def test_the_patch_of_a_program_on_the_page_is_what_its_command_prints(
    analyze: Analyze, source: Callable[..., Path]
) -> None:
    source(PROGRAM, "program.c")
    page = analyze("program.c", "-t", "h200", "-f", "html", "-f", "json=program.json", "--no-cache").out
    (command,) = re.findall(r"<p><code>(analyze [^<]*)</code> writes the directives for what moves", page)
    printed = analyze(*shlex.split(command)[1:]).out
    assert printed.count("+    #pragma omp target") >= 2
    (copied,) = re.findall(r"<pre[^>]*><code data-block='(\"---.*?)'>", page)
    assert json.loads(unescape(copied)) == printed
    (program,) = [json.loads(Path("program.json").read_text(encoding="utf-8"))["program"]]
    assert program["patch"] == {"text": printed, "refused": []}
    assert json.loads(analyze("program.c", "-t", "h200", "-f", "json").out)["program"].get("patch") is None
    assert printed in unescape(analyze("--from-json", "program.json", "-f", "html").out)


def test_moves_of_a_program_that_no_directive_says_are_named_in_place_of_a_command(
    analyze: Analyze, source: Callable[..., Path]
) -> None:
    source(PROGRAM.replace("b[i] = b[i] / 2 +", "b[i] +="), "program.c")
    page = unescape(analyze("program.c", "-t", "h200", "-f", "html", "-f", "json=program.json", "--no-cache").out)
    patch = json.loads(Path("program.json").read_text(encoding="utf-8"))["program"]["patch"]
    assert patch["text"] == ""
    assert len(patch["refused"]) == 2
    assert all(f"Left alone: {one}" in page for one in patch["refused"])
    assert "writes the directives for what moves" not in page


def _moved(texts: list[str]) -> Any:
    """A document, and moves of its first loop that put these texts above it."""
    document = analysed(next(path for path in FIXTURES if path.stem == "perdome"))
    file = document.files[0]
    loop = next(x for x in file.loops if x.recommendation.verdict == "offload")
    entries = [ChangeEntry("openmp", "", (EditEntry(loop.line, 1, loop.line, 1, text),)) for text in texts]
    return document, [(file, replace(loop, change=entry), None) for entry in entries]


def test_a_long_pragma_is_broken_between_its_clauses() -> None:
    text = "  /* Why. */\n  #pragma omp parallel for map(to: a[0:n]) \\\n      map(from: b[0:n])\n"
    (lines,) = hows(*_moved([text]), 45)
    assert lines[0].startswith("analyze ")  # three lines are more than a move has
    first, second = hows(*_moved([text, "#pragma omp simd\n"]), 45)
    assert first == ["/* Why. */", "#pragma omp parallel for map(to: a[0:n]) \\", "        map(from: b[0:n])"]
    assert second == ["#pragma omp simd"]


@pytest.mark.parametrize("number", [1, 3, 8])
def test_all_moves_together_take_two_lines_each(number: int) -> None:
    """The first have what the last do without, and each has something."""
    text = "/* 1 */\n/* 2 */\n/* 3 */\n#pragma omp parallel for\n"
    found = list(hows(*_moved([text] * number), 80))
    assert sum(map(len, found)) <= 2 * number
    assert all(found)
    assert [len(lines) for lines in found] == sorted((len(lines) for lines in found), reverse=True)


def test_what_changes_another_place_is_no_block() -> None:
    document, [(file, loop, _)] = _moved(["#pragma omp simd\n"])
    edit = EditEntry(loop.line, 1, loop.line, 1, "#pragma omp simd\n")
    for edits in ((edit, edit), (replace(edit, line=1, end_line=1),), (replace(edit, end_column=3),)):
        moved = replace(loop, change=ChangeEntry("openmp", "", edits))
        ((line,),) = hows(document, [(file, moved, None)], 80)
        assert line.startswith("analyze ")
