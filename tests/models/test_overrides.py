"""`--set ID.KEY=VALUE`: one figure of one device, with its unit."""

import pytest

from models.catalogue import CatalogueError, find_device
from models.overrides import overridden

H200 = find_device("h200")


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("h200.link.rate=20GB/s", "link.rate", 20e9),
        ("H200.link.rate = 20 GB/s", "link.rate", 20e9),
        ("h200.launch.latency=1.5us", "launch.latency", 1.5e-6),
        ("h200.multiprocessors=10", "multiprocessors", 10),
        ("h200.link.pageable=1e1GB/s", "link.pageable", 10e9),
    ],
)
def test_a_figure_of_the_user_has_no_range(text: str, key: str, value: float) -> None:
    found = overridden(H200, [text]).figure(key)
    assert (found.low, found.value, found.high) == (value, value, value)
    assert found.source == "--set"


def test_settings_of_other_devices_change_nothing() -> None:
    assert overridden(H200, ["gtx470.link.rate=1GB/s"]) == H200


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("h200.link.rat=20GB/s", "did you mean link.rate"),
        ("h200.link.rate=20", "the unit is missing"),
        ("h200.link.rate=20us", "is no unit of a data rate"),
        ("h200.link.rate=-1GB/s", "above 0"),
        ("h200.link.rate=1e1e1GB/s", "is no number"),
        ("link=3", "expected DEVICE.FIGURE"),
        ("h200.link.rate", "expected DEVICE.FIGURE"),
    ],
)
def test_what_is_no_setting_is_refused(text: str, message: str) -> None:
    with pytest.raises(CatalogueError, match=message):
        overridden(H200, [text])
