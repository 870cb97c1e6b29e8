"""The changes of a run as a unified diff against the files as they were written, for `patch -p1` and `git apply`.

*Takes* the texts that the document holds. Line endings, and bytes that are no UTF-8, stay what they are.
*Does not handle* a byte order mark in front of a change in the first lines of a file.
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal, TypeVar

from msgspec import Struct

from ..base.errors import InputError
from ..report.document import Document, FileEntry
from ..report.loop_entries import ON_TARGETS, ChangeEntry, EditEntry, LoopEntry
from ..report.ranking import ranking
from ..source.project import names_file
from .chosen import chosen, pays, refuse_around, wanted
from .edits import Edit, edited
from .form import Form, is_by_directives
from .loop_change import Change
from .names import Names
from .refused import RefusedError, why
from .regions import Region, above, in_region, pointers_of, regions
from .shared import Shared, is_same_text
from .text import Text, UnreadableError
from .wanted import Wanted
from .writing import change

if TYPE_CHECKING:
    from .cuda.kernel import Kernel


class Refusal(Struct, frozen=True):
    """A loop that pays, and is not changed, with the reason."""

    path: str
    line: int
    why: str


class Patched(Struct, frozen=True):
    """A file before and after its changes; `changed`: the loops that have a directive now, with it, or are called as a
    kernel. `is_new`: there was none before."""

    path: str
    before: str
    after: str
    changed: tuple[tuple[LoopEntry, str], ...]
    refused: tuple[Refusal, ...]
    is_new: bool = False


def patched(document: Document, form: Form = "openmp", at: str | None = None) -> Iterator[Patched]:
    """Every file with a loop to change, or whose loops cannot be. `at`: only the loop at FILE:LINE. InputError where no
    loop stands there, or the texts were left out."""
    if document.sources is None:
        raise InputError("the source text was left out (--no-source): nothing can be changed")
    found = False
    placed = _placed(document) if is_by_directives(form) else frozenset()
    first = None if at is not None else _first(document, form, placed)
    for file in document.files:
        asked = [loop for loop in file.loops if at is not None and stands(file, loop, at)][:1]
        loops = list(chosen(file, form, placed)) if at is None else asked
        loops = [loop for loop in loops if first is None or loop.id in first]
        found = found or bool(loops)
        if loops and file.path in document.sources:
            lonely = placed - {loop.id for loop in loops if pays(loop, form) or at is not None}
            yield from _of_file(file, document.sources[file.path], loops, form, lonely, asked=at is not None)
        elif loops:
            hidden = "it stands in a header, whose text is not at hand"
            yield Patched(file.path, "", "", (), tuple(Refusal(file.path, loop.line, hidden) for loop in loops))
    if at is not None and not found:
        raise InputError(f"--suggest-at {at}: no loop begins there")


def _placed(document: Document) -> frozenset[str]:
    """The loops that the program as a whole has on a device, by id."""
    sequence = document.program.sequence if document.program is not None else ()
    return frozenset(p.loop for p in sequence if p.candidate in ON_TARGETS)


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


def _of_file(
    file: FileEntry, before: str, loops: list[LoopEntry], form: Form, placed: frozenset[str], *, asked: bool
) -> Iterator[Patched]:
    text = Text(before)
    refused: list[Refusal] = []
    todo: dict[str, Wanted] = {}
    for loop in loops:
        try:
            refuse_around(file, loop)
            todo[loop.id] = wanted(text, loop, form, file.loops, asked=asked)
        except (RefusedError, UnreadableError) as error:
            refused.append(Refusal(file.path, loop.line, why(error)))
    shared = Shared(file, text, form, None if asked else {loop.id for loop in loops})
    while True:
        alone = {key: w for key, w in todo.items() if key not in shared}
        found = tuple(regions(text, file.loops, alone)) if is_by_directives(form) else ()
        made = _Made(file, text, shared, form)
        made.change([x for x in loops if x.id in todo], todo, found, placed)
        if not made.refused:
            break
        refused += made.refused.values()
        todo = {key: w for key, w in todo.items() if key not in made.refused}
    refused = sorted(dict.fromkeys(refused), key=lambda r: r.line)
    after = edited(before, made.edits)
    yield Patched(file.path, before, after, tuple((x, c.directive) for x, c in made.done), tuple(refused))
    if made.kernels:
        from .cuda import file_of_kernels, kernels_path

        beside = file_of_kernels(text, file.path, made.kernels, [loop for loop, _ in made.done])
        yield Patched(kernels_path(file.path), "", beside, (), (), is_new=True)


class _Made:
    """The changes of one file: those that are `done`, and what is `refused`, by id."""

    def __init__(self, file: FileEntry, text: Text, shared: Shared, form: Form) -> None:
        self.file, self.text, self.shared, self.form = file, text, shared, form
        self.names = Names(text.text)
        self.done: list[tuple[LoopEntry, Change]] = []
        self.refused: dict[str, Refusal] = {}
        self.edits: list[Edit] = []
        self.kernels: list[Kernel] = []

    def change(
        self, loops: list[LoopEntry], todo: Mapping[str, Wanted], found: tuple[Region, ...], placed: frozenset[str]
    ) -> None:
        """`placed`: loops that only pay with their data on the device."""
        pointers = {region.around.id: pointers_of(self.names, region) for region in found}
        staying = {
            key: in_region(todo[key], region, pointers[region.around.id]) for region in found for key in region.members
        }
        for loop in loops:
            written = next((new for each, new in self.done if is_same_text(each, loop)), None)
            if written is not None:
                self.done.append((loop, written))
                continue
            try:
                self.shared.refuse_others(loop)
                if loop.id in placed - staying.keys():
                    raise RefusedError("it pays only with its data on the device, which other code around it uses")
                new = self._changed(loop, staying.get(loop.id, todo[loop.id]))
                edited(self.text.text, [*self.edits, *new.edits])
            except (RefusedError, UnreadableError) as error:
                self._refuse(loop, why(error))
            except ValueError:
                self._refuse(loop, "another loop changes the same text")
            else:
                self.edits += new.edits
                self.done.append((loop, new))
        for region in found if not self.refused else ():
            self.edits.append(above(self.text, region, pointers[region.around.id], self.form))

    def _changed(self, loop: LoopEntry, wanted: Wanted) -> Change:
        if self.form != "cuda":
            return change(self.text, self.names, loop, wanted, self.file.path)
        from .cuda import started

        found = started(self.text, self.names, loop, wanted, self.file)
        self.kernels.append(found.kernel)
        return found.change

    def _refuse(self, loop: LoopEntry, why: str) -> None:
        self.refused[loop.id] = Refusal(self.file.path, loop.line, why)


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
        key: ChangeEntry(form, new.directive, tuple(_entry(text, edit) for edit in new.edits))
        for key, (form, new) in changes.items()
    }


def written(file: FileEntry, source: str, forms: tuple[F, ...]) -> dict[str, tuple[F, Change]]:
    """The changes of a file in one of these forms, by loop, each as if it were the only one. Those that are refused are
    left out."""
    todo = [(loop, form) for form in forms for loop in chosen(file, form)]
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
