"""No answer outlives what it was made from: each input that can change it is changed, and must be seen."""

import json
import os
import shutil
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from analyzer.cache import identity

from ...conftest import Analyze
from .conftest import AT_REST_S, SUM

Write = Callable[[str, str], Path]
HEADER = '#include "n.h"\nvoid f(double *x) {\n  for (int i = 0; i < N; i++)\n    x[i] = 0;\n}\n'


def is_kept(analyze: Analyze, *words: object) -> bool:
    """Whether a run is answered from the cache as a whole, which must then be what a new run says."""
    found = analyze(*words)
    assert found.code in (0, 1), found.err
    assert found.out == analyze(*words, "--no-cache").out
    return "from the cache" in found.err


LAST = [""]
"""What the run wrote that was kept last."""


def is_different(analyze: Analyze, *words: object) -> bool:
    """Whether a run says something else than the one that was just kept, whatever of it comes from the cache."""
    found = analyze(*words)
    assert found.out == analyze(*words, "--no-cache").out
    return found.out != LAST[0]


def kept(analyze: Analyze, *words: object) -> None:
    """Runs twice; the second is answered from the cache."""
    LAST[0] = analyze(*words).out
    again = analyze(*words)
    assert "from the cache" in again.err
    assert again.out == LAST[0]


RUN = ("a.c", "-t", "h200", "-f", "json")


def test_nothing_changed(analyze: Analyze, write: Write) -> None:
    write("a.c", SUM)
    assert not is_kept(analyze, *RUN)
    assert is_kept(analyze, *RUN)


def test_the_source(analyze: Analyze, write: Write) -> None:
    write("a.c", SUM)
    kept(analyze, *RUN)
    write("a.c", SUM.replace("+=", "*="))
    assert not is_kept(analyze, *RUN)
    write("a.c", SUM)
    assert is_kept(analyze, *RUN)  # the file's own answer is still there


def test_a_source_of_the_same_size_and_time(analyze: Analyze, write: Write) -> None:
    path = write("a.c", SUM)
    kept(analyze, *RUN)
    before = path.stat()
    write("a.c", SUM.replace("+=", "*="))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert not is_kept(analyze, *RUN)


def test_a_file_that_is_only_touched_is_the_same(analyze: Analyze, write: Write) -> None:
    write("n.h", "#define N 100\n")
    path = write("a.c", HEADER)
    kept(analyze, *RUN)
    for name in (path, path.with_name("n.h")):
        os.utime(name, (1, 1))
    assert is_kept(analyze, *RUN)


def test_a_header(analyze: Analyze, write: Write) -> None:
    write("n.h", "#define N 100\n")
    write("a.c", HEADER)
    kept(analyze, *RUN)
    write("n.h", "#define N 200\n")
    assert not is_kept(analyze, *RUN)


def test_a_header_of_a_header(analyze: Analyze, write: Write) -> None:
    write("m.h", "#define N 100\n")
    write("n.h", '#include "m.h"\n')
    write("a.c", HEADER)
    kept(analyze, *RUN)
    write("m.h", "#define N 200\n")
    assert not is_kept(analyze, *RUN)


def test_a_header_that_comes_to_stand_before_another(analyze: Analyze, write: Write) -> None:
    write("second/n.h", "#define N 100\n")
    write("first/other.h", "")
    write("a.c", HEADER)
    run = (*RUN, "-I", "first", "-I", "second")
    kept(analyze, *run)
    write("first/n.h", "#define N 200\n")
    assert not is_kept(analyze, *run)


def test_a_header_in_a_folder_that_was_not_there(analyze: Analyze, write: Write) -> None:
    write("second/n.h", "#define N 100\n")
    write("a.c", HEADER)
    run = (*RUN, "-I", "first", "-I", "second")
    kept(analyze, *run)
    write("first/n.h", "#define N 200\n")
    assert not is_kept(analyze, *run)


def test_a_header_that_was_missing(analyze: Analyze, write: Write) -> None:
    write("a.c", HEADER)
    kept(analyze, *RUN)
    write("elsewhere/n.h", "#define N 200\n")  # it is looked for in the whole project
    assert not is_kept(analyze, *RUN)


def test_a_header_that_is_gone(analyze: Analyze, write: Write) -> None:
    path = write("n.h", "#define N 100\n")
    write("a.c", HEADER)
    kept(analyze, *RUN)
    path.unlink()
    assert not is_kept(analyze, *RUN)


def test_a_nearer_one_of_several_headers(analyze: Analyze, write: Write) -> None:
    write("x/y/z/n.h", "#define N 100\n")
    write("src/a.c", HEADER)
    run = ("src/a.c", *RUN[1:])
    kept(analyze, *run)
    write("src/near/n.h", "#define N 200\n")
    assert not is_kept(analyze, *run)


def test_a_header_that_is_only_asked_for(analyze: Analyze, write: Write) -> None:
    text = '#if __has_include("n.h")\n#define N 200\n#else\n#define N 100\n#endif\n'
    write("a.c", text + HEADER.partition("\n")[2])
    kept(analyze, *RUN)
    write("n.h", "")
    assert not is_kept(analyze, *RUN)


def test_a_header_in_place_of_one_of_the_system(analyze: Analyze, write: Write) -> None:
    write("include/other.h", "")
    write("a.c", "#include <math.h>\n" + SUM)
    run = (*RUN, "-I", "include")
    kept(analyze, *run)
    write("include/math.h", "#define x (x + 1)\n")
    assert not is_kept(analyze, *run)


def test_the_command_line(analyze: Analyze, write: Write) -> None:
    write("a.c", HEADER.partition("\n")[2])
    kept(analyze, *RUN, "-D", "N=100")
    assert not is_kept(analyze, *RUN, "-D", "N=200")
    assert not is_kept(analyze, *RUN, "-D", "N=100", "--strict-fp")
    assert not is_kept(analyze, *RUN[:2], "gtx470", *RUN[3:], "-D", "N=100")


def test_the_compilation_database(analyze: Analyze, write: Write, project: Path) -> None:
    def database(value: int) -> str:
        entry = {"directory": str(project), "file": "a.c", "arguments": ["cc", f"-DN={value}", "-c", "a.c"]}
        return json.dumps([entry])

    write("a.c", HEADER.partition("\n")[2])
    kept(analyze, *RUN)
    write("compile_commands.json", database(100))
    assert not is_kept(analyze, *RUN)
    kept(analyze, *RUN)
    write("compile_commands.json", database(200))
    assert not is_kept(analyze, *RUN)
    kept(analyze, *RUN)
    write("compile_commands.json", database(200) + "\n")  # nothing that concerns the file
    assert is_kept(analyze, *RUN)


def test_the_configuration(analyze: Analyze, write: Write) -> None:
    write("a.c", HEADER.partition("\n")[2])
    kept(analyze, *RUN)
    write("pyproject.toml", '[tool.analyze]\ndefine = ["N=100"]\n')
    assert not is_kept(analyze, *RUN)
    kept(analyze, *RUN)
    write("pyproject.toml", '[tool.analyze]\ndefine = ["N=200"]\n')
    assert not is_kept(analyze, *RUN)
    kept(analyze, *RUN)
    write("analyze.toml", 'define = ["N=300"]\n')  # before the other in order
    assert not is_kept(analyze, *RUN)


def test_the_facts(analyze: Analyze, write: Write, project: Path) -> None:
    loop = "for (int i = 0; i < n; i++) a[p[i]] = i;"
    write("a.c", f"void f(int n, double *restrict a, const int *restrict p)\n{{ {loop} }}\n")
    kept(analyze, *RUN)
    write("analyze-facts.toml", '[[fact]]\nholds = "injective(q)"\n')
    assert is_different(analyze, *RUN)
    kept(analyze, *RUN)
    write("analyze-facts.toml", '[[fact]]\nholds = "injective(p)"\n')
    assert is_different(analyze, *RUN)
    kept(analyze, *RUN)
    write("known.toml", "")
    write("analyze.toml", 'facts = "known.toml"\n')
    assert is_different(analyze, *RUN)
    kept(analyze, *RUN)
    write("known.toml", '[[fact]]\nholds = "injective(p)"\n')
    assert is_different(analyze, *RUN)


def test_a_device_of_ones_own(analyze: Analyze, write: Write, project: Path) -> None:
    from models.catalogue import device_file

    text = device_file("gtx470").read_text(encoding="utf-8")
    write("own.toml", text)
    write("a.c", SUM)
    run = ("a.c", "-t", "own.toml", "-f", "json")
    kept(analyze, *run)
    write("own.toml", text.replace('name = "', 'name = "another '))
    assert not is_kept(analyze, *run)


def test_this_machine_as_it_was_measured(
    analyze: Analyze, write: Write, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from models.catalogue import device_file, native_file

    monkeypatch.setenv("XDG_CONFIG_HOME", str(project / "config"))
    text = device_file("q8300").read_text(encoding="utf-8")
    write(str(native_file()), text)
    write("a.c", SUM)
    run = ("a.c", "--host", "native", "-t", "h200", "-f", "json")
    kept(analyze, *run)
    write(str(native_file()), text.replace('name = "', 'name = "another '))
    assert is_different(analyze, *run)


def test_a_baseline(analyze: Analyze, write: Write, project: Path) -> None:
    write("a.c", HEADER.replace("N;", "100000000;").partition("\n")[2])
    analyze("a.c", "-t", "h200", "--write-baseline", "known.json")
    time.sleep(AT_REST_S)
    run = ("a.c", "-t", "h200", "-f", "concise", "--baseline", "known.json")
    kept(analyze, *run)
    data = json.loads((project / "known.json").read_text(encoding="utf-8"))
    assert data["findings"]
    write("known.json", json.dumps({**data, "findings": []}))
    assert is_different(analyze, *run)


def test_files_of_a_folder(analyze: Analyze, write: Write, project: Path) -> None:
    write("src/a.c", SUM)
    run = ("src", "-t", "h200", "-f", "json")
    kept(analyze, *run)
    write("src/b.c", SUM)
    assert not is_kept(analyze, *run)
    kept(analyze, *run)
    write(".gitignore", "b.c\n")
    assert is_different(analyze, *run)
    kept(analyze, *run)
    (project / "src" / "a.c").unlink()
    assert analyze(*run).code == 2  # no file is left


def test_where_the_project_begins(analyze: Analyze, write: Write, project: Path) -> None:
    write("deep/src/a.c", SUM)
    run = ("deep/src/a.c", *RUN[1:])
    kept(analyze, *run)
    (project / "deep" / ".git").mkdir()  # paths are shown from there
    assert not is_kept(analyze, *run)


def test_where_it_is_run(analyze: Analyze, write: Write, monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    path = write("src/a.c", SUM)
    kept(analyze, path, *RUN[1:])
    monkeypatch.chdir(project / "src")
    assert not is_kept(analyze, path, *RUN[1:])


def test_where_a_link_leads(analyze: Analyze, write: Write, project: Path) -> None:
    write("one/a.c", SUM)
    write("two/a.c", SUM)
    (project / "a.c").symlink_to("one/a.c")
    time.sleep(AT_REST_S)
    kept(analyze, *RUN)
    (project / "a.c").unlink()
    (project / "a.c").symlink_to("two/a.c")
    time.sleep(AT_REST_S)
    assert json.loads(analyze(*RUN).out)["files"][0]["path"] == "two/a.c"


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_the_compiler(analyze: Analyze, write: Write, monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    def compiler(flag: str) -> None:
        path = write("bin/cc", f'#!/bin/sh\nexec {real} {flag} "$@"\n')
        path.chmod(path.stat().st_mode | stat.S_IEXEC)

    real = shutil.which("cc")
    write("a.c", HEADER.partition("\n")[2])
    monkeypatch.setenv("PATH", f"{project / 'bin'}{os.pathsep}{os.environ['PATH']}")
    kept(analyze, *RUN)
    compiler("-DN=100")  # found before the other
    assert not is_kept(analyze, *RUN)
    kept(analyze, *RUN)
    compiler("-DN=2000")
    assert not is_kept(analyze, *RUN)


def test_a_compiler_that_goes(analyze: Analyze, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.c", SUM)
    kept(analyze, *RUN)
    monkeypatch.setenv("PATH", "")
    assert not is_kept(analyze, *RUN)
    assert is_kept(analyze, *RUN)


@pytest.mark.parametrize("name", ["CPATH", "C_INCLUDE_PATH", "HOME"])
def test_the_environment(analyze: Analyze, write: Write, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    write("a.c", SUM)
    kept(analyze, *RUN)
    monkeypatch.setenv(name, "/nowhere")
    assert not is_kept(analyze, *RUN)


def test_this_program_and_its_libraries(analyze: Analyze, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.c", SUM)
    kept(analyze, *RUN)
    monkeypatch.setattr(identity, "program", lambda store: "another program")
    assert not is_kept(analyze, *RUN)
    kept(analyze, *RUN)
    monkeypatch.setattr(identity, "libraries", lambda path: ["islpy-2025.2.dist-info"])
    assert not is_kept(analyze, *RUN)


def test_what_is_staged(analyze: Analyze, write: Write, project: Path) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *who, *words], cwd=project, check=True, capture_output=True)

    (project / ".git").rmdir()
    git("init")
    write("a.c", HEADER.replace("N;", "100000000;").partition("\n")[2])
    git("add", "a.c")
    run = ("--hook", "gate", "a.c", "-t", "h200")
    kept(analyze, *run)
    git("commit", "-m", "first")
    write("b.c", SUM)
    git("add", "b.c")
    assert is_different(analyze, *run)


def test_a_file_that_changes_while_it_is_analysed(
    analyze: Analyze, write: Write, monkeypatch: pytest.MonkeyPatch, project: Path
) -> None:
    import analyzer.driver.run

    analyse = analyzer.driver.run.analyse

    def slow(*words: object) -> object:
        found = analyse(*words)  # type: ignore[arg-type]
        (project / "n.h").write_text("#define N 200\n", encoding="utf-8")
        return found

    write("n.h", "#define N 100\n")
    write("a.c", HEADER)
    monkeypatch.setattr(analyzer.driver.run, "analyse", slow)
    first = analyze(*RUN)
    monkeypatch.undo()
    monkeypatch.chdir(project)
    assert analyze(*RUN, "--no-cache").out != first.out
    assert analyze(*RUN).out == analyze(*RUN, "--no-cache").out


CONFIGURED = HEADER.replace('"n.h"', '"config.h"')


def test_the_template_of_a_header(analyze: Analyze, write: Write) -> None:
    write("config.h.in", "#define N 100\n#undef HAVE_STDINT_H\n")
    write("a.c", CONFIGURED)
    kept(analyze, *RUN)
    write("config.h.in", "#define N 200\n#undef HAVE_STDINT_H\n")
    assert is_different(analyze, *RUN)


def test_another_template_and_the_header_itself(analyze: Analyze, write: Write) -> None:
    write("far/config.h.in", "#define N 100\n")
    write("a.c", CONFIGURED)
    kept(analyze, *RUN)
    write("config.h.in", "#define N 200\n")
    assert is_different(analyze, *RUN)
    kept(analyze, *RUN)
    write("config.h", "#define N 300\n")
    assert is_different(analyze, *RUN)


def test_what_build_files_set(analyze: Analyze, write: Write) -> None:
    write("config.h.in", "#define N @COUNT@\n")
    write("CMakeLists.txt", "set(COUNT 100)\n")
    write("a.c", CONFIGURED)
    kept(analyze, *RUN)
    write("CMakeLists.txt", "set(COUNT 200)\n")
    assert is_different(analyze, *RUN)
    kept(analyze, *RUN)
    write("meson.build", "project('frob')\n")
    assert not is_kept(analyze, *RUN)


def test_a_header_that_a_template_asks_for(analyze: Analyze, write: Write) -> None:
    write("config.h.in", "#undef HAVE_FROB_H\n#ifdef HAVE_FROB_H\n#define N 100\n#else\n#define N 200\n#endif\n")
    write("a.c", CONFIGURED)
    write("given/other.h", "")
    run = (*RUN, "-I", "given")
    kept(analyze, *run)
    write("given/frob.h", "")
    assert is_different(analyze, *run)
