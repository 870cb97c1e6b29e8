"""Small programs that were once answered wrongly, or are easily, each with the truth in its name: those that are
decided (`programs.txt`), and those that may stay open (`open.txt`)."""

from functools import cache, partial
from pathlib import Path

import pytest

from analyzer.facts.directives import CheckedDirective
from analyzer.races import checked
from analyzer.settings.options import SourceOptions
from analyzer.source import load_unit


def _programs(name: str) -> dict[str, str]:
    text = Path(__file__).with_name(name).read_text("utf-8")
    return dict(part.split("\n", 1) for part in text.split("=== ")[1:])


PROGRAMS, OPEN = _programs("programs.txt"), _programs("open.txt")

TASKWAIT = "#pragma omp taskwait"


@cache
def _of_program(text: str) -> tuple[CheckedDirective, ...]:
    return _answers(text, Path())


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_answer_is_the_truth(name: str) -> None:
    answers = {each.answer for each in _of_program(PROGRAMS[name])}
    found = next((answer for answer in ("race", "unknown") if answer in answers), "no-race")
    assert found == {"racy": "race", "free": "no-race"}[name.partition("_")[0]]


@pytest.mark.parametrize("name", OPEN)
def test_the_answer_is_not_the_opposite_of_the_truth(name: str, tmp_path: Path) -> None:
    answers = {each.answer for each in _answers(OPEN[name], tmp_path)}
    if name.startswith("racy_"):
        assert answers & {"race", "unknown"}
    else:
        assert "race" not in answers


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name.startswith("racy_")])
def test_the_clauses_that_are_missing_mend_it(name: str, tmp_path: Path) -> None:
    lines = PROGRAMS[name].split("\n")
    lacks = [each for each in _of_program(PROGRAMS[name]) if each.answer == "race" and each.missing]
    if not lacks:
        return
    for each in lacks:
        lines[each.place.line - 1] += " " + " ".join(each.missing)
    mended = {each.place.line: each for each in _answers("\n".join(lines), tmp_path)}
    assert [mended[each.place.line].missing for each in lacks] == [()] * len(lacks)


def _answers(text: str, folder: Path) -> tuple[CheckedDirective, ...]:
    return checked(partial(load_unit, folder / "a.c", text=text), SourceOptions())


@pytest.mark.parametrize("index", ["i ^ 5", "i ^ (i >> 1)", "((i & ~(d - 1)) << 1) | (i & (d - 1))"])
def test_no_race_is_said_of_numbers_that_operations_on_bits_may_keep_apart(index: str, tmp_path: Path) -> None:
    text = f"""int x[256];
void f(int d) {{
#pragma omp parallel for
    for (int i = 0; i < 64; i++) {{
        int g = {index};
        x[g] += 1;
    }}
}}
"""
    assert [each.answer for each in _answers(text, tmp_path)] != ["race"]


@pytest.mark.parametrize("element", ["t * m + r", "list[t] + r"])
def test_no_race_is_said_of_elements_that_the_iteration_lists_itself(element: str, tmp_path: Path) -> None:
    text = f"""void f(double *x, long n, int m, const double *u, const long *list) {{
    long at[8], k;
    int r, c;
#pragma omp parallel for private(at, k, r, c)
    for (long t = 0; t < n; t++) {{
        for (r = 0; r < m; r++) at[r] = {element};
        for (r = 0; r < m; r++) {{
            k = at[r];
            for (c = 0; c < m; c++) x[k] += u[c];
        }}
    }}
}}
"""
    assert [each.answer for each in _answers(text, tmp_path)] != ["race"]


@pytest.mark.parametrize("clause", ["reduction(+: s)", "private(s)", "firstprivate(s)"])
def test_a_copy_is_not_what_a_pointer_leads_to(clause: str, tmp_path: Path) -> None:
    text = f"""int f(int *seen) {{
    int s = 0, *p = &s;
#pragma omp parallel for {clause}
    for (int i = 0; i < 100; i++) {{
        s = i;
        *p += 1;
        seen[i] = s;
    }}
    return s;
}}
"""
    assert [each.answer for each in _answers(text, tmp_path)] != ["no-race"]


def test_memory_that_a_task_may_still_use_is_not_released_without_a_word(tmp_path: Path) -> None:
    text = """#include <stdlib.h>
void f(int *sum) {
#pragma omp parallel
#pragma omp single
    {
        int *p = calloc(10, sizeof *p);
#pragma omp task firstprivate(p)
        for (int i = 0; i < 10; i++) sum[i] = p[i];
WAIT
        free(p);
    }
}
"""
    without, with_one = (_answers(text.replace("WAIT", wait), tmp_path) for wait in ("", TASKWAIT))
    assert "unknown" in {each.answer for each in without}
    assert {each.answer for each in with_one} == {"no-race"}


@pytest.mark.parametrize("use", ["out[k] = i;", "out[k] = k;", "int j = k + 1; out[j] = 1;", "if (k == 5) out[0] = 1;"])
def test_a_copy_that_steps_and_selects_is_not_taken_for_a_count_of_the_iterations(use: str, tmp_path: Path) -> None:
    text = f"""void f(int *out) {{
    int k = 0;
#pragma omp parallel for firstprivate(k)
    for (int i = 0; i < 100; i++) {{
        {use}
        k++;
    }}
}}
"""
    assert [each.answer for each in _answers(text, tmp_path)] == ["unknown"]


@pytest.mark.parametrize(
    ("declared", "given", "used"),
    [
        ("int a[10] = {0};", "a", "a[3]"),
        ("struct { int n, v[4]; } a = {0};", "a.v", "a.v[2]"),
        ("int a = 0;", "&a", "a"),
        ("static int a;", "&a", "a"),
    ],
)
def test_a_function_that_is_held_is_not_alone_with_what_others_use(
    declared: str, given: str, used: str, tmp_path: Path
) -> None:
    text = f"""static void fill(int *p, int n) {{ if (n > 0) {{ p[0]++; fill(p, n - 1); }} }}
int f(void) {{
    {declared}
    int s = 0;
#pragma omp parallel reduction(+ : s)
    {{
#pragma omp critical
        fill({given}, 10);
        s += {used};
    }}
    return s;
}}
"""
    assert {each.answer for each in _answers(text, tmp_path)} != {"no-race"}


@pytest.mark.parametrize(
    "body", ["#pragma omp task\n p[0]++;", "if (n == 5) omp_unset_lock(&lock); p[0]++;", "use(p);"]
)
def test_a_function_that_is_held_may_leave_work_or_let_go(body: str, tmp_path: Path) -> None:
    text = f"""#include <omp.h>
static int total;
static omp_lock_t lock;
void use(int *p);
static void fill(int *p, int n) {{
    if (n > 0) {{
        {body}
        fill(p, n - 1);
    }}
}}
void f(void) {{
#pragma omp parallel
    {{
        omp_set_lock(&lock);
        fill(&total, 10);
        omp_unset_lock(&lock);
    }}
}}
"""
    assert {each.answer for each in _answers(text, tmp_path)} != {"no-race"}


@pytest.mark.parametrize(
    "made", ["part = a;", "{ part = malloc(400); a = part; }", "{ part = malloc(400); set(&part, a); }"]
)
def test_a_pointer_that_does_not_only_get_what_is_allocated_may_lead_elsewhere(made: str, tmp_path: Path) -> None:
    text = f"""#include <stdlib.h>
static void set(int **p, int *v) {{ *p = v; }}
void f(int *a) {{
    int *part = NULL;
#pragma omp parallel
    {{
#pragma omp single
        {made}
#pragma omp for
        for (int i = 0; i < 99; i++) part[i] = a[i + 1] + 1;
    }}
}}
"""
    assert {each.answer for each in _answers(text, tmp_path)} != {"no-race"}


@pytest.mark.parametrize(
    ("made", "read"),
    [("s->buf = part", "s->buf[i + 1]"), ("*pp = part", "(*pp)[i + 1]"), ("q = part + 1", "q[i]")],
)
def test_memory_of_all_may_be_read_by_a_pointer_that_was_kept(made: str, read: str, tmp_path: Path) -> None:
    text = f"""#include <stdlib.h>
struct s {{ int *buf; }};
void f(struct s *s, int **pp, int n) {{
    int *part = NULL, *q = NULL;
#pragma omp parallel
    {{
#pragma omp single
        {{ part = calloc(n + 1, sizeof *part); {made}; }}
#pragma omp for
        for (int i = 0; i < n; i++) part[i] = {read} + 1;
    }}
}}
"""
    assert {each.answer for each in _answers(text, tmp_path)} != {"no-race"}
