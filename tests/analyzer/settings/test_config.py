"""The configuration file: found upwards, checked key by key, weaker than the command line, and never dangerous."""

from pathlib import Path
from typing import Any

import pytest

from analyzer.base.errors import InputError
from analyzer.command.arguments import parse
from analyzer.settings.config import DEFAULTS, KEYS, Settings, settings


def chosen(folder: Path, *arguments: str) -> Settings:
    return settings(parse([*arguments, "a.c"]), folder)


def write(folder: Path, text: str, name: str = "analyze.toml") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def test_defaults_without_a_file(tmp_path: Path) -> None:
    found = chosen(tmp_path)
    assert found["host"] == "xeon6248"
    assert found["min-speedup"] == 1.5
    assert set(found.origin.values()) == {"default"}
    assert set(KEYS) < set(DEFAULTS)


@pytest.mark.parametrize(
    ("name", "text"),
    [("analyze.toml", 'target = "gtx470,gts250"'), ("pyproject.toml", '[tool.analyze]\ntarget = ["gtx470", "gts250"]')],
)
def test_the_nearest_file_upwards_counts(tmp_path: Path, name: str, text: str) -> None:
    write(tmp_path, 'target = "h200"')
    write(tmp_path / "project", text, name)
    inner = tmp_path / "project" / "src"
    inner.mkdir()
    assert chosen(inner)["target"] == ("gtx470", "gts250")


def test_a_pyproject_without_our_table_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path, "host = 'q8300'")
    write(tmp_path / "inner", "[tool.ruff]\nline-length = 100\n", "pyproject.toml")
    write(tmp_path / "inner" / "broken", "not toml [", "pyproject.toml")
    assert chosen(tmp_path / "inner" / "broken")["host"] == "q8300"


def test_the_command_line_wins(tmp_path: Path) -> None:
    write(tmp_path, "min-speedup = 3\ntarget = ['h200']\nstrict_fp = true\n")
    found = chosen(tmp_path, "--min-speedup", "2", "-t", "gtx470")
    assert (found["min-speedup"], found["target"], found["strict-fp"]) == (2.0, ("gtx470",), True)
    assert found.origin["min-speedup"] == "command line"
    assert found.origin["strict-fp"].endswith("analyze.toml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tarqet = 'h200'", "did you mean target"),
        ("min-speedup = 'fast'", "must be a number"),
        ("strict-fp = 1", "must be true or false"),
        ("size = [1]", "list of strings"),
        ("host = 3", "must be a string"),
        ("assume = 'some'", "one of all, none"),
        ("= 3", "analyze.toml"),
        ("format = ['json=/etc/passwd']", "no output path"),
        ("cc = './evil'", "only be given on the command line"),
        ("build-dir = '/'", "only be given on the command line"),
        ("cache-dir = '/'", "only be given on the command line"),
        ("engine = 'dask://evil'", "only be given on the command line"),
    ],
)
def test_what_a_file_may_not_say(tmp_path: Path, text: str, said: str) -> None:
    write(tmp_path, text)
    with pytest.raises(InputError, match=r"analyze\.toml") as caught:
        chosen(tmp_path)
    assert said in str(caught.value)


def test_paths_of_the_file_are_meant_from_its_folder(
    analyze: Any, source: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    source("#define N 100000000\n", "inc/size.h")
    source('#include "size.h"\nvoid f(float *a) { for (int i = 0; i < N; i++) a[i] *= 2; }\n', "sub/a.c")
    (tmp_path / "analyze.toml").write_text('include = ["inc"]\n')
    written = analyze(".", "-f", "concise", "--write-baseline", "known.json")
    assert "PAR001" in written.out
    assert "SRC" not in written.out
    (tmp_path / "analyze.toml").write_text('include = ["inc"]\nbaseline = "known.json"\n')
    for folder, path in (("sub", "a.c"), ("sub", ".."), (".", "sub/a.c")):
        monkeypatch.chdir(tmp_path / folder)
        ran = analyze(path, "-f", "concise")
        assert (ran.code, ran.out) == (0, ""), ran.err
