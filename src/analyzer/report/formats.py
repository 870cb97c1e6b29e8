"""The formats that a report can be written in, by name; each is one function from the document to text."""

from collections.abc import Callable, Iterator
from importlib import import_module

from .document import Document

RENDERERS = {
    "json": "codec:to_json",
    "jsonl": "lines:render",
    "concise": "concise:render",
    "sarif": "sarif:render",
    "html": "html:render",
    "markdown": "markdown:render",
    "csv": "table:render",
    "github": "annotations:github",
    "gitlab": "annotations:gitlab",
}
"""Module and function; a module is imported when its format is asked for. `text` depends on the terminal, see
`command.cli`."""

IN_PIECES = {"json": "codec:written", "jsonl": "lines:written"}
"""Those that hold all figures of all files, and so are never in memory as one text."""


def written(document: Document, name: str) -> Iterator[str]:
    """The text of `render`, in pieces where it may be long."""
    if name not in IN_PIECES:
        yield render(document, name)
        return
    module, _, function = IN_PIECES[name].partition(":")
    yield from getattr(import_module(f".{module}", __package__), function)(document)


def render(document: Document, name: str) -> str:
    """The document in one of RENDERERS."""
    module, _, function = RENDERERS[name].partition(":")
    renderer: Callable[[Document], str] = getattr(import_module(f".{module}", __package__), function)
    return renderer(document)
