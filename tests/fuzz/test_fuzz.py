"""A sample of the campaign, and what it is made of: seeded, limited, minimised."""

import signal
from random import Random

import pytest

from . import campaign, minimise, running
from .extremes import texts
from .grammar import unit
from .hostile import SHAPES
from .mutate import mutated
from .running import Job, Run, place, run

LOOP = "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 1; }\n"


@pytest.fixture(scope="module", autouse=True)
def imported() -> None:
    running.warm()


def test_a_sample_ends_within_its_limits() -> None:
    tally = campaign.campaign(25, 7, campaign.corpus([campaign.FIXTURES]), None)
    assert tally.inputs == 25
    assert tally.loops > 25  # most of it is understood
    assert not tally.places


@pytest.mark.parametrize("text", texts()[:: len(texts()) // 12], ids=range(len(texts()[:: len(texts()) // 12])))
def test_extremes(text: str) -> None:
    assert run(Job(text)).defect == ""


@pytest.mark.parametrize(
    "name", ["doubling calls", "doubling structures", "nested loops", "else ifs", "loops", "triangle"]
)
def test_shapes_at_a_tenth_of_their_size(name: str) -> None:
    shape, size = SHAPES[name]
    found = run(Job(shape(max(20, size // 10)), ("-t", "h200"), True))
    assert (found.code, found.defect) == (0, "")
    assert found.loops


def test_an_input_is_the_same_whenever_it_is_asked_for() -> None:
    material = campaign.corpus([campaign.FIXTURES])
    assert [campaign.job(3, k, material) for k in range(20)] == [campaign.job(3, k, material) for k in range(20)]
    assert unit(Random(1)) == unit(Random(1)) != unit(Random(2))
    assert mutated(LOOP, [LOOP], Random(1)) == mutated(LOOP, [LOOP], Random(1))


def test_an_error_of_ours_is_found_and_cut_down(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(text: str, *_: object) -> None:
        raise KeyError("gone")

    monkeypatch.setattr("analyzer.source.read_files.cut", failing)
    job = Job(f"int x;\nint y;\n{LOOP}", builtin=True)
    found = run(job)
    assert (found.code, found.defect, found.place) == (3, "crash", "KeyError in source/read_files.py:_read")
    assert len(minimise.minimised(job, found)) <= 2


def test_what_takes_too_long_is_stopped_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(text: str, *_: object) -> None:
        while True:
            pass

    monkeypatch.setattr("analyzer.source.read_files.cut", endless)
    monkeypatch.setattr(running, "CPU_LIMIT_S", 1)
    found = run(Job(LOOP, builtin=True))
    assert (found.code, found.defect) == (-signal.SIGXCPU, "time")
    assert "endless" in found.said
    assert found.place == "stopped in source/read_files.py:_read"


def test_memory_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    def wasteful(text: str) -> list[object]:
        del text
        return [bytearray(b"x" * (200 << 20))][:0]

    monkeypatch.setattr("analyzer.source.read_files.cut", wasteful)
    freed = [bytearray(100 << 10) for _ in range(7000)]
    *freed, last = freed
    del freed  # 700 MB that the process keeps for later, as the last piece is above them
    found = run(Job(LOOP, builtin=True))
    assert last
    assert found.peak_mb > 200
    assert Run(0, 1, 401).defect == "memory"


def test_the_place_is_the_innermost_function_of_ours() -> None:
    said = (
        'Traceback (most recent call last):\n  File "/x/src/analyzer/driver/run.py", line 1, in analyse\n'
        '  File "/x/src/analyzer/source/load.py", line 2, in load\n  File "/lib/re.py", line 3, in f\nValueError: no'
    )
    assert place(said) == "ValueError in source/load.py:load"
