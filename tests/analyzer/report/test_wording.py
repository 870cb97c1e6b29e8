"""Names of loops and places, the same wherever people read of them."""

from pathlib import Path

import pytest

from analyzer.report import wording
from analyzer.report.document import LoopEntry

from .html.material import analysed

SOURCE = """\
#define EACH(i, n) for (int i = 0; i < n; i++)
void step(double *);
void f(int n, double *x) {
    EACH(i, n) x[i] = 0;
    for (int t = 0; t < 100; t++) step(x);
    while (*x > 0) x++;
}
"""


@pytest.fixture(scope="module")
def loops(tmp_path_factory: pytest.TempPathFactory) -> tuple[LoopEntry, ...]:
    return analysed(tmp_path_factory.mktemp("wording"), source=SOURCE).files[0].loops


def test_headings(loops: tuple[LoopEntry, ...]) -> None:
    assert [wording.heading(loop) for loop in loops[:2]] == ["for i (macro EACH) × n", "for t × 100"]
    assert wording.name(loops[2]).startswith(("loop", "for x"))


@pytest.mark.parametrize(
    ("candidate", "said"),
    [
        ("host", "host"),
        ("host-threads", "all threads"),
        ("host-vector", "vectors"),
        ("split", "h200 and threads"),
        ("target", "h200"),
    ],
)
def test_places(candidate: str, said: str) -> None:
    assert wording.place("h200", candidate) == said


def test_no_time_where_work_cannot_be_seen(loops: tuple[LoopEntry, ...], tmp_path: Path) -> None:
    assert wording.timed(loops[1]) == ()
    (known, *_) = analysed(tmp_path, "--size", "n=1000", source=SOURCE).files[0].loops
    assert len(wording.timed(known)) >= 2
