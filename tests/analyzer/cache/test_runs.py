"""A run that is answered says what it said before, and does nothing else; one that cannot be answered is made."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analyzer.cache.store import Compressed, Store
from analyzer.command.arguments import FORMATS

from ...conftest import ROOT, Analyze
from .conftest import SUM

Write = Callable[[str, str], Path]
FIXTURES = ROOT / "fixtures" / "c"
HEAVY = (
    *("numpy", "networkx", "islpy", "rich", "jinja2", "joblib", "pygments", "pcpp", "pathspec", "shtab", "pycparser"),
    *("msgspec", "pathlib", "argparse", "typing", "subprocess", "tomllib"),
    *("analyzer.command.cli", "analyzer.driver.run", "models"),
)


def test_a_run_is_repeated_byte_for_byte(analyze: Analyze, project: Path) -> None:
    """First each file by its own answer, in a run that was not made before, then the run as a whole. (Own answers of
    all fixtures: test_fixture_reports.)"""
    files = [FIXTURES / f"{name}.c" for name in ("perdome", "pragmas", "gnu_asm", "listing1")]

    def run(*words: str) -> tuple[str, list[bytes]]:
        written = [word for report in FORMATS for word in ("-f", f"{report}=out.{report}")]
        found = analyze(*files, "-t", "h200", *words, *written)
        assert found.code == 0, found.err
        return found.err, [(project / f"out.{report}").read_bytes() for report in FORMATS]

    said, new = run()
    assert "cache" not in said
    for words in (("--fail-on", "never"), ()):
        said, again = run(*words)
        assert "(from the cache)" in said
        assert [report for report, one, other in zip(FORMATS, new, again, strict=True) if one != other] == []


def test_an_answered_run_loads_next_to_nothing(write: Write, project: Path) -> None:
    write("a.c", SUM)
    code = "import sys; from analyzer.command.start import main; code = main(['a.c', '-t', 'h200', '-f', 'json']); "
    code += "print(*sys.modules, file=sys.stderr); sys.exit(code)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    runs = [
        subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert runs[0].stdout == runs[1].stdout
    said, loaded = runs[1].stderr.splitlines()
    assert said.endswith("(from the cache)")
    assert not set(HEAVY) & set(loaded.split())


def test_only_what_changed_is_analysed(analyze: Analyze, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    import analyzer.driver.run

    for name in ("a.c", "b.c", "c.c"):
        write(name, SUM)
    analyze(".", "-t", "h200")
    write("b.c", SUM.replace("+=", "*="))
    analyse, seen = analyzer.driver.run.analyse, []

    def watched(item: analyzer.driver.run.Input, *rest: Any) -> analyzer.driver.run.Result:
        seen.append(item.path.name)
        return analyse(item, *rest)

    monkeypatch.setattr(analyzer.driver.run, "analyse", watched)
    found = analyze(".", "-t", "h200")
    assert seen == ["b.c"]
    assert "2 of them from the cache" in found.err
    assert found.out == analyze(".", "-t", "h200", "--no-cache").out


def test_several_processes_keep_and_find_the_same(write: Write, project: Path) -> None:
    for name in ("a.c", "b.c", "c.c"):
        write(name, SUM)
    code = "from analyzer.command.start import main; raise SystemExit(main())"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}

    def run(jobs: int) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-c", code, ".", "-t", "h200", "-f", "json", "-j", str(jobs)]
        return subprocess.run(words, env=environment, capture_output=True, text=True, check=True)

    first, again = run(2), run(1)
    assert "from the cache" not in first.stderr
    assert "(from the cache)" in again.stderr
    assert first.stdout == again.stdout


def test_no_cache_neither_reads_nor_writes(analyze: Analyze, write: Write, tmp_path: Path) -> None:
    write("a.c", SUM)
    assert "from the cache" not in analyze("a.c", "-t", "h200", "--no-cache").err
    assert not (tmp_path / "answers").exists()
    analyze("a.c", "-t", "h200")
    assert "from the cache" not in analyze("a.c", "-t", "h200", "--no-cache").err


def test_the_folder_that_is_asked_for(analyze: Analyze, write: Write, tmp_path: Path, project: Path) -> None:
    write("a.c", SUM)
    analyze("a.c", "-t", "h200", "--cache-dir", "here")
    assert (project / "here" / "CACHEDIR.TAG").is_file()
    assert not (tmp_path / "answers").exists()
    assert "(from the cache)" in analyze("a.c", "-t", "h200", "--cache-dir", "here").err


def test_a_folder_that_cannot_be_written_costs_one_note(analyze: Analyze, write: Write, project: Path) -> None:
    for name in ("a.c", "b.c"):
        write(name, SUM)
    (project / "file").write_text("", encoding="utf-8")
    found = analyze("a.c", "b.c", "-t", "h200", "--cache-dir", "file")
    assert found.code == 0
    assert found.err.count("cannot be kept") == 1
    assert found.out == analyze("a.c", "b.c", "-t", "h200", "--no-cache").out


def test_the_analysed_tree_does_not_choose_the_folder(analyze: Analyze, write: Write) -> None:
    write("a.c", SUM)
    write("analyze.toml", 'cache-dir = "/tmp/elsewhere"\n')
    found = analyze("a.c", "-t", "h200")
    assert found.code == 2
    assert "only be given on the command line" in found.err


def test_a_damaged_answer_is_made_again(analyze: Analyze, write: Write, tmp_path: Path) -> None:
    write("a.c", SUM)
    first = analyze("a.c", "-t", "h200")
    for path in (tmp_path / "answers").rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-3])
    again = analyze("a.c", "-t", "h200")
    assert "from the cache" not in again.err
    assert (again.code, again.out) == (first.code, first.out)


def test_exit_codes_and_reports_in_files_are_repeated(analyze: Analyze, write: Write, project: Path) -> None:
    write("a.c", SUM.replace("i < n", "i < 100000000"))
    words = ("a.c", "-t", "h200", "-f", "json=out.json", "-f", "text", "--fail-on", "note")
    first = analyze(*words)
    report = (project / "out.json").read_bytes()
    (project / "out.json").unlink()
    again = analyze(*words)
    assert "(from the cache)" in again.err
    assert (again.code, again.out) == (first.code, first.out) == (1, first.out)
    assert (project / "out.json").read_bytes() == report


def test_errors_are_not_kept(analyze: Analyze, write: Write) -> None:
    write("a.c", SUM)
    assert analyze("a.c", "missing.c", "-t", "h200").code == 2
    assert analyze("a.c", "missing.c", "-t", "h200").code == 2
    write("b.c", "\0")
    for _ in range(2):
        found = analyze("a.c", "b.c", "-t", "h200")
        assert found.code == 2
        assert "is not text" in found.out


def test_a_bug_of_ours_is_not_kept(analyze: Analyze, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    import analyzer.driver.run

    def failing(*_: object) -> None:
        raise ValueError("a bug")

    write("a.c", SUM)
    with monkeypatch.context() as broken:
        broken.setattr(analyzer.driver.run, "advise", failing)
        assert analyze("a.c", "-t", "h200").code == 3
    assert analyze("a.c", "-t", "h200").code == 0


def test_whoever_writes_the_cache_does_not_choose_what_we_write(
    analyze: Analyze, write: Write, tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a.c", SUM)
    wrote = Store.write

    def elsewhere(store: Store, key: str, header: dict[str, Any], payload: bytes | Compressed = b"") -> None:
        if "outputs" in header:
            header = {**header, "outputs": [[str(tmp_path / "stolen"), len(payload)]]}
        wrote(store, key, header, payload)

    with monkeypatch.context() as hostile:
        hostile.setattr(Store, "write", elsewhere)
        first = analyze("a.c", "-t", "h200", "-f", "json")
    again = analyze("a.c", "-t", "h200", "-f", "json")
    assert again.out == first.out
    assert not (tmp_path / "stolen").exists()


def test_standard_input_is_kept_by_its_text(analyze: Analyze, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    for value, often in (("100", 1), ("200", 1), ("100", 2)):
        text = SUM.replace("i < n", f"i < {value}").encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        found = analyze("-", "-t", "h200", "-f", "json")
        assert json.loads(found.out)["files"][0]["loops"][0]["trip_count"]["value"] == int(value)
        assert ("from the cache" in found.err) is (often == 2)


def test_standard_input_is_analysed_again_when_a_header_changes(
    analyze: Analyze, write: Write, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import io

    for value in (100, 200):
        write("size.h", f"#define n {value}\n")
        text = f'#include "size.h"\n{SUM.replace("int n, ", "")}'.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        found = analyze("-", "--stdin-filename", "a.c", "-f", "json")
        assert json.loads(found.out)["files"][0]["loops"][0]["trip_count"]["value"] == value


def test_a_hook_looks_only_at_functions_that_changed(
    analyze: Analyze, write: Write, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And says of them what it says when it looks at all: line shifts, equal loops, baseline and all."""
    import analyzer.driver.function_facts

    def git(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *who, *words], cwd=project, check=True, capture_output=True)

    def function(name: str) -> str:
        return f"void {name}(double *x) {{\n  for (int i = 0; i < 100000000; i++)\n    x[i] *= 2;\n}}\n"

    (project / ".git").rmdir()
    git("init")
    write("a.c", function("f") + function("g") + function("h"))
    write("b.c", function("k"))
    git("add", ".")
    git("commit", "-m", "first")
    write("a.c", function("f") + function("added") + function("g").replace("2", "3") + function("h"))
    git("add", ".")

    seen = []
    work = analyzer.driver.function_facts.function_facts

    def watched(asked: object, definition: object) -> object:
        seen.append(definition.name)  # type: ignore[attr-defined]
        return work(asked, definition)  # type: ignore[arg-type]

    monkeypatch.setattr(analyzer.driver.function_facts, "function_facts", watched)
    hook = ("--hook", "gate", "-t", "h200", "a.c", "b.c")
    found = analyze(*hook)
    assert seen == ["added", "g"]
    assert "2 loops in changed functions" in found.err
    in_full = analyze(*hook, "-f", "concise", "-f", "json=all.json")
    assert set(seen[2:]) == {"f", "added", "g", "h", "k"}
    assert (found.code, found.out) == (in_full.code, in_full.out) == (1, found.out)
    assert [line.split(":")[1] for line in found.out.splitlines()] == ["10"]  # of added() git says that its name is new
