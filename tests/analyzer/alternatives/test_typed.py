"""What is advised, typed as printed, compiled with OpenMP and run beside the loop as it was."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import Alternative
from analyzer.settings.options import AnalysisOptions, SourceOptions

from .programs import C

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="compiles what is advised")

SIZES = (0, 1, 2, 3, 9, 64, 257)

CALLS = {
    "running_variable": "(n, ip, iq)",
    "running_before": "(n, ip, iq)",
    "running_conditionally": "(n, ip, iq)",
    "relaxation": "(n, m, dp)",
    "upper_left": "(n, m, dp)",
    "upper_right": "(n, m, dp)",
    "linearised": "(n, m, (double *)dp)",
    "longest_common": "(n, m, tp, cp, cp + 3)",
    "planes": "(n / 8, vp)",
    "four_apart": "(n, (double *)dp, (double *)vp)",
    "three_and_six": "(n, (double *)dp)",
    "three_and_four": "(n, (double *)dp)",
    "moved_down": "(n, (double *)dp, (double *)vp)",
    "moved_down_twice": "(n, ip)",
    "position_of": "(n, iq, 7)",
    "first_negative": "(n, fp)",
}

PROLOGUE = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *space[2][7];
static size_t bytes[7] = {4096, 4096, 600 * 600 * 8, 600 * 600 * 8, 4096, 4096, 600 * 600 * 4};
static void filled(int seed) {
    for (int k = 0; k < 7; k++) {
        srand(seed + k);
        for (int w = 0; w < 2; w++) space[w][k] = space[w][k] ? space[w][k] : malloc(bytes[k]);
        double *d = space[0][k]; float *f = space[0][k]; char *c = space[0][k]; int *i = space[0][k];
        if (k == 2 || k == 3) for (size_t x = 0; x < bytes[k] / 8; x++) d[x] = rand() % 1000 / 999.0;
        else if (k == 5) for (size_t x = 0; x < bytes[k] / 4; x++) f[x] = rand() % 200 - 3;
        else if (k == 4) for (size_t x = 0; x < bytes[k]; x++) c[x] = rand() % 3;
        else for (size_t x = 0; x < bytes[k] / 4; x++) i[x] = rand() % 99 - 40;
        memcpy(space[1][k], space[0][k], bytes[k]);
    }
}
static int differ(void) {
    int wrong = 0;
    for (int k = 0; k < 7; k++) wrong |= memcmp(space[0][k], space[1][k], bytes[k]) != 0;
    return wrong;
}
"""

TRIED = """
static int try_@(int n, int m) {
    int found[2] = {0, 0};
    for (int w = 0; w < 2; w++) {
        int *ip = space[w][0], *iq = space[w][1]; void *dp = space[w][2], *vp = space[w][3], *tp = space[w][6];
        char *cp = space[w][4]; float *fp = space[w][5];
        if (w) { RESULT @_typedCALL; } else { RESULT @CALL; }
    }
    return differ() || found[0] != found[1];
}
"""

MAIN = """
int main(void) {
    int sizes[] = {SIZES}, count = sizeof sizes / sizeof *sizes;
    for (int s = 0; s < count; s++)
        for (int seed = 1; seed < 3; seed++) {
            int n = sizes[s], m = sizes[(s + seed) % count];
TRIES
        }
    return 0;
}
"""


def text_of(function: str) -> list[str]:
    """The lines of a function of the programs, its loop in lines of its own."""
    lines = C[re.search(rf"^[a-z ]+ {function}\(", C, re.MULTILINE).start() :].splitlines()  # type: ignore[union-attr]
    if lines[0].endswith("}"):
        head, _, rest = lines[0].partition("{ ")
        return [f"{head}{{", f"    {rest.removesuffix(' }')}", "}"]
    return lines[: lines.index("}") + 1]


def typed(lines: list[str], way: Alternative) -> list[str]:
    """The function with the change."""
    at = next(k for k, line in enumerate(lines) if line.lstrip().startswith("for ("))
    indent = re.match(" *", lines[at])[0]  # type: ignore[index]
    match way.kind:
        case "scan":
            above, between = re.findall("`(#pragma [^`]*)`", way.text)
            side, text = re.findall("(before|after) `([^`]*)`", way.text)[0]
            place = next(k for k, line in enumerate(lines) if text in line)
            if text.startswith("if"):
                place += 1
            place += side == "after"
            lines = [*lines[:place], between, *lines[place:]]
            return [*lines[:at], above, *lines[at:]]
        case "groups":
            return [*lines[:at], re.findall("`(#pragma [^`]*)`", way.text)[0], *lines[at:]]
        case "wavefront":
            inner = max(k for k, line in enumerate(lines) if k < at + 2 and line.lstrip().startswith("for ("))
            body, rest = lines[inner + 1 : -1], lines[-1:]
            code = "\n".join(way.code)
            return [*lines[:at], re.sub(r"/\*.*?\*/", lambda _: "\n".join(body), code), *rest]
        case "copy":
            reads, array = re.findall("`([^`]*)`", way.text)[:-1], re.findall("`([^`]*)`", way.text)[-1]
            changed = lines[at]
            for read in reads:
                changed = changed.replace(f"{array}{read.removeprefix(array)}", f"old{read.removeprefix(array)}")
            copy = f"__typeof__(*{array}) old[n + 1]; memcpy(old, {array}, n * sizeof *old);"
            return [*lines[:at], indent + copy, "#pragma omp parallel for", changed, *lines[at + 1 :]]
        case "search":
            miss = "-1" if "return -1" in lines[-2] else "first"
            kept = [line for line in lines[:at] if "int i;" not in line]
            return [*kept, *way.code, f"return first < n ? first : {miss};", "}"]
        case _:
            raise AssertionError(way.kind)


@pytest.fixture(scope="module")
def differing(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The functions that do something else as typed, for some size and contents."""
    facts = analyze_file(Path("ways.c"), SourceOptions(), AnalysisOptions(), text=C)
    ways = {f.function.name: f.loops[0].alternatives for f in facts.functions if f.loops}
    parts, tries = [PROLOGUE], []
    for function, call in CALLS.items():
        lines = text_of(function)
        changed = "\n".join(typed(lines, ways[function][0])).replace(f" {function}(", f" {function}_typed(", 1)
        result = "found[w] =" if lines[0].startswith("int") else ""
        tried = TRIED.replace("@", function).replace("CALL", call).replace("RESULT", result)
        parts += ["\n".join(lines), changed, tried]
        tries.append(f'filled(seed); if (try_{function}(n, m)) puts("{function}");')
    parts.append(MAIN.replace("SIZES", ", ".join(map(str, SIZES))).replace("TRIES", "\n".join(tries)))
    folder = tmp_path_factory.mktemp("typed")
    (folder / "typed.c").write_text("\n".join(parts), encoding="utf-8")
    command = ["gcc", "-O1", "-fopenmp", "-ffp-contract=off", "-w", "typed.c", "-o", "typed"]
    subprocess.run(command, cwd=folder, timeout=120, check=True)
    with_threads = {"OMP_NUM_THREADS": "3"}
    done = subprocess.run(["./typed"], cwd=folder, env=with_threads, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize("function", CALLS)
def test_as_typed(function: str, differing: list[str]) -> None:
    assert function not in differing
