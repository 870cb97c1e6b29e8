"""How long an editor waits for the language server, from a change of a text to its diagnostics, in wall time.

    opened             the first text of a session, and the same in a second session, which has the cache of the first
    seen before        a text that was there before, as undoing and redoing lead to: median and most of 20
    one function       a statement of one function changed to what it never was: median and most of 5
    lenses, hover      a question about a text that is analysed already

Prints figures; asserts nothing, since machines differ and are busy. The delay after a key is in them.
Usage, from the top: python -m benchmarks.editor [FILE.c [OPTION...]]     default: a fixture of 314 lines, -t h200
"""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable
from pathlib import Path

from tests.analyzer.lsp.client import Client, session

ROOT = Path(__file__).resolve().parents[1]
FIXTURE = ROOT / "fixtures" / "c" / "stencils.c"


async def timed(waiting: Awaitable[object]) -> float:
    started = time.perf_counter()
    await waiting
    return time.perf_counter() - started


class Typist:
    """Changes one text, each time under another version."""

    def __init__(self, client: Client, uri: str) -> None:
        self.client, self.uri, self.version = client, uri, 1

    async def opens(self, text: str) -> float:
        self.client.open(self.uri, text)
        return await timed(self.client.diagnostics(self.uri, 1))

    async def changes_to(self, text: str) -> float:
        self.version += 1
        self.client.change(self.uri, text, self.version)
        return await timed(self.client.diagnostics(self.uri, self.version))


def edited(text: str, number: int) -> str:
    """The text with one more statement at the end of its last function."""
    before, brace, behind = text.rpartition("\n}")
    return f"{before}\n    (void){number};{brace}{behind}"


def line(what: str, times: list[float]) -> None:
    most = f"   most {max(times) * 1e3:6.0f} ms" if len(times) > 1 else ""
    print(f"{what:<34}{statistics.median(times) * 1e3:6.0f} ms{most}")


async def measured(path: Path, options: list[str], folder: Path) -> None:
    text, uri = path.read_text(encoding="utf-8", errors="replace"), path.as_uri()
    print(f"{path.name}, {text.count(chr(10))} lines")
    async with session(folder, *options) as client:
        line("opened", [await Typist(client, uri).opens(text)])
    async with session(folder, *options) as client:
        typist = Typist(client, uri)
        line("opened, from the cache", [await typist.opens(text)])
        await asyncio.sleep(5)  # until all is loaded in advance
        line("one function", [await typist.changes_to(edited(text, number)) for number in range(5)])
        line("seen before", [await typist.changes_to(edited(text, number % 5)) for number in range(20)])
        line("lenses", [await timed(client.lenses(uri)) for _ in range(5)])
        first = (await client.lenses(uri))[0].range.start
        line("hover", [await timed(client.hover(uri, first.line, first.character)) for _ in range(5)])


def main() -> None:
    path = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else FIXTURE
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measured(path, sys.argv[2:] or ["-t", "h200"], Path(folder)))


if __name__ == "__main__":
    main()
