"""The commit that a report says its files are of."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from analyzer.report.document import RevisionEntry
from analyzer.selection.revision import revision, says_which

from ...conftest import Analyze

TEXT = "void f(double *x, int n) {\n  for (int i = 0; i < n; i++)\n    x[i] *= 2;\n}\n"


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Runs git in an empty repository, which is the working directory."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> str:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        return subprocess.run(["git", *who, *words], check=True, capture_output=True, text=True).stdout.strip()

    run("init", "-b", "main")
    return run


def committed(git: Callable[..., str], **files: str) -> str:
    for name, text in files.items():
        Path(f"{name}.c").write_bytes(text.encode())
    git("add", ".")
    git("commit", "-m", "some")
    return git("rev-parse", "HEAD")


def test_files_as_committed_and_changed_since(git: Callable[..., str]) -> None:
    commit = committed(git, a=TEXT, b=TEXT)
    here = str(Path.cwd())
    assert revision(here, ["a.c", "b.c"]) == RevisionEntry(commit, ())
    Path("b.c").write_text(TEXT.replace("2", "3"))
    Path("new.c").write_text(TEXT)
    assert revision(here, ["a.c", "b.c", "new.c", "gone.c"]) == RevisionEntry(commit, ("b.c", "gone.c", "new.c"))
    git("add", ".")
    assert revision(here, ["b.c", "new.c"]) == RevisionEntry(commit, ("b.c", "new.c"))


def test_what_is_elsewhere_is_of_no_commit_here(
    git: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    commit = committed(git, a=TEXT)
    other = tmp_path_factory.mktemp("other") / "a.c"
    other.write_text(TEXT)
    assert revision(str(Path.cwd()), ["a.c", str(other)]) == RevisionEntry(commit, (str(other),))
    assert revision(str(Path.cwd()), [str(other)]) is None


def test_line_ends_of_another_system_are_no_change(git: Callable[..., str]) -> None:
    commit = committed(git, a=TEXT)
    Path("a.c").write_bytes(TEXT.replace("\n", "\r\n").encode())
    assert revision(str(Path.cwd()), ["a.c"]) == RevisionEntry(commit, ())


def test_names_that_git_would_take_for_patterns(git: Callable[..., str]) -> None:
    commit = committed(git, **{"*": TEXT, ":(top)x": TEXT, "ä\tb": TEXT})
    assert revision(str(Path.cwd()), ["*.c", ":(top)x.c", "ä\tb.c"]) == RevisionEntry(commit, ())


def test_no_repository_no_commit_no_git(
    git: Callable[..., str], tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert revision(str(Path.cwd()), []) is None
    assert revision(str(tmp_path_factory.mktemp("bare")), []) is None
    committed(git, a=TEXT)
    monkeypatch.setenv("PATH", "/nowhere")
    assert revision(str(Path.cwd()), ["a.c"]) is None


def test_nothing_that_the_repository_configures_is_run(git: Callable[..., str]) -> None:
    commit = committed(git, a=TEXT)
    for setting in ("filter.f.clean", "filter.f.smudge", "filter.f.process", "core.fsmonitor", "core.sshCommand"):
        git("config", setting, f"touch {Path.cwd()}/was-run; cat")
    Path(".gitattributes").write_text("* filter=f\n")
    Path("a.c").write_text(TEXT + "\n")
    assert revision(str(Path.cwd()), ["a.c"]) == RevisionEntry(commit, ("a.c",))
    assert not Path("was-run").exists()


@pytest.mark.parametrize("further", [False, True], ids=["first", "further work tree"])
def test_what_says_which_commit_changes_with_it(git: Callable[..., str], tmp_path: Path, further: bool) -> None:
    committed(git, a=TEXT)
    top = tmp_path
    if further:
        git("worktree", "add", "../further", "-b", "other")
        top = tmp_path.parent / "further"

    def state() -> tuple[bytes | None, ...]:
        return tuple(Path(p).read_bytes() if Path(p).is_file() else None for p in says_which(str(top)))

    seen: dict[tuple[bytes | None, ...], str] = {}
    for words in (
        ("status",),
        ("commit", "--allow-empty", "-m", "next"),
        ("pack-refs", "--all"),
        ("commit", "--allow-empty", "-m", "after that"),
        ("checkout", "--detach", "HEAD~1"),
        ("checkout", "-b", "new"),
        ("reset", "--hard", "HEAD~1"),
    ):
        git("-C", str(top), *words)
        commit = git("-C", str(top), "rev-parse", "HEAD")
        assert seen.setdefault(state(), commit) == commit
    assert len(set(seen.values())) == 3


# --- in reports


def test_reports_say_it_and_an_answer_of_before_is_not_given_for_another_commit(
    git: Callable[..., str], analyze: Analyze, tmp_path: Path
) -> None:
    commit = committed(git, a=TEXT)
    answers = str(tmp_path.parent / "answers")
    words = ("a.c", "-t", "h200", "--cache-dir", answers, "-f", "html=a.html", "-f", "json=a.json")
    analyze(*words)
    assert json.loads(Path("a.json").read_text())["revision"] == {"commit": commit, "changed": []}
    assert f"<dd>{commit[:12]}</dd>" in Path("a.html").read_text()
    later = committed(git, b=TEXT)
    analyze(*words)
    assert json.loads(Path("a.json").read_text())["revision"] == {"commit": later, "changed": []}
    Path("a.c").write_text(TEXT.replace("2", "3"))
    analyze(*words)
    assert json.loads(Path("a.json").read_text())["revision"] == {"commit": later, "changed": ["a.c"]}
    assert f"<dd>{later[:12]}, 1 file changed since</dd>" in Path("a.html").read_text()


def test_parts_of_a_run_are_of_one_commit_or_none(git: Callable[..., str], analyze: Analyze) -> None:
    commit = committed(git, a=TEXT, b=TEXT)
    Path("b.c").write_text(TEXT.replace("2", "3"))

    def parts() -> None:
        for k in (1, 2):
            analyze("a.c", "b.c", "-t", "h200", "--shard", f"{k}/2", "-f", f"json={k}.json")

    def merged() -> object:
        return json.loads(analyze("--merge", "1.json", "2.json", "-f", "json").out).get("revision")

    parts()
    assert merged() == {"commit": commit, "changed": ["b.c"]}
    committed(git, c=TEXT)
    analyze("a.c", "b.c", "-t", "h200", "--shard", "1/2", "-f", "json=1.json")
    assert merged() is None
