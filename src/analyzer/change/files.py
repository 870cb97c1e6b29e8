"""The changes of the files of a run, which may depend on each other: data stays on the device where all that use it
between two statements, in whatever file, run there.

*Method*: what can be written alone is taken to be; what cannot is refused, and what needs that is looked at again,
until nothing more is refused.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from ..report.document import FileEntry
from ..report.loop_entries import LoopEntry, Number
from ..report.program_entries import LifeEntry
from .chosen import pays, refuse_around, wanted
from .edits import Edit, edited
from .filled import filled
from .form import Form, is_by_directives
from .loop_change import Change
from .names import Names
from .refused import RefusedError, why
from .regions import Region, above, in_region, pointers_of, regions
from .resident import resident
from .shared import Shared, is_same_text
from .staying import around
from .stays import Device, Stay, stays
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


class FileChanges:
    """The changes of one file: of `loops`, of which the program as a whole has those that are `placed` on a device.
    `passed`: sizes that every call passes, by function; `asked`: somebody named the loop."""

    def __init__(
        self,
        file: FileEntry,
        before: str,
        loops: list[LoopEntry],
        form: Form,
        placed: frozenset[str] = frozenset(),
        passed: Mapping[str, Mapping[str, Number]] | None = None,
        *,
        asked: bool,
    ) -> None:
        self.passed = passed or {}
        self.file, self.before, self.form, self.placed = file, before, form, placed
        self.text = Text(before)
        self.lonely = placed - {loop.id for loop in loops if pays(loop, form) or asked}
        """Loops that only pay with their data on the device."""
        self.refused: list[Refusal] = []
        self.todo: dict[str, Wanted] = {}
        for loop in loops:
            try:
                refuse_around(file, loop)
                self.todo[loop.id] = wanted(self.text, loop, form, file.loops, asked=asked)
            except (RefusedError, UnreadableError) as error:
                self.refused.append(Refusal(file.path, loop.line, why(error)))
        self.loops = loops
        self.shared = Shared(file, self.text, form, None if asked else {loop.id for loop in loops})
        self.made = _Made(self)

    def regions(self, besides: Collection[str] = ()) -> tuple[Region, ...]:
        """Where data stays around a loop, for changed loops but some."""
        if not is_by_directives(self.form):
            return ()
        alone = {key: w for key, w in self.todo.items() if key not in self.shared and key not in besides}
        return tuple(regions(self.text, self.file.loops, alone))

    def residents(self) -> Iterator[tuple[str, Wanted]]:
        """Of the changed loops those that never run on the host, and what is written at them where their data stays."""
        for loop in self.loops:
            if loop.id in self.todo and loop.id not in self.shared:
                try:
                    sizes = self.passed.get(loop.function, {}) if loop.id in self.placed else None
                    found = resident(self.text, self.file.loops, loop, self.todo[loop.id], sizes)
                except UnreadableError:
                    continue
                if found is not None:
                    yield loop.id, found

    def make(self, found: Sequence[Stay], staying: Mapping[str, Wanted], covered: Collection[str]) -> None:
        """`found`: arrays that stay, for the loops that are `staying` by what is written at them; `covered`: those of
        which everything does."""
        self.made = _Made(self)
        left = self.lonely - frozenset(covered)
        self.made.change([x for x in self.loops if x.id in self.todo], self.regions(staying), found, staying, left)

    def give_up(self) -> None:
        """What was refused is looked at no more."""
        self.refused += self.made.refused.values()
        self.todo = {key: w for key, w in self.todo.items() if key not in self.made.refused}

    def patched(self) -> Iterator[Patched]:
        """As it becomes; nothing where nothing was to be done."""
        refused = tuple(sorted(dict.fromkeys(self.refused), key=lambda r: r.line))
        if not self.loops and not self.made.edits:
            return
        after = edited(self.before, self.made.edits)
        changed = tuple((loop, new.directive) for loop, new in self.made.done)
        yield Patched(self.file.path, self.before, after, changed, refused)
        if self.made.kernels:
            from .cuda import file_of_kernels, kernels_path

            loops = [loop for loop, _ in self.made.done]
            beside = file_of_kernels(self.text, self.file.path, self.made.kernels, loops)
            yield Patched(kernels_path(self.file.path), "", beside, (), (), is_new=True)


def settle(files: Sequence[FileChanges], lives: Sequence[LifeEntry]) -> None:
    """Makes the changes of all files. `lives`: of the arrays of the program that may stay on the device."""
    while True:
        known = {key: w for file in files for key, w in file.residents()} if lives else {}
        device = _device(files, known)
        found = [stays(file.text, [life for life in lives if life.path == file.file.path], device) for file in files]
        every = [stay for several in found for stay in several]
        staying = {key: known[key] for stay in every for key in stay.loops}
        covered = staying.keys() - _uncovered(lives, every, known)
        for file, several in zip(files, found, strict=True):
            file.make(several, staying, covered)
        if not any(file.made.refused for file in files):
            return
        for file in files:
            file.give_up()


def _device(files: Sequence[FileChanges], known: Collection[str]) -> Device:
    changed = [loop for file in files for loop in file.loops if loop.id in file.todo]
    regions = [region for file in files if known for region in file.regions()]
    return Device(
        loops=known,
        changed={loop.id for loop in changed},
        regions={key: region.around.id for region in regions for key in region.members},
        functions={f.name for loop in changed if loop.on_device is not None for f in loop.on_device.functions},
        places={loop.id: (loop.function, loop.line) for file in files for loop in file.file.loops},
        fills={loop.id: filled(file.text, loop) for file in files for loop in file.loops if loop.id in known},
    )


def _uncovered(lives: Sequence[LifeEntry], found: Sequence[Stay], known: Collection[str]) -> set[str]:
    """The loops that also use an array where it does not stay, though it would be copied less often then."""
    return {
        key
        for life in lives
        if _is_used_again(life, known)
        for use in life.uses
        if not any(stay.life == life and use.line in stay.lines for stay in found)
        for key in use.loops
        if key in known
    }


def _is_used_again(life: LifeEntry, known: Collection[str]) -> bool:
    """Whether an array is used on the device by more than one statement, or by one more than once: the copies of
    another one are the same wherever they stand."""
    there = [use for use in life.uses if any(loop in known for loop in use.loops)]
    return len({use.line for use in there}) > 1 or any(use.within for use in there)


class _Made:
    """The changes of one file as they are tried: those that are `done`, and what is `refused`, by id."""

    def __init__(self, of: FileChanges) -> None:
        self.file, self.text, self.shared, self.form, self.todo = of.file, of.text, of.shared, of.form, of.todo
        self.names = Names(of.before)
        self.done: list[tuple[LoopEntry, Change]] = []
        self.refused: dict[str, Refusal] = {}
        self.edits: list[Edit] = []
        self.kernels: list[Kernel] = []

    def change(
        self,
        loops: list[LoopEntry],
        found: tuple[Region, ...],
        arrays: Sequence[Stay],
        resident: Mapping[str, Wanted],
        lonely: Collection[str],
    ) -> None:
        """`found`: where data stays around a loop, `arrays`: around several statements, with what is written then at
        `resident` loops; `lonely`: those that would only pay with their data on the device."""
        before, behind = around(self.text, arrays, self.form)
        self.edits += before
        pointers = {region.around.id: pointers_of(self.names, region) for region in found}
        staying = dict(resident)
        for region in found:
            for key in region.members:
                staying[key] = in_region(self.todo[key], region, pointers[region.around.id])
        in_regions = {key for region in found for key in region.members}
        for loop in loops:
            written = next((new for each, new in self.done if is_same_text(each, loop)), None)
            if written is not None:
                self.done.append((loop, written))
                continue
            try:
                self.shared.refuse_others(loop)
                new = self._changed(loop, staying.get(loop.id, self.todo[loop.id]))
                if loop.id in lonely and loop.id not in in_regions:
                    raise RefusedError("it pays only with its data on the device, which other code around it uses")
                edits = [e for e in new.edits if e.begin == e.end or e not in self.edits]
                edited(self.text.text, [*self.edits, *edits])
            except (RefusedError, UnreadableError) as error:
                self._refuse(loop, why(error))
            except ValueError:
                self._refuse(loop, "another loop changes the same text")
            else:
                self.edits += edits
                self.done.append((loop, new))
        for region in found if not self.refused else ():
            self.edits.append(above(self.text, region, pointers[region.around.id], self.form))
        self.edits += behind

    def _changed(self, loop: LoopEntry, wanted: Wanted) -> Change:
        if self.form != "cuda":
            return change(self.text, self.names, loop, wanted, self.file.path)
        from .cuda import started

        found = started(self.text, self.names, loop, wanted, self.file)
        self.kernels.append(found.kernel)
        return found.change

    def _refuse(self, loop: LoopEntry, why: str) -> None:
        self.refused[loop.id] = Refusal(self.file.path, loop.line, why)
