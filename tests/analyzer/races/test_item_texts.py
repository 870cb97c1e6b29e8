"""How the program with marks reads the places that directives name."""

import pytest

from analyzer.races.directive import read_directive
from analyzer.races.item_texts import evaluations, of_lock


@pytest.mark.parametrize(
    ("item", "read"),
    [
        ("a[i]", "*(const char *)&(a[i])"),
        ("a[i - 1][2 * j]", "*(const char *)&(a[i-1][2*j])"),
        ("a[k:8]", "*(const char *)&(a[k])"),
        ("a[:n]", "*(const char *)&(a[0])"),
        ("*p", "*(const char *)&(*p)"),
        ("p->next", "*(const char *)&(p->next)"),
    ],
)
def test_an_item_is_read_at_its_first_byte(item: str, read: str) -> None:
    directive = read_directive(f"omp task depend(out: {item})")
    assert directive is not None
    assert evaluations(7, directive) == {"__omp_i7_0": read}


@pytest.mark.parametrize("item", ["x", "a[f(i)]", "FIRST(a)[0]"])
def test_a_name_and_a_call_are_not_read(item: str) -> None:
    directive = read_directive(f"omp task depend(out: {item})")
    assert directive is not None
    assert evaluations(7, directive) == {}


def test_the_place_of_a_lock_is_read() -> None:
    assert of_lock(3, "&lock[k]") == {"__omp_i3_0": "*(const char *)(&lock[k])"}
    assert of_lock(3, "p") == {"__omp_i3_0": "*(const char *)(p)"}
    assert of_lock(3, "&lock") == {"__omp_i3_0": "*(const char *)(&lock)"}
    assert of_lock(3, "lock_of(k)") == {}
