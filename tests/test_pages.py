"""Everything that the documentation shows of a terminal is what the commands print (`pages`)."""

import shutil
from pathlib import Path

import pytest

from .pages import matches, pages, programs, renewed, run, steps


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_what_a_page_shows_is_what_is_printed(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    missing = [name for name in sorted(programs(text)) if shutil.which(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    for step in run(text, tmp_path):
        assert matches(step.shown, step.printed), f"$ {step.command}\nprints, and `make docs` writes:\n{step.printed}"


def test_matching() -> None:
    assert matches("a\n...\nd", "a\nb\nc\nd\n")
    assert matches("", "")
    assert not matches("a\n...\nd", "a\nb\n")
    assert not matches("", "a\n")


def test_commands_and_what_follows_them() -> None:
    found = [(step.command, step.shown) for step in steps("$ a \\\n   b\nx\ny\n$ c\n")]
    assert found == [("a b", "x\ny"), ("c", "")]


def test_a_changed_output_keeps_its_gaps() -> None:
    assert renewed("time 3 s\n...\nspeed 4", "head\ntime 5 s\nmiddle\nspeed 6\n") == "time 5 s\n...\nspeed 6"
    assert renewed("old", "new\nlines\n") == "new\nlines"
