"""The hooks as pre-commit itself runs them, from a repository that holds .pre-commit-hooks.yaml and the package.

pre-commit makes an environment and installs the package into it with pip, as it does for users. No network is needed:
what the package depends on, and what builds it, is found in the environment of the tests (PYTHONPATH). With
BOATHULL_INDEX=1 one more test installs everything from the package index.
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("pre_commit", reason="pre-commit is not installed: its hooks are not run")

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = (".pre-commit-hooks.yaml", "pyproject.toml", "README.md", "LICENSE")
WHO = {f"GIT_{role}_{what}": "t@t" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
WHEN = {f"GIT_{role}_DATE": "2020-01-01T00:00:00Z" for role in ("AUTHOR", "COMMITTER")}
OFFLINE = {
    "PIP_NO_INDEX": "1",
    "PIP_NO_BUILD_ISOLATION": "0",  # pip reads this as: no isolation
    "PIP_NO_COMPILE": "1",
    "PYTHONPATH": sysconfig.get_path("purelib"),
}

OLD = """\
double m[4096][4096], q[4096][4096];
void moves(void) {
  for (int i = 0; i < 4096; i++)
    for (int j = 0; j < 4096; j++)
      m[i][j] = q[i][j] * 2;
}
"""
NEW = """\
void fresh(float *restrict a) {
  for (int i = 0; i < 10000000; i++)
    for (int k = 0; k < 1000; k++)
      a[i] = a[i] * 0.5f + 1.0f;
}
"""
CANDIDATE = "a.c:8:3: OFF001"
KNOWN = "a.c:3:3: PAR001"


class Done(NamedTuple):
    """A program that ended: its exit code, and all that it wrote."""

    code: int
    said: str


class Repository(NamedTuple):
    """A stranger's repository with the hooks in its .pre-commit-config.yaml."""

    folder: Path
    environment: dict[str, str]
    hooks: Path

    def run(self, *command: str, **environment: str) -> Done:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return Done(done.returncode, done.stdout)

    def git(self, *arguments: str) -> Done:
        return self.run("git", *arguments)

    def pre_commit(self, *arguments: str, **environment: str) -> Done:
        return self.run(sys.executable, "-m", "pre_commit", *arguments, **environment)

    def write(self, text: str, name: str = "a.c") -> None:
        (self.folder / name).write_text(text, encoding="utf-8")
        self.git("add", name)

    def commit(self) -> None:
        assert self.git("commit", "-qm", "x", "--no-verify").code == 0

    def configure(self, *arguments: str) -> None:
        """Both hooks; `arguments` for the gate, in place of its own."""
        given = f", args: [{', '.join(arguments)}]" if arguments else ""
        revision = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=self.hooks, text=True).strip()
        self.write(
            f"repos:\n- repo: {self.hooks}\n  rev: {revision}\n"
            f"  hooks:\n  - {{id: analyze-offload{given}}}\n  - {{id: analyze-offload-advice}}\n",
            ".pre-commit-config.yaml",
        )


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of this run have in common, with the repository that the hooks come from."""
    folder = tmp_path_factory.getbasetemp()
    folder = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    if shutil.which("git") is None:
        pytest.skip("git is not installed: the hooks of pre-commit are not run")
    made = tmp_path_factory.mktemp("made")
    shutil.copytree(ROOT / "src", made / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in SHIPPED:
        shutil.copy(ROOT / name, made)
    for command in (("init", "-q"), ("add", "--force", "."), ("commit", "-qm", "x")):
        subprocess.run(["git", *command], cwd=made, env={**os.environ, **WHO, **WHEN}, check=True)
    with contextlib.suppress(OSError):  # another worker was faster
        made.rename(folder / "boathull")
    return folder


@pytest.fixture
def repository(shared: Path, tmp_path: Path) -> Repository:
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "LANG") if name in os.environ}
    folder, home = tmp_path / "repository", shared / "home"
    folder.mkdir()
    home.mkdir(exist_ok=True)
    own = {"HOME": str(home), "PRE_COMMIT_HOME": str(shared / "pre-commit"), "GIT_CONFIG_SYSTEM": os.devnull}
    found = Repository(folder, {**kept, **WHO, **OFFLINE, **own}, shared / "boathull")
    found.git("init", "-q")
    found.configure()
    found.write(OLD)
    found.commit()
    return found


def findings(said: str) -> list[str]:
    """Place and rule of each finding in what a hook wrote."""
    return [f"{place} {rule}" for place, rule in re.findall(r"^(a\.c:\d+:\d+:) \w+: .* \[(\w+)\]$", said, re.MULTILINE)]


def test_the_hooks_are_what_pre_commit_takes() -> None:
    import yaml

    path = ROOT / ".pre-commit-hooks.yaml"
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    gate, advice = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert [hook["id"] for hook in (gate, advice)] == ["analyze-offload", "analyze-offload-advice"]
    for hook in (gate, advice):
        assert (hook["language"], hook["types_or"], hook["require_serial"]) == ("python", ["c"], True)
        assert "pass_filenames" not in hook
    assert advice["verbose"]
    assert not gate.get("verbose")


def test_try_repo_installs_the_hook_and_runs_it(repository: Repository) -> None:
    done = repository.pre_commit("try-repo", str(repository.hooks), "analyze-offload", "--all-files")
    assert (done.code, findings(done.said)) == (1, [KNOWN]), done.said
    assert "new loops worth offloading" in done.said


def test_a_commit_is_stopped_by_a_new_candidate_alone(repository: Repository) -> None:
    """With `git commit -a`, whose index is not the one of the repository while hooks run."""
    assert repository.pre_commit("install").code == 0
    repository.write("// a head\n" + OLD + "int more;\n")
    done = repository.git("commit", "-am", "no loop changed")
    assert (done.code, findings(done.said)) == (0, []), done.said

    (repository.folder / "a.c").write_text(OLD + "\n" + NEW, encoding="utf-8")
    done = repository.git("commit", "-am", "a new one")
    assert done.code == 1, done.said
    assert findings(done.said) == ["a.c:9:3: OFF001"] * 2  # the gate, and advice
    assert "advice on offloading changed loops.......................................Passed" in done.said

    marked = NEW.replace("  for (int i", "  // analyze: ignore[OFF001] next year\n  for (int i")
    (repository.folder / "a.c").write_text(OLD + "\n" + marked, encoding="utf-8")
    done = repository.git("commit", "-am", "accepted")
    assert (done.code, findings(done.said)) == (0, []), done.said


def test_what_the_baseline_holds_stays_known_until_its_code_changes(
    repository: Repository, analyze: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.folder)
    assert analyze("a.c", "--target", "h200", "--write-baseline", "known.json").code == 0
    repository.configure("--target", "h200", "--baseline", "known.json")
    run = ("run", "analyze-offload", "--all-files")
    assert repository.pre_commit(*run).code == 0
    repository.write("// a head\r\n\r\n" + OLD.replace("  for", "\tfor /* each */").replace("\n", "\r\n"))
    done = repository.pre_commit(*run)
    assert (done.code, findings(done.said)) == (0, []), done.said
    repository.write("// a head\n" + OLD.replace("* 2", "* 3"))
    done = repository.pre_commit(*run)
    assert (done.code, findings(done.said)) == (1, ["a.c:4:3: PAR001"]), done.said
    assert "the baseline holds what is not found any more: a.c moves() PAR001" in done.said


def test_between_two_refs_only_what_changed_counts(repository: Repository) -> None:
    repository.write(OLD + NEW)
    repository.commit()
    done = repository.pre_commit("run", "analyze-offload", "--from-ref", "HEAD~1", "--to-ref", "HEAD")
    assert (done.code, findings(done.said)) == (1, [CANDIDATE]), done.said
    done = repository.pre_commit("run", "analyze-offload", "--from-ref", "HEAD", "--to-ref", "HEAD")
    assert (done.code, findings(done.said)) == (0, []), done.said


def test_all_files_are_looked_at_without_a_compiler_and_advice_never_blocks(
    repository: Repository, tmp_path: Path
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("git", "sh"):
        (tools / name).symlink_to(str(shutil.which(name)))
    assert not any(shutil.which(name, path=str(tools)) for name in ("cc", "gcc", "clang", "cpp"))
    done = repository.pre_commit("run", "--all-files", PATH=str(tools))
    assert (done.code, findings(done.said)) == (1, [KNOWN] * 2), done.said
    gate, advice = done.said.index("new loops worth offloading"), done.said.index("advice on offloading changed loops")
    assert gate < done.said.index("Failed") < advice < done.said.index("Passed")


def test_what_cannot_be_analysed_never_stops_a_commit(repository: Repository) -> None:
    repository.write(NEW.replace("void", "static inline void"), "alone.h")
    repository.write('#include "nowhere.h"\nvoid f( { for\n', "broken.c")
    (repository.folder / "bytes.c").write_bytes(b"\xff\xfe\x00\x00void f(void) { for (;;) }")
    repository.write("", "empty.c")
    repository.git("add", ".")
    done = repository.pre_commit("run")
    assert done.code == 0, done.said
    assert "Traceback" not in done.said


def test_what_is_only_renamed_is_not_new(repository: Repository) -> None:
    repository.git("mv", "a.c", "b.c")
    done = repository.pre_commit("run", "analyze-offload")
    assert (done.code, "PAR001" in done.said) == (0, False), done.said


@pytest.mark.skipif("BOATHULL_INDEX" not in os.environ, reason="BOATHULL_INDEX=1 installs the hook from the index")
def test_try_repo_with_everything_from_the_index(repository: Repository) -> None:
    online = {name: value for name, value in os.environ.items() if name.startswith("PIP_")} | {"PYTHONPATH": ""}
    environment = {name: value for name, value in repository.environment.items() if name not in OFFLINE}
    found = repository._replace(environment=environment | online)
    done = found.pre_commit("try-repo", str(repository.hooks), "analyze-offload", "--all-files")
    assert (done.code, findings(done.said)) == (1, [KNOWN]), done.said
