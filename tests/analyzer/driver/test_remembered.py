"""What is remembered of a text makes the next one no other answer, and spares what has not changed."""

import os
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pycparser import c_ast

from analyzer.advise import Context
from analyzer.driver import remembered
from analyzer.driver.remembered import Memory
from analyzer.driver.run import Input, Plan, Result, run
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.catalogue import find_device

from ..report.covering import EVERY
from ..report.documents import FIXTURES

NAMES = ("blas", "layouts", "stencils")
SOME = FIXTURES if os.environ.get(EVERY) else [path for path in FIXTURES if path.stem in NAMES]

TEXT = """
static void scale(double *x, long n, double f) { for (long i = 0; i < n; i++) x[i] *= f; }
double total(const double *x, long n) { double s = 0; for (long i = 0; i < n; i++) s += x[i]; return s; }
void both(double *x, long n) { for (long k = 0; k < 4; k++) scale(x + k * n, n, 2.0); }
"""


class Counting(Memory):
    """A memory that counts the work, by step."""

    def __init__(self, known: dict[bytes, bytes] | None = None) -> None:
        super().__init__(known)
        self.works: Counter[str] = Counter()

    def ask(self, step: str, arguments: object, work: Callable[[], Any]) -> Any:
        def counted() -> Any:
            self.works[step] += 1
            return work()

        return super().ask(step, arguments, counted)


PLAN = Plan(SourceOptions(), AnalysisOptions(), Context(find_device("xeon6248"), (find_device("h200"),)), changes=True)


def analysed(text: str, memory: Memory | None, path: Path = Path("a.c")) -> Result:
    (result,) = run([Input(path, text)], PLAN, memory=memory)
    return result


def said(result: Result) -> tuple[object, ...]:
    return (tuple(result.files), result.symbols, result.sources, result.trouble, result.given, result.stated)


# --- values


def test_the_same_is_worked_out_once() -> None:
    memory = Memory()
    assert memory.ask("sum", (1, "a"), lambda: [3]) == [3]
    later = Memory(memory.kept())
    assert later.ask("sum", (1, "a"), partial(pytest.fail, "is known")) == [3]
    assert later.ask("sum", (1, "b"), lambda: [4]) == [4]
    assert later.ask("product", (1, "a"), lambda: [5]) == [5]


def test_who_changes_a_result_changes_no_other() -> None:
    memory = Memory()
    memory.ask("list", (), lambda: [1]).append(2)
    assert memory.ask("list", (), partial(pytest.fail, "is known")) == [1]


def test_failures_and_trees_are_not_remembered() -> None:
    memory = Memory()
    with pytest.raises(ZeroDivisionError):
        memory.ask("ratio", (1, 0), lambda: 1 // 0)
    assert memory.ask("tree", c_ast.ID("x"), lambda: 1) == 1
    tree = c_ast.ID("y")
    assert memory.ask("made", (), lambda: tree) is tree
    assert memory.kept() == {}


def test_what_was_not_used_for_longest_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "MOST_BYTES", 2500)
    memory = Memory()
    for k in range(3):
        memory.ask("text", k, lambda: "x" * 1000)
    later = Memory(memory.kept())
    later.ask("text", 1, partial(pytest.fail, "is known"))
    later.ask("text", 3, lambda: "y" * 1000)
    last = Memory(later.kept())
    assert last.ask("text", 1, partial(pytest.fail, "is known")) == "x" * 1000
    assert last.ask("text", 2, lambda: "again") == "again"


# --- texts


def test_one_function_that_changes_is_the_only_one_that_is_worked_out() -> None:
    first = Counting()
    analysed(TEXT, first)
    assert first.works == {"answers": 3, "loops": 3, "advice": 3}
    again = Counting(first.kept())
    analysed(TEXT, again)
    assert not again.works
    edited = Counting(first.kept())
    analysed(TEXT.replace("s += x[i];", "s += x[i] * x[i];"), edited)
    assert edited.works == {"answers": 1, "loops": 1, "advice": 1}


def test_who_calls_a_function_that_changes_is_worked_out_too() -> None:
    first = Counting()
    analysed(TEXT, first)
    text = TEXT.replace("x[i] *= f", "x[i] += f")
    edited = Counting(first.kept())
    found = analysed(text, edited)
    assert edited.works["answers"] == 2
    assert said(found) == said(analysed(text, None))


def test_functions_below_one_that_is_half_typed_stay_remembered() -> None:
    first = Counting()
    analysed(TEXT, first)
    half = Memory(first.kept())
    analysed(TEXT.replace("s += x[i];", "if (x[i] {"), half)
    again = Counting(half.kept())
    analysed(TEXT, again)
    assert not again.works


def other(text: str) -> str:
    """The text with one more statement at the end of its last function."""
    before, brace, behind = text.rpartition("\n}")
    return f"{before}\n    (void)0;{brace}{behind}"


@pytest.mark.parametrize("path", SOME, ids=lambda path: path.name)
def test_of_a_fixture_the_same_is_said(path: Path) -> None:
    memory = Memory()
    text = path.read_text(encoding="utf-8")
    analysed(text, memory, path)
    assert said(analysed(other(text), Memory(memory.kept()), path)) == said(analysed(other(text), None, path))
