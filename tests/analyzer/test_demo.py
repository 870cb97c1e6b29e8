"""The demo: the primitives of the boat hull paper's case study, from C to class, counts and its times on a GTX 470."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from analyzer.advise import Context
from analyzer.driver.run import Input, Plan, document, run
from analyzer.report.codec import to_json
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.catalogue import find_device

ROOT = Path(__file__).resolve().parents[2]
PIXELS = 1024 * 1024
CLASSES = {
    "histogram": "1024x1024|element → 256|shared",
    "maximum": "262144|element → 1|shared",
    "threshold": "1024x1024|element → 1024x1024|element",
    "erode": "1024x1024|neighbourhood(7x7) → 1024x1024|element",
    "project_x": "1024x1024|tile(1x1024) → 1024|element",
    "project_y": "1024x1024|tile(1024x1) → 1024|element",
}
COALESCED, UNCOALESCED, BUS = 95e9, 5.9e9, 5.1e9  # bytes/s of the GTX 470, Table 2 of the paper


@cache
def primitives() -> dict[str, dict[str, Any]]:
    """The loop of each primitive by the name of its function: the one with the class."""
    context = Context(find_device("xeon6248"), (find_device("gtx470"),), "boat-hull")
    plan = Plan(SourceOptions(), AnalysisOptions(), context, root=ROOT)
    made = document(run([Input(ROOT / "fixtures" / "c" / "case_study.c")], plan), plan, keep_sources=False)
    (file,) = json.loads(to_json(made))["files"]
    loops = (loop for loop in file["loops"] if loop["function"] in CLASSES)
    return {loop["function"]: loop for loop in loops if loop["class"] == CLASSES[loop["function"]]}


def target(name: str) -> dict[str, Any]:
    (found,) = (p for p in primitives()[name]["predictions"] if p["candidate"] == "target")
    return dict(found)


def test_the_six_classes() -> None:
    assert set(primitives()) == set(CLASSES)
    assert all(loop["parallel"] == "yes" for loop in primitives().values())


@pytest.mark.parametrize(
    ("name", "kernel_s"),
    [
        pytest.param("histogram", PIXELS * 4 / UNCOALESCED + 256 * 4 / COALESCED, id="histogram"),
        pytest.param("maximum", 262144 * 4 / COALESCED + 4 / UNCOALESCED, id="maximum"),
        pytest.param("threshold", 2 * PIXELS * 4 / COALESCED, id="threshold"),
        pytest.param("project_y", (PIXELS + 1024) * 4 / COALESCED, id="Y projection"),
    ],
)
def test_memory_times_on_the_gtx470(name: str, kernel_s: float) -> None:
    m0 = next(term["value"] for term in target(name)["terms"] if term["name"] == "m0")
    assert m0 == pytest.approx(kernel_s, rel=1e-9)


def test_the_x_projection_ranges_from_coalesced_to_scattered() -> None:
    data = (PIXELS + 1024) * 4
    time = target("project_x")["time_s"]
    assert time["low"] == pytest.approx(data / COALESCED + data / BUS, rel=1e-9)
    assert time["high"] == pytest.approx(data / UNCOALESCED + data / BUS, rel=1e-9)
    assert time["likely"] == pytest.approx((time["low"] + time["high"]) / 2, rel=1e-9)


def test_the_complexities_are_those_of_the_code() -> None:
    counted = {name: loop["counts"]["complexity"]["value"] for name, loop in primitives().items()}
    assert {counted[n] for n in ("histogram", "maximum", "threshold", "project_x", "project_y")} == {1}
    assert 0.9 < counted["erode"] <= 1  # one minimum per pixel of the neighbourhood, less the border
