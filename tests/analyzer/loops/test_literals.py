"""Constants: value and type as C gives them."""

import pytest
from pycparser import c_ast

from analyzer.loops.literals import literal
from analyzer.source.unit import Abi


@pytest.mark.parametrize(
    ("text", "value", "type_"),
    [
        ("10", 10, "int"),
        ("017", 15, "int"),
        ("0x80000000", 2**31, "unsigned int"),
        ("2147483648", 2**31, "long"),
        ("1ull", 1, "unsigned long long"),
        ("0b101", 5, "int"),
        ("'a'", 97, "int"),
        ("'\\n'", 10, "int"),
        ("'\\xff'", -1, "int"),
        ("1.5", 1.5, "double"),
        ("1.5f", 1.5, "float"),
        ("2.L", 2.0, "long double"),
        ("1e-3", 1e-3, "double"),
        ("1e3F", 1e3, "float"),
        (".5", 0.5, "double"),
        ("0x1p4", 16.0, "double"),
        ("0x1.8p1f", 3.0, "float"),
    ],
)
def test_constants(text: str, value: float, type_: str) -> None:
    found, type_found = literal(Abi(), c_ast.Constant("", text))
    assert found == value
    assert type_found.name == type_  # type: ignore[union-attr]


def test_strings_have_no_value() -> None:
    assert literal(Abi(), c_ast.Constant("string", '"text"'))[0] is None
