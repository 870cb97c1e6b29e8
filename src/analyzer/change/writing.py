"""The edits for one loop, in the form that is asked for."""

from ..report.loop_entries import LoopEntry
from .device_writer import DeviceWriter
from .form import is_on_device
from .loop_change import Change, LoopWriter
from .names import Names
from .refused import RefusedError
from .text import Text, UnreadableError
from .wanted import Wanted


def change(text: Text, names: Names, loop: LoopEntry, wanted: Wanted, path: str) -> Change:
    """The edits for one loop, by directives. RefusedError where it cannot be written.

    Example: for `for (i = 0; i < n; i++) s += a[i];` the line `#pragma omp parallel for simd reduction(+: s)`."""
    writer = DeviceWriter if is_on_device(wanted.form) else LoopWriter
    try:
        return writer(text, names, loop, wanted, path).change()
    except UnreadableError as error:
        raise RefusedError(f"the text around it cannot be read: {error}") from None
