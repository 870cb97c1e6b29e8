"""The formats that a report can be written in, by name; each is one function from the document to text."""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from .document import Document


class Format(Struct, frozen=True):
    """`renderer`: module and function, from the document to text. `pieces`: the function that yields the same text in
    pieces, for what holds all figures of all files and is never in memory as one text. `utf8`: it is UTF-8 whatever
    the terminal prints. `escapes`: it writes invisible characters as escapes, and gets the document with all its
    members; other formats get one that is `cleaned` and `lean`."""

    renderer: str
    pieces: str | None = None
    utf8: bool = False
    escapes: bool = False


RENDERERS = {
    "concise": Format("concise:render"),
    "json": Format("codec:to_json", "codec:written", utf8=True, escapes=True),
    "jsonl": Format("lines:render", "lines:written", utf8=True, escapes=True),
    "sarif": Format("sarif:render", utf8=True, escapes=True),
    "html": Format("html:render", utf8=True, escapes=True),
    "markdown": Format("markdown:render"),
    "csv": Format("table:render", utf8=True),
    "github": Format("annotations:github"),
    "gitlab": Format("annotations:gitlab", utf8=True, escapes=True),
}
"""In the order of `--help`. A module is imported when its format is asked for. `text` depends on the terminal, and
so do the colours of `concise`, see `command.cli`."""


def written(document: "Document", name: str) -> Iterator[str]:
    """The text of `render`, in pieces where it may be long."""
    pieces = RENDERERS[name].pieces
    if pieces is None:
        yield render(document, name)
        return
    function: Callable[[Document], Iterator[str]] = _function(pieces)
    yield from function(document)


def render(document: "Document", name: str) -> str:
    """The document in one of RENDERERS."""
    renderer: Callable[[Document], str] = _function(RENDERERS[name].renderer)
    return renderer(document)


def _function(place: str) -> Callable[..., Any]:
    module, _, function = place.partition(":")
    found: Callable[..., Any] = getattr(import_module(f".{module}", __package__), function)
    return found
