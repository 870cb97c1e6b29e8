"""JSON Lines: one object per line, for tools that read a stream. `kind` says what a line is: `run` (first), then
`diagnostic` and `loop` in the order of the report, each with its `path`, and `summary` (last)."""

import json
from collections.abc import Iterator
from typing import Any

from .codec import plain
from .document import Document


def render(document: Document) -> str:
    """The whole document but for source texts, one object per line with a final newline."""
    return "".join(written(document))


def written(document: Document) -> Iterator[str]:
    """The text of `render`, line by line."""
    head = ("schema_version", "tool", "options", "host", "targets", "answer", "devices", "symbols")
    yield _line("run", **{name: plain(getattr(document, name)) for name in head})
    for file in document.files:
        yield from (_line("diagnostic", path=file.path, **plain(d)) for d in file.diagnostics)
        yield from (_line("loop", path=file.path, **plain(loop)) for loop in file.loops)
    yield _line("summary", program=plain(document.program), **plain(document.summary))


def _line(kind: str, **members: Any) -> str:
    return json.dumps({"kind": kind, **members}, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"
