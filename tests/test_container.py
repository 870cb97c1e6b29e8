"""The Containerfile: what it copies is there, and the steps that install run as they are, in a folder in place of the
image. Images are not fetched, so that nothing is said of their Debian packages."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "Containerfile").read_text(encoding="utf-8")
LET_THROUGH = (ROOT / ".dockerignore").read_text(encoding="utf-8")
OFFLINE = {
    "PIP_NO_INDEX": "1",
    "PIP_NO_BUILD_ISOLATION": "0",  # pip reads this as: no isolation
    "PYTHONPATH": sysconfig.get_path("purelib"),
}


def instructions() -> Iterator[tuple[str, str]]:
    """Word and rest of each instruction, its lines joined."""
    for line in re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", TEXT, flags=re.MULTILINE)).splitlines():
        word, _, rest = line.partition(" ")
        if word:
            yield word, rest


def copied() -> list[tuple[list[str], str]]:
    """Sources in the repository, and where they go."""
    found = [rest.split() for word, rest in instructions() if word == "COPY" and not rest.startswith("--from")]
    return [(words[:-1], words[-1]) for words in found]


def test_what_is_copied_is_there_and_is_let_through() -> None:
    names = {name for sources, _ in copied() for name in sources}
    assert all((ROOT / name).exists() for name in names)
    assert {line[1:] for line in LET_THROUGH.splitlines() if line.startswith("!")} == names


def test_it_runs_as_nobody_of_importance() -> None:
    words = dict(instructions())
    assert int(words["USER"]) > 0
    assert words["ENTRYPOINT"] == '["analyze"]'


def test_the_steps_that_install_make_a_command_that_runs(tmp_path: Path) -> None:
    """In an environment without pip, with the versions of the lock and no others."""
    work, image = tmp_path / "work", tmp_path / "image"
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "python"], check=True)
    for sources, to in copied():
        for name in sources:
            place = work / to / name if to == "./" else work / to
            place.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, place)
    environment = os.environ | OFFLINE | {"PATH": f"{tmp_path / 'python' / 'bin'}:{os.environ['PATH']}"}
    first = TEXT.count("\nFROM ") - 1
    steps = [rest for word, rest in instructions() if word == "RUN"][: first + 1]
    for step in steps:
        script = step.replace("/opt/boathull", str(image))
        command = ["sh", "-ec", script]
        done = subprocess.run(command, cwd=work, env=environment, text=True, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    assert not list(image.glob("lib/*/site-packages/pip"))
    assert (image / "share" / "man" / "man1" / "analyze.1").is_file()
    lock = (work / "needed.lock").read_text(encoding="utf-8")
    assert "numpy==" in lock
    assert "pytest==" not in lock
    assert re.findall(r"^(\w+)==", (work / "building.lock").read_text(encoding="utf-8"), re.MULTILINE) == [
        "setuptools",
        "wheel",
    ]
    sample = ROOT / "fixtures" / "c" / "case_study.c"
    command = [str(image / "bin" / "analyze"), str(sample), "-t", "gtx470", "-q"]
    assert subprocess.check_output(command, env=environment, text=True).startswith("Of ")


@pytest.mark.skipif(shutil.which("hadolint") is None, reason="hadolint is not installed (make templates)")
def test_hadolint_finds_nothing_wrong() -> None:
    done = subprocess.run(["hadolint", ROOT / "Containerfile"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
