"""Loops from C text: the front end and the lowering, for tests of what comes behind them."""

from functools import cache
from pathlib import Path

from analyzer.dependence import parallelism
from analyzer.facts.loop import Parallelism
from analyzer.ir.nodes import Branch, Function, Loop, Statement
from analyzer.loops import lower_function
from analyzer.settings.options import AnalysisOptions, SourceOptions
from analyzer.source import load_unit


@cache
def functions(text: str) -> dict[str, Function]:
    """Every function of a C text, lowered, by name."""
    unit = load_unit(Path("snippet.c"), SourceOptions(), text=text)
    return {d.name: lower_function(unit, d) for d in unit.functions if d.node is not None}


def loops(function: Function) -> list[tuple[Loop, tuple[Loop, ...]]]:
    """The loops in source order, each with the loops around it."""

    def inside(body: tuple[Statement, ...], around: tuple[Loop, ...]) -> list[tuple[Loop, tuple[Loop, ...]]]:
        found: list[tuple[Loop, tuple[Loop, ...]]] = []
        for s in body:
            if isinstance(s, Loop):
                found += [(s, around), *inside(s.body, (*around, s))]
            elif isinstance(s, Branch):
                found += [*inside(s.then, around), *inside(s.otherwise, around)]
        return found

    return inside(function.body, ())


def answers(function: Function) -> dict[int, Parallelism]:
    return parallelism(function, AnalysisOptions())
