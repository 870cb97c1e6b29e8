"""Type-generic functions, against the compiler."""

import shutil
import subprocess
from pathlib import Path

import pytest

from analyzer.loops.c_text import c_text
from analyzer.settings.options import SourceOptions
from analyzer.source.generic_math import NAME
from analyzer.source.load import load_unit

ROOTS = "sqrtf, sqrt, sqrtl, csqrtf, csqrt, csqrtl"
POWERS = "powf, pow, powl, cpowf, cpow, cpowl"
CALLS = {
    "float": (f"{NAME}({ROOTS}, f)", "sqrtf(f)"),
    "double": (f"{NAME}({ROOTS}, d + f)", "sqrt(d + f)"),
    "long double": (f"{NAME}({ROOTS}, l)", "sqrtl(l)"),
    "an integer": (f"{NAME}({ROOTS}, i)", "sqrt(i)"),
    "complex": (f"{NAME}({ROOTS}, z)", "csqrt(z)"),
    "complex float": (f"{NAME}({ROOTS}, c * f)", "csqrtf(c * f)"),
    "one inside the other": (f"{NAME}({ROOTS}, {NAME}({ROOTS}, f))", "sqrtf(sqrtf(f))"),
    "two of a type": (f"{NAME}({POWERS}, f, 2.0f)", "powf(f, 2.0f)"),
    "beside an integer": (f"{NAME}({POWERS}, f, 2)", "pow(f, 2)"),
    "the wider one": (f"{NAME}({POWERS}, f, l)", "powl(f, l)"),
    "the complex one": (f"{NAME}({POWERS}, d, c)", "cpow(d, c)"),
    "a real part": (f"{NAME}(crealf, creal, creall, d)", "creal(d)"),
    "of float": (f"{NAME}(crealf, creal, creall, c)", "crealf(c)"),
    "one argument decides": (f"{NAME}(ldexpf, ldexp, ldexpl, f, i)", "ldexpf(f, i)"),
    "a pointer beside": (f"{NAME}(frexpf, frexp, frexpl, l, &i)", "frexpl(l, &i)"),
}
REFUSED = {
    "what nothing declares": f"{NAME}({ROOTS}, unknown(1))",
    "complex where none is": f"{NAME}(ldexpf, ldexp, ldexpl, z, i)",
    "too many": f"{NAME}({ROOTS}, f, f)",
}
CODE = """
#include <complex.h>
#include <math.h>
void g(int i, float f, double d, long double l, double _Complex z, float _Complex c)
{{
    while (i--) {{ {0}; }}
}}
"""


def _written(text: str, tmp_path: Path) -> str:
    """The statement of the function, as it is read."""
    source = tmp_path / "a.c"
    source.write_text(CODE.format(f"{text};"), encoding="utf-8")
    node = load_unit(source, SourceOptions()).definitions["g"].node
    assert node is not None
    return c_text(node.body.block_items[0].stmt.block_items[0])


@pytest.mark.parametrize(("text", "call"), CALLS.values(), ids=CALLS)
def test_one_of_the_functions_is_called(text: str, call: str, tmp_path: Path) -> None:
    assert _written(text, tmp_path) == _written(call, tmp_path)


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_what_is_not_known_stays(text: str, tmp_path: Path) -> None:
    assert NAME in _written(text, tmp_path)


@pytest.mark.parametrize(("text", "call"), CALLS.values(), ids=CALLS)
@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc alone has it")
def test_it_has_the_type_that_the_compiler_gives_it(text: str, call: str, tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    same = f"__builtin_types_compatible_p(__typeof__({text}), __typeof__({call}))"
    source.write_text(CODE.format(f'_Static_assert({same}, "another type");'), encoding="utf-8")
    subprocess.run(["gcc", "-fsyntax-only", str(source)], check=True)
