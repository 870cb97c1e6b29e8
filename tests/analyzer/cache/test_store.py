"""The folder of answers: what is written is read, what is damaged is not there, and it stays small."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from analyzer.cache.store import MAGIC, Compressed, Store, default_folder, digest

KEY = digest("a key")


def entry(folder: Path) -> Path:
    (path,) = (p for p in folder.rglob("*") if p.is_file() and p.name != "CACHEDIR.TAG")
    return path


def test_what_is_written_is_read(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "new" / "folder"))
    assert store.read(KEY) is None
    store.write(KEY, {"a": [1, "\udc80"]}, b"bytes\n\0\xff")
    assert store.read(KEY) == ({"a": [1, "\udc80"]}, b"bytes\n\0\xff")
    assert store.trouble == ""


def test_what_is_written_in_pieces_is_read_as_a_whole(tmp_path: Path) -> None:
    store, long = Store(str(tmp_path)), Compressed()
    for number in range(300):
        long.add(b"%d\n" % number * 50)
    assert b"".join(long) == b"".join(long) == b"".join(b"%d\n" % number * 50 for number in range(300))
    assert len(long) == len(b"".join(long))
    store.write(KEY, {}, long)
    whole = entry(tmp_path).read_bytes()
    store.write(KEY, {}, b"".join(long))
    assert whole == entry(tmp_path).read_bytes()
    assert store.read(KEY) == ({}, b"".join(long))


def test_others_do_not_read_along(tmp_path: Path) -> None:
    Store(str(tmp_path / "answers")).write(KEY, {})
    assert (tmp_path / "answers").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("cut", [0, 1, len(MAGIC), 40, 60, -1])
def test_a_truncated_answer_is_none(tmp_path: Path, cut: int) -> None:
    store = Store(str(tmp_path))
    store.write(KEY, {"facts": []}, b"payload")
    path = entry(tmp_path)
    path.write_bytes(path.read_bytes()[:cut])
    assert store.read(KEY) is None


def test_an_answer_with_another_byte_is_none(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    store.write(KEY, {"facts": []}, b"payload")
    path = entry(tmp_path)
    content = path.read_bytes()
    for position in range(len(content)):
        path.write_bytes(content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :])
        assert store.read(KEY) is None


def test_a_folder_that_cannot_be_written_is_said_and_nothing_more(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    store = Store(str(tmp_path / "file"))
    store.write(KEY, {})
    assert store.trouble
    assert store.read(KEY) is None


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    keys = [digest(str(number)) for number in range(4)]
    for age, key in enumerate(keys):
        store.write(key, {}, b"x" * 1000)
        os.utime(store._path(key), (1000 - age, 1000 - age))
    store.shrink(2500)
    assert [store.read(key) is not None for key in keys] == [True, True, False, False]


def test_an_answer_that_is_used_becomes_young(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    store.write(KEY, {})
    os.utime(store._path(KEY), (1000, 1000))
    assert store.read(KEY) is not None
    assert os.stat(store._path(KEY)).st_mtime > 1000


def test_many_writers_leave_one_whole_answer(tmp_path: Path) -> None:
    code = (
        "import sys; from analyzer.cache.store import Store\n"
        "s = Store(sys.argv[1])\n"
        "for i in range(200): s.write(sys.argv[2], {'n': i}, b'x' * i * 100); found = s.read(sys.argv[2]); "
        "assert found and len(found[1]) == 100 * found[0]['n']"
    )
    command = [sys.executable, "-c", code, str(tmp_path), KEY]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(3)]
    assert [process.communicate()[1].decode() for process in running] == ["", "", ""]
    assert [process.returncode for process in running] == [0, 0, 0]
    entry(tmp_path)  # no other file is left


def test_the_folder_is_the_users_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert default_folder() == "/elsewhere/boathull"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # not to be used, says its standard
    assert default_folder() == f"{tmp_path}/.cache/boathull"


def test_parts_of_a_key_do_not_run_together() -> None:
    assert len({digest("ab", "c"), digest("a", "bc"), digest("abc"), digest("abc", "")}) == 4
