"""Which repository a run is about: names that must be the same wherever it is started are relative to its top."""

import os
from collections.abc import Callable, Collection

from ..report.document import Document, RepositoryEntry
from ..report.paths import in_repository
from ..source.project import is_below, repository_around


def top_of(files: Collection[str]) -> str:
    """The top of the repository around the working directory, else of that around the first of the files that is in
    one; the working directory itself where there is none. `files`: absolute paths, or none where they are not known."""
    here = os.getcwd()
    around = repository_around(here)
    if around is not None and (not files or any(is_below(file, around) for file in files)):
        return around
    others = (repository_around(os.path.dirname(file)) for file in sorted(files))
    return next((top for top in others if top is not None), here)


def top_of_document(document: Document) -> str:
    """The same, of the files of a document."""
    return top_of([os.path.abspath(file.path) for file in document.files])


def repository_entry(top: str) -> RepositoryEntry | None:
    """What makes a path that is seen from the working directory one that is seen from `top`."""
    try:
        root, directory = os.path.relpath(top), os.path.relpath(os.getcwd(), top)
    except ValueError:  # another drive
        return None
    return None if root == "." else RepositoryEntry(root.replace(os.sep, "/"), directory.replace(os.sep, "/"))


def on_disk(document: Document, top: str) -> Callable[[str], str]:
    """From a path of the document to its absolute one, where the repository lies at `top`."""
    return lambda path: os.path.normpath(os.path.join(top, in_repository(document, path)))


def kept_from(kept: str, files: Collection[str], top: str) -> str:
    """The folder that paths in a file which is kept with the code (a baseline) are relative to, wherever the command
    runs: the top of the repository around it, or without one its own folder, where that holds one of the `files`; else
    `top`, the repository that the run is about; its own folder where there is no repository at all."""
    folder = os.path.dirname(os.path.realpath(kept))
    around = repository_around(folder)
    for base in (folder,) if around is None else (around, folder):
        if any(is_below(file, base) for file in files):
            return base
    return top if repository_around(top) is not None else folder


def seen_from(folder: str) -> Callable[[str], str]:
    """From an absolute path to one that is relative to the folder, with `/`."""

    def seen(path: str) -> str:
        try:
            return os.path.relpath(path, folder).replace(os.sep, "/")
        except ValueError:  # another drive
            return path.replace(os.sep, "/")

    return seen
