"""Recorders stand where loops and lines do, count what happens, and nothing else changes."""

import re
import shutil
from pathlib import Path

import msgspec
import pytest

from . import campaign
from .answers import Condition, Loop, read
from .insert import DECLARED, Numbered, recorded, refused_checks

HERE = Path(__file__).parent
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")


def inserted(
    text: str, *conditions: Condition, keyword: str = "for (;;)", **rest: object
) -> tuple[str, dict[int, str]]:
    """The text, whose first loop has these conditions, with its recorders as `[n]`; lines are not told again."""
    at = text.index(keyword)
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    loop = msgspec.convert({"id": "", "line": line, "column": column, "parallel": "conditional", **rest}, Loop)
    loop = msgspec.structs.replace(loop, conditions=conditions)
    done = recorded(text, "a.c", [Numbered(loop, 1, 1)])
    new, missing = done.text, done.missing
    assert done.watched == ({1} if not missing else set())
    assert new.startswith(f'{DECLARED}\n#line 1 "a.c"\n')
    new = new.removeprefix(f'{DECLARED}\n#line 1 "a.c"\n')
    new = re.sub(
        r"for \(int conditions_1 .*?conditions_1 = -conditions_1\)\n#line \d+ \"a.c\"\n", "[loop]", new, flags=re.S
    )
    return re.sub(r" ?if \(conditions_reach\((\d+)\)\) \{\} else ", r"[\1]", new), missing


def cold(*lines: int) -> Condition:
    return Condition("cold", ",".join(map(str, lines)))


TESTED = Condition("injective", "idx", "idx[0] < n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("void f() { for (;;) g(); }", "void f() { [loop]for (;;) g(); }", id="plain"),
        pytest.param("void f() { if (a) for (;;) g(); else h(); }", "void f() { if (a) [loop]for (;;) g(); else h(); }",
                     id="branch without braces"),
        pytest.param("void f() { again: for (;;) g(); }", "void f() { again: [loop]for (;;) g(); }", id="label"),
        pytest.param("void f() {\n  g();\n  #pragma omp for\n  /* all */ for (;;) g(); }",
                     "void f() {\n  g();\n[loop]  #pragma omp for\n  /* all */ for (;;) g(); }", id="pragma"),
        pytest.param("void f() {\n#if A\n#pragma omp for \\\n  nowait\n#else\n#pragma B\n#endif\nfor (;;) g(); }",
                     "void f() {\n[loop]#if A\n#pragma omp for \\\n  nowait\n#else\n#pragma B\n#endif\nfor (;;) g(); }",
                     id="chosen pragma"),
        pytest.param("void f() {\n#if A\n  g();\n#endif\nfor (;;) g(); }",
                     "void f() {\n#if A\n  g();\n#endif\n[loop]for (;;) g(); }", id="code in #if stays there"),
        pytest.param("void f() {\n/*\n#pragma x\n*/\n#define N 2\nfor (;;) g(); }",
                     "void f() {\n/*\n#pragma x\n*/\n#define N 2\n[loop]for (;;) g(); }", id="no pragma"),
        pytest.param('void f() { _Pragma("omp for") for (;;) g(); }',
                     'void f() { [loop]_Pragma("omp for") for (;;) g(); }', id="_Pragma"),
    ],
)  # fmt: skip
def test_the_recorder_of_a_loop_is_a_statement_above_its_pragmas(text: str, expected: str) -> None:
    assert inserted(text, TESTED) == (expected, {})


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param("if (a) return 1;", "if (a) [1]return 1;", id="jump behind if"),
        pytest.param("goto out;", "[1]goto out;", id="jump"),
        pytest.param("if (a && (b || c)) { stop(); }", "if (a && (b || c)) [1]{ stop(); }", id="branch"),
        pytest.param("} else {", "} else [1]{", id="else"),
        pytest.param("} else stop();", "} else [1]stop();", id="else without braces"),
        pytest.param("case 3: stop();", "case 3: (void)conditions_reach(1);  stop();", id="case"),
        pytest.param("assert(a < b && c);", "if (!(a < b && c) && conditions_reach(1)) {} else assert(a < b && c);",
                     id="assertion"),
        pytest.param("ok = call();",
                     "for (long conditions_old_1 = (long)(ok), conditions_old_1_on = 1; conditions_old_1_on; "
                     "conditions_old_1_on = 0, conditions_old_1 != (long)(ok) ? conditions_reach(1) : 0) ok = call();",
                     id="flag"),
    ],
)  # fmt: skip
def test_a_line_tells_that_it_is_reached(lines: str, expected: str) -> None:
    text = "void f() { for (;;) {{ if (!ok) continue; if (z) {\n@\n}}} }"
    assert inserted(text.replace("@", lines), cold(2)) == (
        f"{text.replace('for', '[loop]for', 1).replace('@', expected)}",
        {},
    )


UNSEEN = "line 2: no branch is seen in the line"


@pytest.mark.parametrize(
    ("text", "condition", "reason"),
    [
        ("void f() { for (;;) g();\nif (a) g(); if (b) g();\n}", cold(2), "line 2: more than one branch in the line"),
        ("void f() { for (;;) g();\nok ? g() : stop();\n}", cold(2), UNSEEN),
        ("void f() { for (;;) { if (a) continue;\nok = g(); }}", cold(2), UNSEEN),
        (
            "void f() { for (;;) {\np = g();\nif (p == NULL) continue; }}",
            cold(2),
            UNSEEN,
        ),
        ("void f() { for (;;) {\nok = g();}}\nvoid h() { if (ok) continue; }", cold(2), UNSEEN),
        ("void h() { if (ok) continue; } void f() { for (;;) {\nok = g();}}", cold(2), UNSEEN),
        ("void f() { for (;;) g();\n}", Condition("pure", "g"), "no test"),
        ("void f() { for (;;) g();\n}", Condition("cold", "other.c"), "no test"),
    ],
)
def test_what_cannot_be_watched_has_a_reason(text: str, condition: Condition, reason: str) -> None:
    assert inserted(text, condition)[1] == {1: reason}


def test_a_loop_of_a_macro_stays_as_it_is() -> None:
    text = "void f() { EACH(i, n) g(); for (;;) g(); }"
    assert inserted(text, TESTED, keyword="EACH") == (text, {1: "made by a macro"})
    assert inserted(text, TESTED, expansion={"line": 1}) == (text, {1: "made by a macro"})


def test_checks_that_a_compiler_refuses_are_known_by_their_lines() -> None:
    printed = (
        "a.c: In function 'f':\na.c:3:1: error: 'k' undeclared\nconditions:4:7: error: 'n' undeclared (first use)\n"
        "b.h:9:2: error: bad\nconditions:12: note: in expansion of macro 'N'\nconditions:5:1: warning: comparison\n"
    )
    assert refused_checks(printed) == {4: "'n' undeclared (first use)", 12: "expansion of macro 'N'"}


def test_only_conditional_loops_of_the_program_are_read(tmp_path: Path) -> None:
    def loop(parallel: str, *pragmas: str) -> dict[str, object]:
        told = [{"line": 1, "text": text} for text in pragmas]
        return {"id": "x", "line": 1, "column": 1, "parallel": parallel, "pragmas": told}

    files = [
        {
            "path": "src/a.c",
            "loops": [loop("yes"), loop("conditional", "omp parallel for"), loop("conditional", "GCC x")],
        },
        {"path": "../elsewhere.h", "loops": [loop("conditional")]},
    ]
    found = dict(read(msgspec.json.encode({"files": files}), tmp_path))
    assert list(found) == [tmp_path / "src" / "a.c"]
    assert [x.is_divided for x in found[tmp_path / "src" / "a.c"]] == [True, False]


BUILD = "gcc sample.c other.c $RECORDER -o sample"


def rows(printed: str) -> list[list[str]]:
    """The rows of the table, without those of its head."""
    lines = [line for line in printed.splitlines() if line.startswith("| sample.c")]
    return [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines]


def copy(folder: Path) -> Path:
    for name in ("sample.c", "other.c"):
        shutil.copy(HERE / name, folder)
    return folder


def line(text: str) -> int:
    """The line of the sample with this text."""
    return next(k for k, x in enumerate((HERE / "sample.c").read_text().splitlines(), 1) if text in x)


@needs_gcc
def test_conditions_that_hold_and_that_fail_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The answers of the analyser, inserted, compiled and run: sample.c says what happens."""
    arguments = [
        str(copy(tmp_path)),
        "--analyze=sample.c --no-cache",
        f"--build={BUILD}",
        "--run=./sample",
        "--run=./sample 1",
    ]
    assert campaign.main(arguments) == 0
    printed = capsys.readouterr().out
    negative, bad = line("return -1;"), line("if (type[i] > 5)")
    assert rows(printed) == [
        [f"sample.c:{line('for (i = 0; i < n')}", "`injective(idx)`", "5", "4", "1"],
        [f"sample.c:{line('n; i++) {  // left')}", f"`no-exit({negative})`", "3", "2", "1"],
        [f"sample.c:{line('n; i++) {  // told')}", f"`cold({bad})`", "3", "2", "1"],
    ]
    assert re.search(r"checks that failed +1\b", printed)
    assert re.search(r"conditions of lines: failures +2\b", printed)
    assert "conditions_" not in (tmp_path / "sample.c").read_text()


@needs_gcc
@pytest.mark.parametrize(
    ("check", "remark"),
    [
        ("unknown < n", "refused by the compiler: 'unknown' undeclared (first use in this function)"),
        ("*(int *)0 == n", "crashed"),
    ],
)
def test_a_wrong_check_is_a_defect(check: str, remark: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Told as such; the other checks are run without it."""
    wrong, right = (
        {"kind": kind, "text": "a,b", "check": c} for kind, c in (("distinct", check), ("at-most", "n <= 4"))
    )
    at = {"line": line("for (i = 0; i < n"), "column": 9}
    loop = {"id": "", "parallel": "conditional", "conditions": [right, wrong], **at}
    answers = tmp_path / "answers.json"
    answers.write_bytes(msgspec.json.encode({"files": [{"path": "sample.c", "loops": [loop]}]}))
    assert campaign.main([str(copy(tmp_path)), f"--answers={answers}", f"--build={BUILD}", "--run=./sample"]) == 1
    first, second = rows(capsys.readouterr().out)
    assert second[1:] == ["`distinct(a,b)`", second[2], "", "", remark]
    assert int(first[3]) >= 1


@needs_gcc
def test_a_program_that_cannot_be_built_is_no_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "answers.json").write_text('{"files": []}')
    arguments = [str(tmp_path), f"--answers={tmp_path / 'answers.json'}", "--build=echo no compiler; exit 1"]
    assert campaign.main(arguments) == 2
    assert "no compiler" in capsys.readouterr().err
