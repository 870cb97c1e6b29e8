"""Polynomials against evaluation at numbers."""

from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.ir.nodes import Counter
from analyzer.ir.polynomials import ZERO, Poly, Symbol, number, symbol
from analyzer.ir.symbols import program

SYMBOLS = [program(k, name, Counter(k)) for k, name in enumerate("ijn", 1)]
VALUES = st.fixed_dictionaries({s: st.integers(-9, 9) for s in SYMBOLS})


def polynomials() -> st.SearchStrategy[Poly]:
    leaves = st.one_of(st.integers(-5, 5).map(number), st.sampled_from(SYMBOLS).map(symbol))
    return st.recursive(
        leaves,
        lambda inner: st.tuples(inner, inner, st.sampled_from("+-*")).map(
            lambda t: {"+": t[0] + t[1], "-": t[0] - t[1], "*": t[0] * t[1]}[t[2]]
        ),
        max_leaves=6,
    )


@settings(derandomize=True, max_examples=150)
@given(polynomials(), polynomials(), VALUES)
def test_operators_agree_with_integers(p: Poly, q: Poly, at: dict[Symbol, int]) -> None:
    x, y = p.evaluate(at), q.evaluate(at)
    assert (p + q).evaluate(at) == x + y
    assert (p - q).evaluate(at) == x - y
    assert (p * q).evaluate(at) == x * y
    assert (p + 3 - 3).terms == p.terms
    assert (p - p) == ZERO


@settings(derandomize=True, max_examples=150)
@given(polynomials(), polynomials())
def test_equal_values_have_one_form(p: Poly, q: Poly) -> None:
    assert (p + q) == (q + p)
    assert (p * q) == (q * p)
    assert ((p + q) * p) == (p * p + q * p)


@settings(derandomize=True, max_examples=100)
@given(polynomials(), polynomials(), VALUES)
def test_substitution_is_evaluation(p: Poly, q: Poly, at: dict[Symbol, int]) -> None:
    i = SYMBOLS[0]
    assert p.substitute({i: q}).evaluate(at) == p.evaluate({**at, i: q.evaluate(at)})


@settings(derandomize=True, max_examples=100)
@given(polynomials())
def test_parts(p: Poly) -> None:
    assert p.degree == max((len(m) for m, _ in p.terms), default=0)
    assert (p.constant is None) == bool(p.symbols)
    assert p.constant_term == p.evaluate(dict.fromkeys(SYMBOLS, 0))


def test_text() -> None:
    i, j, n = (symbol(s) for s in SYMBOLS)
    assert str(i * 2 - n + 1) == "2*i - n + 1"
    assert str((i + 1) * n) == "i*n + n"
    assert str(j - j) == "0"


def test_coefficients() -> None:
    i, _, n = SYMBOLS
    p = symbol(i) * symbol(n) + symbol(i) + 4
    assert p.coefficient(i) == symbol(n) + 1
    assert p.without(i) == number(4)
    assert (symbol(i) * 6 + 4).divided_by(2) == symbol(i) * 3 + 2
    assert (symbol(i) * 6 + 5).divided_by(2) is None
