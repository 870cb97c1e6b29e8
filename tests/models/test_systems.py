"""The papers' systems, as `boathull devices` shows them."""

import json

import pytest

from models.cli import main
from models.errors import InputError
from models.systems import find_system, systems


def test_the_systems_of_the_papers_are_there_with_their_printed_rates() -> None:
    assert [system.id for system in systems()] == ["big-red-ii", "bridges", "carbonate", "jetstream", "karst"]
    jetstream = find_system("jetstream").figures
    assert [jetstream[key].value for key in ("peak", "memory", "network")] == pytest.approx([43.4e9, 13.1e9, 0.34e9])
    assert find_system("carbonate").figures["memory"].value == pytest.approx(12937.6e6)
    with pytest.raises(InputError, match="did you mean karst"):
        find_system("kast")


def test_they_are_shown_beside_the_devices(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["devices", "show", "karst"]) == 0
    assert "1.2 GB/s" in capsys.readouterr().out
    assert main(["devices", "list", "-f", "json"]) == 0
    kinds = {document["id"]: document["kind"] for document in json.loads(capsys.readouterr().out)}
    assert kinds["karst"] == "system"
    assert kinds["convey-hc1"] == "fpga"
    assert main(["devices", "rules"]) == 0
    assert "sustained-gpu" in capsys.readouterr().out
