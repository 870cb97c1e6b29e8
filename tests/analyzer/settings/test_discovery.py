"""Which files a directory stands for."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from analyzer.base.errors import InputError
from analyzer.settings.discovery import find_files


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    names = ["a.c", "b.h", "z/c.c", "z/gen/d.c", "build/e.c", ".hidden/f.c", "z/keep.c", "m.cpp"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(*paths: str, exclude: tuple[str, ...] = ()) -> list[str]:
    return [path.as_posix() for path in find_files(paths, exclude).files]


def test_directories_are_searched_for_c_by_name(tree: Path) -> None:
    assert found(".") == ["a.c", "build/e.c", "z/c.c", "z/keep.c", "z/gen/d.c"]


def test_gitignore_is_respected_at_every_level(tree: Path) -> None:
    (tree / ".gitignore").write_text("build/\n*.c\n!keep.c\n!c.c\n", encoding="utf-8")
    (tree / "z" / ".gitignore").write_text("c.c\n", encoding="utf-8")
    assert found(".") == ["z/keep.c"]


def test_the_gitignore_of_the_repository_holds_below(tree: Path) -> None:
    (tree / ".git").mkdir()
    (tree / ".gitignore").write_text("gen/\n", encoding="utf-8")
    assert found("z") == ["z/c.c", "z/keep.c"]


def test_a_gitignore_outside_the_repository_does_not(tree: Path) -> None:
    (tree / "z" / ".git").mkdir()
    (tree / ".gitignore").write_text("gen/\n", encoding="utf-8")
    assert "z/gen/d.c" in found("z")


def test_the_gitignore_of_a_repository_does_not_hold_in_one_inside(tree: Path) -> None:
    (tree / "z" / ".git").mkdir()
    (tree / ".gitignore").write_text("d.c\nc.c\nbuild/\n", encoding="utf-8")
    (tree / "z" / ".gitignore").write_text("/c.c\n", encoding="utf-8")
    assert found(".") == ["a.c", "z/keep.c", "z/gen/d.c"]
    (tree / ".gitignore").write_text("z/\n", encoding="utf-8")
    assert found(".") == ["a.c", "build/e.c"]


def test_a_directory_that_cannot_be_read_is_said(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scandir = os.scandir

    def refusing(path: str) -> Iterator[os.DirEntry[str]]:
        if os.fspath(path).endswith("gen"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert list(find_files(["."]).remarks()) == [
        "1 file of another language is not read (1 C++); only C is (*.c)",
        "./z/gen cannot be read",
    ]


def test_exclude(tree: Path) -> None:
    assert found(".", exclude=("z/gen", "build")) == ["a.c", "z/c.c", "z/keep.c"]


def test_a_named_file_is_always_taken_and_only_once(tree: Path) -> None:
    (tree / ".gitignore").write_text("a.c\n", encoding="utf-8")
    assert found("a.c", "b.h", "a.c") == ["a.c", "b.h"]


@pytest.mark.parametrize("path", ["none", "none.c", "docs"])
def test_nothing_to_read_is_an_error(tree: Path, path: str) -> None:
    (tree / "docs").mkdir()
    with pytest.raises(InputError, match=path):
        find_files([path])


def test_a_file_of_another_language_is_named(tree: Path) -> None:
    with pytest.raises(InputError, match=r"m\.cpp: C\+\+ is not read"):
        find_files(["a.c", "m.cpp"])
