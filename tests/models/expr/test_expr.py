"""Expressions: the normal form, exact and vectorised values, text and back, bounds."""

import math
import pickle
from fractions import Fraction
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.expr import (
    ONE,
    ZERO,
    Expr,
    ExprSyntaxError,
    FloorDiv,
    Num,
    Piecewise,
    UnboundSymbolError,
    add,
    as_expr,
    as_function,
    bounds,
    ceildiv,
    constant,
    div,
    evaluate,
    floordiv,
    free_symbols,
    gcd,
    is_nonnegative,
    lower_bound,
    maximum,
    minimum,
    mod,
    mul,
    num,
    parse,
    piecewise,
    power,
    substitute,
    sym,
    to_text,
    upper_bound,
)

N, M = sym("N"), sym("M")
NAMES = ("N", "M", "s->n", "n@12", "a[i + 1].x", "min")


def expressions(depth: int = 3, *, quotients: bool = True, floats: bool = False) -> st.SearchStrategy[Expr]:
    """Random expressions; without quotients they are integer-valued and defined everywhere."""
    numbers: list[st.SearchStrategy[Any]] = [st.integers(-6, 6)]
    if quotients:
        numbers.append(st.fractions(-3, 3, max_denominator=6))
    if floats:
        numbers.append(st.sampled_from([0.5, 2.25, 1e-9, 3.0]))
    leaves = st.one_of(*(n.map(as_expr) for n in numbers), st.sampled_from(NAMES).map(sym))

    def grow(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
        pair = st.tuples(inner, inner)
        whole = expressions(0, quotients=False)
        forms = [
            pair.map(lambda p: p[0] + p[1]),
            pair.map(lambda p: p[0] - p[1]),
            pair.map(lambda p: p[0] * p[1]),
            pair.map(lambda p: minimum(*p)),
            pair.map(lambda p: maximum(*p)),
            st.tuples(inner, inner, inner).map(lambda t: piecewise(((t[0], t[1]),), t[2])),
            st.tuples(st.lists(whole, min_size=1, max_size=3), st.integers(1, 9)).map(
                lambda t: floordiv(add(*t[0]), t[1])
            ),
            st.tuples(st.lists(whole, min_size=1, max_size=3), st.integers(1, 9)).map(lambda t: mod(mul(*t[0]), t[1])),
            st.tuples(st.lists(whole, min_size=1, max_size=3), st.integers(1, 64)).map(lambda t: gcd(mul(*t[0]), t[1])),
        ]
        if quotients:
            forms.append(pair.map(lambda p: p[0] / (p[1] * p[1] + sym("N") + 1)))
        return st.one_of(*forms)

    return st.recursive(leaves, grow, max_leaves=2 ** (depth + 1)) if depth else leaves


values = st.fixed_dictionaries({name: st.integers(0, 12) for name in NAMES})
quick = settings(derandomize=True, max_examples=150, deadline=None)


# --- the normal form


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param((N + 1) * N / 2, (N * N + N) / 2, id="triangle"),
        pytest.param((N + M) * (N - M), N * N - M * M, id="difference of squares"),
        pytest.param(2 * N + 3 - N, N + 3, id="like terms"),
        pytest.param(N - N, ZERO, id="nothing left"),
        pytest.param((2 * N * M) / (8 * N * M), as_expr(Fraction(1, 4)), id="cancelled"),
        pytest.param((2 * N + 2) / (N + 1), num(2), id="common sum"),
        pytest.param(N / M * M, N, id="quotient times divisor"),
        pytest.param(1 / (1 / N), N, id="inverse twice"),
        pytest.param(power(N + 1, 3), N * N * N + 3 * N * N + 3 * N + 1, id="power"),
        pytest.param(floordiv(N * (N + 1), 2), N * (N + 1) / 2, id="integer-valued quotient"),
        pytest.param(floordiv(4 * N + 6, 4), N + 1 + floordiv(num(2), 4), id="whole multiples leave the floor"),
        pytest.param(ceildiv(N * 32, 32), N, id="ceil of a multiple"),
        pytest.param(mod(5 * N + 6, 4), mod(N + 2, 4), id="remainder reduced"),
        pytest.param(maximum(N, N + 2, ZERO, num(3)), maximum(num(3), N + 2), id="dominated operands"),
        pytest.param(minimum(M, minimum(N, 3)), minimum(3, N, M), id="nested minimum"),
        pytest.param(piecewise(((num(1), N),), M), N, id="case that always holds"),
        pytest.param(piecewise(((N, M), (num(-1), N)), M), M, id="cases of one value"),
    ],
)
def test_equal_values_are_equal_expressions(left: Expr, right: Expr) -> None:
    assert left == right
    assert hash(left) == hash(right)


def test_division_by_the_number_zero_is_refused() -> None:
    with pytest.raises(ZeroDivisionError):
        div(N, 0)
    with pytest.raises(ValueError, match="not a number"):
        num(math.inf)
    with pytest.raises(ValueError, match="cannot be the name"):
        sym("a`b")


def test_products_that_would_explode_stay_products() -> None:
    wide = add(*(sym(f"x{i}") for i in range(40)))
    other = add(*(sym(f"y{i}") for i in range(40)))
    kept = wide * other
    point = {f"{letter}{i}": i for letter in "xy" for i in range(40)}
    assert len(to_text(kept)) < 1000
    assert evaluate(kept, point) == 780 * 780
    assert parse(to_text(kept)) == kept


@quick
@given(expressions(), expressions(), values)
def test_operators_mean_arithmetic(left: Expr, right: Expr, point: dict[str, int]) -> None:
    a, b = evaluate(left, point), evaluate(right, point)
    assert evaluate(left + right, point) == a + b
    assert evaluate(left - right, point) == a - b
    assert evaluate(left * right, point) == a * b
    assert evaluate(minimum(left, right), point) == min(a, b)
    assert evaluate(maximum(left, right), point) == max(a, b)
    if b:
        quotient = left / right
        assert evaluate(quotient, point) == Fraction(a) / b


@quick
@given(expressions(quotients=False), st.integers(1, 12), values)
def test_floor_and_remainder(expr: Expr, divisor: int, point: dict[str, int]) -> None:
    value = evaluate(expr, point)
    assert evaluate(expr // divisor, point) == value // divisor
    assert evaluate(ceildiv(expr, divisor), point) == -(-value // divisor)
    assert evaluate(expr % divisor, point) == value % divisor


@quick
@given(expressions(), expressions(), expressions())
def test_sums_and_products_do_not_depend_on_order(a: Expr, b: Expr, c: Expr) -> None:
    assert a + (b + c) == (c + a) + b
    assert mul(a, b, c) == mul(c, a, b)


def test_floors_of_fractional_minima_stay() -> None:
    doubled = 2 * minimum(N / 2, M)  # integer-valued, but its half is not
    assert evaluate(floordiv(doubled, 2), {"N": 3, "M": 5}) == 1
    assert evaluate(mod(doubled, 2), {"N": 3, "M": 5}) == 1


# --- values


def test_exact_values() -> None:
    assert evaluate(N * (N + 1) / 2, {"N": 10**12 + 1}) == (10**12 + 1) * (10**12 + 2) // 2
    assert isinstance(evaluate(N * (N + 1) / 2, {"N": 3}), int)
    assert evaluate(N / 3, {"N": 1}) == Fraction(1, 3)
    assert evaluate(N / 3, {"N": 1.0}) == pytest.approx(1 / 3)


def test_missing_value_is_named() -> None:
    with pytest.raises(UnboundSymbolError, match="s->n"):
        evaluate(N * sym("s->n"), {"N": 1})


@quick
@given(expressions(), st.lists(st.integers(0, 12), min_size=len(NAMES), max_size=len(NAMES)))
def test_arrays_give_the_scalar_values(expr: Expr, base: list[int]) -> None:
    columns = {n: numpy.array([v, v + 1, 3], dtype="int64") for n, v in zip(NAMES, base, strict=True)}
    found = evaluate(expr, columns)
    for row in range(3):
        exact = evaluate(expr, {n: int(column[row]) for n, column in columns.items()})
        vectorised = found[row] if getattr(found, "ndim", 0) else found
        assert float(vectorised) == pytest.approx(float(exact), rel=1e-9, abs=1e-9)


def test_arrays_do_not_overflow() -> None:
    big = evaluate(N * N * N, {"N": numpy.array([10**7])})
    assert big[0] == 1e21


@quick
@given(expressions(), values)
def test_substitution_is_evaluation(expr: Expr, point: dict[str, int]) -> None:
    assert constant(substitute(expr, point)) == evaluate(expr, point)
    assert free_symbols(substitute(expr, {"N": M})) <= free_symbols(expr) - {"N"} | {"M"}


def test_substitution_is_simultaneous() -> None:
    assert substitute(N + 2 * M, {"N": M, "M": N}) == M + 2 * N


def test_numpy_scalars_are_exact_integers() -> None:
    found = evaluate(N * N, {"N": numpy.int64(10**12)})
    assert (found, type(found)) == (10**24, int)


def test_symbolic_divisors() -> None:
    assert floordiv(N * M + N, N) == M + 1
    assert mod(N * M, M) == ZERO
    for n, m in ((7, 3), (9, 3), (2, 5)):
        assert evaluate(floordiv(N + 1, M), {"N": n, "M": m}) == (n + 1) // m
        assert evaluate(mod(N + 1, M), {"N": n, "M": m}) == (n + 1) % m
    with pytest.raises(ZeroDivisionError):
        substitute(N / M, {"M": 0})


def test_numbers_on_the_left() -> None:
    assert (N + 3, -N + 3, N * 3, div(3, N)) == (3 + N, 3 - N, 3 * N, 3 / N)


def test_expressions_survive_pickling() -> None:
    expr = maximum(0, N * (N - 1) / 2) + piecewise(((N - 3, floordiv(N, 3)),), M % 5)
    assert pickle.loads(pickle.dumps(expr)) == expr


# --- text


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (N * (N - 1) / 2, "N*(N - 1)/2"),
        (2 * N + 1, "2*N + 1"),
        (maximum(0, N - 2), "max(0, N - 2)"),
        (5 - N, "5 - N"),
        (-N, "-N"),
        (N * N * N, "N**3"),
        (ceildiv(N, 32), "(N + 31)//32"),
        (N % 4, "N%4"),
        (3 * N / (2 * M), "3*N/(2*M)"),
        (2 * sym("s->n") + sym("n@12"), "n@12 + 2*s->n"),
        (sym("a[i + 1]") + 1, "`a[i + 1]` + 1"),
        (sym("max") + 1, "`max` + 1"),
        (sym("n->"), "`n->`"),
        (piecewise(((N - 4, N),), 2), "(N if N - 4 >= 0 else 2)"),
        (as_expr(0.25) * N, "0.25*N"),
        (ZERO, "0"),
        (as_expr(Fraction(-1, 2)), "-1/2"),
    ],
)
def test_text(expr: Expr, text: str) -> None:
    assert to_text(expr) == text
    assert str(expr) == text
    assert parse(text) == expr


@quick
@given(expressions(floats=False))
def test_parse_reads_what_to_text_writes(expr: Expr) -> None:
    assert parse(to_text(expr)) == expr


@pytest.mark.parametrize(
    ("text", "column"),
    [("N +", 4), ("N N", 3), ("(N", 3), ("N + $", 5), ("max 3", 5), ("1/0", 4), ("", 1), ("N**M", 4)],
)
def test_unreadable_text_is_refused_with_its_column(text: str, column: int) -> None:
    with pytest.raises(ExprSyntaxError) as caught:
        parse(text)
    assert caught.value.column == column


# --- bounds


@quick
@given(expressions(), values)
def test_bounds_hold(expr: Expr, point: dict[str, int]) -> None:
    low, high = bounds(expr, {name: (0, 12) for name in NAMES})
    value = evaluate(expr, point)
    assert low is None or low <= value
    assert high is None or value <= high


def test_bounds_of_weights_and_sizes() -> None:
    weight = sym("p@7")
    assert is_nonnegative(N * (1 - weight), {"p@7": (0, 1)})
    assert not is_nonnegative(N * (1 - weight))
    assert lower_bound(maximum(0, N - 2)) == 0
    assert lower_bound(N - 2) == -2
    assert upper_bound(N) is None
    assert is_nonnegative(2 * N * M + 1)
    assert not is_nonnegative(N - M)


def test_bounds_of_quotients() -> None:
    assert bounds((N + 4) // 4) == (1, None)
    assert bounds(N % 8) == (0, 8)
    assert bounds(12 / (N + 3)) == (0, 4)
    assert bounds(N / M) == (0, None)
    assert bounds((N - M) / (N + 1)) == (None, None)
    assert bounds(minimum(N, 8)) == (0, 8)
    assert bounds(piecewise(((N - 4, 7),), 2)) == (2, 7)


def test_nodes_are_what_the_constructors_say() -> None:
    assert isinstance(floordiv(N + 1, 2), FloorDiv)
    assert isinstance(piecewise(((N, ONE),), M), Piecewise)
    assert mul(2, 3) == Num(6)


@pytest.mark.parametrize(
    "text",
    [
        *("(" * 60 + "N" + ")" * 60, "9" * 5000, "1e999", "((N**200)**200)", "N**1000000"),
        *("1//0", "5%0", "gcd(N, 0)", "gcd(N, M)"),
    ],
    ids=["deep", "long", "infinite", "tower", "power", "floor", "remainder", "divisor", "size"],
)
def test_hostile_text_is_refused(text: str) -> None:
    with pytest.raises(ExprSyntaxError):
        parse(text)


def test_signs_in_a_row() -> None:
    assert parse("-" * 5001 + "N") == -N
    assert parse("2*--N**2") == 2 * N * N


# --- functions of one number


@quick
@given(expressions(quotients=False), st.integers(0, 40), st.integers(0, 40))
def test_a_function_of_one_number_has_the_values_of_evaluate(expr: Expr, n: int, m: int) -> None:
    assert as_function(expr, {"M": m})(n) == evaluate(expr, dict.fromkeys(NAMES, n) | {"M": m})


def test_functions_divide_as_python_does() -> None:
    assert as_function(parse("2*N/3 + `a b`/4"), {})(6) == 5.5
    assert as_function(parse("2*N*M"), {"M": Fraction(1, 2)})(10) == 10
    with pytest.raises(ZeroDivisionError):
        as_function(parse("1/(N - M)"), {})(5)
