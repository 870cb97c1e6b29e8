"""Size settings: what can be written, and which one wins."""

import pytest

from analyzer.base.errors import InputError
from analyzer.sizes.values import parse_size, unmatched


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n=4096", ("n", 4096, None, None)),
        ("n=1e6", ("n", 1_000_000, None, None)),
        ("n=0x10", ("n", 16, None, None)),
        ("n=9007199254740993", ("n", 2**53 + 1, None, None)),
        ("axpy:n=5", ("n", 5, "axpy", None)),
        ("src/blas.c:axpy:n=5", ("n", 5, "axpy", "src/blas.c")),
        ("s->n=5", ("s->n", 5, None, None)),
        ("f:g->dim[0]=5", ("g->dim[0]", 5, "f", None)),
        ("n@12=0", ("n@12", 0, None, None)),
    ],
)
def test_what_can_be_written(text: str, expected: tuple[object, ...]) -> None:
    size = parse_size(text)
    assert (size.name, size.value, size.function, size.path) == expected


@pytest.mark.parametrize("text", ["n", "=5", "n=", "n=x", "n=1.5", "n=-2", "n=nan", "n=inf", "n=2..1", "n=1.."])
def test_what_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--size"):
        parse_size(text)


def test_a_more_specific_setting_ranks_higher() -> None:
    ordered = ["n=1", "f:n=1", "a.c:f:n=1"]
    ranks = [parse_size(text).rank for text in ordered]
    assert ranks == sorted(ranks)
    assert parse_size("n=1").rank > parse_size("f:n=1", "directive").rank


@pytest.mark.parametrize(
    ("text", "path", "function", "applies"),
    [
        ("n=1", "a.c", "f", True),
        ("g:n=1", "a.c", "f", False),
        ("a.c:f:n=1", "src/a.c", "f", True),
        ("a.c:f:n=1", "src/aa.c", "f", False),
        ("b.c:f:n=1", "a.c", "f", False),
    ],
)
def test_where_a_setting_applies(text: str, path: str, function: str, applies: bool) -> None:
    assert parse_size(text).applies(path, function) == applies


def test_a_setting_that_fits_nowhere_is_said_with_near_names() -> None:
    known = {("a.c", "f"): ["rows", "columns"], ("a.c", "g"): ["n"]}
    assert not list(unmatched([parse_size("rows=5"), parse_size("g:n=3")], known, {}))
    assert "did you mean rows?" in next(unmatched([parse_size("row=5")], known, {}))
    assert "no such size symbol; n is one of g" in next(unmatched([parse_size("f:n=5")], known, {}))
    with pytest.raises(InputError, match="-D SIZE=5"):
        list(unmatched([parse_size("SIZE=5")], known, {"a.c": ["SIZE"]}))


def test_a_setting_of_the_project_may_fit_nowhere_in_a_part_of_it() -> None:
    known = {("a.c", "f"): ["n"]}
    assert not list(unmatched([parse_size("m=1", "configuration")], known, {}))
    assert list(unmatched([parse_size("m=1")], known, {}))


def test_a_setting_of_the_project_wins_over_the_source() -> None:
    assert parse_size("n=1", "configuration").rank > parse_size("f:n=1", "directive").rank
