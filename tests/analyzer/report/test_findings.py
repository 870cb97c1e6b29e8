"""Where findings are placed."""

import re
from pathlib import Path
from typing import Any

import pytest

FORMATS = ("text", "concise", "markdown", "sarif", "github", "gitlab", "html", "jsonl")


@pytest.fixture
def program(source: Any, tmp_path: Path) -> Path:
    """Two files that include a header, which asks for one that is nowhere."""
    (tmp_path / "types.h").write_text('typedef float real;\n\n#include "nowhere.h"\n')
    for name in ("a.c", "b.c"):
        source('#include "types.h"\nvoid f(real *x, int n) { for (int i = 0; i < n; i++) x[i] = 0; }\n', name)
    return tmp_path


def test_what_is_said_of_a_header_stands_at_its_line_and_once(analyze: Any, program: Path) -> None:
    result = analyze("a.c", "b.c", "-t", "h200", "-f", "concise")
    said = [line for line in result.out.splitlines() if "SRC003" in line]
    assert [line.split(" ")[0] for line in said] == ["types.h:3:1:"]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_names_the_header(analyze: Any, program: Path, name: str) -> None:
    analyze("a.c", "b.c", "-t", "h200", "-f", f"{name}=out")
    text = (program / "out").read_text(encoding="utf-8")
    assert "types.h" in text
    assert "a.c:3" not in text


def test_a_comment_in_the_source_does_not_hide_what_is_said_of_a_header(analyze: Any, program: Path) -> None:
    text = "\n\n// analyze: ignore[SRC003] not mine\n" + (program / "a.c").read_text()
    (program / "a.c").write_text(text)
    assert re.search(r"^types\.h:3:1: .*\[SRC003\]$", analyze("a.c", "-t", "h200", "-f", "concise").out, re.MULTILINE)


def test_what_is_said_of_a_file_that_includes_itself_is_listed_once(analyze: Any, source: Any) -> None:
    """Two functions of one place: what is the same of both is one finding, what differs is two."""
    again = "#undef T\n#undef F\n#define T {0}\n#define F f{0}\n#include \"self.c\"\n"
    body = (
        "void F(int n, T *x) {\n"
        "    for (int i = 1; i < n; i++) x[i] = x[i - 1] + 1;\n"
        "    for (int i = 0; i < 100000000; i++) x[i] = x[i] * 2;\n}\n"
    )
    source(f"#ifndef T\n#define T int\n{again.format('int')}{again.format('double')}#else\n{body}#endif\n", "self.c")
    functions = re.findall(r" in (f\w+)", analyze("self.c", "-t", "h200", "-f", "markdown").out)
    assert len(functions) == 2
    lines = analyze("self.c", "-t", "h200", "-f", "concise").out.splitlines()
    assert len(lines) == len(set(lines))
    assert sum("[DEP001]" in line for line in lines) == 1
    assert sum("[PAR001]" in line for line in lines) == 2
