"""The paths of a report as a repository has them, wherever the command ran."""

from posixpath import join, normpath

from .document import Document


def in_repository(document: Document, path: str) -> str:
    """A path of the document, relative to the root of the repository; no two paths become one.

    Example: with the working directory `src`, `../include/a.h` is `include/a.h`."""
    entry = document.repository
    if entry is None or path.startswith("/"):
        return path
    if entry.root != "." and path.startswith(f"{entry.root}/") and not path.startswith(f"{entry.root}/../"):
        return path[len(entry.root) + 1 :]
    return normpath(join(entry.directory, path))
