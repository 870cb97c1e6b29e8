"""No answer of the analyser is contradicted by running the nest: a seeded sample (the campaign is `make truth`)."""

import shutil

import pytest

from .campaign import figures, run
from .judge import Tally

SAMPLE = [f"sample-{k}" for k in range(150)]


@pytest.fixture(scope="module")
def sample() -> Tally:
    if shutil.which("gcc") is None:
        pytest.skip("needs gcc to preprocess the nests")
    return run(SAMPLE)


def test_no_loop_is_called_parallel_that_is_not(sample: Tally) -> None:
    assert not sample.of("parallel"), "\n".join(map(str, sample.of("parallel")))
    assert not sample.of("unlisted"), "\n".join(map(str, sample.of("unlisted")))


def test_counts_called_exact_are_exact(sample: Tally) -> None:
    assert not sample.of("count"), "\n".join(map(str, sample.of("count")))


def test_the_sample_exercises_all_this(sample: Tally) -> None:
    """A sample in which nothing is claimed, or nothing runs, would prove nothing."""
    numbers = sample.numbers
    print(figures(sample))
    assert numbers["yes"] > 60
    assert numbers["no"] > 60
    assert numbers["permuted runs"] > 600
    assert numbers["exact counts compared"] > 10_000
    assert numbers["affine, parallel in truth"] > 10
