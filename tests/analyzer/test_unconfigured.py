"""A tree as it is checked out gives the answers that it gives when it is configured."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import FileFacts
from analyzer.settings.options import AnalysisOptions, SourceOptions

TREE = Path(__file__).resolve().parents[2] / "fixtures" / "c" / "unconfigured"
SOURCE = TREE / "src" / "sums.c"


@pytest.fixture(params=["compiler", "built in"])
def tree(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tree without what configure made."""
    if request.param == "built in":
        monkeypatch.setenv("PATH", "")
    elif shutil.which("cc") is None:
        pytest.skip("no C compiler")
    copy = tmp_path / "tree"
    shutil.copytree(TREE, copy, ignore=shutil.ignore_patterns("made"))
    return copy


def analysed(tree: Path, options: SourceOptions) -> FileFacts:
    return analyze_file(tree / "src" / "sums.c", options, AnalysisOptions(), root=tree)


def answers(facts: FileFacts) -> Iterator[tuple[object, ...]]:
    """Everything that is said of the loops."""
    for function in facts.functions:
        for loop in function.loops:
            yield loop.id, loop.parallelism, loop.counts, loop.algorithm, loop.lower, loop.upper, loop.arrays


def test_answers_are_those_of_the_configured_tree(tree: Path) -> None:
    given = SourceOptions(includes=(str(TREE / "made"),), defines=("HAVE_CONFIG_H",))
    here, there = analysed(tree, SourceOptions()), analysed(tree, given)
    assert [(f.functions_total, f.functions_analyzed) for f in (here, there)] == [(5, 5), (5, 5)]
    assert list(answers(here)) == list(answers(there))
    verdicts = [loop.parallelism.verdict.value for function in here.functions for loop in function.loops]
    assert verdicts == ["yes", "yes", "yes", "no"]


def test_one_note_says_what_was_made(tree: Path) -> None:
    (note,) = (d for d in analysed(tree, SourceOptions()).diagnostics if d.rule == "SRC004")
    assert "config.h from config.h.in, version.h from include/version.h.in" in note.message


def test_a_template_that_changes_is_read_again(tree: Path) -> None:
    with (tree / "config.h.in").open("a", encoding="utf-8") as file:
        file.write("#define WITH_TRACE 1\n")
    verdicts = [f.loops[0].parallelism.verdict.value for f in analysed(tree, SourceOptions()).functions if f.loops]
    assert verdicts == ["yes", "conditional", "yes", "no"]
