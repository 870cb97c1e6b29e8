"""Documents that the tests of the page share."""

import gzip
import json
import re
from base64 import b64decode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from analyzer.command.cli import main
from analyzer.report.codec import from_json
from analyzer.report.document import Document, FileEntry, LoopEntry

SOURCE = """\
/* four loops */
void scale(int n, const double *restrict x, double *restrict y) {
    for (int i = 0; i < n; i++) /* a secret remark */
        y[i] = 2.5 * x[i] + 1.0;
}
double sum(int n, const double *x) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}
void product(int n, const float *restrict a, const float *restrict b, float *restrict c) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float t = 0;
            for (int k = 0; k < n; k++)
                t += a[i * n + k] * b[k * n + j];
            c[i * n + j] = t;
        }
}
void carried(int n, double *x) {
    for (int i = 1; i < n; i++)
        x[i] = 0.5 * x[i - 1] + x[i];
}
"""


def analysed(folder: Path, *options: str, source: str = SOURCE, name: str = "four.c") -> Document:
    """The document of a source, for a GPU."""
    folder.mkdir(exist_ok=True)
    path, report = folder / name, folder / "report.json"
    path.write_text(source, encoding="utf-8", errors="surrogateescape")
    code = main([str(path), "-t", "h200", "-f", f"json={report}", *options])
    assert code == 0
    return from_json(report.read_text(encoding="utf-8"), str(report))


def whole(text: str, parts: Sequence[str]) -> str:
    """A formula of a time with its parts written out."""
    return re.sub(r"`#(\d+)`", lambda found: f"({whole(parts[int(found[1])], parts)})", text)


def many(document: Document, loops: int) -> Document:
    """A document with this many loops: those of `document` again and again, in files of 100."""
    own = [loop for file in document.files for loop in file.loops]
    files = []
    for first in range(0, loops, 100):
        path = f"src/part{first // 100:03d}.c"
        chosen = tuple(_copy(own[i % len(own)], i, path) for i in range(first, min(first + 100, loops)))
        files.append(FileEntry(path, 1, 1, len(chosen), (), chosen))
    text = next(iter((document.sources or {"": ""}).values()))
    summary = replace(document.summary, files=len(files), loops_total=loops)
    return replace(document, files=tuple(files), sources={file.path: text for file in files}, summary=summary)


def _copy(loop: LoopEntry, number: int, path: str) -> LoopEntry:
    identity = f"{path}:{loop.function}{number}:{loop.line}:{loop.column}"
    return replace(loop, id=identity, function=f"{loop.function}{number}", parent=None, depth=0)


def blocks(page: str, kind: str) -> list[Any]:
    """What the packed blocks of a page hold."""
    found = re.findall(rf'<script type="text/plain" class="{kind}">([A-Za-z0-9+/=]*)</script>', page)
    return [json.loads(gzip.decompress(b64decode(text))) for text in found]


def everything(page: str) -> str:
    """All text of a page, packed blocks included."""
    return page + json.dumps([blocks(page, "chunk"), blocks(page, "source")])
