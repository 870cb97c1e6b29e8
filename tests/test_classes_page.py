"""`docs/classes.md`: under each example stand the class and the species that the program finds; the pictures are those
that the generator draws."""

import re
import runpy
from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.settings.options import AnalysisOptions, SourceOptions

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = (DOCS / "classes.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```c\n(.*?)^```\n\n```text\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
PATTERNS = ("element", "neighbourhood", "tile", "full", "shared", "void")


def function(code: str) -> str:
    found = re.search(r"(\w+)\(", code)
    assert found is not None
    return found[1]


@pytest.mark.parametrize(("code", "said"), EXAMPLES, ids=[function(code) for code, _ in EXAMPLES])
def test_the_program_says_what_the_page_says(code: str, said: str) -> None:
    facts = analyze_file(Path("page.c"), SourceOptions(), AnalysisOptions(), None, code)
    loop = facts.functions[0].loops[0]
    assert f"class    {loop.algorithm}\nspecies  {loop.species}\n" == said


def test_every_pattern_has_an_example_and_a_picture() -> None:
    drawn = runpy.run_path(str(DOCS / "pictures" / "classes.py"))
    assert set(drawn["PICTURES"]) == set(PATTERNS)
    for pattern in PATTERNS:
        assert f"\n## {pattern}\n\n![" in PAGE
        assert any(f"|{pattern}" in said or f"{pattern} →" in said for _, said in EXAMPLES)
        assert (DOCS / "pictures" / f"{pattern}.svg").read_text(encoding="utf-8") == drawn["drawn"](pattern)
