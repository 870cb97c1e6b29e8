"""The reference pages name everything that there is: options, members of the JSON, keys of the configuration."""

import json
import re
from pathlib import Path

import pytest

from analyzer.settings.config import CHOICES, COMMAND_LINE_ONLY, DEFAULTS, KEYS

from .reference import PAGE, parts, renewed

ROOT = Path(__file__).resolve().parents[1]
SCHEMA = json.loads((ROOT / "src" / "analyzer" / "report" / "schema.json").read_text(encoding="utf-8"))
VALUES = {"integer", "number", "ReasonCode"}


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def test_tables_of_options_are_those_of_the_programs() -> None:
    assert PAGE.read_text(encoding="utf-8") == renewed(PAGE.read_text(encoding="utf-8")), "run `make docs`"


def test_every_part_of_the_commands_has_its_table() -> None:
    marked = set(re.findall(r"<!-- options: (.*?) -->", page("commands.md")))
    aliases = {"boathull devices list", "boathull devices check", "boathull devices rules", "boathull idioms"}
    assert marked == set(parts()) - aliases


@pytest.mark.parametrize("name", sorted({*SCHEMA["$defs"]} - VALUES))
def test_every_member_of_the_json_is_described(name: str) -> None:
    assert described(name) == set(SCHEMA["$defs"][name]["properties"])


def test_every_member_of_a_report_is_described() -> None:
    assert described("Document") == set(SCHEMA["properties"])


def described(name: str) -> set[str]:
    """First cells of the table after a mark `<!-- NAME -->`; several names may share a cell."""
    found = re.search(rf"<!-- {name} -->\n((?:\|.*\n)+)", page("json.md"))
    assert found is not None, f"docs/json.md has no <!-- {name} -->"
    cells = (row.split("|")[1] for row in found[1].splitlines()[2:])
    return {word for cell in cells for word in re.findall(r"`([^`]+)`", cell)}


def test_every_reason_code_and_idiom_is_listed() -> None:
    idioms = SCHEMA["$defs"]["IdiomEntry"]["properties"]["idiom"]["enum"]
    rows = [row for row in page("json.md").splitlines() if row.startswith("|")]
    listed = {word for row in rows for word in re.findall(r"`([^`]+)`", row)}
    missing = {*SCHEMA["$defs"]["ReasonCode"]["enum"], *idioms} - listed
    assert not missing, f"add to the table of reason codes or of idioms in docs/json.md: {sorted(missing)}"


def test_every_key_of_the_configuration_is_described() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \|(.*)\|$", page("configuration.md"), re.MULTILINE)
    assert {name for name, _ in rows} == set(KEYS)
    for name, text in rows:
        assert all(f"`{choice}`" in text for choice in CHOICES.get(name, ())), name


def test_what_only_the_command_line_can_say_is_listed() -> None:
    text = page("configuration.md")
    named = set(COMMAND_LINE_ONLY) - {"engine", "output"}
    assert all(f"`--{name}`" in text for name in named)
    assert {"cc", "build-dir"} <= named & set(DEFAULTS)
