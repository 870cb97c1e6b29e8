"""Formulas of terms: at any sizes they have the values of an analysis with these sizes."""

from pathlib import Path

import pytest

from analyzer.report.document import Document, PredictionEntry
from models.expr import evaluate, parse

from .html.material import analysed


def values(prediction: PredictionEntry, sizes: dict[str, int]) -> list[float | None]:
    known: dict[str, float] = dict(sizes)
    found: list[float | None] = []
    for k, term in enumerate(prediction.terms):
        value = term.value if term.formula is None else float(evaluate(parse(term.formula), known))
        found.append(None if value is None else float(value))
        if value is not None:
            known[f"#{k}"] = float(value)
    return found


def outermost(document: Document) -> dict[tuple[str, str, str], PredictionEntry]:
    return {
        (loop.id, p.device, p.candidate): p
        for loop in document.files[0].loops
        for p in loop.predictions
        if loop.parent is None and p.candidate != "split"
    }


@pytest.mark.parametrize("model", ["extended", "boat-hull", "roofline"])
def test_terms_have_the_values_of_other_sizes(tmp_path: Path, model: str) -> None:
    """Whether the report knew other sizes or none. A report keeps the mapping to a device that it was made with."""
    options = ("--detail", "full", "--model", model, "--mapping", "naive")
    given = {
        size: outermost(analysed(tmp_path / "made", *options, "--size", f"n={size}"))
        for size in (7, 5000)
    }
    open_ = outermost(analysed(tmp_path / "made", *options))
    compared = 0
    for size, others in given.items():
        for key, wanted in others.items():
            for known in (open_[key], given[7][key]):
                if [t.name for t in known.terms] == [t.name for t in wanted.terms]:
                    numbers = [None if t.value is None else float(t.value) for t in wanted.terms]
                    assert values(known, {"n": size}) == pytest.approx(numbers, rel=1e-9), key
                    compared += 1
    assert compared >= 12


def test_terms_refer_to_each_other_and_stay_short(tmp_path: Path) -> None:
    found = outermost(analysed(tmp_path / "made")).values()
    formulas = [term.formula for p in found for term in p.terms if term.formula is not None]
    assert any("`#" in text for text in formulas)
    assert sum(map(len, formulas)) / len(formulas) < 60


def test_what_depends_on_no_size_has_no_formula(tmp_path: Path) -> None:
    found = outermost(analysed(tmp_path / "made", "--size", "n=100")).values()
    figures = [term for p in found for term in p.terms if term.name.startswith(("B_", "P_", "L_"))]
    assert figures
    assert all(term.formula is None for term in figures)
