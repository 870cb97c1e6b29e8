"""No answer of the analyser is contradicted by running the nest: a seeded sample (the campaign is `make truth`)."""

import shutil
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from analyzer.facts.loop import Count, LoopFacts, Parallelism, Verdict
from models.expr import num

from . import campaign
from .campaign import figures, run
from .generate import generate
from .judge import Judge, Tally, answers
from .nest import Nest

SAMPLE = [f"sample-{k}" for k in range(70)]


Answers = dict[str, tuple[LoopFacts, ...]]


@pytest.fixture(scope="module")
def judged() -> tuple[Tally, Answers]:
    """What is found in the sample, and what was said of its nests, by their names."""
    if shutil.which("gcc") is None:
        pytest.skip("needs gcc to preprocess the nests")
    said: Answers = {}

    def kept(nests: Sequence[Nest]) -> Answers:
        said.update(found := answers(nests))
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(campaign, "answers", kept)
        return run(SAMPLE), said


@pytest.fixture(scope="module")
def sample(judged: tuple[Tally, Answers]) -> Tally:
    return judged[0]


def test_every_nest_is_analysed(sample: Tally) -> None:
    assert not sample.of("failed"), "\n".join(map(str, sample.of("failed")))


def test_no_loop_is_called_parallel_that_is_not(sample: Tally) -> None:
    assert not sample.of("parallel"), "\n".join(map(str, sample.of("parallel")))
    assert not sample.of("unlisted"), "\n".join(map(str, sample.of("unlisted")))


def test_counts_called_exact_are_exact(sample: Tally) -> None:
    assert not sample.of("count"), "\n".join(map(str, sample.of("count")))


def test_the_sample_exercises_all_this(sample: Tally, capsys: pytest.CaptureFixture[str]) -> None:
    """A sample in which nothing is claimed, or nothing runs, would prove nothing."""
    numbers = sample.numbers
    with capsys.disabled():
        print(f"\n{figures(sample)}")
    assert numbers["yes"] > 50
    assert numbers["no"] > 50
    assert numbers["permuted runs"] > 600
    assert numbers["exact counts compared"] > 10_000
    assert numbers["affine, parallel in truth"] > 10
    assert numbers["affine, parallel in truth and answered yes"] >= 0.9 * numbers["affine, parallel in truth"]


def test_answers_turned_wrong_are_caught(judged: tuple[Tally, Answers]) -> None:
    """Every no becomes a yes without conditions, every count of stores one too many."""
    nests = [generate(seed) for seed in SAMPLE[:60]]
    found, tally, turned = judged[1], Tally(), 0
    for nest in nests:
        facts = []
        for loop in found[nest.name]:
            wrong = loop.parallelism.verdict is Verdict.NO
            stores = loop.counts.stores
            counts = replace(loop.counts, stores=stores and Count(stores.expr and stores.expr + num(1)))
            facts.append(
                replace(
                    loop,
                    parallelism=Parallelism(Verdict.YES if wrong else Verdict.UNKNOWN),
                    counts=counts,
                )
            )
        judge = Judge(nest, facts, tally)
        busy = {e.loop for _, _, run in judge.runs for e in run.entries if e.trips > 2}
        turned += sum(loop.parallelism.verdict is Verdict.YES for k, loop in judge.facts.items() if k in busy)
        judge.judge()
    caught = {(f.nest.seed, f.loop) for f in tally.of("parallel")}
    assert turned > 15
    assert len(caught) > 0.75 * turned, f"{len(caught)} of {turned}"
    assert sum("stores" in f.text.split("=")[0] for f in tally.of("count")) > 30
