"""Input that no compiler would like: a clear message with a place, the rest kept, the documented exit code."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

GOOD = "void good(float *a) {\n  for (int i = 0; i < 100; i++)\n    a[i] = 0;\n}\n"


def report(analyze: Any, *arguments: object) -> tuple[Any, dict[str, Any]]:
    ran = analyze(*arguments, "-f", "json", "--fail-on", "never")
    assert "Traceback" not in ran.err
    return ran, json.loads(ran.out)


def functions_with_loops(document: dict[str, Any]) -> set[str]:
    return {loop["function"] for file in document["files"] for loop in file["loops"]}


def diagnostics(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [d for file in document["files"] for d in file["diagnostics"]]


def test_an_empty_file_has_no_loops(analyze: Any, source: Any) -> None:
    source("")
    ran, document = report(analyze, "a.c")
    assert ran.code == 0
    assert document["summary"]["loops_total"] == 0
    assert "No loops found" in analyze("a.c").out


def test_a_binary_file_is_named_and_the_rest_is_kept(analyze: Any, source: Any, tmp_path: Path) -> None:
    (tmp_path / "b.c").write_bytes(bytes(range(256)) * 40)
    source(GOOD)
    ran, document = report(analyze, "b.c", "a.c")
    assert ran.code == 2
    assert functions_with_loops(document) == {"good"}
    (diagnostic,) = diagnostics(document)
    assert diagnostic["rule"] == "SRC010"
    assert "not text" in diagnostic["message"]


def test_a_directory_without_c(analyze: Any, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("no C", encoding="utf-8")
    ran = analyze("docs")
    assert ran.code == 2
    assert "no C files (*.c) in docs" in ran.err


def test_a_syntax_error_costs_one_function(analyze: Any, source: Any) -> None:
    broken = "void broken(float *a) {\n  for (int i = 0; i < ; i++ a[i] = 0;\n}\n"
    source(GOOD + broken + GOOD.replace("good", "last"))
    ran, document = report(analyze, "a.c")
    assert ran.code == 0
    assert functions_with_loops(document) == {"good", "last"}
    assert [(d["rule"], d["line"]) for d in diagnostics(document)] in ([("SRC001", 5)], [("SRC001", 6)])
    assert document["files"][0]["functions_total"] == 3
    assert document["files"][0]["functions_analyzed"] == 2


def test_five_hundred_nested_parentheses(analyze: Any, source: Any) -> None:
    nested = "(" * 500 + "1" + ")" * 500
    source(GOOD + f"void deep(float *a) {{ for (int i = 0; i < 9; i++) a[i] = {nested}; }}\n")
    ran, document = report(analyze, "a.c")
    assert ran.code == 0
    assert "good" in functions_with_loops(document)
    assert "deep" in functions_with_loops(document) or diagnostics(document)


def test_a_missing_header_is_said_and_guessed_around(analyze: Any, source: Any) -> None:
    source('#include "generated.h"\n' + GOOD + "void sized(float *a) { for (int i = 0; i < SIZE; i++) a[i] = 1; }\n")
    ran, document = report(analyze, "a.c")
    assert ran.code == 0
    assert functions_with_loops(document) == {"good", "sized"}
    assert any("generated.h" in d["message"] and d["line"] == 1 for d in diagnostics(document))


def test_a_large_file(analyze: Any, source: Any) -> None:
    row = "  " + ", ".join(str(n % 97) for n in range(1000)) + ",\n"
    data = "static const int table[] = {\n" + row * 2700 + "};\n"
    assert len(data) > 10_000_000
    source(data + GOOD)
    ran, document = report(analyze, "a.c", "--no-source")
    assert ran.code == 0
    assert functions_with_loops(document) == {"good"}


def test_a_macro_bomb_ends(analyze: Any, source: Any) -> None:
    lines = ["#define B0 x x x x x x x x x x"]
    lines += [f"#define B{n} " + " ".join([f"B{n - 1}"] * 10) for n in range(1, 9)]
    source("\n".join(lines) + "\nint bomb(int x) { return B8; }\n")
    source(GOOD, "b.c")
    started = time.monotonic()
    ran, document = report(analyze, "a.c", "b.c")
    assert time.monotonic() - started < 60
    assert ran.code in (0, 2)
    assert functions_with_loops(document) == {"good"}
    rules = {d["rule"] for d in diagnostics(document)}
    assert "SRC007" in rules
    assert rules <= {"SRC007", "SRC001"}  # what the limit cut off may be half a function


def test_a_hostile_compilation_database_runs_and_writes_nothing(analyze: Any, source: Any, tmp_path: Path) -> None:
    path = source(GOOD.replace("100", "N"))
    flags = ["-DN=70", "-wrapper", "./evil", "-fplugin=./evil.so", "-o", "stolen.txt", "-MF", "stolen.d", "-MD"]
    (tmp_path / "evil").write_text("#!/bin/sh\ntouch pwned\n", encoding="utf-8")
    (tmp_path / "evil").chmod(0o755)
    command = {"directory": str(tmp_path), "file": str(path), "arguments": ["./evil", *flags, "-c", "a.c"]}
    (tmp_path / "compile_commands.json").write_text(json.dumps([command]), encoding="utf-8")
    before = set(os.listdir(tmp_path))
    ran, document = report(analyze, "a.c", "-p", ".")
    assert ran.code == 0
    assert set(os.listdir(tmp_path)) == before
    assert document["files"][0]["loops"][0]["trip_count"]["value"] == 70
    assert any(d["rule"] == "SRC005" for d in diagnostics(document))


def test_a_file_that_cannot_be_read_is_named_and_the_rest_is_kept(analyze: Any, source: Any, tmp_path: Path) -> None:
    (tmp_path / "gone.c").symlink_to(tmp_path / "nowhere.c")  # permissions do not stop root; a dead link does
    source(GOOD)
    ran, document = report(analyze, ".")
    assert ran.code == 2
    assert functions_with_loops(document) == {"good"}
    (diagnostic,) = diagnostics(document)
    assert diagnostic["rule"] == "SRC010"
    assert "cannot be read" in diagnostic["message"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission(analyze: Any, source: Any) -> None:
    source(GOOD).chmod(0)
    ran, document = report(analyze, "a.c")
    assert ran.code == 2
    assert diagnostics(document)[0]["rule"] == "SRC010"


def test_a_byte_order_mark_and_carriage_returns_move_nothing(analyze: Any, tmp_path: Path) -> None:
    text = "int f(int n, float *x) { for (int i = 0; i < n; i++) x[i] = 0; return 0; }\n"
    (tmp_path / "plain.c").write_bytes(text.encode())
    (tmp_path / "marked.c").write_bytes(text.replace("\n", "\r\n").encode("utf-8-sig"))
    result = analyze("plain.c", "marked.c", "-t", "h200", "-f", "concise")
    assert [line.split(" ")[0] for line in result.out.splitlines()] == ["marked.c:1:26:", "plain.c:1:26:"]


def test_nothing_given_is_a_usage_error(analyze: Any) -> None:
    result = analyze()
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("analyze: error: no input; give")


def test_bytes_that_are_no_utf8_do_not_break_reports(analyze: Any, tmp_path: Path) -> None:
    (tmp_path / "latin.c").write_bytes(b"/* caf\xe9 */\n" + GOOD.encode())
    ran, document = report(analyze, "latin.c")
    assert ran.code == 0
    assert functions_with_loops(document) == {"good"}


@pytest.mark.parametrize(
    "text",
    [
        "}}}}}}\n",
        "void f( {\n",
        '"unterminated\nint x;\n',
        "/* never closed\n",
        "#if 1\nint x;\n",
        "#include <stdio.h\n",
        "void f(void) { for (;;) { } }\n",
        "void f(int n) { while (n--) ; do { } while (n); }\n",
        "int f(n) int n; { for (; n; n--) ; return n; }\n",
        "\n" * 5000,
    ],
)
def test_broken_c_is_never_a_traceback(analyze: Any, source: Any, text: str) -> None:
    source(text, "broken.c")
    source(GOOD)
    ran, document = report(analyze, "broken.c", "a.c")
    assert ran.code == 0, ran.err
    assert "good" in functions_with_loops(document)


DEEP = {
    "conditions": "if (a[i]) {" * 600 + "a[i] = 1;" + "}" * 600,
    "terms": "a[i] = " + " + ".join(f"a[i + {k}]" for k in range(5000)) + ";",
    "alternatives": " else ".join(f"if (a[i] == {k}) a[i] = 0;" for k in range(1500)),
    "loops": "".join(f"for (int k{k} = 0; k{k} < 9; k{k}++) " for k in range(600)) + "a[i] = 0;",
}


@pytest.mark.parametrize("kind", sorted(DEEP))
def test_code_nested_beyond_all_measure_costs_its_function_only(analyze: Any, source: Any, kind: str) -> None:
    source(GOOD + f"void deep(int *a) {{ for (int i = 0; i < 9; i++) {{ {DEEP[kind]} }} }}\n")
    ran, document = report(analyze, "a.c")
    assert ran.code == 0
    reasons = {loop["function"]: loop["reason"] for file in document["files"] for loop in file["loops"]}
    assert reasons["good"] is None
    assert reasons["deep"]["code"] == "too-complex"
    (diagnostic,) = diagnostics(document)
    assert (diagnostic["rule"], diagnostic["level"]) == ("SRC007", "warning")
    assert "deep is nested" in diagnostic["message"]


def test_as_deep_as_code_gets_is_analysed(analyze: Any, source: Any) -> None:
    conditions = "if (b[i]) {" * 60 + "a[i] = 1;" + "}" * 60
    terms = "a[i] = " + " + ".join(f"b[i + {k}]" for k in range(400)) + ";"
    brackets = "a[i] = " + "(" * 1000 + "b[i] + 1" + ")" * 1000 + ";"
    cases = "int t = 0; switch (b[i]) {" + "".join(f"case {k}: t = {k % 7}; break;" for k in range(900)) + "} a[i] = t;"
    source("".join(
        f"void f{k}(int *restrict a, int *b) {{ for (int i = 0; i < 9; i++) {{ {body} }} }}\n"
        for k, body in enumerate((conditions, terms, brackets, cases))
    ))
    ran, document = report(analyze, "a.c")
    assert ran.code == 0
    assert diagnostics(document) == []
    assert [loop["parallel"] for file in document["files"] for loop in file["loops"]] == ["yes"] * 4


def test_a_switch_of_more_cases_than_are_followed_says_so(analyze: Any, source: Any) -> None:
    cases = "".join(f"case {k}: a[i] = {k}; break;" for k in range(1200))
    source(f"void f(int *a, const int *b, int n) {{ for (int i = 0; i < n; i++) switch (b[i]) {{ {cases} }} }}\n")
    ran, document = report(analyze, "a.c")
    assert ran.code == 0
    ((reason,),) = [[loop["reason"] for loop in file["loops"]] for file in document["files"]]
    assert reason["code"] == "irregular-control-flow"
    assert "1200 cases" in reason["message"]


def test_a_link_to_itself(analyze: Any, source: Any, tmp_path: Path) -> None:
    source(GOOD)
    (tmp_path / "loop.c").symlink_to("loop.c")
    ran, document = report(analyze, "loop.c", "a.c")
    assert ran.code == 2
    assert functions_with_loops(document) == {"good"}
    (diagnostic,) = diagnostics(document)
    assert diagnostic["rule"] == "SRC010"
    assert "leads back to itself" in diagnostic["message"]


def test_a_standard_that_the_compiler_does_not_know(analyze: Any, source: Any) -> None:
    source(GOOD)
    ran, document = report(analyze, "a.c", "--std", "foo")
    assert ran.code == 2
    (diagnostic,) = diagnostics(document)
    assert diagnostic["message"].startswith("--std foo: ")
    assert "-std=foo" in diagnostic["message"]


@pytest.mark.parametrize("given", [("-D", "3x"), ("-D", "=3"), ("-D", "A B=1"), ("-U", "3x"), ("-U", "A=1")])
def test_what_is_no_macro(analyze: Any, source: Any, given: tuple[str, str]) -> None:
    source(GOOD)
    ran = analyze("a.c", *given)
    assert ran.code == 2
    assert f"{given[0]} {given[1]}: no name of a macro" in ran.err
    assert analyze("a.c", "-D", "N", "-D", "M=3", "-D", "F(x, ...)=(x)", "-U", "K").code == 0
