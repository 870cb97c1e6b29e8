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
    "int T[] = {1, 2};": (1, 2),
}

NONE = [
    "extern const int T[9];",
    "const int T[9] = {[2] = 1};",
    "const int T[2][2] = {{1, 2}, {3, 4}};",
    "int h; const int *const T[] = {&h};",
    'const char T[] = "ab";',
    "__attribute__((weak)) const int T[] = {1, 2};",
    "#pragma weak T\nconst int T[] = {1, 2};",
]


def read(text: str) -> dict[str, tuple[int, ...]]:
    return dict(load_unit(Path("t.c"), SourceOptions(), None, f"{text}\nvoid g(int);\n{USES}\n").tables)


@pytest.mark.parametrize(("text", "values"), TABLES.items())
def test_a_table_is_known_by_its_constants(text: str, values: tuple[int, ...]) -> None:
    assert read(text) == {"T": values}


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_list_of_constants_is_not_known(text: str) -> None:
    assert read(text) == {}


VALUES = {
    "static const int N = 8, H = N / 2;": {"N": 8, "H": 4},
    "const unsigned char N = 300;": {"N": 44},
    "static const unsigned long N = 1e6;": {"N": 1_000_000},
    "enum { A = 5 }; const long N = A << 1;": {"N": 10},
    "typedef const int fixed; static fixed N = 3;": {"N": 3},
    "const _Bool N = 7;": {"N": 1},
    "__attribute__((weak)) const int N = 8;": {},
    "#pragma weak N\nconst int N = 8;": {},
    "extern const int N;": {},
    "static volatile const int N = 8;": {},
    "_Atomic const int N = 8;": {},
    "static int N = 8;": {},
    "const double N = 8;": {},
    "int h; const long N = (long)&h;": {},
}


@pytest.mark.parametrize(("text", "values"), VALUES.items())
def test_a_constant_integer_holds_what_it_is_initialised_by(text: str, values: dict[str, int]) -> None:
    used = f"int f(int i) {{ for (; i < N; i++) g({'H' if 'H' in values else 0}); return 0; }}"
    unit = load_unit(Path("t.c"), SourceOptions(), None, f"{text}\nvoid g(int);\n{used}\n")
    assert unit.values == values
