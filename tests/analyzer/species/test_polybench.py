"""The facts of tests/facts/polybench.toml: species, class and idioms of every loop of well-known kernels.

`kernels.c` beside the facts holds nests of our own with the same answers and is tested in every run; the suite itself
when BOATHULL_POLYBENCH names the folder of PolyBench/C 4.2.1."""

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from analyzer import idioms, species
from analyzer.counts.nest import build
from analyzer.dependence import parallelism
from analyzer.facts.loop import Verdict
from analyzer.ir.nodes import Function
from analyzer.loops import lower_function
from analyzer.settings.options import AnalysisOptions, SourceOptions
from analyzer.source import load_unit
from analyzer.species import classes
from models.notation import parse_class, parse_species

from ..c_text import loops

FACTS = Path(__file__).parents[2] / "facts"
with (FACTS / "polybench.toml").open("rb") as text:
    KERNELS: dict[str, list[dict[str, str | list[str]]]] = tomllib.load(text)

LINEAR = ["gemm", "mvt", "atax", "gesummv", "syrk", "trmm", "2mm", "doitgen", "lu", "cholesky", "trisolv", "durbin"]
OTHERS = ["gramschmidt", "covariance", "floyd-warshall", "jacobi-2d", "seidel-2d", "fdtd-2d", "adi"]
SUITE = os.environ.get("BOATHULL_POLYBENCH")

Answer = dict[str, object]


def normal(loop: dict[str, str | list[str]]) -> Answer:
    """An entry of the facts with the operands of each side in one order."""
    answer: Answer = dict(loop)
    if "species" in loop:
        found = parse_species(str(loop["species"]))
        answer["species"] = (sorted(map(str, found.inputs)), sorted(map(str, found.outputs)))
        plain = parse_class(str(loop["class"]))
        answer["class"] = (plain.unordered, sorted(map(str, plain.inputs)), sorted(map(str, plain.outputs)))
    return answer


def answers(function: Function) -> Iterator[Answer]:
    """What the program says of each loop of a function, in the form of the facts."""
    parallel = parallelism(function, AnalysisOptions())
    for loop, around in loops(function):
        answer = parallel[loop.key]
        nest = build(function, loop, around)
        found = idioms.recognise(nest)
        entry: dict[str, str | list[str]] = {
            "loop": "/".join(str(o.variable) for o in (*around, loop)),
            "idioms": list(dict.fromkeys(i.idiom for i in found)),
        }
        if answer.verdict is Verdict.YES:
            entry["species"] = str(species.species(nest, parallel) or "none")
            entry["class"] = str(classes.algorithm_class(nest, parallel) or "none")
        else:
            entry["reason"] = answer.reason.code if answer.reason is not None else "none"
        yield normal(entry)


def kernel(path: Path, name: str, source: SourceOptions) -> Function:
    unit = load_unit(path, source)
    (definition,) = (d for d in unit.functions if d.name == name)
    return lower_function(unit, definition)


@pytest.mark.parametrize("name", LINEAR + OTHERS)
def test_a_nest_of_our_own_has_the_facts_of_its_kernel(name: str) -> None:
    function = kernel(FACTS / "kernels.c", name.replace("-", "_").replace("2mm", "twomm"), SourceOptions())
    assert list(answers(function)) == [normal(loop) for loop in KERNELS[name]]


@pytest.mark.skipif(SUITE is None, reason="BOATHULL_POLYBENCH does not name a folder with PolyBench/C 4.2.1")
@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_of_the_suite_has_the_facts(name: str) -> None:
    assert SUITE is not None
    (path,) = Path(SUITE).rglob(f"{name}/{name}.c")
    source = SourceOptions(includes=(str(Path(SUITE) / "utilities"),))
    function = kernel(path, f"kernel_{name.replace('-', '_')}", source)
    assert list(answers(function)) == [normal(loop) for loop in KERNELS[name]]
