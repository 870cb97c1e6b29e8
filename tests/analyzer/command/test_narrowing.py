"""Only what is new, only what changed, only what is wanted: baselines, git, rules, hooks, two reports compared."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analyzer.selection.changes import WHOLE, hunks, touches

CODE = """\
double m[4096][4096], q[4096][4096];
void moves(void) {
  for (int i = 0; i < 4096; i++)
    for (int j = 0; j < 4096; j++)
      m[i][j] = q[i][j] * 2;
}
"""
NEW = "void fresh(double *a) { for (int i = 0; i < 100000000; i++) a[i] += 1; }\n"
OPTIONS = ("-t", "gtx470", "--model", "boat-hull", "-f", "concise")

Git = Callable[..., None]


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """A repository in the folder of the test; nobody's configuration is read."""
    for name in ("FROM", "TO"):
        monkeypatch.delenv(f"PRE_COMMIT_{name}_REF", raising=False)
    who = {f"GIT_{role}_{what}": "t@t" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}

    def run(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=tmp_path, env=environment, check=True, capture_output=True)

    run("init", "-q")
    return run


def rules(out: str) -> list[tuple[int, str]]:
    """Line and rule of each finding."""
    return [(int(line.split(":")[1]), line[-7:-1]) for line in out.splitlines()]


# --- baselines


def test_what_the_baseline_holds_is_not_listed_again_wherever_it_moves(analyze: Any, source: Any) -> None:
    source(CODE)
    assert rules(analyze("a.c", *OPTIONS, "--write-baseline", "known.json").out) == [(3, "PAR001")]
    source("// a head\n\n" + CODE.replace("\n    ", "\n\t\t") + NEW)
    ran = analyze("a.c", *OPTIONS, "--baseline", "known.json", "--fail-on", "warning")
    assert ran.code == 1
    assert rules(ran.out) == [(9, "PAR001")]


def test_a_changed_loop_is_new_and_its_old_entry_stale(analyze: Any, source: Any) -> None:
    source(CODE)
    analyze("a.c", *OPTIONS, "--write-baseline", "known.json")
    source(CODE.replace("* 2", "* 3"))
    ran = analyze("a.c", *OPTIONS, "--baseline", "known.json")
    assert rules(ran.out) == [(3, "PAR001")]
    assert "not found any more: a.c moves() PAR001; --write-baseline renews it" in ran.err


def test_the_gate_passes_on_what_is_known(analyze: Any, source: Any) -> None:
    source(CODE)
    assert analyze("a.c", *OPTIONS, "--fail-on", "warning").code == 1
    analyze("a.c", *OPTIONS, "--write-baseline", "known.json")
    assert analyze("a.c", *OPTIONS, "--fail-on", "warning", "--baseline", "known.json").code == 0


def test_entries_of_files_that_were_not_looked_at_stay_while_these_are_there(
    analyze: Any, source: Any, tmp_path: Path
) -> None:
    source(CODE)
    source(CODE, "b.c")
    analyze("a.c", *OPTIONS, "--write-baseline", "known.json")
    analyze("b.c", *OPTIONS, "--write-baseline", "known.json")
    entries = json.loads((tmp_path / "known.json").read_text())["findings"]
    assert [entry["path"] for entry in entries] == ["a.c", "b.c"]
    assert "not found any more" not in analyze("b.c", *OPTIONS, "--baseline", "known.json").err
    (tmp_path / "a.c").rename(tmp_path / "c.c")
    assert "holds 2 findings" in analyze("c.c", *OPTIONS, "--write-baseline", "known.json").err
    entries = json.loads((tmp_path / "known.json").read_text())["findings"]
    assert [entry["path"] for entry in entries] == ["b.c", "c.c"]


BROKEN = ("", "[]", '{"version": 2, "findings": []}', '{"version": 1}', '{"version": 1, "findings": [3]}')


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_baseline_is_refused(text: str, analyze: Any, source: Any, tmp_path: Path) -> None:
    source(CODE)
    (tmp_path / "known.json").write_text(text)
    ran = analyze("a.c", *OPTIONS, "--baseline", "known.json")
    assert ran.code == 2
    assert "known.json" in ran.err
    assert ran.out == ""


def test_sarif_tells_known_from_new(analyze: Any, source: Any) -> None:
    source(CODE)
    analyze("a.c", *OPTIONS, "--write-baseline", "known.json")
    source(CODE + NEW)
    log = json.loads(analyze("a.c", *OPTIONS[:-1], "sarif", "--baseline", "known.json").out)
    states = [result["baselineState"] for result in log["runs"][0]["results"]]
    assert states == ["unchanged", "new"]


def test_text_says_how_many_loops_are_left_out(analyze: Any, source: Any) -> None:
    source(CODE)
    analyze("a.c", *OPTIONS, "--write-baseline", "known.json")
    out = analyze("a.c", *OPTIONS[:-1], "text", "--baseline", "known.json").out
    assert "Not shown 2 loops: 2 known from the baseline" in out
    assert "3:3 " not in out


# --- rules


def test_rules_and_families_are_selected(analyze: Any, source: Any) -> None:
    source(CODE + "void chain(int n, double *a) { for (int i = 1; i < n; i++) a[i] += a[i - 1]; }\n")
    assert [r for _, r in rules(analyze("a.c", *OPTIONS).out)] == ["PAR001", "DEP001"]
    assert [r for _, r in rules(analyze("a.c", *OPTIONS, "--select", "dep").out)] == ["DEP001"]
    assert [r for _, r in rules(analyze("a.c", *OPTIONS, "--ignore", "DEP001,OFF").out)] == ["PAR001"]


def test_rules_are_ignored_per_path(analyze: Any, source: Any, tmp_path: Path) -> None:
    source(CODE)
    source(CODE, "old/b.c")
    (tmp_path / "analyze.toml").write_text('[per-path-ignores]\n"old/" = ["PAR"]\n')
    assert analyze(".", *OPTIONS).out.startswith("a.c:3:3: warning: ")
    assert len(analyze(".", *OPTIONS).out.splitlines()) == 1


def test_an_unknown_rule_is_refused_before_anything_is_analysed(analyze: Any) -> None:
    ran = analyze("missing.c", "--select", "OFF1")
    assert ran.code == 2
    assert "did you mean OFF" in ran.err


def test_an_ignore_that_ignores_nothing_is_reported(analyze: Any, source: Any) -> None:
    source(CODE.replace("  for (int i", "  // analyze: ignore[DEP] why\n  for (int i"))
    assert (4, "SRC011") in rules(analyze("a.c", *OPTIONS).out)


@pytest.mark.parametrize("word", ["ignor", "IGNORE", "Independent", "sizes"])
def test_a_word_that_is_nearly_one_of_ours_is_reported(word: str, analyze: Any, source: Any) -> None:
    source(CODE.replace("  for (int i", f"  // analyze: {word}[PAR001] why\n  for (int i"))
    out = analyze("a.c", *OPTIONS).out
    assert f"a.c:3:1: warning: `analyze: {word}` is not known; did you mean " in out
    assert (4, "PAR001") in rules(out)


# --- git


def test_only_loops_with_changed_lines_are_listed(git: Git, analyze: Any, source: Any) -> None:
    source(CODE)
    git("add", ".")
    git("commit", "-qm", "first")
    source("// a head\n" + CODE + NEW)
    assert rules(analyze("a.c", *OPTIONS, "--changed-since", "HEAD").out) == [(8, "PAR001")]
    assert rules(analyze("a.c", *OPTIONS, "--staged").out) == []
    git("add", ".")
    assert rules(analyze("a.c", *OPTIONS, "--staged").out) == [(8, "PAR001")]


def test_a_changed_body_is_a_changed_loop(git: Git, analyze: Any, source: Any) -> None:
    source(CODE)
    git("add", ".")
    git("commit", "-qm", "first")
    source(CODE.replace("* 2", "* 3"))
    assert rules(analyze("a.c", *OPTIONS, "--changed-since", "HEAD").out) == [(3, "PAR001")]


def test_a_file_that_git_does_not_know_is_new(git: Git, analyze: Any, source: Any) -> None:
    source("int x;\n")
    git("add", ".")
    git("commit", "-qm", "first")
    source(CODE, "sub/b.c")
    assert rules(analyze("sub/b.c", *OPTIONS, "--changed-since", "HEAD").out) == [(3, "PAR001")]


@pytest.mark.parametrize("ref", ["nope", "--output=x", ""])
def test_a_ref_that_is_none_is_refused(ref: str, git: Git, analyze: Any, source: Any, tmp_path: Path) -> None:
    source(CODE)
    ran = analyze("a.c", *OPTIONS, f"--changed-since={ref}")
    assert ran.code == 2
    assert ran.out == ""
    assert ref in ran.err
    assert not (tmp_path / "x").exists()


def test_what_others_changed_since_the_branch_left_is_no_change(git: Git, analyze: Any, source: Any) -> None:
    source(CODE)
    git("add", ".")
    git("commit", "-qm", "first")
    git("branch", "other")
    source(CODE.replace("* 2", "* 3"))
    git("commit", "-qam", "theirs")
    git("branch", "-M", "trunk")
    git("checkout", "-q", "other")
    source(CODE + NEW)
    assert rules(analyze("a.c", *OPTIONS, "--changed-since", "trunk").out) == [(7, "PAR001")]


def test_in_a_subdirectory_paths_are_seen_from_there(
    git: Git, analyze: Any, source: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source(CODE, "sub/deep/b.c")
    git("add", ".")
    git("commit", "-qm", "first")
    source(CODE + NEW, "sub/deep/b.c")
    monkeypatch.chdir(tmp_path / "sub")
    for path in ("deep/b.c", ".", "..", str(tmp_path / "sub" / "deep" / "b.c")):
        ran = analyze(path, *OPTIONS, "--changed-since", "HEAD")
        assert (rules(ran.out), ran.out[:9]) == ([(7, "PAR001")], "deep/b.c:"), path


def test_a_file_that_is_renamed_has_the_lines_that_changed(git: Git, analyze: Any, source: Any) -> None:
    """And none where it has its old text; the gate takes that for a change, not for a run over all files."""
    source(CODE)
    git("add", ".")
    git("commit", "-qm", "first")
    git("mv", "a.c", "b.c")
    assert rules(analyze("b.c", *OPTIONS, "--changed-since", "HEAD").out) == []
    assert analyze("b.c", *OPTIONS[:4], "--hook", "gate").code == 0
    source(CODE + NEW, "b.c")
    assert rules(analyze("b.c", *OPTIONS, "--changed-since", "HEAD").out) == [(7, "PAR001")]


def test_a_file_that_is_gone_is_no_trouble(git: Git, analyze: Any, source: Any, tmp_path: Path) -> None:
    source(CODE)
    source(CODE, "b.c")
    git("add", ".")
    git("commit", "-qm", "first")
    (tmp_path / "b.c").unlink()
    ran = analyze(".", *OPTIONS, "--changed-since", "HEAD")
    assert (ran.code, ran.out) == (0, "")
    git("rm", "-q", "b.c")
    assert analyze(".", *OPTIONS, "--staged").out == ""


def test_before_the_first_commit_all_that_is_staged_is_new(git: Git, analyze: Any, source: Any) -> None:
    source(CODE)
    git("add", ".")
    assert rules(analyze("a.c", *OPTIONS, "--staged").out) == [(3, "PAR001")]


def test_a_shallow_clone_says_what_it_lacks_and_compares_what_it_has(
    git: Git, analyze: Any, source: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in (CODE, CODE + "// one more\n", CODE + NEW):
        source(text)
        git("add", ".")
        git("commit", "-qm", "x")
    git("branch", "-M", "trunk")
    git("branch", "old", "HEAD~1")
    git("clone", "-q", "--depth=1", "--no-single-branch", tmp_path.as_uri(), "clone")
    monkeypatch.chdir(tmp_path / "clone")
    ran = analyze("a.c", *OPTIONS, "--changed-since", "HEAD~1")
    assert ran.code == 2
    assert "HEAD~1" in ran.err
    assert "this clone is shallow: try git fetch --unshallow" in ran.err
    assert rules(analyze("a.c", *OPTIONS, "--changed-since", "origin/old").out) == [(7, "PAR001")]
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", "origin/old")
    monkeypatch.setenv("PRE_COMMIT_TO_REF", "HEAD")
    assert rules(analyze("a.c", *OPTIONS[:4], "--hook", "gate").out) == [(7, "PAR001")]


@pytest.mark.parametrize("option", [("--staged",), ("--changed-since", "HEAD"), ("--hook", "gate")])
def test_without_git_or_a_repository_it_is_said(
    option: tuple[str, ...], analyze: Any, source: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    source(CODE)
    ran = analyze("a.c", *OPTIONS, *option)
    assert (ran.code, ran.out) == (2, "")
    assert "not a git repository" in ran.err
    assert "look at a repository of git" in ran.err
    monkeypatch.setenv("PATH", "")
    ran = analyze("a.c", *OPTIONS, *option)
    assert (ran.code, ran.out) == (2, "")
    assert "git cannot be run (No such file or directory); " in ran.err
    assert option[0] in ran.err


def test_two_ranges_at_once_are_refused(analyze: Any, source: Any) -> None:
    source(CODE)
    ran = analyze("a.c", "--staged", "--changed-since", "HEAD")
    assert ran.code == 2
    assert "give one of the two" in ran.err


@pytest.mark.parametrize("name", ["ä\tb.c", 'q"\\.c', "sp ace.c", "\u2028.c", "\udcff.c", "new\nline.c"])
def test_files_with_any_name_are_found(name: str, git: Git, analyze: Any, source: Any, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    path = tmp_path / "sub" / name
    path.write_text("int x;\n")
    git("add", ".")
    git("commit", "-qm", "first")
    path.write_text("// \f@@ -0,0 +1,900 @@\n" + CODE + NEW)
    ran = analyze("sub", *OPTIONS, "--changed-since", "HEAD")
    assert len(ran.out.splitlines()) == 2, ran.out + ran.err


def test_nothing_that_the_repository_configures_is_run(git: Git, analyze: Any, source: Any, tmp_path: Path) -> None:
    trap = tmp_path / "trap.sh"
    trap.write_text("#!/bin/sh\ntouch sprung\n")
    trap.chmod(0o755)
    source(CODE)
    (tmp_path / ".gitattributes").write_text("*.c diff=evil\n")
    git("add", ".")
    git("commit", "-qm", "first")
    for name in ("diff.external", "diff.evil.textconv", "diff.evil.command", "core.fsmonitor", "core.pager"):
        git("config", name, str(trap))
    source(CODE + NEW)
    (tmp_path / "sprung").unlink(missing_ok=True)
    assert rules(analyze("a.c", *OPTIONS, "--changed-since", "HEAD").out) == [(7, "PAR001")]
    assert not (tmp_path / "sprung").exists()


def test_hunks_of_a_diff() -> None:
    diff = (
        "diff --git a/a.c b/a.c\n--- a/a.c\n+++ b/a.c\n@@ -3,0 +4,2 @@ f\n+x\n+++ b/not a path\n"
        "@@ -9,2 +11,0 @@\n-y\n-z\n"
        'diff --git "a/\\303\\244 \\t.c" "b/\\303\\244 \\t.c"\n'
        '--- /dev/null\n+++ "b/\\303\\244 \\t.c"\n@@ -0,0 +1 @@\n+x\n'
        "diff --git a/gone.c b/gone.c\n--- a/gone.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    )
    assert dict(hunks(diff)) == {"a.c": ((4, 5), (11, 12)), "ä \t.c": ((1, 1),)}
    assert touches(((4, 5),), 1, 4)
    assert not touches(((4, 5),), 6, 9)
    assert touches(WHOLE, 7, 7)


# --- the hook


def test_the_gate_fails_on_new_candidates_only(git: Git, analyze: Any, source: Any) -> None:
    source(CODE)
    git("add", ".")
    git("commit", "-qm", "first")
    source(CODE + NEW)
    git("add", ".")
    gate = analyze("a.c", *OPTIONS[:4], "--hook", "gate")
    assert (gate.code, rules(gate.out)) == (1, [(7, "PAR001")])
    advice = analyze("a.c", *OPTIONS[:4], "--hook", "advice")
    assert (advice.code, advice.out) == (0, gate.out)
    source(CODE + "// analyze: ignore[PAR001] next year\n" + NEW)
    git("add", ".")
    assert analyze("a.c", *OPTIONS[:4], "--hook", "gate").code == 0


def test_between_two_refs(git: Git, analyze: Any, source: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    source(CODE)
    git("add", ".")
    git("commit", "-qm", "first")
    source(CODE + NEW)
    git("commit", "-qam", "second")
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", "HEAD~1")
    monkeypatch.setenv("PRE_COMMIT_TO_REF", "HEAD")
    assert rules(analyze("a.c", *OPTIONS[:4], "--hook", "gate").out) == [(7, "PAR001")]


def test_with_nothing_staged_all_lines_count(git: Git, analyze: Any, source: Any) -> None:
    source(CODE)
    git("add", ".")
    git("commit", "-qm", "first")
    assert rules(analyze("a.c", *OPTIONS[:4], "--hook", "gate").out) == [(3, "PAR001")]


FIXED = (
    "static int m;\nstatic void work(int n);\nint main(void) { m = 1 << 20; work(1 << 20); return 0; }\n"
    "static double a[1 << 20], b[1 << 20];\n"
    "static void work(int n) { for (int i = 0; i < n; i++) a[i] = b[i] / (1.0 + b[i]); }\n"
    "void more(void) { for (int i = 0; i < m; i++) b[i] = a[i] / (1.0 + a[i]); }\n"
)
"""Sizes that the calls, and the only assignment, fix."""


@pytest.mark.parametrize("target", ["xeon6248", "h200"])
def test_the_hook_knows_sizes_that_the_program_fixes(git: Git, analyze: Any, source: Any, target: str) -> None:
    source(FIXED)
    git("add", ".")
    assert [line for line, _ in rules(analyze("a.c", "-t", target, "--hook", "advice").out)] == [5, 6]


@pytest.mark.parametrize("hook", ["gate", "advice"])
def test_a_header_alone_and_a_broken_file_never_fail(hook: str, git: Git, analyze: Any, source: Any) -> None:
    source("static inline void f(double *a) { for (int i = 0; i < 100000000; i++) a[i] += 1; }\n", "a.h")
    source("void f( { for\n#include <nowhere.h>\n", "b.c")
    git("add", ".")
    assert analyze("a.h", *OPTIONS[:4], "--hook", hook).code == 0
    assert analyze("b.c", *OPTIONS[:4], "--hook", hook).code == 0


def test_the_hook_leaves_out_what_the_settings_exclude(git: Git, analyze: Any, source: Any) -> None:
    source(CODE, "third_party/a.c")
    source(CODE, "b.c")
    git("add", ".")
    source('exclude = ["third_party/"]\n', "analyze.toml")
    assert analyze("third_party/a.c", *OPTIONS[:4], "--hook", "gate").code == 0
    ran = analyze("third_party/a.c", "b.c", *OPTIONS[:4], "--hook", "gate")
    assert (ran.code, ran.out[:6]) == (1, "b.c:3:")


# --- two reports


def test_changes_between_two_reports(analyze: Any, source: Any) -> None:
    chain = "void chain(int n, double *a, double *b) { for (int i = 1; i < n; i++) a[i] += a[i - 1]; }\n"
    source(CODE + chain + NEW)
    analyze("a.c", *OPTIONS[:-1], "json=old.json")
    source("// head\n" + CODE + chain.replace("a[i - 1]", "b[i - 1]") + NEW.replace("fresh", "other"))
    analyze("a.c", *OPTIONS[:-1], "json=new.json")
    lines = analyze("--compare", "old.json", "new.json").out.splitlines()
    assert lines == [
        "a.c:8 in chain(): host [carried-dependence] -> depends [unknown-size] (parallel no -> yes)",
        "new   a.c:9 in other(): host-parallel [faster-on-host-threads]",
        "gone  a.c:8 in fresh(): host-parallel [faster-on-host-threads]",
        "1 changed, 1 new, 1 gone, 2 the same",
    ]


def test_every_kind_of_change_is_said(analyze: Any, source: Any) -> None:
    """Advice, time, parallelism, a loop that moved, one that is new, one of another file that is gone."""
    slow = "void slow(int n, double *a) { for (int i = 0; i < 1000; i++) a[i] += 1; }\n"
    source(CODE + slow + NEW)
    source(NEW, "b.c")
    analyze(".", *OPTIONS[:-1], "json=old.json")
    source("\n" + CODE.replace("m[i][j] = q", "m[i][j] += q") + slow.replace("1000", "900000") + NEW, "a.c")
    source(CODE, "c.c")
    (Path.cwd() / "b.c").unlink()
    analyze(".", *OPTIONS[:-1], "json=new.json")
    ran = analyze("--compare", "old.json", "new.json")
    assert ran.code == 0
    lines = ran.out.splitlines()
    kinds = [line.split()[0] if line.startswith(("new ", "gone ")) else line.split(" ")[0] for line in lines]
    assert kinds == ["a.c:4", "a.c:8", "new", "new", "gone", "2"]
    assert re.fullmatch(
        r"a\.c:4 in moves\(\): host-parallel \[\S+\] \([\d.]+ ms -> [\d.]+ ms, [\d.]+x slower\)", lines[0]
    )
    assert lines[1].startswith("a.c:8 in slow(): host [too-small] -> host-parallel [faster-on-host-threads] (")
    assert lines[-1] == "2 changed, 2 new, 1 gone, 2 the same"


@pytest.mark.parametrize(
    ("level", "changed", "code"), [("warning", True, 1), ("error", True, 0), ("warning", False, 0)]
)
def test_a_comparison_fails_on_what_is_new_or_changed(
    level: str, changed: bool, code: int, analyze: Any, source: Any
) -> None:
    source(CODE)
    analyze("a.c", *OPTIONS[:-1], "json=old.json")
    source("// a head\n" + CODE + (NEW if changed else ""))
    analyze("a.c", *OPTIONS[:-1], "json=new.json")
    assert analyze("--compare", "old.json", "new.json", "--fail-on", level).code == code
    assert analyze("--compare", "old.json", "new.json").code == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"schema_version": "2"}', "expected a report with schema_version"),
        ("{", "not JSON"),
        (None, "cannot be read"),
    ],
)
def test_what_cannot_be_compared_is_said(text: str | None, said: str, analyze: Any, source: Any) -> None:
    source(CODE)
    analyze("a.c", *OPTIONS[:-1], "json=old.json")
    if text is not None:
        source(text, "other.json")
    ran = analyze("--compare", "old.json", "other.json")
    assert (ran.code, ran.out) == (2, "")
    assert f"other.json: {said}" in ran.err
    assert "leave out the paths" in analyze("a.c", "--compare", "old.json", "old.json").err


def test_what_was_asked_differently_is_said(analyze: Any, source: Any) -> None:
    source(CODE)
    analyze("a.c", *OPTIONS[:-1], "json=old.json")
    analyze("a.c", "-t", "h200", "--model", "boat-hull", "-f", "json=new.json")
    assert analyze("--compare", "old.json", "new.json").out.splitlines()[0] == "note: target was gtx470, is h200"
    other = ("--host", "q8300", "--min-speedup", "2", "--set", "gtx470.link.rate=1GB/s", "-DX")
    analyze("a.c", *OPTIONS[:-1], "json=new.json", *other)
    notes = [line for line in analyze("--compare", "old.json", "new.json").out.splitlines() if line[:4] == "note"]
    assert notes == [
        "note: host was xeon6248, is q8300",
        "note: min-speedup was 1.5, is 2.0",
        "note: defines was none, is X",
        "note: the figures of gtx470 are not the same",
    ]
    assert analyze("--compare", "old.json", "old.json").out == "0 changed, 0 new, 0 gone, 2 the same\n"


GATHER = """\
float a[10000000], b[10000000];
int k[10000000];
void f(void) { for (int i = 0; i < 10000000; i++) a[i] = b[k[i]] * 2; }
"""


@pytest.mark.parametrize(
    ("options", "listed"),
    [
        ((), {"MEM002", "PAR001"}),
        (("--select", "MEM002"), {"MEM002"}),
        (("--select", "OFF,PAR"), {"PAR001"}),
        (("--ignore", "MEM"), {"PAR001"}),
        (("--ignore", "MEM,PAR"), set()),
    ],
)
def test_findings_of_one_loop_are_chosen_one_by_one(
    analyze: Any, source: Any, options: tuple[str, ...], listed: set[str]
) -> None:
    source(GATHER)
    run = ("a.c", "-t", "h200", "--model", "boat-hull", *options)
    assert {line[-7:-1] for line in analyze(*run, "-f", "concise").out.splitlines()} == listed
    found = json.loads(analyze(*run, "-f", "sarif").out)["runs"][0]["results"]
    assert {result["ruleId"] for result in found} == listed


def test_a_baseline_of_one_rule_leaves_the_others_of_the_loop(analyze: Any, source: Any, tmp_path: Path) -> None:
    source(GATHER)
    run = ("a.c", "-t", "h200", "--model", "boat-hull", "-f", "concise")
    analyze(*run, "--write-baseline", "known.json")
    known = json.loads((tmp_path / "known.json").read_text())
    known["findings"] = [entry for entry in known["findings"] if entry["rule"] == "PAR001"]
    (tmp_path / "known.json").write_text(json.dumps(known))
    assert [line[-7:-1] for line in analyze(*run, "--baseline", "known.json").out.splitlines()] == ["MEM002"]
