"""Options that name what is not there: refused or said, with near names; never without a word."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

CODE = "void f(int n, double *a) {\n  for (int i = 0; i < n; i++) a[i] = N;\n}\n"
DEFINED = ("-D", "N=1")


def database(folder: Path, *files: str) -> None:
    entries = [{"directory": str(folder), "file": name, "arguments": ["cc", "-DN=7", "-c", name]} for name in files]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps(entries))


REFUSED = [
    (("-p", "biuld"), "-p biuld: no compile_commands.json there; there is one in build, other"),
    (("-p", "none/at/all"), "no compile_commands.json there; there is one in build, other"),
    (("-p", "other"), "has none of these files; it has other/b.c"),
    (("-p", "broken"), "is no compilation database"),
    (("--cc", "gccc"), "--cc gccc: no such compiler; did you mean gcc"),
    (("--cc", "./a.c"), "--cc ./a.c: no such compiler"),
    (("--cc", "true"), "--cc true: does not preprocess C"),
    (("--entry", "ff", "-t", "h200"), "--entry ff: no such function was read; did you mean f?"),
    (("--size", "N=3"), "N is a macro; use -D N=3"),
    (("gone.c",), "gone.c: no such file or directory"),
    (("aa.c",), "did you mean a.c?"),
]


@pytest.mark.parametrize(("arguments", "said"), REFUSED, ids=lambda v: " ".join(v) if isinstance(v, tuple) else None)
def test_what_decides_the_code_is_refused(
    arguments: tuple[str, ...], said: str, analyze: Any, source: Any, tmp_path: Path
) -> None:
    source("#define N 1\n" + CODE)
    source(CODE, "other/b.c")
    database(tmp_path / "build", "../a.c")
    database(tmp_path / "other", "b.c")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "compile_commands.json").write_text("{}")
    ran = analyze("a.c", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


WARNED = [
    (("--size", "m=3"), "warning: --size m=3: no such size symbol; known: n"),
    (("--size", "g:n=3"), "warning: --size g:n=3: no such size symbol; n is one of f"),
    (("--exclude", "genn/"), "warning: --exclude genn/: no file or directory is left out by that"),
    (("-I", "includ"), "warning: -I includ: no such directory; did you mean include?"),
    (("--ranks", "4"), "warning: --ranks: no function of these files calls MPI"),
    (("--network", "karst"), "warning: --network: no function of these files calls MPI"),
    (("--stdin-filename", "b.c"), "warning: --stdin-filename names standard input; give - as a path"),
    (("-p", "build"), "warning: -p build: 1 of 2 files are not in its compile_commands.json"),
    ((), "2 files of other languages are not read (1 C++, 1 Fortran); only C is (*.c)"),
    (("empty",), "no C files (*.c) in empty"),
]


@pytest.mark.parametrize(("arguments", "said"), WARNED, ids=lambda v: " ".join(v) if isinstance(v, tuple) else None)
def test_what_narrows_or_adds_is_said(
    arguments: tuple[str, ...], said: str, analyze: Any, source: Any, tmp_path: Path
) -> None:
    for name in ("a.c", "gen/b.c"):
        source(CODE, name)
    for name in ("x.cpp", "y.f90", "include/h.h", "empty/readme"):
        source("", name)
    database(tmp_path / "build", "../a.c")
    ran = analyze(".", *arguments, *DEFINED)
    assert ran.code == 0
    assert ran.out
    assert said in ran.err


def test_what_matches_is_not_talked_about(analyze: Any, source: Any, tmp_path: Path) -> None:
    source(CODE)
    source(CODE, "gen/b.c")
    source("", "gen/x.cpp")
    database(tmp_path / "build", "../a.c")
    ran = analyze(".", "-p", "build", "--size", "n=3", "--exclude", "gen/", "--cc", "gcc", "-f", "concise")
    assert len(ran.err.splitlines()) == 1, ran.err


def test_what_was_said_is_said_again_from_the_cache(
    analyze: Any, source: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("BOATHULL_NO_CACHE")
    old = source(CODE)
    os.utime(old, (1_000_000_000, 1_000_000_000))
    arguments = ("a.c", *DEFINED, "--size", "m=3", "--cache-dir", str(tmp_path / "kept"))
    first, again = analyze(*arguments), analyze(*arguments)
    assert first.out == again.out
    assert "no such size symbol" in first.err
    assert "no such size symbol" in again.err


@pytest.mark.parametrize("pattern", ["gen", "src/gen", "src/gen/b.c", "b.c", "/gen"])
def test_a_pattern_is_meant_from_the_searched_directory_or_from_here(pattern: str, analyze: Any, source: Any) -> None:
    source(CODE, "src/a.c")
    source(CODE, "src/gen/b.c")
    ran = analyze("src", *DEFINED, "--exclude", pattern, "-f", "json", "--no-source")
    assert [file["path"] for file in json.loads(ran.out)["files"]] == ["src/a.c"]


def test_the_patterns_of_a_configuration_are_meant_from_its_folder(
    analyze: Any, source: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source(CODE, "src/a.c")
    source(CODE, "src/gen/b.c")
    source('exclude = ["src/gen", "nothing"]\ndefine = ["N=1"]\n', "analyze.toml")
    for folder, path in ((".", "src"), ("src", "."), ("src", "..")):
        monkeypatch.chdir(tmp_path / folder)
        ran = analyze(path, "-f", "json", "--no-source")
        assert [file["path"].split("/")[-1] for file in json.loads(ran.out)["files"]] == ["a.c"]
        assert "nothing" not in ran.err


def test_options_may_stand_between_paths(analyze: Any, source: Any) -> None:
    source(CODE)
    source(CODE, "b.c")
    ran = analyze("a.c", *DEFINED, "b.c", "-f", "json", "--no-source")
    assert len(json.loads(ran.out)["files"]) == 2


def given_on_stdin(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_standard_input_stands_for_the_file_of_its_name(
    analyze: Any, source: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    source(CODE + CODE.replace("f(", "g("))
    source(CODE, "b.c")
    given_on_stdin(monkeypatch, CODE)
    ran = analyze(".", "-", "--stdin-filename", "./a.c", *DEFINED, "-f", "json", "--no-source")
    loops = [loop["id"] for file in json.loads(ran.out)["files"] for loop in file["loops"]]
    assert loops == ["a.c:f:2:3", "b.c:f:2:3"]
    assert "standard input is taken for a.c" in ran.err


def test_standard_input_takes_no_name_away(analyze: Any, source: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    source(CODE, "stdin.c")
    given_on_stdin(monkeypatch, CODE)
    ran = analyze("-", "stdin.c", *DEFINED)
    assert ran.code == 2
    assert "give it another one with --stdin-filename" in ran.err


def test_a_baseline_of_other_code_is_said(analyze: Any, source: Any, tmp_path: Path) -> None:
    source("", ".git/HEAD")
    source(CODE, "src/a.c")
    analyze("src", *DEFINED, "-t", "h200", "--write-baseline", "known.json")
    text = (tmp_path / "known.json").read_text()
    assert "warning" not in analyze("src", *DEFINED, "-t", "h200", "--baseline", "known.json").err
    (tmp_path / "known.json").write_text(text.replace("src/a.c", "lib/a.c"))
    ran = analyze("src", *DEFINED, "-t", "h200", "--baseline", "known.json")
    assert "no file that it names is there, as lib/a.c" in ran.err


def test_the_next_command_can_be_pasted(analyze: Any, source: Any) -> None:
    code = "void f(double *a) {\n  for (int i = 0; i < 100000000; i++) a[i] *= N;\n}\n"
    for name in ("it's two/a\tb.c", "c/b.c"):
        source(code, name)
    ran = analyze("c", "it's two", *DEFINED, "-t", "gtx470", "--model", "boat-hull")
    line = next(line for line in ran.out.splitlines() if line.startswith("Next "))
    command = line.removeprefix("Next ").strip().removeprefix("analyze ")
    shell = subprocess.run(["bash", "-c", f"printf '%s\\0' {command}"], capture_output=True, check=True)
    words = shell.stdout.decode().split("\0")[:-1]
    assert "--why" in words
    ran = analyze(*words)
    assert ran.code == 0, ran.err
    assert "2:3  in f()" in ran.out
