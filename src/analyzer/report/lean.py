"""A document without what is most of it: the arithmetic behind predictions, formulas of loops, sensitivities.

Only data formats, `--why` and the view of one loop in HTML show these. What people read of many loops is made from
lean entries, which are held all at once, while the others are unpacked one file at a time.
"""

from msgspec.structs import replace

from .document import Document, FileEntry, LoopEntry


def lean(document: Document) -> Document:
    """The document with lean entries. Example: `lean(d).files[0].loops[0].formulas is None`."""
    return replace(document, files=tuple(map(_file, document.files)))


def _file(file: FileEntry) -> FileEntry:
    return replace(file, loops=tuple(map(_loop, file.loops)))


def _loop(loop: LoopEntry) -> LoopEntry:
    if loop.formulas is None and loop.sensitivity is None and not any(p.formula or p.terms for p in loop.predictions):
        return loop
    timed = tuple(replace(p, formula=None, terms=()) for p in loop.predictions)
    return replace(loop, predictions=timed, formulas=None, sensitivity=None)
