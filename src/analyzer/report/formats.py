"""The formats that a report can be written in, by name; each is one function from the document to text."""

from collections.abc import Callable
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
"""Module and function; a module is imported when its format is asked for. `text` depends on the terminal, see `cli`."""


def render(document: Document, name: str) -> str:
    """The document in one of RENDERERS."""
    module, _, function = RENDERERS[name].partition(":")
    renderer: Callable[[Document], str] = getattr(import_module(f".{module}", __package__), function)
    return renderer(document)
