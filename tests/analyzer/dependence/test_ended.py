"""Loops that contents of memory end, as runs show, and loops that end by sizes and counters alone."""

from functools import cache

import pytest

from analyzer.facts.loop import Parallelism

from .answers import answers_of_all

DECIDED = [
    # by what the loop stores
    "while (2 * k + 1 < n) { int j = 2 * k + 1; if (j + 1 < n && q[j + 1] > q[j]) j++; if (q[k] >= q[j]) break; "
    "int y = q[k]; q[k] = q[j]; q[j] = y; k = j; }",
    # by what it has come to
    "while (k < n) { k = k + 1 + idx[k]; if (k % 7 == 3) break; x[k] = 1; }",
    "int y = 0; for (int i = 0; i < n; i++) { y = y * 3 + idx[i]; if (y > 40) return i; x[i] = y; }",
]

NOT_DECIDED = [
    # a size that is read, counters, a walk that data does not decide about
    "int i = 0; while (i < q[0]) { if (i * i > q[1]) break; q[2] = i; i++; }",
    "int i = 1; while (i < n) { if (i * i > m) break; x[i] = 1; i *= 2; }",
    # in the first iteration or never
    "for (int i = 0; i < n; i++) { if (idx[k] * idx[m] > 3) break; x[i] = x[i] + 1; }",
    # in the last iteration
    "for (int i = 0; i < n; i++) { x[i] = idx[i]; if (i == n - 1 && idx[i] * idx[i] > 4) return 1; }",
]


@cache
def all_() -> dict[str, list[Parallelism]]:
    return answers_of_all([*DECIDED, *NOT_DECIDED])


@pytest.mark.parametrize("c", DECIDED)
def test_contents_end_the_loop(c: str) -> None:
    assert all_()[c][0].verdict.value == "no"


@pytest.mark.parametrize("c", NOT_DECIDED)
def test_sizes_and_counters_end_the_loop(c: str) -> None:
    assert all_()[c][0].verdict.value == "unknown"
