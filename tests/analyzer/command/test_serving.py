"""One text of an editor: what is shown of it is what the command says of the same text in a file."""

import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

from analyzer.cache import identity
from analyzer.command.arguments import parse
from analyzer.command.serving import answered
from analyzer.lsp.answers import Answer, Asked, Fix, Replacement
from analyzer.lsp.positions import Lines, Position
from analyzer.rules.catalogue import INTERNAL_ERROR

from ...conftest import Analyze
from ..lsp.texts import CARRIED, SCALE

ROOT = Path(__file__).resolve().parents[3]
CASE_STUDY = ROOT / "fixtures" / "c" / "case_study.c"


def shown(text: str, *options: str, path: str = "a.c", encoding: Any = "utf-16") -> Answer:
    reply = answered(parse(["--lsp", *options]), None, Asked(Path(path).absolute(), text, encoding))
    assert reply.answer is not None
    return reply.answer


def applied(text: str, fix: Fix) -> str:
    """The text with the edits in it, as an editor makes them."""

    def offset(at: Position) -> int:
        return next(k for k in range(len(text) + 1) if Lines(text).position(k) == at)

    for edit in sorted(fix.edits, key=lambda e: e.span.begin, reverse=True):
        text = text[: offset(edit.span.begin)] + edit.text + text[offset(edit.span.end) :]
    return text


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


# --- the same as the command


def test_remarks_are_the_findings_of_the_command(analyze: Analyze, source: Callable[..., Path]) -> None:
    text = CASE_STUDY.read_text(encoding="utf-8")
    source(text)
    listed = analyze("a.c", "-t", "h200", "-f", "concise").out.splitlines()
    found = shown(text, "-t", "h200")
    assert len(listed) > 10
    at = (r.span.begin for r in found.remarks)
    places = (f"a.c:{p.line + 1}:{p.character + 1}" for p in at)
    lines = (f"{p}: {r.level}: {r.message} [{r.rule}]" for p, r in zip(places, found.remarks, strict=True))
    assert list(lines) == listed


def test_each_loop_has_its_headline_and_the_lines_of_the_text_report(analyze: Analyze, source: Any) -> None:
    text = CASE_STUDY.read_text(encoding="utf-8")
    source(text)
    report = " ".join(analyze("a.c", "-t", "h200", "-v").out.split())
    loops = shown(text, "-t", "h200").loops
    assert len(loops) == 22
    for loop in loops:
        assert loop.verdict.partition(" [")[0] in report
        assert text.splitlines()[loop.span.begin.line][loop.span.begin.character :].startswith("for")
        words = " ".join(" ".join(loop.details).split())
        assert words in report or "the loop around it" in loop.verdict
    assert {line.split()[0] for line in loops[0].details} >= {"why", "class", "counts", "time"}


def test_the_change_is_what_suggest_writes(analyze: Analyze, source: Any) -> None:
    source(SCALE)
    analyze("a.c", "--suggest", "openmp", "--apply")
    fix = shown(SCALE, "--suggest", "openmp").loops[0].fix
    assert fix is not None
    assert fix.title.startswith("Insert #pragma omp parallel for")
    assert applied(SCALE, fix) == Path("a.c").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "construct"),
    [
        (("--suggest", "openacc", "-t", "h200", "--resident"), "acc parallel loop"),
        (("--suggest", "openmp-target", "-t", "h200", "--resident"), "omp target teams distribute parallel for"),
        (("--suggest", "openmp", "-t", "h200", "--resident"), "omp parallel for"),
        (("-t", "h200", "--resident"), "omp target teams distribute parallel for"),
        ((), "omp parallel for"),
    ],
)
def test_a_change_has_the_form_that_is_asked_for(options: tuple[str, ...], construct: str) -> None:
    fix = shown(SCALE, "--size", "n=100000000", *options).loops[0].fix
    assert fix is not None
    assert fix.title.startswith(f"Insert #pragma {construct}")


def test_a_loop_that_nothing_is_gained_of_has_no_change() -> None:
    loop = shown(CARRIED).loops[0]
    assert loop.fix is None
    assert loop.verdict == "host: no change [carried-dependence]"


def test_a_dependence_names_its_two_accesses() -> None:
    (remark,) = shown(CARRIED).remarks
    assert remark.rule == "DEP001"
    assert [(r.message, r.span.begin) for r in remark.related] == [
        ("a[i]", Position(2, 4)),
        ("a[i - 1]", Position(2, 4)),
    ]


# --- texts as they come


def test_windows_line_ends_stay() -> None:
    text = SCALE.replace("\n", "\r\n")
    fix = shown(text).loops[0].fix
    assert fix is not None
    after = applied(text, fix)
    assert after.count("\r\n") == after.count("\n") == text.count("\n") + 1


def test_places_count_the_units_of_the_client() -> None:
    text = SCALE.replace("  for", "  /* 𝔸 */ for")
    assert shown(text).loops[0].span.begin == Position(1, 11)
    assert shown(text, encoding="utf-32").loops[0].span.begin == Position(1, 10)
    assert shown(text, encoding="utf-8").loops[0].span.begin == Position(1, 13)


def test_a_byte_order_mark_moves_nothing() -> None:
    assert shown("\ufeff" + SCALE).loops[0].span == shown(SCALE).loops[0].span
    assert shown("\ufeff" + CARRIED).remarks == shown(CARRIED).remarks


def test_a_loop_of_a_macro_is_where_the_macro_is_used() -> None:
    used = SCALE.replace("for (int i = 0; i < n; i++)", "EACH(i, n)")
    text = f"#define EACH(i, n) for (int i = 0; i < (n); i++)\n{used}"
    loop = shown(text).loops[0]
    assert loop.span.begin == Position(2, 2)
    assert loop.span.end == Position(2, 6)
    assert "macro EACH" in loop.heading
    assert loop.fix is None


def test_a_syntax_error_is_one_remark_and_the_other_functions_stay() -> None:
    found = shown("void broken( {\n" + SCALE.replace("scale", "kept") + "int x = ;\n" + CARRIED)
    assert next(r.rule for r in found.remarks if r.level == "warning") == "SRC001"
    assert "host: no change [carried-dependence]" in [loop.verdict for loop in found.loops]


def test_a_missing_header_is_one_remark_where_it_is_included() -> None:
    found = shown(f'\n#include "not_there.h"\n{SCALE}')
    (remark,) = [r for r in found.remarks if r.rule == "SRC003"]
    assert remark.span.begin.line == 1
    assert "not_there.h" in remark.message


def test_loops_of_headers_are_left_to_the_text_of_the_header(source: Callable[..., Path]) -> None:
    source(f"static inline {SCALE}", "own.h")
    text = f'#include "own.h"\n{CARRIED}'
    found = shown(text)
    assert [loop.span.begin.line for loop in found.loops] == [2]
    assert {r.rule for r in found.remarks} == {"DEP001"}
    assert len(shown(Path("own.h").read_text(encoding="utf-8"), path="own.h").loops) == 1


def test_headers_come_from_beside_the_file_and_its_own_text_from_the_editor(source: Callable[..., Path]) -> None:
    source("#define n 100\n", "src/size.h")
    source("this is not what the editor has", "src/a.c")
    text = f'#include "size.h"\n{SCALE.replace("int n, ", "")}'
    assert shown(text, path="src/a.c").loops[0].heading == "for i × 100"


def test_flags_come_from_the_compilation_database(source: Callable[..., Path], tmp_path: Path) -> None:
    import json

    entry = {"directory": str(tmp_path), "file": "a.c", "command": "cc -DN=77 -c a.c"}
    source("", "a.c")
    source(json.dumps([entry]), "compile_commands.json")
    assert shown(SCALE.replace("i < n", "i < N")).loops[0].heading == "for i × 77"


@pytest.mark.parametrize("text", ["", "\n", "\ufeff", "\x00", "int \ud800x;", "}" * 50, "/*", '"', "\\", "#if 1\n"])
def test_no_text_is_too_strange(text: str) -> None:
    assert all(remark.rule != INTERNAL_ERROR for remark in shown(text).remarks)


@pytest.mark.parametrize("text", ["a\0b", "int \ud800x;"])
def test_what_is_no_text_is_said(text: str) -> None:
    (remark,) = shown(text).remarks
    assert (remark.level, remark.rule) == ("error", None)


def test_other_languages_are_left_alone() -> None:
    found = shown("class A {};", path="a.cpp")
    assert (found.remarks, found.said) == ((), ("a.cpp: C++ is not read; only C is",))


def test_a_text_that_is_no_program_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analyzer.command.serving.MOST_BYTES", 1 << 20)
    (remark,) = shown("int x;\n" * (1 << 18)).remarks
    assert remark.message == "this is larger than 1 MiB; split it"


# --- settings


def test_the_configuration_beside_the_file_counts(source: Callable[..., Path]) -> None:
    source('size = ["n=123"]\nignore = ["MEM"]\n', "src/analyze.toml")
    assert shown(SCALE, path="src/a.c").loops[0].heading == "for i × 123"
    assert shown(SCALE, path="a.c").loops[0].heading == "for i × n"


def test_a_broken_configuration_is_said_where_the_text_begins(source: Callable[..., Path]) -> None:
    source("sizes = 1\n", "analyze.toml")
    found = shown(SCALE)
    assert found.loops == ()
    (remark,) = found.remarks
    assert "unknown key 'sizes'" in remark.message
    assert remark.span.begin == Position(0, 0)


def test_rules_and_loops_that_are_left_out_are_not_shown() -> None:
    assert shown(CARRIED, "--ignore", "DEP").remarks == ()
    assert shown(CARRIED + SCALE, "--select", "DEP").loops[0].verdict == "host: no change [carried-dependence]"
    text = CARRIED.replace("  for", "  // analyze: ignore[DEP001] known\n  for")
    assert shown(text).remarks == ()
    assert len(shown(text).loops) == 1


def test_messages_of_a_run_are_said() -> None:
    assert any("--size m" in message for message in shown(SCALE, "--size", "m=3").said)


def test_an_error_of_ours_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    import analyzer.lsp.answering

    def fail(*_: object) -> None:
        raise ValueError("oh")

    monkeypatch.setattr(analyzer.lsp.answering, "changes_of", fail)
    found = shown(SCALE)
    assert [(r.rule, r.message) for r in found.remarks] == [
        ("SRC900", "internal error (ValueError: oh); please report it")
    ]
    assert any("Traceback" in message for message in found.said)


# --- answers of before


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str, dict[str, Any] | None], Any]:
    monkeypatch.delenv("BOATHULL_NO_CACHE")
    monkeypatch.setattr(identity, "program", lambda store: "this program")

    def ask(text: str, known: dict[str, Any] | None = None) -> Any:
        time.sleep(0.05)  # a file that has just been written is not yet relied on
        asked = Asked(tmp_path / "a.c", text, known=known)
        return answered(parse(["--lsp"]), str(tmp_path / "answers"), asked)

    return ask


def test_an_answer_holds_while_what_it_rests_on_does(kept: Any, source: Callable[..., Path]) -> None:
    source("#define n 100\n", "size.h")
    text = f'#include "size.h"\n{SCALE.replace("int n, ", "")}'
    first = kept(text)
    assert first.rests_on is not None
    assert kept(text, first.rests_on).answer is None
    source("#define n 200\n", "size.h")
    second = kept(text, first.rests_on)
    assert second.answer.loops[0].heading == "for i × 200"


def test_an_answer_does_not_outlive_a_configuration(kept: Any, source: Callable[..., Path]) -> None:
    first = kept(SCALE)
    assert kept(SCALE, first.rests_on).answer is None
    source('size = ["n=5"]\n', "analyze.toml")
    assert kept(SCALE, first.rests_on).answer.loops[0].heading == "for i × 5"


def test_nothing_is_known_of_an_answer_that_failed(kept: Any, source: Callable[..., Path]) -> None:
    source("sizes = 1\n", "analyze.toml")
    assert kept(SCALE).rests_on is None


# --- what is remembered of the text before


@pytest.mark.parametrize("options", [(), ("-t", "h200"), ("--suggest", "openmp-target", "-t", "h200")], ids=" ".join)
def test_with_a_memory_the_next_text_has_the_same_answer(options: tuple[str, ...]) -> None:
    text = CASE_STUDY.read_text(encoding="utf-8")
    before, brace, behind = text.rpartition("\n}")
    memory: dict[bytes, bytes] = {}
    for k in range(3):
        typed = f"{before}\n    (void){k};{brace}{behind}" if k else text
        reply = answered(parse(["--lsp", *options]), None, Asked(Path("a.c").absolute(), typed, memory=memory))
        assert reply.answer == shown(typed, *options)
        assert reply.memory.keys() >= memory.keys()
        assert reply.memory
        memory = reply.memory


def test_only_texts_that_are_saved_are_cached(kept: Any, source: Callable[..., Path], tmp_path: Path) -> None:
    path = source(SCALE)
    cached = set[Path]()
    for text, is_saved in ((SCALE, True), (SCALE.replace("2", "3"), False), (SCALE.replace("2", "4"), False)):
        if not is_saved:
            cached = set((tmp_path / "answers").rglob("??????????*"))
        reply = kept(text)
        assert reply.rests_on is not None
        assert kept(text, reply.rests_on).answer is None
        assert (set((tmp_path / "answers").rglob("??????????*")) == cached) is not is_saved
    assert path.read_text(encoding="utf-8") == SCALE


# --- the command line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["a.c"], "leave out PATH"),
        (["-f", "json"], "leave out --format"),
        (["--top", "3"], "leave out --top"),
        (["--entry", "main"], "leave out --entry"),
        (["--apply"], "leave out --apply"),
        (["--suggest", "cuda", "-t", "h200"], "an editor is offered openmp, openmp-target, openacc"),
        (["--suggest", "openacc"], "name the device"),
        (["-t", "h2000"], "h2000"),
        (["--cc", "no-such-compiler"], "no such compiler"),
    ],
)
def test_what_means_nothing_in_an_editor_is_refused_at_once(analyze: Analyze, words: list[str], said: str) -> None:
    ran = analyze("--lsp", *words)
    assert ran.code == 2
    assert ran.out == ""
    assert said in ran.err


def test_without_pygls_it_says_what_to_install(analyze: Analyze, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("analyzer.command.serving.version", absent)
    ran = analyze("--lsp")
    assert ran.code == 2
    assert ran.err == "analyze: error: --lsp needs pygls, which is not installed: pip install 'boathull[lsp]'\n"


def test_an_old_pygls_is_refused(analyze: Analyze, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analyzer.command.serving.version", lambda name: "1.3.1")
    ran = analyze("--lsp")
    assert ran.code == 2
    assert "needs pygls 2 or newer, and not 1.3.1" in ran.err


def test_a_terminal_is_no_editor(analyze: Analyze, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys
    from types import SimpleNamespace

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    ran = analyze("--lsp")
    assert ran.code == 2
    assert "an editor talks to it on standard input" in ran.err


def test_a_run_does_not_load_the_library(tmp_path: Path) -> None:
    import subprocess
    import sys

    code = (
        "import sys; from analyzer.command.start import main; main(['a.c']);"
        "assert not {'pygls', 'lsprotocol', 'cattrs', 'attr'} & set(sys.modules), sys.modules.keys()"
    )
    (tmp_path / "a.c").write_text(SCALE, encoding="utf-8")
    environment = {"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin", "BOATHULL_NO_CACHE": "1"}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_replacements_are_those_of_the_protocol() -> None:
    """Edits of one place come in the order in which they are to stand there."""
    fix = shown(SCALE).loops[0].fix
    assert fix is not None
    assert all(isinstance(e, Replacement) for e in fix.edits)
    assert list(fix.edits) == sorted(fix.edits, key=lambda e: e.span)
