"""Coverage of blocks from samples, and the projection of the whole program from it."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from analyzer import report as report_package
from analyzer.command.cli import main
from models.pmac.projection import Part, project

SOURCE = """void first(double *restrict a, const double *restrict b) {
  for (int i = 0; i < 10000000; i++)
    a[i] = b[i] * b[i];
  for (int i = 0; i < 20000000; i++)
    a[i] = b[i] + 1;
}
double second(const double *a) {
  double s = 0;
  for (int i = 0; i < 10000000; i++)
    s += a[i];
  return s;
}
void third(int *a, const int *b) {
  while (*b)
    *a++ = *b++;
}
"""


def projected(folder: Path, csv: str, *flags: str) -> dict[str, Any]:
    source, profile, out = folder / "a.c", folder / "perf.csv", folder / "out.json"
    source.write_text(SOURCE, encoding="utf-8")
    profile.write_text(csv, encoding="utf-8")
    assert main([str(source), "-t", "h200", "--profile", str(profile), "-f", f"json={out}", *flags]) == 0
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))["projection"]
    return found


BY_LINE = """# Overhead,Symbol,Source:Line
 10.00%,[.] first,a.c:3
 5.00%,[.] first,a.c:2
 20.00%,[.] first,a.c:5
 40.00%,[.] second,a.c:10
 3.00%,[.] second,a.c:11
 2.00%,[.] third,a.c:15
 7.00%,[.] second,other.c:10
 13.00%,[k] second,a.c:10
 1.00%,[.] inlined_here,a.c:10
"""


def test_samples_by_line_belong_to_the_loop_around_them(tmp_path: Path) -> None:
    found = projected(tmp_path, BY_LINE)
    shares = {int(b["loop"].split(":")[-2]): b["coverage"] for b in found["blocks"]}
    assert shares == {2: pytest.approx(0.15), 4: pytest.approx(0.2), 9: pytest.approx(0.41), 14: pytest.approx(0.02)}
    assert found["measured"]
    assert found["covered"] == pytest.approx(0.78)


def test_the_projection_is_amdahl_over_the_best_device_of_each_block(tmp_path: Path) -> None:
    found = projected(tmp_path, BY_LINE)
    for block in found["blocks"]:
        assert block["speedup"] == max([1.0, *block["speedups"].values()])
        assert (block["device"] == "host") == (block["speedup"] == 1.0)
    result = project(Part(b["coverage"], b["speedup"]) for b in found["blocks"])
    assert found["remaining"] == pytest.approx(result.remaining)
    assert found["speedup"] == pytest.approx(result.speedup)
    assert found["speedup"] > 1


def test_idioms_have_the_coverage_and_the_time_of_their_blocks(tmp_path: Path) -> None:
    found = projected(tmp_path, BY_LINE)
    stream = next(i for i in found["idioms"] if i["idiom"] == "stream")
    blocks = [b for b in found["blocks"] if b["idiom"] == "stream"]
    assert stream["blocks"] == len(blocks) == 3
    assert stream["coverage"] == pytest.approx(0.37)
    assert set(stream["speedups"]) == {"all threads", "h200"}
    for device, speedup in stream["speedups"].items():
        after = sum(b["coverage"] / b["speedups"].get(device, 1) for b in blocks)  # one has no time anywhere
        assert speedup == pytest.approx(0.37 / after)


def test_samples_by_function_are_shared_by_predicted_time(tmp_path: Path) -> None:
    found = projected(tmp_path, "# Overhead,Symbol\n 60.00%,[.] first\n 20.00%,[.] second\n")
    shares = {int(b["loop"].split(":")[-2]): b["coverage"] for b in found["blocks"]}
    assert shares[2] + shares[4] == pytest.approx(0.6)
    assert shares[4] == pytest.approx(2 * shares[2], rel=0.2)  # twice the iterations
    assert shares[9] == pytest.approx(0.2)


def test_without_times_the_shares_are_of_the_blocks_alone_and_said_to_be_predicted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "a.c"
    source.write_text(SOURCE, encoding="utf-8")
    assert main([str(source), "-t", "h200"]) == 0
    assert "Projection" not in capsys.readouterr().out
    profile = tmp_path / "perf.csv"
    profile.write_text(BY_LINE, encoding="utf-8")
    assert main([str(source), "-t", "h200", "--profile", str(profile)]) == 0
    text = capsys.readouterr().out
    assert "Projection  coverage from the profile's times;" in text
    assert "a.c:9 second()" in text
    assert "the program as a whole:" in text


def test_a_source_that_is_newer_than_its_times_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import os

    projected(tmp_path, BY_LINE)
    later = (tmp_path / "perf.csv").stat().st_mtime + 10
    os.utime(tmp_path / "a.c", (later, later))
    assert main([str(tmp_path / "a.c"), "--profile", str(tmp_path / "perf.csv")]) == 2
    said = capsys.readouterr().err
    assert "the source was changed after the profile was made; to refresh it `perf record" in said


def test_the_report_is_valid_and_renders_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    projected(tmp_path, BY_LINE)
    saved = tmp_path / "out.json"
    schema = Path(report_package.__file__).with_name("schema.json")
    document = json.loads(saved.read_text(encoding="utf-8"))
    Draft202012Validator(json.loads(schema.read_text(encoding="utf-8"))).validate(document)
    assert main([str(tmp_path / "a.c"), "-t", "h200", "--profile", str(tmp_path / "perf.csv")]) == 0
    fresh = capsys.readouterr().out
    assert main(["--from-json", str(saved)]) == 0
    assert capsys.readouterr().out == fresh


def test_a_profile_of_other_code_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.c").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "perf.csv").write_text("# Overhead,Symbol\n 60.00%,[.] elsewhere\n", encoding="utf-8")
    assert main([str(tmp_path / "a.c"), "--profile", str(tmp_path / "perf.csv")]) == 2
    assert "it is of other code than what is analysed: elsewhere()" in capsys.readouterr().err
