"""The manual pages are those of the parsers, and programs that show such pages find nothing wrong with them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from analyzer import __version__

from .manual import FOLDER, pages
from .reference import names_of, parts

MADE = pages()


def test_pages_are_those_of_the_parsers() -> None:
    assert {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()} == MADE, "run `make docs`"


def test_every_option_is_on_its_page() -> None:
    for part, actions in parts().items():
        page = MADE[f"{part.partition(' ')[0]}.1"]
        for action in actions:
            assert f".B {', '.join(names_of(action))}".replace("-", "\\-") in page, part


@pytest.mark.parametrize("name", MADE)
def test_no_line_of_text_is_taken_for_a_command(name: str) -> None:
    commands = {line.split()[0] for line in MADE[name].splitlines() if line.startswith((".", "'"))}
    assert commands <= {".TH", ".SH", ".SS", ".TP", ".P", ".B", ".I", ".RI", ".IR", ".BR"}


@pytest.mark.parametrize("name", MADE)
def test_a_page_holds_no_date_and_no_version(name: str) -> None:
    head, text = MADE[name].split("\n", 1)
    assert head == f'.TH {name.removesuffix(".1").upper()} 1 "" boathull'
    assert __version__ not in text


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc is not installed")
@pytest.mark.parametrize("name", MADE)
def test_mandoc_finds_nothing_wrong(name: str) -> None:
    done = subprocess.run(["mandoc", "-Tlint", "-Wall", FOLDER / name], capture_output=True, text=True, check=False)
    said = [line for line in done.stdout.splitlines() if "missing date" not in line]
    assert not said


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc is not installed")
def test_a_page_is_shown_as_the_help_says_it(tmp_path: Path) -> None:
    text = subprocess.check_output(["mandoc", "-Tutf8", "-Owidth=100", FOLDER / "analyze.1"], text=True)
    shown = re.sub(".\b", "", text)
    assert "analyze [OPTIONS] PATH..." in shown
    assert re.search(r"^ +--fail-on never\|note\|warning\|error\n +exit with 1 at findings of this level$", shown, re.M)
    assert re.search(r"^ +2 +usage, configuration, an unknown device, a file that is not there$", shown, re.M)
