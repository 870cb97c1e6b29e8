"""Loops of a saved analysis: totals, both definitions of bytes, pieces, and what cannot be told."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from models.errors import InputError
from models.perdome import Piece
from models.saved import read_analysis


def count(value: float | str | None) -> dict[str, Any] | None:
    return None if value is None else {"expr": "?", "value": value, "exact": True, "assumptions": []}


def array(name: str, access: str, read: float, written: float) -> dict[str, Any]:
    footprints = {"read_footprint_bytes": count(read), "write_footprint_bytes": count(written)}
    return {"name": name, "element_bytes": 4, "access": access, **footprints}


def loop(name: str, parent: str | None, trips: float, executions: float, arrays: list[Any], **counts: float) -> Any:
    known = {"flops_fp32": 0, "flops_fp64": 0, "loads": 0, "stores": 0, "network_bytes": None, **counts}
    return {
        "id": name,
        "parent": parent,
        "trip_count": count(trips),
        "executions": count(executions),
        "counts": {key: count(value) for key, value in known.items()},
        "arrays": arrays,
    }


# for 100 i: { for 8 j: b[i] += pow(a[j][i], 16); e[i] = c[i] + d[i]; }
INNER = loop(
    "f:2:5", "f:1:1", 8, 100, [array("b", "rw", 4, 4), array("a", "r", 32, 0)], flops_fp64=128, loads=16, stores=8
)
OUTER = loop(
    "f:1:1", None, 100, 1,
    [
        array("b", "rw", 400, 400), array("a", "r", 3200, 0), array("c", "r", 400, 0), array("d", "r", 400, 0),
        array("e", "w", 0, 400),
    ],
    flops_fp64=12800, flops_fp32=100, loads=1800, stores=900,
)  # fmt: skip


def analysis(tmp_path: Path, *loops: Any, version: str = "1") -> Any:
    path = tmp_path / "a.json"
    document = {"schema_version": version, "files": [{"loops": list(loops)}]}
    path.write_text(json.dumps(document), encoding="utf-8")
    return read_analysis(path)


def test_totals_are_over_all_executions(tmp_path: Path) -> None:
    inner = analysis(tmp_path, OUTER, INNER).loop("2:5")
    assert (inner.flops, inner.loads, inner.iterations, inner.element_type) == (12800, 1600, 800, "fp64")


def test_bytes_by_both_definitions(tmp_path: Path) -> None:
    found = analysis(tmp_path, OUTER, INNER)
    outer = found.loop("f:1:1")
    assert found.traffic(outer, "compulsory") == 100 * (32 + 4 + 4 + 12)
    assert found.traffic(outer, "per-iteration") == 100 * (64 + 12)
    assert found.pieces(outer, "compulsory") == (
        Piece("f:2:5", 12800, 4000),
        Piece("f:1:1 (own statements)", 100, 1200),
    )
    assert found.pieces(outer, "per-iteration") == (
        Piece("f:2:5", 12800, 6400),
        Piece("f:1:1 (own statements)", 100, 1200),
    )


def test_large_counts_are_strings(tmp_path: Path) -> None:
    large = loop("f:1:1", None, 1, 1, [array("a", "r", 4, 0)], flops_fp32="36893488147419103232")  # type: ignore[arg-type]
    assert analysis(tmp_path, large).loop("1:1").flops == 2.0**65


def test_several_references_to_one_array_are_not_guessed(tmp_path: Path) -> None:
    twice = deepcopy(INNER) | {"parent": None}
    twice["counts"]["loads"] = count(24)
    found = analysis(tmp_path, twice)
    with pytest.raises(InputError, match="3 loads and 1 stores in an iteration are not one reference to each of 2"):
        found.traffic(found.loop("2:5"), "per-iteration")
    assert found.traffic(found.loop("2:5"), "compulsory") == 4000


def test_pieces_that_share_an_array_are_refused(tmp_path: Path) -> None:
    other = deepcopy(INNER) | {"id": "f:3:5"}
    found = analysis(tmp_path, OUTER, INNER, other)
    with pytest.raises(InputError, match="its pieces share a, b"):
        found.pieces(found.loop("1:1"), "compulsory")


def test_counts_that_are_not_known(tmp_path: Path) -> None:
    unknown = loop("f:1:1", None, 1, 1, [array("a", "r", None, 0)], flops_fp32=None, loads=None)  # type: ignore[arg-type]
    found = analysis(tmp_path, unknown)
    only = found.loop("1:1")
    with pytest.raises(InputError, match="f:1:1: its flops are not known; give sizes"):
        _ = only.flops
    with pytest.raises(InputError, match="the bytes of a are not known"):
        found.traffic(only, "compulsory")
    with pytest.raises(InputError, match="loads, stores or iterations are not known"):
        found.traffic(only, "per-iteration")


def test_loops_by_id_or_its_end(tmp_path: Path) -> None:
    found = analysis(tmp_path, OUTER, INNER)
    assert [part.id for part in found.outermost()] == ["f:1:1"]
    with pytest.raises(InputError, match="no loops are '9:9'; there are f:1:1, f:2:5"):
        found.loop("9:9")


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"schema_version": "1"}', '{"schema_version": "1", "files": [{"loops": [{}]}]}']
)
def test_files_that_are_no_analysis(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="is no analysis"):
        read_analysis(path)


def test_other_versions_and_missing_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="schema version 2; this reads version 1"):
        analysis(tmp_path, version="2")
    with pytest.raises(InputError, match="No such file"):
        read_analysis(tmp_path / "none.json")
