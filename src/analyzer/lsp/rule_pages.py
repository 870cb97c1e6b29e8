"""What findings link to: the page of each rule, in a folder that lives as long as the server."""

from pathlib import Path

from ..report.rulepage import pages


def write(folder: str) -> dict[str, str]:
    """The URI of the page by rule."""
    found = {}
    for name, text in pages().items():
        path = Path(folder, name)
        path.write_text(text, encoding="utf-8")
        found[path.stem] = path.as_uri()
    return found
