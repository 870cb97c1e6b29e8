"""The fixtures are run, too: a few files here, all of them in `make truth`."""

import shutil

import pytest

from .fixtures import HERE, judge_files, reduced

FILES = ("counting.c", "imperfect.c")


def test_runs_of_fixtures_contradict_no_answer() -> None:
    if shutil.which("gcc") is None:
        pytest.skip("needs gcc to preprocess the fixtures")
    shares = judge_files(HERE / name for name in FILES)
    wrong = [f for kind in ("parallel", "unlisted", "count", "witness") for f in shares.tally.of(kind)]
    assert not wrong, "\n".join(map(str, wrong))
    assert shares.run > 0.75 * shares.loops
    assert shares.tally.numbers["exact counts compared"] > 1000


def test_sizes_are_reduced_but_not_to_nothing() -> None:
    assert reduced("#define N 1024\n#define K 3\nint a[N];", 16, 24) == "#define N 64\n#define K 3\nint a[N];"
    assert reduced("#define N 100", 16, 24) == "#define N 24"
