"""The two class notations: what is read, what is written, what is refused and where."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.classes import AlgorithmClass, ClassError, Operand, Pattern, check_sizes
from models.expr import as_expr, div, mul, sym
from models.notation import ClassSyntaxError, parse_class, parse_species, to_class
from models.table1 import ROWS

PAPERS = (
    "K|element → K|element",
    "K|neighbourhood(3) → K|element",
    "(K + 2)|neighbourhood(3) → K|element",
    "10x10|element → 10x10|element",
    "K|element → 1|shared",
    "2048x2048|element → 2048x2048|element",
    "1024x1024|element → 256|shared",
    "262144|element → 1|shared",
    "1024x1024|element → 1024x1024|element",
    "1024x1024|neighbourhood(7x7) → 1024x1024|element",
    "1024x1024|tile(1x1024) → 1024|element",
    "1024x1024|tile(1024x1) → 1024|element",
    "NxM|tile(1xM) ∧ M|full → N|element",
    "void → N|element",
    "s->nx x s->ny|element → s->nx x s->ny|element",
    "(N - 2)x(M - 2)|element → 1|shared",
)


@pytest.mark.parametrize("text", [*PAPERS, *(row.algorithm for row in ROWS)])
def test_classes_of_the_papers_round_trip(text: str) -> None:
    algorithm = parse_class(text)
    assert parse_class(str(algorithm)) == algorithm
    assert str(algorithm) == text or "/" in text


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("1024x1024|neighb(7x7) -> 1024x1024|element", "1024x1024|neighbourhood(7x7) → 1024x1024|element"),
        ("8x8|neighborhood(3x3)->8x8|element", "8x8|neighbourhood(3x3) → 8x8|element"),
        ("8x8|chunk(2x2) -> 8x8|chunk(2x2)", "8x8|tile(2x2) → 8x8|tile(2x2)"),
        ("  8|element ^ 8|element->8|element ", "8|element ∧ 8|element → 8|element"),
        ("0:0|void -> 8|element", "void → 8|element"),
        ("0|void -> 8|element", "void → 8|element"),
        ("A·UxB·V|element -> 1|shared", "A*UxB*V|element → 1|shared"),
        ("1024 x 1024|element -> 1|shared", "1024x1024|element → 1|shared"),
        ("1024×1024|element -> 1|shared", "1024x1024|element → 1|shared"),
        ("unordered  8|element -> 8|element", "unordered 8|element → 8|element"),
    ],
)
def test_other_ways_to_write_a_class(written: str, meant: str) -> None:
    assert parse_class(written) == parse_class(meant)


def test_crosses_between_lengths() -> None:
    a, b = sym("A"), sym("B")
    assert parse_class("AxB|element → 1|shared").inputs[0].dims == (a, b)
    assert parse_class("4xMx2|element → 1|shared").inputs[0].dims == (as_expr(4), sym("M"), as_expr(2))
    assert parse_class("nx|element → 1|shared").inputs[0].dims == (sym("nx"),)
    assert parse_class("`AxB`|element → 1|shared").inputs[0].dims == (sym("AxB"),)
    assert parse_class("nx x ny|element → 1|shared").inputs[0].dims == (sym("nx"), sym("ny"))
    quotients = parse_class("AxB|tile(UxV) → A/UxB/V|element").outputs[0].dims
    assert quotients == (div(a, sym("U")), div(b, sym("V")))


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("8|element", 10),
        ("8|element -> 8|element -> 8|element", 24),
        ("8|elment -> 8|element", 3),
        ("8|tile -> 8|element", 7),
        ("8|element(2) -> 8|element", 10),
        ("8y|element -> 8|element", 2),
        ("8x|element -> 8|element", 3),
        ("8||element -> 8|element", 3),
        ("8 -> 8|element", 15),
        ("8|element -> 8|element ^", 25),
        ("8|neigh(3) -> 8|element", 3),
    ],
)
def test_bad_classes_are_refused_with_their_column(text: str, column: int) -> None:
    with pytest.raises(ClassSyntaxError) as caught:
        parse_class(text)
    assert caught.value.column == column, str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("8|shared -> 8|element", "shared is a pattern of outputs"),
        ("8|element -> 8|full", "full is a pattern of inputs"),
        ("8|element -> 8|neighbourhood(3)", "neighbourhood is a pattern of inputs"),
        ("8|tile(2x2) -> 8|element", "more dimensions"),
        ("0|element -> 1|shared", "no length"),
        ("9999999999999999999|element -> 1|shared", "no length"),
        ("8|element -> void", "needs an output"),
    ],
)
def test_senseless_classes_are_refused(text: str, message: str) -> None:
    with pytest.raises(ClassError, match=message):
        parse_class(text)


@pytest.mark.parametrize(
    ("text", "sizes", "message"),
    [
        ("N|element -> 1|shared", {"N": 0}, "N is 0: lengths are whole numbers"),
        ("N|element -> 1|shared", {"N": 2.5}, r"N is 2\.5"),
        ("N|element -> 1|shared", {"N": 2**63}, "N is 9.2"),
        ("N|element -> 1|shared", {"N": float("nan")}, "N is nan"),
        ("(N - 2)|element -> 1|shared", {"N": 2}, "N - 2, with N = 2, is 0"),
        ("A/U|element -> 1|shared", {"A": 5, "U": 2}, r"A/U, with A = 5, U = 2, is 2\.5"),
        ("NxM|tile(1xM) -> N|element", {"M": -1}, "M is -1"),
    ],
)
def test_sizes_that_make_no_lengths_are_refused(text: str, sizes: dict[str, float], message: str) -> None:
    with pytest.raises(ClassError, match=message):
        check_sizes(parse_class(text), sizes)


def test_sizes_that_make_lengths_are_none_of_its_business() -> None:
    check_sizes(parse_class("(N - 2)xA/U|element -> 1|shared"), {"N": 3, "A": 6})  # U has no size yet


# --- species


@pytest.mark.parametrize(
    ("text", "algorithm"),
    [
        (
            "A[0:N-1,0:M-1]|chunk(0:0,0:M-1) ^ x[0:M-1]|full -> y[0:N-1]|element",
            "NxM|tile(1xM) ∧ M|full → N|element",
        ),
        ("A[0:N-1]|neighbourhood(-1:1) -> B[1:N-2]|element", "N|neighbourhood(3) → (N - 2)|element"),
        ("A[0:1023]|element -> hist[0:255]|shared", "1024|element → 256|shared"),
        ("0:0|void -> B[0:N-1]|element", "void → N|element"),
        ("s->a[0:s->n-1]|element -> B[0:s->n-1]|element", "s->n|element → s->n|element"),
    ],
)
def test_species_round_trip_and_have_a_class(text: str, algorithm: str) -> None:
    species = parse_species(text)
    assert str(species) == text
    assert to_class(species) == parse_class(algorithm)


@pytest.mark.parametrize(
    ("text", "column"),
    [("N|element -> B[0:1]|element", 1), ("A[0,1]|element -> B[0:1]|element", 4), ("A[0:1]|ful -> B[0:1]|element", 8)],
)
def test_bad_species_are_refused_with_their_column(text: str, column: int) -> None:
    with pytest.raises(ClassSyntaxError) as caught:
        parse_species(text)
    assert caught.value.column == column, str(caught.value)


# --- any class

names = st.sampled_from(["N", "M", "nx", "s->nx", "n@12", "x", "AxB", "a[i + 1]", "MAX_X"]).map(sym)
numbers = st.integers(1, 4096).map(as_expr)
simple = st.one_of(names, numbers)
lengths = st.one_of(
    simple,
    st.tuples(names, st.integers(-3, 3)).map(lambda p: p[0] + p[1]),
    st.tuples(names, names).map(lambda p: mul(*p)),
    st.tuples(names, st.integers(2, 9)).map(lambda p: div(*p)),
)


def operands(patterns: list[Pattern]) -> st.SearchStrategy[Operand]:
    def build(dims: list[object], pattern: Pattern, extent: list[object]) -> Operand:
        wanted = pattern in (Pattern.TILE, Pattern.NEIGHBOURHOOD)
        return Operand(tuple(dims), pattern, tuple(extent[: len(dims)]) if wanted else ())  # type: ignore[arg-type]

    sized = st.lists(lengths, min_size=1, max_size=3)
    return st.builds(build, sized, st.sampled_from(patterns), st.lists(simple, min_size=1, max_size=3))


inputs = operands([Pattern.ELEMENT, Pattern.NEIGHBOURHOOD, Pattern.TILE, Pattern.FULL])
outputs = operands([Pattern.ELEMENT, Pattern.TILE, Pattern.SHARED])
classes = st.builds(
    lambda i, o, u: AlgorithmClass(tuple(i), tuple(o), u),
    st.lists(inputs, max_size=3),
    st.lists(outputs, min_size=1, max_size=2),
    st.booleans(),
)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(classes)
def test_every_class_round_trips(algorithm: AlgorithmClass) -> None:
    assert parse_class(str(algorithm)) == algorithm


# --- nonsense

SCRAPS = "8 N x 1024x1024 | element tile neighb ( ) [ ] : , -> → ^ ∧ void s->n shared full ` * / // % -"
MORE_SCRAPS = "+ 0 1.5 1e999 ** min( é if"
scraps = st.sampled_from([*SCRAPS.split(), *MORE_SCRAPS.split(), "unordered ", " ", "\n"])


@settings(derandomize=True, max_examples=1500, deadline=None)
@given(st.lists(scraps, max_size=16).map("".join))
def test_nonsense_is_refused_and_never_crashes(text: str) -> None:
    for read in (parse_class, parse_species):
        try:
            found = read(text)
        except ClassError:
            continue
        assert read(str(found)) == found
