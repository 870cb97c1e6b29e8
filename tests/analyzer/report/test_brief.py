"""What a brief report leaves out: never without a mark, and nothing that is decided or counted."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import asdict

from analyzer.base.errors import InputError
from analyzer.command.arguments import parse
from analyzer.command.cli import main
from analyzer.report.brief import MOST_ASSUMED, MOST_SYMBOLS
from analyzer.report.codec import from_json
from analyzer.report.document import CountEntry, Document, LoopEntry
from analyzer.settings.config import settings
from models.expr import size

from .html.material import SOURCE, analysed

TESTS = 7
STEPS = " ".join(f"if (kind[i] == {k}) continue; if (kind[i] > {k}) y[i] += x[i] * {k}.5;" for k in range(TESTS))
CARRIED = " ".join(f"if (kind[i] == {k}) continue; if (x[i] > {k}) x[i] += x[i - 1];" for k in range(TESTS))
BRANCHY = f"""\
void few(int n, const double *restrict x, double *restrict y) {{
    for (int i = 0; i < n; i++)
        y[i] = 2.0 * x[i];
}}
double many(int n, const int *restrict kind, const double *restrict x, double *restrict y) {{
    for (int i = 0; i < n; i++) {{
        {STEPS}
    }}
    return y[0];
}}
double carried(int n, const int *restrict kind, double *restrict x) {{
    for (int i = 1; i < n; i++) {{
        {CARRIED}
    }}
    return x[0];
}}
"""


@pytest.fixture(scope="module")
def brief(tmp_path_factory: pytest.TempPathFactory) -> Document:
    return analysed(tmp_path_factory.mktemp("brief"), source=BRANCHY)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Document:
    return analysed(tmp_path_factory.mktemp("full"), "--detail", "full", source=BRANCHY)


def loops(document: Document) -> dict[str, LoopEntry]:
    return {loop.function: loop for loop in document.files[0].loops}


def counts(loop: LoopEntry) -> dict[str, CountEntry]:
    found = {name: getattr(loop.counts, name) for name in loop.counts.__struct_fields__}
    return {name: count for name, count in found.items() if count is not None}


def test_a_formula_that_nobody_can_read_has_a_name_and_what_is_known_of_it(brief: Document, full: Document) -> None:
    short, whole = counts(loops(brief)["many"]), counts(loops(full)["many"])
    named = {name for name, count in short.items() if count.abridged is not None}
    assert named == {n for n, c in whole.items() if c.expr is not None and size(c.expr.expr) > MOST_SYMBOLS}
    assert "flops_fp64" in named
    for name in named:
        count, exact = short[name], whole[name]
        assert count.expr is not None
        assert exact.expr is not None
        assert count.abridged is not None
        assert count.expr.text == f"`{name} of line 6`"
        assert count.abridged.symbols == size(exact.expr.expr)
        assert set(count.abridged.sizes) <= {"n"}, "weights are no sizes"
        assert (count.value, count.low, count.high, count.exact) == (exact.value, exact.low, exact.high, exact.exact)
    assert short["flops_fp64"].high_expr == whole["flops_fp64"].high_expr is not None, "a bound that can be read"


def differing(short: LoopEntry, whole: LoopEntry) -> set[str]:
    ours, theirs = asdict(short), asdict(whole)
    same = ("abridged", "id", "nest", "parallel_loops")
    return {name for name in ours if name not in same and ours[name] != theirs[name]}


@pytest.mark.parametrize("function", ["few", "many", "carried"])
def test_each_member_that_holds_less_is_listed_and_no_other(function: str, brief: Document, full: Document) -> None:
    short, whole = loops(brief)[function], loops(full)[function]
    assert whole.abridged is None
    less = differing(short, whole)
    if function == "few":  # the source of a figure is with the device
        assert less == {"predictions"}
        assert short.abridged is None
    else:
        assert less - set(short.abridged or ()) <= {"predictions"}
        assert set(short.abridged or ()) <= less
        assert "counts" in less


def test_what_is_not_parallel_has_neither_terms_nor_bytes_of_arrays(brief: Document, full: Document) -> None:
    short, whole = loops(brief)["carried"], loops(full)["carried"]
    assert {"arrays", "predictions"} <= set(short.abridged or ())
    assert [p.abridged for p in short.predictions] == ["terms"]
    assert not any(p.terms for p in short.predictions)
    assert all(p.terms for p in whole.predictions)
    assert [(a.name, a.access, a.footprint_bytes) for a in short.arrays] == [("kind", "r", None), ("x", "rw", None)]


def test_assumptions_of_a_count_are_not_cut_without_a_word(brief: Document, full: Document) -> None:
    short, whole = counts(loops(brief)["many"])["flops_fp64"], counts(loops(full)["many"])["flops_fp64"]
    assert short.assumptions[:-1] == whole.assumptions[:MOST_ASSUMED]
    assert short.assumptions[-1] == f"and {len(whole.assumptions) - MOST_ASSUMED} more, which --detail full lists"


def test_a_loop_of_dozens_of_branches_stays_small(brief: Document, tmp_path: Path) -> None:
    path, report = tmp_path / "branchy.c", tmp_path / "saved.json"
    path.write_text(BRANCHY, encoding="utf-8")
    sizes = {}
    for detail in ("brief", "full"):
        assert main([str(path), "-t", "h200", "--detail", detail, "-f", f"json={report}", "--no-source"]) == 0
        sizes[detail] = len(report.read_bytes())
    assert sizes["brief"] < 3 * 30_000
    assert 1.3 * sizes["brief"] < sizes["full"]


def rendered(document: Path, *options: str, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert main(["--from-json", str(document), *options]) == 0
    return capsys.readouterr().out


def test_saved_reports_of_both_kinds_give_the_same_verdicts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "four.c"
    path.write_text(SOURCE, encoding="utf-8")
    said: dict[str, Any] = {}
    for detail in ("brief", "full"):
        report = tmp_path / f"{detail}.json"
        assert main([str(path), "-t", "h200", "--detail", detail, "-f", f"json={report}"]) == 0
        assert from_json(report.read_text(encoding="utf-8"), "it").options.detail == detail
        said[detail] = [rendered(report, "-f", f, capsys=capsys) for f in ("concise", "markdown", "github")]
        for loop in (3, 13, 22):
            why = rendered(report, "--why", f"{path}:{loop}", capsys=capsys)
            assert "Intel ARK" in why or loop == 22, "the source of a figure is shown"
            assert ("arithmetic left out" in why) == (detail == "brief" and loop == 22)
    assert said["brief"] == said["full"]


def test_the_loop_that_is_asked_about_is_shown_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "four.c"
    path.write_text(SOURCE, encoding="utf-8")
    assert main([str(path), "-t", "h200", "--why", f"{path}:22"]) == 0
    said = capsys.readouterr().out
    assert "left out" not in said
    assert "iterations: " in said


def test_the_setting(tmp_path: Path) -> None:
    (tmp_path / "analyze.toml").write_text('detail = "full"\n', encoding="utf-8")
    assert settings(parse([str(tmp_path)]), tmp_path)["detail"] == "full"
    assert settings(parse(["--detail", "brief", str(tmp_path)]), tmp_path)["detail"] == "brief"
    (tmp_path / "analyze.toml").write_text('detail = "normal"\n', encoding="utf-8")
    with pytest.raises(InputError, match="detail is one of brief, full"):
        settings(parse([str(tmp_path)]), tmp_path)
