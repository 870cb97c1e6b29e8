"""Text that is several loops: of a file that is included with other macros each time, or into more than one function.

*Decides*: a change is written into such text where all its loops need the same one, but for the sizes from which on it
pays. *Does not handle* files that include the text and are not in the run.

    #define NAME clear_floats                              #define NAME clear_bytes
    #define TYPE float                                     #define TYPE char
    #include "clear.c"                                     #include "clear.c"
"""

from collections.abc import Collection

from msgspec.structs import replace

from ..report.document import FileEntry
from ..report.loop_entries import LoopEntry
from .chosen import wanted
from .edits import Edit
from .form import Form
from .names import Names
from .refused import RefusedError, why
from .text import Text, UnreadableError
from .writing import change


def is_same_text(one: LoopEntry, other: LoopEntry) -> bool:
    """What one macro makes stands in one place, and is several texts."""
    is_written = one.expansion is None and other.expansion is None
    return is_written and (one.line, one.column) == (other.line, other.column)


def others(file: FileEntry, loop: LoopEntry) -> list[LoopEntry]:
    """The other loops that have the text of this one."""
    return [each for each in file.loops if each.id != loop.id and is_same_text(each, loop)]


class Shared:
    """The loops of a file by their text. `paying`: those that are to be changed (None: paying is no question)."""

    def __init__(self, file: FileEntry, text: Text, form: Form, paying: Collection[str] | None) -> None:
        self._file, self._text, self._form, self._paying = file, text, form, paying

    def __contains__(self, key: str) -> bool:
        """Whether the text of a loop is that of another one, too."""
        return any(others(self._file, loop) for loop in self._file.loops if loop.id == key)

    def refuse_others(self, loop: LoopEntry) -> None:
        """RefusedError where another loop of this text needs another change, or none."""
        shared = others(self._file, loop)
        own = self._edits(loop) if shared and self._form != "cuda" else ()
        for other in shared:
            said = f"its text is that of a loop of {other.function}(), too, which"
            if self._form == "cuda":
                raise RefusedError(f"{said} needs a kernel of its own")
            if self._paying is not None and other.id not in self._paying:
                raise RefusedError(f"{said} is {_unchanged(other)}")
            try:
                same = self._edits(other) == own
            except (RefusedError, UnreadableError) as error:
                raise RefusedError(f"{said} is not changed: {why(error)}") from None
            if not same:
                raise RefusedError(f"{said} needs another change")

    def _edits(self, loop: LoopEntry) -> tuple[Edit, ...]:
        """What is written at a loop if it always pays."""
        asked = wanted(self._text, loop, self._form, self._file.loops)
        asked = replace(asked, condition=None, staying=None)
        return change(self._text, Names(self._text.text), loop, asked, self._file.path).edits


def _unchanged(loop: LoopEntry) -> str:
    if loop.is_parallel:
        return "not worth a change"
    return f"not parallel: {loop.reason.message}" if loop.reason is not None else "not parallel"
