"""A report for people makes no formula that it does not print: texts of counts, arithmetic of times, bounds."""

from pathlib import Path

import pytest

from analyzer.advise import Context
from analyzer.driver.joining import document
from analyzer.driver.run import Input, Plan, analyse
from analyzer.report import build, formula
from analyzer.report.cleaning import cleaned
from analyzer.report.document import CountEntry, Document, LoopEntry
from analyzer.report.text import render
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models import prediction
from models.catalogue import find_device
from models.expr import Expr, to_text

from .documents import FIXTURES

COUNTED = ("iterations", "flops_fp64", "flops_fp32", "fp_other", "int_ops", "loads", "stores")
SOME = FIXTURES[:: max(1, len(FIXTURES) // 12)]


def plan() -> Plan:
    context = Context(find_device("xeon6248"), (find_device("h200"),), details=False)
    return Plan(SourceOptions(), AnalysisOptions(), context)


def refused(*_: object) -> None:
    raise AssertionError("nothing prints this")


def shown(loop: LoopEntry) -> set[str]:
    """The formulas that text has room for: of counts that it shows, where they have no value."""
    moved = ("transfer_in_bytes", "transfer_out_bytes") if loop.is_parallel else ()
    counts: list[CountEntry | None] = [loop.trip_count, *(getattr(loop.counts, name) for name in (*COUNTED, *moved))]
    return {c.expr.text for c in counts if c is not None and c.value is None and c.expr is not None}


@pytest.mark.parametrize("path", SOME, ids=lambda path: path.name)
def test_text_makes_the_formulas_that_it_prints(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Expr] = []

    def recording(expr: Expr) -> str:
        asked.append(expr)
        return to_text(expr)

    monkeypatch.setattr(build, "to_text", refused)
    monkeypatch.setattr(build, "execution_spans", refused)
    monkeypatch.setattr(build, "formulas_entry", refused)
    monkeypatch.setattr(prediction.Prediction, "terms", property(refused))
    monkeypatch.setattr(prediction.Prediction, "formula", property(refused))
    monkeypatch.setattr(formula, "to_text", recording)
    chosen = plan()
    found: Document = document([analyse(Input(path), chosen)], chosen, keep_sources=False)
    assert not asked
    render(cleaned(found))
    made = {to_text(expr) for expr in asked}
    assert made <= {text for file in found.files for loop in file.loops for text in shown(loop)}
