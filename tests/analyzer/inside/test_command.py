"""`analyze FILE --dump nest ID` at the command line."""

import sys
from pathlib import Path

import pytest

from analyzer.command.cli import main

CODE = """void f(int n, double *a)
{
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1];
    while (n > 0)
        n--;
}
"""


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "rec.c"
    path.write_text(CODE)
    return path


@pytest.mark.parametrize("wanted", ["rec.c:f:3:5", "rec.c:3", "3"])
def test_a_nest_is_named_by_id_or_line(wanted: str, source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("islpy")
    assert main(["rec.c", "--dump", "nest", wanted]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# nest rec.c:f:3:5\n")
    assert "carried by the loop over i at line 3, distance (1)" in out


@pytest.mark.parametrize(
    ("wanted", "near"), [("rec.c:4", "rec.c:3, rec.c:5"), ("rec.c:g:3:5", "rec.c:f:3:5"), ("other.c:3", "rec.c:3")]
)
def test_an_unknown_nest_is_answered_with_near_ones(
    wanted: str, near: str, source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rec.c", "--dump", "nest", wanted]) == 2
    shown = capsys.readouterr()
    assert not shown.out
    assert f"no loop starts there; did you mean {near}" in shown.err


def test_a_line_alone_is_answered_with_all_files_that_have_a_loop_there(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("again.c").write_text(Path("rec.c").read_text())
    assert main(["rec.c", "again.c", "--dump", "nest", "3"]) == 2
    assert "--dump nest 3: loops of 2 files start there: rec.c:3, again.c:3" in capsys.readouterr().err


def test_only_nests_can_be_dumped(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rec.c", "--dump", "ast", "rec.c:3"]) == 2
    assert "--dump ast: only `--dump nest ID` is known" in capsys.readouterr().err
    assert main(["--dump", "nest", "rec.c:3"]) == 2
    assert "no input" in capsys.readouterr().err


def test_without_islpy_it_says_what_to_install(
    source: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "islpy", None)
    assert main(["rec.c", "--dump", "nest", "rec.c:3"]) == 2
    assert "--dump needs islpy: pip install islpy" in capsys.readouterr().err
