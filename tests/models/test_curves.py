"""Curves over one size: the same values as the formulas, in as few pieces as there are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.curves import LARGEST_SIZE, Curve, Line, NotACurveError, last_loss
from models.expr import Expr, div, evaluate, floordiv, maximum, minimum, mod, num, parse, piecewise, sym
from models.polynomials import sign_changes

N = sym("n")
ROUNDED = (floordiv(N, 2), mod(N, 3), floordiv(maximum(0, N - 3), 4))
LEAVES = st.sampled_from([N, N * N, N * 3 + 7, num(1000), maximum(0, N - 5), N / 7, *ROUNDED])


def combined(inner: "st.SearchStrategy[Expr]") -> "st.SearchStrategy[Expr]":
    two = st.tuples(inner, inner)
    return st.one_of(
        two.map(lambda p: p[0] + p[1]),
        two.map(lambda p: p[0] * p[1]),
        two.map(lambda p: maximum(*p)),
        two.map(lambda p: minimum(*p)),
        two.map(lambda p: div(p[0], p[1] + 1)),
        st.tuples(inner, inner, inner).map(lambda p: piecewise([(p[0] - 500, p[1])], p[2])),
    )


FORMULAS = st.recursive(LEAVES, combined, max_leaves=6)


def value(curve: Curve, n: int) -> float:
    piece = next(p for p in reversed(curve) if p.start <= n)
    above, below = (sum(c * float(n) ** k for k, c in enumerate(p)) for p in (piece.above, piece.below))
    return above / below


@given(FORMULAS, st.integers(1, 10**5))
def test_a_curve_has_the_values_of_its_formula(formula: Expr, n: int) -> None:
    line = Line({})
    k = line.modulus(formula)
    found = value(line.curve(formula, (n % k, k)), n)
    assert found == pytest.approx(float(evaluate(formula, {"n": n})), rel=1e-6, abs=1e-6)
    assert line.at(formula, n) == pytest.approx(found, rel=1e-6, abs=1e-6)


def test_a_maximum_changes_where_its_sides_meet() -> None:
    curve = Line({}).curve(maximum(N, 100))
    assert [piece.start for piece in curve] == [1, 101]
    assert len(Line({"m": 3}).curve(parse("n*m + max(0, m - 2)"))) == 1


def test_sign_changes_between_which_nothing_is_missed() -> None:
    cubic = (-6.0, 11.0, -6.0, 1.0)  # (n - 1) (n - 2) (n - 3)
    tenfold = tuple(c * s for c, s in zip(cubic, (1000.0, 100.0, 10.0, 1.0), strict=True))
    assert sign_changes(tenfold, 1, 100) == [9, 20, 29]
    assert sign_changes((5.0,), 1, 10) == []
    assert sign_changes((-(2.0**39), 1.0), 1, LARGEST_SIZE) == [2**39 - 1]


def test_the_last_loss() -> None:
    line = Line({})
    host, device = line.curve(N * N), line.curve(N * 50)
    assert last_loss(host, device, 0) == 50
    assert last_loss(device, host, 0) == LARGEST_SIZE
    assert last_loss(host, device, 1e6) == 999
    assert last_loss(line.curve(N + 1), line.curve(N), 0) == 0


@pytest.mark.parametrize("formula", [floordiv(N, sym("m")), floordiv(N * N + maximum(N, 9), 4)])
def test_what_is_no_list_of_pieces_is_refused(formula: Expr) -> None:
    line = Line({})
    with pytest.raises(NotACurveError):
        line.curve(formula, (0, line.modulus(formula)))


@pytest.mark.parametrize(
    ("formulas", "period", "chosen"),
    [
        (("n//4 + n//6",), 12, [*range(12)]),
        (("n//4", "n*n//6"), 12, [*range(12)]),
        (("n//256",), 256, [0, 255]),
        (("(n + 255)//256", "n*n"), 256, [0, 1]),
        (("(3*n + 1)//256",), 256, [0, 84, 85, 170, 171, 255]),
        (("n - n//m",), 128, [0, 127]),
        (("n//128 + n//256",), 256, [0, 127, 128, 255]),
    ],
)
def test_of_many_residues_the_ends_of_stretches_are_taken(
    formulas: tuple[str, ...], period: int, chosen: list[int]
) -> None:
    found = Line({"m": 128}).residues(*map(parse, formulas))
    assert (found[0], [*found[1]]) == (period, chosen)


@pytest.mark.parametrize("formula", ["n//22 + n//23", "n*n//256", "n//4096"])
def test_too_many_residues_are_refused(formula: str) -> None:
    with pytest.raises(NotACurveError, match=r"506|evenly|4096"):
        Line({}).residues(parse(formula))
