"""How much of a run the text report holds: totals alone, what is worth a decision, or every loop."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from analyzer.report.terminal import Style, clipped

from ...conftest import Analyze

LOOPS = """
#include <math.h>
void scale(int n, double *restrict y, const double *restrict x) { for (int i = 0; i < n; i++) y[i] = 2 * x[i]; }
void heavy(double *restrict y, const double *restrict x)
{
    for (int i = 0; i < LENGTH; i++) y[i] = exp(sin(x[i])) + exp(cos(x[i]));
}
double last(const double *x) { double s = 0; for (int i = 0; i < 100; i++) s = s / 3 + x[i]; return s; }
int find(const int *p) { int n = 0; while (p[n] != 0) n++; return n; }
"""
CALLED = (("", "1000, shared"), ("void ", "int n, double *p"))


@pytest.fixture
def tree(source: Callable[..., Path]) -> Path:
    """Twelve files of four loops each, one of them worth a move: those of later files save more."""
    for k in range(12):
        source(f"#define LENGTH {(k + 1) * 1_000_000}\n{LOOPS}", f"src/f{k}.c")
    return source("", "src/empty.c").parent


def test_of_many_loops_those_worth_a_decision_are_listed(analyze: Analyze, tree: Path) -> None:
    text = analyze("src", "-t", "h200", "--no-cache", "-j", 1).out
    assert len(text.splitlines()) <= 100
    assert "12 of 48 loops, the largest saving first" in text
    assert "\n\nOf 48 loops " in text
    moves = re.findall(r"^  src/f(\d+)\.c:\d+:\d+ in heavy\(\)$", text, re.MULTILINE)
    assert moves == ["11", "10", "9", "8", "7"]
    assert "... and 7 more, which -v lists" in text
    assert "12 loops, those first that run most often" in text
    assert len(re.findall(r"^  src/f\d+\.c  1 (?:offload|host-parallel), 1 depends, ", text, re.MULTILINE)) == 8
    assert "\n  4 more  4 offload, 4 depends, " in text
    assert re.search(r"^Loops +48: ", text, re.MULTILINE)


def test_every_loop_is_listed_where_it_is_asked_for(analyze: Analyze, tree: Path) -> None:
    text = analyze("src", "-t", "h200", "--no-cache", "-v", "-j", 1).out
    assert len(re.findall(r"^  \d+:\d+ ", text, re.MULTILINE)) == 48
    assert "Worth a move" not in text


def test_few_loops_are_all_listed(analyze: Analyze, tree: Path) -> None:
    for paths in (["src/f0.c"], [f"src/f{k}.c" for k in range(5)]):
        text = analyze(*paths, "-t", "h200", "--no-cache", "-j", 1).out
        assert len(re.findall(r"^  \d+:\d+ ", text, re.MULTILINE)) == 4 * len(paths)


def test_a_hundred_files_take_a_hundred_lines(analyze: Analyze, source: Callable[..., Path]) -> None:
    """Of a program with moves, open loops, copies between host and device, and something to be noted of every file."""
    for k in range(99):
        source(
            f"extern double shared[4000000]; extern int unknown{k}(int);\n#include <math.h>\n"
            f"void step{k}(int n, double *p) {{\n"
            f"    for (int i = 0; i < {2000000 + 10000 * k}; i++)\n"
            f"        shared[i] = exp(sin(shared[i])) + pow(shared[i], {k}.5);\n"
            f"    for (int i = 0; i < n; i++) p[i] = p[i] * {k};\n"
            f"    for (int i = 0; i < n; i++) p[i] = unknown{k}(i);\n"
            f"#include \"missing_header_of_{'a_long_name_' * 10}{k}.h\"\n}}\n",
            f"src/f{k:02d}.c",
        )
    calls, declared = ("".join(f"{what}step{k}({of});\n" for k in range(99)) for what, of in CALLED)
    source(f"double shared[4000000];\n{declared}int main(void) {{\n{calls}return 0; }}\n", "src/main.c")
    text = analyze("src", "-t", "h200,gtx470", "--no-cache").out
    assert len(text.splitlines()) <= 100
    for begin in ("Worth a move", "By file", "Noted", "Program", "Open", "  copies"):
        assert re.search(rf"^{begin}\b", text, re.MULTILINE), begin


def test_a_long_sentence_is_cut() -> None:
    style = Style()
    assert list(clipped("  ", "word " * 16 * 3, style, 4))[-1] != "  …"
    *lines, last = clipped("  ", "word " * 200, style, 4)
    assert len(lines) == 4
    assert last == "  …"


def test_many_files_are_not_listed_loop_by_loop(analyze: Analyze, source: Callable[..., Path]) -> None:
    """Headers with loops are files like others, and few loops in many files are many lines, too."""
    body = "void f{0}(double *x) {{ for (int i = 0; i < 1000; i++) x[i] = {0}; }}\n"
    for kind in ("c", "h"):
        for k in range(30):
            source("static " * (kind == "h") + body.format(k), f"{kind}/f{k}.{kind}")
        includes = "".join(f'#include "f{k}.h"\n' for k in range(30))
        source(includes if kind == "h" else "", f"{kind}/all.c")
        text = analyze(kind, "--no-cache", "-j", 1).out
        assert re.search(r"^By file$", text, re.MULTILINE), kind
        assert len(text.splitlines()) < 30


@pytest.mark.parametrize("option", ["-q", "--quiet"])
def test_quiet_is_the_totals_alone(analyze: Analyze, tree: Path, option: str) -> None:
    ran = analyze("src", "-t", "h200", "--no-cache", option, "-j", 1)
    assert ran.err == ""
    assert ran.out.startswith("Of 48 loops ")
    assert "\nLoops     48: " in ran.out
    assert "heavy" not in ran.out.partition("cannot-model, by reason")[0]


def test_quiet_says_what_is_wrong(analyze: Analyze, source: Callable[..., Path]) -> None:
    assert "no-such.c" in analyze("no-such.c", "-q").err
    assert analyze("no-such.c", "-q").code == 2


def test_answers_from_the_cache_are_quiet_too(
    analyze: Analyze, tree: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("BOATHULL_NO_CACHE")
    options = ("src/f0.c", "--cache-dir", tmp_path / "kept", "-q")
    assert [analyze(*options).err for _ in range(2)] == ["", ""]


def test_less_and_more_at_once_are_refused(analyze: Analyze, tree: Path) -> None:
    ran = analyze("src", "-q", "-v")
    assert ran.code == 2
    assert "not allowed with" in ran.err


def test_nothing_is_worth_a_move(analyze: Analyze, source: Callable[..., Path]) -> None:
    loop = "for (int i = 0; i < 100; i++) s = s / 3 + x[i];"
    for name in ("a.c", "b.c"):
        source(f"double f(const double *x) {{ double s = 0; {loop * 30} return s; }}", name)
    text = analyze("a.c", "b.c", "--no-cache", "-j", 1).out
    assert "Of 60 loops none pays on the threads or vectors of xeon6248." in text
    assert "  a.c  30 host" in text


@pytest.mark.parametrize(
    ("option", "environment", "coloured"),
    [
        ("always", {}, True),
        ("always", {"NO_COLOR": "1"}, True),
        ("auto", {}, False),  # no terminal
        ("auto", {"FORCE_COLOR": "1"}, True),
        ("auto", {"CLICOLOR_FORCE": "1"}, True),
        ("auto", {"FORCE_COLOR": "0"}, False),
        ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ("never", {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colours_are_as_asked_for(
    analyze: Analyze,
    source: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    option: str,
    environment: dict[str, str],
    coloured: bool,
) -> None:
    source(f"#define LENGTH 1000000\n{LOOPS}")
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    for format_ in ("text", "concise"):
        out = analyze("a.c", "--no-cache", "--color", option, "-f", format_).out
        assert ("\x1b[" in out) == coloured


def test_colours_change_nothing_else_and_are_in_no_file(analyze: Analyze, source: Callable[..., Path]) -> None:
    path = source(f"#define LENGTH 1000000\n{LOOPS}")
    plain, coloured = (analyze("a.c", "--color", o, "-f", "concise").out for o in ("never", "always"))
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain != coloured
    analyze("a.c", "--color", "always", "-f", "concise=found.txt")
    assert path.with_name("found.txt").read_text(encoding="utf-8") == plain
