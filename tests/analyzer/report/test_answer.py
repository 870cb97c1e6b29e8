"""The answer of a run in one sentence: the numbers in it are those of the loops. That all reports say the same is
tried in `test_one_answer`."""

import json
import re
from collections import Counter

import pytest

from analyzer.base.amounts import faster
from analyzer.report.answer import answer
from analyzer.report.codec import from_json
from analyzer.report.formats import render as rendered
from analyzer.report.terminal import Style
from analyzer.report.text import render

from .documents import FIXTURES, analysed

NAMES = ("blas", "case_study", "histogram", "errno", "layouts")


@pytest.mark.parametrize("name", NAMES)
def test_the_numbers_are_those_of_the_loops(name: str) -> None:
    document = analysed(next(path for path in FIXTURES if path.stem == name))
    loops = [loop for file in document.files for loop in file.loops]
    verdicts = Counter(loop.recommendation.verdict for loop in loops)
    said = answer(document)
    assert said.startswith(f"Of {len(loops)} loop")
    found = {kind: int(n) for n, kind in re.findall(r"(\d+) (?:pays? most|is|are) (on the threads|open)", said)}
    assert found.get("on the threads", 0) == verdicts["host-parallel"]
    assert found.get("open", 0) == verdicts["depends"]
    on_targets = sum(int(n) for n in re.findall(r"(\d+) pays? most on (?!the threads)", said))
    assert on_targets == verdicts["offload"]
    assert ("the program gets" in said) == (document.program is not None and document.program.speedup > 1)


@pytest.mark.parametrize(
    ("speedup", "words"), [(47.3, "47x faster"), (1.06, "1.1x faster"), (1.02, "less than 5 % faster")]
)
def test_the_gain_of_a_program_in_words(speedup: float, words: str) -> None:
    assert faster(speedup) == words


def test_a_device_where_others_pay_more_is_not_said_to_pay_nowhere() -> None:
    """A loop counts where it pays most; that none pays is said where none pays on any device."""
    moved, none = (answer(analysed(next(p for p in FIXTURES if p.stem == n))) for n in ("case_study", "errno"))
    assert "1 pays most on h200; 7 pay most on the threads or vectors of xeon6248, none on gtx470 or on q8300." in moved
    assert "none pays on gtx470, on q8300, on h200 or on the threads or vectors of xeon6248; " in none


def test_a_report_of_a_version_without_answer_is_rendered_with_it() -> None:
    document = analysed(next(path for path in FIXTURES if path.stem == "blas"))
    data = json.loads(rendered(document, "json"))
    del data["answer"]
    earlier = from_json(json.dumps(data), "saved")
    assert earlier.answer is None
    assert "answer" not in json.loads(rendered(earlier, "json"))
    assert render(earlier, Style(much="totals")) == render(document, Style(much="totals"))
