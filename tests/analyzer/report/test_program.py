"""The program as a whole in JSON and text, and the options that ask for it."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from analyzer.report.codec import from_json
from analyzer.report.text import Style, render

ROOT = Path(__file__).resolve().parents[3]
HEAT = ROOT / "fixtures" / "c" / "heat"
SCHEMA = ROOT / "src" / "analyzer" / "report" / "schema.json"

KERNEL = "void scale(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 2 * a[i]; }\n"
GLOBAL = """#include <stdio.h>
static double *rows[1000]; static double flat[1000000];
double *row(void);
int main(void) {
    for (int t = 0; t < 1000; t++)
        for (int i = 0; i < 1000000; i++) flat[i] = 0.5 * flat[i] + 1;
    fwrite(flat, 8, 1000000, stdout);
    return 0;
}
"""


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> str:
    from analyzer.command.cli import main

    path = tmp_path_factory.mktemp("heat") / "heat.json"
    assert main([str(HEAT), "-t", "h200", "-f", f"json={path}", "--no-source"]) == 0
    return path.read_text(encoding="utf-8")


def test_json_follows_the_schema_and_reads_back(saved: str) -> None:
    content = json.loads(saved)
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    for part in (schema, *schema["$defs"].values()):
        if "properties" in part:
            part["additionalProperties"] = False
    assert not list(Draft202012Validator(schema).iter_errors(content))
    assert from_json(saved, "saved") == from_json(json.dumps(content), "again")


def test_json_names_are_those_of_the_interface(saved: str) -> None:
    content = json.loads(saved)
    program = content["program"]
    always = {"entry", "sequence", "transfers", "before_s", "after_s", "speedup", "gap", "per_loop_choice_s"}
    assert always <= set(program)
    assert {"loop", "device", "executions", "time_s"} <= set(program["sequence"][0])
    assert {"array", "from", "to", "bytes", "times", "after_loop"} <= set(program["transfers"][0])
    listed = {loop["id"] for file in content["files"] for loop in file["loops"]}
    assert {placed["loop"] for placed in program["sequence"]} <= listed
    moved = sum(placed["time_s"] for placed in program["sequence"]) + sum(t["time_s"] for t in program["transfers"])
    assert program["after_s"] == pytest.approx(moved)
    assert program["speedup"] == pytest.approx(program["before_s"] / program["after_s"])


def test_text_says_what_moves_what_is_copied_and_why(saved: str) -> None:
    text = render(from_json(saved, "saved"))
    section = text[text.index("\nProgram ") :]
    assert "Program     from main(): " in section
    for wanted in ("moves to h200", "solver.c:5 step() × 2 k", "fill() × 3", "copies", "every loop chose for itself"):
        assert wanted in section.replace("\n      ", " ")
    assert "1 more stays on the host as it is" in section


def test_no_line_is_too_long(saved: str) -> None:
    text = render(from_json(saved, "saved"), Style(width=80))
    section = text[text.index("\nProgram ") : text.index("\nLoops ")]
    assert max(map(len, section.splitlines())) <= 80


def test_top_lists_what_to_port_first_in_place_of_all_loops(analyze: Any) -> None:
    ran = analyze(str(HEAT), "-t", "h200", "--top", "2")
    assert ran.code == 0
    assert "\n1. " in ran.out
    assert "in step(): " in ran.out
    assert "more of this group" in ran.out
    assert "to port   14 lines of loops" in ran.out
    assert "\n  hottest()" not in ran.out


def test_top_says_what_else_must_be_touched(analyze: Any, source: Any) -> None:
    source(GLOBAL)
    assert "globals   flat need a copy on h200" in analyze("a.c", "-t", "h200", "--top", "1").out


def test_sizes_make_a_program_of_a_kernel(analyze: Any, source: Any) -> None:
    source(KERNEL)
    without = json.loads(analyze("a.c", "-t", "h200", "-f", "json").out)
    assert without["program"] is None
    assert "--size 'scale:n=VALUE'" in without["no_program"]
    content = json.loads(analyze("a.c", "-t", "h200", "-f", "json", "--size", "n=1000", "--entry", "scale").out)
    assert content["program"]["entry"] == content["options"]["entry"] == "scale"


CONVERGES = """#include <stdio.h>
static double x[1000000];
int main(void) {
    double d = 1.0;
    while (d > 1e-3) {
        for (int i = 0; i < 1000000; i++) x[i] = 0.5 * x[i] + 1.0;
        d *= 0.9;
    }
    printf("%g\\n", x[3]);
    return 0;
}
"""


def test_how_often_a_while_loop_runs_is_a_size_to_give(analyze: Any, source: Any) -> None:
    source(CONVERGES)
    without = json.loads(analyze("a.c", "-t", "h200", "-f", "json").out)
    assert without["no_program"] == "a size is not known in main(); give --size 'main:trip@5=VALUE'"
    given = json.loads(analyze("a.c", "-t", "h200", "-f", "json", "--size", "main:trip@5=66").out)
    assert [p["executions"] for p in given["program"]["sequence"]] == [66]


@pytest.mark.skipif(shutil.which("gcc") is None or shutil.which("gcov") is None, reason="needs gcc and gcov")
def test_or_a_profile_has_counted_it(analyze: Any, source: Any, tmp_path: Path) -> None:
    source(CONVERGES)
    for command in (["gcc", "-O0", "--coverage", "-c", "a.c"], ["gcc", "--coverage", "a.o", "-o", "a"], ["./a"]):
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=60)
    subprocess.run(["gcov", "-b", "--json-format", "a.gcda"], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    (profile,) = tmp_path.glob("*.gcov.json.gz")
    content = json.loads(analyze("a.c", "-t", "h200", "-f", "json", "--profile", str(profile)).out)
    assert [p["executions"] for p in content["program"]["sequence"]] == [66]


def test_without_an_accelerator_nothing_is_placed(analyze: Any, source: Any) -> None:
    source(KERNEL)
    content = json.loads(analyze("a.c", "-t", "q8300", "-f", "json", "--size", "n=1000").out)
    assert content["program"] is None
    assert "no_program" not in content
    assert "Program" not in analyze("a.c", "--size", "n=1000").out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--entry", "scale"), "give an accelerator with --target"),
        (("-t", "h200", "--top", "0"), "--top 0: give the number of loops, 1 or more"),
    ],
)
def test_what_makes_no_sense_is_refused(analyze: Any, source: Any, options: tuple[str, ...], message: str) -> None:
    source(KERNEL)
    ran = analyze("a.c", *options)
    assert ran.code == 2
    assert message in ran.err
