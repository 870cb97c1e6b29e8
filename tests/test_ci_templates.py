"""action.yml and ci/gitlab.yml: their shell scripts run as they are, on a small repository, with a pull request that
changes one of its loops. Tools that validate such files do so where they are installed (`make templates`).

What a service would do besides is left out: setting up Python and uploading. `gh` is one of ours, which writes down
what it was asked.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

ROOT = Path(__file__).resolve().parents[1]
ACTION: Any = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
GITLAB: Any = yaml.safe_load((ROOT / "ci" / "gitlab.yml").read_text(encoding="utf-8"))
STEPS = {step["id"]: step for step in ACTION["runs"]["steps"]}
SHIPPED = ("pyproject.toml", "README.md", "LICENSE", "requirements.lock", "action.yml")
AUTHOR = {f"GIT_{role}_{what}": "t@t" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
# What the package depends on, and what builds it, is found in the environment of the tests.
OFFLINE = {
    "PIP_NO_INDEX": "1",
    "PIP_NO_BUILD_ISOLATION": "0",  # pip reads this as: no isolation
    "PYTHONPATH": sysconfig.get_path("purelib"),
}
OLD = """\
void old(float *restrict a) {
  for (int i = 0; i < 10000000; i++)
    for (int k = 0; k < 1000; k++)
      a[i] = a[i] * 0.5f + 1.0f;
}
"""
NEW = OLD.replace("old", "fresh").replace("0.5f", "0.25f")

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


class Ran(NamedTuple):
    """A script that ended: its exit code, all that it wrote, and what it hands on to later steps."""

    code: int
    said: str
    outputs: dict[str, str]


class Job(NamedTuple):
    """A checkout of the merge of a pull request, as shallow as the services make it."""

    checkout: Path
    base: str
    head: str
    environment: dict[str, str]

    def run(self, script: str, shell: tuple[str, ...] = ("bash", "--noprofile", "--norc", "-eo", "pipefail"),
            **variables: str) -> Ran:  # fmt: skip
        output = Path(self.environment["GITHUB_OUTPUT"])
        output.write_text("", encoding="utf-8")
        file = output.with_name("script")
        file.write_text(script, encoding="utf-8")
        done = subprocess.run(
            [*shell, str(file)], cwd=self.checkout, env=self.environment | variables, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        outputs = dict(line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())
        return Ran(done.returncode, done.stdout, outputs)

    def step(self, name: str, given: Mapping[str, str]) -> Ran:
        """A step of the action, its variables filled in as the service would."""
        step = STEPS[name]
        return self.run(step["run"], **{key: filled(text, given) for key, text in step.get("env", {}).items()})

    def analyze(self, **inputs: str) -> Ran:
        defaults = {f"inputs.{name}": str(value.get("default", "")) for name, value in ACTION["inputs"].items()}
        event = {"github.event.pull_request.base.sha": self.base, "github.event.pull_request.head.sha": self.head}
        return self.step("analyze", defaults | event | {f"inputs.{k.replace('_', '-')}": v for k, v in inputs.items()})


def filled(text: str, given: Mapping[str, str]) -> str:
    return re.sub(r"\$\{\{ (\S+) \}\}", lambda found: given[found[1]], text)


def git(folder: Path, *arguments: str) -> str:
    environment = os.environ | AUTHOR | {"GIT_CONFIG_GLOBAL": "/dev/null"}
    return subprocess.check_output(["git", *arguments], cwd=folder, env=environment, text=True).strip()


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables of a runner, with the action's own folder and analyze installed by its step."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    runner, action = tmp_path_factory.mktemp("runner"), tmp_path_factory.mktemp("action")
    shutil.copytree(ROOT / "docs" / "man", action / "docs" / "man")
    shutil.copytree(ROOT / "src", action / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in SHIPPED:
        shutil.copy(ROOT / name, action / name)
    (runner / "bin").mkdir()
    variables = {
        **{name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "GH_TOKEN")},
        **AUTHOR,
        "PATH": f"{runner / 'bin'}:{os.environ['PATH']}",
        "RUNNER_TEMP": str(runner),
        "GITHUB_ACTION_PATH": str(action),
        "GITHUB_REPOSITORY": "someone/program",
        "GITHUB_OUTPUT": str(runner / "output"),
        "GITHUB_STEP_SUMMARY": str(runner / "step.md"),
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "BOATHULL_NO_CACHE": "1",
    }
    ran = Job(runner, "", "", variables | OFFLINE).run(STEPS["install"]["run"], PYTHON=sys.executable)
    assert ran.code == 0, ran.said
    return variables | {"PYTHONPATH": OFFLINE["PYTHONPATH"]}


@pytest.fixture
def job(environment: dict[str, str], tmp_path: Path) -> Job:
    """In the branch to merge into a loop came in that the pull request does not have; it adds one of its own."""
    origin = tmp_path / "origin"
    origin.mkdir()
    git(origin, "init", "-q", "-b", "main")

    def committed(name: str, text: str) -> str:
        (origin / name).write_text(text, encoding="utf-8")
        git(origin, "add", name)
        git(origin, "commit", "-qm", name)
        return git(origin, "rev-parse", "HEAD")

    event = committed("a.c", OLD)
    git(origin, "checkout", "-q", "-b", "change")
    head = committed("b.c", NEW)
    git(origin, "checkout", "-q", "main")
    committed("c.c", NEW.replace("fresh", "of_others"))
    git(origin, "checkout", "-q", "-b", "merge")
    git(origin, "merge", "-q", "--no-ff", "-m", "merge\n\nparent 0", "change")
    git(origin, "config", "uploadpack.allowAnySHA1InWant", "true")
    checkout = tmp_path / "checkout"
    git(tmp_path, "clone", "-q", "--depth=1", "--branch", "merge", f"file://{origin}", str(checkout))
    Path(environment["GITHUB_STEP_SUMMARY"]).write_text("", encoding="utf-8")
    return Job(checkout, event, head, environment)


# --- the action


@needs_git
def test_a_pull_request_is_told_of_its_own_lines(job: Job) -> None:
    ran = job.analyze()
    assert ran.code == 0, ran.said
    assert re.search(r"^b\.c:2:3: warning: .* \[OFF001\]$", ran.said, re.MULTILINE), ran.said
    assert "a.c:2" not in ran.said
    assert "c.c:2" not in ran.said
    assert ran.outputs["exit-code"] == "0"
    assert int(ran.outputs["findings"]) == len(re.findall(r"^\S+:\d+:\d+: ", ran.said, re.MULTILINE)) > 0
    summary = Path(job.environment["GITHUB_STEP_SUMMARY"]).read_text(encoding="utf-8")
    assert summary == Path(ran.outputs["markdown-file"]).read_text(encoding="utf-8")
    assert re.findall(r"^\| (\w\.c):", summary, re.MULTILINE) == ["b.c"]
    results = json.loads(Path(ran.outputs["sarif-file"]).read_text(encoding="utf-8"))["runs"][0]["results"]
    places = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results}
    assert places == {"b.c"}


@needs_git
def test_all_lines_where_that_is_asked_for_and_outside_of_pull_requests(job: Job) -> None:
    everywhere = job.analyze(since="all")
    pushed = job._replace(base="", head="").analyze()
    for ran in (everywhere, pushed):
        assert all(f"{name}.c:2:3: " in ran.said for name in "abc"), ran.said


@needs_git
def test_a_finding_lets_the_job_fail_after_everything_was_reported(job: Job) -> None:
    ran = job.analyze(fail_on="warning")
    assert (ran.code, ran.outputs["exit-code"]) == (0, "1")
    assert job.step("verdict", {"steps.analyze.outputs.exit-code": "1"}).code == 1
    assert job.step("verdict", {"steps.analyze.outputs.exit-code": "0"}).code == 0


@needs_git
def test_what_is_typed_wrong_fails_at_once(job: Job) -> None:
    ran = job.analyze(target="h2000")
    assert ran.code == 2
    assert "unknown device 'h2000'" in ran.said
    assert not ran.outputs


@needs_git
def test_annotations_take_the_place_of_code_scanning(job: Job) -> None:
    assert "::warning file=b.c,line=2," in job.analyze(sarif="false").said
    assert "::warning" not in job.analyze().said


@needs_git
def test_inputs_are_values_and_never_commands(job: Job) -> None:
    for name in ("paths", "target", "options", "since", "fail_on"):
        job.analyze(**{name: '$(touch broken) `touch broken` "; touch broken; #'})
    assert not (job.checkout / "broken").exists()
    several = job.analyze(paths="a.c\nb.c\n", options="--size=n=5\n")
    assert "analyze: 2 files, " in several.said
    texts = [step.get("run", "") for step in STEPS.values()]
    texts += [*GITLAB["boathull"]["script"], *GITLAB["boathull"]["before_script"]]
    assert not [text for text in texts if "${{" in text]


GH = """#!/bin/sh
echo "$@" >> "$ASKED"
case "$*" in *--jq*) cat "$KNOWN" ;; esac
"""


@needs_git
@pytest.mark.parametrize(
    ("known", "findings", "asked"),
    [
        ("", "2", "pr comment 7 --repo someone/program --body-file"),
        ("", "0", ""),
        ("41\n42\n", "2", "api --silent --method PATCH repos/someone/program/issues/comments/41 --field body=@"),
        ("41\n", "0", "api --silent --method PATCH repos/someone/program/issues/comments/41 --field body=@"),
    ],
    ids=["first", "nothing to say", "again", "mended"],
)
def test_one_comment_is_kept(job: Job, tmp_path: Path, known: str, findings: str, asked: str) -> None:
    gh = Path(job.environment["PATH"].partition(":")[0]) / "gh"
    gh.write_text(GH, encoding="utf-8")
    gh.chmod(0o755)
    (tmp_path / "known").write_text(known, encoding="utf-8")
    (tmp_path / "summary.md").write_text("## What was found\n", encoding="utf-8")
    environment = job.environment | {"ASKED": str(tmp_path / "asked"), "KNOWN": str(tmp_path / "known")}
    given = {
        "inputs.token": "t",
        "github.event.pull_request.number": "7",
        "steps.analyze.outputs.findings": findings,
        "steps.analyze.outputs.markdown-file": str(tmp_path / "summary.md"),
    }
    ran = job._replace(environment=environment).step("comment", given)
    assert ran.code == 0, ran.said
    looked_up, *then = (tmp_path / "asked").read_text(encoding="utf-8").splitlines()
    assert looked_up.startswith("api --paginate repos/someone/program/issues/7/comments --jq ")
    assert [line.partition(asked)[1:] != ("", "") for line in then] == [True] * bool(asked)
    body = Path(job.environment["RUNNER_TEMP"]) / "boathull" / "comment.md"
    assert body.read_text(encoding="utf-8") == "<!-- boathull -->\n## What was found\n"


def test_what_the_action_reads_is_there() -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    asked = set(re.findall(r"inputs\.([\w-]+)", text))
    assert asked == set(ACTION["inputs"])
    outputs = set(re.findall(r"steps\.analyze\.outputs\.([\w-]+)", text))
    assert outputs == set(re.findall(r'echo "([\w-]+)=', STEPS["analyze"]["run"])) == set(ACTION["outputs"])


# --- GitLab


def gitlab(job: Job, *lines: str, shell: str = "bash", **given: str) -> Ran:
    """The template's script, after the lines that GitLab's runner begins with."""
    template = GITLAB["boathull"]
    venv = str(Path(job.environment["RUNNER_TEMP"]) / "boathull" / "venv")
    variables = {**template["variables"], "CI_MERGE_REQUEST_DIFF_BASE_SHA": "", "BOATHULL_VENV": venv, **given}
    return job.run("\n".join(lines), (shell, "-e"), **variables)


def scripts() -> Iterator[str]:
    yield from GITLAB["boathull"]["script"]


@needs_git
@pytest.mark.parametrize("shell", ["bash", "sh"])
def test_the_report_of_code_quality_is_of_the_changed_lines(job: Job, shell: str) -> None:
    git(job.checkout, "fetch", "-q", "--unshallow", "origin")
    base = git(job.checkout, "rev-parse", "HEAD^1")
    ran = gitlab(job, *scripts(), shell=shell, CI_MERGE_REQUEST_DIFF_BASE_SHA=base)
    assert ran.code == 0, ran.said
    issues = json.loads((job.checkout / "gl-code-quality-report.json").read_text(encoding="utf-8"))
    assert {issue["location"]["path"] for issue in issues} == {"b.c"}
    assert (job.checkout / "boathull.html").is_file()
    assert gitlab(job, *scripts(), shell=shell, BOATHULL_FAIL_ON="warning").code == 1
    issues = json.loads((job.checkout / "gl-code-quality-report.json").read_text(encoding="utf-8"))
    assert {issue["location"]["path"] for issue in issues} == {"a.c", "b.c", "c.c"}


@needs_git
def test_paths_and_options_of_the_job(job: Job) -> None:
    (job.checkout / "*.c").write_text("", encoding="utf-8")
    ran = gitlab(job, *scripts(), BOATHULL_PATHS="a.c b.c", BOATHULL_OPTIONS="--select OFF")
    assert ran.code == 0, ran.said
    assert {line.partition(":")[0] for line in ran.said.splitlines() if "OFF001" in line} == {"a.c", "b.c"}


@needs_git
def test_the_job_installs_what_it_runs(job: Job, tmp_path: Path) -> None:
    installed = job._replace(environment=job.environment | OFFLINE)
    package = job.environment["GITHUB_ACTION_PATH"]
    before = GITLAB["boathull"]["before_script"]
    ran = gitlab(installed, *before, BOATHULL_VENV=str(tmp_path / "venv"), BOATHULL_PACKAGE=package)
    assert ran.code == 0, ran.said
    assert (tmp_path / "venv" / "bin" / "analyze").is_file()
    page = tmp_path / "venv" / "share" / "man" / "man1" / "analyze.1"
    assert page.read_bytes() == (ROOT / "docs" / "man" / "analyze.1").read_bytes()


# --- tools that know the services


def validated(tool: str, *arguments: str) -> None:
    program = shutil.which(tool)
    if program is None:
        pytest.skip(f"{tool} is not installed (make templates)")
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("name", "schema"), [("action.yml", "github-actions"), ("ci/gitlab.yml", "gitlab-ci")])
def test_the_services_would_read_them(name: str, schema: str) -> None:
    validated("check-jsonschema", "--builtin-schema", f"vendor.{schema}", str(ROOT / name))


def test_the_workflow_of_the_page_names_what_the_action_takes(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```yaml \.github/workflows/boathull\.yml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    steps = yaml.safe_load(block)["jobs"]["loops"]["steps"]
    assert set(next(step["with"] for step in steps if "boathull@" in step["uses"])) <= set(ACTION["inputs"])
    workflow = tmp_path / ".github" / "workflows" / "boathull.yml"
    workflow.parent.mkdir(parents=True)
    workflow.write_text(block.replace("OWNER/boathull@v0.1.0", "./"), encoding="utf-8")
    shutil.copy(ROOT / "action.yml", tmp_path)
    validated("actionlint", str(workflow))
    validated("check-jsonschema", "--builtin-schema", "vendor.github-workflows", str(workflow))


@pytest.mark.parametrize("name", [name for name, step in STEPS.items() if "run" in step])
def test_scripts_have_none_of_the_usual_mistakes(name: str, tmp_path: Path) -> None:
    (tmp_path / "step.sh").write_text(STEPS[name]["run"], encoding="utf-8")
    validated("shellcheck", "--shell=bash", str(tmp_path / "step.sh"))
