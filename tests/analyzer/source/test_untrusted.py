"""The source, its headers and its compilation database belong to a stranger. One test per attack."""

import json
import os
import shutil
import sys
import time
from pathlib import Path

import pytest

from analyzer.base.errors import InputError
from analyzer.settings.options import SourceOptions
from analyzer.source import findings, load_unit, process

from .conftest import Loader

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
LOOP = "void f(int n) { for (int i = 0; i < n; i++) ; }\n"


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@needs_compiler
@pytest.mark.parametrize(
    "arguments",
    [
        ["-wrapper", "EVIL"],
        ["-fplugin=EVIL"],
        ["-specs=EVIL"],
        ["-B", "DIR"],
        ["-BDIR"],
        ["-o", "MARK"],
        ["-MD", "-MF", "MARK"],
        ["-MMD", "-MFMARK"],
        ["-Wp,-MD,MARK"],
        ["-Xpreprocessor", "-MD", "-Xpreprocessor", "MARK"],
        ["-save-temps=obj", "-dumpdir", "DIR/"],
        ["-fdump-tree-all=MARK"],
        ["-imacros", "/etc/passwd"],
        ["@EVIL"],
    ],
    ids=lambda a: a[0].split("=")[0],
)
def test_hostile_options_of_the_database_are_not_passed_on(tmp_path: Path, arguments: list[str]) -> None:
    mark = tmp_path / "mark"
    tools = tmp_path / "tools"
    tools.mkdir()
    evil = script(tools / "evil", f"touch {mark}")
    shutil.copy(evil, tools / "cc1")
    source = tmp_path / "src" / "t.c"
    source.parent.mkdir()
    source.write_text("#ifdef GIVEN\n" + LOOP + "#endif\n")
    words = [a.replace("EVIL", str(evil)).replace("MARK", str(mark)).replace("DIR", str(tools)) for a in arguments]
    entry = {"directory": str(source.parent), "file": "t.c", "arguments": [str(evil), *words, "-DGIVEN", "-c", "t.c"]}
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]))
    before = sorted(tmp_path.rglob("*"))
    unit = load_unit(source, SourceOptions(build_dir=str(tmp_path)), root=tmp_path)
    assert sorted(tmp_path.rglob("*")) == before
    assert [d.name for d in unit.functions] == ["f"]
    if arguments[0] not in ("-o", "-MD"):
        assert [d.rule for d in unit.diagnostics] == [findings.DROPPED_FLAG]


@needs_compiler
def test_an_option_that_is_a_value_is_no_option(tmp_path: Path) -> None:
    """`-D` and `-I` take the next word whatever it looks like; it must not become an option of its own."""
    mark = tmp_path / "mark"
    source = tmp_path / "t.c"
    source.write_text(LOOP)
    arguments = ["cc", "-D", f"-o{mark}", "-I", f"-wrapper,{mark}", "-include", f"-MF{mark}", "t.c"]
    entry = {"directory": str(tmp_path), "file": "t.c", "arguments": arguments}
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]))
    load_unit(source, SourceOptions(build_dir=str(tmp_path)), root=tmp_path)
    assert not mark.exists()


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1, null, {}]", '[{"file": 3}]', '[{"file": "t.c", "command": "cc \\"t.c"}]', "[" * 100_000],
    ids=["empty", "cut off", "odd entries", "odd file", "open quote", "deep"],
)
def test_a_broken_database_is_no_database(tmp_path: Path, text: str) -> None:
    source = tmp_path / "t.c"
    source.write_text(LOOP)
    (tmp_path / "compile_commands.json").write_text(text)
    unit = load_unit(source, SourceOptions(build_dir=str(tmp_path)), root=tmp_path)
    assert [d.name for d in unit.functions] == ["f"]


@pytest.mark.parametrize("compiler", [None, ""], ids=["compiler", "built in"])
def test_text_from_outside_is_not_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiler: str | None) -> None:
    if compiler == "":
        monkeypatch.setenv("PATH", "")
    secret = tmp_path / "secret"
    secret.write_text("password = hunter2;\n#error hunter2\nint hunter2(int hunter2 { for (hunter2;;) }\n")
    root = tmp_path / "project"
    root.mkdir()
    (root / "t.c").write_text(f'#include "{secret}"\n{LOOP}')
    (root / "u.c").write_text(f'#include "../secret"\n{LOOP}')
    for name in ("t.c", "u.c"):
        unit = load_unit(root / name, SourceOptions(), root=root)
        said = " ".join(d.message + str(d.place) for d in unit.diagnostics)
        assert "hunter2" not in said
        assert all("hunter2" not in d.name for d in unit.functions if d.own)
        assert "f" in [d.name for d in unit.functions]


BOMB = "\n".join(
    f"#define A{i} A{i + 1} A{i + 1} A{i + 1} A{i + 1} A{i + 1} A{i + 1} A{i + 1} A{i + 1}" for i in range(9)
)


@pytest.mark.parametrize("built_in", [False, True], ids=["compiler", "built in"])
def test_a_macro_bomb_costs_its_line_only(load: Loader, monkeypatch: pytest.MonkeyPatch, built_in: bool) -> None:
    if built_in:
        monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(process, "CPU_LIMIT_S", 2)
    started = time.monotonic()
    unit = load(f"{LOOP}{BOMB}\nint g(void) {{ return A0; }}\n")
    assert time.monotonic() - started < 25
    assert [d.name for d in unit.functions][:1] == ["f"]
    assert unit.functions[0].node is not None
    assert (findings.LIMIT, "error") in [(d.rule, d.level) for d in unit.diagnostics]


def test_an_include_bomb_ends(load: Loader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "CPU_LIMIT_S", 1)
    unit = load(f'{LOOP}#include "bomb.h"\n', {"bomb.h": '#include "bomb.h"\n#include "bomb.h"\nint x;\n'})
    assert [d.name for d in unit.functions][:1] == ["f"]
    assert findings.LIMIT in [d.rule for d in unit.diagnostics]


@pytest.mark.skipif(os.name != "posix", reason="process groups")
def test_the_whole_process_group_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "WALL_LIMIT_S", 1)
    pids = tmp_path / "pid"
    child = script(tmp_path / "cc", f"sleep 60 & echo $! > {pids}; wait")
    outcome = process.run([str(child)], str(tmp_path))
    assert outcome.stopped == "time"
    for _ in range(50):
        if not Path(f"/proc/{pids.read_text().strip()}").exists() or _is_zombie(pids.read_text().strip()):
            return
        time.sleep(0.1)
    pytest.fail("a process of the group is still there")


def _is_zombie(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z"
    except FileNotFoundError:
        return True


def test_endless_output_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "OUTPUT_LIMIT_BYTES", 1 << 20)
    child = script(tmp_path / "cc", "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done")
    outcome = process.run([str(child)], str(tmp_path))
    assert outcome.stopped == "output"
    assert len(outcome.output) < 4 << 20


def test_the_child_gets_no_input_and_a_bare_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GCC_EXEC_PREFIX", "COMPILER_PATH", "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "LD_PRELOAD"):
        monkeypatch.setenv(name, str(tmp_path / "x"))
    monkeypatch.setenv("CPATH", "/kept")
    program = "import os, sys; print(sorted(os.environ)); print(repr(sys.stdin.read()))"
    outcome = process.run([sys.executable, "-c", program], str(tmp_path))
    names, read = outcome.output.decode().splitlines()
    assert "'CPATH'" in names
    assert not any(word in names for word in ("GCC_EXEC", "COMPILER_PATH", "DEPENDENCIES", "LD_PRELOAD"))
    assert read == "''"


@pytest.mark.parametrize("name", ["-o x.c", "a b'\"$(touch mark).c", "@args.c", "ü.c"])
def test_odd_file_names_are_only_names(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(LOOP)
    unit = load_unit(tmp_path / name, SourceOptions(), root=tmp_path)
    assert [str(d.place) for d in unit.functions] == [f"{name}:1:6"]
    assert sorted(p.name for p in tmp_path.iterdir()) == [name]


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"\x7fELF\0\0\1", "is not text"), (None, "cannot be read")],
    ids=["binary", "missing"],
)
def test_what_is_no_text_is_an_input_error(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "t.c"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        load_unit(path, SourceOptions(), root=tmp_path)
    assert str(caught.value).startswith("t.c: ")


@pytest.mark.skipif(os.name != "posix", reason="named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "t.c")
    with pytest.raises(InputError, match="not a regular file"):
        load_unit(tmp_path / "t.c", SourceOptions(), root=tmp_path)


def test_a_directory_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a regular file"):
        load_unit(tmp_path, SourceOptions(), root=tmp_path)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.c").write_text("int x;\n" * (5 << 19))
    with pytest.raises(InputError, match="larger than 16 MiB"):
        load_unit(tmp_path / "t.c", SourceOptions(), root=tmp_path)


def test_one_endless_line_costs_only_itself(load: Loader) -> None:
    unit = load(LOOP + "int x = " + "1 + " * 600_000 + "1;\n")
    assert [d.node is not None for d in unit.functions] == [True]
    assert [(d.rule, d.place.line) for d in unit.diagnostics] == [(findings.LIMIT, 2)]
