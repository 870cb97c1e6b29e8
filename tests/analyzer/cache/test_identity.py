"""This program is known by what its files hold, not by what they are called or when they were installed."""

import os
import shutil
from pathlib import Path

import pytest

from analyzer.cache import identity
from analyzer.cache.store import Store


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation of two small files, and a process that has just begun."""
    for name in ("analyzer/one.py", "models/devices/two.toml", "models/__pycache__/three.pyc"):
        path = tmp_path / "lib" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8")
    monkeypatch.setattr(identity, "_SOURCE", str(tmp_path / "lib"))
    begin(monkeypatch)
    return tmp_path / "lib"


def begin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity, "_LOADED", {})
    monkeypatch.setattr(identity, "_LOOKED", {"at": -1e9})


def test_another_content_is_another_program(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(str(tmp_path / "answers"))
    found = [identity.program(store)]
    for name in ("analyzer/one.py", "models/devices/two.toml"):
        path = installed / name
        before = path.stat()
        path.write_text(path.read_text(encoding="utf-8").upper(), encoding="utf-8")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # of the same size and time
        begin(monkeypatch)
        found.append(identity.program(store))
    (installed / "analyzer" / "new.py").write_text("", encoding="utf-8")
    begin(monkeypatch)
    found.append(identity.program(store))
    assert len(set(found)) == 4


def test_the_same_content_elsewhere_is_the_same(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(str(tmp_path / "answers"))
    found = identity.program(store)
    shutil.copytree(installed, tmp_path / "other")
    (tmp_path / "other" / "models" / "__pycache__" / "three.pyc").unlink()
    monkeypatch.setattr(identity, "_SOURCE", str(tmp_path / "other"))
    begin(monkeypatch)
    assert identity.program(store) == found
    begin(monkeypatch)
    assert identity.program(store) == found  # by its stamps
    begin(monkeypatch)
    assert identity.program(Store(os.devnull)) == found


def test_what_runs_is_what_was_loaded(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = identity.program(Store(os.devnull))
    assert not identity.is_changed()
    (installed / "analyzer" / "one.py").write_text("another", encoding="utf-8")
    monkeypatch.setattr(identity, "_LOOKED", {"at": -1e9})
    assert identity.program(Store(os.devnull)) == found
    assert identity.is_changed()
