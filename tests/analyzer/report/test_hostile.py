"""Hostile text in every output: names of files, comments, identifiers, macros and strings of C that try to be HTML,
Markdown, formulas, commands of a terminal, of a shell or of a CI service. All of it comes out as text."""

import csv
import io
import json
import os
import re
import shlex
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from analyzer.report.cleaning import LONGEST, visible
from analyzer.report.codec import from_json
from analyzer.report.formats import RENDERERS
from analyzer.report.next_step import next_step

from .documents import sarif_run

FORMATS = ("text", *RENDERERS)
"""A patch has the lines of the source as they are."""
NAMES = (
    '=ev\x1b[31mil\n<img src=x onerror=alert(1)>"`|,:%.c',
    "::error title=x::pwn %0A.c",
    "@user [x](http:evil) #12 ##[error]x www.a.b ~~a~~ **b** &lt;.c",
    "; touch pwned;'$(touch pwned).c",
    "-t.c",
    "\u202e\ufeff\r.c",
    "\udcff.c",
)
CODE = (
    b'#include "\x1b[31m</script>.h"\n'
    b"#define E\xc3\x84(i) for (int i = 0; i < 64; i++)\n"
    b"void f(int n, double *a, double *b) { /* \xff\xfe </script> \x1b[2J */\n"
    b" // analyze: ignore[OFF002] <b>\xe2\x80\xaex\x1b]0;t\x07 ::error::pwn ##[error]x @team [x](http://evil) |\n"
    b' for (int i = 1; i < n; i++) a[i] = b["\x1b[31m</script>\\n"[0]];\n'
    b" for (int i = 1; i < n; i++) a[i] = a[i-1] + b[" + b"x" * 10_000 + b"];\n"
    b" // analyze: \x1b[31m<script> ::error::x\n"
    b' for (int i = 1; i < n; i++) a[i] = a[i-1] + b["](http://evil) ::error::x"[0]];\n}\n'
    b'void g(int n, double *a) { for (int i = 0; i < n; i++) a[i] = opaque("<script>alert(1)</script>\x1b[31m"); }\n'
    b'void h(int n, char *a) { for (int \xc3\xa4 = 0; \xc3\xa4 < n; \xc3\xa4++) a[\xc3\xa4] = "=cmd()"[\xc3\xa4];'
    b" E\xc3\x84(k) a[k] = 0; }\n"
    b"void broken(int n) { for (;;) \x1b[31m </script> ::error::x \xe2\x80\xae }\n"
)
CONTROLS = "\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
FOR_PROGRAMS = ("json", "jsonl", "sarif", "gitlab")
OPTIONS = ("-t", "gtx470", "--model", "boat-hull")


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Every format, from one run over files with hostile names and text."""
    from analyzer.command.cli import main

    folder = tmp_path_factory.mktemp("hostile")
    for name in NAMES:
        (folder / name).write_bytes(CODE)
    outputs = [option for name in FORMATS for option in ("-f", f"{name}={folder}/out.{name}")]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main([".", *OPTIONS, *outputs]) == 0
    return {name: (folder / f"out.{name}").read_bytes().decode("utf-8") for name in FORMATS}


def harmless(name: str, report: str) -> None:
    """What holds of a report in this format whatever the text in it is."""
    shown = report.replace("\r\n", "\n") if name == "csv" else report
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f]" if name in FOR_PROGRAMS else f"[{CONTROLS}]", shown)
    lines = shown.splitlines()
    if name == "github":
        assert all(
            re.fullmatch(r"::(notice|warning|error) (file=[^:,]+,[^:]*|title=analyze)::.*", line) for line in lines
        )
    else:
        assert not any(line.lstrip().startswith("::") for line in lines)
    if name not in (*FOR_PROGRAMS, "html"):
        assert not re.search(r"##\w*\[", report)
        assert max(map(len, lines)) < 6 * LONGEST
    if name == "markdown":
        marks = {token.type for block in MarkdownIt().enable("table").parse(report) for token in block.children or ()}
        assert marks <= {"text", "softbreak", "strong_open", "strong_close", "code_inline", "text_special"}
        assert report.count("`--size NAME=VALUE`") == len(re.findall(r"(?<!\\)`", report)) / 2
        assert not re.search(r"@\w|#\d|://|www\.", report)
        assert {line.count(" | ") for line in lines if line.startswith("| ")} <= {5}
    if name == "csv":
        head, *rows = csv.reader(io.StringIO(report))
        assert {len(row) for row in rows} <= {len(head)}
        assert not any(cell.startswith(("=", "+", "@", "\t", "\r")) for row in rows for cell in row)
        assert not any(cell.startswith("-") and not re.fullmatch(r"-[\d.e+-]+", cell) for row in rows for cell in row)
    if name == "sarif":
        assert "](" not in "".join(r["message"]["text"] for r in sarif_run(report)["results"])
    if name == "html":
        page = Page()
        page.feed(report)
        assert page.handlers == []
        assert "img" not in page.tags
        assert "alert(1)" not in page.scripts


class Page(HTMLParser):
    """The elements of a page, and the text of its scripts but for data."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.handlers: list[str] = []
        self.scripts = ""
        self._runs = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.handlers += [name for name, _ in attrs if name.startswith("on")]
        self._runs = tag == "script" and "json" not in (dict(attrs).get("type") or "")

    def handle_endtag(self, tag: str) -> None:
        self._runs = False

    def handle_data(self, data: str) -> None:
        self.scripts += data if self._runs else ""


@pytest.mark.parametrize("name", FORMATS)
def test_hostile_text_comes_out_harmless(name: str, reports: dict[str, str]) -> None:
    harmless(name, reports[name])


def test_no_loop_is_lost_over_the_name_of_its_file(reports: dict[str, str]) -> None:
    assert [file["loops_total"] for file in json.loads(reports["json"])["files"]] == [6] * len(NAMES)


@pytest.mark.parametrize("name", ["text", "concise", "json", "gitlab"])
def test_and_none_of_it_is_lost(name: str, reports: dict[str, str]) -> None:
    """All files are there, under their names as far as UTF-8 holds them."""
    report = reports[name]
    for path in NAMES:
        seen = visible(path)
        exact = json.dumps(path.replace("\udcff", "?"), ensure_ascii=False)
        assert (exact if name in ("json", "gitlab") else seen) in report


def test_a_saved_report_in_which_every_text_is_hostile(reports: dict[str, str], analyze: Any, tmp_path: Path) -> None:
    """JSON may come from anywhere; what is not of a closed list may say anything."""
    evil = "::error::x \x1b[31m\u202e</script><img onerror=alert(1)>|[x](http://x)@y\n=cmd()"
    free = {
        "path",
        "function",
        "message",
        "text",
        "variable",
        "name",
        "class",
        "id",
        "host",
        "version",
        "parent",
        "array",
    }

    def spoilt(value: Any, key: str = "") -> Any:
        match value:
            case dict():
                return {k: spoilt(v, k) for k, v in value.items()}
            case list():
                return [spoilt(item, key) for item in value]
            case str() if key in free:
                return evil + value
            case _:
                return value

    (tmp_path / "spoilt.json").write_text(json.dumps(spoilt(json.loads(reports["json"]))), encoding="utf-8")
    for name in FORMATS:
        ran = analyze("--from-json", "spoilt.json", "-f", name)
        assert ran.code == 0, ran.err
        harmless(name, ran.out)
    harmless("text", analyze("--compare", "spoilt.json", "spoilt.json").out)


def test_two_reports_are_compared_harmlessly(reports: dict[str, str], analyze: Any, tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text(reports["json"], encoding="utf-8")
    new = reports["json"].replace('"carried-dependence"', '"may-alias"').replace("pwn %0A", "\\n::error::pwn")
    (tmp_path / "new.json").write_text(new, encoding="utf-8")
    out = analyze("--compare", "old.json", "new.json").out
    harmless("text", out)
    assert "\\x1b[31mil" in out
    assert "new   " in out


@pytest.mark.parametrize("option", [("--why",), ("--dump", "nest")])
def test_one_loop_is_shown_harmlessly(option: tuple[str, ...], analyze: Any, tmp_path: Path) -> None:
    name = NAMES[0]
    (tmp_path / name).write_bytes(CODE)
    ran = analyze(f"./{name}", *OPTIONS, *option, f"{name}:5")
    assert ran.code == 0, ran.err
    harmless("text", ran.out)
    assert visible(name) in ran.out


@pytest.mark.parametrize("name", ["; touch pwned;'$(touch pwned)`touch`.c", "-t.c", "two words.c"])
def test_the_next_command_is_safe_to_copy(name: str, analyze: Any, tmp_path: Path) -> None:
    (tmp_path / name).write_text("void f(float *a) { for (int i = 0; i < 100000000; i++) a[i] *= 2; }\n")
    analyze(f"./{name}", *OPTIONS, "-f", "json=saved.json")
    step = str(next_step(from_json((tmp_path / "saved.json").read_text(encoding="utf-8"), "saved.json")))
    words = shlex.split(str(step))
    assert words[:2] == ["analyze", f"./{name}"]
    assert words[words.index("--why") + 1].removeprefix("./") == f"{name}:1"


EVIL = "x\x1b[31m\n::error::y\u202e\udcff##[error]"


@pytest.mark.parametrize(
    "arguments",
    [
        (EVIL,),
        ("a.c", f"--{EVIL}"),
        ("a.c", "-t", EVIL),
        ("a.c", "--host", EVIL),
        ("a.c", "--model", EVIL),
        ("a.c", "--network", EVIL),
        ("a.c", "--size", f"{EVIL}=1"),
        ("a.c", "--size", EVIL),
        ("a.c", "--set", EVIL),
        ("a.c", "--abi", EVIL),
        ("a.c", "--cc", EVIL),
        ("a.c", "-p", EVIL),
        ("a.c", "-f", EVIL),
        ("a.c", "-f", f"json={EVIL}/x"),
        ("a.c", "--profile", EVIL),
        ("a.c", "--select", EVIL),
        ("a.c", "--baseline", EVIL),
        ("a.c", "--write-baseline", f"{EVIL}/x"),
        ("a.c", "--changed-since", EVIL),
        ("a.c", "--why", EVIL),
        ("a.c", "--dump", EVIL, EVIL),
        ("a.c", "--dump", "nest", EVIL),
        ("a.c", "--entry", EVIL),
        ("a.c", "--exclude", EVIL),
        ("--from-json", EVIL),
        ("--compare", EVIL, EVIL),
        ("--explain", EVIL),
        ("--completion", EVIL),
        ("--show-config", "-D", EVIL),
    ],
    ids=lambda a: " ".join(word for word in a if EVIL not in word) if a[0] != EVIL else "PATH",
)
def test_messages_are_one_harmless_line_each(arguments: tuple[str, ...], analyze: Any, source: Any) -> None:
    source("void f(int n, float *a) { for (int i = 0; i < n; i++) a[i] = 0; }\n")
    ran = analyze(*arguments)
    for text in (ran.out, ran.err):
        assert not re.search(f"[{CONTROLS}]|##\\[", text)
        assert not any(line.lstrip().startswith("::") for line in text.splitlines())
    if ran.code:
        assert ran.code == 2
        assert len([line for line in ran.err.splitlines() if " error: " in line or "::" in line]) == 1


def test_what_is_said_again_from_the_cache_is_as_harmless(
    analyze: Any, source: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from analyzer.command.start import main

    name = EVIL.replace("\udcff", "") + ".c"
    source("void f(float *a) { for (int i = 0; i < 100000000; i++) a[i] *= 2; }\n", name)
    analyze(name, *OPTIONS, "--write-baseline", "known.json")
    source("void f(float *a) { for (int i = 0; i < 100000000; i++) a[i] *= 3; }\n", name)
    time.sleep(0.1)  # a file that has just been written is not yet relied on
    monkeypatch.delenv("BOATHULL_NO_CACHE", raising=False)
    said = []
    for _ in range(2):
        assert main([name, *OPTIONS, "--baseline", "known.json", "--cache-dir", str(tmp_path / "cache")]) == 0
        said.append(capsys.readouterr().err)
    assert "(from the cache)" in said[1]
    for text in said:
        assert "holds what is not found any more: x\\x1b[31m" in text
        assert not re.search(f"[{CONTROLS}]|##\\[", text)
        assert not any(line.lstrip().startswith("::") for line in text.splitlines())


@pytest.mark.parametrize("where", ["key", "value", "folder"])
def test_a_configuration_file_is_shown_harmlessly(where: str, analyze: Any, tmp_path: Path) -> None:
    folder = tmp_path / (EVIL if where == "folder" else "plain")
    folder.mkdir()
    said = json.dumps(EVIL.replace("\udcff", ""))
    text = f"{said} = 1" if where == "key" else f"define = [{said}]"
    (folder / "analyze.toml").write_text(text, encoding="utf-8")
    (folder / "a.c").write_text("int x;\n")
    ran = analyze(folder / "a.c", "--show-config")
    assert ran.code == (2 if where == "key" else 0)
    for said in (ran.out, ran.err):
        assert not re.search(f"[{CONTROLS}]|##\\[", said)
        assert not any(line.lstrip().startswith("::") for line in said.splitlines())
    assert "x\\x1b[31m" in ran.out + ran.err


@pytest.mark.skipif(os.name != "posix", reason="names of this kind need POSIX")
def test_lists_of_ours_are_plain(analyze: Any) -> None:
    for arguments in (("--list-rules",), ("--list-targets",), ("--list-models",), ("--explain", "OFF001"), ("--help",)):
        assert not re.search(f"[{CONTROLS}]", analyze(*arguments).out)


def test_unseen_signs_are_written_out_and_long_text_is_cut() -> None:
    assert visible("a\x1b[31m\u202eb\n\udcff") == "a\\x1b[31m\\u202eb\\n\\xff"
    assert len(visible("x" * 20_000)) == LONGEST


def test_commands_of_ci_services_are_broken_and_other_colons_are_not() -> None:
    assert visible("::error::x") == ": :error::x"
    assert visible("a ::error::x ##vso[task]") == "a : :error::x # #vso[task]"
    assert visible("std::vector, a ## b, [[gnu::pure]]") == "std::vector, a ## b, [[gnu::pure]]"
