"""Devices: the published figures, the rules every file keeps, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

from models.catalogue import (
    DEFAULT_HOST,
    FIGURES,
    CatalogueError,
    MissingFigureError,
    UnsupportedPrecisionError,
    device_ids,
    find_device,
    load_device,
    read_device,
)
from models.figures import OPTIONAL

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


PROMISED = {
    "gtx470", "gts250", "q8300", "i7-930", "h200", "xeon6248", "i7-2600k", "i3-2100t", "gtxtitan", "gtx750",
    "c2070", "x5680", "convey-hc1", "xeon5138",
    "mali-t628", "rx460", "opteron6380", "e5-2650", "e5-2680v3", "e5-2695v3",
    "c2050", "k20x", "p100", "v100", "t4", "a100", "rtx3090", "rtx4090", "l4", "h100", "gh200", "mi210",
    "mi250x", "mi300x", "max1550", "jetson-orin", "xeon6148", "xeon8360y", "xeon8480", "epyc7452", "epyc7763",
    "epyc9654", "grace", "graviton3", "a64fx", "apple-m1", "apple-m2",
}  # fmt: skip


def test_the_catalogue_holds_what_is_promised() -> None:
    """The devices of the five papers, then current ones."""
    assert set(device_ids()) >= PROMISED
    assert find_device(DEFAULT_HOST).kind == "cpu"


@pytest.mark.parametrize("device_id", device_ids())
def test_every_device_is_complete(device_id: str) -> None:
    """Every figure of its kind is there, or the file says that the device has no such thing."""
    device = find_device(device_id)
    assert 2000 <= device.released <= 2026
    without = {key for key in FIGURES[device.kind] if key.split(".")[1:2] and key.split(".")[1] in device.unsupported}
    assert (set(device.figures) - set(OPTIONAL)) | set(device.absent) | without == set(FIGURES[device.kind])


@pytest.mark.parametrize("device_id", device_ids())
def test_the_figures_of_a_device_agree_with_each_other(device_id: str) -> None:
    device = find_device(device_id)
    value = {key: figure.value for key, figure in device.figures.items()}
    for key in ("memory.coalesced", "memory.all_cores"):
        if key in value:
            assert device.figures[key].high <= device.figures["memory.peak"].high, "sustained above peak"
    if device.kind == "gpu":
        assert value["memory.uncoalesced"] < value["memory.coalesced"]
        assert value.get("link.rate", 0) < value["memory.peak"]
        if "cache.l2" in value:
            assert value["cache.l1"] <= value["cache.l2"] < value["memory.capacity"]
    for suffix in ("", ".one_core", ".all_cores"):
        if f"compute.fp64{suffix}" in value:
            assert value[f"compute.fp64{suffix}"] <= value[f"compute.fp32{suffix}"]
    if device.kind == "cpu":
        assert value["cores"] <= value["threads"]
        assert value["cache.l1"] < value["cache.l2"] < value.get("cache.l3", value["memory.capacity"])
        assert (
            value["compute.fp64.all_cores"]
            <= value["cores"] * value["clock.all_cores"] * value["per_cycle.fp64"] * 1.001
        )


@pytest.mark.parametrize("device_id", [name for name in device_ids() if find_device(name).kind == "cpu"])
def test_one_core_is_never_better_than_all(device_id: str) -> None:
    device = find_device(device_id)
    for key in device.figures:
        if key.endswith(".one_core") and not key.startswith("clock"):  # one core alone has the turbo clock
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
    with pytest.raises(CatalogueError, match="known: a100, a100-pcie-40gb"):
        find_device("zzz")


def test_missing_figures_and_precisions_are_named() -> None:
    with pytest.raises(MissingFigureError, match=r"a64fx has no figure cache\.l3"):
        find_device("a64fx").figure("cache.l3")
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
        ({"device": {"id": "x", "name": "x", "kind": "dsp"}}, "device.kind is 'dsp'"),
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
