"""Other forms of nests, written into the source: what stands there then, what is refused, and random programs that run
as before."""

import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

HEAD = """#ifndef N
#define N 3000
#endif
double a[N][N], b[N][N], c[N][N], x[N * N], y[N * N], z[N * N];
double exp(double);
"""


def changed(analyze: Any, source: Any, body: str, *options: str) -> tuple[str, str]:
    """The text of a function after the change, and what is said."""
    path: Path = source(f"{HEAD}void f(void)\n{{\n{body}\n}}\n")
    ran = analyze("a.c", "--suggest", "loops", "--apply", *options)
    text = path.read_bytes().decode()
    return text[text.index("void f(void)\n{\n") + 15 : -3], ran.out + ran.err


def test_headers_trade_places_and_all_else_stays(analyze: Any, source: Any) -> None:
    nest = "\tfor ({}) /* outer */\n\t\tfor ({}) {{ // inner\n\t\t\ta[i][j] = 0;\n\t\t}}"
    columns, rows = "int j = 0; j < N; j++", "int i = 0; i < N; i++"
    text, said = changed(analyze, source, nest.format(columns, rows))
    assert text == nest.format(rows, columns)
    assert "a.c:8: loops exchanged" in said


def test_what_stands_beside_the_loop_gets_its_own(analyze: Any, source: Any) -> None:
    body = """    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            /* of a row and a column */
            double s = 0;
            for (int k = 0; k < N; k++)
                s += a[i][k] * b[k][j]; // a product
            c[i][j] = s;
        }"""
    text, _ = changed(analyze, source, body)
    assert text == """    for (int i = 0; i < N; i++)
        /* Exchanged: the loop over j is the innermost. */
        {
            double s_of[3000];
            for (int j = 0; j < N; j++)
                /* of a row and a column */
                s_of[j] = 0;
            for (int k = 0; k < N; k++)
                for (int j = 0; j < N; j++)
                    s_of[j] += a[i][k] * b[k][j]; // a product
            for (int j = 0; j < N; j++)
                c[i][j] = s_of[j];
        }"""


def test_a_loop_is_divided_and_large_arrays_are_allocated(analyze: Any, source: Any) -> None:
    body = """    for (int i = 1; i < N * N; i++) {
        double t = exp(x[i]) * exp(y[i]);
        z[i] = z[i - 1] * t + t;
    }"""
    text, _ = changed(analyze, source, body)
    assert text == """    /* Divided: what has to wait for earlier iterations, and what has not. */
    {
        double *t_of = malloc(9000000 * sizeof *t_of);
        for (int i = 1; i < N * N; i++)
            t_of[i] = exp(x[i]) * exp(y[i]);
        for (int i = 1; i < N * N; i++)
            z[i] = z[i - 1] * t_of[i] + t_of[i];
        free(t_of);
    }"""
    assert Path("a.c").read_text(encoding="utf-8").startswith("#include <stdlib.h>\n")


def test_loops_become_one_with_their_comments(analyze: Any, source: Any) -> None:
    body = """    for (int i = 0; i < N * N; i++)
        x[i] = 2 * y[i]; // twice
    /* and once more */
    for (int k = 0; k < N * N; k++) {
        double t = x[k] + 1;
        z[k] = t * y[k];
    }"""
    text, _ = changed(analyze, source, body)
    assert text == """    /* Fused: one pass over what these loops share. */
    for (int i = 0; i < N * N; i++) {
        x[i] = 2 * y[i]; // twice
        /* and once more */
        double t = x[i] + 1;
        z[i] = t * y[i];
    }"""


COLUMNS = "for (int j = 0; j < N; j++)\n for (int i = 0; i < N; i++)\n a[i][j] = 0;"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (f"#pragma omp parallel for\n{COLUMNS}", "is about the loops as they are"),
        (COLUMNS.replace("\n a[", "\n#if N > 4\n a[") + "\n#else\n;\n#endif", "`#if` stands in it"),
        (f"#define SWEEP {COLUMNS.replace(chr(10), ' ')}\nSWEEP", "a macro or another loop"),
        (f"if (N > 4) {COLUMNS}", "something stands in front of it on its line"),
        (
            "for (int i = 0; i < N * N; i++) x[i] = y[i];\n for (int i = 0; N * N > i; i++) z[i] = x[i];",
            "count in different words",
        ),
    ],
)
def test_it_is_refused_with_the_reason(analyze: Any, source: Any, body: str, why: str) -> None:
    text, said = changed(analyze, source, body)
    assert text == body
    assert why in said


def test_what_it_rests_on_is_said(analyze: Any, source: Any) -> None:
    nest = "for (int j = 0; j < 3000; j++)\n for (int i = 0; i < 3000; i++)\n p[i * 3000 + j] = 2 * q[i * 3000 + j];"
    path: Path = source(f"void f(double *p, const double *q) {{\n{nest}\n}}\n")
    analyze("a.c", "--suggest", "loops", "--apply")
    lines = path.read_text(encoding="utf-8").split("\n")
    assert lines[1:3] == ["/* Assumes: p and q do not overlap. */", "for (int i = 0; i < 3000; i++)"]


def test_an_array_is_as_long_as_the_loops_around_say(analyze: Any, source: Any) -> None:
    body = """    for (int t = 0; t < 2; t++)
        for (int i = 1; i < N; i++)
            for (int j = 0; j < i; j++) {
                double s = 0;
                for (int k = 0; k < N; k++)
                    s += a[i][k] * b[k][j];
                c[i][j] = s;
            }"""
    text, _ = changed(analyze, source, body)
    assert "double *s_of = malloc(i * sizeof *s_of);" in text


def test_line_endings_stay(analyze: Any, tmp_path: Path) -> None:
    text = f"{HEAD}void f(void)\n{{\n{COLUMNS}\n}}\n".replace("\n", "\r\n")
    (tmp_path / "a.c").write_bytes(text.encode())
    analyze("a.c", "--suggest", "loops", "--apply")
    after = (tmp_path / "a.c").read_bytes().decode()
    assert after != text
    assert after.count("\n") == after.count("\r\n")


def test_nothing_is_left_to_change(analyze: Any, source: Any) -> None:
    first, _ = changed(analyze, source, COLUMNS)
    again = analyze("a.c", "--suggest", "loops", "--apply")
    assert first in Path("a.c").read_text(encoding="utf-8")
    assert "nothing to change: no loop that is known to be faster in another form" in again.err


def test_one_loop_is_asked_for(analyze: Any, source: Any) -> None:
    body = f"{COLUMNS}\n{COLUMNS.replace('a[', 'b[')}"
    text, said = changed(analyze, source, body, "--top", "1")
    assert said.count("loops exchanged") == 1
    assert text != body
    assert "no loop begins there" in analyze("a.c", "--suggest", "loops", "--suggest-at", "a.c:1").err


def test_an_unknown_size_is_no_obstacle_where_somebody_asks(analyze: Any, source: Any) -> None:
    nest = COLUMNS.replace("N", "n").replace("a[", "m[")
    source(f"void f(int n, double m[n][n]) {{\n{nest}\n}}\n")
    assert "nothing to change" in analyze("a.c", "--suggest", "loops").err
    there = str(Path("a.c").resolve())
    assert analyze("a.c", "--suggest-at", f"{there}:2", "--suggest", "loops").out.startswith("--- ")
    assert "loops exchanged" in analyze("a.c", "--suggest-at", "a.c:2", "--suggest", "loops", "--apply").out


# --- random programs, run


def test_programs_do_the_same_in_another_form(analyze: Any, source: Any, tmp_path: Path) -> None:
    r = random.Random(11)
    bodies = [_columns(r) for _ in range(30)] + [_pieces(r) for _ in range(25)] + [_neighbours(r) for _ in range(25)]
    functions = "\n".join(f"static void f{k}(void)\n{{\n    {body}\n}}" for k, body in enumerate(bodies))
    calls = "\n".join(f"    f{k}(); show();" for k in range(len(bodies)))
    head = f"#include <math.h>\n{HEAD}{SHOW}"
    path: Path = source(f"{head}{functions}\nint main(void)\n{{\n{calls}\n}}\n")
    before = _output(tmp_path, path)
    said = analyze("a.c", "--suggest", "loops", "--apply", "--host", "xeon6248").out
    kinds = [said.count(f": loop{word}") for word in ("s exchanged", " divided", "s fused")]
    assert all(n >= least for n, least in zip(kinds, (10, 5, 3), strict=True)), kinds
    assert _output(tmp_path, path) == before


SHOW = """#include <stdio.h>
static void show(void)
{
    double *all[] = { a[0], b[0], c[0], x, y, z };
    for (int m = 0; m < 6; m++)
        for (int k = 0; k < N * N; k++) {
            printf("%a ", all[m][k]);
            all[m][k] = 1 + (m * 37 + k * 11) % 17 / 16.0;
        }
    puts("");
}
"""


def _output(folder: Path, path: Path) -> str:
    flags = ["-O2", "-ffp-contract=off", "-fsanitize=undefined,bounds", "-fno-sanitize-recover=all"]
    for name, number in (("warm", "9"), ("cold", "1")):
        subprocess.run(["gcc", *flags, f"-DN={number}", path, "-o", folder / name, "-lm"], check=True)
    runs = (subprocess.run([folder / name], check=True, capture_output=True, text=True) for name in ("warm", "cold"))
    return "\n".join(run.stdout for run in runs)


def _columns(r: random.Random) -> str:
    def at() -> str:
        return r.choice(("[i][j]", "[j][i]", "[k][j]", "[i][k]", "[k][j]", "[k][i]"))

    inner = r.choice(
        (
            f"for (int k = 0; k < N; k++)\n c[i][j] {r.choice(('+=', '='))} a{at()} * b{at()};",
            f"double s = 0;\n for (int k = 0; k < N; k++)\n s += a{at()} * b{at()};\n c[i][j] = s;",
            f"c[i][j] = 1;\n for (int k = 0; k < N; k++)\n c[i][j] += a{at()} * b{at()};\n c[i][j] *= 0.5;",
            f"double t = x[j];\n for (int k = 0; k < N; k++)\n t += a{at()} * b{at()};\n c[i][j] = t;",
        )
    )
    first, second = r.choice((("i", "j"), ("j", "i"), ("i", "j")))
    rows = f"for (int {second} = 0; {second} < N; {second}++) {{\n {inner}\n }}"
    return f"for (int {first} = 0; {first} < N; {first}++)\n {rows}"


def _value(r: random.Random) -> str:
    return f"{r.choice('xyz')}[i{r.choice(('', '', '', ' - 1'))}]"


def _statement(r: random.Random) -> str:
    value = f"{_value(r)} {r.choice('+-*')} {_value(r)}"
    return f"{r.choice('xyz')}[i] = 0.25 * ({value});"


def _pieces(r: random.Random) -> str:
    lines = [f"double t = exp(-{_value(r)});"] if r.randrange(2) else []
    lines += [_statement(r) for _ in range(r.choice((2, 3)))]
    lines += [f"{r.choice('xyz')}[i] = sqrt(fabs({'t' if len(lines) > 1 and 'double' in lines[0] else _value(r)}));"]
    body = "\n        ".join(lines)
    return f"for (int i = 1; i < N * N; i++) {{\n        {body}\n    }}"


def _neighbours(r: random.Random) -> str:
    bodies = [(v, _statement(r).replace("[i", f"[{v}")) for v in r.choice(("iii", "iji", "ii"))]
    return "\n    ".join(f"for (int {v} = 1; {v} < N * N; {v}++)\n        {body}" for v, body in bodies)
