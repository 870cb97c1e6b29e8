"""`docs/looking-inside.md`: the page that it shows is the one that is printed, and its recipe works."""

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "looking-inside.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def test_the_page_shows_what_is_printed(analyze: Any, source: Any) -> None:
    pytest.importorskip("islpy")
    source(block("c"), "sweep.c")
    ran = analyze("sweep.c", "--dump", "nest", "sweep.c:3")
    assert ran.code == 0, ran.err
    assert ran.out.rstrip("\n") == block("isl").rstrip("\n")


def test_the_recipe_for_islpy_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("islpy")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sweep.isl").write_text(block("isl"))
    names: dict[str, Any] = {}
    exec(block("python"), names)
    assert not names["flow"].is_empty()
