"""`--top N` always ranks: by measured time, by counted iterations, by growth; blocked loops keep their place."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

SOURCE = """\
extern double kernel(double);
void forces(int n, double *f, const double *x, const int *list, int m) {
    for (int i = 0; i < n; i++)
        f[i] = 0;
    for (int k = 0; k < m; k++) {
        int i = list[2 * k], j = list[2 * k + 1];
        f[i] += kernel(x[i] - x[j]);
        f[j] -= kernel(x[i] - x[j]);
    }
}
void update(int n, double *restrict x, const double *restrict f) {
    for (int i = 0; i < n; i++)
        x[i] += 0.1 * f[i];
}
void never(int n, int m, double *restrict x, const double *restrict f) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            x[i * m + j] = f[i * m + j];
}
int options(int argc, char **argv) {
    int found = 0;
    for (int a = 1; a < argc; a++)
        found += argv[a][0] == '-';
    return found;
}
void text(const char *s, int *words) {
    for (int i = 0; s[i]; i++)
        for (int j = i; s[j]; j++)
            if (s[j] == ' ')
                *words += 1;
}
"""


def ranked(out: str) -> list[str]:
    """What is said of each rank, on one line."""
    top = out[out.index("\nTop ") : out.index("\nLoops ")]
    items = re.split(r"^\d+\. +", top, flags=re.MULTILINE)[1:]
    return [" ".join(item.split("\n\n")[0].split()) for item in items]


def profiled(analyze: Any, source: Any, tmp_path: Path, csv: str, *more: str) -> str:
    path, profile = source(SOURCE), tmp_path / "perf.csv"
    profile.write_text(csv, encoding="utf-8")
    ran = analyze(path.name, "-t", "h200", "--no-cache", "--profile", profile.name, *more)
    assert ran.code == 0
    return str(ran.out)


BY_LINE = """# Overhead,Symbol,Source:Line
 90.70%,[.] forces,a.c:7
 5.00%,[.] forces,a.c:4
 3.00%,[.] update,a.c:13
"""


def test_a_hot_loop_that_cannot_be_timed_keeps_its_measured_share(analyze: Any, source: Any, tmp_path: Path) -> None:
    found = ranked(profiled(analyze, source, tmp_path, BY_LINE, "--top", "2"))
    assert len(found) == 2
    assert found[0].startswith("90.7% of the time, a.c:5 in forces() blocked: ")
    assert "kernel" in found[0]
    assert found[1].startswith("5.0% of the time, a.c:3 in forces()")


def test_what_the_profile_did_not_see_is_not_ranked(analyze: Any, source: Any, tmp_path: Path) -> None:
    found = ranked(profiled(analyze, source, tmp_path, BY_LINE, "--top", "9"))
    assert [re.search(r"in (\w+)\(\)", item)[1] for item in found] == ["forces", "forces", "update"]  # type: ignore[index]


def test_a_time_by_function_is_not_given_to_the_one_loop_with_a_time(analyze: Any, source: Any, tmp_path: Path) -> None:
    """The loop that clears the array can be timed, the one that computes forces cannot."""
    by_function = "# Overhead,Symbol\n 95.70%,[.] forces\n 3.00%,[.] update\n"
    out = profiled(analyze, source, tmp_path, by_function, "--top", "3", "-f", "text", "-f", "json=o")
    found = ranked(out)
    assert found[0].startswith("95.7% of the time, forces() in a.c in which of its loops, the profile does not say")
    assert found[1].startswith("3.0% of the time, a.c:12 in update()")
    told = json.loads((tmp_path / "o").read_text(encoding="utf-8"))["projection"]
    assert [block["loop"] for block in told["blocks"]] == ["a.c:update:12:5"]
    assert told["functions"] == [{"path": "a.c", "function": "forces", "coverage": pytest.approx(0.957)}]


def test_a_function_of_one_nest_that_cannot_be_timed_keeps_its_time(analyze: Any, source: Any, tmp_path: Path) -> None:
    found = ranked(profiled(analyze, source, tmp_path, "# Overhead,Symbol\n 60.00%,[.] text\n", "--top", "3"))
    assert [item.split(" blocked")[0] for item in found] == ["60.0% of the time, a.c:27 in text()"]


def test_lines_between_inner_loops_are_those_of_the_loop_around_them(analyze: Any, source: Any, tmp_path: Path) -> None:
    nest = """\
void steps(int n, int t, double *restrict x, double *restrict y) {
    for (int s = 1; s < t; s++) {
        y[0] = y[0] * y[0] + s;
        for (int i = 1; i < n; i++)
            x[i] = y[0] * x[i];
    }
}
"""
    source(nest)
    (tmp_path / "p.csv").write_text("# Overhead,Symbol,Source:Line\n 80%,[.] steps,a.c:3\n 10%,[.] steps,a.c:5\n")
    found = ranked(analyze("a.c", "-t", "h200", "--no-cache", "--profile", "p.csv", "--top", "3").out)
    assert found[0].startswith("80.0% of the time, a.c:2 in steps() blocked: ")
    assert found[1].startswith("10.0% of the time, a.c:4 in steps()")


def test_without_a_profile_by_how_the_work_grows(analyze: Any, source: Any) -> None:
    source(SOURCE)
    ran = analyze("a.c", "-t", "h200", "--no-cache", "--top", "9")
    found = ranked(ran.out)
    places = [re.search(r"in (\w+)\(\)", item)[1] for item in found]  # type: ignore[index]
    assert places == ["never", "forces", "update", "forces", "text"], "no loop over the arguments of the command line"
    assert "runs n × m" in found[0]
    assert "blocked: " in found[3]
    assert "runs ? × ?" in found[4], "what only walks through text is behind all that computes"


def test_sizes_are_asked_for_once_and_the_most_decisive_first(analyze: Any, source: Any) -> None:
    source(SOURCE)
    out = analyze("a.c", "-t", "h200", "--no-cache", "--top", "9").out
    assert "--size n=VALUE --size m=VALUE" in out.splitlines()[-2]
    assert out.count("--size") == 2
    decided = analyze("a.c", "-t", "h200", "--no-cache", "--top", "9", "--size", "n=3000", "--size", "m=3000").out
    assert "--size n=VALUE" not in decided


def test_sizes_that_nobody_can_give_are_not_asked_for(analyze: Any, source: Any) -> None:
    """How often the inner loop runs on average is no size."""
    source("""\
void rows(int n, const int *restrict ptr, const double *restrict v, double *restrict y) {
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int k = ptr[i]; k < ptr[i + 1]; k++)
            s += v[k];
        y[i] = s;
    }
}
""")
    for options in ((), ("--top", "1")):
        out = analyze("a.c", "-t", "h200", "--no-cache", *options).out
        step = next(line for line in out.splitlines() if line.startswith("Next"))
        assert "trip@" not in step


def test_a_saved_report_ranks_as_the_run_did(analyze: Any, source: Any) -> None:
    source(SOURCE)
    fresh = analyze("a.c", "-t", "h200", "--no-cache", "--top", "3").out
    analyze("a.c", "-t", "h200", "--no-cache", "-f", "json=saved.json")
    assert analyze("--from-json", "saved.json", "--top", "3").out == fresh


def test_with_gcov_alone_by_the_iterations_that_were_counted(analyze: Any, source: Any, tmp_path: Path) -> None:
    source("""\
#include <stdlib.h>
static double a[4096], b[4096];
static void seldom(int n) { for (int i = 0; i < n; i++) a[i] = i; }
static void often(int n) {
    for (int i = 1; i < n; i++)
        b[i] = b[i - 1] * a[i];
}
static void unused(int n) {
    for (int i = 0; i < n; i++)
        b[i] = 0;
}
int main(int argc, char **argv) {
    seldom(100);
    for (int t = 0; t < 50; t++)
        often(4000);
    if (argc > 7) unused(atoi(argv[1]));
    return b[7] > 3;
}
""")
    for command in (["gcc", "-O0", "--coverage", "a.c", "-o", "a.out"], ["./a.out"], ["sh", "-c", "gcov -bj *.gcda"]):
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    found = ranked(analyze("a.c", "-t", "h200", "--no-cache", "--profile", ".", "--top", "9").out)
    assert "often" in found[0]
    assert not any("unused" in item for item in found)
