"""The page without a browser: its policy, what is in it, what must not be, how large it gets."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html import unescape
from pathlib import Path

import pytest
from msgspec.structs import replace

from analyzer.base import amounts
from analyzer.command.cli import main
from analyzer.report.document import Document
from analyzer.report.formats import render as rendered
from analyzer.report.html import blocks as data
from analyzer.report.html import listing, render
from analyzer.report.html.summary import summary

from .material import analysed, blocks, everything, many

HOSTILE = '</script><img src=x onerror="alert(1)">&amp;\u2028\x1b[31m\u202e'


@pytest.fixture(scope="module")
def page(document: Document) -> str:
    return render(document)


def test_the_policy_allows_its_own_script_and_style_and_nothing_else(page: str) -> None:
    policy = unescape(re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[0])
    assert policy.startswith("default-src 'none';")
    for kind in ("script", "style"):
        (own,) = re.findall(rf"<{kind}>(.*?)</{kind}>", page, re.S)
        digest = b64encode(sha256(own.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in policy
    assert "unsafe" not in policy
    assert "http" not in re.sub(r"http://www\.w3\.org/\S+|http-equiv", "", page.replace(blocks_of(page), ""))


def blocks_of(page: str) -> str:
    """The data of the page, which names sources on the network but loads none."""
    return re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[0]


def test_nothing_needs_what_the_policy_forbids(page: str) -> None:
    shell = re.sub(r"<script.*?</script>|<style.*?</style>", "", page, flags=re.S)
    assert not re.findall(r"\s(style|on\w+|src|href)=", re.sub(r'href="#[^"]*"', "", shell))
    assert not re.findall(r"\beval\(|new Function|innerHTML|insertAdjacentHTML|document\.write|\.style\s*=", page)


def test_the_same_document_gives_the_same_page_also_from_json(document: Document, page: str, tmp_path: Path) -> None:
    saved, made = tmp_path / "saved.json", tmp_path / "made.html"
    saved.write_text(rendered(document, "json"), encoding="utf-8")
    assert main(["--from-json", str(saved), "-f", f"html={made}"]) == 0
    assert made.read_text(encoding="utf-8") == page


def test_entries_are_in_the_chunks_as_they_are_in_the_document(document: Document, page: str) -> None:
    (chunk,) = blocks(page, "chunk")
    whole = json.loads(rendered(document, "json"))
    loops = [loop for file in whole["files"] for loop in file["loops"]]

    def restored(value: object) -> object:
        match value:
            case {"$": int(number)}:
                return chunk["texts"][number]
            case dict():
                return {key: restored(item) for key, item in value.items()}
            case list():
                return [restored(item) for item in value]
            case _:
                return value

    def full(value: object) -> object:
        match value:
            case dict():
                return {key: full(item) for key, item in value.items() if item is not None and item != []}
            case list():
                return [full(item) for item in value]
            case _:
                return value

    assert restored(chunk["entries"]) == full(loops)


def test_best_moves_have_the_block_to_paste_and_the_time_on_every_target(folder: Path) -> None:
    document = analysed(folder / "two", "-t", "gtx470", "--size", "n=3000000")
    assert len(document.targets) == 2
    found = summary(document)
    loops = {loop.id: loop for file in document.files for loop in file.loops}
    assert found.compared == document.targets
    assert found.best
    for one in found.best:
        change = loops[one.id].change
        assert change is not None
        assert one.directive == change.directive != ""
        times = {p.device: p.time_s for p in loops[one.id].predictions if p.candidate == "target"}
        known = [times.get(target) for target in document.targets]
        assert one.on == tuple(amounts.time(time.likely) if time else "" for time in known)
    assert any(all(one.on) for one in found.best)


def test_every_loop_that_stays_is_counted_by_a_reason_that_is_explained(document: Document) -> None:
    reasons = dict(summary(document).reasons)
    for verdict, counts in reasons.items():
        assert sum(count.number for count in counts) == document.summary.verdicts.get(verdict, 0)
        assert all(count.meaning for count in counts)
    assert reasons["host"]


# --- hostile input


def test_the_command_that_somebody_types_is_whole(folder: Path) -> None:
    defines = [word for k in range(60) for word in ("-D", f"LONG_NAME_{k}=1")]
    told = dict(summary(analysed(folder / "defines", *defines)).setting)["command"]
    assert all(f" {one} {other}" in told for one, other in zip(defines[::2], defines[1::2], strict=True))


def test_hostile_text_is_escaped_everywhere(document: Document) -> None:
    file = document.files[0]
    loops = tuple(
        replace(loop, id=f"{HOSTILE}{i}", function=HOSTILE, variable=HOSTILE, class_=HOSTILE)
        for i, loop in enumerate(file.loops)
    )
    found = replace(
        document,
        files=(replace(file, path=HOSTILE, loops=loops),),
        sources={HOSTILE: f"/* {HOSTILE} */\n" + "x" * 10_000},
        no_program=HOSTILE,
    )
    page = render(found)
    assert "<img" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert page.count("</script>") == render(document).count("</script>")
    page.encode("utf-8")


def test_bytes_that_are_no_utf_8_are_no_obstacle(document: Document, tmp_path: Path) -> None:
    source = "void f(int n, double *x) { /* \udcff\udcfe */\n for (int i = 0; i < n; i++) x[i] = 0; }\n"
    render(analysed(tmp_path / "odd", source=source)).encode("utf-8")
    odd = "four\udcff.c"
    page = render(replace(document, files=(replace(document.files[0], path=odd),), sources={odd: source}))
    page.encode("utf-8")
    assert "\\udcff" in json.dumps(blocks(page, "source"))


def test_long_lines_are_cut() -> None:
    (line,) = listing.lines("int x = " + "9" * 10_000 + ";")
    assert sum(map(len, line[1::2])) <= listing.LONGEST_LINE + 10


def test_tokens_have_kinds() -> None:
    assert listing.lines("int x; // why\n#if 1") == [
        ["t", "int", "o", " ", "n", "x", "o", "; ", "c", "// why"],
        ["p", "#if 1"],
    ]


def test_lines_are_those_of_the_source() -> None:
    text = 'a\n\n/* two\nlines */\n  "s\\\n t"\n'
    assert ["".join(line[1::2]) for line in listing.lines(text)] == text.split("\n")


def test_data_ends_no_script() -> None:
    assert not set("<>&") & set(data.harmless({"</script>": "<!--&\u2028"}))


# --- without source


def test_no_source_leaves_all_text_of_the_source_out(tmp_path: Path) -> None:
    page = render(analysed(tmp_path / "shut", "--no-source"))
    whole = everything(page)
    assert blocks(page, "source") == []
    for said in ("a secret remark", "s += x[i]", "2.5 * x[i]"):
        assert said not in whole
    assert "a secret remark" in everything(render(analysed(tmp_path / "open")))


# --- sizes


@pytest.mark.parametrize(("loops", "most"), [(100, 2.5e6), (1000, 3e6)])
def test_size_of_the_page(document: Document, loops: int, most: float) -> None:
    """2.5 MB for 100 loops, and 30 MB for 10 000 (which `test_table` opens)."""
    assert len(render(many(document, loops))) <= most
