"""Values of constant expressions, in C's arithmetic."""

import pytest

from .conftest import Loader

CASES = {
    "3 + 4 * 2": 11,
    "7 / -2": -3,
    "-7 % 3": -1,
    "~0u": 4294967295,
    "~0": -1,
    "-1 < 0u": 0,
    "1u - 2": 4294967295,
    "0x80000000": 2147483648,
    "0x80000000 >> 31": 1,
    "-2147483647 - 1": -2147483648,
    "1 << 10": 1024,
    "1L << 40": 1 << 40,
    "(char)200": -56,
    "(unsigned char)300": 44,
    "(_Bool)7": 1,
    "(int)3.9": 3,
    "'a'": 97,
    "'\\n'": 10,
    "'\\x41'": 65,
    "'\\0'": 0,
    "'ab'": 24930,
    "L'x'": 120,
    "010": 8,
    "0b101": 5,
    "1 ? 5 : 6": 5,
    "0 && 1 / 0": 0,
    "1 || 1 / 0": 1,
    "!3": 0,
    "sizeof(int)": 4,
    "sizeof(struct s)": 16,
    "sizeof(int[5])": 20,
    "sizeof(double *)": 8,
    "sizeof table": 48,
    "sizeof table / sizeof table[0]": 12,
    "sizeof(table[0])": 4,
    "sizeof one.d": 8,
    "sizeof (one.c + one.c)": 4,
    "sizeof(1 ? 1 : 2.0)": 8,
    'sizeof "abc"': 4,
    "_Alignof(double)": 8,
    "__builtin_offsetof(struct s, d)": 8,
    "RED + BLUE": 7,
    "sizeof(int) - 5": 18446744073709551615,
    "1 / 0": None,
    "1 << 32": None,
    "other": None,
    "f(3)": None,
}


@pytest.mark.parametrize(("text", "value"), CASES.items())
def test_value(load: Loader, text: str, value: int | None) -> None:
    unit = load(
        "enum colour { RED, GREEN = 6, BLUE }; struct s { char c; double d; } one; int table[12];\n"
        f"int other; int f(int x); void g(void) {{ for (;;) {{ long v = {text}; one.d = table[0]; v = RED; }} }}\n"
    )
    body = unit.functions[0].node
    assert body is not None
    assert unit.constant(body.body.block_items[0].stmt.block_items[0].init) == value


def test_enumerators_and_dimensions(load: Loader) -> None:
    unit = load(
        "enum { A = 2, B, C = B * 4, D = -1 };\n"
        'double x[C][A + 1]; char text[] = "four"; int list[] = {1, 2, [5] = 3, 4};\n'
        "void f(void) { for (;;) x[0][0] = text[0] + list[0]; }\n"
    )
    assert unit.constants == {"A": 2, "B": 3, "C": 12, "D": -1}
    lengths = {name: getattr(type_, "length", None) for name, type_ in unit.globals_.items()}
    assert lengths == {"x": 12, "text": 5, "list": 7}
