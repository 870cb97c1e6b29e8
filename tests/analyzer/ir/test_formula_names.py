"""Names that formulas have beside those of C, and variables that are called like them."""

from typing import Any

import pytest

from analyzer.ir.formula_names import is_weight, iteration, line_of_trip, mean_trip, version, version_of, weight
from analyzer.ir.symbols import Kind

STEMS = ("p", "exit", "trip", "share", "iteration")


@pytest.mark.parametrize("name", [*STEMS, "n", "s->p", "a[i]", "p2"])
def test_later_values_are_recognised_and_are_nothing_else(name: str) -> None:
    later = version(name, 12)
    assert version_of(later) == (name, 12)
    assert not is_weight(later)
    assert line_of_trip(later) is None


@pytest.mark.parametrize("where", [12, "12:5", "12:5.2", "others"])
def test_weights(where: int | str) -> None:
    assert is_weight(weight(Kind.BRANCH, where))
    assert is_weight(weight(Kind.EXIT, where))
    assert not is_weight(weight(Kind.TRIP, where))


def test_what_stands_for_loops_is_no_later_value() -> None:
    assert line_of_trip(mean_trip(12)) == 12
    assert [version_of(name) for name in (mean_trip(12), iteration(12), "p@12")] == [
        ("trip@12", None),
        ("iteration@12", None),
        ("p@12", None),
    ]


@pytest.mark.parametrize("name", ["q", *STEMS])
def test_a_variable_may_have_any_name(analyze: Any, source: Any, name: str) -> None:
    """Was: `p` and `exit` were 0.5 from the second value on, and `trip` the mean trip count of a loop."""
    loop = f"for (int i = 0; i < {name}; i++) a[i] = 0;"
    source(f"int get(void);\nvoid f(int {name}, double *a) {{\n{name} = get();\n{loop}\n}}\n")
    out = " ".join(analyze("a.c", "-t", "h200").out.split())
    assert f"{version(name, 3)} is unknown" in out
