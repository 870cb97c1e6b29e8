"""docs/accuracy.md opens with the weakest result, whichever that is."""

import pytest

from models.catalogue import find_device

from .choices import Judged
from .join import Compared, Statistics
from .joined import Joined
from .summary import PAGE, Decisions, Result, results, weakest, written


def result(name: str, ninety: float) -> Result:
    return Result(name, "accuracy.md", Statistics(10, 10, 1.1, ninety, 0.9, 0.8, 0.9))


def test_the_farthest_from_its_goal_comes_first() -> None:
    good, bad = result("good", 1.5), result("bad", 3.2)
    right = Decisions("choices", "accuracy.md", Judged(100, 0.98, 0.01, 1.0, 1.0, 1.1))
    wrong = Decisions("choices", "accuracy.md", Judged(100, 0.8, 0.2, 1.0, 1.0, 1.1))
    assert "bad.** Of these, nine of ten are within a factor of 3.20" in weakest((good, bad, right))
    assert "choices.** Of these, one thread, vectors or all threads: 80%" in weakest((good, bad, wrong))


def test_what_was_tuned_on_is_no_result() -> None:
    tuned = Compared("a", "tune", {}, 1.0, None)
    machine = Joined("here", find_device("h200"), (tuned,))
    assert list(results([machine], [tuned])) == []


def test_both_places_are_filled_and_nothing_else_changes() -> None:
    text = "a\n<!-- weakest: made by python -m tests.accuracy -->\nold\n<!-- end -->\nb\n"
    text += "<!-- times: made by python -m tests.accuracy -->\n<!-- end -->\nc\n"
    new = written(text, [result("some", 2.0)], [])
    assert new.startswith("a\n<!-- weakest: made by python -m tests.accuracy -->\n**The weakest result")
    assert "| [some](../validation/accuracy.md) | 10 |" in new
    assert new.endswith("<!-- end -->\nc\n")
    assert written(new, [result("some", 2.0)], []) == new
    with pytest.raises(ValueError, match="0 places for 'times'"):
        written(text.partition("<!-- times")[0], [result("some", 2.0)], [])


def test_the_page_opens_with_it() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    assert next(line for line in lines[1:] if line and not line.startswith("<!--")).startswith("**The weakest result")
