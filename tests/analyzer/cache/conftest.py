"""Runs of the whole command that keep their answers in a folder of the test."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from analyzer.cache import identity
from analyzer.source import build_files, flags, headers, tree

from ...conftest import Ran

SUM = """double sum(int n, const double *x) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += x[i];
  return s;
}
"""
AT_REST_S = 0.05
"""A file that has just been written is not yet relied on."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty repository to work in, and an empty folder for answers."""
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    monkeypatch.delenv("BOATHULL_NO_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "answers"))
    monkeypatch.setattr(identity, "program", lambda store: "this program")
    return folder


@pytest.fixture
def write(project: Path) -> Callable[[str, str], Path]:
    """Writes a file of the project, and waits until it is at rest."""

    def written(name: str, text: str) -> Path:
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        time.sleep(AT_REST_S)
        return path

    return written


@pytest.fixture
def analyze(project: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """The command as a new process would run it: nothing that is remembered within one process is left."""
    from analyzer.command.start import main

    def run(*words: object) -> Ran:
        for remembered in (tree._index, flags._nearest_database, flags.read_database, headers.system_directories):
            remembered.cache_clear()
        for remembered in (build_files._sets, build_files.templates_named):
            remembered.cache_clear()
        capsys.readouterr()
        code = main([str(word) for word in words])
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return run
