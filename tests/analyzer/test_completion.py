"""Scripts of --completion in the shells that they are for."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from analyzer.command.arguments import SHELLS

BASH = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 ))
_shtab_analyze analyze "${!#}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""
FISH = "source $argv[1]; complete -C (string join -- ' ' $argv[2..])"
ZSH = 'autoload -U compinit; compinit -D; eval "$(< $1)"; print -r -- $_comps[analyze]'

CASES = [
    (("--mi",), {"--min-speedup"}),
    (("a.c", "-t", "gtx4"), {"gtx470"}),
    (("--host", "xeon62"), {"xeon6248"}),
    (("--explain", "PAR"), {"PAR001"}),
    (("-f", "mark"), {"markdown"}),
    (("--fail-on", "w"), {"warning"}),
    (("--model", "boat"), {"boat-hull"}),
    (("a.",), {"a.c"}),
]


def script(shell: str, analyze: Any, folder: Path) -> Path:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed: its completion is not run")
    path = folder / f"completion.{shell}"
    path.write_text(analyze("--completion", shell).out)
    return path


def said(command: list[str], folder: Path) -> list[str]:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_bash(analyze: Any, source: Any, tmp_path: Path) -> None:
    source("int x;\n")
    path = script("bash", analyze, tmp_path)
    for words, expected in CASES:
        command = ["bash", "--norc", "-c", BASH, "bash", str(path), "analyze", *words]
        assert set(said(command, tmp_path)) == expected, words


def test_fish(analyze: Any, source: Any, tmp_path: Path) -> None:
    source("int x;\n")
    path = script("fish", analyze, tmp_path)
    for words, expected in CASES[:-1]:
        command = ["fish", "--no-config", "-c", FISH, str(path), "analyze", *words]
        assert {line.partition("\t")[0] for line in said(command, tmp_path)} == expected, words


def test_zsh(analyze: Any, tmp_path: Path) -> None:
    """A completion in zsh needs a terminal; that the script is taken and registered does not."""
    path = script("zsh", analyze, tmp_path)
    assert said(["zsh", "-fc", ZSH, "zsh", str(path)], tmp_path) == ["_shtab_analyze"]


@pytest.mark.parametrize("shell", SHELLS)
def test_every_script_knows_options_and_values(shell: str, analyze: Any) -> None:
    text = analyze("--completion", shell).out
    for word in ("min-speedup", "gtx470", "DEP001", "boat-hull", "markdown"):
        assert word in text
