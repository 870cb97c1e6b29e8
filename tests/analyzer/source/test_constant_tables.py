"""The numbers in constant tables, and initialisers that are none of them."""

from pathlib import Path

import pytest

from analyzer.settings.options import SourceOptions
from analyzer.source import load_unit

USES = "int f(int i) { for (; i < 9; i++) g(T[i]); return 0; }"

TABLES = {
    "const int T[] = {1, -2, 0x30};": (1, -2, 48),
    "static const unsigned char T[9] = {'a', 1 << 2};": (97, 4),
    "enum { A = 5 }; static const short T[2] = {A, A + 1};": (5, 6),
}

NONE = [
    "int T[] = {1, 2};",
    "extern const int T[9];",
    "const int T[9] = {[2] = 1};",
    "const int T[2][2] = {{1, 2}, {3, 4}};",
    "int h; const int *const T[] = {&h};",
    'const char T[] = "ab";',
]


def read(text: str) -> dict[str, tuple[int, ...]]:
    return dict(load_unit(Path("t.c"), SourceOptions(), None, f"{text}\nvoid g(int);\n{USES}\n").tables)


@pytest.mark.parametrize(("text", "values"), TABLES.items())
def test_a_table_is_known_by_its_constants(text: str, values: tuple[int, ...]) -> None:
    assert read(text) == {"T": values}


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_list_of_constants_is_not_known(text: str) -> None:
    assert read(text) == {}
