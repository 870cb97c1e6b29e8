"""The command `boathull`: output, JSON and exit codes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from models import commands
from models.cli import main
from models.commands import devices

THRESHOLD = "1024x1024|element -> 1024x1024|element"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    output = capsys.readouterr()
    return code, output.out, output.err


def test_predict_shows_time_and_arithmetic(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "predict", THRESHOLD, "--complexity", "1", "--target", "gtx470", "--no-transfer")
    assert (code, err) == (0, "")
    assert "88.3 us" in out
    for name in ("w", "P_coalesced", "c0", "c1", "m0"):
        assert any(line.split()[:1] == [name] for line in out.splitlines())
    assert "Table 2" in out


def test_predict_for_several_devices_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(
        capsys,
        "predict",
        THRESHOLD,
        "--complexity",
        "1",
        "-t",
        "gtx470,gts250",
        "-t",
        "q8300",
        "--no-fma",
        "-f",
        "json",
    )
    document = json.loads(out)
    assert code == 0
    assert document["class"] == "1024x1024|element → 1024x1024|element"
    assert [p["device"] for p in document["predictions"]] == ["gtx470", "gts250", "q8300"]
    first = document["predictions"][0]
    assert first["memory_s"]["likely"] == pytest.approx(2 * 1024 * 1024 * 4 / 95e9)
    assert {"name", "expr", "value", "unit", "source"} == set(first["terms"][0])
    assert first["compute_s"]["low"] == first["compute_s"]["high"]


def test_predict_with_unknown_size_shows_formulas_only(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("predict", "N|element -> N|element", "--complexity", "1", "-t", "gtx470")
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    assert "depends on N" in out
    document = json.loads(run(capsys, *arguments, "-f", "json")[1])
    assert document["predictions"][0]["time_s"] is None
    code, out, _ = run(capsys, *arguments, "--size", "N=1e6")
    assert "mostly transfer" in out


def test_predict_printed_row(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("predict", "1024x1024|tile(1024x1) -> 1024|element", "--complexity", "1", "-t", "gtx470", "-f", "json")
    rule, printed = (
        json.loads(run(capsys, *arguments, *more)[1])["predictions"][0]["memory_s"]["likely"]
        for more in ((), ("--printed",))
    )
    assert printed == pytest.approx(0.0883e-3, rel=1e-3)
    assert rule == pytest.approx(0.0442e-3, rel=1e-3)


def test_a_missing_precision_is_said_not_guessed(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("predict", THRESHOLD, "--complexity", "1", "-t", "gts250", "--type", "fp64")
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    assert "unsupported-precision" in out
    document = json.loads(run(capsys, *arguments, "-f", "json")[1])
    assert document["predictions"] == [
        {
            "device": "gts250",
            "refused": {"code": "unsupported-precision", "message": "device gts250 has no fp64 arithmetic"},
        }
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("predict", "8|elment -> 8|element", "--complexity", "1", "-t", "gtx470"), "column 3"),
        (("predict", THRESHOLD, "--complexity", "1", "-t", "gtx471"), "did you mean gtx470"),
        (("predict", THRESHOLD, "--complexity", "-1", "-t", "gtx470"), "is negative"),
        (("predict", THRESHOLD, "--complexity", "one", "-t", "gtx470"), "is no number"),
        (("predict", THRESHOLD, "--complexity", "1"), "--target"),
        (("predict", THRESHOLD, "--complexity", "1", "-t", "gtx470", "--bytes", "0"), "positive"),
        (("predict", THRESHOLD, "--complexity", "1", "-t", "q8300", "--printed"), "--printed"),
        (("predict", "8|full -> 1|shared", "--complexity", "1", "-t", "gtx470"), "work-units"),
        (
            ("predict", "nx|element -> 1|shared", "--complexity", "1", "-t", "gtx470", "--size", "ny=3"),
            "did you mean nx",
        ),
        (("predict", THRESHOLD, "--complexity", "1", "-t", "gtx470", "--size", "N=3"), "the class has no 'N'"),
        (("predict", THRESHOLD, "--complexity", "1", "-t", "gtx470", "--size", "N"), "not NAME=VALUE"),
        (("devices", "show", "h2000"), "did you mean h200"),
        (("devices", "check", "absent.toml"), "absent.toml"),
        (("unheard-of",), "unheard-of"),
        ((), "COMMAND"),
    ],
)
def test_usage_errors_exit_2(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize("command", [("devices", "check"), ("devices", "show"), ("fit",)])
def test_messages_hold_no_commands_of_a_terminal(capsys: pytest.CaptureFixture[str], command: tuple[str, ...]) -> None:
    code, out, err = run(capsys, *command, "x\x1b[31m\u202e\udcff")
    assert (code, out) == (2, "")
    assert "x\\x1b[31m\\u202e" in err
    assert all(c.isprintable() or c == "\n" for c in err)


def test_bugs_exit_3_and_interrupts_130(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for error, expected in ((RuntimeError("boom"), 3), (KeyboardInterrupt(), 130)):

        def fail(*_: object, error: BaseException = error) -> None:
            raise error

        monkeypatch.setattr(devices, "find_device", fail)
        assert main(["devices", "show", "h200"]) == expected
    assert "internal error: RuntimeError: boom" in capsys.readouterr().err


def test_bugs_have_a_traceback_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOATHULL_DEBUG", "1")
    monkeypatch.setattr(devices, "find_device", lambda name: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        main(["devices", "show", "h200"])


def test_devices(capsys: pytest.CaptureFixture[str]) -> None:
    listed = run(capsys, "devices")[1]
    assert listed == run(capsys, "devices", "list")[1]
    assert "none" in next(line for line in listed.splitlines() if line.startswith("gts250"))
    shown = run(capsys, "devices", "show", "xeon6248")[1]
    assert "memory.one_core" in shown
    assert "estimated: integer-vectors" in shown
    assert "has no cache.l3" in run(capsys, "devices", "show", "q8300")[1]
    document = json.loads(run(capsys, "devices", "list", "-f", "json")[1])
    assert [device["id"] for device in document] == sorted(device["id"] for device in document)


def test_devices_check(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    good = tmp_path / "mine.toml"
    text = '[device]\nid = "mine"\nname = "Mine"\nkind = "gpu"\n[link.rate]\nvalue = 3\nunit = "GB/s"\n'
    good.write_text(text + 'kind = "measured"\nsource = "a measurement"\n')
    code, out, _ = run(capsys, "devices", "check", str(good))
    assert code == 0
    assert "3 GB/s" in out
    assert "no figure: compute.fp64" in out
    good.write_text(text)
    code, _, err = run(capsys, "devices", "check", str(good))
    assert code == 2
    assert "link.rate.kind is missing" in err


def test_ascii_terminals(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from models.tables import printable

    assert printable("a → b ∧ c", "ascii") == "a -> b ^ c"
    assert printable("a → b", "utf-8") == "a → b"
    assert printable("a → b", None) == "a -> b"


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--version")
    assert code == 0
    assert out.startswith("boathull ")


def test_every_module_of_commands_is_registered_and_has_the_shape() -> None:
    folder = Path(commands.__file__).parent
    texts = {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.py")}
    assert {name for name, text in texts.items() if "\ndef add(" in text} == set(commands.COMMANDS)
    for name in commands.COMMANDS:
        module = commands.command(name)
        assert callable(module.add)
        assert callable(module.run)


def test_help_lists_every_command_with_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--help")
    assert code == 0
    for name, summary in commands.COMMANDS.items():
        assert name in out.split()
        assert "".join(summary.split()) in "".join(out.split())  # lines break at hyphens, too


@pytest.mark.parametrize("name", sorted(commands.COMMANDS))
def test_every_command_explains_itself(capsys: pytest.CaptureFixture[str], name: str) -> None:
    code, out, _ = run(capsys, name, "--help")
    assert code == 0
    assert f"boathull {name}" in out


def test_the_link_belongs_to_the_pair(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("predict", THRESHOLD, "--complexity", "1", "-t", "h200", "-f", "json")
    own, slower = (
        json.loads(run(capsys, *arguments, *more)[1])["predictions"][0]["transfer_s"]["likely"]
        for more in ((), ("--link", "pcie3-x16"))
    )
    assert slower / own == pytest.approx(52 / 12.4, rel=1e-6)
    code, _, err = run(capsys, *arguments, "--link", "isa")
    assert code == 2
    assert "unknown link" in err


def test_devices_check_refuses_what_does_not_follow_its_rule(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "mine.toml"
    head = '[device]\nid = "mine"\nname = "Mine"\nkind = "gpu"\n'
    peak = '[memory.peak]\nvalue = 100\nunit = "GB/s"\nkind = "vendor"\nsource = "data sheet"\n'
    rate = '[memory.coalesced]\nvalue = {}\nlow = 60\nhigh = 92\nunit = "GB/s"\nkind = "estimated"\nsource = "rule"\n'
    file.write_text(head + peak + rate.format(80) + 'rule = "sustained-gpu"\n')
    assert run(capsys, "devices", "check", str(file))[0] == 0
    file.write_text(head + peak + rate.format(90) + 'rule = "sustained-gpu"\n')
    code, _, err = run(capsys, "devices", "check", str(file))
    assert code == 2
    assert "sustained-gpu gives 8e+10" in err


@pytest.mark.parametrize("words", [("devices", "-f", "json"), ("devices", "-f", "json", "list")])
def test_the_format_stands_before_or_behind_the_action(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, *words) == run(capsys, "devices", "list", "-f", "json")


def test_a_device_is_printed_as_a_file_to_start_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "devices", "show", "GTX_470", "-f", "toml")
    assert code == 0
    mine = tmp_path / "mine.toml"
    mine.write_text(out, encoding="utf-8")
    assert run(capsys, "devices", "check", str(mine)) == run(capsys, "devices", "show", "gtx470")
    code, _, err = run(capsys, "devices", "show", "absent.toml", "-f", "toml")
    assert code == 2
    assert "absent.toml: No such file" in err


def test_a_species_is_taken_as_its_class(capsys: pytest.CaptureFixture[str]) -> None:
    more = ("--complexity", "1", "-t", "gtx470", "-f", "json")
    species = run(capsys, "predict", "A[0:63]|neighbourhood(-1:1) -> B[1:62]|element", *more)
    assert species == run(capsys, "predict", "64|neighbourhood(3) -> 62|element", *more)
    code, _, err = run(capsys, "predict", "A[0:63]|elment -> B[0:63]|element", *more)
    assert code == 2
    assert "unknown pattern 'elment'" in err
    assert "at column 9" in err


def test_json_loses_nothing_where_the_terminal_is_ascii() -> None:
    words = ["predict", "8|element -> 8|element", "--complexity", "1", "-t", "gtx470", "-f", "json"]
    script = f"from models.cli import main; main({words})"
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, env=environment)
    assert json.loads(done.stdout.decode("ascii"))["class"] == "8|element → 8|element"
