"""Calls that no iteration gets to: assertions that bounds fulfil block nothing, and others do."""

from functools import cache
from itertools import product
from random import Random

import pytest

from analyzer.facts.loop import Parallelism

from .answers import answers_of_all

I = "for (int i = 0; i < n; i++)"  # noqa: E741

NEVER = [
    f"{I} {{ if (i >= n) exit(1); q[i] = 0; }}",
    f"{I} {{ if (!(0 <= i && i < n)) exit(1); q[i] = 0; }}",
    f"{I} {{ if (i < 0 || n <= i || n < 1) exit(1); q[i] = 0; }}",
    f"{I} {{ if (i < 0) {{ printf(\"below\"); exit(1); }} q[i] = 0; }}",
    f"{I} {{ if (i > n) ext(); q[i] = 0; }}",
    # kept as a truth value, or handed on as one
    f"{I} {{ int in = 0 <= i && i < n; if (!in) exit(1); q[i] = 0; }}",
    f"{I} {{ _Bool in = i < n; if (in == 0 && !in) exit(1); q[i] = 0; }}",
    f"{I} {{ check(i < n); check(i >= 0 && n > i); q[i] = 0; }}",
    # around it, and in it
    "if (k <= n) for (int i = 0; i < k; i++) { check(i < n); q[i] = 0; }",
    f"{I} for (int j = i + 1; j < n; j++) {{ check(0 < j && i + 1 < n); A[i][j] = 0; }}",
]

SOMETIMES = [
    f"{I} {{ if (i >= k) exit(1); q[i] = 0; }}",
    f"{I} {{ if (i + 1 >= n) exit(1); q[i] = 0; }}",
    f"{I} {{ if (i < 0 || n <= i + 1) exit(1); q[i] = 0; }}",
    f"{I} {{ int in = 0 < i && i < n; if (!in) exit(1); q[i] = 0; }}",
    f"{I} {{ check(i < k); q[i] = 0; }}",
    # the truth value is not that of the condition any more, or not in all iterations
    f"{I} {{ int in = i < n; if (q[i]) in = 0; if (!in) exit(1); q[i] = 0; }}",
    f"int in = 0 < n; {I} {{ if (!in) exit(1); q[i] = 0; in = i < 3; }}",
    f"int in; {I} {{ in = i < n; }} {I} {{ if (!in) exit(1); q[i] = 0; }}",
    # unsigned numbers begin again
    "for (unsigned i = 0; i < u; i++) { if (i - 1 >= u) exit(1); q[i] = 0; }",
    "for (unsigned i = 0; i < u; i++) { int in = i - 1 < u; if (!in) exit(1); q[i] = 0; }",
]

DEPENDENT = [
    f"{I} {{ check(i < n); A[0][i + 1] = A[0][i] + 1; }}",
    f"{I} {{ check(0 <= i && i < n), A[0][i + 1] = A[0][i] + 1; }}",
]


@cache
def all_() -> dict[str, list[Parallelism]]:
    return answers_of_all([*NEVER, *SOMETIMES, *DEPENDENT], assume="all")


@pytest.mark.parametrize("c", NEVER)
def test_what_is_never_called_blocks_nothing(c: str) -> None:
    assert all_()[c][0].verdict.value == "yes"


@pytest.mark.parametrize("c", SOMETIMES)
def test_what_may_be_called_is_not_left_out(c: str) -> None:
    assert all_()[c][-1].verdict.value != "yes"


@pytest.mark.parametrize("c", DEPENDENT)
def test_dependences_behind_an_assertion_that_holds_are_shown(c: str) -> None:
    assert (all_()[c][0].verdict.value, all_()[c][0].reason.code) == ("no", "carried-dependence")  # type: ignore[union-attr]


TERMS = ["i", "n", "k", "0", "1", "i + 1", "n - 1", "n - i", "k - i", "i - 1", "2*i"]


def test_no_condition_that_holds_once_is_taken_for_one_that_never_does() -> None:
    """Random comparisons, alone and joined, at every small `n` and `k`."""
    rng = Random(20261127)

    def comparison() -> str:
        return f"{rng.choice(TERMS)} {rng.choice(['<', '<=', '>', '>=', '==', '!='])} {rng.choice(TERMS)}"

    shapes = ["{}", "{} && {}", "{} || {}", "({} || {}) && {}", "{} && {} && {}", "!({} && {})"]
    conditions = list(dict.fromkeys(rng.choice(shapes).format(*(comparison() for _ in range(3))) for _ in range(150)))
    ways = ["if ({}) exit(1);", "int hit = {}; if (hit) exit(1);", "check(!({}));"]
    bodies = {f"{I} {{ {ways[j % 3].format(c)} q[i] = 0; }}": c for j, c in enumerate(conditions)}
    answers = answers_of_all(bodies)
    never = 0
    for body, c in bodies.items():
        test = compile(c.replace("&&", " and ").replace("||", " or ").replace("!(", "not ("), "c", "eval")
        cases = product(range(6), range(-2, 7))
        holds = any(eval(test, {"i": i, "n": n, "k": k}) for n, k in cases for i in range(n))
        never += not holds
        assert not holds or answers[body][0].verdict.value != "yes", body
        assert holds or answers[body][0].verdict.value == "yes", body
    assert never > 20
