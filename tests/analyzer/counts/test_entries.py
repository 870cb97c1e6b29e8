"""Means over all entries of an inner loop, against running the loops around it with every value of their counters."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from analyzer.advise.averages import averaged
from analyzer.advise.likely import weighted
from analyzer.counts.entries import entries
from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import Counts, FunctionFacts, LoopFacts
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.expr import Expr, evaluate, free_symbols, parse

FIXTURE = Path(__file__).resolve().parents[3] / "fixtures" / "c" / "triangular_costs.c"
SIZES = {"width": 7, "N": 60, "M": 40, "few": 3, "many": 11}
FUNCTIONS = ("update", "product", "decomposition", "folding", "some", "siblings")
SUMMED = ("iterations", "loads", "stores", "flops_fp64", "int_ops", "bytes_loaded", "bytes_stored")


@cache
def functions() -> dict[str, FunctionFacts]:
    return {f.function.name: f for f in analyze_file(FIXTURE, SourceOptions(), AnalysisOptions()).functions}


def function(name: str) -> FunctionFacts:
    return functions()[name]


def around(loop: LoopFacts, by_id: dict[str, LoopFacts]) -> list[LoopFacts]:
    found: list[LoopFacts] = []
    while loop.parent is not None:
        loop = by_id[loop.parent]
        found.insert(0, loop)
    return found


def every_entry(loops: list[LoopFacts], values: dict[str, int]) -> Iterator[dict[str, int]]:
    """The values of the counters of `loops` in every iteration, by running them."""
    if not loops:
        yield values
        return
    loop, *inner = loops
    variable = loop.loop.variable or ""
    first, last, step = (int(evaluate(parse(text or ""), values)) for text in (loop.lower, loop.upper, loop.step))
    for at in range(first, last + 1, abs(step)):
        yield from every_entry(inner, {**values, variable: at})


def formulas(loop: LoopFacts) -> Iterator[tuple[str, Expr]]:
    for name in Counts.__struct_fields__:
        count = getattr(loop.counts, name)
        if count is not None and count.expr is not None and name not in ("executions", "operational_intensity"):
            yield name, weighted(count.expr)
    for array in loop.arrays:
        for name in ("read_footprint", "write_footprint", "footprint", "transfer_in", "transfer_out"):
            count = getattr(array, name)
            if count.expr is not None:
                yield f"{array.name}.{name}", weighted(count.expr)


def _has_cases(formula: Expr) -> bool:
    return any(mark in str(formula) for mark in ("min(", "max(", " if "))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_means_and_spans_are_those_of_all_entries(name: str) -> None:
    loops = {loop.id: loop for loop in function(name).loops}
    inner = [loop for loop in loops.values() if loop.parent is not None]
    assert inner
    for loop in inner:
        every = list(every_entry(around(loop, loops), SIZES))
        if name == "some":
            every = [values for values in every if values["i"] >= 29]
        compare(loop, every)


def compare(loop: LoopFacts, every: list[dict[str, int]]) -> None:
    assert _value(loop, "executions") == len(every)
    assert loop.outermost is not None
    over = entries(loop.outermost, loop.loop.key)
    for what, formula in formulas(loop):
        truth = [Fraction(evaluate(formula, values)) for values in every]
        mean, span = over.mean(formula), over.span(formula)
        if mean is not None:
            assert free_symbols(mean).isdisjoint(loop.changing), what
            assert Fraction(evaluate(mean, SIZES)) * len(every) == sum(truth), what
        else:
            assert what == "complexity" or _has_cases(formula), (what, str(formula))
        if span is not None:
            low, high = (evaluate(end, SIZES) for end in span)
            assert low <= min(truth) <= max(truth) <= high, what
            if what in ("trip_count", "iterations", "stores"):
                assert (low, high) == (min(truth), max(truth)), what


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_the_outer_loop_does_is_what_all_entries_of_the_inner_ones_do(name: str) -> None:
    """Of each count of the outermost loop as much as its inner loops have no part in is left, and never less than 0;
    of iterations nothing is."""
    facts = function(name)
    loops = averaged(facts.loops)
    outer = next(loop for loop in loops if loop.parent is None)
    leaves = [loop for loop in loops if len(loop.nest) == 1]
    for count in SUMMED:
        whole = _value(outer, count)
        parts = sum(_value(loop, count) * _value(loop, "executions") for loop in leaves)
        assert (parts == whole) if count == "iterations" else (parts <= whole), count


def _value(loop: LoopFacts, name: str) -> Fraction:
    count = getattr(loop.counts, name)
    return Fraction(0) if count is None else Fraction(evaluate(weighted(count.expr), SIZES))


def test_no_formula_of_a_mean_entry_has_a_counter() -> None:
    for name in (*FUNCTIONS, "band"):
        for loop in averaged(function(name).loops):
            for what, formula in formulas(loop):
                assert free_symbols(formula).isdisjoint(loop.changing), (loop.id, what)


def test_a_mean_is_over_the_sizes_that_the_formula_names() -> None:
    """`m` bounds the loop itself, and nothing around it asks for it."""
    facts = analyze_file(FIXTURE.with_name("first_values.c"), SourceOptions(), AnalysisOptions())
    found = next(f for f in facts.functions if f.function.name == "left_for_the_next_time")
    for loop in averaged(found.loops):
        for what, formula in formulas(loop):
            assert free_symbols(formula) <= {"l", "m"}, (loop.id, what)
