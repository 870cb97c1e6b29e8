"""Extremes that no program has, or should have: they cost one answer at most, never the run."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pycparser import c_ast, c_parser

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import FileFacts, Verdict
from analyzer.loops.literals import literal
from analyzer.loops.syntax import index_names
from analyzer.settings.options import AnalysisOptions, SourceOptions
from analyzer.source.literals import integer_constant
from analyzer.source.unit import Abi

HEAD = "void f(int n, double *restrict a, const double *restrict b)"
LOOP = "for (int i = 0; i < n; i++) a[i] = {};"


@pytest.fixture
def facts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., FileFacts]:
    monkeypatch.setenv("BOATHULL_DEBUG", "1")  # an error of ours is not caught

    def analysed(text: str, entry: str | None = None) -> FileFacts:
        path = tmp_path / "t.c"
        path.write_text(text, encoding="utf-8")
        return analyze_file(path, SourceOptions(entry=entry), AnalysisOptions())

    return analysed


def verdict(found: FileFacts, name: str = "f") -> Verdict:
    (function,) = (f for f in found.functions if f.function.name == name)
    return function.loops[-1].parallelism.verdict


@pytest.mark.parametrize(
    "value",
    ["0x1p1024L", "-0x1p99999999999", "1e400L", "9" * 5000, "0x" + "f" * 5000, "9" * 5000 + ".0", "1e" + "9" * 5000],
    ids=lambda text: text[:12],
)
def test_a_literal_of_any_size_is_a_value(facts: Any, value: str) -> None:
    assert verdict(facts(f"{HEAD} {{ {LOOP.format(value)} }}")) is Verdict.YES


def test_two_numbers_beyond_a_double_are_not_taken_for_one() -> None:
    sizes = Abi()
    small, large, larger = (literal(sizes, c_ast.Constant("long double", t))[0] for t in ("1.5L", "1e400L", "1e500L"))
    assert small == 1.5
    assert large != larger


@pytest.mark.parametrize(
    ("digits", "value"),
    [("18446744073709551617", 2**64 + 1), ("1" + "0" * 64 + "7", 10**65 + 7), ("9" * 5000, 10**5000 - 1)],
    ids=["20", "66", "5000"],
)
def test_an_integer_constant_wraps_however_long(digits: str, value: int) -> None:
    found = integer_constant(digits, Abi())
    assert found is not None
    assert found.value == value % 2**64


@pytest.mark.parametrize(
    "before",
    [
        "struct s { struct s a; } x, y; x = y;",
        "struct s { int k; struct s a[2]; } x, y; x = y; x.a[1].a[0].k = 1;",
        "union u { union u a; int k; } x, y; x = y; x.a.a.k = 1;",
        "struct s { struct t *p; }; struct t { struct s q; struct t r; } x, y; x = y;",
    ],
)
def test_a_structure_in_itself_comes_to_an_end(facts: Any, before: str) -> None:
    assert facts(f"{HEAD} {{ {before} {LOOP.format('b[i]')} }}").functions[0].loops


@pytest.mark.parametrize("width", ["~0", "-1", "1 << 40", "9223372036854775807", "n", "sizeof(struct s)", "0"])
def test_a_bit_field_is_as_wide_as_its_type_at_most(facts: Any, width: str) -> None:
    before = f"struct s {{ int k : {width}; unsigned l : 3; }} x; x.k = 1; x.l++;"
    assert verdict(facts(f"{HEAD} {{ {before} {LOOP.format('b[i] + x.l')} }}")) is Verdict.YES


@pytest.mark.parametrize("number", ["08", "0x", "9" * 5000, "~0", "-8", "1 << 40"])
def test_an_attribute_takes_any_number(facts: Any, number: str) -> None:
    before = f"int x __attribute__((aligned({number}))), y __attribute__((vector_size({number}))); x++;"
    assert facts(f"{HEAD} {{ {before} {LOOP.format('b[i]')} }}").functions[0].loops


def test_helpers_that_call_the_one_before_twice(facts: Any) -> None:
    calls = "".join(f"static double g{k}(double x) {{ return g{k - 1}(x) + g{k - 1}(x + 1); }}\n" for k in range(1, 60))
    pure = f"static double g0(double x) {{ return x; }}\n{calls}"
    assert verdict(facts(f"{pure}{HEAD} {{ {LOOP.format('g59(b[i])')} }}", "main")) is Verdict.YES
    kept = f"static double s; static double g0(double x) {{ return s += x; }}\n{calls}"
    assert verdict(facts(f"{kept}{HEAD} {{ {LOOP.format('g59(b[i])')} }}", "main")) is not Verdict.YES


def test_structures_nested_by_doubling(facts: Any) -> None:
    def text(innermost: str) -> str:
        types = "".join(f"struct s{k} {{ struct s{k - 1} a, b; }};\n" for k in range(1, 50))
        body = "for (int i = 0; i < n; i++) q[i] = r[i];"
        head = "void f(int n, struct s49 *restrict q, const struct s49 *restrict r)"
        return f"struct s0 {{ {innermost} double x; }};\n{types}{head} {{ {body} }}"

    assert verdict(facts(text(""))) is Verdict.YES
    assert verdict(facts(text("volatile"))) is not Verdict.YES


def test_macros_that_double(facts: Any) -> None:
    macros = "".join(f"#define M{k} M{k - 1} + M{k - 1}\n" for k in range(1, 60))
    assert verdict(facts(f"#define M0 1\n{macros}{HEAD} {{ {LOOP.format('b[i] + M3')} }}")) is Verdict.YES


def test_a_comment_of_blanks(facts: Any) -> None:
    blanks = " " * 20_000
    assert facts(f"{HEAD} {{ // analyze: ignore{blanks}x\n{LOOP.format('b[i]')} }}").functions[0].loops


def test_thousands_of_early_returns(analyze: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.c"
    returns = "".join(f"if (n == {k}) return;\n" for k in range(1500))
    path.write_text(f"{HEAD} {{ {returns} {LOOP.format('b[i]')} }}", encoding="utf-8")
    ran = analyze(path, "-t", "gtx470")
    assert ran.code == 0
    assert "internal error" not in ran.out


@pytest.mark.parametrize(
    ("line", "use"),
    [
        *(("m = p[m];", "m"), ("m = m / 3 + 7;", "m"), ("m = m * 5 % 7;", "m"), ("m += p[m] * n;", "m")),
        ("q = q->next;", "q->k"),
    ],
)
def test_values_made_of_each_other_hundreds_of_times(facts: Any, line: str, use: str) -> None:
    types = "struct s { struct s *next; int k; };"
    text = f"{types} {HEAD[:-1]}, const int *restrict p, int m, struct s *restrict q) {{ {line * 500} @ }}"
    assert verdict(facts(text.replace("@", LOOP.format("b[i]")))) is Verdict.YES
    assert facts(text.replace("@", LOOP.format(f"b[i + {use}]"))).functions[0].loops


def test_a_thousand_names_in_a_chain_serve_a_subscript() -> None:
    """Each is judged by the next one: names are looked at once, not once per name."""
    lines = "".join(f"x{k} = x{k - 1} + 1;" for k in range(1, 3000))
    for more, first in (("", 1), ("y = y + 1; z = x3; g(z);", 4)):
        (function,) = c_parser.CParser().parse(f"void f() {{ {lines} a[x2999] = 1; {more} }}")
        assert index_names(function.body) == {f"x{k}" for k in range(first, 3000)}


def test_the_built_in_preprocessor_survives_a_directive_without_a_name(facts: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("PATH", "")
    assert verdict(facts(f"{HEAD} {{ {LOOP.format('b[i]')} }}\n#define\n")) is Verdict.YES


@pytest.mark.parametrize("path", ["", None], ids=["built in", "compiler"])
def test_a_file_that_includes_itself_is_read_a_few_times(facts: Any, monkeypatch: Any, path: str | None) -> None:
    if path is not None:
        monkeypatch.setenv("PATH", path)
    function = f"{HEAD} {{ {LOOP.format('b[i]')} }}\n"
    found = facts(f'{function * 3}#include "t.c"\n')
    assert 1 <= sum(bool(f.loops) for f in found.functions) <= 3 * 16
    assert verdict(facts(function)) is Verdict.YES
