"""Conditions of which the user says that they hold: what is enough for what, and what it does to answers."""

import json
from typing import Any

import pytest

from analyzer.dependence.held_conditions import is_held
from analyzer.facts.loop import Assumption
from analyzer.ir.reasons import AssumptionKind


@pytest.mark.parametrize(
    ("kind", "needed", "said", "held"),
    [
        ("distinct", "a,b", "distinct(b, a)", True),
        ("distinct", "a,b", "distinct(a,b,c)", True),
        ("distinct", "a,b,c", "distinct(a,b)", False),
        ("distinct", "a,b", "injective(a)", False),
        ("at-most", "n<=64", "at-most(n<=48)", True),
        ("monotone", "ptr", "rising(ptr)", True),
        ("injective", "ptr", "rising(ptr)", True),
        ("rising", "ptr", "monotone(ptr)", False),
        ("monotone", "ptr", "rising(idx)", False),
        ("at-most", "n<=64", "at-most(n <= 65)", False),
        ("at-most", "n<=64", "at-most(m<=48)", False),
        ("at-least", "m>=3", "at-least(m>=5)", True),
        ("at-least", "s->pitch>=w", "at-least(s->pitch >= w)", True),
        ("at-least", "s->pitch>=w", "at-least(s->pitch>=3)", False),
        ("at-least", "s->pitch>=w", "at-least(s->pitch>=v)", False),
        ("cold", "40", "cold(12,40)", True),
        ("cold", "4", "cold(40)", False),
        ("no-exit", "12", "no-exit(12)", True),
        ("no-exit", "12", "cold(12)", False),
        ("pure", "f", "pure(f,g)", True),
        ("pure", "f", "independent(f)", False),
        ("injective", "on ? at[i] : i", "injective(on?at[i]:i)", True),
    ],
)
def test_what_is_said_is_enough_or_not(kind: str, needed: str, said: str, held: bool) -> None:
    assert is_held(Assumption(AssumptionKind(kind), needed, 1), (said,)) is held


def test_facts_of_several_places_add_up_but_not_to_a_pair() -> None:
    wanted = Assumption(AssumptionKind.COLD, "12,40", 1)
    assert is_held(wanted, ("cold(12)", "cold(40)"))
    assert not is_held(Assumption(AssumptionKind.DISTINCT, "a,c", 1), ("distinct(a,b)", "distinct(b,c)"))


SCATTER = """void f(int n, double *restrict a, const int *restrict place, const double *restrict x) {{
    {0}
    for (int i = 0; i < n; i++)
        a[place[i]] = x[i];
}}
"""


def first(analyze: Any, *arguments: str) -> dict[str, Any]:
    (file,) = json.loads(analyze("a.c", "-f", "json", *arguments).out)["files"]
    return {**file["loops"][0], "said": [d["message"] for d in file["diagnostics"]]}


def test_a_condition_that_holds_makes_it_a_yes(analyze: Any, source: Any) -> None:
    source(SCATTER.format(""))
    assert first(analyze)["parallel"] == "conditional"
    source(SCATTER.format("// analyze: holds injective( place )"))
    loop = first(analyze)
    assert (loop["parallel"], loop["said"]) == ("yes", [])
    assert {"kind": "user", "text": "injective(place)", "line": 4} in loop["assumptions"]
    assert loop["without_assumptions"] is False
    assert first(analyze, "--assume", "none")["parallel"] == "unknown"


def test_another_condition_changes_nothing_and_is_a_finding(analyze: Any, source: Any) -> None:
    source(SCATTER.format("// analyze: holds monotone(place)"))
    loop = first(analyze)
    assert loop["parallel"] == "conditional"
    assert loop["said"] == ["no answer needs `holds monotone(place)`"]


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("// analyze: holds injectiv(place)", "`holds injectiv(place)` is no condition; did you mean injective?"),
        ("// analyze: holds injective(plase)", "`holds injective(plase)`: there is no `plase`"),
        ("// analyze: holds injective(place)\n    n++;", "`analyze: holds` belongs above a loop"),
    ],
)
def test_what_is_mistyped_is_a_finding(analyze: Any, source: Any, comment: str, said: str) -> None:
    source(SCATTER.format(comment))
    loop = first(analyze)
    assert loop["parallel"] == "conditional"
    assert [text[: len(said)] for text in loop["said"]] == [said]


def test_it_is_not_believed_against_what_the_code_shows(analyze: Any, source: Any) -> None:
    source(
        "void f(int n, double *restrict a, int *restrict place) {\n"
        "    for (int i = 0; i < n; i++) place[i] = 0;\n"
        "    // analyze: holds injective(place)\n"
        "    for (int i = 1; i < n; i++) a[i] = a[i - 1] + place[i];\n}\n"
    )
    (file,) = json.loads(analyze("a.c", "-f", "json").out)["files"]
    assert file["loops"][1]["parallel"] == "no"
    (said,) = file["diagnostics"]
    assert said["message"].startswith("`holds injective(place)` is not believed: the loop in line 4 is not parallel: ")


def test_functions_that_only_the_user_knows(analyze: Any, source: Any) -> None:
    """Nothing tells the call which iteration it is, and it could write to what it gets: only the user can know."""
    text = (
        "void tick(int *state);\nvoid f(int n, double *a, int *s) {{\n    {0}\n"
        "    for (int i = 0; i < n; i++) {{ a[i] = i; tick(s); }}\n}}\n"
    )
    source(text.format(""))
    assert first(analyze)["parallel"] == "unknown"
    source(text.format("// analyze: holds independent(tick)"))
    loop = first(analyze)
    assert loop["parallel"] == "yes"
    assert "independent(tick)" in [a["text"] for a in loop["assumptions"]]
    source(text.format("// analyze: holds pure(tick)"))
    assert first(analyze)["parallel"] == "yes"


def test_what_holds_of_a_loop_holds_inside_of_it(analyze: Any, source: Any) -> None:
    source(
        "void f(int n, double *restrict a, const int *restrict at) {\n    // analyze: holds injective(at)\n"
        "    for (int k = 0; k < n; k++)\n        for (int i = 0; i < n; i++)\n            a[at[i]] = i + k;\n}\n"
    )
    (file,) = json.loads(analyze("a.c", "-f", "json").out)["files"]
    inner = file["loops"][1]
    assert inner["parallel"] == "yes"
    assert "injective(at)" in [a["text"] for a in inner["assumptions"]]
