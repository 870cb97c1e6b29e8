"""What the kernel of a predicted time does that the directive above the loop does not say.

A time on a device is that of a kernel as a person would write it: loops exchanged, elements of tiles kept in shared
memory, sums in a tree. A directive says which loops become threads, and leaves the rest to the compiler.
"""

import re

from ..report.loop_entries import AloneEntry, PredictionEntry

_THREADS = re.compile(r"(?:collapse|a thread for each) (.+)")
_MORE = (" after ", " elements for each thread", "tiles of ", " in shared memory")


def unsaid(directive: str, mapping: str | None) -> str | None:
    """The mapping of a prediction, if it is more than the directive; None if it is that.

    >>> unsaid("#pragma omp target teams distribute parallel for collapse(2)", "collapse i and j; s updated atomically")
    >>> unsaid("#pragma omp target teams distribute parallel for", "collapse i and j")
    'collapse i and j'
    """
    if mapping is None:
        return None
    found = _THREADS.fullmatch(mapping.partition(";")[0])
    if found is None or any(words in found[1] for words in _MORE):
        return mapping
    return None if len(re.split(", | and ", found[1])) == _collapsed(directive) else mapping


def alone(directive: str, prediction: PredictionEntry) -> AloneEntry | None:
    """What the directive does by itself on the device of a prediction whose mapping is more than that; None where no
    time is known of it."""
    written = prediction.as_written or ()
    time = next((w.time_s for w in written if w.threads == _collapsed(directive)), None)
    return None if time is None else AloneEntry(prediction.device, prediction.candidate, time)


def _collapsed(directive: str) -> int:
    """How many loops it divides."""
    clause = re.search(r"\bcollapse\((\d+)\)", directive)
    return int(clause[1]) if clause else 1
