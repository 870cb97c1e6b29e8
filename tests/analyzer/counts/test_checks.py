"""The tests of conditions, compiled and run: true exactly where they hold, over small contents and offsets."""

import itertools
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import LoopFacts, Verdict
from analyzer.settings.options import AnalysisOptions, SourceOptions

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="compiles and runs the tests")


def loop(code: str) -> LoopFacts:
    found = analyze_file(Path("c.c"), SourceOptions(), AnalysisOptions(), text=code)
    return found.functions[-1].loops[0]


def check(code: str, named: str) -> str:
    """The test of the only condition of the first loop of the last function."""
    facts = loop(code)
    assert facts.parallelism.verdict is Verdict.CONDITIONAL
    (condition,) = facts.tested
    assert f"{condition.kind}({condition.text})" == named
    assert condition.check is not None
    return condition.check


def answers(declarations: str, test: str, inputs: list[str], folder: Path) -> list[int]:
    """What the test says for each input, C that sets the variables."""
    cases = "\n".join(f"case {k}: {{ {each} }} break;" for k, each in enumerate(inputs))
    each = f'switch (of_) {{ {cases} }} printf("%d\\n", ({test}) != 0);'
    run = f"for (int of_ = 0; of_ < {len(inputs)}; of_++) {{ {each} }}"
    (folder / "t.c").write_text(f"#include <stdio.h>\nint main(void) {{ {declarations}\n{run}\nreturn 0; }}\n")
    subprocess.run(["gcc", "-Wall", "-Werror", "-Wno-unused", "-fsanitize=address,undefined", "-o", "t", "t.c"],
                   cwd=folder, check=True)  # fmt: skip
    done = subprocess.run([folder / "t"], check=True, capture_output=True, text=True)
    return list(map(int, done.stdout.split()))


def contents(length: int, values: range) -> list[tuple[int, ...]]:
    return list(itertools.product(values, repeat=length))


def setting(name: str, values: tuple[int, ...]) -> str:
    return " ".join(f"{name}[{k}] = {v};" for k, v in enumerate(values))


@pytest.mark.parametrize(
    ("body", "first", "last"),
    [
        ("for (int i = 0; i < n; i++) y[idx[i]] = x[i];", 0, -1),
        ("for (int i = 1; i < n; i++) y[idx[i]] = y[idx[i]] * y[idx[i]] + x[i];", 1, -1),
        ("for (int i = 0; i < n - 1; i++) y[idx[i + 1]] = x[i];", 1, -1),
    ],
)
def test_no_value_twice(body: str, first: int, last: int, tmp_path: Path) -> None:
    code = f"void f(int n, double *y, const double *x, const int *idx) {{ {body} }}"
    test = check(code, "injective(idx)")
    inputs = [(n, values) for n in range(4) for values in contents(3, range(-1, 3))]
    said = answers("int n, idx[3];", test, [f"n = {n}; {setting('idx', v)}" for n, v in inputs], tmp_path)
    used = [values[first : n + 1 + last] for n, values in inputs]
    assert said == [int(len(set(part)) == len(part)) for part in used]


def test_no_pair_of_values_twice(tmp_path: Path) -> None:
    body = "for (int i = 0; i < n; i++) y[row[i] * m + at[i]] = i;"
    test = check(f"void f(int n, int m, double *y, const int *row, const int *at) {{ {body} }}", "injective((row,at))")
    pairs = itertools.product(contents(3, range(2)), contents(3, range(-1, 2)))
    inputs = [(n, rows, columns) for rows, columns in pairs for n in range(4)]
    cases = [f"n = {n}; {setting('row', rows)} {setting('at', columns)}" for n, rows, columns in inputs]
    said = answers("int n, row[3], at[3];", test, cases, tmp_path)
    used = [list(zip(rows, columns, strict=True))[:n] for n, rows, columns in inputs]
    assert said == [int(len(set(part)) == len(part)) for part in used]


def test_a_box_lies_in_another_one(tmp_path: Path) -> None:
    code = """
struct box { int low[2], high[2]; };
void f(struct box *all, int b, double *y, const double *x)
{
    struct box *inner = &all[b], *outer = &all[b + 1];
    for (int k = 0; k < 4; k++)
        for (int j = inner->low[1]; j <= inner->high[1]; j++)
            for (int i = inner->low[0]; i <= inner->high[0]; i++) {
                int width = outer->high[0] - outer->low[0] + 1, height = outer->high[1] - outer->low[1] + 1;
                y[i - outer->low[0] + width * (j - outer->low[1] + height * k)] = x[i];
            }
}"""
    (condition,) = loop(code).tested
    assert condition.kind == "at-least"
    assert condition.check is not None
    inputs = [(a, b, c, d) for a in range(3) for b in range(3) for c in range(3) for d in range(3)]
    sides = [f"inner->high[0] = {a}; inner->high[1] = {b}; outer->high[0] = {c}; outer->high[1] = {d};"
             for a, b, c, d in inputs]  # fmt: skip
    boxes = "struct { int low[2], high[2]; } one = {0}, two = {0}, *inner = &one, *outer = &two;"
    said = answers(boxes, condition.check, sides, tmp_path)
    assert said == [int(c >= a and d >= b) for a, b, c, d in inputs]


@pytest.mark.parametrize("type_", ["int", "long", "unsigned"])
def test_no_value_falls(type_: str, tmp_path: Path) -> None:
    body = "for (int i = 0; i < n; i++) for (int e = ptr[i]; e < ptr[i + 1]; e++) y[e] = y[e] * y[e] + i;"
    test = check(f"void f(int n, double *y, const {type_} *ptr) {{ {body} }}", "monotone(ptr)")
    inputs = [(n, values) for n in range(4) for values in contents(4, range(3))]
    said = answers(f"int n; {type_} ptr[4];", test, [f"n = {n}; {setting('ptr', v)}" for n, v in inputs], tmp_path)
    used = [values[: n + 1] for n, values in inputs]
    assert said == [int(n == 0 or list(part) == sorted(part)) for (n, _), part in zip(inputs, used, strict=True)]


def test_every_value_rises(tmp_path: Path) -> None:
    fill = "for (int e = ptr[i]; e < ptr[i + 1]; e++) y[e] = t * y[e];"
    body = f"for (int i = 0; i < n; i++) {{ double t = y[ptr[i]]; {fill} }}"
    test = check(f"void f(int n, double *y, const int *ptr) {{ {body} }}", "rising(ptr)")
    inputs = [(n, values) for n in range(4) for values in contents(4, range(3))]
    said = answers("int n, ptr[4];", test, [f"n = {n}; {setting('ptr', v)}" for n, v in inputs], tmp_path)
    used = [values[: n + 1] for n, values in inputs]
    assert said == [int(n == 0 or list(part) == sorted(set(part))) for (n, _), part in zip(inputs, used, strict=True)]


@pytest.mark.parametrize("type_", ["int", "unsigned", "long"])
def test_an_iteration_ends_before_the_next_begins(type_: str, tmp_path: Path) -> None:
    body = "for (int i = 0; i < n; i++) for (int j = 0; j < len[i]; j++) y[at[i] + 2 * j] = y[at[i] + 2 * j + 1] / 2;"
    test = check(f"void f(int n, double *y, const {type_} *at, const int *len) {{ {body} }}", "slices(at[i])")
    inputs = [(n, at, sizes) for n in range(3) for at in contents(3, range(4)) for sizes in contents(2, range(-1, 3))]
    cases = [f"n = {n + 1}; {setting('at', at)} {setting('len', (*sizes, 1))}" for n, at, sizes in inputs]
    said = answers(f"int n, len[3]; {type_} at[3];", test, cases, tmp_path)
    ends = [[(at[i], at[i] + 2 * sizes[i], at[i + 1]) for i in range(n)] for n, at, sizes in inputs]
    assert said == [int(all(first <= after and end <= after for first, end, after in each)) for each in ends]


def test_no_value_is_larger(tmp_path: Path) -> None:
    body = "for (int i = 0; i < n; i++) for (int j = 0; j < len[i]; j++) y[2 * i + j] = y[2 * i + j] / 2;"
    test = check(f"void f(int n, double *y, const int *len) {{ {body} }}", "at-most(len<=2)")
    inputs = [(n, values) for n in range(4) for values in contents(3, range(-1, 5))]
    said = answers("int n, len[3];", test, [f"n = {n}; {setting('len', v)}" for n, v in inputs], tmp_path)
    assert said == [int(all(v <= 2 for v in values[:n])) for n, values in inputs]


def test_no_size_is_larger(tmp_path: Path) -> None:
    body = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[5 * i + 2 * j] = y[5 * i + 2 * j + 1] / 2;"
    test = check(f"void f(int n, int m, double *y) {{ {body} }}", "at-most(m<=2)")
    said = answers("int n, m;", test, [f"n = 2; m = {m};" for m in range(6)], tmp_path)
    reached = [{5 * 0 + 2 * j + k for j in range(m) for k in (0, 1)} for m in range(6)]
    assert said == [int(all(place < 5 for place in places)) for places in reached]


SECTIONS: dict[str, tuple[str, Callable[[int, int], bool]]] = {
    "one element each": ("for (int i = 0; i < n; i++) u[i] = w[i] * 2;", lambda n, d: abs(d) >= n),
    "one behind": ("for (int i = 0; i < n; i++) u[i] = w[i + 1];", lambda n, d: d + 1 >= n or -d - 1 >= n),
    "every second": ("for (int i = 0; i < n; i++) u[i] = w[2 * i];", lambda n, d: d >= n or -d >= 2 * n - 1),
    "backwards": ("for (int i = n - 1; i >= 0; i--) u[i] = w[i];", lambda n, d: abs(d) >= n),
    "moved on": ("u += n; for (int i = 0; i < n; i++) u[i] = w[i];", lambda n, d: abs(d) >= n),
    "both moved on": (
        "u += 2; w += n; for (int i = 0; i < n; i++) u[i] = w[i + 1];",
        lambda n, d: d + 1 >= n or -d - 1 >= n,
    ),
    "by a variable": ("int k = n + 1; for (int i = 0; i < n; i++) u[i + k] = w[k + i];", lambda n, d: abs(d) >= n),
}


@pytest.mark.parametrize("case", SECTIONS)
def test_sections_do_not_overlap(case: str, tmp_path: Path) -> None:
    """`w` begins d elements behind `u`."""
    body, apart = SECTIONS[case]
    code = f"double *get(int); void f(int n) {{ double *u = get(0), *w = get(1); {body} }}"
    test = check(code, "distinct(u,w)")
    inputs = [(n, d) for n in range(1, 5) for d in range(-9, 10)]
    given = [f"n = {n}; w = u + ({d});" for n, d in inputs]
    said = answers("int n; double a[40], *u = a + 15, *w;", test, given, tmp_path)
    assert said == [int(apart(n, d)) for n, d in inputs]


def test_what_is_not_there_overlaps_nothing(tmp_path: Path) -> None:
    """Null pointers to what the loop touches where it is there: two of them are no overlap."""
    body = "for (int i = 0; i < n; i++) { if (u) u[i] = u[i] * 2 + (w ? w[i] : 1); }"
    code = f"double *get(int); void f(int n) {{ double *u = get(0), *w = get(1); {body} }}"
    test = check(code, "distinct(u,w)")
    places = ("0", "a", "a + 1", "a + 3")
    inputs = list(itertools.product(range(1, 4), places, places))
    said = answers("int n; double a[9], *u, *w;", test, [f"n = {n}; u = {u}; w = {w};" for n, u, w in inputs], tmp_path)
    at = {"a": 0, "a + 1": 1, "a + 3": 3}
    assert said == [int("0" in (u, w) or abs(at[u] - at[w]) >= n) for n, u, w in inputs]


def test_the_report_has_conditions_before_branches(tmp_path: Path) -> None:
    from analyzer.command.cli import main

    source = tmp_path / "c.c"
    body = "for (int i = 0; i < n; i++) if (y[idx[i]] > 0) y[idx[i]] = i;"
    source.write_text(f"void f(int n, double *y, int *idx) {{ {body} }}")
    assert main([str(source), "-f", f"json={tmp_path / 'r.json'}", "--no-cache", "-j", "1"]) == 0
    (entry,) = json.loads((tmp_path / "r.json").read_text())["files"][0]["loops"]
    assert entry["parallel"] == "conditional"
    assert entry["reason"] is None
    assert [c.get("kind") for c in entry["conditions"]] == ["injective", None]


GET = "double *get(int); struct g { long n; double v[8]; } G; int perm[8];\n"

UP_TO_N = "for (int i = 0; i < n; i++)"

NO_TEST: dict[str, str] = {
    "moved on by what changes": "void f(int n) { double *u = get(0), *w = get(1); int m = n; u += n; n = 0; "
    "for (int i = 0; i < m; i++) u[n + i] = w[i]; }",
    "moved on in each iteration": "void f(int n) { double *u = get(0), *w = get(1); "
    "for (int i = 0; i < n; i++) { u += n; u[i] = w[i]; } }",
    "set in the loop": "void f(int n) { double *u = get(0), *w = get(1), *p; "
    "for (int i = 0; i < n; i++) { p = u + n; p[i] = w[i]; } }",
    "by a size that changes": "void f(int n) { double *u = get(0) + n, *w = get(1); int m = n; n = 0; "
    "for (int i = 0; i < m; i++) u[n + i] = w[i]; }",
    "a part by a size that changes": "void f(int n, double *y, int *idx) { int *k = idx + n; n = 0; "
    "for (int i = 0; i < 3; i++) y[k[i]] = i; }",
    "an index array moved on": f"void f(int n, double *y, int *idx) {{ idx += n; {UP_TO_N} y[idx[i]] = i; }}",
    "an array of a callee": "static void put(double *y, int i) { static int idx[9]; y[idx[i]] = i; } "
    f"int idx[9]; void f(int n, double *y) {{ {UP_TO_N} put(y, i); }}",
    "names of a callee": "static void put(double *u, double *w, int i) { u[2 * i] = w[i]; } "
    f"void f(int n) {{ double *u = get(0), *w = get(1); {UP_TO_N} put(w, u, i); }}",
}
"""What the names in the loop mean is not what they mean before it, or not where the object begins."""


@pytest.mark.parametrize("case", NO_TEST)
def test_no_test_in_names_that_mean_something_else(case: str) -> None:
    facts = loop(GET + NO_TEST[case])
    assert facts.parallelism.verdict is Verdict.CONDITIONAL
    assert [c.check for c in facts.tested] == [None]


ELSEWHERE: dict[str, tuple[str, str]] = {
    "a part": (f"void f(int n, double *y, int *idx) {{ int *k = idx + 1; {UP_TO_N} y[k[i]] = i; }}", "idx"),
    "by another name": (
        "static void put(double *y, const int *perm, int k) { y[perm[k + 1]] = k; } "
        f"void f(int n, double *y, int *idx) {{ {UP_TO_N} put(y, idx, i); }}",
        "idx",
    ),
    "by the name of another": (
        "static void put(double *y, const int *other, int k) { y[other[k + 1]] = k; } "
        f"void f(int n, double *y, int *idx, int *other) {{ {UP_TO_N} put(y, idx, i); }}",
        "idx",
    ),
}
"""An index array that the loop reads by another name, one place on."""


@pytest.mark.parametrize("case", ELSEWHERE)
def test_index_arrays_by_their_own_names(case: str, tmp_path: Path) -> None:
    code, name = ELSEWHERE[case]
    test = check(GET + code, f"injective({name})")
    inputs = [(n, values) for n in range(3) for values in contents(3, range(3))]
    other = "int other[3] = {1, 1, 1}, perm[3] = {1, 1, 1};"
    said = answers(f"int n, idx[3]; {other}", test, [f"n = {n}; {setting('idx', v)}" for n, v in inputs], tmp_path)
    assert said == [int(len({*values[1 : n + 1]}) == n) for n, values in inputs]


def test_sections_of_arrays_in_structures(tmp_path: Path) -> None:
    """`G.v` begins 8 bytes behind `G`; p begins d bytes behind `G`."""
    code = GET + "void f(int n) { double *p = get(0); for (int i = 0; i < n; i++) p[i] = G.v[i] * 2; }"
    test = check(code, "distinct(G,p)")
    inputs = [(n, 8 * d) for n in range(1, 4) for d in range(-5, 6)]
    given = [f"n = {n}; p = (double *)((char *)&G + ({d}));" for n, d in inputs]
    declared = "struct { double a[9]; struct { long n; double v[8]; } g; double b[9]; } all;\n#define G all.g\n"
    said = answers(declared + "int n; double *p;", test, given, tmp_path)
    assert said == [int(d >= 8 + 8 * n or d + 8 * n <= 8) for n, d in inputs]


PICTURE = "struct picture { int w, h; double *at; }; struct picture made(int); void change(struct picture *);"
GETTER = "static double get_at(struct picture m, int x, int y) { return m.at[y * m.w + x]; }"
OF_STRUCTURES: dict[str, str] = {
    "in both": "for (int i = 0; i < a.w * a.h; i++) b.at[i] = a.at[i];",
    "by a variable of the iteration": "for (int i = 0; i < a.w * a.h; i++) { int k = i / 1; b.at[k] = a.at[k]; }",
    "by a getter": "for (int y = 0; y < a.h; y++) for (int x = 0; x < a.w; x++) b.at[y * a.w + x] = get_at(a, x, y);",
    "of a copy": "struct picture m = a; change(&a); a = m; for (int i = 0; i < q; i++) b.at[i] = get_at(m, i, 0);",
}


@pytest.mark.parametrize("case", OF_STRUCTURES)
def test_sections_behind_members_of_structures(case: str, tmp_path: Path) -> None:
    """`b.at` begins d elements behind `a.at`: the names of a function that gets the structure mean nothing outside."""
    body = OF_STRUCTURES[case]
    code = f"{PICTURE} {GETTER} void f(int q) {{ struct picture a = made(q), b = made(q + 1); {body} }}"
    (condition,) = loop(code).tested
    assert str(condition.kind) == "distinct"
    assert condition.check is not None
    inputs = [(w, h, d) for w in range(1, 3) for h in range(1, 3) for d in range(-5, 6)]
    given = [f"q = {w * h}; a.w = m.w = {w}; a.h = m.h = {h}; b.at = a.at + ({d});" for w, h, d in inputs]
    declared = f"{PICTURE} int q; double all[40]; struct picture a = {{0, 0, all + 15}}, b, m = {{0, 0, all + 15}};"
    said = answers(declared, condition.check, given, tmp_path)
    assert said == [int(abs(d) >= w * h) for w, h, d in inputs]


def test_a_member_that_the_loop_sets_is_not_asked_before_it() -> None:
    body = "for (int i = 0; i < q; i++) { a.at = room(i); a.at[i] = b.at[i]; }"
    code = f"{PICTURE} double *room(int); void f(int q) {{ struct picture a = made(q), b = made(q + 1); {body} }}"
    assert all(c.check is None for c in loop(code).tested)


def test_what_a_member_held_before_is_not_what_it_holds(tmp_path: Path) -> None:
    """`old` is not `p->at` any more."""
    head = f"{PICTURE} double *room(int); void f(struct picture *p, int n)"
    body = "double *old = p->at; change(p); double *z = room(1); for (int i = 0; i < n; i++) old[i] = z[i];"
    (condition,) = loop(f"{head} {{ {body} }}").tested
    assert condition.check is not None
    assert "p->at" not in condition.check


def test_sections_of_three(tmp_path: Path) -> None:
    """`v` begins d and `w` e elements behind `u`; what is only read may overlap."""
    body = "for (int i = 0; i < n; i++) u[i] = v[i] * w[i + 1];"
    code = f"double *get(int); void f(int n) {{ double *u = get(0), *v = get(1), *w = get(2); {body} }}"
    test = check(code, "distinct(u,v,w)")
    inputs = [(n, d, e) for n in range(1, 4) for d in range(-5, 6) for e in range(-5, 6)]
    given = [f"n = {n}; v = u + ({d}); w = u + ({e});" for n, d, e in inputs]
    said = answers("int n; double a[40], *u = a + 15, *v, *w;", test, given, tmp_path)
    assert said == [int(abs(d) >= n and (e + 1 >= n or -e - 1 >= n)) for n, d, e in inputs]


def test_sections_of_rows(tmp_path: Path) -> None:
    """Rows of 3; w begins d elements behind `u`."""
    body = "for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) u[i][j] = w[i] * 2;"
    code = f"double *get(int); void f(int n) {{ double (*u)[3] = (double (*)[3])get(0), *w = get(1); {body} }}"
    test = check(code, "distinct(u,w)")
    inputs = [(n, d) for n in range(1, 4) for d in range(-10, 11)]
    given = [f"n = {n}; w = (double *)u + ({d});" for n, d in inputs]
    said = answers("int n; double a[60], (*u)[3] = (double (*)[3])(a + 20), *w;", test, given, tmp_path)
    assert said == [int(d >= 3 * n or -d >= n) for n, d in inputs]


PARTS = "struct part { int type, next; double x; };"
SELECTED: dict[str, tuple[str, str]] = {
    "members": ("y[p[i].next] = i;", "p[i].next"),
    "of some": ("if (p[i].type) continue; y[p[i].next] = i;", "p[i].next"),
    "members by an index": ("y[p[idx[i]].next] = i;", "p[idx[i]].next"),
    "one of two": ("int k = given ? given[i] : i; y[k] = i;", "given ? given[i] : i"),
    "members by one of two": ("int k = given ? given[i] : i; y[p[k].next] = i;", "p[given ? given[i] : i].next"),
    "one behind": ("int k = given ? given[i + 1] : i + 1; y[k] = i;", "given ? given[i + 1] : i + 1"),
}


USED: dict[str, tuple[str, Callable[[int], bool]]] = {
    "in a branch": ("if (p[i].type == 1) y[p[i].next] = i;", lambda t: t == 1),
    "behind a jump": ("if (p[i].type == 1) continue; y[p[i].next] = i;", lambda t: t != 1),
    "in the other arm": ("if (p[i].type == 1) z[i] = 0; else if (p[i].type != 0) y[p[i].next] = i;", lambda t: t > 1),
    "of a part": ("if (p[i].type == 1 && p[i].x > 2) y[p[i].next] = i;", lambda t: t == 1),
    "beside what it changes": ("if (p[i].type == 1) y[p[i].next] = i; p[i].x = 3;", lambda t: t == 1),
    "by a helper": ("set(&p[i], y);", lambda t: t == 1),
    "beside a read of another array": ("if (p[i].type == 1) y[p[i].next] = z[p[i].next];", lambda t: t == 1),
    "outside of it, of another array": (
        "p[i].x = z[p[i].next]; if (p[i].type == 1) y[p[i].next] = i;",
        lambda t: t == 1,
    ),
    "outside of it, of the same": ("p[i].x = y[p[i].next]; if (p[i].type == 1) y[p[i].next] = i;", lambda t: True),
    "in two branches": ("if (p[i].type == 1) y[p[i].next] = i; if (p[i].type == 2) y[p[i].next] = 0;", lambda t: True),
    "of either part": ("if (p[i].type == 1 || p[i].x > 2) y[p[i].next] = i;", lambda t: True),
    "by a limit": ("if (p[i].type >= 1) y[p[i].next] = i;", lambda t: True),
    "outside of it, too": ("if (p[i].type == 1) z[p[i].next] = i; y[p[i].next] = i;", lambda t: True),
    "by what it changes": ("if (p[i].type == 1) y[p[i].next] = i; p[i].type = 3;", lambda t: True),
    "by an unseen call": ("if (p[i].type == 1) y[p[i].next] = i; z[i] = weight(p[i].next, z[i]);", lambda t: True),
    "of the test itself": ("if (p[i].type == 1 && y[p[i].next] > 2) y[p[i].next] = i;", lambda t: True),
}
"""Where iterations use the values, and of which types a test looks at them."""


PLANES = """void f(unsigned nx, int ny, int nz, int js, int ks, double *restrict u) {
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (unsigned i = 0; i < nx; i++)
                u[(int)i + j * js + k * ks] += u[(int)i + (j - 1) * js + k * ks];
}"""


def test_planes_have_room_for_their_margins_in_long_arithmetic(tmp_path: Path) -> None:
    """No division by 0, and no `int` that counts as `unsigned` beside one."""
    (condition,) = loop(PLANES).tested
    assert condition.check is not None
    sizes = list(itertools.product((0, 2), (0, 2), (-1, 0, 1, 2, 3), (-4, 0, 5, 6, 9)))
    given = [f"nx = {nx}; ny = {ny}; js = {js}; ks = {ks};" for nx, ny, js, ks in sizes]
    said = answers("unsigned nx; int ny, js, ks;", condition.check, given, tmp_path)
    assert said == [int(js >= nx and js != 0 and int(ks / js) >= ny + 1) for nx, ny, js, ks in sizes]


@pytest.mark.parametrize("case", USED)
def test_values_that_no_iteration_uses_may_come_twice(case: str, tmp_path: Path) -> None:
    body, looked_at = USED[case]
    helper = "static void set(struct part *p, double *y) { if (p->type == 1) y[p->next] = p->x; }"
    declared = f"{PARTS} double weight(int, double); {helper}"
    code = f"{declared} void f(int n, double *y, double *z, struct part *p) {{ {UP_TO_N} {{ {body} }} }}"
    found = loop(code)
    (test,) = [c.check for c in found.tested if c.text == "p[].next"]
    assert test is not None
    inputs = [(types, values) for types in contents(3, range(3)) for values in contents(3, range(2))]
    given = [
        " ".join(f"p[{k}].type = {t}; p[{k}].next = {v};" for k, (t, v) in enumerate(zip(types, values, strict=True)))
        for types, values in inputs
    ]
    said = answers(f"{PARTS} struct part p[3]; int n = 3;", test, given, tmp_path)
    used = [[v for t, v in zip(*each, strict=True) if looked_at(t)] for each in inputs]
    assert said == [int(len(set(values)) == len(values)) for values in used]


@pytest.mark.parametrize(
    ("order", "apart"), [("double at[3]; int type, next;", True), ("union { int at[3]; int type; }; int next;", False)]
)
def test_a_member_that_is_an_array_is_beside_the_others(order: str, apart: bool) -> None:
    """Also the one before them, whichever element is changed; not in a union."""
    body = "if (p[i].type == 1) y[p[i].next] = y[p[i].next] * 2 + 1; for (int k = 0; k < 3; k++) p[i].at[k] += 2;"
    code = f"struct part {{ {order} }}; void f(int n, double *y, struct part *p) {{ {UP_TO_N} {{ {body} }} }}"
    checks = [c.check for c in loop(code).tested if c.text == "p[].next"]
    assert ["type == 1" in (check or "") for check in checks] == [apart]


@pytest.mark.parametrize(
    ("read", "apart"), [("mass", True), ("force[i & 1]", True), ("bin", False), ("both.high", False)]
)
def test_another_member_is_read_by_the_values_of_all_iterations(read: str, apart: bool) -> None:
    """No store of another iteration meets it, whichever element it is in."""
    hole = "struct hole { double mass, force[2]; union { int high; } both; int bin; };"
    written = "both.high" if read.startswith("both") else "bin"
    body = f"z[i] = h[p[i].next].{read}; if (p[i].type == 1) h[p[i].next].{written} = i + 1;"
    code = f"{PARTS} {hole} void f(int n, double *z, struct part *p, struct hole *h) {{ {UP_TO_N} {{ {body} }} }}"
    (check,) = [c.check for c in loop(code).tested if c.text == "p[].next"]
    assert ("type == 1" in (check or "")) == apart


def test_arrays_of_a_table_are_told_apart_by_their_entries() -> None:
    """Gas and holes, one behind each entry, are numbered apart: the same numbers come twice."""
    table = f"{PARTS} struct hole {{ double mass; int bin; }}; struct table {{ struct hole *at; }} *t;"
    body = "int k = given ? given[i] : i; z[i] = t[{0}].at[p[k].next].bin;"
    body += " if (p[k].type == 1) t[5].at[p[k].next].bin = i + 1;"
    head = f"{table} void f(int n, double *z, struct part *p, const int *given)"
    for read, apart in ((0, True), (5, False)):
        tested = loop(f"{head} {{ {UP_TO_N} {{ {body.replace('{0}', str(read))} }} }}").tested
        (check,) = [c.check for c in tested if c.text.endswith(".next")]
        assert ("type == 1" in (check or "")) == apart


INSIDE: dict[str, tuple[str, str]] = {
    "numbers": ("p->at[i]", "p->at[{}] = {};"),
    "members of structures": ("p->of[i].next", "p->of[{}].next = {};"),
    "of a structure in it": ("p->in.at[i]", "p->in.at[{}] = {};"),
    "of a structure of the program": ("P.at[i]", "p->at[{}] = {};"),
}
"""Index arrays in a structure: what selects, and how it is set."""


@pytest.mark.parametrize("case", INSIDE)
def test_index_arrays_in_a_structure(case: str, tmp_path: Path) -> None:
    value, set_to = INSIDE[case]
    held = "struct held { int at[3]; }; struct both { int n, at[3]; struct held in; struct { int a, next; } of[3]; } P;"
    code = f"{held} void f(int n, double *y, const struct both *p) {{ {UP_TO_N} y[{value}] = i; }}"
    (condition,) = loop(code).tested
    assert condition.check is not None
    inputs = [(n, values) for n in range(3) for values in contents(3, range(3))]
    given = [f"n = {n}; {' '.join(set_to.format(k, v) for k, v in enumerate(values))}" for n, values in inputs]
    said = answers(f"{held} int n; struct both *p = &P;", condition.check, given, tmp_path)
    assert said == [int(len({*values[:n]}) == n) for n, values in inputs]


def test_a_branch_about_another_element_says_nothing(tmp_path: Path) -> None:
    body = "z[i] = p[i + 1].x; if (p[i].type == 1) y[p[i + 1].next] = i;"
    code = f"{PARTS} void f(int n, double *y, double *z, const struct part *p) {{ {UP_TO_N} {{ {body} }} }}"
    test = check(code, "injective(p[].next)")
    declared = f"{PARTS} int n = 2; struct part p[3] = {{{{0, 0, 0}}, {{1, 1, 0}}, {{0, 1, 0}}}};"
    said = answers(declared, test, ["", "p[2].next = 2;"], tmp_path)
    assert said == [0, 1]


@pytest.mark.parametrize("case", SELECTED)
@pytest.mark.parametrize("head", ["for (int i = 0; i < n; i++)", "for (int i = n - 1; i >= 0; i--)"])
def test_no_value_of_an_expression_twice(case: str, head: str, tmp_path: Path) -> None:
    body, value = SELECTED[case]
    declared = "int n, double *y, const struct part *p, const int *idx, const int *given"
    (condition,) = loop(f"{PARTS} void f({declared}) {{ {head} {{ {body} }} }}").tested
    assert str(condition.kind) == "injective"
    assert condition.check is not None
    members = "for (int k = 0; k < 3; k++) p[k].next = 2 * idx[(k + 1) % 3];"
    every = [(2, values) for values in contents(3, range(3))] + [(n, (0, 0, 0)) for n in range(2)]
    inputs = [f"n = {n}; {setting('idx', v)} {members} given = {g};" for n, v in every for g in ("0", "idx")]
    variables = f"{PARTS} int n, idx[3], *given; struct part p[3] = {{{{0}}}};"
    pairs = "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++)"
    other = re.sub(r"\bi\b", "j", value)
    brute = f"({{ int ok = 1; {pairs} ok &= ({value}) != ({other}); ok; }})"
    said = answers(variables, condition.check, inputs, tmp_path)
    assert said == answers(variables, brute, inputs, tmp_path)
    assert set(said) == {0, 1}


def test_no_walk_where_the_loop_may_not_read() -> None:
    """Behind a condition, the element may be outside of its array."""
    for body in ("if (i < 2) y[idx[i]] = i;", "if (y) { int k = idx ? idx[i] : i; y[k] = i; }"):
        code = f"void f(int n, double *y, const int *idx) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
        assert [c.check for c in loop(code).tested] == [None]


ENDS: dict[str, str] = {
    "a size kept": "int m = n; n = 0; @ for (int i = 0; i < m; i++) y[idx[i]] = i; $",
    "a member kept": "int m = s->n; s->n = 0; @ for (int i = 0; i < m; i++) y[idx[i]] = i; $",
    "a member": "@ for (int i = 0; i < s->n; i++) y[idx[i]] = i; $",
    "given by a call": "int k = count(); int m = k; k = 0; @ for (int i = 0; i < m; i++) y[idx[i]] = i; $",
    "counting down": "for (int j = 0; j < 2; j++) { n--; @ for (int i = 0; i < n; i++) y[idx[i]] = i; $ }",
    "a loop around": "for (int j = 1; j < n; j++) { @ for (int i = j; i < n; i++) y[idx[i]] = i; $ }",
}
"""`@`: where the loop begins; `$`: behind it."""


@pytest.mark.parametrize("case", ENDS)
def test_a_walk_over_what_the_loop_reads(case: str, tmp_path: Path) -> None:
    body = ENDS[case]
    declared = "struct s { int n; }; int count(void);\n"
    code = f"{declared}void f(int n, struct s *s, double *y, const int *idx) {{ {body} }}"
    (condition,) = analyze_file(
        Path("c.c"), SourceOptions(), AnalysisOptions(), text=code.replace("@", "").replace("$", "")
    ).functions[-1].loops[-1].tested  # fmt: skip
    assert condition.check is not None
    before = f"said = ({condition.check}) != 0; reads = repeats = 0;"
    after = "for (int b = 0; b < reads; b++) for (int a = 0; a < b; a++) repeats |= part[a] == part[b]; "
    after += 'printf("%d ", said == !repeats);'
    run = body.replace("@", before).replace("$", after).replace("y[idx[i]] = i;", "part[reads++] = idx[i];")
    contents_ = ("0, 1, 2, 3", "3, 2, 1, 1", "2, 2, 0, 1", "0, 1, 0, 3")
    runs = " ".join(f"for (n = 0; n < 5; n++) run(n, (int[]){{{c}}});" for c in contents_)
    (tmp_path / "t.c").write_text(
        f"#include <stdio.h>\n{declared}static int n; int count(void) {{ return n; }}\n"
        "static void run(int n, int *idx) { struct s own = {n}, *s = &own; int part[9], reads, said, repeats; "
        f"(void)s; {run} }}\nint main(void) {{ {runs} return 0; }}\n"
    )
    subprocess.run(["gcc", "-fsanitize=address,undefined", "-o", "t", "t.c"], cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "t"], check=True, capture_output=True, text=True)
    assert "1" in done.stdout
    assert "0" not in done.stdout


@pytest.mark.parametrize(
    "helper",
    [
        "static double head(const struct rows *t) { return t->v[0]; }",
        "static double head(const struct rows *q) { const struct rows *t = q; return t->v[0]; }",
        "static double head(const struct rows *q) { double *t = q->v; return t[0]; }",
        "static double head(const struct rows *q) { const struct rows *s = q; return s->v[0]; }",
    ],
)
def test_names_of_an_inlined_function_are_not_those_of_the_loop(helper: str) -> None:
    code = f"""struct rows {{ double *v; int *map; }};
    {helper}
    void f(int n, struct rows *s, const struct rows *t, const struct rows *u)
    {{
        for (int k = 0; k < n; k++)
            s->v[t->map[k]] = head(u);
    }}"""
    test = check(code, "injective(t->map)")
    assert "t->map[k_]" in test
    assert "u->" not in test


def test_names_of_an_inner_block_are_not_those_around_it() -> None:
    facts = loop("""struct rows { double *v; int *map; };
    void f(int n, struct rows *s, const struct rows *t, const struct rows *u)
    {
        for (int k = 0; k < n; k++) {
            double x;
            { const struct rows *t = u; x = t->v[0]; }
            s->v[t->map[k]] = x;
        }
    }""")
    assert [f"{c.kind}({c.text})" for c in facts.tested] == ["injective(t->map)"]
    assert all(c.check is None or "u->" not in c.check for c in facts.tested)


def test_exchanged_names() -> None:
    code = """struct rows { double *v; int *map; };
    static void put(const struct rows *t, struct rows *s, int k) { t->v[s->map[k]] = k; }
    void f(int n, struct rows *s, struct rows *t)
    {
        for (int k = 0; k < n; k++)
            put(s, t, k);
    }"""
    facts = loop(code)
    assert [f"{c.kind}({c.text})" for c in facts.tested] == ["injective(t->map)"]
    assert all(c.check is None or "t->map[k_]" in c.check for c in facts.tested)


HIDDEN: dict[str, tuple[str, str]] = {
    "an array": ("int map[9];", "y[map[k]] = k;"),
    "a pointer": ("int *map;", "y[map[k]] = k;"),
    "a member": ("struct s { int *map; } *all;", "y[all->map[k]] = k;"),
    "an end": ("const int *map; extern const int *ptr; int width;",
               "for (int e = 0; e < width; e++) y[map[k + e]] = k;"),
}  # fmt: skip


@pytest.mark.parametrize("case", HIDDEN)
def test_a_global_that_the_function_hides_has_no_test(case: str) -> None:
    """The names mean a parameter, or a variable of the function, where the test would stand."""
    declared, body = HIDDEN[case]
    for own in ("int *map, struct s *all, int width", ""):
        local = "" if own else "int width = n, *map = 0; struct s *all = 0;"
        code = f"""struct s; {declared} double *y;
        static void put(int k) {{ {body} }}
        void f(int n{own and ", " + own}) {{ {local} for (int i = 0; i < n; i++) put(i); }}"""
        facts = loop(code)
        assert facts.parallelism.verdict is not Verdict.YES
        assert all(c.check is None for c in facts.tested)


def test_no_variable_of_the_loop_is_taken_for_an_array_of_its_name() -> None:
    fill = "int ptr = idx[i + j]; for (int l = 0; l < m; l++) if (x[l]) y[ptr++] = j;"
    head = "int n, int m, int *restrict y, const int *restrict x, const int *restrict idx, const int *restrict ptr"
    body = f"for (int i = ptr[0]; i < n; i++) for (int j = 0; j < m; j++) {{ {fill} }}"
    facts = loop(f"void f({head}) {{ {body} }}")
    assert [(c.kind, c.text, c.check) for c in facts.tested] == [("injective", "ptr", None)]


def test_inner_rows_of_tasks_do_not_meet(tmp_path: Path) -> None:
    fill = "if (k == from[t]) a[t] = k; else if (k == upto[t]) b[t] = k; else y[k] = t;"
    arrays = "const int *restrict from, const int *restrict upto, int *restrict a, int *restrict b, int *restrict y"
    body = f"for (int t = 0; t < n; t++) for (int k = from[t]; k <= upto[t]; k++) {fill}"
    test = check(f"void f(int n, {arrays}) {{ {body} }}", "slices(from[t])")
    inputs = [(n, at, to) for n in range(4) for at in contents(3, range(3)) for to in contents(3, range(4))]
    cases = [f"n = {n}; {setting('from', at)} {setting('upto', to)}" for n, at, to in inputs]
    said = answers("int n, from[3], upto[3];", test, cases, tmp_path)
    for (n, at, to), holds in zip(inputs, said, strict=True):
        stored = [set(range(at[t] + 1, to[t])) for t in range(n)]
        apart = all(a.isdisjoint(b) for a, b in itertools.combinations(stored, 2))
        assert apart or not holds
    assert sum(said) > 100


@pytest.mark.parametrize(
    ("parameter", "pointer", "is_tested"),
    [
        ("int *idx", "idx + 1", True),
        ("unsigned char *idx", "(const int *)(idx + 4)", False),
        ("unsigned *idx", "(const int *)idx + 1", False),
        ("struct pair *idx", "(const int *)(idx + 1)", False),
    ],
)
def test_elements_are_read_as_the_loop_reads_them(parameter: str, pointer: str, is_tested: bool) -> None:
    """`idx[k]` is another value where idx leads to other elements than the pointer that the loop reads by."""
    body = f"const int *p = {pointer}; for (int i = 0; i < n; i++) y[p[i]] = i;"
    facts = loop(f"struct pair {{ int a, b; }};\nvoid f(double *y, {parameter}, int n) {{ {body} }}\n")
    assert facts.parallelism.verdict is Verdict.CONDITIONAL
    (condition,) = facts.tested
    assert (condition.check is not None) is is_tested
