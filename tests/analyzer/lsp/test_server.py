"""The server as an editor meets it: a process that is talked to on its standard input and output."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path

import pytest
from lsprotocol import types

from .client import Client, environment, session
from .texts import CARRIED, SCALE

ROOT = Path(__file__).resolve().parents[3]
CASE_STUDY = ROOT / "fixtures" / "c" / "case_study.c"
Scenario = Callable[[Client, str], Coroutine[None, None, None]]


def talk(
    folder: Path, scenario: Scenario, *options: str, capabilities: types.ClientCapabilities | None = None
) -> Client:
    """A session about `a.c` in the folder, whose URI the scenario gets."""

    async def all_of_it() -> Client:
        more = {} if capabilities is None else {"capabilities": capabilities}
        async with session(folder, *options, **more) as client:
            await scenario(client, (folder / "a.c").as_uri())
        return client

    return asyncio.run(all_of_it())


def rules(found: list[types.Diagnostic]) -> list[str | int | None]:
    return [d.code for d in found]


def test_a_text_is_opened_asked_about_and_changed(tmp_path: Path) -> None:
    async def scenario(client: Client, uri: str) -> None:
        client.open(uri, SCALE)
        (found,) = await client.diagnostics(uri, 1)
        assert (found.code, found.source) == ("OFF002", "boathull")
        assert found.severity == types.DiagnosticSeverity.Information
        assert found.range == types.Range(types.Position(1, 2), types.Position(1, 5))
        assert found.code_description is not None
        page = Path(found.code_description.href.removeprefix("file://"))
        assert page.read_text(encoding="utf-8").startswith("# OFF002:")

        (lens,) = await client.lenses(uri)
        assert lens.range.start.line == 1
        assert lens.command is not None
        assert lens.command.title == "depends on a size"

        hover = await client.hover(uri, 1, 10)
        assert hover is not None
        assert isinstance(hover.contents, types.MarkupContent)
        assert hover.contents.kind == types.MarkupKind.Markdown
        assert hover.contents.value.startswith("**depends on a size** (for i × n)")
        assert "class   n|element → n|element" in hover.contents.value
        assert await client.hover(uri, 0, 3) is None

        (action,) = await client.actions(uri, 1)
        assert action.kind == types.CodeActionKind.QuickFix
        assert action.title.startswith("Insert #pragma omp parallel for")
        assert [d.code for d in action.diagnostics or ()] == ["OFF002"]
        assert action.edit is not None
        assert action.edit.document_changes is not None
        (change,) = action.edit.document_changes
        assert isinstance(change, types.TextDocumentEdit)
        assert (change.text_document.uri, change.text_document.version) == (uri, 1)
        assert await client.actions(uri, 2) == []
        assert await client.actions(uri, 1, ["source"]) == []
        assert len(await client.actions(uri, 1, [""])) == 1

        client.change(uri, CARRIED, 2)
        (lens,) = await client.lenses(uri)  # asked at once, and answered of the new text
        assert lens.command is not None
        assert lens.command.title == "host: no change [carried-dependence]"
        assert rules(await client.diagnostics(uri, 2)) == ["DEP001"]
        assert await client.actions(uri, 1) == []

        client.change(uri, f"{SCALE}void broken( {{\n{CARRIED}", 3)
        broken = await client.diagnostics(uri, 3)
        (error,) = [d for d in broken if d.code == "SRC001"]
        assert error.range.start.line == 4
        assert error.severity == types.DiagnosticSeverity.Warning

        client.close(uri)
        assert await client.diagnostics(uri, None) == []
        assert await client.lenses(uri) == []

    assert talk(tmp_path, scenario).logged == []


def test_of_texts_that_are_typed_fast_only_the_last_is_shown(tmp_path: Path) -> None:
    async def scenario(client: Client, uri: str) -> None:
        text = CASE_STUDY.read_text(encoding="utf-8")
        client.open(uri, text)
        for version in range(2, 12):
            client.change(uri, text + "\n" * version, version)
            await asyncio.sleep(0.03)
        await client.diagnostics(uri, 11)
        await asyncio.sleep(1)

    client = talk(tmp_path, scenario)
    versions = [params.version for params in client.published]
    assert versions[-1] == 11
    assert versions == sorted(set(versions), key=lambda version: version or 0)
    assert len(versions) < 11


def test_what_is_around_a_text_counts_once_it_is_saved(tmp_path: Path) -> None:
    (tmp_path / "size.h").write_text("#define n 100\n", encoding="utf-8")
    text = f'#include "size.h"\n{SCALE.replace("int n, ", "")}'

    async def scenario(client: Client, uri: str) -> None:
        header = (tmp_path / "size.h").as_uri()
        client.open(header, "#define n 100\n")
        client.open(uri, text)
        (first,) = await client.diagnostics(uri, 1)
        (tmp_path / "size.h").write_text("#define n 100000000\n", encoding="utf-8")
        before = len(client.published)
        client.save(header)
        (second,) = await client.diagnostics(uri, 1, before)
        assert (first.code, second.code) == ("OFF006", "PAR001")
        before = len(client.published)
        client.save(uri)
        assert rules(await client.diagnostics(uri, 1, before)) == ["PAR001"]

    assert talk(tmp_path, scenario).renewed >= 1


def test_a_client_that_can_do_little_gets_what_it_can_show(tmp_path: Path) -> None:
    plain = types.HoverClientCapabilities(content_format=[types.MarkupKind.PlainText])
    little = types.ClientCapabilities(text_document=types.TextDocumentClientCapabilities(hover=plain))

    async def scenario(client: Client, uri: str) -> None:
        client.open(uri, SCALE)
        (action,) = await client.actions(uri, 1)
        assert action.edit is not None
        assert action.edit.changes is not None
        assert list(action.edit.changes) == [uri]
        hover = await client.hover(uri, 1, 2)
        assert hover is not None
        assert isinstance(hover.contents, types.MarkupContent)
        assert hover.contents.value.startswith("depends on a size (for i × n)\n\nwhy")

    talk(tmp_path, scenario, capabilities=little)


@pytest.mark.parametrize(
    ("encodings", "character"), [(None, 11), (["utf-8", "utf-16"], 13), (["utf-32"], 10), (["utf-16"], 11)]
)
def test_places_are_counted_as_agreed(tmp_path: Path, encodings: list[str] | None, character: int) -> None:
    general = types.GeneralClientCapabilities(position_encodings=encodings)

    async def scenario(client: Client, uri: str) -> None:
        client.open(uri, SCALE.replace("  for", "  /* 𝔸 */ for"))
        (found,) = await client.diagnostics(uri, 1)
        assert found.range.start == types.Position(1, character)

    talk(tmp_path, scenario, capabilities=types.ClientCapabilities(general=general))


def test_a_text_that_has_no_file_is_analysed_too(tmp_path: Path) -> None:
    async def scenario(client: Client, _: str) -> None:
        client.open("untitled:Untitled-1", CARRIED)
        assert rules(await client.diagnostics("untitled:Untitled-1", 1)) == ["DEP001"]

    talk(tmp_path, scenario)


def test_names_of_files_are_taken_as_they_are(tmp_path: Path) -> None:
    odd = tmp_path / "ä b#%41.c"

    async def scenario(client: Client, _: str) -> None:
        client.open(odd.as_uri(), CARRIED)
        assert rules(await client.diagnostics(odd.as_uri(), 1)) == ["DEP001"]

    talk(tmp_path, scenario)


def test_trouble_is_told_and_survived(tmp_path: Path) -> None:
    async def scenario(client: Client, uri: str) -> None:
        (tmp_path / "analyze.toml").write_text("sizes = 1\n", encoding="utf-8")
        client.open(uri, SCALE)
        (found,) = await client.diagnostics(uri, 1)
        assert found.severity == types.DiagnosticSeverity.Error
        assert found.code is None
        assert "unknown key 'sizes'" in found.message
        (tmp_path / "analyze.toml").unlink()
        client.change(uri, "\0", 2)
        assert "not text" in (await client.diagnostics(uri, 2))[0].message
        client.change(uri, CARRIED, 3)
        assert rules(await client.diagnostics(uri, 3)) == ["DEP001"]

    talk(tmp_path, scenario)


def test_messages_of_a_run_are_logged_once(tmp_path: Path) -> None:
    async def scenario(client: Client, uri: str) -> None:
        client.open(uri, SCALE)
        await client.diagnostics(uri, 1)
        client.change(uri, SCALE + "\n", 2)
        await client.diagnostics(uri, 2)

    (message,) = talk(tmp_path, scenario, "--size", "m=7").logged
    assert "--size m" in message


# --- the process


def message(method: str, number: int | None = None, **params: object) -> bytes:
    content: dict[str, object] = {"jsonrpc": "2.0", "method": method, "params": params}
    body = json.dumps(content if number is None else content | {"id": number}).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


START = message("initialize", 1, processId=None, rootUri=None, capabilities={}) + message("initialized")


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (b"", 0),
        (START, 0),
        (START + message("shutdown", 2) + message("exit"), 0),
        (START + message("exit"), 1),
        (START + b"Content-Length: 9\r\n\r\nno JSON!!" + message("shutdown", 2) + message("exit"), 0),
    ],
    ids=["nothing is said", "the client is gone", "the client leaves", "without a word", "after nonsense"],
)
def test_the_end_of_a_session(tmp_path: Path, said: bytes, code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "analyzer", "--lsp"],
        input=said,
        capture_output=True,
        cwd=tmp_path,
        env=environment(tmp_path / "cache"),
        timeout=60,
    )
    assert done.returncode == code
    assert done.stderr == b""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at /proc")
def test_nothing_is_left_when_the_server_is_killed(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "analyzer", "--lsp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=tmp_path,
        env={**environment(tmp_path / "cache"), "TMPDIR": str(tmp_path)},
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(START)
    process.stdin.flush()
    assert process.stdout.readline().startswith(b"Content-Length")
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdin.close()
    assert process.stdout.read() is not None  # ends once nobody holds the other end
    process.stdout.close()
    for _ in range(100):
        if not _in_session(process.pid):
            break
        subprocess.run(["sleep", "0.1"], check=True)
    assert _in_session(process.pid) == []


def _in_session(number: int) -> list[str]:
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                fields = Path("/proc", name, "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == number and fields[0] != "Z":
                found.append(name)
    return found
