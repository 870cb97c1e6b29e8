"""Devices: the published figures, the rules every file keeps, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

from models.catalogue import (
    DEFAULT_HOST,
    CatalogueError,
    MissingFigureError,
    UnsupportedPrecisionError,
    device_ids,
    find_device,
    load_device,
    read_device,
)

TABLE_2 = {
    "gtx470": {"compute.fp32": 1089e9, "memory.coalesced": 95e9, "memory.uncoalesced": 5.9e9, "link.rate": 5.1e9},
    "gts250": {"compute.fp32": 470e9, "memory.coalesced": 56e9, "memory.uncoalesced": 3.5e9, "link.rate": 2.1e9},
}
TABLE_3 = {
    "q8300": {"compute.fp32.all_cores": 40e9, "memory.all_cores": 4.7e9, "threads": 4, "vector": 128},
    "i7-930": {"compute.fp32.all_cores": 90e9, "memory.all_cores": 12.2e9, "threads": 8, "vector": 128},
}


@pytest.mark.parametrize(("device", "figures"), [*TABLE_2.items(), *TABLE_3.items()])
def test_the_paper_s_figures_are_published_and_have_no_range(device: str, figures: dict[str, float]) -> None:
    for key, value in figures.items():
        figure = find_device(device).figure(key)
        assert figure.value == pytest.approx(value)
        assert (figure.low, figure.high, figure.kind) == (figure.value, figure.value, "published")


@pytest.mark.parametrize("device_id", device_ids())
def test_every_figure_has_a_source(device_id: str) -> None:
    device = find_device(device_id)
    assert device.id == device_id == device_id.lower()
    for key, figure in device.figures.items():
        assert len(figure.source) > 10, key
        assert 0 < figure.low <= figure.value <= figure.high, key
        if figure.kind == "estimated":
            assert figure.note, f"{key}: by which rule?"


def test_the_catalogue_holds_what_is_promised() -> None:
    assert {"gtx470", "gts250", "q8300", "i7-930", "h200", "xeon6248"} <= set(device_ids())
    assert find_device(DEFAULT_HOST).kind == "cpu"


@pytest.mark.parametrize("device_id", device_ids())
def test_every_device_has_the_figures_the_boat_hull_needs(device_id: str) -> None:
    device = find_device(device_id)
    cores = (".one_core", ".all_cores") if device.kind == "cpu" else ("",)
    keys = {f"compute.{p}{c}" for p in ("fp32", "fp64", "int32") if p not in device.unsupported for c in cores}
    if device.kind == "cpu":
        keys |= {"memory.one_core", "memory.all_cores", "cores", "threads", "vector"}
    else:
        keys |= {"memory.coalesced", "memory.uncoalesced", "memory.capacity", "link.rate", "launch.latency"}
    assert keys <= set(device.figures)


@pytest.mark.parametrize("device_id", ["q8300", "i7-930", "xeon6248"])
def test_one_core_is_never_better_than_all(device_id: str) -> None:
    device = find_device(device_id)
    for key in device.figures:
        if key.endswith(".one_core"):
            together = device.figures[key.replace("one_core", "all_cores")]
            assert device.figures[key].value <= together.value
            assert device.figures[key].high <= together.high


@pytest.mark.parametrize("name", ["GTX470", "gtx_470", "gtx-470"])
def test_ids_are_found_however_they_are_written(name: str) -> None:
    assert find_device(name).id == "gtx470"


def test_underscores_count_as_hyphens() -> None:
    assert find_device("i7_930").id == "i7-930"


def test_unknown_ids_offer_near_ones() -> None:
    with pytest.raises(CatalogueError, match="did you mean gtx470"):
        find_device("gtx47o")
    with pytest.raises(CatalogueError, match="known: gts250, gtx470"):
        find_device("zzz")


def test_missing_figures_and_precisions_are_named() -> None:
    with pytest.raises(MissingFigureError, match=r"h200 has no figure cache\.l1"):
        find_device("h200").figure("cache.l1")
    with pytest.raises(UnsupportedPrecisionError, match="gts250 has no fp64"):
        find_device("gts250").figure("compute.fp64")


# --- files

FIGURE: dict[str, Any] = {"value": 10, "unit": "GB/s", "kind": "measured", "source": "a measurement of ours"}


def content(**changes: Any) -> dict[str, Any]:
    head = {"id": "mine", "name": "My device", "kind": "gpu"}
    return {"device": head, "link": {"rate": FIGURE | changes}}


def test_a_file_is_read_in_si_units() -> None:
    figure = read_device(content(low=5, high=20)).figure("link.rate")
    assert (figure.value, figure.low, figure.high, figure.unit) == (10e9, 5e9, 20e9, "B/s")
    assert figure.written == "10 GB/s"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sources": "x"}, "unknown key 'sources' in link.rate; did you mean source"),
        ({"source": " "}, "link.rate.source is missing"),
        ({"kind": "guessed"}, "link.rate.kind is 'guessed'"),
        ({"unit": "Gop/s"}, "link.rate.unit: 'Gop/s' is no unit of a data rate"),
        ({"unit": "GiB"}, "no unit of a data rate"),
        ({"value": "10"}, "link.rate.value is no number"),
        ({"value": True}, "link.rate.value is no number"),
        ({"value": 0}, "does not hold"),
        ({"low": 11}, "does not hold"),
        ({"high": 9}, "does not hold"),
        ({"kind": "estimated"}, "estimated and needs low and high"),
    ],
)
def test_bad_figures_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(CatalogueError, match=message):
        read_device(content(**changes))


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"link": {"rat": FIGURE}}, r"unknown key 'link.rat'; did you mean link.rate"),
        ({"link": {"rate": 5}}, "unknown key 'link'"),
        ({"link": 5}, "link is not a table"),
        ({"memory": {"one_core": FIGURE}}, r"unknown key 'memory.one_core'"),
        ({"device": {"id": "x", "name": "x", "kind": "fpga"}}, "device.kind is 'fpga'"),
        ({"device": {"id": "x", "kind": "gpu"}}, "device.name is missing"),
        ({"device": {"id": "x", "name": "x", "kind": "gpu", "unsuported": []}}, "did you mean unsupported"),
        ({"device": {"id": "x", "name": "x", "kind": "gpu", "unsupported": ["fp16"]}}, "unknown key 'fp16'"),
        ({"device": None}, r"the table \[device\] is missing"),
    ],
)
def test_bad_files_are_refused(tables: dict[str, Any], message: str) -> None:
    with pytest.raises(CatalogueError, match=message):
        read_device(content() | tables)


def test_unreadable_files_are_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("value = = 3")
    with pytest.raises(CatalogueError, match=r"broken\.toml"):
        load_device(broken)
    with pytest.raises(CatalogueError, match=r"absent\.toml"):
        find_device(str(tmp_path / "absent.toml"))
