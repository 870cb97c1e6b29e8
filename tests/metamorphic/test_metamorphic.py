"""Rewrites keep what a program computes, and answers do not depend on how loops are written (campaign.py does more)."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace
from pycparser import c_ast

from analyzer.facts.loop import Count, LoopFacts, Parallelism, Verdict
from models.expr import num

from .campaign import FIXTURES, choices, compare, report
from .compare import Comparison
from .material import functions, read, text_of
from .rewriting import REWRITES, rewritten
from .scene import Rewrite

HERE = Path(__file__).parent
SAMPLE = ("triangular.c", "rewritten.c")

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc to preprocess and to compile")


def outputs(source: Path, program: Path) -> str:
    subprocess.run(["gcc", "-w", "-o", program, source, "-lm"], check=True, timeout=60)
    return subprocess.run([program], check=True, capture_output=True, text=True, timeout=60).stdout


@pytest.fixture(scope="module")
def program() -> c_ast.FileAST:
    return read(HERE / "program.c")


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    return outputs(HERE / "program.c", tmp_path_factory.mktemp("plain") / "program")


@pytest.mark.parametrize("rewrite", REWRITES, ids=lambda r: r.name)
def test_a_rewritten_program_prints_the_same(
    rewrite: Rewrite, program: c_ast.FileAST, expected: str, tmp_path: Path
) -> None:
    parallel = {(f.decl.name, 0) for f in functions(program) if f.decl.name.startswith("parallel_")}
    new, changed = rewritten(program, (rewrite,), parallel=parallel)
    assert changed, "no place in the program where this can be applied"
    (tmp_path / "new.c").write_text(text_of(new)[0])
    assert outputs(tmp_path / "new.c", tmp_path / "new") == expected


@pytest.fixture(scope="module")
def sample() -> Comparison:
    comparison = Comparison()
    for name in SAMPLE:
        rng = random.Random(name)
        every = list(choices(2, name))
        compare(FIXTURES / name, comparison, rng.sample(every[: len(REWRITES)], 3) + every[len(REWRITES) :])
    return comparison


def test_no_answer_depends_on_how_a_loop_is_written(sample: Comparison) -> None:
    assert not sample.wrong, "\n".join(sample.wrong)
    assert not sample.lost, "\n".join(sample.lost)


def test_the_sample_exercises_all_this(sample: Comparison, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\n{report(sample)}")
    for verdict in ("yes", "no"):
        assert sum(n for (_, before, after), n in sample.changed.items() if before == after == verdict) > 10
    assert sample.equal > 1000


def test_answers_turned_wrong_are_caught() -> None:
    """A `no` that becomes `yes`, an assumption that is lost, a store too many."""
    comparison, (rewrite, *_) = Comparison(), REWRITES
    found: list[LoopFacts] = []
    compare(FIXTURES / "attacks.c", comparison, ())
    found = [loop for loop in comparison.loops.values() if loop.counts.stores is not None]
    for loop in found:
        answer, stores = loop.parallelism, loop.counts.stores
        turned = Verdict.YES if answer.verdict is Verdict.NO else answer.verdict
        counts = replace(loop.counts, stores=stores and replace(stores, expr=stores.expr and stores.expr + num(1)))
        wrong = replace(loop, parallelism=Parallelism(turned), counts=counts)
        comparison.loop(rewrite.name, (rewrite,), loop, wrong, loop.id)
    exact = [x for loop in found if isinstance(x := loop.counts.stores, Count) and x.exact and x.expr is not None]
    assert sum("stores" in text for text in comparison.wrong) == len(exact) > 20
    refused = [loop for loop in found if loop.parallelism.verdict is Verdict.NO]
    assert sum("no -> yes" in text for text in comparison.wrong) == len(refused) > 5
    assert len(comparison.lost) > 3
