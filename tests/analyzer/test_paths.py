"""What a file is called: one name for each file, from the working directory or from its repository."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analyzer.facts.lookup import find
from analyzer.report.document import RepositoryEntry
from analyzer.report.paths import in_repository
from analyzer.source.project import names_file, project_of, shown

CODE = "void f(double *a) {\n  for (int i = 0; i < 100000000; i++) a[i] = 1;\n}\n"
HEADER = "static inline void h(double *a) {\n  for (int i = 0; i < 100; i++) a[i] = V;\n}\n"
OPTIONS = ("-t", "gtx470", "--model", "boat-hull")


def ids(ran: Any) -> list[str]:
    assert ran.code == 0, ran.err
    return [loop["id"] for file in json.loads(ran.out)["files"] for loop in file["loops"]]


@pytest.fixture
def listed(analyze: Any) -> Callable[..., list[str]]:
    return lambda *arguments: ids(analyze(*arguments, "-f", "json", "--no-source"))


# --- one file, one name


@pytest.mark.parametrize("again", ["a.c", "./a.c", "{}/a.c", "link.c", "folder/a.c", ".", "sub/../a.c", "{}"])
def test_a_file_that_is_reached_twice_is_listed_once(
    again: str, listed: Any, analyze: Any, source: Any, tmp_path: Path
) -> None:
    source(CODE)
    source("", "sub/readme")
    (tmp_path / "link.c").symlink_to("a.c")
    (tmp_path / "folder").symlink_to(".", target_is_directory=True)
    for order in (("a.c", again.format(tmp_path)), (again.format(tmp_path), "a.c")):
        assert listed(*order) == ["a.c:f:2:3"]
        assert "analyze: 1 file, 1 loop" in analyze(*order).err


def test_a_header_that_is_reached_through_a_link_is_listed_once(listed: Any, source: Any, tmp_path: Path) -> None:
    source(HEADER, "real/h.h")
    (tmp_path / "link").symlink_to("real", target_is_directory=True)
    source('#define V 1\n#include "real/h.h"\n')
    source('#define V 1\n#include "link/h.h"\n', "b.c")
    assert listed(".") == ["real/h.h:h:2:3"]


def test_two_trees_in_one_run_stay_two(listed: Any, source: Any, monkeypatch: Any, tmp_path: Path) -> None:
    for tree, marker in (("a", ".git/HEAD"), ("b", ".git/HEAD"), ("c", "Makefile"), ("d", "readme")):
        source("", f"{tree}/{marker}")
        source('#define V 1\n#include "h.h"\n' + CODE, f"{tree}/src/x.c")
        source(HEADER, f"{tree}/include/h.h")
    names = [f"{t}/{name}" for t in "abcd" for name in ("include/h.h:h:2:3", "src/x.c:f:4:3")]
    assert listed("a", "b", "c", "d") == names
    assert listed(*(f"{tree}/src/x.c" for tree in "dcba")) == names
    source("", "away/readme")
    monkeypatch.chdir(tmp_path / "away")
    assert listed("../b", "../a", "../c", "../d") == [f"../{name}" for name in names]


def test_a_repository_in_a_repository_stays_apart(listed: Any, source: Any) -> None:
    for folder in (".", "sub", "sub/deep"):
        source("", f"{folder}/.git/HEAD")
        source(CODE, f"{folder}/src/x.c")
    assert listed(".") == ["src/x.c:f:2:3", "sub/deep/src/x.c:f:2:3", "sub/src/x.c:f:2:3"]


def test_of_a_header_that_macros_make_two_the_more_cautious_answer_is_listed(analyze: Any, source: Any) -> None:
    source("static void h(double *a) {\n  for (int i = 1; i < 100; i++) a[i] = a[i - K];\n}\n", "h.h")
    source('#define K 0\n#include "h.h"\n')
    source('#define K 1\n#include "h.h"\n', "b.c")
    source('#define K 0\n#include "h.h"\n', "c.c")
    for order in (("a.c", "b.c", "c.c"), ("c.c", "b.c", "a.c")):
        report = json.loads(analyze(*order, "-f", "json").out)
        assert [loop["parallel"] for file in report["files"] for loop in file["loops"]] == ["no"]


def test_a_generated_file_says_where_its_lines_are_from(listed: Any, source: Any) -> None:
    for tree in ("a", "b"):
        source("/* grammar */\n" + CODE, f"{tree}/gram.y")
        source(f'#line 2 "gram.y"\n{CODE}', f"{tree}/gram.c")
    assert listed(".") == ["a/gram.y:f:3:3", "b/gram.y:f:3:3"]


# --- headers


@pytest.mark.parametrize("mark", [None, ".git/HEAD", "Makefile"])
def test_headers_are_found_below_what_is_given(mark: str | None, listed: Any, source: Any) -> None:
    if mark is not None:
        source("", f"p/{mark}")
    source('#define V 1\n#include "deep.h"\n', "p/src/x/a.c")
    source(HEADER, "p/parts/one/deep.h")
    assert listed("p") == ["p/parts/one/deep.h:h:2:3"]
    if mark is not None:
        assert listed("p/src/x/a.c") == ["p/parts/one/deep.h:h:2:3"]


def test_headers_are_found_in_another_directory_that_is_given(listed: Any, source: Any) -> None:
    source('#define V 1\n#include "deep.h"\n', "src/a.c")
    source(HEADER, "api/deep.h")
    source("int x;\n", "api/b.c")
    assert listed("api", "src") == ["api/deep.h:h:2:3"]
    assert listed("src") == []


def test_the_own_repository_comes_first(tmp_path: Path, source: Any) -> None:
    source("", "outer/sub/.git/HEAD")
    source("", "outer/sub/far/away/h.h")
    source("", "outer/h.h")
    source("", "outer/other.h")
    path = source(CODE, "outer/sub/src/a.c")
    project = project_of(path, None, (str(tmp_path / "outer"),))
    assert project.find("h.h", str(path.parent)) == str(tmp_path / "outer/sub/far/away")
    assert project.find("other.h", str(path.parent)) == str(tmp_path / "outer")


# --- the repository


@pytest.mark.parametrize(
    ("root", "directory", "path", "expected"),
    [
        ("..", "src", "x.c", "src/x.c"),
        ("..", "src", "../include/a.h", "include/a.h"),
        ("..", "src", "../../x.c", "../x.c"),
        ("p", "..", "p/src/x.c", "src/x.c"),
        ("p", "..", "q/x.c", "../q/x.c"),
        ("../p", "../q", "../p/x.c", "x.c"),
        ("../p", "../q", "x.c", "../q/x.c"),
        ("../..", "a/b", "../../../x.c", "../x.c"),
        ("..", "src", "/x.c", "/x.c"),
    ],
)
def test_paths_in_the_repository(root: str, directory: str, path: str, expected: str, report: Any) -> None:
    assert in_repository(report(RepositoryEntry(root, directory)), path) == expected


@pytest.fixture
def report() -> Any:
    class Of:
        def __init__(self, entry: RepositoryEntry) -> None:
            self.repository = entry

    return Of


def places(text: str, name: str) -> set[str]:
    if name == "gitlab":
        return {issue["location"]["path"] for issue in json.loads(text)}
    if name == "github":
        return {line.split("file=")[1].split(",")[0] for line in text.splitlines()}
    found = json.loads(text)["runs"][0]["results"]
    return {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in found}


@pytest.mark.parametrize("name", ["sarif", "gitlab", "github"])
def test_services_see_paths_of_the_repository(
    name: str, analyze: Any, source: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source("", "p/.git/HEAD")
    source(CODE, "p/src/x.c")
    source(CODE, "p/x.c")
    for folder, path in ((".", "p"), ("p", "."), ("p/src", "..")):
        monkeypatch.chdir(tmp_path / folder)
        assert places(analyze(path, *OPTIONS, "-f", name).out, name) == {"x.c", "src/x.c"}
    monkeypatch.chdir(tmp_path / "p" / "src")
    analyze("..", *OPTIONS, "-f", f"json={tmp_path / 'saved.json'}")
    monkeypatch.chdir(tmp_path)
    assert places(analyze("--from-json", "saved.json", "-f", name).out, name) == {"x.c", "src/x.c"}


@pytest.mark.parametrize("repository", [True, False])
@pytest.mark.parametrize(("written", "read"), [(".", "src"), ("src", "."), ("src", "lib")])
def test_a_baseline_holds_in_every_directory(
    repository: bool, written: str, read: str, analyze: Any, source: Any, monkeypatch: Any, tmp_path: Path
) -> None:
    if repository:
        source("", "p/.git/HEAD")
    p = tmp_path / "p"
    for folder in ("src", "lib"):
        source('#include "h.h"\n' + CODE, f"p/{folder}/x.c")
    source("", "p/include/h.h")
    monkeypatch.chdir(p / written)
    analyze(p / "src", p / "lib", *OPTIONS, "--write-baseline", p / "known.json")
    assert {e["path"] for e in json.loads((p / "known.json").read_text())["findings"]} == {"src/x.c", "lib/x.c"}
    monkeypatch.chdir(p / read)
    ran = analyze(p / "src", p / "lib", *OPTIONS, "--baseline", p / "known.json", "-f", "concise")
    assert (ran.out, "not found any more" in ran.err) == ("", False)
    analyze(p, *OPTIONS, "-f", "json=saved.json")
    ran = analyze("--from-json", "saved.json", "--baseline", p / "known.json", "-f", "concise")
    assert ran.out == "" or not repository


def test_reports_of_two_directories_are_compared(
    analyze: Any, source: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source("", ".git/HEAD")
    source(CODE, "src/x.c")
    source(CODE, "x.c")
    analyze(".", *OPTIONS, "-f", "json=a.json")
    monkeypatch.chdir(tmp_path / "src")
    analyze("..", *OPTIONS, "-f", "json=../b.json")
    assert "0 changed, 0 new, 0 gone, 2 the same" in analyze("--compare", "../a.json", "../b.json").out


def test_changes_in_another_repository_are_not_passed_over_in_silence(
    analyze: Any, source: Any, tmp_path: Path
) -> None:
    for folder in (".", "sub"):
        subprocess.run(["git", "init", "-q", folder], cwd=tmp_path, check=True)
        source(CODE, f"{folder}/a.c")
        subprocess.run(["git", "add", "a.c"], cwd=tmp_path / folder, check=True)
    ran = analyze(".", *OPTIONS, "--staged", "-f", "concise")
    assert ran.out.startswith("a.c:2:3:")
    assert "changes in sub were not asked for" in ran.err


# --- what the user types


def test_a_size_is_for_the_file_that_is_meant_from_anywhere(
    analyze: Any, source: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    code = "void f(int n, double *a) {\n  for (int i = 0; i < n; i++) a[i] = 1;\n}\n"
    source("", ".git/HEAD")
    source(code, "src/x.c")
    source(code, "lib/x.c")
    monkeypatch.chdir(tmp_path / "src")
    for name in ("./x.c", "src/x.c", "../src/x.c", str(tmp_path / "src/x.c")):
        found = json.loads(analyze(".", "../lib", "--size", f"{name}:f:n=7", "-f", "json").out)["symbols"]
        assert {s["scope"]: s["value"] for s in found} == {"x.c:f": 7, "../lib/x.c:f": None}


def test_a_loop_is_named_in_any_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "src").mkdir()
    monkeypatch.chdir(tmp_path / "src")
    loops = [("x.c:f:2:3", "x.c", 2), ("sub/x.c:f:2:3", "sub/x.c", 2), ("../x.c:f:2:3", "../x.c", 2)]
    wanted = ("x.c:2", "./x.c:2", "x.c:2:3", "x.c:f:2:3", "./x.c:f:2:3", "src/x.c:2", f"{tmp_path}/src/x.c:2")
    for text in wanted:
        assert find("--why", text, loops, lambda path: f"src/{path}") == "x.c:f:2:3", text
    assert find("--why", "../x.c:2", loops) == "../x.c:f:2:3"


@pytest.mark.parametrize(
    ("written", "path", "expected"),
    [("a.c", "src/a.c", True), ("src/a.c", "src/a.c", True), ("b/a.c", "src/a.c", False), ("c.c", "src/abc.c", False)],
)
def test_a_written_name_means_a_file(written: str, path: str, expected: bool, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    assert names_file(written, path) == expected


def test_a_name_is_seen_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    assert [shown(p) for p in ("x.c", "../b/../x.c", tmp_path / "b" / "x.c")] == ["x.c", "../x.c", "../b/x.c"]


@pytest.mark.skipif(shutil.which("gcov") is None or shutil.which("gcc") is None, reason="needs gcc and gcov")
def test_a_profile_is_of_one_of_two_files_of_a_name(analyze: Any, source: Any, tmp_path: Path) -> None:
    loop = "  for (int i = 0; i < n + 4; i++) a[i] = 1;\n"
    code = "int main(int n, char **v) { double a[9]; (void)v;\n" + loop + "  return a[0] < 0; }\n"
    for tree in ("a", "b"):
        source(code, f"{tree}/src/x.c")
    folder = tmp_path / "a" / "src"
    subprocess.run(["gcc", "--coverage", "-O0", "-o", "x", "x.c"], cwd=folder, check=True)
    subprocess.run(["./x"], cwd=folder, check=True)
    data = next(folder.glob("*.gcda")).name
    subprocess.run(["gcov", "-b", "--json-format", data], cwd=folder, check=True, capture_output=True)
    found = json.loads(analyze("b", "a", "--profile", "a/src", "-f", "json").out)["files"]
    counted = {file["path"]: ["profile" in loop for loop in file["loops"]] for file in found}
    assert counted == {"a/src/x.c": [True], "b/src/x.c": [False]}
