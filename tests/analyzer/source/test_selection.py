"""What is parsed, and what is only listed."""

import time

import pytest

from analyzer.source import findings

from .conftest import Loader


def test_only_what_loops_need_is_parsed(load: Loader) -> None:
    unit = load(
        "typedef int used_type; typedef int unused_type; int used; int unused;\n"
        "int helper(int x) { return x + used; }\n"
        "int lonely(int x) { return other(helper(x)); }\n"
        "void f(used_type n) { for (;;) n = helper(n); }\n"
    )
    assert [(d.name, d.skipped, d.node is not None) for d in unit.functions] == [
        ("helper", False, True),
        ("lonely", True, False),
        ("f", False, True),
    ]
    assert unit.functions[1].calls == {"other", "helper"}
    assert (unit.functions[1].place.line, unit.functions[1].place.column) == (3, 5)
    assert set(unit.globals_) == {"used"}
    assert unit.functions_total == 3


def test_callees_are_parsed_down_to_a_depth(load: Loader) -> None:
    chain = "".join(f"int f{i}(int x) {{ return f{i + 1}(x); }}\n" for i in reversed(range(9)))
    unit = load(f"int f9(int x) {{ return x; }}\n{chain}void loop(int n) {{ for (;;) n = f0(n); }}\n")
    parsed = [d.name for d in unit.functions if d.node is not None]
    assert parsed == ["f4", "f3", "f2", "f1", "f0", "loop"]
    assert "f5" in unit.prototypes
    assert "f9" not in unit.prototypes


def test_system_functions_are_no_own_ones(load: Loader) -> None:
    unit = load("#include <stdlib.h>\nvoid f(int n) { for (;;) n = abs(n); }\n")
    assert [d.name for d in unit.functions if d.own] == ["f"]
    assert unit.functions_total == 1


def test_an_error_in_a_function_without_loops_is_seen(load: Loader) -> None:
    unit = load("int g(int x) { int y = ; return x; }\nint h(int x) { return x }\nvoid f(void) { for (;;) ; }\n")
    assert [(d.rule, d.place.line) for d in unit.diagnostics] == [(findings.SYNTAX, 1), (findings.SYNTAX, 2)]


def test_a_long_table_keeps_its_length(load: Loader) -> None:
    numbers = ", ".join(str(i) for i in range(30_000))
    rows = ", ".join(f'{{ {i}, "x" }}' for i in range(5_000))
    unit = load(
        f"static const int table[] = {{ {numbers} }};\nint fixed[40000] = {{ {numbers} }};\n"
        f"struct row {{ int a; char *b; }} rows[] = {{ {rows}, }};\n"
        "int f(int n) { for (;;) n = table[n] + fixed[n] + rows[n].a; }\n"
    )
    assert {name: getattr(type_, "length", 0) for name, type_ in unit.globals_.items()} == {
        "table": 30_000,
        "fixed": 40_000,
        "rows": 5_000,
    }


def test_parsing_grows_with_the_loops_not_with_the_file(load: Loader) -> None:
    """Ten thousand functions without a loop: none of them is parsed."""
    plain = "".join(f"int g{i}(int x) {{ if (x > {i}) x += {i}; return x * {i}; }}\n" for i in range(10_000))
    started = time.process_time()
    unit = load(f"{plain}void f(int n) {{ for (;;) n = g3(n); }}\n")
    assert sum(d.node is not None for d in unit.functions) == 2
    assert unit.functions_total == 10_001
    assert time.process_time() - started < 20


@pytest.mark.parametrize(
    "broken",
    ["int broken( { for (;;) }", "int broken( ;", "int broken(int a { return 1; }", "int broken { while (1) ; }"],
)
def test_a_function_with_a_broken_head_is_said_to_be_left_out(load: Loader, broken: str) -> None:
    unit = load(f"void f(int n) {{ for (;;) n++; }}\n{broken}\n")
    assert [(d.rule, d.place.line) for d in unit.diagnostics] == [("SRC001", 2)]
    assert [d.name for d in unit.functions if d.node is not None] == ["f"]


def test_texts_with_brackets_are_no_broken_heads(load: Loader) -> None:
    unit = load('char *help = "for (x) :( while (y)", smile[] = ":)";\nvoid f(int n) { for (;;) n++; }\n')
    assert unit.diagnostics == ()
