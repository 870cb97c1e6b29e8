"""A small program is recorded here; real ones by `python -m tests.recorded.campaign`."""

import shutil
from pathlib import Path

import msgspec
import pytest

from models.expr import add, num

from . import campaign
from .build import scalars_of
from .claims import Program, program

HERE = Path(__file__).parent
SAMPLE = HERE / "sample.c"


@pytest.fixture
def _tools() -> None:
    for tool in ("gcc", "readelf"):
        if shutil.which(tool) is None:
            pytest.skip(f"needs {tool} to record a program")


@pytest.mark.usefixtures("_tools")
def test_a_recording_contradicts_no_count() -> None:
    found, table = campaign.record(HERE, [SAMPLE])
    assert not found.differences, table
    assert len(found.run) == 12
    assert found.compared > 500
    assert "the program ended: exit status 0" in table


@pytest.mark.usefixtures("_tools")
@pytest.mark.parametrize("count", ["trip_count", "iterations", "bytes_stored", "footprint"])
def test_a_claim_that_is_off_by_one_is_found(count: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*arguments: object) -> Program:
        found = program(*arguments)  # type: ignore[arg-type]
        claim = next(c for c in found.claims.values() if c.facts.function == "triangle")
        said = getattr(claim.facts.counts, count)
        more = msgspec.structs.replace(said, expr=add(said.expr, num(1)))
        counts = msgspec.structs.replace(claim.facts.counts, **{count: more})
        claim.facts = msgspec.structs.replace(claim.facts, counts=counts)
        return found

    monkeypatch.setattr(campaign, "program", wrong)
    found, table = campaign.record(HERE, [SAMPLE])
    assert {d.count for d in found.differences} == {count}
    assert "sample.c:triangle:" in table
    assert f"{count} = " in table


@pytest.mark.usefixtures("_tools")
def test_the_command_says_what_it_cannot_build(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "half.c").write_text("int f(int); int main(void) { for (int i = 0; i < 3; i++) f(i); }\n")
    assert campaign.main([str(tmp_path / "half.c")]) == 2
    assert "undefined reference to `f'" in capsys.readouterr().err


DEBUG = """
 <1><2d>: Abbrev Number: 2 (DW_TAG_base_type)
    <2e>   DW_AT_byte_size   : 8
 <1><34>: Abbrev Number: 3 (DW_TAG_typedef)
    <35>   DW_AT_type        : <0x2d>
 <1><40>: Abbrev Number: 4 (DW_TAG_variable)
    <41>   DW_AT_type        : <0x34>
    <45>   DW_AT_location    : 9 byte block: 3 10 40 40 0 0 0 0 0 	(DW_OP_addr: 404010)
 <1><50>: Abbrev Number: 5 (DW_TAG_array_type)
    <51>   DW_AT_type        : <0x2d>
 <1><60>: Abbrev Number: 4 (DW_TAG_variable)
    <61>   DW_AT_type        : <0x50>
    <65>   DW_AT_location    : 9 byte block: 3 20 40 40 0 0 0 0 0 	(DW_OP_addr: 404020)
"""


def test_scalars_are_told_from_arrays_by_their_types() -> None:
    assert list(scalars_of(DEBUG)) == [(0x404010, 8)]
