"""The changes of a run as a unified diff against the files as they were written, for `patch -p1` and `git apply`.

*Takes* the texts that the document holds. Line endings, and bytes that are no UTF-8, stay what they are.
*Does not handle* a byte order mark in front of a change in the first lines of a file.
"""

import difflib
from collections.abc import Iterable, Iterator

from msgspec import Struct

from ..base.errors import InputError
from ..report.document import Document, FileEntry
from ..report.loop_entries import ChangeEntry, EditEntry, LoopEntry
from ..report.ranking import ranking
from .chosen import chosen, refuse_around, wanted
from .edits import Edit, edited
from .loop_change import Change, RefusedError, change
from .names import Names
from .text import Text, UnreadableError


class Refusal(Struct, frozen=True):
    """A loop that pays, and is not changed, with the reason."""

    path: str
    line: int
    why: str


class Patched(Struct, frozen=True):
    """A file before and after its changes; `changed`: the loops that have a directive now, with it."""

    path: str
    before: str
    after: str
    changed: tuple[tuple[LoopEntry, str], ...]
    refused: tuple[Refusal, ...]


def patched(document: Document, at: str | None = None) -> Iterator[Patched]:
    """Every file with a loop to change, or whose loops cannot be. `at`: only the loop at FILE:LINE. InputError where no
    loop stands there, or the texts were left out."""
    if document.sources is None:
        raise InputError("the source text was left out (--no-source): nothing can be changed")
    found = False
    first = None if at is not None else _first(document)
    for file in document.files:
        loops = list(chosen(file)) if at is None else [loop for loop in file.loops if _stands(file, loop, at)][:1]
        loops = [loop for loop in loops if first is None or loop.id in first]
        found = found or bool(loops)
        if loops and file.path in document.sources:
            yield _of_file(file, document.sources[file.path], loops, asked=at is not None)
        elif loops:
            why = "it stands in a header, whose text is not at hand"
            yield Patched(file.path, "", "", (), tuple(Refusal(file.path, loop.line, why) for loop in loops))
    if at is not None and not found:
        raise InputError(f"--suggest-at {at}: no loop begins there")


def _first(document: Document) -> frozenset[str] | None:
    """The loops that `--top` asks for, by id, in the order of the ranking; None: all."""
    if document.options.top is None:
        return None
    parents = {loop.id: loop.parent for file in document.files for loop in file.loops}
    order = [item.loop.id for item in ranking(document).items if item.loop is not None]

    def rank(loop: LoopEntry) -> int:
        here: str | None = loop.id
        while here is not None and here not in order:
            here = parents.get(here)
        return order.index(here) if here is not None else len(order)

    found = sorted((loop for file in document.files for loop in chosen(file)), key=rank)
    return frozenset(loop.id for loop in found[: document.options.top])


def _stands(file: FileEntry, loop: LoopEntry, at: str) -> bool:
    path, _, line = at.rpartition(":")
    return line == str(loop.line) and (file.path == path or file.path.endswith(f"/{path}"))


def _of_file(file: FileEntry, before: str, loops: list[LoopEntry], *, asked: bool) -> Patched:
    text, names = Text(before), Names(before)
    done: list[tuple[LoopEntry, Change]] = []
    refused: list[Refusal] = []
    edits: list[Edit] = []
    for loop in loops:
        try:
            refuse_around(file, loop)
            new = change(text, names, loop, wanted(text, loop, asked=asked), file.path)
            edited(before, [*edits, *new.edits])
        except RefusedError as error:
            refused.append(Refusal(file.path, loop.line, str(error)))
        except UnreadableError as error:
            refused.append(Refusal(file.path, loop.line, f"the text around it cannot be read: {error}"))
        except ValueError:
            refused.append(Refusal(file.path, loop.line, "another loop changes the same text"))
        else:
            edits += [e for e in new.edits if e not in edits or e.text.strip()[:8] not in ("#include", "#pragma ")]
            done.append((loop, new))
    after = edited(before, edits)
    return Patched(file.path, before, after, tuple((x, c.directive) for x, c in done), tuple(refused))


def entries(file: FileEntry, source: str) -> dict[str, ChangeEntry]:
    """The changes of a file by loop, as reports hold them. Those that are refused are left out."""
    loops = list(chosen(file))
    if not loops:
        return {}
    text, names = Text(source), Names(source)
    found = {}
    for loop in loops:
        try:
            refuse_around(file, loop)
            new = change(text, names, loop, wanted(text, loop), file.path)
        except (RefusedError, UnreadableError):
            continue
        found[loop.id] = ChangeEntry(new.directive, tuple(_entry(text, edit) for edit in new.edits))
    return found


def _entry(text: Text, edit: Edit) -> EditEntry:
    first, last = edit.begin, edit.end
    return EditEntry(text.line(first), text.column(first), text.line(last), text.column(last), edit.text)


def unified(files: Iterable[Patched]) -> Iterator[str]:
    """The diff, line by line, each with the line ending of its file."""
    for file in files:
        a, b = _lines(file.before), _lines(file.after)
        for line in difflib.unified_diff(a, b, _quoted(f"a/{file.path}"), _quoted(f"b/{file.path}")):
            yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _quoted(path: str) -> str:
    """The name of a file as git writes it: in quotes where a sign would end the line, or cannot be seen."""
    if path.isprintable() and '"' not in path and "\\" not in path:
        return path
    named = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
    signs = path.encode("utf-8", "surrogateescape")
    return '"' + "".join(named.get(chr(b)) or (chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in signs) + '"'


def _lines(text: str) -> list[str]:
    """The lines with their ends, as patch(1) counts them: at line feeds alone."""
    found = text.split("\n")
    return [f"{line}\n" for line in found[:-1]] + ([found[-1]] if found[-1] else [])
