"""The test that gathered pointers lead to nothing that the loop writes, compiled and run over offsets."""

import itertools
from pathlib import Path

import pytest

from .test_checks import answers, loop, pytestmark  # noqa: F401

RECORD = "struct record { char tag[8]; double from[2], to[2]; };"
TABLES = "struct record *all; double **at;"


def test_members_that_are_gathered_are_not_written(tmp_path: Path) -> None:
    code = f"""{RECORD} {TABLES}
void gather(int n, int k) {{ for (int i = 0; i < n; i++) at[i] = &all[(i + k) % n].from[0]; }}
void f(int n) {{ gather(n, 1); for (int i = 0; i < n; i++) for (int j = 0; j < 2; j++) all[i].to[j] = at[i][j]; }}"""
    (condition,) = loop(code).tested
    assert f"{condition.kind}({condition.text})" == "distinct(all,at[])"
    assert condition.check is not None
    places = range(-3, 18)  # in doubles from the first of three records of five, and beyond
    inputs = [*itertools.product([2], places, places), *itertools.product([0, 1], places, [0])]
    declared = f"int n; {RECORD} struct record room[7], *all = room + 2; double *at[2];"
    cases = [f"n = {n}; at[0] = (double *)all + {a}; at[1] = (double *)all + {b};" for n, a, b in inputs]
    said = answers(declared, condition.check, cases, tmp_path)
    written = [{5 * i + 3 + j for i in range(n) for j in range(2)} for n, _, _ in inputs]
    apart = [written[k].isdisjoint(p + j for p in (a, b)[:n] for j in range(2)) for k, (n, a, b) in enumerate(inputs)]
    stricter = [s for s, right in zip(said, apart, strict=True) if s and not right]
    assert not stricter
    assert [s for s, right, (n, a, b) in zip(said, apart, inputs, strict=True) if right and not s and n < 2] == []
    assert said.count(1) > len(said) // 4


@pytest.mark.parametrize(
    "body",
    [
        "if (all[i].tag[0]) all[i].to[0] = at[i][0];",  # the pointer may be of another length
        "for (int j = 0; j < 2; j++) all[i].to[j] = at[2 * i + j][0];",  # two pointers in an iteration
    ],
)
def test_no_test_where_pointers_have_no_name(body: str) -> None:
    code = f"""{RECORD} {TABLES}
void gather(int n, int k) {{ for (int i = 0; i < n; i++) at[i] = &all[(i + k) % n].from[0]; }}
void f(int n) {{ gather(n, 1); for (int i = 0; i < n; i++) {{ {body} }} }}"""
    assert [c.check for c in loop(code).tested if c.kind == "distinct"] == [None]


GATHER = "void gather(int n, long k) { for (int i = 0; i < n; i++) at[i] = (double *)((char *)&all[i] + k); }"


@pytest.mark.parametrize(
    ("body", "count", "bytes_", "apart"),
    [
        ("all[i].to[1] = at[i][0];", "int n", 32, False),  # the member that is written
        ("all[i].to[1] = at[i][0];", "int n", 24, True),
        ("all[i].to[1] = ((double *)at[i])[0];", "int n", 32, False),
        ("all[i].to[k] = at[i][0];", "int n, unsigned k", 32, False),
        ("*(double *)((char *)&all[i] + k) = at[i][0];", "int n, unsigned k", 24, True),
        ("*(double *)((char *)&all[i] + k) = at[i][0];", "int n, unsigned k", 1, False),
    ],
)
def test_it_asks_for_the_place_that_is_written(body: str, count: str, bytes_: int, apart: bool, tmp_path: Path) -> None:
    code = f"{RECORD} {TABLES} {GATHER} void f({count}) {{ gather(n, 8); for (int i = 0; i < n; i++) {{ {body} }} }}"
    (test,) = [c.check for c in loop(code).tested if c.kind == "distinct"]
    assert test is not None
    declared = f"int n = 2; unsigned k = 1; {RECORD} struct record room[3] = {{0}}, *all = room; double *at[2];"
    case = f"at[0] = (double *)((char *)&all[1] + {bytes_}); at[1] = (double *)((char *)&all[0] + {bytes_});"
    assert answers(declared, test, [case], tmp_path) == [int(apart)]


@pytest.mark.parametrize("body", ["double *p = at[i]; all[i].to[0] = p[i];", "all[i].to[0] = *(at[i] + 2 * i);"])
def test_no_test_where_each_iteration_reads_further_behind_its_pointer(body: str) -> None:
    code = f"{RECORD} {TABLES} {GATHER} void f(int n) {{ gather(n, 8); for (int i = 0; i < n; i++) {{ {body} }} }}"
    assert [c.check for c in loop(code).tested if c.kind == "distinct"] == [None]


def test_no_pointer_is_looked_at_where_there_is_no_iteration(tmp_path: Path) -> None:
    body = "for (unsigned i = 0; i < n; i++) all[i].to[0] = at[i][0];"
    code = f"{RECORD} {TABLES} {GATHER} void f(unsigned n) {{ gather(n, 8); {body} }}"
    (test,) = [c.check for c in loop(code).tested if c.kind == "distinct"]
    assert test is not None
    assert answers(f"unsigned n = 0; {RECORD} struct record *all = 0; double **at = 0;", test, [""], tmp_path) == [1]
