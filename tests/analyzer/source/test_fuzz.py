"""Broken C of every kind: no exception, no error of ours, and what is whole is kept."""

import random

import pytest

from analyzer.source import findings

from .conftest import Loader

SEED = """
#define N 100
typedef struct { double x, y; int tag : 3; } point;
enum kind { LEFT, RIGHT = 4 };
static point all[N]; int (*handler)(int, char *);
static int helper(point *p, enum kind k) { return k == LEFT ? p->tag : (int)p->y; }
void scale(int n, double *restrict a, const double b[n][N]) {
  for (int i = 0, j = n; i < n; i++, j--) { if (a[i] > 0.5) a[i] *= b[i][j] + sizeof(point); else continue; }
  while (n-- > 0) switch (n) { case 1: break; default: a[n] = helper(&all[n], RIGHT); }
}
int old(a, n) double *a; int n; { do { a[n] = 'c' + "x"[0]; } while (--n); return n; }
"""
WHOLE = "\nvoid whole(int n) { for (int i = 0; i < n; i++) n--; }\n"
PIECES = [
    *("{", "}", "(", ")", "[", "]", ";", ",", "*", "&", "=", "==", "->", ".", "...", "'", '"', "#", "##", "\\", ":"),
    *("typedef", "struct", "int", "static", "for", "while", "do", "asm", "__attribute__(("),
]


def broken(seed: int) -> str:
    """The seed with a few characters removed, doubled, swapped, or replaced by a piece of C."""
    chance = random.Random(seed)
    text = SEED
    for _ in range(chance.randint(1, 6)):
        at, length = chance.randrange(len(text)), chance.randint(1, 12)
        piece = chance.choice(["", text[at : at + length] * 2, f" {chance.choice(PIECES)} ", text[at::-1][:length]])
        text = text[:at] + piece + text[at + length :]
    return text


@pytest.mark.parametrize("seed", range(60))
def test_broken_text(load: Loader, seed: int) -> None:
    unit = load(WHOLE + broken(seed))
    assert findings.INTERNAL_ERROR not in [d.rule for d in unit.diagnostics]
    assert [d.node is not None for d in unit.functions if d.name == "whole"][:1] == [True]
    for definition in unit.functions:
        if definition.node is not None:
            assert unit.place(definition.node).line > 0
            assert unit.end_line(definition.node.body) >= unit.place(definition.node).line


@pytest.mark.parametrize(
    "text",
    [
        b"\xff\xfe\xe9 int x;",
        b"int f(void) { return '\\xff\xff'; }",
        b'char *s = "\xe9\xe8"; // \xc3',
        b"\r\r\n\f\v",
        b"\\\n",
    ],
    ids=["no utf-8", "constants", "strings", "white space", "backslash"],
)
def test_bytes_that_are_no_text_of_ours(load: Loader, text: bytes) -> None:
    unit = load(text + WHOLE.encode())
    assert "whole" in [d.name for d in unit.functions]
