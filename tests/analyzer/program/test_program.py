"""The program as a whole: who calls whom with what, how often loops run, which memory is one array, where it goes."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from analyzer.program import Answer, NoAnswer, groups

from .placed import copies, place, placed, runs, where

ROOT = Path(__file__).resolve().parents[3]

BODY = "for (int i = 0; i < n; i++) a[i] = 2.0 * a[i] + 1.0;"
SCALE = f"void scale(double *a, int n) {{ {BODY} }}\n"


def main(body: str, before: str = SCALE) -> dict[str, str]:
    return {"p.c": f"#include <stdio.h>\n#include <stdlib.h>\n{before}int main(void) {{\n{body}\n return 0;\n}}\n"}


# --- executions


def test_loops_around_calls_multiply(tmp_path: Path) -> None:
    text = "static double x[1000];\nfor (int t = 0; t < 7; t++) for (int s = 0; s < 3; s++) scale(x, 1000);"
    assert runs(placed(tmp_path, main(text))) == [("scale:3", 21)]


def test_a_function_runs_with_the_sizes_of_each_call(tmp_path: Path) -> None:
    found = placed(tmp_path, main("static double x[4000], y[10];\nscale(x, 4000); scale(y, 10);"))
    assert runs(found) == [("scale:3", 1), ("scale:3", 1)]
    first, second = (p.today_s for p in found.loops)
    assert first is not None
    assert second is not None
    assert first > 50 * second


def test_a_size_passes_through_two_calls_and_arithmetic(tmp_path: Path) -> None:
    inner = SCALE + "void half(double *a, int m) { scale(a, m / 2); scale(a + m / 2, m - 500); }\n"
    found = placed(tmp_path, main("static double x[1000]; half(x, 1000);", inner))
    assert [p.calls for p in found.loops] == [("main", "half", "scale")] * 2
    assert found.loops[0].today_s == found.loops[1].today_s


def test_a_condition_on_the_counter_has_its_share_and_one_on_data_a_half(tmp_path: Path) -> None:
    text = """static double x[1000]; int flag = getchar();
    for (int t = 0; t < 100; t++) {
        if (t % 10 == 0) scale(x, 1000);
        if (t % 10 != 0) scale(x, 1000);
        if ((t + 4) % 30 == 1) scale(x, 1000);
        if (flag) scale(x, 1000);
    }"""
    found = placed(tmp_path, main(text))
    assert [n for _, n in runs(found)] == pytest.approx([10, 90, 3, 50])
    assert found.assumptions == ("the condition of p.c:10 holds every second time",)


def test_an_error_exit_does_not_halve_the_program(tmp_path: Path) -> None:
    text = "double *x = malloc(8000); if (!x) return 1; scale(x, 1000); free(x);"
    found = placed(tmp_path, main(text))
    assert runs(found) == [("scale:3", 1)]
    assert not found.assumptions


def test_an_error_that_is_reported_does_not_halve_it_either_and_is_said(tmp_path: Path) -> None:
    text = 'double *x = malloc(8000); if (!x) { fprintf(stderr, "none"); return 1; } scale(x, 1000); free(x);'
    found = placed(tmp_path, main(text))
    assert runs(found) == [("scale:3", 1)]
    assert [said.partition(":")[2] for said in found.assumptions] == ["5 does not hold"]


def test_two_ways_with_loops_run_half_of_the_time_each(tmp_path: Path) -> None:
    text = 'static double x[9], y[9]; if (getchar()) { scale(x, 9); puts("x"); } else { scale(y, 9); puts("y"); }'
    found = placed(tmp_path, main(text))
    assert [n for _, n in runs(found)] == [0.5, 0.5]


def test_an_inner_loop_whose_length_changes_runs_as_often_as_it_does(tmp_path: Path) -> None:
    text = """static double x[100][1000];
    for (int k = 0; k < 100; k++) {
        printf("%d", k);
        for (int r = 0; r < k; r++) {
            printf("%d", r);
            for (int i = 0; i < 1000; i++) x[r][i] += x[k][i];
        }
    }"""
    found = placed(tmp_path, main(text, ""))
    assert runs(found) == [("main:9", pytest.approx(100 * 99 / 2))]


# --- memory


def test_memory_passed_to_a_function_in_another_file_is_the_callers(tmp_path: Path) -> None:
    files = main("double *x = malloc(8000000); scale(x, 1000000); scale(x, 1000000); printf(\"%g\", x[5]);",
                 "void scale(double *, int);\n")  # fmt: skip
    found = placed(tmp_path, {**files, "s.c": SCALE})
    assert {p.arrays for p in found.loops} == {("x",)}


def test_static_functions_of_the_same_name_stay_apart(tmp_path: Path) -> None:
    work = "static void work(double *a) { for (int i = 0; i < 10; i++) a[i] = 0; }\n"
    files = {
        "a.c": work + "void a(double *x) { work(x); }\n",
        "b.c": work + "void b(double *x) { work(x); }\n",
        **main("static double x[20]; a(x); b(x); b(x);", "void a(double *); void b(double *);\n"),
    }
    assert [p.path for p in placed(tmp_path, files).loops] == ["a.c", "b.c", "b.c"]


def test_arrays_that_take_turns_are_one(tmp_path: Path) -> None:
    step = "void step(double *to, double *from, int n) {\n"
    step += "for (int i = 1; i < n - 1; i++) to[i] = from[i - 1] + from[i + 1]; }\n"
    text = """int n = 4000000; double *u = malloc(8 * n), *v = malloc(8 * n);
    scale(u, n); scale(v, n);
    for (int t = 0; t < 1000; t++) { step(u, v, n); double *s = u; u = v; v = s; }
    printf("%g", u[7]);"""
    found = placed(tmp_path, main(text, SCALE + step))
    assert {p.arrays for p in found.loops} == {("u/v/s",)}
    assert set(where(found).values()) == {"h200"}
    assert copies(found) == [("u/v/s", "xeon6248", 8, 1)]


def test_members_of_a_structure_are_arrays_of_their_own(tmp_path: Path) -> None:
    struct = "struct grid { double *u, *v; };\n"
    work = "void work(struct grid *g, int n) { for (int i = 0; i < n; i++) g->u[i] = g->v[i]; }\n"
    text = """struct grid g; g.u = malloc(8000); g.v = malloc(8000);
    work(&g, 1000); work(&g, 1000);"""
    found = placed(tmp_path, main(text, struct + work))
    assert {frozenset(p.arrays) for p in found.loops} == {frozenset(("g", "g.u", "g.v"))}


def test_a_global_array_is_one_in_all_files_and_a_static_one_is_not(tmp_path: Path) -> None:
    files = {
        "a.c": "double shared[100]; static double own[100];\n"
        "void a(void) { for (int i = 0; i < 100; i++) shared[i] = own[i]; }\n",
        "b.c": "extern double shared[100]; static double own[100];\n"
        "void b(void) { for (int i = 0; i < 100; i++) own[i] = shared[i]; }\n",
        **main("a(); b();", "void a(void); void b(void);\n"),
    }
    first, second = placed(tmp_path, files).loops
    assert len({*first.arrays, *second.arrays}) == 3


def test_results_of_calls_are_apart_even_where_the_calls_look_alike(tmp_path: Path) -> None:
    make = "double *make(int n) { double *p = malloc(8 * n); return p; }\n"
    found = placed(
        tmp_path, main("double *x = make(1000), *y = make(1000); scale(x, 1000); scale(y, 1000);", SCALE + make)
    )
    assert found.loops[0].arrays != found.loops[1].arrays


def test_what_an_unseen_call_returns_is_taken_for_an_array_of_its_own(tmp_path: Path) -> None:
    text = "double *x = malloc(8000), *y = pick(x); scale(x, 1000); scale(y, 1000);"
    found = placed(tmp_path, main(text, "double *pick(double *);\n" + SCALE))
    assert found.loops[0].arrays != found.loops[1].arrays
    assert found.assumptions == ("what pick() returns is an array of its own",)


# --- where it goes


STEPS = """double *x = malloc(80000000);
scale(x, 10000000);
for (int t = 0; t < 100; t++) { scale(x, 10000000); %s }
printf("%%g", x[3]);"""


def test_data_stays_on_the_device_over_the_steps_of_main(tmp_path: Path) -> None:
    found = placed(tmp_path, main(STEPS % ""))
    assert set(where(found).values()) == {"h200"}
    assert copies(found) == [("x", "xeon6248", 8, 1)]
    assert found.before_s > 100 * found.after_s
    assert found.after_s < found.per_loop_s
    assert all(p.alone != "h200" and p.reason for p in found.loops)


def test_a_call_that_is_not_seen_brings_everything_home(tmp_path: Path) -> None:
    found = placed(tmp_path, main(STEPS % "unseen();", "void unseen(void);\n" + SCALE))
    assert found.barriers == ("unseen(), p.c:8: it is not seen",)
    assert where(found)["scale:4"] == "xeon6248"


def test_so_does_one_that_calls_itself_and_one_through_a_pointer(tmp_path: Path) -> None:
    again = "void again(double *a, int n) { scale(a, n); if (n > 1) again(a, n / 2); }\n"
    found = placed(tmp_path, main(STEPS % "again(x, 8);", SCALE + again))
    assert found.barriers == ("again(), p.c:8: it calls itself",)
    pointer = "void (*hook)(double *);\n"
    found = placed(tmp_path, main(STEPS % "hook(x);", pointer + SCALE))
    assert [b.split(":")[0] for b in found.barriers] == ["hook(), p.c"]


def test_printing_an_element_copies_an_element(tmp_path: Path) -> None:
    found = placed(tmp_path, main(STEPS % 'printf("%g", x[9]);'))
    assert where(found)["scale:3"] == "h200"
    assert ("x", "xeon6248", 8, 100) in copies(found)


def test_a_sum_that_stays_on_the_device_brings_its_result_back(tmp_path: Path) -> None:
    """A copy of one number is little data, and takes as long to start as any other."""
    total = "double total(double *a, int n) { double s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }\n"
    found = placed(tmp_path, main(STEPS % 'printf("%g", total(x, 10000000));', SCALE + total))
    scale, sum_ = (next(p for p in found.loops if p.function == name) for name in ("scale", "total"))
    assert scale.device == sum_.device == "h200"
    assert sum_.time_s is not None
    assert sum_.time_s > 100 * 8e-6  # link.latency of the extended model
    assert copies(found) == [("x", "xeon6248", 8, 1)]


def test_writing_a_file_reads_the_whole_array(tmp_path: Path) -> None:
    found = placed(tmp_path, main(STEPS % "" + "\nfwrite(x, 8, 10000000, stdout);"))
    assert ("x", "xeon6248", 80000000, 1) in copies(found)


def test_another_section_in_each_iteration_is_no_section_read_again(tmp_path: Path) -> None:
    """Each row is another one: what the host reads in all iterations is the whole array."""
    fill = "static double x[2000][2000];\nvoid fill(double v) {\n"
    fill += "for (int i = 0; i < 2000; i++) for (int j = 0; j < 2000; j++) x[i][j] = v * (i + j); }\n"
    rows = """for (int t = 0; t < 1000; t++) fill(t);
    for (int i = 0; i < 2000; i++) {
        double s = 0;
        for (int j = 0; j < 2000; j++) s = s * 0.5 + x[i][j];
        printf("%g", s);
    }"""
    found = placed(tmp_path, main(rows, fill))
    assert sum(c.bytes * c.times for c in found.copies) == pytest.approx(2000 * 2000 * 8)


def test_a_pointer_that_moves_with_a_loop_leads_to_all_of_the_array(tmp_path: Path) -> None:
    text = """static double x[10000000];
    for (int t = 0; t < 1000; t++)
        for (int k = 0; k < 10; k++) scale(x + k * 1000000, 1000000);
    fwrite(x, 8, 10000000, stdout);"""
    found = placed(tmp_path, {**main(text, "void scale(double *, int);\n"), "s.c": SCALE})
    assert runs(found) == [("scale:1", 10000)]
    assert copies(found) == [("x", "h200", 8e7, 1), ("x", "xeon6248", 8e7, 1)]


def test_small_functions_without_loops_are_followed_into_other_files(tmp_path: Path) -> None:
    clock = {"clock.c": "static double started[64];\nvoid tick(int k) { started[k] = 0.0; }\n"}
    found = placed(tmp_path, {**clock, **main(STEPS % "tick(t);", "void tick(int);\n" + SCALE)})
    assert not found.barriers
    assert set(where(found).values()) == {"h200"}


# --- where it starts


def test_an_entry_other_than_main(tmp_path: Path) -> None:
    files = main("static double x[1000]; scale(x, 1000);", SCALE + "void solve(double *y) { scale(y, 50); }\n")
    found = placed(tmp_path, files, entry="solve")
    assert found.entry == "solve"
    assert [p.calls for p in found.loops] == [("solve", "scale")]


def test_what_the_entry_was_given_comes_home_at_the_end(tmp_path: Path) -> None:
    solve = SCALE + "void solve(double *y) { for (int t = 0; t < 1000; t++) scale(y, 10000000); }\n"
    found = placed(tmp_path, {"s.c": solve}, entry="solve")
    assert copies(found) == [("y of solve()", "h200", 8e7, 1), ("y of solve()", "xeon6248", 8e7, 1)]


def test_without_main_every_function_that_nobody_calls_is_an_entry(tmp_path: Path) -> None:
    text = "static double x[1000];\nvoid f(void) { scale(x, 1000); }\nvoid g(void) { scale(x, 500); }\n"
    found = placed(tmp_path, {"l.c": SCALE + text})
    assert found.entry == "f, g"
    assert [p.calls[0] for p in found.loops] == ["f", "g"]


@pytest.mark.parametrize(
    ("files", "entry", "reason"),
    [
        ({"a.c": SCALE}, None, "a size is not known in scale(); give --size 'scale:n=VALUE'"),
        ({"a.c": SCALE}, "missing", "--entry missing: no such function was read"),
        (
            {**main("static double x[9]; scale(x, 9);"), "q.c": "int main(void) { return 0; }\n"},
            None,
            "give the files of one",
        ),
        (main("return 0;", ""), None, "no loop can be reached from main()"),
        (
            main("static double x[9]; for (int k = 0; k < getchar(); k++) scale(x, 9);"),
            None,
            "a size is not known in main()",
        ),
    ],
)
def test_why_there_is_no_answer(tmp_path: Path, files: dict[str, str], entry: str | None, reason: str) -> None:
    found = place(tmp_path, files, entry=entry)
    assert isinstance(found, NoAnswer)
    assert reason in found.reason


def test_sizes_that_the_user_gives_hold_in_their_function(tmp_path: Path) -> None:
    sizes = {("l.c", "scale"): {"n": 1000}}
    assert runs(placed(tmp_path, {"l.c": SCALE}, sizes=sizes)) == [("scale:1", 1)]


# --- the example program


@pytest.fixture(scope="module")
def heat(tmp_path_factory: pytest.TempPathFactory) -> Answer:
    folder = ROOT / "fixtures" / "c" / "heat"
    files = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())}
    return placed(tmp_path_factory.mktemp("heat"), files)


def test_the_example_program_of_several_files(heat: Answer) -> None:
    found = heat
    executions = {name.partition(":")[0]: n for name, n in runs(found)}
    assert executions == {"fill": 1, "heat_middle": 1, "step": 2000, "hottest": 20, "change": 20, "print_row": 1}
    stays = {p.function for p in found.loops if p.device != "h200"}
    assert stays == {"print_row"}
    assert {c.target for c in found.copies} == {"xeon6248"}  # what malloc gave holds nothing: it is never copied there
    assert not found.barriers
    assert not found.not_timed
    assert found.gap == 0


@pytest.mark.skipif(shutil.which("gcc") is None or shutil.which("gcov") is None, reason="needs gcc and gcov")
def test_executions_are_those_that_a_run_counts(tmp_path: Path) -> None:
    """Every function of the example has its loops at the top: they are entered once per call."""
    files = {p.name: p.read_text(encoding="utf-8") for p in sorted((ROOT / "fixtures" / "c" / "heat").iterdir())}
    found = placed(tmp_path, files, defines=("STEPS=230", "SIDE=24"))
    sources = [name for name in files if name.endswith(".c")]
    compile_ = ["gcc", "-O0", "--coverage", "-DSTEPS=230", "-DSIDE=24", *sources, "-o", "heat"]
    for command in (compile_, ["./heat"]):
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=60)
    notes = [path.name for path in tmp_path.glob("*.gcda")]
    done = subprocess.run(["gcov", "-t", "--json-format", *notes], cwd=tmp_path, check=True, capture_output=True)
    reports = [json.loads(line) for line in done.stdout.splitlines() if line.strip()]
    functions = [f for report in reports for file in report["files"] for f in file["functions"]]
    counted = {f["name"]: f["execution_count"] for f in functions}
    predicted: dict[str, float] = {}
    for name, n in runs(found):
        function = name.partition(":")[0]
        predicted[function] = predicted.get(function, 0) + n
    assert predicted == pytest.approx({function: counted[function] for function in predicted})
    assert counted["hottest"] == 3  # steps 0, 100 and 200


def test_what_is_ported_together(heat: Answer) -> None:
    (group,) = groups(heat)
    assert group.loops[0].split(":")[1] == "step"
    assert set(group.functions) == {"fill", "heat_middle", "step", "hottest", "change"}
    assert group.arrays == ("now/next/old", "source")
    assert group.lines == 5 + 2 + 2 + 2 + 3
    assert group.globals_ == ()
    assert group.saved_s == pytest.approx(heat.before_s - heat.after_s, rel=1e-3)
