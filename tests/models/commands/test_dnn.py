"""`boathull dnn`: the paper's network with its errors, networks and files of one's own, refusals."""

from functools import partial
from pathlib import Path

import pytest

from . import ran

OWN = """
[systems]
source = "here"
kind = "measured"
units = { memory = "GB/s" }
rows = [{ id = "mine", name = "Mine", memory = 10 }]
[gemm]
source = "here"
kind = "measured"
units = { m = "1", k = "1", n = "1", time = "us" }
rows = [{ system = "mine", m = 2, k = 3, n = 4, time = 5 }]
"""


run = partial(ran.ran, "dnn")
document = partial(ran.document, "dnn")


@pytest.mark.parametrize(
    ("system", "errors"), [("carbonate", (61.96, 57.89, 44.36)), ("bridges", (54.38, 52.88, 53.94))]
)
def test_the_six_mean_errors(system: str, errors: tuple[float, ...], capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "paper", "-b", "32,64,128", "--system", system)
    assert [found["mape"][str(batch)] for batch in (32, 64, 128)] == pytest.approx(errors, abs=0.0051)
    assert len(found["layers"]) == 12
    out = run(capsys, "paper", "-b", "32,64,128", "--system", system)[1]
    for error in errors:
        assert f"error {error:.2f}" in out


def test_measured_activations(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "paper", "-b", "64", "--activations", "measured")
    assert found["mape"]["64"] < 20
    assert {layer["limit"] for layer in found["layers"]} == {"gemm", "activation"}


def test_a_network_in_words_has_nothing_to_compare_with(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "784x50", "relu", "-b", "128")
    assert found["mape"] is None
    assert found["total_s"]["128"] == pytest.approx(207e-6 + 128 * 50 * 4 / 12937.6e6)
    assert "measured" not in run(capsys, "784x50", "relu", "-b", "128")[1].splitlines()[2]


def test_the_plain_roofline_of_a_device(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "4096x4096", "-b", "4096", "--device", "gtx470")
    assert found["layers"][0]["time_s"] == pytest.approx(2 * 4096**3 / 1089e9)
    small = document(capsys, "4096x4096", "-b", "1", "--device", "gtx470")
    assert small["layers"][0]["limit"] == "memory"


def test_a_file_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(OWN, encoding="utf-8")
    found = document(capsys, "3x4", "-b", "2", "--file", str(path), "--system", "mine")
    assert found["layers"][0]["time_s"] == pytest.approx(5e-6)
    assert found["source"] == "here"
    code, _, err = run(capsys, "3x4", "-b", "2", "--file", str(path))
    assert (code, "unknown system 'carbonate'" in err) == (2, True)


def test_the_network_on_measured_hardware(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(Path(__file__).resolve().parents[3] / "validation" / "dnn_layers.toml")
    arguments = ("paper", "-b", "32,64,128", "--file", file, "--system", "here")
    ours, roof = (document(capsys, *arguments, *more)["mape"] for more in ((), ("--activations", "roof")))
    assert all(ours[batch] < roof[batch] for batch in ("32", "64", "128"))


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("784x50", "-b", "16"), "no measured product of m x k x n = 16x784x50"),
        (("784x50", "40x10", "-b", "32"), "does not follow 50 outputs"),
        (("relu", "-b", "32"), "stands first"),
        (("paper", "-b", "0"), "no positive whole number"),
        (("paper", "-b", "-32"), "no positive whole number"),
        (("paper", "-b", "32,32"), "names a batch twice"),
        (("paper", "-b", "32", "--system", "bridge"), "did you mean bridges?"),
        (("paper", "-b", "32", "--file", "/nowhere.toml"), "/nowhere.toml"),
        (("paper", "-b", "32", "--device", "h2"), "unknown device"),
        (("paper", "-b", "32", "--device", "h200", "--activations", "measured"), "plain roofline"),
    ],
)
def test_refusals(arguments: tuple[str, ...], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert reason in err
