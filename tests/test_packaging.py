"""What a source distribution holds, and that it is the same whenever it is made."""

import io
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from .sdist import normal

ROOT = Path(__file__).resolve().parents[1]


def archive(mtime: float, names: list[str], owner: str) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as tar:
        for name in names:
            member = tarfile.TarInfo(f"p-1/{name}")
            member.mtime, member.uname, member.uid, member.size = mtime, owner, len(owner), len(name)
            member.mode = 0o775 if name == "run" else 0o664
            tar.addfile(member, io.BytesIO(name.encode()))
    return made.getvalue()


def test_two_builds_are_the_same() -> None:
    first = archive(1.5, ["a.py", "run", "docs/é.md"], "one")
    second = archive(9e8, ["docs/é.md", "run", "a.py"], "another")
    assert first != second
    assert normal(first, 1000) == normal(second, 1000) != normal(first, 1001)


def test_files_stay_what_they_are() -> None:
    with tarfile.open(fileobj=io.BytesIO(normal(archive(5, ["a.py", "run"], "x"), 1000))) as tar:
        found = {m.name: (m.mode, m.mtime, tar.extractfile(m).read()) for m in tar.getmembers()}  # type: ignore[union-attr]
    assert found == {"p-1/a.py": (0o644, 1000, b"a.py"), "p-1/run": (0o755, 1000, b"run")}


def test_everything_that_is_kept_is_in_a_source_distribution() -> None:
    """By the lines of MANIFEST.in, for each folder and file at the top of the repository."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("no repository, as in the archive itself")
    kept = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).split("\n")
    tops = {name.split("/")[0] for name in kept if name}
    text = (ROOT / "MANIFEST.in").read_text(encoding="utf-8")
    named = set(re.findall(r"^(?:graft|include) (\S+)$", text, re.MULTILINE))
    by_itself = {"src", "pyproject.toml", "README.md", "LICENSE", "MANIFEST.in"}
    assert tops <= named | by_itself
    assert all((ROOT / name).exists() for name in named)
