"""The changes of a run as a unified diff against the files as they were written, for `patch -p1` and `git apply`.

*Takes* the texts that the document holds. Line endings, and bytes that are no UTF-8, stay what they are.
*Does not handle* a byte order mark in front of a change in the first lines of a file.
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, TypeVar

from ..base.errors import InputError
from ..base.regex import regex
from ..report.document import PASSED, Document, FileEntry
from ..report.loop_entries import ON_TARGETS, ChangeEntry, EditEntry, LoopEntry, Number
from ..report.program_entries import LifeEntry
from ..report.ranking import ranking
from ..source.project import names_file
from .chosen import chosen, refuse_around, wanted
from .edits import Edit
from .files import FileChanges, Patched, Refusal, settle
from .form import Form, is_by_directives, is_on_device
from .loop_change import Change
from .names import Names
from .refused import RefusedError
from .shared import Shared
from .text import Text, UnreadableError
from .unsaid import alone, unsaid
from .writing import change

_KEEPS = regex(
    r"\bomp\s+(target\s+(enter\s+|exit\s+)?data|target\s+update|(begin\s+)?declare\s+target)\b"
    r"|\bacc\s+(enter\s+|exit\s+|host_)?(data|declare)\b"
)
"""Directives that keep data on a device beyond one loop."""


def patched(document: Document, form: Form = "openmp", at: str | None = None) -> Iterator[Patched]:
    """Every file with a loop to change, or whose loops cannot be. `at`: only the loop at FILE:LINE. InputError where no
    loop stands there, or the texts were left out."""
    if document.sources is None:
        raise InputError("the source text was left out (--no-source): nothing can be changed")
    found = False
    placed = _placed(document) if is_by_directives(form) else frozenset()
    lives = _lives(document, document.sources) if placed and at is None else ()
    first = None if at is not None else _first(document, form, placed)
    made: list[FileChanges | Patched] = []
    for file in document.files:
        asked = [loop for loop in file.loops if at is not None and stands(file, loop, at)][:1]
        loops = list(chosen(file, form, placed)) if at is None else asked
        loops = [loop for loop in loops if first is None or loop.id in first]
        found = found or bool(loops)
        if file.path in document.sources and (loops or any(life.path == file.path for life in lives)):
            text = document.sources[file.path]
            made.append(FileChanges(file, text, loops, form, placed, _passed(document, file), asked=at is not None))
        elif loops:
            hidden = "it stands in a header, whose text is not at hand"
            made.append(Patched(file.path, "", "", (), tuple(Refusal(file.path, loop.line, hidden) for loop in loops)))
    if at is not None and not found:
        raise InputError(f"--suggest-at {at}: no loop begins there")
    settle([each for each in made if isinstance(each, FileChanges)], lives)
    for each in made:
        yield from (each,) if isinstance(each, Patched) else each.patched()


def _lives(document: Document, sources: Mapping[str, str]) -> tuple[LifeEntry, ...]:
    """The arrays that may stay on the device: none where directives keep data there already, of which then no other one
    copies anything back."""
    found = () if document.program is None else document.program.lives or ()
    if any(_KEEPS.search(text) for text in sources.values()):
        return ()
    return tuple(life for life in found if life.given_by is None or document.options.assume != "none")


def _placed(document: Document) -> frozenset[str]:
    """The loops that the program as a whole has on a device, by id."""
    sequence = document.program.sequence if document.program is not None else ()
    return frozenset(p.loop for p in sequence if p.candidate in ON_TARGETS)


def _passed(document: Document, file: FileEntry) -> dict[str, dict[str, Number]]:
    """By function of a file, the sizes that every call passes."""
    found: dict[str, dict[str, Number]] = {}
    for symbol in document.symbols:
        path, _, function = symbol.scope.rpartition(":")
        if path == file.path and symbol.value is not None and symbol.source.startswith(PASSED):
            found.setdefault(function, {})[symbol.name] = symbol.value
    return found


def _first(document: Document, form: Form, placed: frozenset[str]) -> frozenset[str] | None:
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

    found = sorted((loop for file in document.files for loop in chosen(file, form, placed)), key=rank)
    return frozenset(loop.id for loop in found[: document.options.top])


def stands(file: FileEntry, loop: LoopEntry, at: str) -> bool:
    """Whether `at`, FILE:LINE, names a loop of the file, wherever its report was made."""
    path, _, line = at.rpartition(":")
    reported = file.path == path or file.path.endswith(f"/{path}")
    return line == str(loop.line) and (reported or names_file(path, file.path))


ADVISED: tuple[Literal["openmp", "openmp-target"], ...] = ("openmp", "openmp-target")
"""The forms of changes for the place that a verdict names."""
F = TypeVar("F", bound=Form)


def entries(file: FileEntry, source: str) -> dict[str, ChangeEntry]:
    """The changes of a file by loop, as reports hold them: for the place that its verdict names. Those that are refused
    are left out."""
    changes = written(file, source, ADVISED)
    if not changes:
        return {}
    text = Text(source)
    return {
        loop.id: _change(text, loop, *changes[loop.id]) for loop in file.loops if loop.id in changes
    }


def _change(text: Text, loop: LoopEntry, form: Literal["openmp", "openmp-target"], new: Change) -> ChangeEntry:
    edits = tuple(_entry(text, edit) for edit in new.edits)
    device = loop.recommendation.device
    on_target = next((p for p in loop.predictions if (p.device, p.candidate) == (device, "target")), None)
    if on_target is None or not is_on_device(form):
        return ChangeEntry(form, new.directive, edits, loop.alone)
    more = unsaid(new.directive, on_target.mapping)
    by_itself = loop.alone if more is None else alone(new.directive, on_target)
    return ChangeEntry(form, new.directive, edits, by_itself, more)


def written(file: FileEntry, source: str, forms: tuple[F, ...]) -> dict[str, tuple[F, Change]]:
    """The changes of a file in one of these forms, by loop, each as if it were the only one. Those that are refused are
    left out. A loop that is best divided between two places gets that of the place where it is faster by itself."""
    todo = [(loop, form) for form in forms for loop in chosen(file, form) if len(forms) == 1 or _is_faster(loop, form)]
    if not todo:
        return {}
    text, names = Text(source), Names(source)
    found = {}
    for loop, form in todo:
        try:
            refuse_around(file, loop)
            Shared(file, text, form, None).refuse_others(loop)
            found[loop.id] = form, change(text, names, loop, wanted(text, loop, form, file.loops), file.path)
        except (RefusedError, UnreadableError):
            continue
    return found


def _is_faster(loop: LoopEntry, form: Form) -> bool:
    """Whether this form is for the place where the loop is faster, if there are two."""
    return loop.alone is None or is_on_device(form) == (loop.alone.candidate in ON_TARGETS)


def _entry(text: Text, edit: Edit) -> EditEntry:
    first, last = edit.begin, edit.end
    return EditEntry(text.line(first), text.column(first), text.line(last), text.column(last), edit.text)


def unified(files: Iterable[Patched]) -> Iterator[str]:
    """The diff, line by line, each with the line ending of its file."""
    for file in files:
        a, b = _lines(file.before), _lines(file.after)
        before = "/dev/null" if file.is_new else _quoted(f"a/{file.path}")
        for line in difflib.unified_diff(a, b, before, _quoted(f"b/{file.path}")):
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
