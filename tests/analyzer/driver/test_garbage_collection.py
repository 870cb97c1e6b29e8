"""The collector of cycles does not run while a file is analysed; what one left behind goes when another begins."""

import gc
from collections.abc import Iterator
from weakref import ref

import pytest

from analyzer.driver import garbage_collection
from analyzer.driver.garbage_collection import no_collections


class Link:
    """Leads to itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def _collector() -> Iterator[None]:
    enabled = gc.isenabled()
    gc.collect()
    yield
    gc.enable() if enabled else gc.disable()


@pytest.mark.parametrize("enabled", [True, False])
def test_nothing_is_collected_inside_and_the_collector_is_as_before(enabled: bool) -> None:
    gc.enable() if enabled else gc.disable()
    with no_collections():
        left = ref(Link())
        kept = [[] for _ in range(2000)]
        assert left() is not None
        assert kept
    assert gc.isenabled() is enabled


def test_what_a_file_left_behind_goes_when_another_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage_collection, "OBJECTS", 10)
    gc.disable()
    with no_collections():
        left = ref(Link())
    kept = [[] for _ in range(20)]
    assert left() is not None
    with no_collections():
        assert left() is None
    assert kept


def test_few_objects_are_not_worth_a_collection() -> None:
    gc.disable()
    left = ref(Link())
    with no_collections():
        assert left() is not None
