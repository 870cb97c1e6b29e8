"""Values come back equal, and nothing but values comes back."""

import json
import math
from fractions import Fraction
from typing import Any

import pytest

from analyzer.base.encoding import NotAValueError, decode, encode
from analyzer.base.places import Place
from analyzer.facts.loop import Assumption, Count, Verdict
from analyzer.ir.polynomials import Poly
from models.expr import add, mul, sym

N = mul(2, sym("N"))


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        2**80,
        -0.0,
        1e-300,
        math.inf,
        "\udc80 \u2192 \0",
        (),
        (1, 1.0, True, "1", None),
        [1, [2]],
        {"a": 1, ("b", 2): {3: 4}},
        frozenset({"a"}),  # one alone has an order that can be printed
        Fraction(1, 3),
        Verdict.UNKNOWN,
        Place("a.c", 3, 4),
        Assumption("in-bounds", "0 <= i", 7),
        Count(add(N, Fraction(1, 2)), None, N, False, ("x",)),
        Poly(((((), 3)),)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_comes_back(value: Any) -> None:
    found = decode(encode(value))
    assert found == value
    assert repr(found) == repr(value)  # 1, 1.0 and True are equal, and not the same
    assert type(found) is type(value)


def test_equal_parts_are_written_once() -> None:
    counts = tuple(Count(N) for _ in range(1000))
    assert len(encode(counts)) < 10_000
    assert decode(encode(counts)) == counts


@pytest.mark.parametrize("value", [object(), b"bytes", print, Place, 1j], ids=["object", "bytes", "call", "class", "j"])
def test_what_is_no_value_is_refused(value: object) -> None:
    with pytest.raises(NotAValueError):
        encode((value,))


@pytest.mark.parametrize(
    "name",
    [
        "os:system",
        "builtins:eval",
        "subprocess:Popen",
        "analyzer.command.cli:main",
        "analyzer.command.cli:Path",
        "analyzer.base.errors:InputError",
        "analyzer.facts.loop:Struct",
        "models.nothing:Value",
        "analyzerx:Value",
        "analyzer.facts.loop:Count.__class__",
        "",
    ],
)
def test_only_classes_of_values_are_made(name: str) -> None:
    with pytest.raises(NotAValueError):
        decode(json.dumps({"classes": [name], "rows": ["true", [6, 0]]}).encode())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b'{"classes":[],"rows":[]}',
        b'{"classes":[],"rows":[[9]]}',
        b'{"classes":[],"rows":[[0,5]]}',
    ],
)
def test_broken_tables_are_refused(data: bytes) -> None:
    with pytest.raises(NotAValueError):
        decode(data)
