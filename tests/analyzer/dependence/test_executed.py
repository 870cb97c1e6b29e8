"""Dependences that a run of a small instance shows, and loops of which no run may show any."""

from functools import cache

import pytest

from analyzer.dependence.witness import executed
from analyzer.dependence.witness.chosen_values import ChosenValues, machine
from analyzer.dependence.witness.machine import Machine
from analyzer.facts.loop import Parallelism

from .answers import answer, answers_of_all

I = "for (int i = 0; i < n; i++)"  # noqa: E741
NO = "no carried-dependence"

SHOWN = [
    # what an iteration reads of an element that others change
    f"{I} x[i] = q[idx[i]]++;",
    f"{I} {{ int p = q[idx[i]]; q[idx[i]] = p + 1; x[p] = i; }}",
    f"{I} if (!t[idx[i]]) {{ t[idx[i]] = 1; x[k++] = i; }}",
    # loops in the loop, whose order shows
    f"{I} for (int j = 0; j + 1 < n - i; j++) if (q[j] > q[j + 1]) {{ int y = q[j]; q[j] = q[j + 1]; q[j + 1] = y; }}",
    f"{I} {{ int y = q[i], j = i; while (j > 0 && q[j - 1] > y) {{ q[j] = q[j - 1]; j--; }} q[j] = y; }}",
    # loops in the loop that could be too long, and are not
    f"{I} {{ if (i > 9) for (int j = 0; j < 30000; j++) b[j] = i; x[i] = q[idx[i]]++; }}",
    f"{I} {{ for (int j = 0; j < 30; j++) b[j] = i; x[i] = q[idx[i]]++; }}",
    # a variable that data decides about
    f"{I} {{ if (idx[i] > 2) k = idx[i]; q[i] = k + q[k]; }}",
]

NOT_SHOWN = [
    # an index list may be one of which no two iterations use the same element
    f"{I} q[i] = q[idx[i]] + 1;",
    f"{I} {{ int v = q[idx[i]]; q[idx[i] + 1] = v + 1; }}",
    # copies do: of a variable, of elements, of a variable beside a sum
    f"{I} {{ if (i > 2) s = b[i]; r[i] = s; }}",
    f"{I} {{ if (i > 2) r[0] = b[i]; r[i + 1] = r[0]; }}",
    f"{I} {{ if (i > 2) s = b[i]; H[0] += (int)s; H[1] = H[1] + 1; x[i] = s; }}",
    f"{I} {{ int j = 0; do {{ x[j] = b[i + j]; j++; }} while (j < m); }}",
    f"x[0] = b[4]; {I} {{ int j = 0; do {{ x[j] = b[i + j]; j++; }} while (j < m); }}",
    # sums that are no reduction for the analysis: backward they are the same
    f"{I} {{ int v = q[0]; v += idx[i]; q[0] = v - 1; }}",
    f"{I} {{ int v = q[idx[i]] + 1; q[idx[i]] = v; }}",
    # the same for all who get there
    f"{I} if (t[idx[i]] == 0) t[idx[i]] = 1;",
    # a closed form that was not found
    f"int y = 1; {I} {{ x[y] = i; y += i; }}",
    # calls that are not seen, one iteration
    f"{I} x[i] = q[0] = q[0] * 5 + my_lookup(i) ? 1 : 2;",
    "for (int i = 0; i < 1; i++) x[i] = q[idx[i]]++;",
]


@cache
def all_() -> dict[str, list[Parallelism]]:
    return answers_of_all([*SHOWN, *NOT_SHOWN])


@pytest.mark.parametrize("c", SHOWN)
def test_a_run_shows_the_dependence(c: str) -> None:
    reason = all_()[c][0].reason
    assert reason is not None
    assert f"{all_()[c][0].verdict.value} {reason.code}" == NO


@pytest.mark.parametrize("c", NOT_SHOWN)
def test_no_run_shows_a_dependence(c: str) -> None:
    assert all_()[c][0].verdict.value != "no"


def test_the_reason_names_two_accesses_and_sizes_that_show_it() -> None:
    reason = all_()[SHOWN[0]][0].reason
    assert reason is not None
    assert reason.message == (
        "line 25 reads `q[idx[i]]`, which line 25 writes as `q[idx[i]]` in an earlier iteration, for example with n = 5"
    ).replace("25", str(reason.line))
    assert reason.accesses == ("q[idx[i]]", "q[idx[i]]")


def test_a_word_of_the_user_or_an_expert_is_not_overruled_by_chosen_contents() -> None:
    assert answer(f"\n// analyze: independent keys differ\n{SHOWN[0]}").verdict.value == "yes"
    assert answer(f"\n#pragma omp parallel for\n{SHOWN[0]}").verdict.value == "unknown"


GRAY = "for (int i = 0; i < n; i++) u[i ^ (i >> 1)] = w[(i + 1) ^ ((i + 1) >> 1)] * 2;"


def test_the_accesses_that_are_named_are_those_of_the_loop_in_its_order() -> None:
    """What is read by one iteration and stored by the next one, if `u` and `w` are one row."""
    (found,) = answers_of_all([f"double *u = R[k], *w = R[m]; {GRAY}"]).values()
    assert found[0].reason is not None
    assert found[0].reason.accesses == ("w[(i + 1) ^ ((i + 1) >> 1)]", "u[i ^ (i >> 1)]")


def test_no_run_breaks_the_promise_of_restrict() -> None:
    (found,) = answers_of_all([f"double *restrict u = R[k], *restrict w = R[m]; {GRAY}"]).values()
    assert found[0].reason is not None
    assert (found[0].verdict.value, found[0].reason.code) == ("unknown", "non-affine-access")


@pytest.mark.parametrize("length", [300, 30_000])
def test_a_loop_is_not_run_of_which_two_iterations_take_too_many_steps(
    length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []

    def begin(values: ChosenValues, steps: int) -> Machine:
        begun.append(steps)
        return machine(values, steps)

    monkeypatch.setattr(executed, "machine", begin)
    answer(f"{I} {{ for (int j = 0; j < {length}; j++) b[j] = i; x[i] = q[idx[i]]++; }}")
    assert bool(begun) == (length == 300)
