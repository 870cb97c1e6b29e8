"""Benchmarks are no package, and reach into the program: what they reach for is still there."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from analyzer.driver import function_facts, nest_facts

ROOT = Path(__file__).parents[1]


@pytest.fixture
def corpora() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("corpora", ROOT / "benchmarks" / "corpora.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kept = function_facts.function_facts, nest_facts.worked_out
    yield module
    function_facts.function_facts, nest_facts.worked_out = kept


def test_corpora_count_loops_and_their_cpu_time(corpora: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    spent = corpora.report("listing", ROOT / "fixtures" / "c" / "listing1.c", (), corpora.Costs())
    assert "loops: 5, `for`: 5 (yes 5, conditional 0, no 0, unknown 0)" in capsys.readouterr().out
    assert len(spent) == 4
    assert min(spent) > 0
