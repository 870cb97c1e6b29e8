"""Answers against execution: random nests are run in other orders than that of the program."""

import random
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import pytest

from analyzer.dependence import parallelism
from analyzer.facts.loop import Parallelism, Verdict
from analyzer.ir import nodes as ir
from analyzer.loops import lower_function
from analyzer.settings.options import AnalysisOptions, SourceOptions
from analyzer.source import load_unit

from .programs import Program, program

SEEDS = range(120)
SIZES = [{"n": n, "m": m} for n in (0, 1, 2, 3, 5, 8) for m in (0, 1, 2, 4)]
SCALARS = ("s", "t")


@cache
def answered() -> dict[int, tuple[Program, list[Parallelism]]]:
    """All programs of the test and the answers for their loops, from one translation unit."""
    programs = {seed: program(seed) for seed in SEEDS}
    head = "(long n, long m, long *a, long *b, long s, long t)"
    functions = (f"long f{k}{head} {{ long out = 0;\n{p.text()}\nreturn out; }}" for k, p in programs.items())
    unit = load_unit(Path("t.c"), SourceOptions(), None, "long M[60][60];\n" + "\n".join(functions))
    found = {}
    for definition in unit.functions:
        function = lower_function(unit, definition)
        by_key = parallelism(function, AnalysisOptions())
        seed = int(definition.name[1:])
        found[seed] = (programs[seed], [by_key[loop.key] for loop in ir.loops(function.body)])
    return found


def orders(seed: int) -> list[Callable[[Sequence[int]], Sequence[int]]]:
    rng = random.Random(seed)

    def shuffled(xs: Sequence[int]) -> list[int]:
        return rng.sample(list(xs), len(xs))

    return [lambda xs: list(reversed(xs)), shuffled, shuffled]


CONTENTS = 60
"""What memory may hold: a dependence need not exist for the first of them."""


@pytest.mark.parametrize("seed", SEEDS)
def test_a_yes_survives_every_order(seed: int) -> None:
    tested, found = answered()[seed]
    for depth, answer in enumerate(found):
        copied = (*answer.private, *answer.last_private, *answer.first_private)
        if answer.verdict is not Verdict.YES or any(v not in (*SCALARS, "i", "j") for v in copied):
            continue  # copies of arrays are not part of these runs
        roles = {
            "private": [v for v in answer.private if v in SCALARS],
            "last": [v for v in answer.last_private if v in SCALARS],
            "first": [v for v in answer.first_private if v in SCALARS],
        }
        for sizes in SIZES:
            expected = tested.run(sizes, depth, list)
            for order in orders(seed):
                assert tested.run(sizes, depth, order, **roles) == expected, (tested.text(), sizes)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_no_has_a_dependence(seed: int) -> None:
    tested, found = answered()[seed]
    for depth, answer in enumerate(found):
        if answer.verdict is Verdict.NO:
            runs = (tested.run(sizes, depth, list, contents) for contents in range(CONTENTS) for sizes in SIZES)
            assert any(run.conflicts for run in runs), tested.text()


def test_the_programs_exercise_every_answer() -> None:
    verdicts = [a.verdict for _, found in answered().values() for a in found]
    asked = (Verdict.YES, Verdict.NO, Verdict.UNKNOWN)  # conditions are made for whole functions
    assert min(verdicts.count(v) for v in asked) >= 10


def test_running_in_another_order_can_be_told() -> None:
    assert any(
        tested.run(sizes, 0, lambda xs: list(reversed(xs))) != tested.run(sizes, 0, list)
        for tested, _ in answered().values()
        for sizes in SIZES[-3:]
    )
