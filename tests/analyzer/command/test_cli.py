"""The command as users and scripts meet it: options, errors, exit codes, formats."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from models.catalogue import device_ids

ROOT = Path(__file__).resolve().parents[3]
CASE_STUDY = ROOT / "fixtures" / "c" / "case_study.c"
COPY = """void copy(int n, float *restrict a, const float *restrict b) {
  for (int i = 0; i < n; i++)
    a[i] = b[i];
}
"""


def loops(ran: Any) -> list[dict[str, Any]]:
    return [loop for file in json.loads(ran.out)["files"] for loop in file["loops"]]


# --- information


def test_version(analyze: Any) -> None:
    import analyzer

    assert analyze("--version").out == f"analyze {analyzer.__version__}\n"


def test_the_version_is_that_of_the_distribution() -> None:
    import tomllib

    import analyzer

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == analyzer.__version__


def test_list_targets_shows_every_device_with_its_kind(analyze: Any) -> None:
    lines = analyze("--list-targets").out.splitlines()
    assert any(line.split()[:2] == ["gtx470", "gpu"] for line in lines)
    assert [line.split()[0] for line in lines if "default host" in line] == ["xeon6248"]


def test_list_models_marks_the_default(analyze: Any) -> None:
    assert any(line.startswith("* extended") for line in analyze("--list-models").out.splitlines())


def test_every_listed_rule_can_be_explained(analyze: Any) -> None:
    ids = [line.split()[0] for line in analyze("--list-rules").out.splitlines()]
    assert len(ids) == len(set(ids)) > 20
    for rule in ids:
        page = analyze("--explain", rule.lower()).out
        assert page.startswith(rule)
        assert "Fix" in page


def test_unknown_rule_offers_near_ones(analyze: Any) -> None:
    ran = analyze("--explain", "DEP0001")
    assert ran.code == 2
    assert "DEP001" in ran.err


def test_show_config_says_where_a_value_comes_from(analyze: Any, tmp_path: Path) -> None:
    (tmp_path / "analyze.toml").write_text('target = ["gts250"]\n', encoding="utf-8")
    lines = analyze("--show-config", "--min-speedup", "2").out.splitlines()
    assert any(line.split()[:2] == ["target", "gts250"] and "analyze.toml" in line for line in lines)
    assert any(line.startswith("min-speedup") and "2.0" in line and "command line" in line for line in lines)
    assert any(line.startswith("host") and "default" in line for line in lines)


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_completion_knows_the_options(analyze: Any, shell: str) -> None:
    assert "--min-speedup" in analyze("--completion", shell).out


# --- usage errors: exit code 2 and one clear message


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param((), "no input", id="nothing"),
        pytest.param(("missing.c",), "missing.c: no such file", id="missing file"),
        pytest.param(("a.c", "--taget", "gtx470"), "did you mean --target", id="misspelt option"),
        pytest.param(("a.c", "--colour", "x"), "unrecognized arguments: --colour", id="option of a later version"),
        pytest.param(("a.c", "-t", "gtx47"), "did you mean gtx470", id="unknown target"),
        pytest.param(("a.c", "-t", "gtx470,gts25"), "gts250", id="unknown target in a list"),
        pytest.param(("a.c", "--host", "gtx470"), "must be a CPU", id="a GPU as host"),
        pytest.param(("a.c", "--model", "rooflin"), "known: extended, boat-hull", id="unknown model"),
        pytest.param(("a.c", "-f", "xml"), "unknown format", id="unknown format"),
        pytest.param(("a.c", "-f", "json="), "path is missing", id="format without path"),
        pytest.param(("a.c", "-f", "text", "-f", "json"), "only one report", id="two reports on one output"),
        pytest.param(("a.c", "--size", "n"), "expected NAME=VALUE", id="size without value"),
        pytest.param(("a.c", "--size", "n=-1"), "0 or more", id="negative size"),
        pytest.param(("a.c", "-j", "0"), "at least 1", id="no process"),
        pytest.param(("a.c", "--min-speedup", "0"), "above 0", id="no speedup"),
        pytest.param(("a.c", "--min-speedup", "nan"), "above 0", id="no number"),
        pytest.param(("a.c", "--from-json", "b.json"), "leave out the paths", id="paths and saved report"),
        pytest.param(("--from-json", "b.json"), "b.json: cannot be read", id="missing saved report"),
        pytest.param(("a.c", "-f", "json=none/x.json"), "cannot be written", id="output folder missing"),
    ],
)
def test_usage_errors(analyze: Any, source: Any, arguments: tuple[str, ...], said: str) -> None:
    source(COPY)
    ran = analyze(*arguments)
    assert ran.code == 2
    assert said in ran.err
    assert ran.out == ""
    assert "Traceback" not in ran.err


def test_a_size_that_names_a_macro_is_refused(analyze: Any, source: Any) -> None:
    source("#define N 100\nvoid f(float *a) { for (int i = 0; i < N; i++) a[i] = 0; }\n")
    ran = analyze("a.c", "--size", "N=200")
    assert ran.code == 2
    assert "use -D N=200" in ran.err


# --- results


def test_the_report_is_alone_on_standard_output(analyze: Any) -> None:
    ran = analyze(CASE_STUDY, "-t", "gtx470", "-f", "json")
    json.loads(ran.out)
    assert " s\n" in ran.err  # the time it took


def test_a_size_gives_times_where_there_were_formulas(analyze: Any, source: Any) -> None:
    source(COPY)
    (open_,) = loops(analyze("a.c", "-t", "gtx470", "-f", "json"))
    (known,) = loops(analyze("a.c", "-t", "gtx470", "-f", "json", "--size", "n=1e6"))
    assert open_["recommendation"]["verdict"] == "depends"
    assert open_["recommendation"]["reason"]["code"] == "unknown-size"
    assert {p["time_s"] for p in open_["predictions"]} == {None}
    assert all("n" in p["formula"] for p in open_["predictions"])
    assert known["counts"]["iterations"]["value"] == 1_000_000
    assert known["counts"]["transfer_in_bytes"]["value"] == 4_000_000
    assert all(p["time_s"]["low"] <= p["time_s"]["likely"] <= p["time_s"]["high"] for p in known["predictions"])


@pytest.mark.parametrize("setting", ["n=500", "copy:n=500", "a.c:copy:n=500"])
def test_scopes_of_a_size(analyze: Any, source: Any, setting: str) -> None:
    source(COPY)
    (loop,) = loops(analyze("a.c", "-f", "json", "--size", setting))
    assert loop["trip_count"]["value"] == 500


def test_a_directive_gives_a_size_and_the_command_line_wins(analyze: Any, source: Any) -> None:
    source("// analyze: size n=300\n" + COPY)
    ran = analyze("a.c", "-f", "json")
    assert loops(ran)[0]["trip_count"]["value"] == 300
    symbol = next(s for s in json.loads(ran.out)["symbols"] if s["name"] == "n")
    assert symbol == {"name": "n", "scope": "a.c:copy", "value": 300, "source": "directive"}
    assert loops(analyze("a.c", "-f", "json", "--size", "n=7"))[0]["trip_count"]["value"] == 7


def test_an_unreadable_directive_names_its_line(analyze: Any, source: Any) -> None:
    source("// analyze: size n=many\n" + COPY)
    ran = analyze("a.c")
    assert ran.code == 2
    assert "a.c:1" in ran.err


def test_every_device_of_the_catalogue_can_be_a_target(analyze: Any, source: Any) -> None:
    """One for which a figure is missing says so; none stops the run."""
    source(COPY)
    ran = analyze("a.c", "-t", ",".join(device_ids()), "--size", "n=1000000", "-f", "json")
    assert ran.code == 0, ran.err
    (loop,) = loops(ran)
    predicted = {p["device"] for p in loop["predictions"] if p["candidate"] == "target"}
    assert predicted <= set(device_ids())
    assert {"gtx470", "h200", "q8300"} <= predicted
    assert loop["recommendation"]["verdict"] in ("offload", "host-parallel", "host", "depends")


def test_defines_reach_the_compiler(analyze: Any, source: Any) -> None:
    source("void f(float *a) { for (int i = 0; i < N; i++) a[i] = 0; }\n")
    assert loops(analyze("a.c", "-DN=64", "-f", "json"))[0]["trip_count"]["value"] == 64


def test_standard_input(analyze: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(COPY.encode())))
    ran = analyze("-", "--stdin-filename", "typed.c", "-f", "json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["files"][0]["path"] == "typed.c"
    assert len(loops(ran)) == 1


def test_no_source_leaves_text_out(analyze: Any, source: Any) -> None:
    source(COPY)
    assert "for (int i" in json.loads(analyze("a.c", "-f", "json").out)["sources"]["a.c"]
    assert "sources" not in json.loads(analyze("a.c", "-f", "json", "--no-source").out)


def test_several_reports_of_one_run(analyze: Any, source: Any, tmp_path: Path) -> None:
    source(COPY)
    ran = analyze("a.c", "-f", "concise", "-f", "json=r.json", "-f", "text=r.txt")
    assert ran.code == 0
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["schema_version"] == "1"
    assert "copy()" in (tmp_path / "r.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["text", "concise", "json"])
def test_a_saved_report_renders_like_a_fresh_one(analyze: Any, name: str) -> None:
    analyze(CASE_STUDY, "-t", "gtx470", "-f", "json=saved.json")
    fresh = analyze(CASE_STUDY, "-t", "gtx470", "-f", name)
    assert analyze("--from-json", "saved.json", "-f", name).out == fresh.out


def test_why_shows_the_arithmetic_of_one_loop(analyze: Any, source: Any) -> None:
    source(COPY)
    ran = analyze("a.c", "-t", "gtx470", "--size", "n=1000000", "--why", "a.c:2")
    assert "95 GB/s" in ran.out
    assert "L_launch" in ran.out
    assert "P_coalesced" in analyze("a.c", "-t", "gtx470", "--model", "boat-hull", "--why", "a.c:2").out
    assert analyze("a.c", "--why", "a.c:3").code == 2


def test_why_takes_the_place_of_the_report_on_standard_output_only(analyze: Any, source: Any) -> None:
    source(COPY)
    alone = analyze("a.c", "-t", "gtx470", "--why", "a.c:2")
    ran = analyze("a.c", "-t", "gtx470", "--why", "a.c:2", "-f", "text", "-f", "json=a.json")
    assert ran.out == alone.out
    assert json.loads(Path("a.json").read_text())["files"][0]["loops"][0]["line"] == 2


# --- exit codes


@pytest.mark.parametrize(("level", "code"), [("never", 0), ("note", 1), ("warning", 1), ("error", 0)])
def test_fail_on(analyze: Any, source: Any, level: str, code: int) -> None:
    source("float a[1 << 22];\nvoid f(void) { for (int i = 0; i < 1 << 22; i++) a[i] = a[i] * 2 + 1; }\n")
    ran = analyze("a.c", "--fail-on", level, "-f", "concise")
    assert "PAR001" in ran.out
    assert ran.code == code


def test_interrupted(analyze: Any, source: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    source(COPY)
    monkeypatch.setattr("analyzer.driver.run.analyse", interrupt)
    ran = analyze("a.c")
    assert (ran.code, ran.out) == (130, "")


def test_an_error_of_ours_in_one_function_keeps_the_rest(
    analyze: Any, source: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import analyzer.driver.run

    advise = analyzer.driver.run.advise

    def failing(function: Any, *rest: Any) -> Any:
        if function.function.name == "copy":
            raise RecursionError("too deep")
        return advise(function, *rest)

    monkeypatch.delenv("BOATHULL_DEBUG", raising=False)
    source(COPY + COPY.replace("copy", "other"))
    monkeypatch.setattr(analyzer.driver.run, "advise", failing)
    ran = analyze("a.c", "-f", "json")
    assert ran.code == 3
    first, second = loops(ran)
    assert first["recommendation"]["reason"]["code"] == "internal-error"
    assert second["recommendation"]["reason"]["code"] == "unknown-size"
    (diagnostic,) = json.loads(ran.out)["files"][0]["diagnostics"]
    assert diagnostic["rule"] == "SRC900"
    assert diagnostic["line"] == 1


def test_a_reader_that_stops_early_is_no_error() -> None:
    code = "import sys; from analyzer.command.cli import main; sys.exit(main())"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", code, "--completion", "bash"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


# --- several files


def test_order_does_not_depend_on_the_number_of_processes(analyze: Any, source: Any) -> None:
    for name in ("b.c", "a.c", "sub/c.c"):
        source(COPY.replace("copy", "f_" + name[0]), name)
    one = analyze("sub", "b.c", "a.c", "-f", "json", "-j", "1")
    two = analyze("sub", "b.c", "a.c", "-f", "json", "-j", "2")
    assert one.out == two.out, two.err
    assert [file["path"] for file in json.loads(one.out)["files"]] == ["a.c", "b.c", "sub/c.c"]


def test_a_header_is_listed_once(analyze: Any, source: Any, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    source("static void g(float *a) { for (int i = 0; i < 9; i++) a[i] = 1; }\n", "h.h")
    for name in ("a.c", "b.c"):
        source('#include "h.h"\nvoid f(float *a) { g(a); }\n', name)
    ran = analyze("a.c", "b.c", "-f", "json")
    assert [loop["id"].split(":")[0] for loop in loops(ran)] == ["h.h"]


def test_a_loop_without_arrays_has_a_time(analyze: Any, source: Any) -> None:
    """Its class, `void → 1|shared ∧ 1|shared`, does not say how many iterations there are; the counts do."""
    source("int f(void) { int a = 0, b = 1; for (int i = 0; i < 100; i++) { a += 2; b += 3; } return a + b; }\n")
    ran = analyze("a.c", "-t", "gtx470", "-f", "json")
    assert ran.code == 0
    (loop,) = loops(ran)
    assert loop["recommendation"]["reason"]["code"] == "too-small"
    assert loop["predictions"][0]["time_s"]["likely"] > 0


@pytest.mark.parametrize(("module", "command"), [("analyzer", "analyze"), ("models", "boathull")])
def test_the_packages_are_commands_too(module: str, command: str) -> None:
    done = subprocess.run([sys.executable, "-m", module, "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{command} ")
