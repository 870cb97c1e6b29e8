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
