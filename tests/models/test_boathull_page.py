"""docs/boathull.md and the README's section: every command that they show runs, every file that they show is read."""

import re
import shlex
from pathlib import Path

import pytest

from models.catalogue import load_device
from models.cli import main
from models.commands import COMMANDS
from models.lslag.architecture import printed
from models.lslag.protocol import profiled
from models.lslag.samples import load_samples
from models.pmac.files import load_blocks, load_points

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "boathull.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"(?:^    |`)boathull ([^`\n#]*)", PAGE + README, re.MULTILINE)
INDENTED = re.findall(r"(?:^    .*\n)+", PAGE, re.MULTILINE)
BLOCKS = [re.sub(r"^    ", "", text, flags=re.MULTILINE) for text in INDENTED]


def block(start: str) -> str:
    (found,) = (text for text in BLOCKS if text.startswith(start))
    return found


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    gtx = (ROOT / "src" / "models" / "devices" / "gtx470.toml").read_text(encoding="utf-8")
    published = re.search(r"\[memory.coalesced\]\n(?:.+\n)+", gtx)
    assert published is not None
    Path("my.toml").write_text(gtx.replace(published.group(), block("[memory.coalesced]")), encoding="utf-8")
    samples = profiled(printed("B2"), noise=0.02)
    parts = samples.elements_s
    rows = zip(samples.gamma, samples.size, samples.wall_s, parts["k"], parts["1"], strict=True)
    lines = ["gamma,S,t_w,t_k,t_1", *(",".join(map(repr, row)) for row in rows)]
    Path("samples.csv").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


def test_the_page_shows_something_of_every_command() -> None:
    measuring = {"calibrate"}  # takes its time; docs/calibration.md is about it
    assert {command.split()[0] for command in SHOWN} | measuring >= set(COMMANDS)


@pytest.mark.parametrize("command", sorted({command.strip() for command in SHOWN}))
def test_commands_run(command: str, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    once = ["--repetitions", "2"] if command.startswith("calibrate") else []  # the figures are not looked at
    assert main([*shlex.split(command), *once]) == 0, capsys.readouterr().err
    for name in re.findall(r"\w+\.html", command):
        assert (files / name).read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_files_are_read(files: Path) -> None:
    assert load_device(Path("my.toml")).figure("memory.coalesced").low == 90e9
    shown = Path("shown.csv")
    shown.write_text(block("device,idiom"), encoding="utf-8")
    assert set(load_points(shown)) == {("xeon", "stream"), ("gpu", "transfer")}
    shown.write_text(block("block,idiom"), encoding="utf-8")
    assert [found.transfer_bytes for found in load_blocks(shown)] == [16e6]
    shown.write_text(block("gamma,S"), encoding="utf-8")
    assert load_samples(shown, "ms").elements_s["c"] == pytest.approx((2.8e-3,))
