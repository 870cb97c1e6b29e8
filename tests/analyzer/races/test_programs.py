"""Small programs that were once answered wrongly, or are easily: `programs.txt`, each with the truth in its name."""

from functools import partial
from pathlib import Path

import pytest

from analyzer.races import checked
from analyzer.settings.options import SourceOptions
from analyzer.source import load_unit

PROGRAMS = dict(
    part.split("\n", 1) for part in Path(__file__).with_name("programs.txt").read_text("utf-8").split("=== ")[1:]
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_answer_is_the_truth(name: str, tmp_path: Path) -> None:
    load = partial(load_unit, tmp_path / "a.c", text=PROGRAMS[name])
    answers = {each.answer for each in checked(load, SourceOptions())}
    found = next((answer for answer in ("race", "unknown") if answer in answers), "no-race")
    assert found == {"racy": "race", "free": "no-race"}[name.partition("_")[0]]
