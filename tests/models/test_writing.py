"""Times as text: read back and evaluated, they are the times."""

import re

import pytest

from models import extended
from models.catalogue import find_device
from models.expr import evaluate, parse, sym
from models.prediction import Prediction
from models.values import Tree, number
from models.workload import from_class
from models.writing import shared, written

N = sym("n")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.0, "2"),
        (1e-9, "1e-09"),
        (Tree("+", (N,)), "n"),
        (Tree("*", (2.5, Tree("+", (N, 1.0)))), "2.5*(n + 1)"),
        (Tree("/", (1.0, Tree("*", (4.0, N)))), "1/(4*n)"),
        (Tree("+", (Tree("*", (2.0, N)), -1.0)), "2*n + (-1)"),
        (Tree("+", (N,)) - Tree("+", (sym("m"),)), "n - m"),
        (3.0 - Tree("+", (N, 1.0)), "3 - (n + 1)"),
        (3.0 - (1.0 - Tree("+", (N,))), "3 - (1 - n)"),
        (Tree("max", (N, Tree("if", (Tree("+", (N, -8.0)), 1.0, 2.0)))), "max(n, (1 if n + (-8) >= 0 else 2))"),
    ],
)
def test_text(value: Tree | float, text: str) -> None:
    assert written(value) == text
    sizes = {"n": 7, "m": 3}
    assert float(evaluate(parse(text), sizes)) == pytest.approx(number(value, sizes))


@pytest.mark.parametrize("device", ["h200", "gtx470", "xeon6248"])
@pytest.mark.parametrize("size", [1, 1000, 10**7])
def test_read_back_it_is_the_time(device: str, size: int) -> None:
    found = extended.predict_target(from_class("n|element → n|element", 3), find_device(device))
    assert isinstance(found, Prediction)
    assert found.shares is not None
    for end in ("low", "likely", "high"):
        time = getattr(found.total, end)
        value = float(evaluate(parse(written(time)), {"n": size}))
        assert value == pytest.approx(number(time, {"n": size}), rel=1e-12)
        compute, memory, transfer, launch = (
            number(getattr(getattr(found.shares, part), end), {"n": size})
            for part in ("compute", "memory", "transfer", "launch")
        )
        assert max(compute, memory) + transfer + launch == pytest.approx(value, rel=1e-12)


def test_what_values_share_is_written_once() -> None:
    long = Tree("/", (Tree("*", (N, sym("a_long_name"), sym("another_name"))), 3.0))
    again = Tree("/", (Tree("*", (N, sym("a_long_name"), sym("another_name"))), 3.0))
    found = shared([Tree("+", (long, 1.5)), Tree("max", (again, long)), Tree("+", (N, 1.0))])
    assert found.texts == ("`#0` + 1.5", "max(`#0`, `#0`)", "n + 1")
    assert found.parts == ("n*a_long_name*another_name/3",)


def test_parts_are_written_in_earlier_ones() -> None:
    inner = Tree("*", (sym("some_long_name"), sym("another_name")))
    outer = Tree("+", (inner, Tree("*", (2.0, inner))))
    again = Tree("max", (outer, sym("yet_another_name")))
    found = shared([again, again, Tree("max", (inner, N))])
    assert found.parts == ("some_long_name*another_name", "max(`#0` + 2*`#0`, yet_another_name)")
    assert found.texts == ("`#1`", "`#1`", "max(`#0`, n)")


@pytest.mark.parametrize("device", ["h200", "gtx470", "xeon6248"])
def test_with_parts_it_is_the_time(device: str) -> None:
    found = extended.predict_target(from_class("n|element → n|element", 3), find_device(device))
    assert isinstance(found, Prediction)
    ends = [getattr(found.total, end) for end in ("low", "likely", "high")]
    texts = shared(ends)
    known = {"n": 12_345.0}
    for k, part in enumerate(texts.parts):
        known[f"#{k}"] = float(evaluate(parse(part), known))
    assert any(re.search("`#", text) for text in texts.texts)
    for end, text in zip(ends, texts.texts, strict=True):
        assert float(evaluate(parse(text), known)) == pytest.approx(number(end, {"n": 12_345}), rel=1e-12)
