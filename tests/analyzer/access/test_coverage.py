"""Coverage: a write, or several together, reach the target everywhere, or do not."""

import pytest

from analyzer.access.coverage import Claim, is_covered, one_earlier
from analyzer.ir.nodes import Counter
from analyzer.ir.polynomials import Poly, Symbol, number, symbol
from analyzer.ir.symbols import Kind, derived, program
from analyzer.polyhedra.system import Work, at_least, system

J, K, M = (program(k, name, Counter(k), 0) for k, name in enumerate("jkm"))
"""Counters of the read and of the write, and a size."""

j, k, m = map(symbol, (J, K, M))


def write(index: Poly, *conditions: Poly) -> Claim:
    return Claim((index,), tuple(map(at_least, conditions)), frozenset({K}))


ALL = write(k, k, m - 1 - k)
EVEN, ODD = write(k * 2, k, m - 1 - k * 2), write(k * 2 + 1, k, m - 2 - k * 2)
FIRST = Claim((number(0),), ())


@pytest.mark.parametrize(
    ("target", "claims", "answer"),
    [
        pytest.param(j, [ALL], True, id="the whole row"),
        pytest.param(m - 1 - j, [ALL], True, id="backwards"),
        pytest.param(j + 1, [ALL], False, id="one behind the end"),
        pytest.param(j, [write(k, k - 1, m - 1 - k)], False, id="all but the first"),
        pytest.param(j, [write(k, k - 1, m - 1 - k), FIRST], True, id="the first apart"),
        pytest.param(j * 2, [write(k * 2, k, m - 1 - k)], True, id="every other one"),
        pytest.param(j, [EVEN], False, id="only the even ones"),
        pytest.param(j, [FIRST], False, id="the first alone"),
        pytest.param(j, [], False, id="no write"),
    ],
)
def test_what_is_stored_before(target: Poly, claims: list[Claim], answer: bool) -> None:
    around = system(at_least(j), at_least(m - 1 - j))
    assert is_covered(around, (target,), claims, Work()) is answer


@pytest.mark.parametrize(("back", "answer"), [(1, True), (0, False), (-1, False)])
def test_an_earlier_iteration_of_the_same_loop(back: int, answer: bool) -> None:
    """`p[j] = ...` in the iterations before: `p[j - 1]` is stored, `p[j]` and `p[j + 1]` are not."""
    stored = Claim((j,), (at_least(j), at_least(m - 1 - j)))
    copy: Symbol = derived(Kind.PRIMED, J, J.origin, "j'", 0)
    around = system(at_least(j - 1), at_least(m - 1 - j))
    assert is_covered(around, (j - back,), [one_earlier(stored, [J], {J: copy})], Work()) is answer


def test_nothing_is_said_once_the_work_is_spent() -> None:
    around = system(at_least(j), at_least(m - 1 - j))
    assert not is_covered(around, (j,), [write(k, k + 1, m - k)], Work(limit=0))
