"""`restrict` pointers of a loop's body: what they promise, against execution with memory that keeps the promise."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from analyzer.facts.loop import Verdict

from .answers import answer

BODY = """
    for (int j = 0; j < n; j++) {
        double *restrict p = R[j];
        const double *restrict q = S[j];
        for (int i = 0; i < m; i++)
            p[i] = q[i] + 1;
    }
"""

PROGRAM = """
#include <stdio.h>
static void f(int n, int m, double **R, double **S) {%s}
int main(void)
{
    double t[4][3] = {{1, 2, 3}}, *R[3], *S[3];
    for (int j = 0; j < 3; j++) R[j] = t[j + 1], S[j] = t[j];   /* the row written is the row read next */
    f(3, 3, R, S);
    for (int j = 0; j < 4; j++) for (int i = 0; i < 3; i++) printf("%%g ", t[j][i]);
    return 0;
}
"""


def backwards(body: str, counter: str) -> str:
    forwards = rf"int {counter} = 0; {counter} < (\w); {counter}\+\+"
    return re.sub(forwards, rf"int {counter} = \1; {counter}-- > 0;", body)


def printed(body: str, folder: Path) -> str:
    source = folder / "t.c"
    source.write_text(PROGRAM % body)
    subprocess.run(["cc", "-O2", "-o", folder / "t", source], check=True)
    return subprocess.run([folder / "t"], check=True, capture_output=True, text=True).stdout


@pytest.mark.skipif(shutil.which("cc") is None, reason="runs programs")
def test_the_promise_holds_in_one_iteration_and_not_between_two(tmp_path: Path) -> None:
    forwards = printed(BODY, tmp_path)
    assert printed(backwards(BODY, "i"), tmp_path) == forwards
    assert answer(BODY, 1).verdict is Verdict.YES
    assert answer(BODY, 1).assumptions == ()
    assert printed(backwards(BODY, "j"), tmp_path) != forwards
    assert "params-distinct" in {a.kind for a in answer(BODY, 0).assumptions}


@pytest.mark.parametrize(
    ("declarations", "statement"),
    [
        ("double *restrict p = g->d, *restrict q = g->e;", "p[i] = q[i + 1];"),
        ("double *restrict p = my_lookup(j), *restrict q = my_lookup(k);", "p[i] = q[i + 1];"),
        ("double *restrict p = g->d, *restrict q = g->e, *w = p;", "w[i] = q[i + 1];"),
        ("double *restrict p = g->d; { double *restrict q = g->e;", "p[i] = q[i + 1]; }"),
    ],
)
def test_two_are_distinct_in_the_loops_inside(declarations: str, statement: str) -> None:
    body = f"for (int j = 0; j < n; j++) {{ {declarations} for (int i = 0; i < m; i++) {statement} }}"
    found = answer(body, 1)
    assert found.verdict is Verdict.YES
    assert not {a.kind for a in found.assumptions} & {"params-distinct", "rows-distinct", "members-distinct"}
    around = answer(body, 0)
    assert around.verdict is not Verdict.YES or around.assumptions


@pytest.mark.parametrize(
    ("declarations", "statement"),
    [
        ("double *restrict p = my_lookup(j), *q = my_lookup(k);", "p[i] = q[i + 1];"),  # one promises nothing
        ("double *restrict p = g->d, *restrict q = p + k;", "p[i] = q[i + 1];"),  # based on p
        ("double *restrict p = g->d, *restrict q = g->e; q = my_lookup(j);", "p[i] = q[i + 1];"),
        ("double *restrict p = g->d, *restrict q = g->e;", "p[i] = q[i + 1], p = my_lookup(i);"),
        ("double *restrict p = g->d, *restrict q = g->e, *w = k ? p : q;", "w[i] = q[i + 1];"),
        ("double *restrict p = my_lookup(j), *w; { double *restrict q = my_lookup(k); w = q; }", "p[i] = w[i + 1];"),
        ("double *restrict p = g->d, *restrict q = g->e, **w = &q; *w = my_lookup(j);", "p[i] = q[i + 1];"),
    ],
)
def test_nothing_is_promised_for_others(declarations: str, statement: str) -> None:
    body = f"for (int j = 0; j < n; j++) {{ {declarations} for (int i = 0; i < m; i++) {statement} }}"
    assert answer(body, 1).verdict is not Verdict.YES
