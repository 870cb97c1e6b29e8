"""What is kept of the measurements: the ends of ranges come from it, and the page is made of it."""

import pytest

from models.extended.residuals import CORE, DATA
from models.quantity import Range

from .__main__ import PAGE
from .join import Compared, residuals, statistics
from .joined import Joined, joined
from .kernels import driver, kernels
from .records import records


@pytest.fixture(scope="module")
def machines() -> list[Joined]:
    return [joined(record) for record in records()]


def test_the_ends_of_ranges_are_what_the_tuning_part_says(machines: list[Joined]) -> None:
    by_cause = residuals(c for m in machines for c in m.found if c.part == "tune")
    assert by_cause["core"] == pytest.approx((CORE["low"], CORE["high"]), abs=0.03)
    assert by_cause["data"] == pytest.approx((DATA["low"], DATA["high"]), abs=0.03)


def test_the_page_has_the_figures_of_the_measurements(machines: list[Joined]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    for m in machines:
        for part in ("tune", "judge"):
            s = statistics(c for c in m.found if c.part == part)
            assert f"**{s.factor:.2f}** | {s.ninety:.2f} | {s.within:.0%} | {s.inside:.0%} | {s.tau:.2f} |" in text


def test_every_kernel_has_a_driver_and_is_measured_somewhere() -> None:
    everything = list(kernels())
    assert {k.part for k in everything} == {"tune", "judge"}
    measured = {m.kernel.partition(":")[0] for record in records() for m in record.times}
    assert measured == {"polybench", *(k.name for k in everything)}
    for kernel in everything:
        assert len(kernel.parameters) == len(kernel.arguments), kernel.name
        assert f"{kernel.function}(" in driver(kernel, 1)


def test_statistics_by_hand() -> None:
    one, two, none = (
        Compared("a", "tune", {}, 1.0, Range(0.5, 1.0, 2.0)),
        Compared("b", "tune", {}, 3.0, Range(1.0, 2.0, 2.5)),
        Compared("c", "tune", {}, 3.0, None),
    )
    s = statistics([one, two, none])
    assert (s.number, s.timed, s.factor, s.ninety, s.within, s.inside, s.tau) == (3, 2, 1.25, 1.5, 1.0, 0.5, 1.0)
